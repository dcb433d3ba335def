// The thread for what need not be waited for.
#include "dispatch/background.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "attune/error.hpp"
#include "support/few_processes.hpp"

namespace attune {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST(Background, TakesNoJobWhereNoThreadCanBeStarted) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can be a user without other processes";
  const std::string text = test::without_further_threads([] {
    Background background;
    try {
      background.add([] {});
    } catch (const Error& error) {
      background.wait();  // for nothing
      return std::string(error.what());
    }
    return std::string("taken");
  });
  EXPECT_THAT(text, AllOf(HasSubstr("cannot start a thread: "), HasSubstr("`ulimit -u`")));
}

}  // namespace
}  // namespace attune
