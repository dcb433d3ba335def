#include "score/simulate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "attune/error.hpp"
#include "support/message_of.hpp"
#include "unit/score/small_recording.hpp"

namespace attune {
namespace {

using testing::HasSubstr;

// Proposes the given trials, whatever it is told, and notes what that is.
class Scripted final : public Strategy {
 public:
  explicit Scripted(std::vector<Row> rows) : rows_(std::move(rows)) {}
  std::optional<Row> ask() override { return next_ < rows_.size() ? std::optional(rows_[next_++]) : std::nullopt; }
  void tell(RowView, const Outcome& outcome) override { told.push_back(outcome); }
  std::vector<Outcome> told;

 private:
  std::vector<Row> rows_;
  std::size_t next_ = 0;
};

std::vector<std::uint32_t> trials_of(const Visits& visits) {
  std::vector<std::uint32_t> trials;
  for (const Visit& visit : visits) trials.push_back(visit.trial);
  return trials;
}

std::vector<double> numbers_of(const Visits& visits, double Visit::*member) {
  std::vector<double> numbers;
  for (const Visit& visit : visits) numbers.push_back(visit.*member);
  return numbers;
}

TEST(Simulate, AddsCostsAndKeepsTheBest) {
  const Recording recording = small_recording({0, 5, 3, 4}, 2, 7);
  const RecordedSpace recorded(recording);
  Scripted strategy(std::vector<Row>{{0}, {1}, {3}, {2}});
  const Visits visits = simulate(recorded, strategy, {1000, 0});
  EXPECT_EQ(trials_of(visits), (std::vector<std::uint32_t>{0, 1, 3, 2}));
  EXPECT_EQ(numbers_of(visits, &Visit::cost), (std::vector<double>{7, 9, 11, 13}));
  EXPECT_EQ(numbers_of(visits, &Visit::best), (std::vector<double>{0, 5, 4, 3}));
  ASSERT_EQ(strategy.told.size(), 4u);
  EXPECT_FALSE(strategy.told[0].valid);
  EXPECT_EQ(strategy.told[0].seconds, 7);
  EXPECT_TRUE(strategy.told[2].valid);
  EXPECT_EQ(strategy.told[2].objective, 4);
}

TEST(Simulate, GoesOnToBothCostAndEvaluationsButNotBeyondTheMost) {
  const Recording recording = small_recording(std::vector<double>(50, 1.0), 2);
  const RecordedSpace recorded(recording);
  const auto count = [&](const Extent& extent) {
    return simulate(recorded, *make_strategy("random", recorded.space(), 1), extent).size();
  };
  EXPECT_EQ(count({9, 0}), 5u) << "the visit that spends the budget is made";
  EXPECT_EQ(count({10, 0}), 5u);
  EXPECT_EQ(count({0, 7}), 7u);
  EXPECT_EQ(count({9, 7}), 7u);
  EXPECT_EQ(count({40, 7}), 20u);
  EXPECT_EQ(count({40, 7, 3}), 3u);
  EXPECT_EQ(count({1e9, 1000}), 50u) << "nothing is left";
}

TEST(Simulate, BeginsWithTheWarmStart) {
  const Recording recording = small_recording({5, 0, 3, 4});
  const RecordedSpace recorded(recording);
  Scripted strategy(std::vector<Row>{{3}, {0}});
  const Visits visits = simulate(recorded, strategy, {0, 4}, {2, 1});
  EXPECT_EQ(trials_of(visits), (std::vector<std::uint32_t>{2, 1, 3, 0}));
  ASSERT_EQ(strategy.told.size(), 4u);
  EXPECT_EQ(strategy.told[0].objective, 3);
  EXPECT_EQ(simulate(recorded, *make_strategy("random", recorded.space(), 1), {0, 4}, {2, 1}).size(), 4u);
}

TEST(Simulate, RefusesAStrategyThatRepeatsOrInvents) {
  Recording recording = small_recording({1, 2, 3});
  recording.parameters[0].values.emplace_back(std::int64_t{3});  // of which no configuration is recorded
  const RecordedSpace recorded(recording);
  Scripted twice(std::vector<Row>{{1}, {1}});
  EXPECT_THAT(message_of<Error>([&] {
                simulate(recorded, twice, {0, 9});
              }),
              HasSubstr("small.json: a strategy proposed"));
  Scripted unknown(std::vector<Row>{Row{3}});
  EXPECT_THAT(message_of<Error>([&] { simulate(recorded, unknown, {0, 9}); }), HasSubstr("not recorded"));
}

TEST(Simulate, CountsEvaluationsWhereNoCostsAreRecorded) {
  const Recording recording = small_recording({1, 2, 3}, 0, 0);
  const RecordedSpace recorded(recording);
  EXPECT_FALSE(recorded.has_costs());
  const Visits visits = follow(recorded, {2, 0});
  EXPECT_EQ(visits.back().cost, 2);
}

TEST(Follow, PassesOverWhatWasVisitedAndNamesWhatIsNoRow) {
  const Recording recording = small_recording({3, 2, 1});
  const RecordedSpace recorded(recording);
  const Visits visits = follow(recorded, {1, 1, 2, 1});
  EXPECT_EQ(trials_of(visits), (std::vector<std::uint32_t>{1, 2}));
  EXPECT_EQ(visits[1].cost, 2);
  EXPECT_THAT(message_of<Error>([&] { follow(recorded, {3}); }), HasSubstr("rows 0 to 2, not 3"));
  const Recording empty = small_recording({});
  EXPECT_THAT(message_of<Error>([&] { RecordedSpace{empty}; }), HasSubstr("small.json: holds no configuration"));
}

}  // namespace
}  // namespace attune
