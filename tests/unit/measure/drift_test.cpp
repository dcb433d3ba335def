// When two records of one key differ by more than their intervals allow.
#include "measure/drift.hpp"

#include <gtest/gtest.h>

namespace attune {
namespace {

Record record_of(double median_ns, double speedup) {
  Record record;
  record.configuration = {{"BLOCK", 128}};
  record.median_ns = median_ns;
  record.q1_ns = 0.99 * median_ns;
  record.q3_ns = 1.01 * median_ns;
  record.default_ns = speedup * median_ns;
  record.speedup = speedup;
  record.speedup_low = 0.99 * speedup;
  record.speedup_high = 1.01 * speedup;
  return record;
}

TEST(Drift, IsWhereIntervalsDoNotOverlap) {
  const Record before = record_of(100, 2);
  EXPECT_FALSE(drift_of(before, before).is_apart());
  EXPECT_FALSE(drift_of(before, record_of(101.5, 2.03)).is_apart());
  for (const double factor : {0.9, 1.1}) {
    const Drift slower = drift_of(before, record_of(100 * factor, 2));
    EXPECT_TRUE(slower.time.value().is_apart) << factor;
    EXPECT_FALSE(slower.speedup.value().is_apart) << "the default is as much slower";
    EXPECT_NEAR(slower.time->change(), factor - 1, 1e-9);
    EXPECT_NEAR(slower.default_time.value().change(), factor - 1, 1e-9);
    const Drift less = drift_of(before, record_of(100, 2 * factor));
    EXPECT_FALSE(less.time.value().is_apart);
    EXPECT_TRUE(less.speedup.value().is_apart);
    EXPECT_TRUE(less.is_apart());
  }
}

TEST(Drift, AFigureThatIsMissingIsLeftOut) {
  Record before = record_of(100, 2), after = record_of(200, 4);
  after.default_ns = 0;
  EXPECT_FALSE(drift_of(before, after).speedup.has_value());
  EXPECT_FALSE(drift_of(before, after).default_time.has_value());
  after.q1_ns = 0;
  EXPECT_FALSE(drift_of(before, after).time.has_value());
  EXPECT_FALSE(drift_of(before, after).is_apart());
}

TEST(Drift, AnotherConfigurationIsSaid) {
  Record after = record_of(100, 2);
  EXPECT_FALSE(drift_of(record_of(100, 2), after).is_other_configuration);
  after.configuration = {{"BLOCK", 64}};
  EXPECT_TRUE(drift_of(record_of(100, 2), after).is_other_configuration);
}

TEST(Drift, OnlyTimesOfOneMeaningAreCompared) {
  const Record measured = record_of(100, 2);
  EXPECT_EQ(why_not_comparable(measured, record_of(200, 2)), "");
  Record pin;
  EXPECT_EQ(why_not_comparable(measured, pin), "one of them was never measured");
  EXPECT_EQ(why_not_comparable(pin, pin), "neither was ever measured");
  Record elsewhere = measured;
  elsewhere.protocol = 0;
  EXPECT_EQ(why_not_comparable(elsewhere, measured), "their times mean different things");
}

}  // namespace
}  // namespace attune
