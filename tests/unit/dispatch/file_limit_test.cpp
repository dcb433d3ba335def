// A limit of file sizes (`ulimit -f`) ends no application: neither its log of misses nor its cache of images.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <functional>

#include "dispatch/misses.hpp"
#include "dispatch_fixture.hpp"

namespace attune {
namespace {

// Runs `work` in a process that may write files of so many bytes. Returns its status, as of waitpid().
int status_within(rlim_t bytes, const std::function<bool()>& work) {
  const pid_t child = fork();
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_DFL);
    const rlimit limit{bytes, bytes}, no_core{0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    setrlimit(RLIMIT_FSIZE, &limit);
    _exit(work() ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  return status;
}

class FileLimit : public DispatchTest {
 protected:
  void add(Misses& misses, std::int64_t n) const {
    const Problem asked{{"n", n}, {"T", "int32"}};
    misses.add({spec_, asked, device_, target_});
  }
  const KernelSpec spec_ = read_embedded_kernel(offset_kernel);
  const DeviceInfo device_;
  const std::string target_ = "offset.cu";
  Warnings collected_{[this](const std::string& message) { warnings_.push_back(message); }};
};

TEST_F(FileLimit, OfMissesIsAWarning) {
  EXPECT_EQ(status_within(700,
                          [&] {
                            Misses misses(folder_ / "misses", collected_);
                            for (int n = 1; n <= 10; ++n) add(misses, n);
                            collected_.deliver();
                            return warnings_.size() == 1 && warnings_[0].find("ulimit -f") != std::string::npos;
                          }),
            0);
  EXPECT_EQ(std::filesystem::file_size(folder_ / "misses"), 700u);
}

TEST_F(FileLimit, OfCodeThatTheHostDeviceLoadsIsAFailure) {
  const Problem asked{{"n", 1000}, {"T", "int32"}};
  const auto plan_cached = [&] {
    Dispatcher gpu(options());
    gpu.add(kernel_of(offset_kernel));
    try {
      gpu.plan("offset", asked, Policy::cached_only);
    } catch (const NotPrepared&) {
      return false;
    }
    return true;
  };
  {
    Dispatcher gpu(options());
    gpu.add(kernel_of(offset_kernel));
    gpu.prepare("offset", std::array{asked});
  }
  EXPECT_TRUE(plan_cached());
  EXPECT_EQ(status_within(0, [&] { return !plan_cached(); }), 0);
}

TEST_F(FileLimit, LeavesNoSignalBehind) {
  EXPECT_EQ(status_within(0,
                          [&] {
                            Misses misses(folder_ / "misses", collected_);
                            add(misses, 1);
                            sigset_t pending, blocked;
                            sigpending(&pending);
                            sigprocmask(SIG_BLOCK, nullptr, &blocked);
                            return sigismember(&pending, SIGXFSZ) == 0 && sigismember(&blocked, SIGXFSZ) == 0;
                          }),
            0);
}

}  // namespace
}  // namespace attune
