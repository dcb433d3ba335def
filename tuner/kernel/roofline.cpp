#include "kernel/roofline.hpp"

#include <algorithm>

#include "core/type_table.hpp"

namespace attune {
namespace {

// Below this share of writes in all traffic, the rate of reading alone is the ceiling.
constexpr double mostly_read = 0.1;

// Returns the bytes of an array; 0 where they are not known.
double bytes_of(const Argument& argument, const Problem& problem) {
  const Value* const chosen = problem.find(argument.type);  // a type of the problem
  const bool is_chosen = chosen != nullptr && chosen->is_name();
  const TypeInfo* const type = find_type(is_chosen ? std::string_view(chosen->name()) : argument.type);
  return type == nullptr ? 0 : amount_of(argument.size, problem, {}).value_or(0) * type->size;
}

}  // namespace

const Ceiling* ceiling_named(std::span<const Ceiling> ceilings, std::string_view name) {
  const auto found =
      std::find_if(ceilings.begin(), ceilings.end(), [name](const Ceiling& ceiling) { return ceiling.name == name; });
  return found == ceilings.end() ? nullptr : &*found;
}

std::optional<double> amount_of(const std::optional<Expression>& amount, const Problem& problem,
                                const Configuration& configuration) {
  if (!amount) return std::nullopt;
  const Expression::Result result = amount->evaluate({&problem, &configuration, nullptr});
  const Value* const value = std::get_if<Value>(&result);
  if (value == nullptr || !(value->is_integer() || value->is_real())) return std::nullopt;
  return value->is_integer() ? static_cast<double>(value->integer()) : value->real();
}

std::string memory_ceiling(const KernelSpec& spec, const Problem& problem) {
  double read = 0, written = 0;
  for (const Argument& argument : spec.arguments) {
    // Traffic to host memory is bound by the bus.
    if (argument.is_mapped && (!argument.mapped_where || argument.mapped_where->holds({&problem, nullptr, nullptr})))
      return "";
    if (!is_array(argument.role) || argument.role == Role::scratch || argument.by_value) continue;
    const double bytes = bytes_of(argument, problem);
    if (argument.role != Role::out) read += bytes;
    if (argument.role != Role::in) written += bytes;
  }
  return written < mostly_read * (read + written) ? "read" : "copy";
}

std::string arithmetic_ceiling(const Problem& problem, std::span<const Ceiling> ceilings) {
  const Value* const type = problem.find("T");
  if (type == nullptr || !type->is_name()) return "fma float";
  const std::string own = "fma " + type->name();
  return ceiling_named(ceilings, own) != nullptr ? own : "fma float";
}

std::optional<Bound> bound_of(const KernelSpec& spec, const Problem& problem, const Configuration& configuration,
                              double nanoseconds, std::span<const Ceiling> ceilings) {
  std::optional<Bound> nearest;
  const auto compare = [&](const std::optional<Expression>& amount, const std::string& name) {
    const std::optional<double> value = amount_of(amount, problem, configuration);
    const Ceiling* const ceiling = ceiling_named(ceilings, name);
    if (!value || ceiling == nullptr || !(nanoseconds > 0)) return;
    const double fraction = *value / (nanoseconds * 1e-9) / ceiling->value;
    if (fraction > 0 && (!nearest || fraction > nearest->fraction)) nearest = {name, fraction};
  };
  compare(spec.metrics.bytes, memory_ceiling(spec, problem));
  compare(spec.metrics.flops, arithmetic_ceiling(problem, ceilings));
  return nearest;
}

}  // namespace attune
