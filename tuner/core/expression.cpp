#include "attune/expression.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/device_property.hpp"
#include "core/expression_node.hpp"
#include "core/expression_parser.hpp"

namespace attune {
namespace {

// In the order of Operation, from the first strict one.
constexpr CellOperation strict_operations[] = {cell_not,
                                               cell_equal,
                                               cell_unequal,
                                               cell_less,
                                               cell_less_equal,
                                               cell_greater,
                                               cell_greater_equal,
                                               cell_bit_or,
                                               cell_bit_and,
                                               cell_shift_left,
                                               cell_shift_right,
                                               cell_add,
                                               cell_subtract,
                                               cell_multiply,
                                               cell_divide,
                                               cell_remainder,
                                               cell_negate,
                                               cell_plus,
                                               cell_power,
                                               cell_min,
                                               cell_max,
                                               cell_abs,
                                               cell_sqrt,
                                               cell_floor,
                                               cell_ceil,
                                               cell_ceil_div,
                                               cell_round_up,
                                               cell_log2,
                                               cell_is_pow2,
                                               cell_sizeof,
                                               cell_epsilon,
                                               cell_true_divide,
                                               cell_floor_divide,
                                               cell_floor_remainder,
                                               cell_python_power,
                                               cell_python_equal,
                                               cell_python_unequal,
                                               cell_python_less,
                                               cell_python_less_equal,
                                               cell_python_greater,
                                               cell_python_greater_equal,
                                               cell_python_min,
                                               cell_python_max,
                                               cell_truncate,
                                               cell_to_real,
                                               cell_round_half_even};

static_assert(std::size(strict_operations) == static_cast<std::size_t>(Operation::round_half_even) -
                                                  static_cast<std::size_t>(Operation::logical_not) + 1);

// One evaluation. Holds no state of its own.
class Evaluation {
 public:
  Evaluation(const ParsedExpression& parsed, std::span<const Value* const> values, const DeviceInfo* device)
      : parsed_(parsed), values_(values), device_(device) {}

  Cell result() const { return evaluate(static_cast<std::uint32_t>(parsed_.nodes.size() - 1)); }

  Cell evaluate(std::uint32_t index) const {
    const Node& node = parsed_.nodes[index];
    Cell cell = is_strict(node.operation) ? strict(node) : lazy(node);
    if (cell.is_undefined() && cell.node == Cell::nowhere) cell.node = index;
    return cell;
  }

 private:
  using Node = Expression::Node;

  Cell strict(const Node& node) const {
    const Cell a = evaluate(node.operands[0]);
    if (a.is_undefined()) return a;
    if (node.operands[1] == Node::none) return strict_operation(node.operation)(a, a);
    const Cell b = evaluate(node.operands[1]);
    if (b.is_undefined()) return b;
    return strict_operation(node.operation)(a, b);
  }

  Cell lazy(const Node& node) const {
    switch (node.operation) {
      case Operation::constant:
        return Cell::of(node.constant);
      case Operation::name:
        return name(node);
      case Operation::property:
        return property(node);
      case Operation::conditional: {
        const Cell condition = truth(evaluate(node.operands[0]));
        if (condition.is_undefined()) return condition;
        return evaluate(node.operands[condition.integer != 0 ? 1 : 2]);
      }
      case Operation::logical_or:
        return logical(node, true);
      case Operation::logical_and:
        return logical(node, false);
      case Operation::subscript:
        return subscript(node);
      case Operation::python_in:
      case Operation::python_not_in:
        return python_membership(node);
      default:
        return membership(node);
    }
  }

  // The left operand decides alone where it is `deciding`; an undefined one makes the result undefined.
  Cell logical(const Node& node, bool deciding) const {
    const Cell left = truth(evaluate(node.operands[0]));
    if (left.is_undefined() || (left.integer != 0) == deciding) return left;
    return truth(evaluate(node.operands[1]));
  }

