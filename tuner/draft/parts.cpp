#include "draft/parts.hpp"

#include <algorithm>
#include <array>
#include <regex>

#include "attune/expression.hpp"
#include "base/identifier.hpp"
#include "draft/code_tokens.hpp"
#include "draft/names.hpp"

namespace attune::draft {
namespace {

constexpr int most_aliases = 8;       // one behind the other
constexpr std::size_t longest = 300;  // bytes and tokens

[[noreturn]] void fail() { throw ExpressionError("attune has no words for it", 0); }

// Writes `(n + b - 1) / b`, `(n + (b - 1)) / b` and `(n + 255) / 256` as ceil_div(n, b).
std::string with_ceil_div(std::string text) {
  static const std::regex rounding_up(
      R"(\(((?:[^(),]|\([^()]*\))+?) *\+ *(?:\(?(\w+|\([^()]*\)) *- *1\)?|(\d+))\) */ *(\2|\d+)(?!\w))");
  std::string done;
  for (std::smatch match; std::regex_search(text, match, rounding_up); text = match.suffix().str()) {
    const bool rounds =
        match[3].matched ? constant_value(match[4].str() + " - 1") == constant_value(match[3]) : match[2] == match[4];
    done += match.prefix().str() + (rounds ? "ceil_div(" + match[1].str() + ", " + match[4].str() + ")" : match.str());
  }
  return done + text;
}

// Writes the first `ceil(a / b)` as ceil_div(a, b), and whole numbers in it without a point.
std::string with_ceil(const std::string& text) {
  static const std::regex rounding_up(
      R"(ceil\(((?:(?:[\w.]+|\([^()/]*\)) ?\* ?)*(?:[\w.]+|\([^()/]*\))) ?/ ?([\w.]+|\([^()/]*\))\))"),
      superfluous(R"(\((\w+)\)|(\d+)\.0*(?!\d))");
  std::smatch match;
  if (!std::regex_search(text, match, rounding_up)) return text;
  const std::string rounded = "ceil_div(" + match[1].str() + ", " + match[2].str() + ")";
  return match.prefix().str() + std::regex_replace(rounded, superfluous, "$1$2") + match.suffix().str();
}

// Writes an integer expression of host code in attune's words.
class Translation {
 public:
  explicit Translation(const DraftParts& parts) : parts_(parts) {}

  std::string text(std::string_view code) {
    const CodeTokens tokens(code);
    std::string text;
    for (std::size_t at = 0; at < tokens.code().size();) {
      if (text.size() > longest || ++steps_ > longest) fail();
      if (tokens.code()[at].after_blank && !text.empty()) text += ' ';
      text += read(tokens.code(), at);
    }
    text = with_ceil_div(with_ceil(text));
    if (text.find('.') != std::string::npos) fail();  // a number that is not whole
    return text;
  }

 private:
  // Translates what is at `at`, and goes on behind it.
  std::string read(TokenSpan part, std::size_t& at) {
    const DraftToken& token = part[at];
    std::string word(token.text);
    if (token.is_word()) return read_name(part, at);
    if (token.text == "(" && !type_name(text_of(inside(part, at))).empty()) {
      at = closing(part, at) + 1;
      return "";  // a cast
    }
    ++at;
    if (token.kind == SourceToken::Kind::number) {
      while (word.size() > 1 && std::string_view("uUlLfF").find(word.back()) != std::string::npos) word.pop_back();
      const bool is_octal = word.size() > 1 && word[0] == '0';
      if (word.find_first_not_of("0123456789.") != std::string::npos || is_octal) fail();
    } else if (std::string_view("+-*/%()<>=!?:,").find(word) == std::string::npos) {
      fail();
    }
    return word;
  }

  std::string read_name(TokenSpan part, std::size_t& at) {
    if (part[at].text == "std" && at + 3 < part.size() && part[at + 1].text == ":") at += 3;
    std::string name(part[at++].text);
    const std::string_view next = at < part.size() ? part[at].text : "";
    if (name == "static_cast" && next == "<") {
      at += position_of(part.subspan(at), ">") + 1;
      return "";
    }
    if (next == "(") {
      if (!type_name(name).empty()) return "";                         // a cast
      static const std::regex floating(R"(\b(float|double)\b|\d\.)");  // else `/` rounds down
      if ((name == "ceil" || name == "ceilf") && std::regex_search(text_of(inside(part, at)), floating)) return "ceil";
      if (is_ceil_div(name)) name = "ceil_div";
      if (name == "ceil_div" || name == "min" || name == "max") return name;
      if (name != "sizeof") fail();
      const std::string type = parts_.type(text_of(inside(part, at)));
      at = closing(part, at) + 1;
      return std::ranges::count(parts_.problem, type, &Line::key) > 0 ? "sizeof(" + type + ")"
                                                                      : "sizeof('" + type + "')";
    }
    const bool is_member = next == "." && at + 1 < part.size();
    if (is_member) {
      name += "." + std::string(part[at + 1].text);
      at += 2;
    }
    if (const auto known = parts_.names.find(name); known != parts_.names.end()) return known->second;
    const std::string value = text(parts_.definition(name));
    if (value.empty()) fail();
    const bool is_whole = part.size() == (is_member ? 3U : 1U);  // or one operand: `n`, `256`
    return is_whole || std::ranges::all_of(value, is_word) ? value : "(" + value + ")";
  }

