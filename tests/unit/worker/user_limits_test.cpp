#include "base/user_limits.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include "attune/error.hpp"

namespace attune {
namespace {

TEST(UserLimits, AreReadFromTheEnvironment) {
  unsetenv("ATTUNE_LAUNCH_LIMIT");
  EXPECT_FALSE(launch_limit_seconds());
  setenv("ATTUNE_LAUNCH_LIMIT", "", 1);
  EXPECT_FALSE(launch_limit_seconds());
  setenv("ATTUNE_LAUNCH_LIMIT", "0.25", 1);
  EXPECT_EQ(launch_limit_seconds(), 0.25);
  setenv("ATTUNE_COMPILE_MEMORY", "512", 1);
  EXPECT_EQ(compile_limit_bytes(), 512u << 20);
  for (const char* value : {"0", "-1", "nan", "inf", "1e300", "2 s", "x"}) {
    setenv("ATTUNE_LAUNCH_LIMIT", value, 1);
    EXPECT_THROW(launch_limit_seconds(), UsageError) << value;
  }
  setenv("ATTUNE_COMPILE_MEMORY", "1e-9", 1);
  EXPECT_THROW(compile_limit_bytes(), UsageError) << "no bytes would be no limit";
  unsetenv("ATTUNE_LAUNCH_LIMIT");
  unsetenv("ATTUNE_COMPILE_MEMORY");
}

}  // namespace
}  // namespace attune
