// The table of strategies, and what is registered beside it.
#include <mutex>

#include "attune/error.hpp"
#include "core/near_name.hpp"
#include "core/words.hpp"
#include "search/table.hpp"

namespace attune {
namespace {

constexpr StrategyEntry (*own_strategies[])() = {
    auto_strategy,           bayesian_strategy,  random_strategy,  exhaustive_strategy,
    local_strategy,          annealing_strategy, genetic_strategy, differential_evolution_strategy,
    particle_swarm_strategy, tabu_strategy};

struct Registry {
  std::mutex mutex;
  std::vector<StrategyEntry> entries;
  Registry() {
    for (const auto entry : own_strategies) entries.push_back(entry());
  }
};

Registry& registry() {
  static Registry all;
  return all;
}

struct Choice {
  StrategyEntry entry;
  StrategyOptions options;
};

Choice choose(std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::string name(text.substr(0, colon));
  std::vector<std::string> names;
  for (StrategyEntry& entry : strategies()) {
    names.push_back(entry.name);
    if (entry.name != name) continue;
    StrategyOptions options(name, entry.options,
                            colon == std::string_view::npos ? std::string_view() : text.substr(colon + 1));
    return {std::move(entry), std::move(options)};
  }
  throw UsageError("unknown strategy `" + name + "`" + suggestion(name, names) + "; see: attune tune --strategy help");
}

}  // namespace

void register_strategy(StrategyEntry entry) {
  if (!is_identifier(entry.name)) throw UsageError("a strategy cannot be named `" + entry.name + "`");
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  for (const StrategyEntry& known : all.entries) {
    if (known.name == entry.name) throw UsageError("there is a strategy named `" + entry.name + "` already");
  }
  all.entries.push_back(std::move(entry));
}

std::vector<StrategyEntry> strategies() {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  return all.entries;
}

void check_strategy(std::string_view text) { choose(text); }

std::unique_ptr<Strategy> make_strategy(std::string_view text, const SearchSpace& space, std::uint64_t seed) {
  const Choice choice = choose(text);
  return choice.entry.make(space, seed, choice.options);
}

}  // namespace attune
