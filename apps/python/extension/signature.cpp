#include "signature.hpp"

#include <fmt/format.h>

#include <cctype>
#include <charconv>

#include "attune/error.hpp"
#include "core/type_table.hpp"
#include "dispatch/argument_table.hpp"

namespace attune::python {
namespace {

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\n"), last = text.find_last_not_of(" \t\n");
  return first == std::string_view::npos ? std::string_view() : text.substr(first, last - first + 1);
}

int place_of(const KernelSpec& spec, std::string_view name) {
  for (std::size_t i = 0; i < spec.problem.size(); ++i)
    if (spec.problem[i].name == name) return static_cast<int>(i);
  return -1;
}

Parameter array_parameter(const Argument& argument, const KernelSpec& spec) {
  Parameter parameter;
  parameter.is_array = true;
  parameter.name = place_of(spec, argument.type);
  if (parameter.name < 0) {
    const TypeInfo& type = type_named(argument.type);
    parameter.element = type.element;
    parameter.components = type.components;
  }
  parameter.size = Product::of(argument.size->text(), spec);
  parameter.is_on_host = argument.by_value;
  parameter.may_be_pinned = argument.is_mapped || argument.mapped_where.has_value();
  return parameter;
}

}  // namespace

Product Product::of(const std::string& text, const KernelSpec& spec) {
  Product product;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('*', begin), text.size());
    const std::string_view factor = trimmed(std::string_view(text).substr(begin, end - begin));
    std::int64_t number = 0;
    const auto [rest, error] = std::from_chars(factor.data(), factor.data() + factor.size(), number);
    const int name = place_of(spec, factor);
    if (error == std::errc() && rest == factor.data() + factor.size() && number > 0)
      product.factor *= number;
    else if (name >= 0)
      product.names.push_back(name);
    else
      return {};
    begin = end + 1;
  }
  product.is_known = true;
  return product;
}

Signature::Signature(const KernelSpec& spec) : spec_(spec) {
  for (const std::size_t i : passed_arguments(spec)) {
    const Argument& argument = spec.arguments[i];
    Parameter parameter = is_array(argument.role) ? array_parameter(argument, spec) : Parameter();
    if (!parameter.is_array) parameter.name = place_of(spec, argument.name);
    parameter.argument = &argument;
    arrays_ += parameter.is_array ? 1 : 0;
    parameters_.push_back(std::move(parameter));
  }
  if (parameters_.size() > most_parameters || spec.problem.size() > most_names)
    throw UsageError(
        fmt::format("{} has {} arguments and {} names in [problem]; from Python {} and {} at most are passed",
                    spec.name, parameters_.size(), spec.problem.size(), most_parameters, most_names));
  for (Parameter& out : parameters_) {
    if (!out.is_array || out.argument->role != Role::out) continue;
    for (std::size_t k = 0; k < parameters_.size() && out.like < 0; ++k) {
      const Parameter& in = parameters_[k];
      if (in.is_array && in.argument->role != Role::out && in.components == out.components &&
          in.argument->size->text() == out.argument->size->text())
        out.like = static_cast<int>(k);
    }
  }
}

int Signature::find_parameter(std::string_view name) const noexcept {
  for (std::size_t i = 0; i < parameters_.size(); ++i)
    if (parameters_[i].argument->name == name) return static_cast<int>(i);
  return -1;
}

int Signature::find_name(std::string_view name) const noexcept { return place_of(spec_, name); }

}  // namespace attune::python
