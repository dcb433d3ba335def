#include "exports/expression_code.hpp"

#include <fmt/format.h>

#include "attune/error.hpp"
#include "exports/cpp_text.hpp"
#include "expression/node.hpp"

namespace attune {
namespace {

using Node = Expression::Node;

// Compilers accept at least 256 nested brackets.
constexpr int nesting_of_statement = 48;

std::string constant_code(const Value& value) {
  if (value.is_boolean()) return fmt::format("flag({})", value.text());
  if (value.is_real()) return fmt::format("real({})", value.text());
  return fmt::format("{}({})", value.is_name() ? "word" : "whole", cpp_literal(value));
}

std::string property_code(const std::string& name) {
  if (name == "kind") return "word(d.kind)";
  if (name == "max_cluster") return "whole(d.max_cluster())";
  for (const std::string_view array : {"max_block", "max_grid"})
    if (name.starts_with(array) && name.size() == array.size() + 2)
      return fmt::format("whole(d.{}[{}])", array, name.back() - 'x');
  return fmt::format("whole(static_cast<std::int64_t>(d.{}))", name);
}

class Writer {
 public:
  Writer(const KernelSpec& spec, const Expression& expression) : spec_(spec), parsed_(parsed_of(expression)) {}

  std::string result() { return code(static_cast<std::uint32_t>(parsed_.nodes.size() - 1)); }
  const std::string& statements() const { return statements_; }

 private:
  std::string code(std::uint32_t index) {
    const Node& node = parsed_.nodes[index];
    std::string text = operation_code(node);
    if (node.height % nesting_of_statement != 0) return text;
    const std::string name = fmt::format("v{}", index);
    statements_ += fmt::format("  const Value {} = {};\n", name, text);
    return name;
  }

  std::string operation_code(const Node& node) {
    if (node.operation == NodeKind::constant) return constant_code(node.constant);
    if (node.operation == NodeKind::name) return name_code(parsed_.names[node.index]);
    if (node.operation == NodeKind::property) return property_code(parsed_.properties[node.index]);
    if (node.operation == NodeKind::is_in || node.operation == NodeKind::is_not_in) return list_code(node);
    std::string operands;
    for (const std::uint32_t operand : node.operands)
      if (operand != Node::none) operands += (operands.empty() ? "" : ", ") + code(operand);
    return fmt::format("{}({})", operation_of(node.operation).name, operands);
  }

  std::string list_code(const Node& node) {
    const std::string wanted = code(node.operands[0]);
    std::string elements;
    for (const std::uint32_t element : node.list) elements += (elements.empty() ? "" : ", ") + code(element);
    return fmt::format("{}({}, {{{}}})", operation_of(node.operation).name, wanted, elements);
  }

  // The problem comes first, as in Scope.
  std::string name_code(const std::string& name) const {
    if (spec_.find_problem(name) != nullptr) return fmt::format("of(p.{})", cpp_member(name));
    if (spec_.find_parameter(name) != nullptr) return fmt::format("of(c.{})", cpp_member(name));
    return "undefined(\"a name is not bound\")";
  }

  const KernelSpec& spec_;
  const ParsedExpression& parsed_;
  std::string statements_;
};

}  // namespace

std::string ExpressionCode::call(const Expression& expression) {
  if (expression.dialect() != Dialect::attune)
    throw UsageError(
        fmt::format("kernel `{}`: `{}` is in the Python dialect, which no header can have; attune's "
                    "runtime serves instead",
                    spec_.name, expression.text()));
  const auto known = calls_.find(expression.text());
  if (known != calls_.end()) return known->second;
  Writer writer(spec_, expression);
  const std::string result = writer.result();
  const bool is_constant = parsed_of(expression).nodes.size() == 1;
  std::string& call = calls_[expression.text()];
  if (is_constant) return call = result;
  const std::string name = fmt::format("e{}", calls_.size());
  definitions_ += fmt::format(
      "// {}\nconstexpr Value {}([[maybe_unused]] const Problem& p, [[maybe_unused]] const Configuration& c,\n"
      "                   [[maybe_unused]] const Device& d) {{\n{}  return {};\n}}\n",
      cpp_comment(expression.text()), name, writer.statements(), result);
  return call = name + "(p, c, d)";
}

}  // namespace attune