  Cell membership(const Node& node) const {
    const Cell wanted = evaluate(node.operands[0]);
    if (wanted.is_undefined()) return wanted;
    const bool negated = node.operation == Operation::not_in;
    for (const std::uint32_t element : node.list) {
      const Cell candidate = evaluate(element);
      if (candidate.is_undefined()) return candidate;
      const Cell equal = cell_equal(wanted, candidate);
      if (equal.is_undefined()) return equal;
      if (equal.integer != 0) return Cell::of(!negated);
    }
    return Cell::of(negated);
  }

  // Python evaluates all elements before it compares or indexes.
  Cell python_membership(const Node& node) const {
    const Cell wanted = evaluate(node.operands[0]);
    if (wanted.is_undefined()) return wanted;
    bool found = false;
    for (const std::uint32_t element : node.list) {
      const Cell candidate = evaluate(element);
      if (candidate.is_undefined()) return candidate;
      found = found || cell_python_equal(wanted, candidate).integer != 0;
    }
    return Cell::of(found == (node.operation == Operation::python_in));
  }

  Cell subscript(const Node& node) const {
    const Cell wanted = evaluate(node.operands[0]);
    if (wanted.is_undefined()) return wanted;
    if (!wanted.is_whole()) return Cell::undefined(Reason::needs_integers);
    const auto size = static_cast<std::int64_t>(node.list.size());
    const std::int64_t place = wanted.integer < 0 ? wanted.integer + size : wanted.integer;
    if (place < 0 || place >= size) return Cell::undefined(Reason::index_range);
    Cell chosen;
    for (std::int64_t i = 0; i < size; ++i) {
      const Cell element = evaluate(node.list[static_cast<std::size_t>(i)]);
      if (element.is_undefined()) return element;
      if (i == place) chosen = element;
    }
    return chosen;
  }

  Cell name(const Node& node) const {
    const Value* const value = node.index < values_.size() ? values_[node.index] : nullptr;
    return value == nullptr ? Cell::undefined(Reason::not_bound) : Cell::of(*value);
  }

  Cell property(const Node& node) const {
    if (device_ == nullptr) return Cell::undefined(Reason::no_device);
    const auto* const found = find_device_property(parsed_.properties[node.index]);
    if (found->text != nullptr) return Cell::of(std::string_view(found->text(*device_)));
    return Cell::of(found->number(*device_));
  }

  const ParsedExpression& parsed_;
  std::span<const Value* const> values_;
  const DeviceInfo* device_;
};

// Values of an expression's names; on the stack for as many as people write.
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

// A name in quotes that reads back, whichever quote it holds itself.
std::string constant_text(const Value& value) {
  if (!value.is_name()) return value.text();
  const char quote = value.name().find('\'') == std::string::npos ? '\'' : '"';
  return fmt::format("{0}{1}{0}", quote, value.name());
}

}  // namespace

CellOperation strict_operation(Operation operation) noexcept {
  return strict_operations[static_cast<std::size_t>(operation) - static_cast<std::size_t>(Operation::logical_not)];
}

const ParsedExpression& parsed_of(const Expression& expression) noexcept { return *expression.parsed_; }

Cell evaluate_node(const ParsedExpression& parsed, std::uint32_t node, std::span<const Value* const> values,
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
  auto parsed = std::make_shared<Parsed>();
  parsed->text = text;
  parsed->dialect = dialect;
  parse_expression(parsed->text, dialect, *parsed);
  parsed_ = std::move(parsed);
}

Expression::Expression(const Value& constant) {
  auto parsed = std::make_shared<Parsed>();
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
  const Cell cell = Evaluation(*parsed_, values, device).result();
  if (!cell.is_undefined()) return cell.value();
  const Node& node = parsed_->nodes[cell.node];
  const std::string_view subject = std::string_view(parsed_->text).substr(node.begin, node.end - node.begin);
  return Undefined{reason_text(cell.reason, subject)};
}

bool Expression::holds(std::span<const Value* const> values, const DeviceInfo* device) const {
  const Cell cell = truth(Evaluation(*parsed_, values, device).result());
  return !cell.is_undefined() && cell.integer != 0;
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
  return Cell::of(value).as_real();
}

}  // namespace attune
