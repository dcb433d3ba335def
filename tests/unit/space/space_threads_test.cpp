// One search space read by several threads at once; worth most under a sanitizer.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "attune/search_space.hpp"

namespace attune {
namespace {

constexpr int threads = 4;

// Whether every thread's calls on `space` agree with one another; each has its own state of randomness.
bool agrees(const SearchSpace& space, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Row row(space.parameters().size()), to(row.size());
  for (int i = 0; i < 500; ++i) {
    space.sample(random, row);
    const Configuration configuration = space.configuration(row);
    if (!space.contains(row) || !space.contains(configuration)) return false;
    if (space.exact() && space.at(*space.index_of(row)) != configuration) return false;
    for (const auto kind : {Neighbourhood::any_value, Neighbourhood::adjacent_value, Neighbourhood::adjacent_all}) {
      if (space.random_neighbour(row, kind, random, to) && !space.contains(to)) return false;
    }
    if (space.nearest(configuration) != configuration) return false;
    if (i == 0 && (space.effects().size() != space.rules().size() || !space.broken_rules(configuration).empty()))
      return false;
    if (space.values_left(0).empty()) return false;
  }
  return true;
}

void expect_threads_agree(const SearchSpace& space) {
  std::atomic<int> agreed = 0;
  std::vector<std::thread> running;
  for (int i = 0; i < threads; ++i)
    running.emplace_back([&, i] { agreed += agrees(space, static_cast<std::uint64_t>(i)) ? 1 : 0; });
  for (auto& thread : running) thread.join();
  EXPECT_EQ(agreed, threads);
}

std::vector<Parameter> parameters() {
  std::vector<Parameter> parameters;
  for (int i = 0; i < 8; ++i) parameters.push_back({"P" + std::to_string(i), {1, 2, 3, 4, 5, 6, 7, 8}});
  return parameters;
}

const std::vector<Rule> rules = {{Expression("P0 * P1 <= 16"), false},
                                 {Expression("P2 % P3 == 0"), false},
                                 {Expression("P4 + P5 + P6 == P7"), false}};

TEST(SearchSpace, IsReadByManyThreads) { expect_threads_agree(SearchSpace(parameters(), rules)); }

TEST(SearchSpace, RelaxedIsReadByManyThreads) {
  // Beside the others a sum over too many combinations for a table, and a budget that does not even look at it.
  std::vector<Rule> more = rules;
  more.push_back({Expression("(7 * P0 + 11 * P2 + 13 * P4 + 17 * P5 + 19 * P6 + 23 * P7) % 5 != 0"), false});
  SpaceBudget budget;
  budget.nodes = 2;
  const SearchSpace space = SearchSpace::relaxed(parameters(), more, nullptr, nullptr, budget);
  ASSERT_FALSE(space.exact());
  expect_threads_agree(space);
}

}  // namespace
}  // namespace attune
