// What every strategy that is registered has to keep.
#include <gtest/gtest.h>

#include "unit/search/driven.hpp"
#include "unit/space/chi_square.hpp"

namespace attune {
namespace {

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const StrategyEntry& entry : strategies()) all.push_back(entry.name);
  return all;
}

class EveryStrategy : public testing::TestWithParam<std::string> {
 protected:
  std::unique_ptr<Strategy> make(const SearchSpace& space, std::uint64_t seed = 7) const {
    return make_strategy(GetParam(), space, seed);
  }
};

INSTANTIATE_TEST_SUITE_P(, EveryStrategy, testing::ValuesIn(names()), [](const auto& test) { return test.param; });

Measure bowl_of(const SearchSpace& space) {
  return [&](RowView row) { return bowl(space, row); };
}

// Every element of `rows` once, and all of `expected`.
void expect_each_once(const std::vector<Row>& rows, const std::set<Row>& expected) {
  EXPECT_EQ(rows.size(), expected.size());
  EXPECT_EQ(std::set<Row>(rows.begin(), rows.end()), expected);
}

TEST_P(EveryStrategy, ProposesEveryLegalConfigurationOnceWhateverTheOutcomes) {
  const SearchSpace space = small_space();
  const Measure fails = [](RowView) { return Outcome{}; }, alike = [](RowView) { return Outcome{true, 2.5, 1}; };
  const std::pair<Measure, std::size_t> outcomes[] = {
      {bowl_of(space), 1}, {bowl_of(space), 30}, {fails, 3}, {alike, 3}};
  for (const auto& [measure, ahead] : outcomes)
    expect_each_once(drive(*make(space), measure, 10'000, ahead), all_rows(space));
}

TEST_P(EveryStrategy, ProposesThirtyTwoBeforeAnyOutcome) {
  const SearchSpace space = small_space();
  const auto strategy = make(space);
  std::set<Row> rows;
  for (int i = 0; i < 32; ++i) {
    const auto row = strategy->ask();
    ASSERT_TRUE(row) << i;
    rows.insert(*row);
  }
  EXPECT_EQ(rows.size(), 32U);
}

TEST_P(EveryStrategy, IsDeterministicBySeedAndDoesNotSeeTheUnitOfTheObjective) {
  const SearchSpace space = small_space();
  const auto in_other_unit = [&](RowView row) {
    Outcome outcome = bowl(space, row);
    outcome.objective *= 1e6;
    return outcome;
  };
  for (const std::size_t ahead : {1, 9}) {
    const auto first = drive(*make(space), bowl_of(space), 150, ahead);
    EXPECT_EQ(first, drive(*make(space), bowl_of(space), 150, ahead));
    EXPECT_EQ(first, drive(*make(space), in_other_unit, 150, ahead));
    if (GetParam() == "exhaustive") continue;
    EXPECT_NE(first, drive(*make(space, 8), bowl_of(space), 150, ahead));
  }
}

TEST_P(EveryStrategy, DoesNotProposeWhatItWasToldOf) {
  const SearchSpace space = small_space();
  const auto strategy = make(space);
  const std::set<Row> all = all_rows(space);
  std::set<Row> left = all;
  for (const Row& row : all) {
    if ((row[0] + row[1] + row[3]) % 3 != 0) continue;
    strategy->tell(row, bowl(space, row));
    left.erase(row);
  }
  ASSERT_LT(left.size(), all.size());
  expect_each_once(drive(*strategy, bowl_of(space), 10'000, 5), left);
}

TEST_P(EveryStrategy, TakesForeignOutcomesAtAnyTime) {
  const SearchSpace space = small_space();
  const auto strategy = make(space);
  std::set<Row> left = all_rows(space);
  const std::vector<Row> foreign(left.begin(), left.end());
  std::size_t next = 0;
  // Each outcome comes with one of a configuration that may have been proposed or not; twice it is told again.
  const auto measure = [&](RowView row) {
    strategy->tell(foreign[next], bowl(space, foreign[next]));
    if (next % 50 == 0) strategy->tell(foreign[next], bowl(space, foreign[next]));
    left.erase(foreign[next]);
    next = (next + 5) % foreign.size();
    return bowl(space, row);
  };
  const std::vector<Row> proposed = drive(*strategy, measure, 10'000, 4);
  EXPECT_EQ(std::set<Row>(proposed.begin(), proposed.end()).size(), proposed.size());
  for (const Row& row : proposed) left.erase(row);
  EXPECT_TRUE(left.empty());
}

TEST_P(EveryStrategy, ManagesASpaceOfOneConfigurationAndOneWhereAllIsKnown) {
  const SearchSpace one({{"A", {1, 2, 3}}, {"B", {5}}}, {"A == 2"}),
      known({{"A", {1, 2, 3}}, {"B", {5, 6}}}, {"A != 2"});
  auto strategy = make(one);
  const auto row = strategy->ask();
  ASSERT_TRUE(row);
  EXPECT_TRUE(one.contains(*row));
  EXPECT_FALSE(strategy->ask());
  strategy->tell(*row, {true, 1, 1});
  EXPECT_FALSE(strategy->ask());
  strategy = make(known);
  for (const Row& each : all_rows(known)) strategy->tell(each, {true, 1, 1});
  EXPECT_FALSE(strategy->ask());
}

TEST_P(EveryStrategy, ManagesAHugeSpace) {
  const SearchSpace space = huge_space();
  ASSERT_GT(space.size(), SpaceSize{1'000'000'000'000'000'000U} * 10);
  const auto rows = drive(*make(space), bowl_of(space), 150, 8);
  EXPECT_EQ(rows.size(), 150U);
  EXPECT_EQ(std::set<Row>(rows.begin(), rows.end()).size(), rows.size());
  for (const Row& row : rows) ASSERT_TRUE(space.contains(row));
}

TEST_P(EveryStrategy, ProposesNothingThatARuleLeftOutForbids) {
  const RelaxedSpace relaxed;
  ASSERT_FALSE(relaxed.space.exact());
  ASSERT_TRUE(relaxed.whole.exact());
  ASSERT_GT(relaxed.space.size(), relaxed.whole.size());
  expect_each_once(drive(*make(relaxed.space), bowl_of(relaxed.space), 10'000, 3), all_rows(relaxed.whole));
}

TEST(Exhaustive, FollowsTheIndexOrder) {
  const SearchSpace space = small_space();
  const auto strategy = make_strategy("exhaustive", space, 0);
  for (SpaceSize i = 0; i < space.size(); ++i) {
    Row row(space.parameters().size());
    space.at(i, row);
    EXPECT_EQ(strategy->ask(), row);
  }
}

TEST(Random, IsUniform) {
  const SearchSpace space({{"A", {1, 2, 3, 4}}, {"B", {1, 2, 3}}}, {"A % B == 0"});
  std::vector<std::uint64_t> first(static_cast<std::size_t>(space.size()));
  for (std::uint64_t seed = 0; seed < 8000; ++seed)
    ++first[static_cast<std::size_t>(*space.index_of(*make_strategy("random", space, seed)->ask()))];
  EXPECT_TRUE(is_plausible(first, std::vector<double>(first.size(), 1)));
}

}  // namespace
}  // namespace attune
