#include "kernel/fill_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <limits>

namespace attune {
namespace {

constexpr double int64_bound = 0x1p63;          // the first double above every int64
constexpr std::int64_t most_of_zipf = 1 << 20;  // the thresholds are a table of at most this size

std::int64_t clamped_integer(double value) {
  if (value >= int64_bound) return std::numeric_limits<std::int64_t>::max();
  if (value < -int64_bound) return std::numeric_limits<std::int64_t>::min();
  return static_cast<std::int64_t>(value);
}

// Sets both forms of a bound. `round` rounds a real bound for integer types.
void set_bound(const Value& value, double (*round)(double), double& real, std::int64_t& integer) {
  if (value.is_real()) {
    real = value.real();
    integer = clamped_integer(round(real));
    return;
  }
  integer = value.is_boolean() ? (value.boolean() ? 1 : 0) : value.integer();
  real = static_cast<double>(integer);
}

double round_up(double value) { return std::ceil(value); }
double round_down(double value) { return std::floor(value); }

Value value_of(const Expression& number, const Scope& scope, std::size_t place) {
  const auto result = number.evaluate(scope);
  if (const auto* undefined = std::get_if<Undefined>(&result)) throw ExpressionError(undefined->reason, place);
  const auto& value = std::get<Value>(result);
  if (value.is_name() || (value.is_real() && !std::isfinite(value.real())))
    throw ExpressionError(fmt::format("`{}` is no finite number", number.text()), place);
  return value;
}

// Returns "`bins - 1`", and its value unless the text shows it.
std::string shown(const Expression& number, const Value& value) {
  return number.names().empty() ? fmt::format("`{}`", number.text())
                                : fmt::format("`{}`, which is {},", number.text(), value.text());
}

void require_zipf(const Fill& fill, const Value& exponent, const Value& count) {
  if ((exponent.is_integer() ? static_cast<double>(exponent.integer()) : exponent.real()) < 0)
    throw ExpressionError(fmt::format("the exponent {} is negative", shown(fill.numbers[0], exponent)), 0);
  if (!count.is_integer() || count.integer() < 1 || count.integer() > most_of_zipf)
    throw ExpressionError(
        fmt::format("the count {} is no integer from 1 to {}", shown(fill.numbers[1], count), most_of_zipf), 1);
}

struct FiniteRange {
  double least, greatest;
};

// The finite values of a floating type.
FiniteRange real_range(std::string_view element) {
  if (element == "half") return {-65504, 65504};
  if (element == "bfloat16") return {-0x1.FEp127, 0x1.FEp127};
  if (element == "float") return {-FLT_MAX, FLT_MAX};
  return {-DBL_MAX, DBL_MAX};
}

struct IntegerRange {
  std::int64_t least, greatest;  // limited to int64
};

IntegerRange integer_range(const TypeInfo& type) {
  if (type.type_class == TypeClass::boolean) return {0, 1};
  const unsigned bits = 8 * type.size / type.components;
  const bool is_signed = type.type_class == TypeClass::signed_integer;
  const unsigned value_bits = is_signed ? bits - 1 : bits;
  constexpr auto all = std::numeric_limits<std::int64_t>::max();
  const std::int64_t greatest = value_bits >= 63 ? all : (std::int64_t{1} << value_bits) - 1;
  return {is_signed ? -greatest - 1 : 0, greatest};
}

std::optional<std::string> real_misfit(double value, const TypeInfo& type) {
  const FiniteRange range = real_range(type.element);
  if (value >= range.least && value <= range.greatest) return std::nullopt;
  return fmt::format("{} does not fit {} ({} .. {})", Value(value).text(), type.name, range.least, range.greatest);
}

std::optional<std::string> integer_misfit(double real, std::int64_t integer, const TypeInfo& type) {
  if (real != std::floor(real)) return fmt::format("{} is no integer, as {} needs", Value(real).text(), type.name);
  const IntegerRange range = integer_range(type);
  // Above 2^63 the integer form is clamped: the real form decides.
  const bool beyond = real > int64_bound || real < -int64_bound;
  if (!beyond && integer >= range.least && integer <= range.greatest) return std::nullopt;
  const auto shown = beyond ? Value(real).text() : std::to_string(integer);
  return fmt::format("{} does not fit {} ({} .. {})", shown, type.name, range.least, range.greatest);
}

std::optional<std::string> zipf_misfit(const FillValues& fill, const TypeInfo& type) {
  if (type.type_class == TypeClass::boolean) return "zipf() makes no booleans";
  const std::int64_t last = fill.integer_b - 1;
  const auto real = static_cast<double>(last);
  return type.type_class == TypeClass::floating ? real_misfit(real, type) : integer_misfit(real, last, type);
}

}  // namespace

std::size_t numbers_of(FillKind kind) noexcept {
  switch (kind) {
    case FillKind::uniform:
    case FillKind::normal:
    case FillKind::zipf:
      return 2;
    case FillKind::constant:
      return 1;
    default:
      return 0;
  }
}

bool is_constant(const Fill& fill) {
  return std::all_of(fill.numbers.begin(), fill.numbers.end(),
                     [](const Expression& number) { return number.names().empty(); });
}

FillValues fill_values(const Fill& fill, const Scope& scope) {
  FillValues values{.kind = fill.kind};
  if (fill.numbers.empty()) return values;
  const Value a = value_of(fill.numbers[0], scope, 0);
  if (fill.kind == FillKind::constant) {
    values.b = 0;
    set_bound(a, round_down, values.a, values.integer_a);
    return values;
  }
  const Value b = value_of(fill.numbers[1], scope, 1);
  set_bound(a, round_up, values.a, values.integer_a);
  set_bound(b, round_down, values.b, values.integer_b);
  const bool ordered = a.is_integer() && b.is_integer() ? a.integer() <= b.integer() : values.a <= values.b;
  if (fill.kind == FillKind::uniform && !ordered)
    throw ExpressionError(
        fmt::format("{} is below {}: no value lies between", shown(fill.numbers[1], b), shown(fill.numbers[0], a)), 1);
  if (fill.kind == FillKind::normal && values.b < 0)
    throw ExpressionError(fmt::format("the deviation {} is negative", shown(fill.numbers[1], b)), 1);
  if (fill.kind == FillKind::zipf) require_zipf(fill, a, b);
  return values;
}

std::optional<std::string> misfit(const FillValues& fill, const TypeInfo& type) {
  if (fill.full_range || fill.kind == FillKind::iota || fill.kind == FillKind::permutation) {
    if (type.type_class != TypeClass::boolean || fill.full_range) return std::nullopt;
    return "iota and permutation count, which bool cannot";
  }
  if (fill.kind == FillKind::normal && type.type_class == TypeClass::boolean) return "normal() makes no booleans";
  if (fill.kind == FillKind::zipf) return zipf_misfit(fill, type);
  if (fill.kind == FillKind::seed)
    return type.name == "int64" || type.name == "uint64" ? std::nullopt
                                                         : std::optional<std::string>("a seed is an int64 or a uint64");
  const bool two = fill.kind == FillKind::uniform;
  // A deviation need not be a value of the type, and a mean may lie between two integers.
  if (type.type_class == TypeClass::floating || fill.kind == FillKind::normal) {
    if (type.type_class != TypeClass::floating) return std::nullopt;
    if (auto reason = real_misfit(fill.a, type)) return reason;
    return two ? real_misfit(fill.b, type) : std::nullopt;
  }
  if (auto reason = integer_misfit(fill.a, fill.integer_a, type)) return reason;
  return two ? integer_misfit(fill.b, fill.integer_b, type) : std::nullopt;
}

}  // namespace attune
