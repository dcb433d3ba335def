#include "expression/operand.hpp"

#include <fmt/format.h>

#include "base/enum_texts.hpp"

namespace attune {
namespace {

// {} is the text of the operation without a value.
constexpr EnumTexts<Reason> reason_texts(
    "`{}` is not bound", "`{}` has no value where no device is chosen", "overflow in `{}`", "division by zero in `{}`",
    "negative exponent in `{}`: write 2.0 ** x for a real result", "shift count outside 0 .. 63 in `{}`",
    "logarithm of a number <= 0 in `{}`", "square root of a negative number in `{}`",
    "power of a negative number with a fraction as exponent in `{}`", "`{}` computes with a name",
    "`{}` needs integers", "`{}` asks for a property of what is no type", "`{}` compares a name with a number",
    "`{}` orders names, which only == and != compare", "`{}` takes a name for true or false",
    "`{}` indexes outside its list");

}  // namespace

std::string reason_text(Reason reason, std::string_view subject) {
  return fmt::format(fmt::runtime(reason_texts[reason]), subject);
}

Operand Operand::of(std::string_view value) {
  Operand operand;
  operand.kind = Kind::name;
  operand.name = value;
  return operand;
}

Operand Operand::of(const Value& value) {
  switch (value.kind()) {
    case Value::Kind::boolean:
      return of(value.boolean());
    case Value::Kind::integer:
      return of(value.integer());
    case Value::Kind::real:
      return of(value.real());
    case Value::Kind::name:
      return of(std::string_view(value.name()));
  }
  return {};
}

Value Operand::value() const {
  switch (kind) {
    case Kind::boolean:
      return Value(integer != 0);
    case Kind::integer:
      return Value(integer);
    case Kind::real:
      return Value(real);
    case Kind::name:
      return Value(name);
    case Kind::undefined:
      break;
  }
  return {};
}

}  // namespace attune
