#include "draft/host_expression.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "attune/expression.hpp"
#include "base/identifier.hpp"
#include "core/source_lexer.hpp"
#include "draft/names.hpp"

namespace attune::draft {
namespace {

struct Term {
  bool is_minus;
  std::string text;
};

// A translated part. The terms of a sum, and what a quotient divides, are kept to recognise ceil_div.
struct Node {
  std::string text;
  int level = atom;
  std::vector<Term> terms;
  std::string dividend, divisor;
  bool is_below = false;  // the dividend had a `- 1`, which `dividend` lacks
  static constexpr int atom = 100;
};

struct Sign {
  std::string_view text;
  int level;
};
constexpr int sums = 9, products = 10;
constexpr Sign signs[] = {{"||", 1},   {"&&", 2},   {"|", 3},        {"&", 5},        {"==", 6},      {"!=", 6},
                          {"<", 7},    {">", 7},    {"<=", 7},       {">=", 7},       {"<<", 8},      {">>", 8},
                          {"+", sums}, {"-", sums}, {"*", products}, {"/", products}, {"%", products}};

constexpr int deepest = 60;  // parentheses and names within names
constexpr int depth_of_name = 8;
constexpr std::size_t most_steps = 2000, longest = 400;

// The part is none that attune can say.
struct Untranslatable {};

std::vector<std::string> words_in(std::string_view code) {
  constexpr std::string_view pairs[] = {"||", "&&", "==", "!=", "<=", ">=", "<<", ">>", "::"};
  std::vector<std::string> words;
  SourceLexer lexer(code);
  std::size_t end = 0;
  bool was_sign = false;
  while (const SourceToken* token = lexer.next()) {
    const bool is_sign = token->kind == SourceToken::Kind::sign;
    const std::string both = is_sign && was_sign && token->begin == end ? words.back() + std::string(token->text) : "";
    if (std::ranges::find(pairs, both) != std::end(pairs))
      words.back() = both;
    else
      words.emplace_back(token->text);
    was_sign = is_sign;
    end = token->end;
  }
  return words;
}

Node sum_of(std::vector<Term> terms) {
  Node node{"", sums, std::move(terms), "", "", false};
  for (const Term& term : node.terms)
    node.text += node.text.empty() ? term.text : (term.is_minus ? " - " : " + ") + term.text;
  return node;
}

std::vector<Term> terms_of(const Node& node) {
  return node.terms.empty() ? std::vector<Term>{{false, node.text}} : node.terms;
}

std::string below(const Node& node, int level) { return node.level < level ? "(" + node.text + ")" : node.text; }

// Removes a term. Returns whether it was there.
bool take(std::vector<Term>& terms, bool is_minus, std::string_view text) {
  const auto found =
      std::ranges::find_if(terms, [&](const Term& term) { return term.is_minus == is_minus && term.text == text; });
  if (found == terms.end()) return false;
  terms.erase(found);
  return true;
}

Node ceil_div(const std::string& dividend, const std::string& divisor) {
  return {fmt::format("ceil_div({}, {})", dividend, divisor), Node::atom, {}, "", "", false};
}

Node quotient(const Node& a, const Node& b) {
  std::vector<Term> terms = terms_of(a);
  const std::optional<std::int64_t> number = constant_value(b.text);
  const std::string less = number ? std::to_string(*number - 1) : "";
  const bool is_sum = terms.size() > 1;
  const bool rounds_up =
      is_sum && ((number && take(terms, false, less)) || (take(terms, true, "1") && take(terms, false, b.text)));
  if (rounds_up && !terms.empty() && !terms.front().is_minus) return ceil_div(sum_of(terms).text, b.text);
  Node node{below(a, products) + " / " + below(b, products + 1), products, {}, a.text, b.text, false};
  terms = terms_of(a);
  if (take(terms, true, "1") && !terms.empty() && !terms.front().is_minus) {
    node.is_below = true;
    node.dividend = sum_of(terms).text;
  }
  return node;
}

Node joined(const Node& a, const Sign& sign, const Node& b) {
  if (sign.text == "/") return quotient(a, b);
  if (sign.text == "+" && a.is_below && b.text == "1") return ceil_div(a.dividend, a.divisor);
  if (sign.text == "+" && b.is_below && a.text == "1") return ceil_div(b.dividend, b.divisor);
  if (sign.level != sums) {
    const bool is_product = sign.level == products;  // other precedences differ between languages
    const std::string text = fmt::format("{} {} {}", below(a, is_product ? products : Node::atom), sign.text,
                                         below(b, is_product ? products + 1 : Node::atom));
    return {text, sign.level, {}, "", "", false};
  }
  const auto bare = [](const Node& node) { return node.terms.empty() && node.level < sums; };
  std::vector<Term> terms = bare(a) ? std::vector<Term>{{false, "(" + a.text + ")"}} : terms_of(a);
  for (Term term : bare(b) ? std::vector<Term>{{false, "(" + b.text + ")"}} : terms_of(b)) {
    if (sign.text == "-") term.is_minus = !term.is_minus;
    terms.push_back(std::move(term));
  }
  return sum_of(std::move(terms));
}

class Translation {
 public:
  Translation(std::string_view code, const Meanings& meanings, int depth, std::size_t& steps)
      : words_(words_in(code)), meanings_(meanings), depth_(depth), steps_(steps) {}

