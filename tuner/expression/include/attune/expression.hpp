// Expression: a formula over problem names, parameters and device properties, as written in kernel files. Parsed once,
// immutable, cheap to copy; any thread may evaluate it. Grammar and semantics: docs/expressions.md.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "attune/bindings.hpp"
#include "attune/device_info.hpp"
#include "attune/error.hpp"
#include "attune/value.hpp"

namespace attune {

struct ParsedExpression;  // expression/node.hpp

// The syntax of a text: attune's own, or Python's, in which other tuners write restrictions.
enum class Dialect { attune, python };

// The text is not an expression. `offset` is the position of the mistake in text(), in bytes from 0.
class ExpressionError : public UsageError {
 public:
  ExpressionError(const std::string& message, std::size_t at) : UsageError(message), offset(at) {}
  std::size_t offset;
};

// The result where there is no value: division by zero, overflow, log2 of <= 0, ... An undefined restriction is false.
struct Undefined {
  std::string reason;
};

// Where an expression looks its names up: first in the problem, then in the configuration; `device.NAME` in the device.
// Each pointer may be null. A view: what it points to must outlive it.
struct Scope {
  const Bindings* problem = nullptr;
  const Bindings* configuration = nullptr;
  const DeviceInfo* device = nullptr;
  const Value* find(std::string_view name) const noexcept;
};

class Expression {
 public:
  using Result = std::variant<Value, Undefined>;

  // Parses `text`. Throws ExpressionError.
  Expression(std::string_view text);
  Expression(std::string_view text, Dialect dialect);
  Expression(const char* text) : Expression(std::string_view(text)) {}
  Expression(const std::string& text) : Expression(std::string_view(text)) {}
  // A constant.
  explicit Expression(const Value& constant);

  const std::string& text() const noexcept;
  Dialect dialect() const noexcept;  // attune, for a constant
  // Returns the names used, each once, in order of first use. Device properties are left out, and so are type names
  // inside sizeof() and epsilon(). A problem's type parameter inside sizeof(T) is a name.
  const std::vector<std::string>& names() const noexcept;
  // Returns the device properties used ("shared_per_block"), each once.
  const std::vector<std::string>& device_properties() const noexcept;

  // Returns Undefined where there is no value, and where `scope` lacks a name. Throws for neither.
  Result evaluate(const Scope& scope) const;
  // Evaluates without look-ups by name. `values` has one entry per names(), in that order; null where a name is not
  // bound.
  Result evaluate(std::span<const Value* const> values, const DeviceInfo* device) const;
  bool holds(std::span<const Value* const> values, const DeviceInfo* device) const;

  // Returns whether a restriction holds: its result is defined, and true or a non-zero number.
  bool holds(const Scope& scope) const;
  // Returns evaluate() as an integer. Throws Error "<what>: <text>: <reason>" if it is undefined or no integer.
  std::int64_t integer(const Scope& scope, std::string_view what) const;
  // Returns evaluate() as a double; integers convert. Throws as integer() does.
  double real(const Scope& scope, std::string_view what) const;

  struct Node;  // defined in expression/node.hpp

 private:
  struct Body;
  friend const ParsedExpression& parsed_of(const Expression& expression) noexcept;
  std::shared_ptr<const Body> parsed_;
};

// Reads "n=2**28 T=float ORDER=Order::rows": items separated by white space, whose values are constant expressions. A
// value that is an identifier (perhaps with ::) or quoted is a name. Throws UsageError naming the item and what was
// expected.
Bindings parse_bindings(std::string_view text);

}  // namespace attune
