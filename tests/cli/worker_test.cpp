// `attune-worker` started by hand removes no folder but its own. --worker starts it by a command.
#include <sys/types.h>

#include <csignal>
#include <fstream>

#include "base/child_process.hpp"
#include "base/descriptor.hpp"
#include "cli/workbench.hpp"

namespace attune::test {
namespace {

namespace fs = std::filesystem;

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::UnorderedElementsAre;

constexpr const char* worker_program = ATTUNE_BUILD_DIR "/bin/attune-worker";

class Worker : public Workbench, public testing::WithParamInterface<const char*> {
 protected:
  void SetUp() override {
    Workbench::SetUp();
    fs::create_directories(scratch() / "deep");
    for (const char* name : {"scratch/mine", "scratch/deep/mine"}) write(name, "kept");
  }
  CommandResult start(const std::string& redirections) const {
    CommandOptions options;
    options.environment["TMPDIR"] = scratch().string();
    options.timeout_seconds = 30;
    return run_command({"/bin/sh", "-c",
                        std::string("exec '") + worker_program + "' " + GetParam() + " --device host " + redirections},
                       options);
  }
  void expect_the_files_that_it_found() const {
    ASSERT_TRUE(fs::exists(scratch()));
    std::vector<std::string> names = names_in(scratch());
    for (int i = 0; i < 100 && names.size() != 3; ++i) {  // a guard ends a moment after its worker
      usleep(100'000);
      names = names_in(scratch());
    }
    EXPECT_THAT(names, UnorderedElementsAre("mine", "deep", "deep/mine"));
  }
  static std::vector<std::string> names_in(const fs::path& folder) {
    std::vector<std::string> names;
    std::error_code vanished;
    for (const auto& entry : fs::recursive_directory_iterator(folder, vanished))
      names.push_back(fs::relative(entry.path(), folder).string());
    return names;
  }
  // Waits until the worker has its guard, which it starts last before its device.
  static void wait_for_guard(pid_t worker) {
    const std::string number = std::to_string(worker);
    for (int i = 0; i < 1000 && content_of("/proc/" + number + "/task/" + number + "/children").empty(); ++i)
      usleep(10'000);
  }
  fs::path scratch() const { return folder_ / "scratch"; }
};

// TMPDIR: a folder with files; an empty one; one that is promised and that the worker makes itself. The worker is
// stopped, as one that is busy, so that its guard has to end it.
TEST_P(Worker, WhoseCoordinatorIsGoneLeavesWhatItFoundAndNothingElse) {
  const fs::path empty = folder_ / "empty";
  fs::create_directory(empty);
  for (const fs::path& temporary : {scratch(), empty, scratch() / "promised"}) {
    Pipe jobs = make_pipe(), replies = make_pipe();
    ChildProcess worker({.arguments = {worker_program, GetParam(), "--device", "host"},
                         .environment = {{"TMPDIR", temporary.string()}},
                         .input = jobs.read.get(),
                         .output = replies.write.get()});
    jobs.read.close();
    wait_for_guard(worker.number());
    ASSERT_EQ(kill(worker.number(), SIGSTOP), 0);
    EXPECT_FALSE(worker.ends_within(0.2));
    jobs.write.close();
    EXPECT_TRUE(worker.ends_within(20));
    EXPECT_EQ(worker.signal(), SIGKILL);
    expect_the_files_that_it_found();
  }
  ASSERT_TRUE(fs::exists(empty));
  for (int i = 0; i < 100 && !fs::is_empty(empty); ++i) usleep(100'000);
  EXPECT_TRUE(fs::is_empty(empty));
}

TEST_P(Worker, WithoutMoreJobsLeavesTheFilesThatItFound) {
  const CommandResult result = start("</dev/null");
  EXPECT_EQ(result.code, 0) << result.err;
  expect_the_files_that_it_found();
}

TEST_P(Worker, WithoutAChannelSaysWhatStartsIt) {
  for (const char* const redirections : {"<&-", "</dev/null >&-"}) {
    const CommandResult result = start(redirections);
    EXPECT_EQ(result.code, 2);
    EXPECT_THAT(result.err, HasSubstr("attune starts it"));
    expect_the_files_that_it_found();
  }
}

INSTANTIATE_TEST_SUITE_P(, Worker, testing::Values("device", "compile"),
                         [](const auto& parameter) { return std::string(parameter.param); });

class WorkerOfACommand : public Workbench {
 protected:
  std::string worker() const { return std::string("exec '") + worker_program + "'"; }
  // The three configurations of the kernel, by workers of this command. It writes its number to a file.
  CommandResult tune(const std::string& kernel, const std::string& command, CommandOptions options = {}) const {
    return attune({"tune", kernel, "--effort", "exhaustive", "--parameters", "ITEMS=1", "--json", "--worker",
                   "echo $$ >> '" + numbers() + "'; " + command},
                  std::move(options));
  }
  std::vector<std::string> started() const { return lines_of(content_of(numbers())); }
  std::string numbers() const { return (folder_ / "numbers").string(); }
  static std::size_t count_of_verdict(const CommandResult& run, const std::string& verdict) {
    std::size_t count = 0;
    for (const Json& trial : of_type(events_in(run.out), "trial")) count += trial.at("verdict") == verdict;
    return count;
  }
};

TEST_F(WorkerOfACommand, TunesThoughItsKernelsPrint) {
  const std::string loud = scale_with("  const long long first", R"(  if (threadIdx.x == 0) printf("a loud kernel\n");
  const long long first)");
  const CommandResult result = tune(loud, worker());
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(count_of_verdict(result, "ok"), 3u) << result.out;
  EXPECT_THAT(result.out + result.err, Not(HasSubstr("loud")));
  EXPECT_EQ(started().size(), 1u);
}

TEST_F(WorkerOfACommand, IsReplacedWhenItIsKilled) {
  CommandOptions options;
  options.signal_when = [&](const std::string& out) {
    if (out.find("\"type\":\"session\"") != std::string::npos && started().size() == 1)
      kill(static_cast<pid_t>(std::stol(started().front())), SIGKILL);
    return 0;
  };
  CommandResult result;
  // On a busy machine a session may end before the signal comes: then another one is begun.
  for (int session = 0; session < 5 && started().size() < 2; ++session) {
    fs::remove(numbers());
    fs::remove(database());
    result = tune(scale(), worker(), options);
  }
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(count_of_verdict(result, "ok"), 3u) << result.out;
  EXPECT_GE(started().size(), 2u);
  EXPECT_EQ(of_type(events_in(result.out), "best").at(0).at("workers_replaced"), started().size() - 1);
}

// The worker is a child of a shell that waits for it, and has to be killed with it.
TEST_F(WorkerOfACommand, IsKilledBehindAShellToo) {
  const std::string hanging =
      scale_with("  const long long first", R"(  if (blockDim.x == 32) for (volatile int i = 0;;) i = i + 1;
  const long long first)");
  const std::string behind = std::string("sh -c '\"") + worker_program + "\" \"$@\"; exit $?' sh";
  const CommandResult result = tune(hanging, behind, {.environment = {{"ATTUNE_LAUNCH_LIMIT", "0.3"}}});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(count_of_verdict(result, "ok"), 2u) << result.out;
  EXPECT_EQ(count_of_verdict(result, "timeout"), 1u) << result.out;
  for (const std::string& number : started())
    EXPECT_EQ(content_of("/proc/" + number + "/cmdline"), "") << "it outlived its session";
}

TEST_F(WorkerOfACommand, ThatCannotRunIsNamed) {
  const CommandResult result = tune(scale(), "nowhere-worker");
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(on_one_line(result.err), AllOf(HasSubstr("127"), HasSubstr("nowhere-worker")));
}

TEST_F(WorkerOfACommand, ServesEveryCommandThatLaunches) {
  const std::string noted = "echo $$ >> '" + numbers() + "'; " + worker();
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"check", scale()}, {"bench", scale(), "--rounds", "2"}, {"calibrate"}}) {
    fs::remove(numbers());
    std::vector<std::string> arguments = command;
    arguments.insert(arguments.end(), {"--worker", noted});
    const bool is_long = command.front() == "calibrate";
    const CommandResult result =
        attune(arguments, {.signal_when = [=](const std::string&) { return is_long ? SIGINT : 0; }});
    EXPECT_EQ(result.code, is_long ? 130 : 0) << result.err;
    EXPECT_EQ(started().size(), 1u) << command.front();
  }
  expect_failure(2, {"check", scale(), "--device", "sm_90", "--worker", noted}, {"--worker"});
  expect_failure(2, {"tune", "--device", "replay:" ATTUNE_TEST_DATA "/recordings/bowl.json", "--worker", noted},
                 {"--worker"});
}

// A part of a partitioned GPU has to be named before the driver starts.
TEST_F(WorkerOfACommand, SeesThePartOfAGpuThatIsNamed) {
  expect_failure(
      1, {"tune", scale(), "--device", "MIG-1", "--worker", "echo \"sees $CUDA_VISIBLE_DEVICES\" >&2; exit 3; :"},
      {"sees MIG-1"});
}

}  // namespace
}  // namespace attune::test
