#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <stdexcept>

#include "attune/error.hpp"
#include "attune/strategy.hpp"
#include "base/near_name.hpp"
#include "expression/assignments.hpp"

namespace attune {
namespace {

std::string takes(const StrategyOption& option) {
  if (!option.words.empty()) return fmt::format("one of {}", fmt::join(option.words, ", "));
  return fmt::format("a {}number from {} to {}", option.whole ? "whole " : "", option.least, option.most);
}

double value_of(const StrategyOption& option, const std::string& text, const std::string& where) {
  for (std::size_t i = 0; i < option.words.size(); ++i) {
    if (option.words[i] == text) return static_cast<double>(i);
  }
  double value = 0;
  const char* const text_end = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), text_end, value);
  const bool is_number = option.words.empty() && error == std::errc() && end == text_end && std::isfinite(value);
  if (!is_number || value < option.least || value > option.most || (option.whole && value != std::floor(value)))
    throw UsageError(fmt::format("{}: `{}` takes {}, not `{}`", where, option.name, takes(option), text));
  return value;
}

}  // namespace

StrategyOptions::StrategyOptions(const std::string& strategy, std::vector<StrategyOption> options,
                                 std::string_view given)
    : options_(std::move(options)) {
  if (given.empty()) return;
  std::vector<std::string> names;
  for (const auto& option : options_) names.push_back(option.name);
  const std::string where = "strategy `" + strategy + "`";
  std::vector<std::string> met;
  for (const std::string& item : split_at_commas(given)) {
    const std::size_t sign = item.find('=');
    if (sign == std::string::npos)
      throw UsageError(where + ": `" + item + "`: expected option=value; see: attune strategies");
    const std::string name = item.substr(0, sign);
    if (std::find(met.begin(), met.end(), name) != met.end())
      throw UsageError(where + ": `" + name + "` is given twice; leave one out");
    met.push_back(name);
    bool known = false;
    for (auto& option : options_) {
      if (option.name != name) continue;
      option.by_default = value_of(option, item.substr(sign + 1), where);
      known = true;
    }
    if (!known) throw UsageError(where + " has no option `" + name + "`" + suggestion(name, names));
  }
}

double StrategyOptions::number(std::string_view name) const {
  for (const auto& option : options_) {
    if (option.name == name) return option.by_default;
  }
  throw std::out_of_range("no strategy option `" + std::string(name) + "`");
}

std::size_t StrategyOptions::count(std::string_view name) const { return static_cast<std::size_t>(number(name)); }

}  // namespace attune
