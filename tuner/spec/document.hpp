// Document: a kernel file's front matter as a tree, with typed access. Its errors name file, line and column.
// TomlSection: one table of the document, with a fixed set of keys. Both live only while a file is read. One thread.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "attune/expression.hpp"
#include "spec/fault.hpp"
#include "spec/front_matter.hpp"
#include "spec/named_values.hpp"
#include "spec/toml_tree.hpp"

namespace attune {

// Which literals may be given for an expression instead of a string.
enum class Literal { none, integer, number, boolean, number_or_boolean };

// A file that front matter includes.
struct IncludedFile {
  std::string name;  // in messages
  std::string text;
};
// Returns the file of a name in `include`. Throws Error, which says why it cannot.
using IncludeReader = std::function<IncludedFile(const std::string& name)>;

class Document {
 public:
  // Reads the front matter of `text`, and puts that of the files that it includes before it. Throws SpecError. `text`
  // and `file` must outlive the document.
  Document(std::string_view text, const std::string& file, const IncludeReader& read);
  Document(const Document&) = delete;
  Document& operator=(const Document&) = delete;

  const TomlNode& root() const noexcept { return root_; }
  const FrontMatter& front_matter() const noexcept { return front_matter_; }

  [[noreturn]] void fail(Position at, const std::string& message) const;
  [[noreturn]] void fail(const TomlNode& node, const std::string& message) const { fail(node.at, message); }
  // Throws SpecError with the column of byte `offset` of the string, if the string has no escapes.
  [[noreturn]] void fail_in_string(const TomlNode& node, std::size_t offset, const std::string& message) const;
  [[noreturn]] void fail(const Fault& fault) const;
  // Throws SpecError "expected ..., found ...".
  [[noreturn]] void fail_kind(const TomlNode& node, std::string_view expected) const;
  // Returns a hint if a misplaced closing mark may explain an error, else "".
  std::string closing_hint() const;

  const std::string& string(const TomlNode& node, std::string_view expected = "a string") const;
  const std::vector<TomlNode>& array(const TomlNode& node, std::string_view expected) const;
  // Returns the expression of the node, as the file has it.
  Expression written(const TomlNode& node, Literal literal) const;
  // Returns the expression of the node, with the expressions of [values] in place of their names.
  Expression expression(const TomlNode& node, Literal literal) const;

  // Sets the values that expressions may name from here on.
  void set_values(NamedValues values) { values_ = std::move(values); }
  const NamedValues& values() const noexcept { return values_; }

 private:
  std::string values_hint(const TomlNode& node) const;
  Position position_in_string(const TomlNode& node, std::size_t offset) const;
  const TomlNode& node_at(std::string_view place) const;
  const std::string& name_of(Position at) const { return at.file == 0 ? file_ : included_[at.file - 1].name; }
  TomlNode parsed(std::string_view toml, std::size_t file) const;
  void read_included(const IncludeReader& read);
  void merge(TomlNode& into, TomlNode&& from, std::string_view section) const;
  std::string_view text_;
  const std::string& file_;
  FrontMatter front_matter_;
  std::vector<IncludedFile> included_;
  TomlNode root_;
  NamedValues values_;
};

class TomlSection {
 public:
  // Throws SpecError if `table` is not a table, or has a key that is not in `known`. `name` is for messages:
  // "[kernel]".
  TomlSection(const Document& document, const TomlNode& table, std::string name, const std::vector<std::string>& known);

  const TomlNode& table() const noexcept { return table_; }
  const TomlNode* find(std::string_view key) const noexcept { return table_.find(key); }
  // Returns the member with this key. Throws SpecError "[kernel] needs `name`" if it is absent.
  const TomlNode& need(std::string_view key) const;

  std::optional<std::string> string(std::string_view key) const;
  std::optional<bool> boolean(std::string_view key) const;
  std::optional<Expression> expression(std::string_view key, Literal literal) const;
  // Returns an empty list if the key is absent.
  std::vector<Expression> expressions(std::string_view key, Literal literal) const;
  std::vector<std::string> strings(std::string_view key) const;

 private:
  const Document& document_;
  const TomlNode& table_;
  std::string name_;
};

}  // namespace attune