  Node whole() {
    Node node = conditional();
    if (at_ < words_.size()) throw Untranslatable();
    return node;
  }

 private:
  std::string_view peek(std::size_t ahead = 0) const {
    return at_ + ahead < words_.size() ? std::string_view(words_[at_ + ahead]) : std::string_view();
  }
  bool skip(std::string_view word) {
    if (peek() != word) return false;
    ++at_;
    return true;
  }
  void expect(std::string_view word) {
    if (!skip(word)) throw Untranslatable();
  }

  Node conditional() {
    if (++depth_ > deepest) throw Untranslatable();
    Node node = binary(1);
    if (skip("?")) {
      const Node yes = conditional();
      expect(":");
      const Node no = conditional();
      node = {fmt::format("{} ? {} : {}", below(node, 1), below(yes, 1), below(no, 1)), 0, {}, "", "", false};
    }
    --depth_;
    return node;
  }

  Node binary(int level) {
    Node left = unary();
    while (true) {
      const auto sign = std::ranges::find(signs, peek(), &Sign::text);
      if (sign == std::end(signs) || sign->level < level) return left;
      ++at_;
      left = joined(left, *sign, binary(sign->level + 1));
      if (left.text.size() > longest) throw Untranslatable();
    }
  }

  Node unary() {
    if (++steps_ > most_steps) throw Untranslatable();
    if (peek() == "-" || peek() == "!" || peek() == "+") {
      const std::string sign = words_[at_++];
      if (++depth_ > deepest) throw Untranslatable();
      Node node = unary();
      --depth_;
      if (sign != "+") node = {sign + below(node, Node::atom), products, {}, "", "", false};
      return node;
    }
    if (skip("(")) return in_parentheses();
    if (at_ >= words_.size()) throw Untranslatable();
    const std::string word = words_[at_++];
    if (is_digit(word[0]) || word[0] == '.') return number(word);
    if (!is_letter(word[0])) throw Untranslatable();
    return named(word);
  }

  // What follows a parenthesis: a cast and its operand, or an expression.
  Node in_parentheses() {
    std::string type;
    std::size_t end = at_;
    for (; end < words_.size() && words_[end] != ")" && end - at_ < 4; ++end)
      type += (type.empty() ? "" : " ") + words_[end];
    if (end < words_.size() && words_[end] == ")" && !type_name(type).empty()) {
      at_ = end + 1;
      if (++depth_ > deepest) throw Untranslatable();
      Node node = unary();
      --depth_;
      return node;
    }
    Node node = conditional();
    expect(")");
    return node;
  }

