// The table of strategies, and the registered ones.
#include <mutex>
#include <set>
#include <utility>

#include "attune/error.hpp"
#include "base/identifier.hpp"
#include "base/near_name.hpp"
#include "search/table.hpp"

namespace attune {
namespace {

constexpr StrategyEntry (*own_strategies[])() = {
    auto_strategy,           bayesian_strategy,  random_strategy,  exhaustive_strategy,
    local_strategy,          annealing_strategy, genetic_strategy, differential_evolution_strategy,
    particle_swarm_strategy, tabu_strategy};

// Names of strategies in other tuners, with the nearest of attune's strategies.
constexpr std::pair<std::string_view, std::string_view> foreign_names[] = {{"genetic_algorithm", "genetic"},
                                                                           {"simulated_annealing", "annealing"},
                                                                           {"dual_annealing", "annealing"},
                                                                           {"basinhopping", "annealing"},
                                                                           {"pso", "particle_swarm"},
                                                                           {"firefly_algorithm", "particle_swarm"},
                                                                           {"diff_evo", "differential_evolution"},
                                                                           {"brute_force", "exhaustive"},
                                                                           {"full_search", "exhaustive"},
                                                                           {"random_sample", "random"},
                                                                           {"mls", "local"},
                                                                           {"greedy_mls", "local"},
                                                                           {"ordered_greedy_mls", "local"},
                                                                           {"greedy_ils", "local"},
                                                                           {"bayes_opt", "bayesian"}};

std::string strategy_suggestion(std::string_view name, const std::vector<std::string>& known) {
  for (const auto& [foreign, ours] : foreign_names)
    if (name == foreign) return "; here it is `" + std::string(ours) + "`";
  return suggestion(name, known);
}

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

struct StrategyChoice {
  StrategyEntry entry;
  StrategyOptions options;
};

StrategyChoice choose(std::string_view text) {
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
  throw UsageError("unknown strategy `" + name + "`" + strategy_suggestion(name, names) + "; see: attune strategies");
}

// Throws unless `name:option=word,option=number` reads back the same. A name cannot be `help`, which asks for a list.
void check_entry(const StrategyEntry& entry) {
  if (!is_identifier(entry.name) || entry.name == "help")
    throw UsageError("a strategy cannot be named `" + entry.name +
                     "`: expected letters, digits and underscores, and not `help`");
  const std::string where = "strategy `" + entry.name + "`: ";
  std::set<std::string> names;
  for (const StrategyOption& option : entry.options) {
    if (!is_identifier(option.name))
      throw UsageError(where + "an option cannot be named `" + option.name +
                       "`: expected letters, digits and underscores");
    if (!names.insert(option.name).second) throw UsageError(where + "two options are named `" + option.name + "`");
    std::set<std::string> words;
    for (const std::string& word : option.words) {
      if (word.empty() || word.find_first_of("=,: \t\n\"'()[]") != std::string::npos || !words.insert(word).second)
        throw UsageError(where + "`" + option.name + "` cannot have the word `" + word +
                         "`: expected different ones without `=`, `,`, `:`, quotes, brackets and blanks");
    }
  }
}

}  // namespace

void register_strategy(StrategyEntry entry) {
  check_entry(entry);
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
  const StrategyChoice choice = choose(text);
  return choice.entry.make(space, seed, choice.options);
}

}  // namespace attune
