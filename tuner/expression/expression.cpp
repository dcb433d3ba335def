#include "attune/expression.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/device_property.hpp"
#include "expression/node.hpp"
#include "expression/parser.hpp"
#include "expression/python_arithmetic.hpp"

namespace attune {
namespace {

template <auto function, Arity arity>
Operand applied(const Operand& a, [[maybe_unused]] const Operand& b) {
  if constexpr (arity == Arity::one) {
    return function(a);
  } else {
    return function(a, b);
  }
}

#define ATTUNE_FUNCTION(name, arity, ...) applied<arithmetic::name, Arity::arity>,
constexpr OperandFunction strict_functions[] = {ATTUNE_STRICT_OPERATIONS(ATTUNE_FUNCTION)};
#undef ATTUNE_FUNCTION

// One evaluation. It stores no results.
class Evaluation {
 public:
  Evaluation(const ParsedExpression& parsed, std::span<const Value* const> values, const DeviceInfo* device)
      : parsed_(parsed), values_(values), device_(device) {}

  Operand result() const { return evaluate(static_cast<std::uint32_t>(parsed_.nodes.size() - 1)); }

  Operand evaluate(std::uint32_t index) const {
    const Node& node = parsed_.nodes[index];
    Operand operand = is_strict(node.operation) ? strict(node) : lazy(node);
    if (operand.is_undefined() && operand.node == Operand::nowhere) operand.node = index;
    return operand;
  }

 private:
  using Node = Expression::Node;

  Operand strict(const Node& node) const {
    const Operand a = evaluate(node.operands[0]);
    if (a.is_undefined()) return a;
    const OperandFunction apply = function_of(node.operation);
    if (node.operands[1] == Node::none) return apply(a, a);
    const Operand b = evaluate(node.operands[1]);
    return b.is_undefined() ? b : apply(a, b);
  }

  Operand lazy(const Node& node) const {
    switch (node.operation) {
      case NodeKind::constant:
        return Operand::of(node.constant);
      case NodeKind::name:
        return name(node);
      case NodeKind::property:
        return property(node);
      case NodeKind::conditional: {
        const Operand condition = arithmetic::truth(evaluate(node.operands[0]));
        if (condition.is_undefined()) return condition;
        return evaluate(node.operands[condition.integer != 0 ? 1 : 2]);
      }
      case NodeKind::logical_or:
        return logical(node, true);
      case NodeKind::logical_and:
        return logical(node, false);
      case NodeKind::subscript:
        return subscript(node);
      case NodeKind::python_in:
      case NodeKind::python_not_in:
        return python_membership(node);
      default:
        return membership(node);
    }
  }

  // Returns `deciding` if the left operand has this value, else the right operand's value. An undefined left operand
  // makes the result undefined.
  Operand logical(const Node& node, bool deciding) const {
    const Operand left = arithmetic::truth(evaluate(node.operands[0]));
    if (left.is_undefined() || (left.integer != 0) == deciding) return left;
    return arithmetic::truth(evaluate(node.operands[1]));
  }

  Operand membership(const Node& node) const {
    const Operand wanted = evaluate(node.operands[0]);
    if (wanted.is_undefined()) return wanted;
    const bool negated = node.operation == NodeKind::is_not_in;
    for (const std::uint32_t element : node.list) {
      const Operand candidate = evaluate(element);
      if (candidate.is_undefined()) return candidate;
      const Operand equal = arithmetic::equal(wanted, candidate);
      if (equal.is_undefined()) return equal;
      if (equal.integer != 0) return Operand::of(!negated);
    }
    return Operand::of(negated);
  }

  // Python evaluates all elements before it compares or indexes.
  Operand python_membership(const Node& node) const {
    const Operand wanted = evaluate(node.operands[0]);
    if (wanted.is_undefined()) return wanted;
    bool found = false;
    for (const std::uint32_t element : node.list) {
      const Operand candidate = evaluate(element);
      if (candidate.is_undefined()) return candidate;
      found = found || arithmetic::python_equal(wanted, candidate).integer != 0;
    }
    return Operand::of(found == (node.operation == NodeKind::python_in));
  }

  Operand subscript(const Node& node) const {
    const Operand wanted = evaluate(node.operands[0]);
    if (wanted.is_undefined()) return wanted;
    if (!wanted.is_whole()) return Operand::undefined(Reason::needs_integers);
    const auto size = static_cast<std::int64_t>(node.list.size());
    const std::int64_t place = wanted.integer < 0 ? wanted.integer + size : wanted.integer;
    if (place < 0 || place >= size) return Operand::undefined(Reason::index_range);
    Operand chosen;
    for (std::int64_t i = 0; i < size; ++i) {
      const Operand element = evaluate(node.list[static_cast<std::size_t>(i)]);
      if (element.is_undefined()) return element;
      if (i == place) chosen = element;
    }
    return chosen;
  }

  Operand name(const Node& node) const {
    const Value* const value = node.index < values_.size() ? values_[node.index] : nullptr;
    return value == nullptr ? Operand::undefined(Reason::not_bound) : Operand::of(*value);
  }

