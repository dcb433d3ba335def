#include "device/host/preprocessor_condition.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <iterator>
#include <vector>

namespace attune {
namespace {

constexpr std::string_view never_defined[] = {
    "__CUDA_ARCH__", "__CUDA_ARCH_LIST__", "__CUDACC__",      "__CUDACC_RTC__",  "__NVCC__",           "CUDART_VERSION",
    "CUDA_VERSION",  "ATTUNE_HALF",        "ATTUNE_HAS_HALF", "ATTUNE_BFLOAT16", "ATTUNE_HAS_BFLOAT16"};

bool is_name_start(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_name_part(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

using Value = std::optional<long long>;

// Evaluates the rest of an #if line by precedence climbing.
class Condition {
 public:
  Condition(std::string_view text, const MacroNames& left_out) : left_out_(left_out) {
    for (std::size_t at = 0; at < text.size();) {
      std::size_t end = at + 1;
      if (is_name_part(text[at])) {
        while (end < text.size() && (is_name_part(text[end]) || text[end] == '\'')) ++end;
      } else if (end < text.size() && is_pair(text.substr(at, 2))) {
        ++end;
      }
      if (!is_space(text[at])) tokens_.push_back(text.substr(at, end - at));
      at = end;
    }
  }

  Value value() {
    const Value result = binary(0);
    return at_ == tokens_.size() && !malformed_ ? result : std::nullopt;
  }

 private:
  struct Operator {
    std::string_view text;
    int precedence;
  };
  static constexpr Operator operators[] = {{"||", 1}, {"&&", 2}, {"==", 3}, {"!=", 3}, {"<", 4}, {">", 4}, {"<=", 4},
                                           {">=", 4}, {"+", 5},  {"-", 5},  {"*", 6},  {"/", 6}, {"%", 6}};
  // Conditions nest no deeper than people write them; deeper ones count as unknown.
  static constexpr int deepest = 200;

  static bool is_pair(std::string_view text) {
    constexpr std::array<std::string_view, 8> pairs = {"||", "&&", "==", "!=", "<=", ">=", "<<", ">>"};
    return std::find(pairs.begin(), pairs.end(), text) != pairs.end();
  }

  std::string_view peek() const { return at_ < tokens_.size() ? tokens_[at_] : std::string_view(); }
  bool accept(std::string_view text) {
    if (peek() != text) return false;
    ++at_;
    return true;
  }

  Value binary(int least) {
    if (++depth_ > deepest) malformed_ = true;
    Value left = malformed_ ? std::nullopt : unary();
    for (;;) {
      const auto* const found = std::find_if(std::begin(operators), std::end(operators), [&](const Operator& o) {
        return o.text == peek() && o.precedence > least;
      });
      if (found == std::end(operators) || malformed_) break;
      ++at_;
      left = combined(found->text, left, binary(found->precedence));
    }
    --depth_;
    return left;
  }

  static Value combined(std::string_view op, Value a, Value b) {
    if (op == "&&" && (a == Value(0) || b == Value(0))) return 0;
    if (op == "||" && ((a && *a != 0) || (b && *b != 0))) return 1;
    if (!a || !b) return std::nullopt;
    if (op == "&&") return 1;
    if (op == "||") return 0;
    if (op == "==") return *a == *b;
    if (op == "!=") return *a != *b;
    if (op == "<") return *a < *b;
    if (op == ">") return *a > *b;
    if (op == "<=") return *a <= *b;
    if (op == ">=") return *a >= *b;
    return std::nullopt;  // arithmetic decides nothing that matters here
  }

  Value unary() {
    if (at_ >= tokens_.size() || ++depth_ > deepest) malformed_ = true;
    if (malformed_) return std::nullopt;
    const Value result = operand();
    --depth_;
    return result;
  }

  Value operand() {
    if (accept("!")) {
      const Value inner = unary();
      return inner ? Value(*inner == 0) : std::nullopt;
    }
    if (accept("(")) {
      const Value inner = binary(0);
      malformed_ = malformed_ || !accept(")");
      return inner;
    }
    const std::string_view token = tokens_[at_++];
    if (token == "defined") {
      const bool parenthesis = accept("(");
      const std::string_view macro = peek();
      ++at_;
      malformed_ = malformed_ || macro.empty() || (parenthesis && !accept(")"));
      return defined_on_host(macro, left_out_);
    }
    if (is_name_start(token[0])) {
      if (token == "ATTUNE_HOST") return 1;
      if (peek() == "(") skip_call();  // of a macro, or __has_include
      return defined_on_host(token, left_out_) == Value(0) ? Value(0) : std::nullopt;
    }
    long long number = 0;
    const auto [stop, error] = std::from_chars(token.data(), token.data() + token.size(), number);
    const bool whole = error == std::errc() && (stop == token.data() + token.size() || std::isalpha(*stop) != 0);
    if (!whole) malformed_ = true;
    return whole ? Value(number) : std::nullopt;
  }

  void skip_call() {
    int open = 0;
    do {
      open += peek() == "(" ? 1 : peek() == ")" ? -1 : 0;
      ++at_;
    } while (open > 0 && at_ < tokens_.size());
    malformed_ = malformed_ || open > 0;
  }

  const MacroNames& left_out_;
  std::vector<std::string_view> tokens_;
  std::size_t at_ = 0;
  int depth_ = 0;
  bool malformed_ = false;
};

}  // namespace

std::optional<long long> defined_on_host(std::string_view macro, const MacroNames& left_out) {
  if (macro == "ATTUNE_HOST") return 1;
  if (std::find(std::begin(never_defined), std::end(never_defined), macro) != std::end(never_defined)) return 0;
  return left_out.contains(macro) ? std::optional<long long>(0) : std::nullopt;
}

std::optional<long long> value_on_host(std::string_view condition, const MacroNames& left_out) {
  return Condition(condition, left_out).value();
}

}  // namespace attune
