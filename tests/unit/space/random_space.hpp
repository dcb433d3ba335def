// RandomSpace: a small search space made at random, of the kinds of values and rules that kernels have, with some
// nonsense between: division by zero, overflow, names among numbers. A function of its seed alone. A plain value.
#pragma once

#include <functional>
#include <string>

#include "attune/search_space.hpp"

namespace attune {

// Bounds for what is made at random.
struct SpaceShape {
  int most_parameters = 7;
  int most_values = 6;
  int most_rules = 5;
  std::size_t least_combinations = 1;
  std::size_t most_combinations = 3000;
  bool wide = false;  // the first rule is one over all parameters that are numbers
};

class RandomSpace {
 public:
  explicit RandomSpace(std::uint64_t seed, const SpaceShape& shape = {});

  std::vector<Parameter> parameters;
  std::vector<Rule> rules;
  Problem problem;
  DeviceInfo device;

  SearchSpace space(const SpaceBudget& budget = {}) const;
  SearchSpace relaxed(const SpaceBudget& budget) const;
  std::string text() const;  // for messages

 private:
  int pick(int below) { return static_cast<int>(random_() % static_cast<std::uint64_t>(below)); }
  bool chance(int one_in) { return pick(one_in) == 0; }
  const std::string& one_of(const std::vector<std::string>& list) { return list[random_() % list.size()]; }

  void add_rule(Dialect dialect, const std::function<std::string()>& make, const Configuration& witness);
  std::vector<Value> values(int most_values);
  std::vector<Value> integers(int count);
  std::string written(const std::string& symbol, int depth = 0);
  std::string filled(std::string form, int depth);
  std::string wide_condition();

  std::mt19937_64 random_;
  bool odd_ = false;                                // more kinds of values, mixed more
  std::vector<std::string> all_, numbers_, names_;  // parameters; those whose values are numbers; names
};

}  // namespace attune
