// Strategy: proposes configurations and learns their outcomes (ask / tell). To write a strategy, derive from this class
// and register it: apps/examples/own_strategy. One thread drives a strategy. A strategy must be deterministic: equal
// space, seed and order of calls give equal proposals. Of attune's own strategies, those without a model give equal
// proposals on every platform.
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
  bool valid = false;    // the configuration compiled, gave the right result and was measured
  double objective = 0;  // if valid: > 0, less is better. Only ratios have a meaning, since units differ
  double seconds = 0;    // in a session, of compiling; in a recording, of the whole trial; 0 if unknown
};

// Trials of the same kernel on another device or for another problem. Compare its objectives only with each other.
struct Experience {
  std::string source;  // for messages: "NVIDIA A100"
  std::vector<std::pair<Row, Outcome>> trials;
};

class Strategy {
 public:
  virtual ~Strategy() = default;
  // Called before the first ask(). Returns whether the strategy uses the experience. If it does not, a session may try
  // the best configuration of the experience before the strategy's first proposal.
  virtual bool learn_from(const Experience& /*experience*/) { return false; }
  // Returns the next configuration to try. It must be legal, not proposed before, and not told before. Returns nothing
  // when none is left, or when none can be proposed without further outcomes. Several calls may come before an outcome,
  // because as many configurations are compiled ahead as there are processors.
  virtual std::optional<Row> ask() = 0;
  // Takes the outcome of a legal configuration. The configuration was proposed before, or its outcome is known from
  // elsewhere without a proposal. Outcomes come in any order.
  virtual void tell(RowView row, const Outcome& outcome) = 0;
};

// An option of a strategy: a number within bounds, or one of some words. The value of a word is its position.
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
  // Returns the value of an option. Throws std::out_of_range for a name that is no option.
  double number(std::string_view name) const;
  std::size_t count(std::string_view name) const;  // for a whole number >= 0, or a word's position

 private:
  std::vector<StrategyOption> options_;  // by_default has the given value, if one was given
};

struct StrategyEntry {
  std::string name;     // letters, digits, underscores
  std::string summary;  // one line
  std::vector<StrategyOption> options;
  // Makes the strategy. `space` is not empty and outlives the strategy.
  std::function<std::unique_ptr<Strategy>(const SearchSpace& space, std::uint64_t seed, const StrategyOptions& options)>
      make;
};

// Adds a strategy, also to the command line. Throws UsageError if the name is taken, is `help` or is no identifier; if
// two options share a name; or if the command line cannot express the name or a word of an option. Any thread may call
// it; call it before the strategy is used.
void register_strategy(StrategyEntry entry);
// Returns all strategies: attune's own, in the order of its table, then the registered ones. Any thread.
std::vector<StrategyEntry> strategies();

// Makes a strategy from "annealing" or "annealing:cooling=0.99,walkers=4". Throws UsageError that suggests the nearest
// known name, or names the wrong option. `space` must not be empty and must outlive the strategy. Any thread.
std::unique_ptr<Strategy> make_strategy(std::string_view text, const SearchSpace& space, std::uint64_t seed);
// Throws as make_strategy() does, without making the strategy. Any thread.
void check_strategy(std::string_view text);

}  // namespace attune
