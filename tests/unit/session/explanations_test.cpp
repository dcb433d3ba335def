// What a session says of what it left out.
#include "session/explanations.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace attune {
namespace {

QuarantineEntry left_out(int block, Verdict verdict, bool has_second_chance) {
  return {{{"BLOCK", block}}, verdict, "", 0, has_second_chance};
}

TEST(LeftOut, IsToldWithTheCommandThatTriesItAgain) {
  const QuarantineEntry fault = left_out(32, Verdict::fault, false);
  const QuarantineEntry late = left_out(64, Verdict::compile_timeout, true);
  EXPECT_EQ(left_out_explanation({}), "");
  EXPECT_EQ(left_out_explanation({fault}),
            "left out: 1 configuration (BLOCK=32: fault); the same command with --lift-quarantine tries it again");
  EXPECT_EQ(left_out_explanation({late}),
            "left out: 1 configuration (BLOCK=64: compile_timeout); the same command tries it again");
  EXPECT_THAT(left_out_explanation({late, late}), testing::EndsWith("; the same command tries them again"));
  EXPECT_THAT(left_out_explanation({fault, late, late}),
              testing::EndsWith("; the same command tries 2 of them again, with --lift-quarantine all of them"));
}

}  // namespace
}  // namespace attune
