// How a record is shown.
#include "apps/attune/record_text.hpp"

#include <gtest/gtest.h>

namespace attune::cli {
namespace {

TEST(RecordText, AGainCarriesItsInterval) {
  Record record;
  record.key.objective = "time";
  record.speedup = 1.834;
  record.speedup_low = 1.812;
  record.speedup_high = 1.849;
  EXPECT_EQ(gain_text(record), "the default configuration failed, so there is nothing to compare with");
  record.default_ns = 2e6;
  record.median_ns = 2e6 / 1.832;
  EXPECT_EQ(gain_text(record), "1.83x [1.81, 1.85] over the default");
  record.median_ns = 2e6 / 1.8;
  EXPECT_EQ(gain_text(record), "1.83x [1.81, 1.85] over the default (median of paired ratios)");
}

TEST(RecordText, WhatIsUnstableSaysWhyWhereThatIsKnown) {
  Record record;
  EXPECT_EQ(marks_text(record), "");
  record.unstable = true;
  EXPECT_EQ(marks_text(record), "; unstable") << "of a version that kept no rounds";
  record.rounds = 3;
  EXPECT_EQ(marks_text(record), "; unstable: measured in 3 rounds");
  record.rounds = 40;
  record.rounds_dropped = 12;
  EXPECT_EQ(marks_text(record), "; unstable: 12 of 40 rounds were not steady");
  record.busy = record.self_checked = true;
  EXPECT_EQ(marks_text(record),
            "; unstable: 12 of 40 rounds were not steady; busy: other processes were on the device; self-checked");
}

}  // namespace
}  // namespace attune::cli
