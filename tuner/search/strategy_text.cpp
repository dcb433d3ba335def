#include "search/strategy_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace attune {

std::string value_text(const StrategyOption& option, double value) {
  const auto position = static_cast<std::size_t>(value);
  return position < option.words.size() ? option.words[position] : fmt::format("{}", value);
}

std::string bounds_text(const StrategyOption& option) {
  if (!option.words.empty()) return fmt::format("one of {}", fmt::join(option.words, ", "));
  return fmt::format("a {}number from {} to {}", option.whole ? "whole " : "", option.least, option.most);
}

std::string canonical_strategy(std::string_view text) {
  check_strategy(text);
  const std::string_view name = text.substr(0, text.find(':'));
  std::string canonical(name);
  for (const StrategyEntry& entry : strategies()) {
    if (entry.name != name) continue;
    const StrategyOptions given(entry.name, entry.options,
                                name.size() < text.size() ? text.substr(name.size() + 1) : std::string_view());
    char separator = ':';
    for (const StrategyOption& option : entry.options) {
      const double value = given.number(option.name);
      if (value == option.by_default) continue;
      canonical += fmt::format("{}{}={}", separator, option.name, value_text(option, value));
      separator = ',';
    }
  }
  return canonical;
}

}  // namespace attune
