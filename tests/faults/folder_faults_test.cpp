// The folders for temporary files of workers that are killed: they go, and nothing else goes with them.
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "faults/fault_bench.hpp"
#include "worker/process/worker_processes.hpp"

namespace attune::test {
namespace {

namespace fs = std::filesystem;

class FolderFaults : public FaultBench {
 protected:
  void SetUp() override {
    FaultBench::SetUp();
    fs::create_directories(temporary());
    fs::create_directories(others());
    std::ofstream(others() / "mine") << "kept";
  }
  fs::path temporary() const { return folder_ / "temporary"; }
  fs::path others() const { return folder_ / "others"; }
  fs::path changed() const { return folder_ / "changed"; }  // made by the kernel once it has changed TMPDIR

  // faulty.cu. A configuration other than Fault::none first starts a process in a session of its own, which writes its
  // number to begun(), and waits for that.
  std::string kernel_that_starts_a_process() const {
    std::ifstream in(ATTUNE_SOURCE_DIR "/tests/faults/faulty.cu");
    std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    const std::string last = "if (i != n - 1) return;";
    text.insert(text.find(last) + last.size(), "\n  if (FAULT != Fault::none) system(\"setsid sh -c 'echo $$ >> " +
                                                   begun().string() +
                                                   "; exec sleep 1000' > /dev/null 2>&1 & until [ -s " +
                                                   begun().string() + " ]; do sleep 0.01; done\");");
    text.insert(text.find("enum class"), "extern \"C\" int system(const char*) noexcept;\n");
    const std::string file = (folder_ / "starts.cu").string();
    std::ofstream(file) << text;
    return file;
  }
  fs::path begun() const { return folder_ / "begun"; }
  // Of the processes that the kernel started.
  int count_of_living() const {
    int count = 0;
    for (const std::string& number : lines_of(content_of(begun())))
      count += !content_of("/proc/" + number + "/cmdline").empty();
    return count;
  }
  void expect_none_lives() const {
    for (int i = 0; i < 100 && (count_of_living() > 0 || workers_have_folders()); ++i) usleep(100'000);
    EXPECT_EQ(count_of_living(), 0);
    EXPECT_FALSE(workers_have_folders());
  }

  // faulty.cu, whose Fault::hangs first makes TMPDIR name the folder of others.
  std::string kernel_that_changes_tmpdir() const {
    std::ifstream in(ATTUNE_SOURCE_DIR "/tests/faults/faulty.cu");
    std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    const std::string hang = "for (volatile int turns = 0;;) turns = 0;";
    text.replace(text.find(hang), hang.size(),
                 "{ setenv(\"TMPDIR\", \"" + others().string() + "\", 1); mkdir(\"" + changed().string() +
                     "\", 0700); " + hang + " }");
    text.insert(text.find("enum class"),
                "extern \"C\" int setenv(const char*, const char*, int) noexcept;\n"
                "extern \"C\" int mkdir(const char*, unsigned) noexcept;\n");
    const std::string file = (folder_ / "changes.cu").string();
    std::ofstream(file) << text;
    return file;
  }
  TuneRun run_kernel(const std::string& file, const std::string& value, CommandOptions options) const {
    options.environment["TMPDIR"] = temporary().string();
    return tune({file, "--strategy", "exhaustive", "--parameters", "FAULT=Fault::none," + value, "--db", database()},
                std::move(options));
  }
  bool workers_have_folders() const { return !fs::is_empty(temporary()); }
};

TEST_F(FolderFaults, AKilledCoordinatorsWorkersRemoveTheirOwnThoughAKernelChangedTmpdir) {
  CommandOptions options;
  options.environment["ATTUNE_LAUNCH_LIMIT"] = "100";
  bool had_folders = false;
  options.signal_when = [&](const std::string&) {
    if (!fs::exists(changed())) return 0;
    had_folders = workers_have_folders();
    return SIGKILL;
  };
  EXPECT_EQ(run_kernel(kernel_that_changes_tmpdir(), "Fault::hangs", options).command.code, 128 + SIGKILL);
  EXPECT_TRUE(had_folders);
  for (int i = 0; i < 100 && workers_have_folders(); ++i) usleep(100'000);
  EXPECT_FALSE(workers_have_folders());
  EXPECT_TRUE(fs::exists(others() / "mine"));
}

// A coordinator that ends its workers may be killed before it removes their folders.
TEST_F(FolderFaults, AGuardOutlivesWhatEndsTheProcessesOfItsWorker) {
  CommandOptions options;
  options.environment["TMPDIR"] = temporary().string();
  std::size_t folders = 0;
  options.signal_when = [&](const std::string& out) {
    if (out.find("\"type\":\"trial\"") == std::string::npos) return 0;
    for (const fs::directory_entry& folder : fs::directory_iterator(temporary())) {
      kill_processes_of(-1, folder.path().string());
      ++folders;
    }
    return SIGKILL;
  };
  EXPECT_EQ(tune({scale(), "--db", database()}, options).command.code, 128 + SIGKILL);
  EXPECT_GE(folders, 2u) << "of a compile worker and of the device worker";
  for (int i = 0; i < 100 && workers_have_folders(); ++i) usleep(100'000);
  EXPECT_FALSE(workers_have_folders());
}

TEST_F(FolderFaults, AWorkerThatIsKilledLeavesNoneThoughAKernelChangedTmpdir) {
  CommandOptions options;
  options.environment["ATTUNE_LAUNCH_LIMIT"] = "0.5";
  const TuneRun run = run_kernel(kernel_that_changes_tmpdir(), "Fault::hangs", options);
  EXPECT_EQ(run.command.code, 0) << run.command.err;
  EXPECT_GE(run.workers_replaced(), 2);
  EXPECT_FALSE(workers_have_folders());
  EXPECT_TRUE(fs::exists(others() / "mine"));
}

struct End {
  const char* fault;
  int kill;  // sent to the coordinator
};

void PrintTo(const End& end, std::ostream* out) { *out << end.fault << " " << end.kill; }

class ProcessOfAKernel : public FolderFaults, public testing::WithParamInterface<End> {};
INSTANTIATE_TEST_SUITE_P(, ProcessOfAKernel,
                         testing::Values(End{"fine", 0}, End{"ends", 0}, End{"hangs", 0}, End{"hangs", SIGKILL}),
                         [](const auto& end) { return end.param.fault + std::string(end.param.kill ? "Killed" : ""); });

TEST_P(ProcessOfAKernel, EndsWithItsWorkerThoughItHasASessionOfItsOwn) {
  CommandOptions options;
  options.environment["ATTUNE_LAUNCH_LIMIT"] = GetParam().kill != 0 ? "100" : "0.5";
  int most = 0;
  options.signal_when = [&](const std::string&) {
    most = std::max(most, count_of_living());
    return most > 0 ? GetParam().kill : 0;
  };
  const TuneRun run =
      run_kernel(kernel_that_starts_a_process(), std::string("Fault::") + GetParam().fault, std::move(options));
  EXPECT_EQ(run.command.code, GetParam().kill != 0 ? 128 + GetParam().kill : 0) << run.command.err;
  EXPECT_GT(lines_of(content_of(begun())).size(), 0u);
  expect_none_lives();
}

}  // namespace
}  // namespace attune::test