  Node number(std::string word) {
    std::erase(word, '\'');
    const bool is_hexadecimal = word.starts_with("0x") || word.starts_with("0X");
    constexpr std::string_view suffixes = "uUlL";
    while (!word.empty() && suffixes.find(word.back()) != std::string_view::npos) word.pop_back();
    if (is_hexadecimal) word = std::to_string(std::strtoll(word.c_str(), nullptr, 16));
    if (!word.empty() && (word.back() == 'f' || word.back() == 'F')) word.pop_back();
    if (word.ends_with(".0")) word.resize(word.size() - 2);
    if (word.ends_with(".")) word.pop_back();
    if (word.empty() || !std::ranges::all_of(word, is_digit) || word.size() > 18) throw Untranslatable();
    if (word.size() > 1 && word[0] == '0') throw Untranslatable();  // octal
    return {word, Node::atom, {}, "", "", false};
  }

  Node named(std::string word) {
    if (word == "sizeof") return size_of();
    if (word == "static_cast") return cast();
    while (skip("::")) word = words_.at(std::min(at_++, words_.size() - 1));
    if (peek() == "." && at_ + 1 < words_.size()) {
      word += "." + words_[at_ + 1];
      at_ += 2;
    }
    if (peek() == "<" && (word == "min" || word == "max"))
      while (at_ < words_.size() && words_[at_++] != ">") continue;
    if (skip("(")) return call(word);
    const std::optional<Meaning> meaning = meanings_(word);
    if (!meaning) throw Untranslatable();
    if (meaning->code.empty()) return {meaning->text, Node::atom, {}, "", "", false};
    if (depth_ >= deepest) throw Untranslatable();
    return Translation(meaning->code, meanings_, depth_ + depth_of_name, steps_).whole();
  }

  Node cast() {
    while (at_ < words_.size() && words_[at_] != ">") ++at_;
    ++at_;
    expect("(");
    Node node = conditional();
    expect(")");
    return node;
  }

  Node size_of() {
    expect("(");
    std::string type;
    while (at_ < words_.size() && words_[at_] != ")") type += (type.empty() ? "" : " ") + words_[at_++];
    expect(")");
    const std::optional<Meaning> meaning = meanings_(type);
    const std::string name = type_name(type);
    if (!meaning && name.empty()) throw Untranslatable();
    const std::string inside = meaning ? meaning->text : "'" + name + "'";
    return {"sizeof(" + inside + ")", Node::atom, {}, "", "", false};
  }

  Node call(const std::string& name) {
    std::vector<Node> arguments;
    do arguments.push_back(conditional());
    while (skip(","));
    expect(")");
    const bool is_cast = !type_name(name).empty() && arguments.size() == 1;
    if (is_cast) return arguments[0];
    if (is_ceil_div(name) && arguments.size() == 2) return ceil_div(arguments[0].text, arguments[1].text);
    if (name.starts_with("ceil") && arguments.size() == 1 && !arguments[0].divisor.empty() && !arguments[0].is_below)
      return ceil_div(arguments[0].dividend, arguments[0].divisor);
    if ((name == "min" || name == "max") && arguments.size() == 2)
      return {fmt::format("{}({}, {})", name, arguments[0].text, arguments[1].text), Node::atom, {}, "", "", false};
    throw Untranslatable();
  }

  const std::vector<std::string> words_;
  const Meanings& meanings_;
  int depth_;
  std::size_t& steps_;
  std::size_t at_ = 0;
};

}  // namespace

std::optional<std::string> translated(std::string_view code, const Meanings& meanings) {
  if (code.size() > longest) return std::nullopt;
  try {
    std::size_t steps = 0;
    std::string text = Translation(code, meanings, 0, steps).whole().text;
    Expression checked(text);
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
