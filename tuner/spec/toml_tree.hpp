// TomlNode: TOML text as a tree that keeps the order and the positions of the source. A plain value, read-only after
// parse_toml(). toml++ itself sorts keys, and takes seconds to compile, so that only one file includes it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "spec/source_position.hpp"

namespace attune {

struct TomlNode {
  enum class Kind { boolean, integer, real, string, date, array, table };
  Kind kind = Kind::table;
  Position at;
  std::string key;  // if it is a member of a table
  Position key_at;
  std::variant<bool, std::int64_t, double, std::string> value = false;  // for the first four kinds
  std::vector<TomlNode> children;  // elements of an array; members of a table, in the order of the source

  const TomlNode* find(std::string_view name) const noexcept;
  const std::string& string() const { return std::get<std::string>(value); }
  std::int64_t integer() const { return std::get<std::int64_t>(value); }
  double real() const { return std::get<double>(value); }
  bool boolean() const { return std::get<bool>(value); }
};

// Returns "a string", "an array".
std::string_view to_text(TomlNode::Kind kind) noexcept;

struct TomlError {
  Position at;
  std::string message;
};

// Parses a document; `file` is that of its positions. Throws TomlError.
TomlNode parse_toml(std::string_view text, std::size_t file = 0);

}  // namespace attune
