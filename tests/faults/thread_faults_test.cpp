// A user who may start few processes and threads: each process goes on with fewer, or ends with an error that says so.
#include <fmt/format.h>
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
  // Ended processes count until the system's first one has noticed them.
  static void wait_until_alone() {
    const std::string mark = fmt::format("\nUid:\t{0}\t{0}", lone_user);
    const auto has_process = [&] {
      std::error_code gone;
      for (const auto& entry : std::filesystem::directory_iterator("/proc", gone))
        if (content_of(entry.path() / "status").find(mark) != std::string::npos) return true;
      return false;
    };
    for (int i = 0; i < 100 && has_process(); ++i) usleep(50'000);
  }
  void SetUp() override {
    FaultBench::SetUp();
    if (geteuid() != 0) GTEST_SKIP() << "only root can be a user without other processes";
    ASSERT_EQ(chown(folder_.c_str(), lone_user, lone_user), 0);
  }
};

TEST_F(ThreadFaults, EndNothingWithoutAWord) {
  constexpr int enough = 40;
  int failed = 0;
  std::string said;
  CommandOptions options;
  for (options.processes = 1; options.processes < enough; ++options.processes) {
    wait_until_alone();
    const TuneRun run = tune_recording({"--fresh"}, options);
    if (run.command.code == 0) break;
    ++failed;
    said = run.command.err;
    EXPECT_EQ(run.command.code, 1) << options.processes << ": " << run.command.err;
    EXPECT_THAT(run.command.err, AllOf(HasSubstr("cannot start "), HasSubstr("`ulimit -u`"))) << options.processes;
  }
  EXPECT_GE(failed, 3);
  EXPECT_LT(options.processes, enough) << said;
}

}  // namespace
}  // namespace attune::test
