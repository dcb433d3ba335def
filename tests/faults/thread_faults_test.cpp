// A user who may start few processes and threads: each process goes on with fewer, or ends with an error that says so.
#include <unistd.h>

#include "faults/fault_bench.hpp"
#include "support/few_processes.hpp"

namespace attune::test {
namespace {

using testing::AllOf;
using testing::AnyOf;
using testing::HasSubstr;

class ThreadFaults : public FaultBench {
 protected:
  void SetUp() override {
    FaultBench::SetUp();
    if (geteuid() != 0) GTEST_SKIP() << "only root can be a user without other processes";
    ASSERT_EQ(chown(folder_.c_str(), lone_user, lone_user), 0);
  }
};

TEST_F(ThreadFaults, EndNothingWithoutAWord) {
  constexpr int enough = 40;
  int failed = 0;
  CommandOptions options;
  for (options.processes = 1; options.processes < enough; ++options.processes) {
    const TuneRun run = tune_recording({"--fresh"}, options);
    if (run.command.code == 0) break;
    ++failed;
    EXPECT_EQ(run.command.code, 1) << options.processes << ": " << run.command.err;
    EXPECT_THAT(run.command.err, AllOf(HasSubstr("cannot start "), HasSubstr("`ulimit -u`"))) << options.processes;
  }
  EXPECT_GE(failed, 3);
  EXPECT_LT(options.processes, enough);
}

}  // namespace
}  // namespace attune::test