  const DraftParts& parts_;
  std::size_t steps_ = 0;
};

}  // namespace

std::optional<std::string> DraftParts::expression(const std::string& code) const {
  try {
    std::string text = Translation(*this).text(code);
    static_cast<void>(Expression(text));
    return text;
  } catch (const ExpressionError&) {
    return std::nullopt;
  }
}

std::optional<std::int64_t> DraftParts::value(const std::string& code) const {
  const std::optional<std::string> text = expression(code);
  return text ? constant_value(*text) : std::nullopt;
}

std::optional<std::int64_t> constant_value(const std::string& expression) {
  try {
    return Expression(expression).integer({}, "");
  } catch (const Error&) {
    return std::nullopt;
  }
}

std::string DraftParts::definition(const std::string& name) const {
  const std::size_t dot = name.find('.');
  const Definitions& all =
      launch != nullptr && launch->locals.contains(name.substr(0, dot)) ? launch->locals : file.definitions;
  const auto known = all.find(name.substr(0, dot));
  if (known == all.end() || (dot == std::string::npos && known->second.size() != 1)) return "";
  const std::size_t index = dot == std::string::npos ? 0 : std::string_view("xyz").find(name.substr(dot + 1));
  return index < known->second.size() ? known->second[index] : index < 3 ? "1" : "";
}

std::string DraftParts::new_name(const std::string& wanted) const {
  const auto is_taken = [&](const std::string& name) {
    const bool is_defined =
        std::ranges::count(problem, name, &Line::key) + std::ranges::count(parameters, name, &Line::key) > 0;
    const bool is_argument = std::ranges::count(kernel.parameters, name, &FunctionParameter::name) > 0;
    // A parameter that is passed as a macro would replace the word wherever it stands.
    return !is_allowed_name(name) || is_defined || is_argument || (has_macros && file.words.contains(name));
  };
  std::string name = is_allowed_name(wanted) || is_allowed_name(wanted + "_") ? wanted : "VALUE";
  while (is_taken(name)) name += '_';
  return name;
}

std::string DraftParts::type(const std::string& spelling) const {
  if (const auto known = names.find(spelling); known != names.end()) return known->second;
  return type_name(resolved(spelling));
}

std::string DraftParts::resolved(std::string name) const {
  for (int i = 0; i < most_aliases && !definition(name).empty(); ++i) name = definition(name);
  return name;
}

Texts DraftParts::names_in(const std::string& code) const {
  Texts found;
  std::string next = code;
  for (std::size_t i = 0; i <= found.size() && i < longest; ++i) {
    const CodeTokens tokens(next);
    for (const DraftToken& token : tokens.code())
      if (token.is_word()) found.emplace_back(token.text);
    next = i < found.size() ? definition(found[i]) : "";
  }
  return found;
}

bool DraftParts::passes_counter(std::size_t index) const {
  const std::string name = passed(index);
  if (launch == nullptr || !launch->locals.contains("++" + name)) return false;
  const auto depends = [&](const std::string& code) { return std::ranges::count(names_in(code), name) > 0; };
  return std::ranges::none_of(launch->grid, depends) && std::ranges::none_of(launch->block, depends);
}

std::string DraftParts::passed(std::size_t index) const {
  return launch != nullptr && index < launch->arguments.size() ? launch->arguments[index] : "";
}

bool DraftParts::uses(const char* variable, int dimension) const {
  const std::array<std::string, 3> wanted = {variable, ".", std::string(1, "xyz"[dimension])};
  return !std::ranges::search(kernel.reached, wanted).empty();
}

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c == '\n' ? ' ' : c;
  }
  return result + '"';
}

std::string quoted_list(const Texts& texts) {
  std::string list;
  for (const std::string& text : texts) list += (list.empty() ? "[" : ", ") + quoted(text);
  return (list.empty() ? "[" : list) + "]";
}

}  // namespace attune::draft
