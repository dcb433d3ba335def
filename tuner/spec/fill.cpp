#include "spec/fill.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <limits>
#include <vector>

#include "core/near_name.hpp"

namespace attune {
namespace {

struct FillForm {
  std::string_view name;
  FillKind kind;
  std::size_t bounds;
  std::string_view form;
};
constexpr FillForm forms[] = {
    {"uniform", FillKind::uniform, 2, "uniform(least, greatest)"},
    {"normal", FillKind::normal, 2, "normal(mean, deviation)"},
    {"constant", FillKind::constant, 1, "constant(value)"},
    {"iota", FillKind::iota, 0, "iota"},
    {"permutation", FillKind::permutation, 0, "permutation"},
};
constexpr std::string_view array_forms = "uniform(a, b), normal(mean, deviation), constant(c), iota or permutation";
constexpr double int64_bound = 0x1p63;  // the first double above every int64

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool is_word(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; }

struct Piece {
  std::string_view text;
  std::size_t offset;  // in the whole text
};

Piece trimmed(Piece piece) {
  while (!piece.text.empty() && is_space(piece.text.front())) {
    piece.text.remove_prefix(1);
    ++piece.offset;
  }
  while (!piece.text.empty() && is_space(piece.text.back())) piece.text.remove_suffix(1);
  return piece;
}

// Splits at the commas outside brackets.
std::vector<Piece> split_at_commas(Piece list) {
  std::vector<Piece> pieces;
  std::size_t begin = 0;
  int depth = 0;
  for (std::size_t i = 0; i <= list.text.size(); ++i) {
    const char c = i < list.text.size() ? list.text[i] : ',';
    if (c == '(' || c == '[') ++depth;
    if (c == ')' || c == ']') --depth;
    if (c != ',' || (depth > 0 && i < list.text.size())) continue;
    pieces.push_back(trimmed({list.text.substr(begin, i - begin), list.offset + begin}));
    begin = i + 1;
  }
  return pieces;
}

Value constant_value(Piece piece) {
  if (piece.text.empty()) throw ExpressionError("a number is missing", piece.offset);
  try {
    const Expression expression(piece.text);
    if (!expression.names().empty() || !expression.device_properties().empty()) {
      throw ExpressionError(fmt::format("`{}` is no constant: a fill is the same for every problem", piece.text), 0);
    }
    const auto result = expression.evaluate({});
    if (const auto* undefined = std::get_if<Undefined>(&result)) throw ExpressionError(undefined->reason, 0);
    const auto& value = std::get<Value>(result);
    if (value.is_name() || (value.is_real() && !std::isfinite(value.real()))) {
      throw ExpressionError(fmt::format("`{}` is no finite number", piece.text), 0);
    }
    return value;
  } catch (const ExpressionError& error) {
    throw ExpressionError(error.what(), piece.offset + error.offset);
  }
}

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

Fill constant_fill(const Value& value) {
  Fill fill{.kind = FillKind::constant, .b = 0};
  set_bound(value, round_down, fill.a, fill.integer_a);
  return fill;
}

std::vector<Piece> bounds_of(const FillForm& form, Piece rest) {
  if (rest.text.empty() && form.bounds == 0) return {};
  if (form.bounds == 0) throw ExpressionError(fmt::format("nothing follows `{}`", form.name), rest.offset);
  if (!rest.text.starts_with('(') || !rest.text.ends_with(')')) {
    throw ExpressionError(fmt::format("expected `{}`", form.form), rest.offset);
  }
  auto bounds = split_at_commas({rest.text.substr(1, rest.text.size() - 2), rest.offset + 1});
  if (bounds.size() != form.bounds) throw ExpressionError(fmt::format("expected `{}`", form.form), rest.offset);
  return bounds;
}

Fill parse_form(const FillForm& form, Piece rest) {
  const auto bounds = bounds_of(form, rest);
  if (form.kind == FillKind::constant) return constant_fill(constant_value(bounds[0]));
  Fill fill{.kind = form.kind};
  if (bounds.empty()) return fill;
  const Value a = constant_value(bounds[0]), b = constant_value(bounds[1]);
  set_bound(a, round_up, fill.a, fill.integer_a);
  set_bound(b, round_down, fill.b, fill.integer_b);
  const bool ordered = a.is_integer() && b.is_integer() ? a.integer() <= b.integer() : fill.a <= fill.b;
  if (form.kind == FillKind::uniform && !ordered) {
    throw ExpressionError(fmt::format("`{}` is below `{}`: no value lies between", bounds[1].text, bounds[0].text),
                          bounds[1].offset);
  }
  if (form.kind == FillKind::normal && fill.b < 0) {
    throw ExpressionError(fmt::format("the deviation `{}` is negative", bounds[1].text), bounds[1].offset);
  }
  return fill;
}

Fill parse_number(Piece piece, std::string_view word) {
  try {
    return constant_fill(constant_value(piece));
  } catch (const ExpressionError& error) {
    if (word.empty()) throw;
    std::vector<std::string> known;
    for (const auto& form : forms) known.emplace_back(form.name);
    throw ExpressionError(
        fmt::format("`{}` is neither a fill nor a number ({}){}", piece.text, error.what(), suggestion(word, known)),
        piece.offset);
  }
}

struct Range {
  double least, greatest;
};

// The finite values of a floating type.
Range real_range(std::string_view element) {
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
  const Range range = real_range(type.element);
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

}  // namespace

Fill parse_fill(std::string_view text, bool scalar) {
  const Piece piece = trimmed({text, 0});
  const auto word_end = std::find_if_not(piece.text.begin(), piece.text.end(), is_word);
  auto word = piece.text.substr(0, static_cast<std::size_t>(word_end - piece.text.begin()));
  const auto* form =
      std::find_if(std::begin(forms), std::end(forms), [&](const FillForm& f) { return f.name == word; });
  const bool is_number = form == std::end(forms);
  if (!word.empty() && word.front() >= '0' && word.front() <= '9') word = {};
  const Fill fill = is_number
                        ? parse_number(piece, word)
                        : parse_form(*form, trimmed({piece.text.substr(word.size()), piece.offset + word.size()}));
  if (scalar && fill.kind != FillKind::constant) {
    throw ExpressionError("a scalar is filled with one number, such as \"2.5\"", piece.offset);
  }
  if (!scalar && is_number) {
    throw ExpressionError(fmt::format("an array is filled by {}: write constant({})", array_forms, piece.text),
                          piece.offset);
  }
  return fill;
}

std::optional<std::string> misfit(const Fill& fill, const TypeInfo& type) {
  if (fill.full_range || fill.kind == FillKind::iota || fill.kind == FillKind::permutation) {
    if (type.type_class != TypeClass::boolean || fill.full_range) return std::nullopt;
    return "iota and permutation count, which bool cannot";
  }
  if (fill.kind == FillKind::normal && type.type_class == TypeClass::boolean) return "normal() makes no booleans";
  const bool two = fill.kind == FillKind::uniform;
  // A deviation is no value of the type. A mean may lie between two integers.
  if (type.type_class == TypeClass::floating || fill.kind == FillKind::normal) {
    if (type.type_class != TypeClass::floating) return std::nullopt;
    if (auto reason = real_misfit(fill.a, type)) return reason;
    return two ? real_misfit(fill.b, type) : std::nullopt;
  }
  if (auto reason = integer_misfit(fill.a, fill.integer_a, type)) return reason;
  return two ? integer_misfit(fill.b, fill.integer_b, type) : std::nullopt;
}

}  // namespace attune
