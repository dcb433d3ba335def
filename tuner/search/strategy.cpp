#include "search/strategy.hpp"

#include <string>
#include <vector>

#include "attune/error.hpp"
#include "core/near_name.hpp"
#include "search/exhaustive.hpp"
#include "search/random_order.hpp"

namespace attune {
namespace {

constexpr StrategyEntry kStrategies[] = {
    {"random", "uniform over the legal configurations, without repetition", make_random},
    {"exhaustive", "every legal configuration, in index order", make_exhaustive},
};

}  // namespace

std::span<const StrategyEntry> strategies() noexcept { return kStrategies; }

const StrategyEntry& strategy_named(std::string_view name) {
  std::vector<std::string> names;
  for (const StrategyEntry& entry : kStrategies) {
    if (entry.name == name) return entry;
    names.emplace_back(entry.name);
  }
  throw UsageError("unknown strategy `" + std::string(name) + "`" + suggestion(name, names));
}

}  // namespace attune
