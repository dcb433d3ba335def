// Strategy: proposes configurations and sees what became of them (ask / tell). Write your own by deriving from it and
// registering it: apps/examples/own_strategy. One thread drives a strategy. It is deterministic: the same space, seed
// and order of calls give the same proposals; those without a model even on every platform.
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

// What became of a configuration.
struct Outcome {
  bool valid = false;    // it compiled, gave the right result and was measured
  double objective = 0;  // of a valid one: > 0, less is better. Only ratios mean something: units differ
  double seconds = 0;    // what trying it took, compiling and measuring; 0 where that is not known
};

// What is known of the same kernel from elsewhere: another device, or another problem. Its objectives are compared with
// each other only.
struct Experience {
  std::string source;  // for messages: "NVIDIA A100"
  std::vector<std::pair<Row, Outcome>> trials;
};

class Strategy {
 public:
  virtual ~Strategy() = default;
  // Before the first ask(). Returns whether the strategy makes use of it; the best configurations of an experience that
  // it does not are tried before its first proposal.
  virtual bool learn_from(const Experience& /*experience*/) { return false; }
  // The next configuration to try: legal, and neither proposed nor told before. Nothing when none is left, or none can
  // be proposed before more outcomes are told. May be called several times before any outcome is told: as many
  // configurations are compiled ahead as there are processors.
  virtual std::optional<Row> ask() = 0;
  // What became of a legal configuration: one that was proposed, sooner or later and in any order, or one that is known
  // from elsewhere (and will not be proposed).
  virtual void tell(RowView row, const Outcome& outcome) = 0;
};

// An option of a strategy: a number within bounds, or one of some words (its value is the word's position).
struct StrategyOption {
  std::string name, summary;
  double by_default = 0, least = 0, most = 0;
  bool whole = false;                   // only whole numbers
  std::vector<std::string> words = {};  // empty for a number
};

// The values of a strategy's options: as given, else by default.
class StrategyOptions {
 public:
  // "" or "walkers=4,cooling=0.99". Throws UsageError naming the option and what it takes.
  StrategyOptions(const std::string& strategy, std::vector<StrategyOption> options, std::string_view given = {});
  // Throws std::out_of_range for a name that is no option: a mistake in the strategy.
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

// Makes a strategy known under its name, to the command line too. Throws UsageError where the name is taken, is `help`
// or no identifier, or where two options have one name or such a name or word cannot be given on the command line.
// Any thread, but before the strategy is used.
void register_strategy(StrategyEntry entry);
// All that are known: attune's own, in the order of its table, then the registered ones. Any thread.
std::vector<StrategyEntry> strategies();

// "annealing" or "annealing:cooling=0.99,walkers=4". Throws UsageError with the nearest known name, or the option that
// is wrong. The space must outlive it.
std::unique_ptr<Strategy> make_strategy(std::string_view text, const SearchSpace& space, std::uint64_t seed);
// Throws as make_strategy() does.
void check_strategy(std::string_view text);

}  // namespace attune