  Operand property(const Node& node) const {
    if (device_ == nullptr) return Operand::undefined(Reason::no_device);
    const auto* const found = find_device_property(parsed_.properties[node.index]);
    if (found->text != nullptr) return Operand::of(std::string_view(found->text(*device_)));
    return Operand::of(found->number(*device_));
  }

  const ParsedExpression& parsed_;
  std::span<const Value* const> values_;
  const DeviceInfo* device_;
};

// Values of an expression's names. Up to 16 stay on the stack.
class BoundValues {
 public:
  BoundValues(const std::vector<std::string>& names, const Scope& scope) : size_(names.size()) {
    if (size_ > few_.size()) many_.resize(size_);
    const Value** const values = size_ > few_.size() ? many_.data() : few_.data();
    std::transform(names.begin(), names.end(), values, [&](const std::string& name) { return scope.find(name); });
  }
  std::span<const Value* const> get() const { return {size_ > few_.size() ? many_.data() : few_.data(), size_}; }

 private:
  std::size_t size_;
  std::array<const Value*, 16> few_{};
  std::vector<const Value*> many_;
};

// Quotes a name so that it can be read back, whichever quote it contains.
std::string constant_text(const Value& value) {
  if (!value.is_name()) return value.text();
  const char quote = value.name().find('\'') == std::string::npos ? '\'' : '"';
  return fmt::format("{0}{1}{0}", quote, value.name());
}

}  // namespace

OperandFunction function_of(NodeKind kind) {
  return strict_functions[static_cast<std::size_t>(kind) - static_cast<std::size_t>(first_of(Level::comparison))];
}

const ParsedExpression& parsed_of(const Expression& expression) noexcept { return *expression.parsed_; }

Operand evaluate_node(const ParsedExpression& parsed, std::uint32_t node, std::span<const Value* const> values,
                      const DeviceInfo* device) {
  return Evaluation(parsed, values, device).evaluate(node);
}

const Value* Scope::find(std::string_view name) const noexcept {
  const Value* value = problem != nullptr ? problem->find(name) : nullptr;
  if (value == nullptr && configuration != nullptr) value = configuration->find(name);
  return value;
}

Expression::Expression(std::string_view text) : Expression(text, Dialect::attune) {}

Expression::Expression(std::string_view text, Dialect dialect) {
  auto parsed = std::make_shared<Body>();
  parsed->text = text;
  parsed->dialect = dialect;
  parse_expression(parsed->text, dialect, *parsed);
  parsed_ = std::move(parsed);
}

Expression::Expression(const Value& constant) {
  auto parsed = std::make_shared<Body>();
  parsed->text = constant_text(constant);
  Node node;
  node.constant = constant;
  node.end = static_cast<std::uint32_t>(parsed->text.size());
  parsed->nodes.push_back(std::move(node));
  parsed_ = std::move(parsed);
}

const std::string& Expression::text() const noexcept { return parsed_->text; }
Dialect Expression::dialect() const noexcept { return parsed_->dialect; }
const std::vector<std::string>& Expression::names() const noexcept { return parsed_->names; }
const std::vector<std::string>& Expression::device_properties() const noexcept { return parsed_->properties; }

Expression::Result Expression::evaluate(std::span<const Value* const> values, const DeviceInfo* device) const {
  const Operand operand = Evaluation(*parsed_, values, device).result();
  if (!operand.is_undefined()) return operand.value();
  const Node& node = parsed_->nodes[operand.node];
  const std::string_view subject = std::string_view(parsed_->text).substr(node.begin, node.end - node.begin);
  return Undefined{reason_text(operand.reason, subject)};
}

bool Expression::holds(std::span<const Value* const> values, const DeviceInfo* device) const {
  const Operand operand = arithmetic::truth(Evaluation(*parsed_, values, device).result());
  return !operand.is_undefined() && operand.integer != 0;
}

Expression::Result Expression::evaluate(const Scope& scope) const {
  return evaluate(BoundValues(parsed_->names, scope).get(), scope.device);
}

bool Expression::holds(const Scope& scope) const {
  return holds(BoundValues(parsed_->names, scope).get(), scope.device);
}

std::int64_t Expression::integer(const Scope& scope, std::string_view what) const {
  const Result result = evaluate(scope);
  if (const auto* undefined = std::get_if<Undefined>(&result)) {
    throw Error(fmt::format("{}: {}: {}", what, text(), undefined->reason));
  }
  const Value& value = std::get<Value>(result);
  if (value.is_integer()) return value.integer();
  if (value.is_boolean()) return value.boolean() ? 1 : 0;
  const std::string_view advice = value.is_real() ? " (round with floor() or ceil())" : "";
  throw Error(fmt::format("{}: {}: the result {} is not an integer{}", what, text(), value.text(), advice));
}

double Expression::real(const Scope& scope, std::string_view what) const {
  const Result result = evaluate(scope);
  if (const auto* undefined = std::get_if<Undefined>(&result)) {
    throw Error(fmt::format("{}: {}: {}", what, text(), undefined->reason));
  }
  const Value& value = std::get<Value>(result);
  if (value.is_name()) throw Error(fmt::format("{}: {}: the result {} is not a number", what, text(), value.name()));
  return Operand::of(value).as_real();
}

}  // namespace attune
