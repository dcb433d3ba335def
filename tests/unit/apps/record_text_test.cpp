// How a record is shown.
#include "apps/attune/record_text.hpp"

#include <gtest/gtest.h>

#include "apps/attune/text.hpp"

namespace attune::cli {
namespace {

TEST(RecordText, AGainCarriesItsInterval) {
  Record record;
  record.key.objective = "time";
  record.speedup = 1.834;
  record.speedup_low = 1.812;
  record.speedup_high = 1.849;
  record.default_verdict = Verdict::resources;
  EXPECT_EQ(gain_text(record), "the default configuration failed (resources), so there is nothing to compare with");
  record.default_verdict = Verdict::restricted;
  EXPECT_EQ(gain_text(record), "the default configuration is not deterministic, so there is nothing to compare with");
  record.default_verdict = Verdict::ok;
  record.default_ns = 2e6;
  record.median_ns = 2e6 / 1.832;
  EXPECT_EQ(gain_text(record), "1.83x [1.81, 1.85] over the default");
  record.median_ns = 2e6 / 1.8;
  EXPECT_EQ(gain_text(record), "1.83x [1.81, 1.85] over the default (median of paired ratios)");
  record.speedup = record.speedup_low = record.speedup_high = 1;
  EXPECT_EQ(gain_text(record), "1.00x over the default: nothing is surely faster");
}

// The columns of tables.
TEST(RecordText, ARatioHasSixColumnsAtMost) {
  EXPECT_EQ(ratio_text(1), "1.00x");
  EXPECT_EQ(ratio_text(99.994), "99.99x");
  EXPECT_EQ(ratio_text(99.999), "100x");
  EXPECT_EQ(ratio_text(918.12), "918x");
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

// The ceilings of the emulation are no bounds: caches exceed them.
TEST(RecordText, OnTheHostNoShareIsBeyondItsCeiling) {
  KernelSpec spec;
  spec.metrics.bytes = Expression("3000");
  Argument& output = spec.arguments.emplace_back();
  output.name = "y";
  output.type = "float";
  output.role = Role::out;
  output.size = Expression("1");
  Ceiling copy;
  copy.name = "copy";
  copy.value = 1e9;
  Record record;
  for (const char* const device : {"host|", "cuda|"}) {
    record.key.device_class = device;
    EXPECT_EQ(bound_text(shown_bound(spec, record, 6000, {&copy, 1})), "50 % of the measured copy ceiling");
  }
  EXPECT_EQ(bound_text(shown_bound(spec, record, 1500, {&copy, 1})), "200 % of the measured copy ceiling");
  record.key.device_class = "host|";
  EXPECT_EQ(bound_text(shown_bound(spec, record, 1500, {&copy, 1})), "");
}

}  // namespace
}  // namespace attune::cli
