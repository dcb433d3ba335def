// Expression: a formula over problem names, parameters and device properties, as written in kernel files. Parsed
// once, immutable, cheap to copy, safe to evaluate from any thread. Grammar and semantics: docs/expressions.md.
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

struct ParsedExpression;  // core/expression_node.hpp

// How the text of an expression is read: as attune writes it, or as Python does, for restrictions of other tuners.
enum class Dialect { attune, python };

// The text is no expression. `offset` is the 0-based byte in text() at which it goes wrong.
class ExpressionError : public UsageError {
 public:
  ExpressionError(const std::string& message, std::size_t at) : UsageError(message), offset(at) {}
  std::size_t offset;
};

// A result that does not exist: division by zero, overflow, log2 of <= 0, ... An undefined restriction is false.
struct Undefined {
  std::string reason;
};

// Where an expression finds its names: the problem, then the configuration, then the device. Any may be absent.
// A view: what it points to must outlive it.
struct Scope {
  const Bindings* problem = nullptr;
  const Bindings* configuration = nullptr;
  const DeviceInfo* device = nullptr;
  const Value* find(std::string_view name) const noexcept;
};

class Expression {
 public:
  using Result = std::variant<Value, Undefined>;

  // Parses. Throws ExpressionError.
  Expression(std::string_view text);
  Expression(std::string_view text, Dialect dialect);
  Expression(const char* text) : Expression(std::string_view(text)) {}
  Expression(const std::string& text) : Expression(std::string_view(text)) {}
  // A constant.
  explicit Expression(const Value& constant);

  const std::string& text() const noexcept;
  Dialect dialect() const noexcept;  // attune, for a constant
  // The names used, each once, in order of first use; without device properties and without the type names
  // that stand inside sizeof() / epsilon(). A problem's type parameter inside sizeof(T) is a name.
  const std::vector<std::string>& names() const noexcept;
  // The device properties used ("shared_per_block"), each once.
  const std::vector<std::string>& device_properties() const noexcept;

  // Never throws for a value that does not exist: that is Undefined, and so is a name that `scope` lacks.
  Result evaluate(const Scope& scope) const;
  // The same for those who evaluate one expression many times: `values` has one entry per names(), in that order; null
  // where a name is not bound.
  Result evaluate(std::span<const Value* const> values, const DeviceInfo* device) const;
  bool holds(std::span<const Value* const> values, const DeviceInfo* device) const;

  // evaluate(), as a restriction: true only if the result is a defined boolean true (or non-zero number).
  bool holds(const Scope& scope) const;
  // evaluate(), as an integer; throws Error "<what>: <text>: <reason>" if undefined or not an integer.
  std::int64_t integer(const Scope& scope, std::string_view what) const;
  // evaluate(), as a double (integers convert); throws as integer() does.
  double real(const Scope& scope, std::string_view what) const;

  struct Node;  // defined in core/expression_node.hpp

 private:
  struct Parsed;
  friend const ParsedExpression& parsed_of(const Expression& expression) noexcept;
  std::shared_ptr<const Parsed> parsed_;
};

// Reads "n=2**28 T=float ORDER=Order::rows": items apart by white space, values constant expressions; a value
// that is a plain identifier (with ::) or quoted is a name. Throws UsageError naming the item and what was expected.
Bindings parse_bindings(std::string_view text);

}  // namespace attune
