#include "draft/host_expression.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>
#include <vector>

#include "attune/expression.hpp"
#include "base/identifier.hpp"
#include "core/source_lexer.hpp"
#include "draft/names.hpp"

namespace attune::draft {
namespace {

using Words = std::vector<std::string>;
using Range = std::span<const std::string>;

constexpr int deepest = 8;            // names that stand for names
constexpr std::size_t longest = 400;  // bytes and words

struct Untranslatable {};

Words words_in(std::string_view code) {
  Words words;
  SourceLexer lexer(code);
  while (const SourceToken* token = lexer.next()) {
    const bool is_colon = token->text == ":" && !words.empty() && words.back() == ":";
    if (is_colon)
      words.back() = "::";
    else
      words.emplace_back(token->text);
    if (words.size() > longest) throw Untranslatable();
  }
  return words;
}

bool is_name(const std::string& word) { return is_letter(word[0]); }

// Returns the position behind the parenthesis that closes the one at `at`.
std::size_t behind(Range words, std::size_t at) {
  int depth = 0;
  for (; at < words.size(); ++at) {
    if (words[at] == "(") ++depth;
    if (words[at] == ")" && --depth == 0) return at + 1;
  }
  throw Untranslatable();
}

// Returns the position behind the operand at `at`: a name, `block.x`, a number, a call, or what is in parentheses.
std::size_t behind_operand(Range words, std::size_t at) {
  if (at >= words.size()) throw Untranslatable();
  if (words[at] == "(") return behind(words, at);
  std::size_t end = at + 1;
  if (end + 1 < words.size() && words[end] == ".") end += 2;
  return end < words.size() && words[end] == "(" ? behind(words, end) : end;
}

std::string type_in(Range words) { return type_name(fmt::format("{}", fmt::join(words, " "))); }

bool ends_with(Range words, const Words& end) {
  return words.size() > end.size() && std::ranges::equal(words.last(end.size()), end);
}

class Rewriting {
 public:
  explicit Rewriting(const Meanings& meanings) : meanings_(meanings) {}

  std::string text(const Words& words, int depth) {
    if (depth > deepest) throw Untranslatable();
    Words out;
    const Words rounded = with_ceil_div(words, depth);
    for (std::size_t at = 0; at < rounded.size();) at = rewrite(rounded, at, depth, out);
    std::string text;
    for (const std::string& word : out) {
      const std::string last = text.empty() ? "(" : text.substr(text.size() - 1);
      constexpr std::string_view doubled[] = {"<<", ">>", "<=", ">=", "==", "!=", "&&", "||"};
      const bool is_tight = last == "(" || word == ")" || word == "," || (word == "(" && is_word(last[0])) ||
                            std::ranges::find(doubled, last + word) != std::end(doubled);
      text += (is_tight ? "" : " ") + word;
    }
    if (text.size() > longest) throw Untranslatable();
    return text;
  }

 private:
  // Returns how many words at the end of a dividend round up its division by these words; 0 if none do.
  std::size_t rounding(Range dividend, const Words& divisor, int depth) {
    const auto joined = [&](Words before, const Words& after) {
      before.insert(before.end(), divisor.begin(), divisor.end());
      before.insert(before.end(), after.begin(), after.end());
      return before;
    };
    for (const Words& end :
         {joined({"+"}, {"-", "1"}), joined({"+", "("}, {"-", "1", ")"}), joined({"-", "1", "+"}, {})})
      if (ends_with(dividend, end)) return end.size();
    if (dividend.size() < 3 || dividend[dividend.size() - 2] != "+") return 0;
    const auto less = constant_value(text({dividend.back()}, depth + 1)),
               number = constant_value(text(divisor, depth + 1));
    return less && number && *less == *number - 1 ? 2 : 0;
  }

  // Writes `ceil(n / 256.0)` as ceil_div(n, 256).
  static void round_up(Words& words, std::size_t at) {
    const std::size_t end = behind(words, at + 1);
    for (std::size_t slash = at + 2; slash < end; slash = behind_operand(words, slash)) {
      if (words[slash] != "/") continue;
      words[slash] = ",";
      words[at] = "ceil_div";
      return;
    }
  }

  // Writes `(n + 255) / 256` and `(n - 1) / 256 + 1` as ceil_div(n, 256).
  Words with_ceil_div(Words words, int depth) {
    for (std::size_t at = 0; at + 1 < words.size(); ++at)
      if (words[at].starts_with("ceil") && words[at + 1] == "(") round_up(words, at);
    for (std::size_t at = 1; at + 1 < words.size(); ++at) {
      if (words[at] != "/" || words[at - 1] != ")") continue;
      std::size_t open = 0;
      while (open < at && !(words[open] == "(" && behind(words, open) == at)) ++open;
      if (open == at || (open > 0 && is_name(words[open - 1]))) continue;
      std::size_t end = behind_operand(words, at + 1);
      const Words divisor(words.begin() + static_cast<std::ptrdiff_t>(at) + 1,
                          words.begin() + static_cast<std::ptrdiff_t>(end));
      const Range dividend = Range(words).subspan(open + 1, at - open - 2);
      std::size_t dropped = 0;
      if (ends_with(dividend, {"-", "1"}) && end + 1 < words.size() && words[end] == "+" && words[end + 1] == "1") {
        dropped = 2;
        end += 2;
      } else {
        dropped = rounding(dividend, divisor, depth);
      }
      if (dropped == 0) continue;
      Words call = {"ceil_div", "("};
      call.insert(call.end(), dividend.begin(), dividend.end() - static_cast<std::ptrdiff_t>(dropped));
      call.emplace_back(",");
      call.insert(call.end(), divisor.begin(), divisor.end());
      call.emplace_back(")");
      words.erase(words.begin() + static_cast<std::ptrdiff_t>(open), words.begin() + static_cast<std::ptrdiff_t>(end));
      words.insert(words.begin() + static_cast<std::ptrdiff_t>(open), call.begin(), call.end());
      at = open + 1;
    }
    return words;
  }

