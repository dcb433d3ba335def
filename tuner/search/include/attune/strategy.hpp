// Strategy: proposes configurations and learns their outcomes (ask / tell). To write one, derive from it and register
// it: apps/examples/own_strategy. One thread drives a strategy. A strategy is deterministic: equal space, seed and
// order of calls give equal proposals. A strategy without a model gives equal proposals on every platform.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "attune/search_space.hpp"

namespace attune {

struct Outcome {
  bool valid = false;    // it compiled, gave the right result and was measured
  double objective = 0;  // of a valid one: > 0, less is better. Only ratios mean something: units differ
  double seconds = 0;    // for compiling and measuring; 0 where that is not known
};

// What is known of the same kernel from another device or another problem. Its objectives are compared with each other
// only.
struct Experience {
  std::string source;  // for messages: "NVIDIA A100"
  std::vector<std::pair<Row, Outcome>> trials;
};

class Strategy {
 public:
  virtual ~Strategy() = default;
  // Called before the first ask(). Returns whether the strategy uses the experience. If not, the best configurations of
  // the experience are tried before its first proposal.
  virtual bool learn_from(const Experience& /*experience*/) { return false; }
  // Returns the next configuration to try: legal, and neither proposed nor known before. Returns nothing when none is
  // left, or none can be proposed without further outcomes. Several calls may come before an outcome: as many
  // configurations are compiled ahead as there are processors.
  virtual std::optional<Row> ask() = 0;
  // Takes the outcome of a legal configuration. It was proposed before, or is known from elsewhere and need not be
  // proposed. Outcomes come in any order.
  virtual void tell(RowView row, const Outcome& outcome) = 0;
};

// A number within bounds, or one of some words; the word's position is the value.
struct StrategyOption {
  std::string name, summary;
  double by_default = 0, least = 0, most = 0;
  bool whole = false;                   // only whole numbers
  std::vector<std::string> words = {};  // empty for a number
};

class StrategyOptions {
 public:
  // Reads "" or "walkers=4,cooling=0.99". Throws UsageError naming the option and what it takes.
  StrategyOptions(const std::string& strategy, std::vector<StrategyOption> options, std::string_view given = {});
  // Throws std::out_of_range for a name that is no option.
  double number(std::string_view name) const;
  std::size_t count(std::string_view name) const;  // of a whole number >= 0, or a word's position

 private:
  std::vector<StrategyOption> options_;  // by_default replaced by what was given
};

struct StrategyEntry {
  std::string name;     // letters, digits, underscores
  std::string summary;  // one line
  std::vector<StrategyOption> options;
  // `space` outlives the strategy and is not empty.
  std::function<std::unique_ptr<Strategy>(const SearchSpace& space, std::uint64_t seed, const StrategyOptions& options)>
      make;
};

// Adds a strategy, to the command line too. Throws UsageError where the name is taken, is `help` or is no identifier.
// Throws it also where two options share a name, or the command line cannot express a name or word. Any thread may call
// it, before the strategy is used.
void register_strategy(StrategyEntry entry);
// Returns all strategies: attune's own, in the order of its table, then the registered ones. Any thread.
std::vector<StrategyEntry> strategies();

// Makes a strategy from "annealing" or "annealing:cooling=0.99,walkers=4". Throws UsageError with the nearest known
// name, or with the wrong option. `space` must outlive the strategy.
std::unique_ptr<Strategy> make_strategy(std::string_view text, const SearchSpace& space, std::uint64_t seed);
// Throws as make_strategy() does.
void check_strategy(std::string_view text);

}  // namespace attune
