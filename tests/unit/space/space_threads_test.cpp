// One search space read by several threads at once; worth most under a sanitizer.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "attune/search_space.hpp"
#include "support/hard_spaces.hpp"

namespace attune {
namespace {

// Do a thread's calls on `space` agree with one another?
bool agrees(const SearchSpace& space, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Row row(space.parameters().size()), to(row.size());
  if (space.effects().size() != space.rules().size() || space.values_left(0).empty()) return false;
  for (int i = 0; i < 500; ++i) {
    space.sample(random, row);
    const Configuration configuration = space.configuration(row);
    if (!space.contains(row) || !space.contains(configuration)) return false;
    if (space.exact() && space.at(*space.index_of(row)) != configuration) return false;
    for (const auto kind : {Neighbourhood::any_value, Neighbourhood::adjacent_value, Neighbourhood::adjacent_all}) {
      if (space.random_neighbour(row, kind, random, to) && !space.contains(to)) return false;
    }
    if (space.nearest(configuration) != configuration || !space.broken_rules(configuration).empty()) return false;
  }
  return true;
}

TEST(SearchSpace, IsReadByManyThreads) {
  std::vector<Rule> rules = {{Expression("P0 * P1 <= 16"), false},
                             {Expression("P2 % P3 == 0"), false},
                             {Expression("P4 + P5 + P6 == P7"), false}};
  const std::vector<Parameter> parameters = range_parameters(8, 1, 8);
  const SearchSpace exact(parameters, rules);
  // Beside the others a sum over too many combinations for a table, and a budget that does not even look at it.
  rules.push_back({Expression("(7 * P0 + 11 * P2 + 13 * P4 + 17 * P5 + 19 * P6 + 23 * P7) % 5 != 0"), false});
  const SearchSpace relaxed = SearchSpace::relaxed(parameters, rules, nullptr, nullptr, {.nodes = 2});
  ASSERT_FALSE(relaxed.exact());
  for (const SearchSpace* space : {&exact, &relaxed}) {
    std::atomic<int> agreed = 0;
    std::vector<std::thread> running;
    for (std::uint64_t i = 0; i < 4; ++i) running.emplace_back([&, i] { agreed += agrees(*space, i) ? 1 : 0; });
    for (auto& thread : running) thread.join();
    EXPECT_EQ(agreed, 4);
  }
}

}  // namespace
}  // namespace attune
