// A program that tunes a callable is its own worker.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <stdexcept>

#include "support/command.hpp"

namespace attune::test {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

TEST(CallableWorkers, WhatCrashesHangsEndsOrBreaksItsProcessCostsOneConfiguration) {
  std::string folder = (fs::temp_directory_path() / "attune-callables-XXXXXX").string();
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  const CommandResult result =
      run_command({CALLABLE_PROGRAM, folder + "/wisdom.db", "3"}, {.environment = {{"ATTUNE_LAUNCH_LIMIT", "0.2"}}});
  fs::remove_all(folder);
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, AllOf(HasSubstr("STEP=1 ok\n"), HasSubstr("STEP=2 fault\n"), HasSubstr("STEP=3 timeout\n"),
                                HasSubstr("STEP=4 fault\n"), HasSubstr("STEP=7 fault\n"), HasSubstr("STEP=5 ok\n"),
                                HasSubstr("STEP=6 ok\n")));
  // The worker made the work for the problem that the program got by its command line.
  EXPECT_THAT(result.out, HasSubstr("best STEP=6, 500000 ns\nexact: STEP=6\n"));
}

}  // namespace
}  // namespace attune::test
