#include "exports/argument_code.hpp"

#include <fmt/format.h>

#include "core/tensor_layout.hpp"
#include "core/type_table.hpp"
#include "exports/cpp_text.hpp"
#include "kernel/instantiate.hpp"
#include "kernel/role_names.hpp"
#include "kernel/tensor_maps.hpp"

namespace attune {
namespace {

constexpr std::string_view signature =
    "([[maybe_unused]] const Problem& p, [[maybe_unused]] const Configuration& c,\n"
    "    [[maybe_unused]] const Device& d, ";

std::string check(const std::string& call) {
  return fmt::format("  if (const Failure failure = {}) return failure;\n", call);
}

std::string place(const Argument& argument, std::string_view what) {
  return cpp_string(fmt::format("argument `{}`: {}", argument.name, cpp_comment(what)));
}

// Returns code for the name of the argument's type, a string_view of the header.
std::string type_code(const KernelSpec& spec, const Argument& argument) {
  const ProblemParameter* const parameter = spec.find_problem(argument.type);
  const bool is_chosen = parameter != nullptr && parameter->kind == ProblemKind::type;
  return is_chosen ? "p." + cpp_member(argument.type) : cpp_string(argument.type);
}

std::string layout_code(const KernelSpec& spec, const Argument& argument, ExpressionCode& expressions) {
  const TiledView& view = *argument.tiles;
  const auto number = [&](const Expression& expression, std::string_view what, const std::string& target) {
    return check(fmt::format("number({}, {}, {})", expressions.call(expression), place(argument, what), "size")) +
           fmt::format("  {};\n", target);
  };
  const std::string type = type_code(spec, *spec.find_argument(view.array));
  std::string text = fmt::format(
      "  std::int64_t size = 0;\n  map.is_encoded = true;\n  map.dimensions = {};\n"
      "  map.element_bytes = static_cast<std::uint32_t>(size_of(of(std::string_view({}))).integer);\n",
      view.shape.size(), type);
  for (std::size_t i = 0; i < view.shape.size(); ++i)
    text += number(view.shape[i], "its shape", fmt::format("map.shape[{}] = static_cast<std::uint64_t>(size)", i));
  for (std::size_t i = 1; i < view.shape.size(); ++i) {
    if (view.strides.empty())
      text += fmt::format("  map.strides[{}] = {} * map.shape[{}];\n", i,
                          i == 1 ? "map.element_bytes" : fmt::format("map.strides[{}]", i - 1), i - 1);
    else
      text += number(view.strides[i - 1], "its strides",
                     fmt::format("map.strides[{}] = static_cast<std::uint64_t>(size) * map.element_bytes", i));
  }
  for (std::size_t i = 0; i < view.box.size(); ++i)
    text += number(view.box[i], "its box", fmt::format("map.box[{}] = static_cast<std::uint32_t>(size)", i));
  if (view.swizzle) text += number(*view.swizzle, "its swizzle", "map.swizzle = static_cast<std::uint32_t>(size)");
  return text;
}

std::string array_code(const Argument& argument, ExpressionCode& expressions) {
  const int least = argument.role == Role::scratch ? 0 : 1;
  return check(fmt::format("array_size({}, {}, type_bytes, {}, argument.count, argument.bytes)",
                           expressions.call(*argument.size), least, place(argument, "size: " + argument.size->text())));
}

std::string scalar_code(const KernelSpec& spec, const Argument& argument, ExpressionCode& expressions) {
  std::string value;
  const ProblemParameter* const same_name = spec.find_problem(argument.name);
  const bool is_number =
      same_name != nullptr && same_name->kind != ProblemKind::type && same_name->kind != ProblemKind::choice;
  if (argument.value)
    value = expressions.call(*argument.value);
  else if (is_number)
    value = fmt::format("of(p.{})", cpp_member(argument.name));
  else
    return "";
  const std::string what = argument.value ? "value: " + argument.value->text() : "value";
  return fmt::format("  argument.is_known = true;\n  argument.value = {};\n", value) +
         check(fmt::format("scalar(argument.value, argument.type, {})", place(argument, what)));
}

std::string map_code(const KernelSpec& spec, const Argument& argument, std::size_t position) {
  const Argument* const array = spec.find_argument(argument.tiles->array);
  return fmt::format("  argument.bytes = {};\n  argument.map_of = {};\n", tensor_map_bytes,
                     array - spec.arguments.data()) +
         check(fmt::format("tensor_map_{}(p, c, d, argument.map)", position));
}

}  // namespace

std::string tensor_map_code(const KernelSpec& spec, ExpressionCode& expressions) {
  std::string text;
  for (std::size_t i = 0; i < spec.arguments.size(); ++i) {
    const Argument& argument = spec.arguments[i];
    if (argument.role != Role::map) continue;
    text += fmt::format("// {}\nconstexpr Failure tensor_map_{}{}TensorMap& map) {{\n", argument.name, i, signature);
    if (const auto& when = argument.tiles->when)
      text += "  bool is_encoded = false;\n" +
              check(fmt::format("condition({}, {}, is_encoded)", expressions.call(*when),
                                place(argument, "when: " + when->text()))) +
              "  if (!is_encoded) return {};\n";
    for (const TensorLimit& limit : tensor_limits(spec, argument))
      text += fmt::format("  if (!holds({})) return {{{}, \"\"}};\n", expressions.call(limit.condition),
                          place(argument, fmt::format("{}; a tensor map takes {}", limit.what, limit.rule)));
    text += layout_code(spec, argument, expressions) + "  return {};\n}\n\n";
  }
  return text;
}

std::string argument_code(const KernelSpec& spec, ExpressionCode& expressions) {
  std::string text = fmt::format("inline Failure arguments{}std::vector<Argument>& known) {{\n", signature);
  for (std::size_t i = 0; i < spec.arguments.size(); ++i) {
    const Argument& argument = spec.arguments[i];
    const bool is_map = argument.role == Role::map;
    const std::string type = type_code(spec, is_map ? *spec.find_argument(argument.tiles->array) : argument);
    text += fmt::format(
        "  {{\n  Argument argument;\n  argument.name = {};\n  argument.type = {};\n  argument.role = Role::{};\n",
        cpp_string(argument.name), type, role_names[argument.role]);
    if (use_argument(spec, spec.launch, argument.name)) text += "  argument.is_used = true;\n";
    if (is_map) {
      text += map_code(spec, argument, i);
    } else {
      text +=
          "  const std::int64_t type_bytes = size_of(of(argument.type)).integer;\n"
          "  argument.bytes = static_cast<std::uint64_t>(type_bytes);\n";
      text += is_array(argument.role) ? array_code(argument, expressions) : scalar_code(spec, argument, expressions);
    }
    const auto& where = argument.mapped_where;
    if (argument.is_mapped)
      text += fmt::format("  argument.is_mapped = {};\n",
                          where ? fmt::format("holds({})", expressions.call(*where)) : "true");
    if (argument.by_value) text += "  argument.by_value = true;\n";
    if (!argument.symbol.empty())
      text += fmt::format("  argument.symbol = {};\n", cpp_entry_text(spec, argument.symbol));
    text += "  known.push_back(std::move(argument));\n  }\n";
  }
  return text + "  return {};\n}\n\n";
}

}  // namespace attune
