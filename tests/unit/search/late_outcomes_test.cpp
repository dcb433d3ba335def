// Strategies with several proposals under way: what comes late must not change what they are.
#include <gtest/gtest.h>

#include <algorithm>

#include "unit/search/driven.hpp"

namespace attune {
namespace {

// 4^12 configurations, all legal: random ones differ in nearly all parameters.
SearchSpace open_space() {
  std::vector<Parameter> parameters;
  for (const char* name : {"A", "B", "C", "D", "E", "F", "G", "H", "I", "J", "K", "L"})
    parameters.push_back({name, {0, 1, 2, 3}});
  return SearchSpace(std::move(parameters), {});
}

std::vector<std::size_t> differing(const Row& a, const Row& b) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] != b[i]) places.push_back(i);
  }
  return places;
}

// Every step away from the start gains: any value of any parameter is better than the start's.
TEST(Local, IsACoordinateSearchWhateverIsUnderWay) {
  const SearchSpace space = open_space();
  for (const std::size_t ahead : {1, 2, 3, 31}) {
    const auto strategy = make_strategy("local:sample=1,restart=random", space, 4);
    const Row start = *strategy->ask();
    const auto measure = [&](RowView row) {
      const auto steps = differing(start, Row(row.begin(), row.end())).size();
      return Outcome{true, std::exp(-static_cast<double>(steps)), 1};
    };
    strategy->tell(start, measure(start));
    std::size_t second = 0;       // proposals two changes away from the start
    std::set<std::size_t> first;  // parameters of those one change away, before any of these
    for (const Row& row : drive(*strategy, measure, 400, ahead)) {
      const auto places = differing(start, row);
      if (places.size() == 1 && second == 0) first.insert(places[0]);
      if (places.size() == 2) ++second;
    }
    EXPECT_EQ(first.size(), 1U) << "one parameter is tried, then the walk moves on; ahead: " << ahead;
    EXPECT_GE(second, 3U) << ahead;
  }
}

// What `text` proposes after a restart while outcomes from before it, good ones, are told: how far from the start.
std::size_t distance_after_restart(const std::string& text, std::size_t poor) {
  const SearchSpace space = open_space();
  const auto strategy = make_strategy(text, space, 4);
  const Row start = *strategy->ask();
  strategy->tell(start, {true, 1, 1});
  std::vector<Row> out;
  for (int i = 0; i < 10; ++i) out.push_back(*strategy->ask());
  for (std::size_t i = 0; i < poor; ++i) strategy->tell(out[i], {true, 100, 1});
  strategy->ask();  // what restarts where nothing better came
  for (std::size_t i = poor; i < out.size(); ++i) strategy->tell(out[i], {true, 0.9, 1});
  std::size_t least = start.size();
  for (int i = 0; i < 4; ++i) least = std::min(least, differing(start, *strategy->ask()).size());
  return least;
}

TEST(LocalSearches, StayWhereARestartLed) {
  EXPECT_GE(distance_after_restart("annealing:sample=1,patience=5,restart=random", 5), 5U);
  EXPECT_GE(distance_after_restart("tabu:sample=1,breadth=5,patience=5,kick=60", 5), 5U);
}

// Outcomes from before a restart must not use up the patience of the walk that it began.
TEST(Annealing, IsAsPatientAfterARestartAsBefore) {
  const SearchSpace space = open_space();
  const auto strategy = make_strategy("annealing:sample=1,patience=6,restart=random", space, 4);
  strategy->tell(*strategy->ask(), {true, 1, 1});
  std::vector<Row> late;
  for (int i = 0; i < 12; ++i) late.push_back(*strategy->ask());
  for (int i = 0; i < 6; ++i) strategy->tell(late[static_cast<std::size_t>(i)], {true, 100, 1});
  const Row begun = *strategy->ask();
  strategy->tell(begun, {true, 1, 1});  // the new walk's first configuration
  for (std::size_t i = 6; i < late.size(); ++i) strategy->tell(late[i], {true, 100, 1});
  for (int i = 0; i < 4; ++i) EXPECT_LE(differing(begun, *strategy->ask()).size(), 4U);
}

}  // namespace
}  // namespace attune
