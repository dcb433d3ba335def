#include "score/fractions.hpp"

#include <gtest/gtest.h>

#include "attune/error.hpp"
#include "unit/score/small_recording.hpp"

namespace attune {
namespace {

TEST(Fractions, AreTheOptimumOverTheBestFound) {
  const Visits visits = {{0, 1, 0}, {1, 2, 8}, {2, 3, 8}, {3, 4, 2}};
  EXPECT_EQ(fraction_of_optimum(visits, 2, 1), 0) << "nothing valid yet";
  EXPECT_EQ(fraction_of_optimum(visits, 2, 2), 0.25);
  EXPECT_EQ(fraction_of_optimum(visits, 2, 4), 1);
  EXPECT_EQ(fraction_of_optimum(visits, 2, 400), 1) << "after the last";
  EXPECT_EQ(fraction_of_optimum({}, 2, 25), 0);
  EXPECT_EQ(mean_fraction({visits, {{0, 1, 4}}}, 2, 2), 0.375);
}

TEST(RandomFractions, AreExact) {
  // Draws from {1, 2, 4, failed}: one draw gives (1 + 1/2 + 1/4 + 0) / 4. Of the 6 pairs 3 hold the 1, 2 more the 2,
  // one only the 4 and the failed one.
  EXPECT_DOUBLE_EQ(random_fraction({1, 2, 4}, 4, 1), 1.75 / 4);
  EXPECT_DOUBLE_EQ(random_fraction({1, 2, 4}, 4, 2), (3 * 1 + 2 * 0.5 + 1 * 0.25) / 6);
  EXPECT_DOUBLE_EQ(random_fraction({1, 2, 4}, 4, 4), 1);
  EXPECT_DOUBLE_EQ(random_fraction({1, 2, 4}, 4, 400), 1);
  EXPECT_DOUBLE_EQ(random_fraction({5}, 1, 25), 1);
  EXPECT_DOUBLE_EQ(random_fraction({5}, 10, 3), 0.3);
}

TEST(RandomFractions, AreMetByRandomSearch) {
  std::vector<double> objectives(300);
  for (std::size_t i = 0; i < objectives.size(); ++i)
    objectives[i] = i % 7 == 0 ? 0 : 1.0 + static_cast<double>(i) / 10;
  const Recording recording = small_recording(objectives);
  const RecordedSpace recorded(recording);
  const std::vector<double> valid = valid_objectives(recorded);
  std::vector<Visits> repeats;
  for (std::uint64_t seed = 0; seed < 1000; ++seed)
    repeats.push_back(simulate(recorded, *make_strategy("random", recorded.space(), seed), {0, 25}));
  // The standard error is below 0.5 / sqrt(1000) = 0.016; the seeds are fixed.
  EXPECT_NEAR(mean_fraction(repeats, valid.front(), 25), random_fraction(valid, 300, 25), 0.03);
}

TEST(ValidObjectives, AreSortedAndThereMustBeOne) {
  const Recording some = small_recording({0, 3, 1, 0, 2}), none = small_recording({0, 0});
  EXPECT_EQ(valid_objectives(RecordedSpace(some)), (std::vector<double>{1, 2, 3}));
  EXPECT_THROW(valid_objectives(RecordedSpace(none)), UsageError);
}

}  // namespace
}  // namespace attune
