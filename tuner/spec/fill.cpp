#include "spec/fill.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/identifier.hpp"
#include "base/near_name.hpp"
#include "kernel/fill_values.hpp"

namespace attune {
namespace {

struct FillForm {
  std::string_view name;
  FillKind kind;
  std::string_view form;
};
constexpr FillForm forms[] = {
    {"uniform", FillKind::uniform, "uniform(least, greatest)"},
    {"normal", FillKind::normal, "normal(mean, deviation)"},
    {"constant", FillKind::constant, "constant(value)"},
    {"iota", FillKind::iota, "iota"},
    {"permutation", FillKind::permutation, "permutation"},
    {"zipf", FillKind::zipf, "zipf(exponent, count)"},
    {"seed", FillKind::seed, "seed"},
};
constexpr std::string_view array_forms =
    "uniform(a, b), normal(mean, deviation), constant(c), iota, permutation or zipf(s, count)";
bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

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

Expression number_of(Piece piece) {
  if (piece.text.empty()) throw ExpressionError("a number is missing", piece.offset);
  try {
    const Expression expression(piece.text);
    if (!expression.device_properties().empty())
      throw ExpressionError(fmt::format("`{}` depends on the device: a fill is the same on all", piece.text), 0);
    return expression;
  } catch (const ExpressionError& error) {
    throw ExpressionError(error.what(), piece.offset + error.offset);
  }
}

std::vector<Piece> numbers_after(const FillForm& form, Piece rest) {
  const std::size_t wanted = numbers_of(form.kind);
  if (rest.text.empty() && wanted == 0) return {};
  if (wanted == 0) throw ExpressionError(fmt::format("nothing follows `{}`", form.name), rest.offset);
  if (!rest.text.starts_with('(') || !rest.text.ends_with(')')) {
    throw ExpressionError(fmt::format("expected `{}`", form.form), rest.offset);
  }
  auto numbers = split_at_commas({rest.text.substr(1, rest.text.size() - 2), rest.offset + 1});
  if (numbers.size() != wanted) throw ExpressionError(fmt::format("expected `{}`", form.form), rest.offset);
  return numbers;
}

// Checks the numbers of the fill if they are the same for every problem.
void require_values(const Fill& fill, const std::vector<Piece>& pieces) {
  try {
    if (is_constant(fill)) fill_values(fill, {});
  } catch (const ExpressionError& error) {
    throw ExpressionError(error.what(), pieces[error.offset].offset);
  }
}

Fill fill_of(FillKind kind, const std::vector<Piece>& pieces) {
  Fill fill{kind, {}};
  for (const Piece& piece : pieces) fill.numbers.push_back(number_of(piece));
  require_values(fill, pieces);
  return fill;
}

[[noreturn]] void refuse_as_fill(Piece piece, std::string_view word, const std::string& reason) {
  std::vector<std::string> known;
  for (const auto& form : forms) known.emplace_back(form.name);
  throw ExpressionError(
      fmt::format("`{}` is neither a fill nor a number{}{}", piece.text, reason, suggestion(word, known)),
      piece.offset);
}

Fill number_fill(Piece piece, std::string_view word, bool scalar) {
  Fill fill;
  try {
    fill = fill_of(FillKind::constant, {piece});
  } catch (const ExpressionError& error) {
    if (word.empty()) throw;
    refuse_as_fill(piece, word, fmt::format(" ({})", error.what()));
  }
  if (!scalar && !is_constant(fill)) refuse_as_fill(piece, word, "");
  return fill;
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
  const Piece rest = trimmed({piece.text.substr(word.size()), piece.offset + word.size()});
  const Fill fill = is_number ? number_fill(piece, word, scalar) : fill_of(form->kind, numbers_after(*form, rest));
  if (scalar && fill.kind != FillKind::constant && fill.kind != FillKind::seed) {
    throw ExpressionError("a scalar is filled with one number, such as \"2.5\", or the seed", piece.offset);
  }
  if (!scalar && (is_number || fill.kind == FillKind::seed)) {
    throw ExpressionError(fmt::format("an array is filled by {}{}", array_forms,
                                      is_number ? fmt::format(": write constant({})", piece.text) : ""),
                          piece.offset);
  }
  return fill;
}

}  // namespace attune
