// Every strategy that looks at outcomes finds better configurations than random search does.
#include <gtest/gtest.h>

#include <algorithm>

#include "unit/search/driven.hpp"

namespace attune {
namespace {

// A tiled kernel: 9,840 legal configurations.
SearchSpace tiled_space() {
  return SearchSpace({{"X", {4, 8, 16, 32, 64, 128, 256}},
                      {"Y", {1, 2, 4, 8, 16, 32}},
                      {"TILE_X", {1, 2, 3, 4, 5, 6, 7, 8}},
                      {"TILE_Y", {1, 2, 3, 4, 5, 6, 7, 8}},
                      {"UNROLL", {0, 1, 2, 4, 8}},
                      {"PAD", {0, 1}}},
                     {"X * Y >= 32", "X * Y <= 512", "TILE_X * TILE_Y <= 24", "UNROLL == 0 or TILE_X % UNROLL == 0",
                      "PAD == 0 or X % 32 == 0"});
}

// Factor over the optimum of the best of `trials`, in the median of 20 seeds.
double median_found(const std::string& name, const SearchSpace& space, std::size_t trials, std::size_t ahead) {
  std::vector<double> found;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    double best = 1e9;
    const auto measure = [&](RowView row) {
      const Outcome outcome = bowl(space, row);
      if (outcome.valid) best = std::min(best, outcome.objective);
      return outcome;
    };
    drive(*make_strategy(name, space, seed), measure, trials, ahead);
    found.push_back(best);
  }
  std::sort(found.begin(), found.end());
  double optimum = 1e9;
  space.for_each([&](RowView row) {
    const Outcome outcome = bowl(space, row);
    if (outcome.valid) optimum = std::min(optimum, outcome.objective);
    return true;
  });
  return (found[9] + found[10]) / 2 / optimum;
}

std::vector<std::string> guided_names() {
  std::vector<std::string> all;
  for (const StrategyEntry& entry : strategies()) {
    if (entry.name != "random" && entry.name != "exhaustive") all.push_back(entry.name);
  }
  return all;
}

class EveryGuidedStrategy : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(, EveryGuidedStrategy, testing::ValuesIn(guided_names()),
                         [](const auto& test) { return test.param; });

// Three quarters of what random search leaves to gain, or less; most leave under a half. Also with eight proposals out.
TEST_P(EveryGuidedStrategy, BeatsRandomClearly) {
  const SearchSpace space = tiled_space();
  for (const std::size_t ahead : {1, 8})
    EXPECT_LT(median_found(GetParam(), space, 120, ahead) - 1, (median_found("random", space, 120, ahead) - 1) * 0.75);
}

}  // namespace
}  // namespace attune
