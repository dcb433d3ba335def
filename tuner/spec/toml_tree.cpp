// toml++ 3.3 asserts properties that hostile text can break: "[[[a]]]" aborts a debug build. A release build may
// optimise on such an assumption (tomlplusplus pull request 301). The code behind the assertions reports these errors
// correctly. Therefore this file compiles toml++ without assertions, and no other file includes it.
#undef NDEBUG
#define TOML_ASSERT(condition) static_assert(true)
#include "spec/toml_tree.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>

#include "base/enum_texts.hpp"

namespace attune {
namespace {

// toml++ builds and frees nested tables by recursion, one level for every part of a dotted key, so that a key of
// 100,000 parts overflows the stack. No key of a kernel file has more than three parts.
constexpr std::size_t max_key_parts = 16;

Position position_of(const toml::source_region& region) { return {region.begin.line, region.begin.column}; }

// Refuses text that toml++ 3.3 cannot process: deeply nested keys, and certain characters beyond ASCII. Where toml++
// checks whether such a character is white space, U+00A1 to U+0499 lead to undefined behaviour. At these places they
// are not TOML, except after a line's trailing backslash in a multi-line string.
class Sieve {
 public:
  explicit Sieve(std::string_view text) : text_(text) {}

  // Throws TomlError.
  void check() {
    while (at_ < text_.size()) step();
  }

 private:
  static bool is_ascii(char c) { return static_cast<unsigned char>(c) < 0x80; }
  bool starts(std::string_view word) const { return text_.substr(at_).starts_with(word); }
  [[noreturn]] void fail(std::size_t offset, std::string message) const {
    throw TomlError{position_at(text_, offset), std::move(message)};
  }

  void step() {
    const char c = text_[at_];
    if (c == '#') {
      at_ = std::min(text_.find('\n', at_), text_.size());
      return;
    }
    if (c == '"' || c == '\'') return skip_string(c);
    if (!is_ascii(c)) fail(at_, "only strings and comments may hold characters beyond ASCII");
    if (c == '.' && ++parts_ > max_key_parts) fail(at_, fmt::format("a key of more than {} parts", max_key_parts));
    if (std::string_view("\n,=[]{}").find(c) != std::string_view::npos) parts_ = 1;
    ++at_;
  }

  void skip_string(char quote) {
    const std::string triple(3, quote);
    const bool multiline = starts(triple);
    const std::string_view closing = std::string_view(triple).substr(0, multiline ? 3 : 1);
    for (at_ += closing.size(); at_ < text_.size() && !starts(closing);) {
      if (text_[at_] == '\n' && !multiline) return;
      at_ += text_[at_] == '\\' && quote == '"' ? escape_length(multiline) : 1;
    }
    at_ = std::min(at_ + closing.size(), text_.size());
    // Up to two quotes may precede the closing three.
    for (int i = 0; multiline && i < 2 && at_ < text_.size() && text_[at_] == quote; ++i) ++at_;
  }

  std::size_t escape_length(bool multiline) const {
    const auto behind = text_.find_first_not_of(" \t\r\n", at_ + 1);
    if (multiline && behind != std::string_view::npos && !is_ascii(text_[behind])) {
      fail(behind, "a character beyond ASCII right after a backslash: begin the line with another");
    }
    return 2;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t parts_ = 1;
};

TomlNode convert(const toml::node& node);

void convert_members(const toml::table& table, TomlNode& result) {
  for (const auto& [key, member] : table) {
    result.children.push_back(convert(member));
    result.children.back().key = key.str();
    result.children.back().key_at = position_of(key.source());
  }
  std::stable_sort(result.children.begin(), result.children.end(),
                   [](const TomlNode& a, const TomlNode& b) { return a.key_at < b.key_at; });
}

TomlNode convert(const toml::node& node) {
  using Kind = TomlNode::Kind;
  TomlNode result;
  result.at = position_of(node.source());
  if (const auto* table = node.as_table()) {
    convert_members(*table, result);
  } else if (const auto* array = node.as_array()) {
    result.kind = Kind::array;
    for (const auto& element : *array) result.children.push_back(convert(element));
  } else if (const auto* text = node.as_string()) {
    result.kind = Kind::string;
    result.value = text->get();
  } else if (const auto* integer = node.as_integer()) {
    result.kind = Kind::integer;
    result.value = integer->get();
  } else if (const auto* real = node.as_floating_point()) {
    result.kind = Kind::real;
    result.value = real->get();
  } else if (const auto* boolean = node.as_boolean()) {
    result.kind = Kind::boolean;
    result.value = boolean->get();
  } else {
    result.kind = Kind::date;
  }
  return result;
}

void set_file(TomlNode& node, std::size_t file) {
  node.at.file = node.key_at.file = file;
  for (TomlNode& child : node.children) set_file(child, file);
}

}  // namespace

const TomlNode* TomlNode::find(std::string_view name) const noexcept {
  const auto found = std::find_if(children.begin(), children.end(), [&](const TomlNode& c) { return c.key == name; });
  return kind == Kind::table && found != children.end() ? &*found : nullptr;
}

std::string_view to_text(TomlNode::Kind kind) noexcept {
  constexpr EnumTexts<TomlNode::Kind> names("a boolean", "an integer", "a real number", "a string", "a date",
                                            "an array", "a table");
  return names[kind];
}

TomlNode parse_toml(std::string_view text, std::size_t file) try {
  Sieve(text).check();
  try {
    TomlNode root = convert(toml::parse(text));
    set_file(root, file);
    return root;
  } catch (const toml::parse_error& error) {
    throw TomlError{position_of(error.source()), std::string(error.description())};
  }
} catch (TomlError& error) {
  error.at.file = file;
  throw;
}

}  // namespace attune
