// [arguments].
#include <fmt/format.h>

#include <algorithm>

#include "base/near_name.hpp"
#include "kernel/role_names.hpp"
#include "spec/fill.hpp"
#include "spec/sections.hpp"
#include "spec/shortened.hpp"

namespace attune {
namespace {

using Kind = TomlNode::Kind;

Role role_of(const Document& document, const TomlNode& node) {
  const auto& word = document.string(node, "a role in quotes");
  if (const std::optional<Role> role = role_names.find(word); role && is_array(*role)) return *role;
  if (word == "constant") {
    document.fail(
        node, "there is no role `constant`: write role = \"in\" and symbol = \"NAME\" of the `__constant__` variable");
  }
  if (word == "scalar") document.fail(node, "a scalar has no `role` and no `size`: leave both out");
  document.fail(
      node, fmt::format("unknown role `{}`{}", shortened(word), suggestion(word, {"in", "out", "inout", "scratch"})));
}

Fill fill_of(const Document& document, const TomlNode& node, bool scalar) {
  const bool is_number = node.kind == Kind::integer || node.kind == Kind::real || node.kind == Kind::boolean;
  if (is_number && scalar) {
    const auto value = document.expression(node, Literal::number_or_boolean);
    return parse_fill(value.text(), scalar);
  }
  const auto& text = document.string(node, scalar ? "a number" : "a fill in quotes, such as \"uniform(-1, 1)\"");
  try {
    Fill fill = parse_fill(text, scalar);
    for (Expression& number : fill.numbers) number = document.values().expanded(number);
    return fill;
  } catch (const ExpressionError& error) {
    document.fail_in_string(node, error.offset, fmt::format("in the fill `{}`: {}", shortened(text), error.what()));
  }
}

// "mapped", or "mapped if EXPRESSION".
void read_place(const Document& document, const TomlNode& node, Argument& argument) {
  constexpr std::string_view place = "mapped", mark = "mapped if ";
  const std::string& text = document.string(node, "\"mapped\"");
  argument.is_mapped = true;
  if (text == place) return;
  if (!text.starts_with(mark))
    document.fail(node, fmt::format("unknown place `{}`: expected \"mapped\", perhaps with a condition: \"mapped if "
                                    "SOURCE == 'Source::mapped'\" (without `place` an array is in device memory)",
                                    shortened(text)));
  try {
    argument.mapped_where = document.values().expanded(Expression(std::string_view(text).substr(mark.size())));
  } catch (const ExpressionError& error) {
    document.fail_in_string(node, mark.size() + error.offset, error.what());
  }
}

Argument read_argument(const Document& document, const TomlNode& node) {
  const auto name = fmt::format("[arguments] {}", shortened(node.key));
  if (node.kind == Kind::table && node.find("tensor") != nullptr) return read_tensor_map(document, node, name);
  const TomlSection section(document, node, name,
                            {"type", "size", "role", "fill", "restore", "value", "pass", "place", "symbol", "tensor"});
  Argument argument;
  argument.name = node.key;
  argument.type = document.string(section.need("type"), "a type name in quotes");
  argument.size = section.expression("size", Literal::integer);
  argument.value = section.expression("value", Literal::number_or_boolean);
  const auto* role = section.find("role");
  if (role != nullptr) argument.role = role_of(document, *role);
  if (role == nullptr && argument.size) {
    document.fail(node,
                  fmt::format("`{}` has a size, so it is an array and needs a role: \"in\", \"out\", \"inout\" or "
                              "\"scratch\"",
                              node.key));
  }
  if (const auto* fill = section.find("fill")) {
    argument.fill = fill_of(document, *fill, argument.role == Role::scalar);
  }
  if (const auto* restore = section.find("restore"); restore != nullptr && argument.role != Role::inout) {
    document.fail(restore->key_at, "only `inout` arguments are restored");
  }
  argument.restore = section.boolean("restore").value_or(true);
  if (const auto* place = section.find("place")) read_place(document, *place, argument);
  if (const auto* symbol = section.find("symbol")) {
    argument.symbol = document.string(*symbol, "the name of a variable in quotes, such as \"d_filter\"");
    if (argument.symbol.empty()) document.fail(*symbol, "a variable has a name, such as \"d_filter\"");
  }
  if (const auto* pass = section.find("pass")) {
    if (document.string(*pass, "\"value\"") != "value")
      document.fail(*pass,
                    "`pass` is \"value\": the elements are among the kernel's parameters (absent: a pointer is)");
    argument.by_value = true;
  }
  return argument;
}

}  // namespace

std::vector<Argument> read_arguments(const Document& document, const TomlNode& table) {
  if (table.kind != Kind::table) document.fail_kind(table, "the table [arguments]");
  std::vector<Argument> arguments;
  for (const auto& member : table.children) arguments.push_back(read_argument(document, member));
  return arguments;
}

}  // namespace attune