  // Rewrites what is at `at`. Returns where to go on.
  std::size_t rewrite(const Words& words, std::size_t at, int depth, Words& out) {
    if (++steps_ > longest) throw Untranslatable();
    const std::string& word = words[at];
    if (word == "(") {
      const std::size_t end = behind(words, at);
      const bool is_cast = !type_in(Range(words).subspan(at + 1, end - at - 2)).empty();
      if (is_cast) return end;
    }
    if (is_digit(word[0]))
      out.push_back(number(word));
    else if (is_name(word))
      return rewrite_name(words, at, depth, out);
    else if (word.size() == 1 && std::string_view("+-*/%()<>=!?:,&|").find(word) != std::string::npos)
      out.push_back(word);
    else
      throw Untranslatable();
    if ((word == "&" || word == "|") && !(at > 0 && words[at - 1] == word) &&
        !(at + 1 < words.size() && words[at + 1] == word))
      throw Untranslatable();  // it binds otherwise than in C++
    return at + 1;
  }

  std::size_t rewrite_name(const Words& words, std::size_t at, int depth, Words& out) {
    const std::size_t next = at + 1;
    const std::string after = next < words.size() ? words[next] : "";
    if (after == "::") return at + 2;
    if (words[at] == "static_cast") return static_cast<std::size_t>(std::ranges::find(words, ">") - words.begin()) + 1;
    if (words[at] == "sizeof") return rewrite_size_of(words, at, out);
    if (after == "(") return rewrite_call(words, at, out);
    std::string name = words[at];
    const bool is_member = after == "." && at + 2 < words.size();
    if (is_member) name += "." + words[at + 2];
    const std::optional<Meaning> meaning = meanings_(name);
    if (!meaning) throw Untranslatable();
    std::string value = meaning->code.empty() ? meaning->text : text(words_in(meaning->code), depth + 1);
    const Words parts = words_in(value);
    const bool is_operand = behind_operand(parts, 0) == parts.size();
    out.push_back(is_operand ? value : "(" + value + ")");
    return at + (is_member ? 3 : 1);
  }

  std::size_t rewrite_size_of(const Words& words, std::size_t at, Words& out) {
    const std::size_t end = behind(words, at + 1);
    const Range inside = Range(words).subspan(at + 2, end - at - 3);
    const std::optional<Meaning> meaning = inside.size() == 1 ? meanings_(inside[0]) : std::nullopt;
    const std::string type = type_in(inside);
    if (type.empty() && (!meaning || meaning->text.empty())) throw Untranslatable();
    out.push_back(fmt::format("sizeof({})", type.empty() ? meaning->text : "'" + type + "'"));
    return end;
  }

  std::size_t rewrite_call(const Words& words, std::size_t at, Words& out) {
    const std::string& name = words[at];
    if (!type_name(name).empty()) return at + 1;  // a cast
    if (name != "min" && name != "max" && !is_ceil_div(name)) throw Untranslatable();
    out.push_back(is_ceil_div(name) ? "ceil_div" : name);
    return at + 1;
  }

  static std::string number(std::string word) {
    std::erase(word, '\'');
    if (word.ends_with(".0")) word.resize(word.size() - 2);
    while (std::string_view("uUlL").find(word.back()) != std::string::npos && word.size() > 1) word.pop_back();
    if (word.starts_with("0x")) word = std::to_string(std::strtoll(word.c_str(), nullptr, 16));
    const bool is_octal = word.size() > 1 && word[0] == '0';
    if (!std::ranges::all_of(word, is_digit) || is_octal) throw Untranslatable();
    return word;
  }

  const Meanings& meanings_;
  std::size_t steps_ = 0;
};

}  // namespace

std::optional<std::string> translated(std::string_view code, const Meanings& meanings) {
  try {
    std::string text = Rewriting(meanings).text(words_in(code), 0);
    const Words words = words_in(text);
    if (text.starts_with('(') && behind(words, 0) == words.size()) text = text.substr(1, text.size() - 2);
    static_cast<void>(Expression(text));
    return text;
  } catch (const Untranslatable&) {
    return std::nullopt;
  } catch (const ExpressionError&) {
    return std::nullopt;
  }
}

std::optional<std::int64_t> constant_value(const std::string& expression) {
  try {
    return Expression(expression).integer({}, "");
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace attune::draft
