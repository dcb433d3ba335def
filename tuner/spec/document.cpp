#include "spec/document.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <iterator>

#include "attune/error.hpp"
#include "base/enum_texts.hpp"
#include "base/near_name.hpp"
#include "spec/limits.hpp"
#include "spec/shortened.hpp"
#include "spec/unquoted.hpp"

namespace attune {
namespace {

constexpr std::string_view early_close =
    "; is the `*/` on line {} meant to close the front matter? A `*/` inside it ends the comment";

// Returns the text of a value for messages.
std::string shown(const TomlNode& node) {
  using Kind = TomlNode::Kind;
  if (node.kind == Kind::string) return fmt::format("the string `{}`", shortened(node.string()));
  if (node.kind == Kind::integer) return fmt::format("the integer {}", node.integer());
  if (node.kind == Kind::real) return fmt::format("the real number {}", node.real());
  if (node.kind == Kind::boolean) return fmt::format("`{}`", node.boolean());
  return std::string(to_text(node.kind));
}

struct LiteralRule {
  bool integer, real, boolean;
  std::string_view expected;
};
constexpr LiteralRule literal_rules[] = {
    {false, false, false, "an expression in quotes"},
    {true, false, false, "an expression in quotes or an integer"},
    {true, true, false, "an expression in quotes or a number"},
    {false, false, true, "an expression in quotes or a boolean"},
    {true, true, true, "an expression in quotes, a number or a boolean"},
};
static_assert(std::size(literal_rules) == enum_size<Literal>());

std::optional<Value> literal_value(const TomlNode& node, const LiteralRule& rule) {
  using Kind = TomlNode::Kind;
  if (node.kind == Kind::integer && rule.integer) return Value(node.integer());
  if (node.kind == Kind::real && rule.real && std::isfinite(node.real())) return Value(node.real());
  if (node.kind == Kind::boolean && rule.boolean) return Value(node.boolean());
  return std::nullopt;
}

// Returns the child at the first step of `place`, and removes that step; nullptr if there is none.
const TomlNode* step_into(const TomlNode& node, std::string_view& place) {
  if (const auto* whole = node.find(place)) {  // a key with dots in it
    place = {};
    return whole;
  }
  if (place.starts_with('[')) {
    const auto closing = std::min(place.find(']'), place.size() - 1);
    std::size_t index = 0;
    std::from_chars(place.data() + 1, place.data() + closing, index);
    place.remove_prefix(closing + 1);
    if (place.starts_with('.')) place.remove_prefix(1);
    return index < node.children.size() ? &node.children[index] : nullptr;
  }
  const auto end = std::min(place.find_first_of(".["), place.size());
  const auto* child = node.find(place.substr(0, end));
  place.remove_prefix(end);
  if (place.starts_with('.')) place.remove_prefix(1);
  return child;
}

}  // namespace

Document::Document(std::string_view text, const std::string& file, const IncludeReader& read)
    : text_(text), file_(file), front_matter_(split_front_matter(text, file)), root_(parsed(front_matter_.toml, 0)) {
  read_included(read);
}

TomlNode Document::parsed(std::string_view toml, std::size_t file) const try {
  return parse_toml(toml, file);
} catch (const TomlError& error) {
  if (const auto found = find_unquoted(toml, error.at.line))
    fail(error.at, fmt::format("the value of `{}` lacks quotes: texts and expressions stand in them; write {}",
                               shortened(found->key), shortened(found->line)));
  if (file > 0) fail(error.at, error.message + "; an included file is TOML alone, without `/*attune` and `*/`");
  const auto closing = position_at(text_, front_matter_.closing);
  const bool at_end = error.at.line >= closing.line;
  fail(error.at, error.message + (at_end ? closing_hint() : ""));
}

// Reads [kernel] include, and puts the members of those files before the members of this one.
void Document::read_included(const IncludeReader& read) {
  const auto list_in = [](const TomlNode& root) {
    const TomlNode* const kernel = root.find("kernel");
    return kernel == nullptr ? nullptr : kernel->find("include");
  };
  const TomlNode* const list = list_in(root_);
  if (list == nullptr) return;
  TomlNode whole;
  for (const TomlNode& node : array(*list, "an array of files, such as [\"shared.toml\"]")) {
    const std::string& name = string(node);
    const std::filesystem::path path = std::filesystem::path(name).lexically_normal();
    if (!path.has_filename() || path.is_absolute() || *path.begin() == "..")
      fail(node, fmt::format("`{}` is no file beside the kernel file, or in a folder there: put the file there, and "
                             "name it from there",
                             shortened(name)));
    if (included_.size() == max_entries) fail(node, fmt::format("more than {} files", max_entries));
    try {
      included_.push_back(read(path.string()));
    } catch (const Error& error) {
      fail(node, fmt::format("cannot include `{}`: {}", shortened(name), error.what()));
    }
    const IncludedFile& file = included_.back();
    require_text(file.text, file.name);
    TomlNode added = parsed(file.text, included_.size());
    if (const TomlNode* const nested = list_in(added))
      fail(nested->key_at, fmt::format("an included file includes no other: name the file in `include` of {}", file_));
    merge(whole, std::move(added), "");
  }
  merge(whole, std::move(root_), "");
  root_ = std::move(whole);
}

// Puts the members of a table behind those of `into`. Sections of one name become one, as lists that may grow do.
void Document::merge(TomlNode& into, TomlNode&& from, std::string_view section) const {
  using Kind = TomlNode::Kind;
  for (TomlNode& member : from.children) {
    const auto known = std::ranges::find(into.children, member.key, &TomlNode::key);
    if (known == into.children.end()) {
      into.children.push_back(std::move(member));
      continue;
    }
    const bool grows = section.empty() || (section == "restrictions" && member.key == "rules") ||
                       (section == "compile" && member.key == "options");
    if (!grows || known->kind != member.kind || (member.kind != Kind::table && member.kind != Kind::array))
      fail(member.key_at, fmt::format("`{}` stands in {}:{} too: remove it from one of the two files",
                                      shortened(member.key), name_of(known->key_at), known->key_at.line));
    known->at = member.at;
    known->key_at = member.key_at;
    if (member.kind == Kind::table)
      merge(*known, std::move(member), known->key);
    else
      std::ranges::move(member.children, std::back_inserter(known->children));
  }
}

std::string Document::closing_hint() const {
  if (!front_matter_.closes_midline) return "";
  return fmt::format(early_close, position_at(text_, front_matter_.closing).line);
}

void Document::fail(Position at, const std::string& message) const {
  throw spec_error(name_of(at), {std::max<std::size_t>(at.line, 1), std::max<std::size_t>(at.column, 1)}, message);
}

Position Document::position_in_string(const TomlNode& node, std::size_t offset) const {
  const std::string_view text = node.at.file == 0 ? text_ : included_[node.at.file - 1].text;
  const std::size_t quote = offset_at(text, node.at);
  const auto& value = node.string();
  const bool literal = quote < text.size() && (text[quote] == '"' || text[quote] == '\'') &&
                       text.substr(quote + 1, value.size()) == value && value.find('\n') == std::string::npos;
  // Three quotes open a multi-line string. An empty string is "" and has no place inside.
  if (!literal || value.empty() || text.substr(quote, 3) == std::string(3, text[quote])) return node.at;
  const auto before = std::string_view(value).substr(0, std::min(offset, value.size()));
  return {node.at.line, node.at.column + 1 + count_characters(before), node.at.file};
}

void Document::fail_in_string(const TomlNode& node, std::size_t offset, const std::string& message) const {
  fail(position_in_string(node, offset), message);
}

void Document::fail_kind(const TomlNode& node, std::string_view expected) const {
  fail(node, fmt::format("expected {}, found {}", expected, shown(node)));
}

const TomlNode& Document::node_at(std::string_view place) const {
  const TomlNode* node = &root_;
  while (!place.empty()) {
    const auto* child = step_into(*node, place);
    if (child == nullptr) break;
    node = child;
  }
  return *node;
}

void Document::fail(const Fault& fault) const {
  const auto& node = node_at(fault.place);
  if (fault.at_key && !node.key.empty()) fail(node.key_at, fault.what());
  const std::string hint = values_hint(node);  // offsets count in the text with values put in
  if (!hint.empty()) fail(node, fault.what() + hint);
  if (fault.offset && node.kind == TomlNode::Kind::string) fail_in_string(node, *fault.offset, fault.what());
  fail(node, fault.what());
}

// Returns a hint that names the values in a string that is an expression; "" if there are none.
std::string Document::values_hint(const TomlNode& node) const {
  if (node.kind != TomlNode::Kind::string) return "";
  try {
    const std::vector<std::string> used = values_.used_in(Expression(node.string()));
    return used.empty() ? "" : fmt::format("; it is written with `{}` of [values]", fmt::join(used, "`, `"));
  } catch (const ExpressionError&) {  // not an expression
    return "";
  }
}

const std::string& Document::string(const TomlNode& node, std::string_view expected) const {
  if (node.kind != TomlNode::Kind::string) fail_kind(node, expected);
  return node.string();
}

const std::vector<TomlNode>& Document::array(const TomlNode& node, std::string_view expected) const {
  if (node.kind != TomlNode::Kind::array) fail_kind(node, expected);
  return node.children;
}

Expression Document::expression(const TomlNode& node, Literal literal) const {
  const Expression as_written = written(node, literal);
  try {
    return values_.expanded(as_written);
  } catch (const ExpressionError& error) {
    fail(node, fmt::format("`{}` of [values] does not fit into `{}`: {}",
                           fmt::join(values_.used_in(as_written), "`, `"), shortened(as_written.text()), error.what()));
  }
}

Expression Document::written(const TomlNode& node, Literal literal) const {
  const auto& rule = literal_rules[static_cast<std::size_t>(literal)];
  if (const auto value = literal_value(node, rule)) return Expression(*value);
  const auto& text = string(node, rule.expected);
  try {
    return Expression(text);
  } catch (const ExpressionError& error) {
    fail_in_string(node, error.offset, error.what());
  }
}

TomlSection::TomlSection(const Document& document, const TomlNode& table, std::string name,
                         const std::vector<std::string>& known)
    : document_(document), table_(table), name_(std::move(name)) {
  if (table.kind != TomlNode::Kind::table) document.fail_kind(table, "the table " + name_);
  for (const auto& member : table.children) {
    if (std::find(known.begin(), known.end(), member.key) != known.end()) continue;
    document.fail(member.key_at,
                  fmt::format("unknown key `{}` in {}{}", shortened(member.key), name_, suggestion(member.key, known)));
  }
}

const TomlNode& TomlSection::need(std::string_view key) const {
  const auto* node = find(key);
  if (node == nullptr) document_.fail(table_, fmt::format("{} needs `{}`", name_, key));
  return *node;
}

std::optional<std::string> TomlSection::string(std::string_view key) const {
  const auto* node = find(key);
  if (node == nullptr) return std::nullopt;
  return document_.string(*node);
}

std::optional<bool> TomlSection::boolean(std::string_view key) const {
  const auto* node = find(key);
  if (node == nullptr) return std::nullopt;
  if (node->kind != TomlNode::Kind::boolean) document_.fail_kind(*node, "true or false");
  return node->boolean();
}

std::optional<Expression> TomlSection::expression(std::string_view key, Literal literal) const {
  const auto* node = find(key);
  if (node == nullptr) return std::nullopt;
  return document_.expression(*node, literal);
}

std::vector<Expression> TomlSection::expressions(std::string_view key, Literal literal) const {
  std::vector<Expression> result;
  const auto* node = find(key);
  if (node == nullptr) return result;
  for (const auto& element : document_.array(*node, "an array of expressions")) {
    result.push_back(document_.expression(element, literal));
  }
  return result;
}

std::vector<std::string> TomlSection::strings(std::string_view key) const {
  std::vector<std::string> result;
  const auto* node = find(key);
  if (node == nullptr) return result;
  for (const auto& element : document_.array(*node, "an array of strings")) result.push_back(document_.string(element));
  return result;
}

}  // namespace attune
