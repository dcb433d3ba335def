#include "kernel/substitute.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>

#include "attune/error.hpp"
#include "base/identifier.hpp"
#include "core/type_table.hpp"
#include "kernel/instantiate.hpp"

namespace attune {
namespace {

void add_once(std::vector<std::string>& names, std::string_view name) {
  if (std::find(names.begin(), names.end(), name) == names.end()) names.emplace_back(name);
}

// Calls `name` for every identifier inside the outermost <...>, and `other` for all text between.
void walk_entry(std::string_view entry, const std::function<void(std::string_view)>& name,
                const std::function<void(std::string_view)>& other) {
  const std::size_t open = entry.find('<'), close = entry.rfind('>');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) return other(entry);
  other(entry.substr(0, open));
  for (std::size_t at = open; at < close;) {
    if (!is_word(entry[at])) {
      other(entry.substr(at++, 1));
      continue;
    }
    std::size_t end = at;
    while (end < close && is_word(entry[end])) ++end;
    const bool qualified = entry.substr(0, at).ends_with("::");
    (is_digit(entry[at]) || qualified ? other : name)(entry.substr(at, end - at));
    at = end;
  }
  other(entry.substr(close));
}

}  // namespace

std::string source_text(const Value& value) {
  const TypeInfo* const type = value.is_name() ? find_type(value.name()) : nullptr;
  // The least integer has no literal: that of its positive is too large.
  if (value.is_integer() && value.integer() == std::numeric_limits<std::int64_t>::min())
    return "(-9223372036854775807-1)";
  return type != nullptr ? std::string(type->spelling) : value.text();
}

std::vector<std::string> names_in_entry(std::string_view entry) {
  std::vector<std::string> names;
  walk_entry(
      entry, [&](std::string_view name) { add_once(names, name); }, [](std::string_view) {});
  return names;
}

std::string instantiate_entry(std::string_view entry, const Scope& scope) {
  std::string text;
  const auto put_in = [&](std::string_view name) {
    const Value* const value = scope.find(name);
    text += value != nullptr ? source_text(*value) : std::string(name);
  };
  walk_entry(entry, put_in, [&](std::string_view other) { text += other; });
  return text;
}

OptionTemplate parse_option(std::string_view option) {
  constexpr std::string_view keyword = " if ";
  OptionTemplate result;
  const std::size_t at = option.rfind(keyword);
  result.text = option.substr(0, at);
  if (at != std::string_view::npos) result.condition = Expression(option.substr(at + keyword.size()));
  for (std::size_t open = result.text.find('{'); open != std::string::npos; open = result.text.find('{', open + 1)) {
    const std::size_t close = result.text.find('}', open);
    if (close == std::string::npos) throw UsageError(fmt::format("option `{}`: the {{ is never closed", option));
    const std::string name = result.text.substr(open + 1, close - open - 1);
    if (!is_identifier(name)) throw UsageError(fmt::format("option `{}`: expected a name in {{{}}}", option, name));
    add_once(result.names, name);
  }
  return result;
}

std::optional<std::string> instantiate_option(const OptionTemplate& option, const Scope& scope) {
  if (option.condition) {
    const auto result = option.condition->evaluate(scope);
    if (const auto* undefined = std::get_if<Undefined>(&result)) {
      throw Error(fmt::format("option `{}` if {}: {}", option.text, option.condition->text(), undefined->reason));
    }
    if (!option.condition->holds(scope)) return std::nullopt;
  }
  std::string text = option.text;
  for (const auto& name : option.names) {
    const Value* const value = scope.find(name);
    if (value == nullptr) throw Error(fmt::format("option `{}`: `{}` is not bound", option.text, name));
    const std::string hole = '{' + name + '}', filled = source_text(*value);
    for (std::size_t at = text.find(hole); at != std::string::npos; at = text.find(hole, at + filled.size())) {
      text.replace(at, hole.size(), filled);
    }
  }
  return text;
}

}  // namespace attune
