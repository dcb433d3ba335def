// What kernels can do to a session on a real GPU: each case is the command `attune tune` with a kernel that does it,
// beside a configuration that is right. Prints one line per case: docs/results/reliability.md.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <signal.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "gpu/faulty_kernel.hpp"
#include "support/command.hpp"
#include "support/gpu.hpp"

namespace attune {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using Clock = std::chrono::steady_clock;
using testing::HasSubstr;

// Device memory that a driver may keep for itself after a process of it was killed.
constexpr std::uint64_t slack_bytes = 64 << 20;
constexpr double deadline_seconds = 2, grace_seconds = 5;

struct Session {
  int code = -1;
  double seconds = 0;
  std::map<std::string, Json> trials;  // by FAULT and COPY: the last event
  Json best;
  std::vector<std::string> notes;
  std::string err;
};

class Reliability : public test::GpuTest {
 protected:
  void SetUp() override {
    test::GpuTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    std::string name = (fs::temp_directory_path() / "attune_gpu_XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
    write_kernel(1);
    free_before_ = device().free_memory();
  }
  void TearDown() override {
    if (!folder_.empty()) fs::remove_all(folder_);
  }

  void write_kernel(int copies) {
    std::string text = test::faulty_kernel, list = "0";
    for (int i = 1; i < copies; ++i) list += ", " + std::to_string(i);
    text.replace(text.find("@COPIES@"), 8, list);
    std::ofstream(folder_ / "faulty.cu") << text;
  }

  Session tune(const std::string& parameters, std::vector<std::string> more = {}, const std::string& database = "a.db",
               std::function<int(const std::string&)> signal_when = {}) {
    const std::string attune = (fs::read_symlink("/proc/self/exe").parent_path() / "attune").string();
    std::vector<std::string> arguments{attune,      "tune",     (folder_ / "faulty.cu").string(),
                                       "--problem", "n=100000", "--json",
                                       "--device",  "cuda",     "--parameters",
                                       parameters};
    arguments.insert(arguments.end(), more.begin(), more.end());
    test::CommandOptions options;
    options.environment = {{"ATTUNE_DB", (folder_ / database).string()},
                           {"ATTUNE_CACHE", (folder_ / "cache").string()}};
    options.timeout_seconds = 280;
    // Once per device and database, and no part of a session.
    if (!fs::exists(folder_ / database)) test::run_command({attune, "calibrate", "--device", "cuda"}, options);
    options.signal_when = std::move(signal_when);
    const auto begin = Clock::now();
    const test::CommandResult result = test::run_command(arguments, options);
    Session session;
    session.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    session.code = result.code;
    session.err = result.err;
    std::istringstream lines(result.out);
    for (std::string line; std::getline(lines, line);) {
      const Json event = Json::parse(line, nullptr, false);
      if (event.is_discarded()) continue;
      if (event["type"] == "trial")
        session.trials[event["configuration"]["FAULT"].dump() + "/" + event["configuration"]["COPY"].dump()] = event;
      if (event["type"] == "best") session.best = event;
      if (event["type"] == "note") session.notes.push_back(event["text"]);
    }
    return session;
  }

  static std::string verdict(const Session& session, const std::string& fault) {
    const auto found = session.trials.find(fault + "/0");
    return found == session.trials.end() ? "" : found->second["verdict"].get<std::string>();
  }
  static std::string detail(const Session& session, const std::string& fault) {
    const auto found = session.trials.find(fault + "/0");
    return found == session.trials.end() || !found->second.contains("detail")
               ? ""
               : found->second["detail"].get<std::string>();
  }

  void expect_goes_on(const Session& session, const std::string& fault, const std::string& wanted, int replaced) {
    EXPECT_EQ(session.code, 0) << session.err;
    EXPECT_EQ(verdict(session, "0"), "ok");
    EXPECT_EQ(verdict(session, fault), wanted) << detail(session, fault);
    EXPECT_EQ(session.best["workers_replaced"], replaced);
    const std::uint64_t free_after = device().free_memory();
    EXPECT_GE(free_after + slack_bytes, free_before_);
    report(session, fault, free_after);
  }
  void report(const Session& session, const std::string& fault, std::uint64_t free_after) const {
    fmt::print("| {} | {} | {} | {:.1f} s | {:+.1f} MiB |\n",
               testing::UnitTest::GetInstance()->current_test_info()->name(), verdict(session, fault),
               session.best["workers_replaced"].dump(), session.seconds,
               (static_cast<double>(free_before_) - static_cast<double>(free_after)) / (1 << 20));
  }

  fs::path folder_;
  std::uint64_t free_before_ = 0;
};

TEST_F(Reliability, OutOfBoundsIsAFaultAndTheNextConfigurationIsMeasured) {
  const Session session = tune("FAULT=0,1");
  expect_goes_on(session, "1", "fault", 2);
  EXPECT_THAT(detail(session, "1"), HasSubstr("700"));
  // Quarantined: not launched again in another session.
  const Session again = tune("FAULT=0,1", {"--fresh"});
  EXPECT_EQ(verdict(again, "1"), "quarantined");
  EXPECT_EQ(again.best["workers_replaced"], 0);
}

TEST_F(Reliability, AnEndlessLoopIsKilledByItsDeadline) {
  const Session session = tune("FAULT=0,2");
  expect_goes_on(session, "2", "timeout", 2);
  // Two deaths, each its deadline and what making the data again takes.
  EXPECT_LT(session.seconds, 2 * (deadline_seconds + grace_seconds) + 15);
}

TEST_F(Reliability, MoreRegistersThanTheDeviceHasAreAVerdict) {
  const Session session = tune("FAULT=0,3");
  expect_goes_on(session, "3", "resources", 0);
}

TEST_F(Reliability, TrapAndAssertAreFaults) {
  const Session session = tune("FAULT=0,4,5");
  expect_goes_on(session, "4", "fault", 4);
  EXPECT_EQ(verdict(session, "5"), "fault");
  EXPECT_THAT(detail(session, "5"), HasSubstr("710"));
}

// The device worker of a session: a child of this process's child.
std::vector<pid_t> device_workers() {
  std::vector<pid_t> found;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    std::ifstream file(entry.path() / "cmdline");
    std::string text((std::istreambuf_iterator<char>(file)), {});
    std::replace(text.begin(), text.end(), '\0', ' ');
    if (text.find(" attune-worker device ") != std::string::npos)
      found.push_back(static_cast<pid_t>(std::stol(entry.path().filename().string())));
  }
  return found;
}

TEST_F(Reliability, AWorkerKilledWhileItsKernelRunsGivesItsMemoryBack) {
  std::atomic<int> killed{0};
  std::atomic<bool> done{false};
  std::thread killer([&] {
    const auto begin = Clock::now();
    while (!done && killed < 2 && Clock::now() - begin < std::chrono::seconds(60)) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1500));
      for (const pid_t worker : device_workers())
        if (!done && kill(worker, SIGKILL) == 0) ++killed;
    }
  });
  const Session session = tune("FAULT=0,2");
  done = true;
  killer.join();
  EXPECT_GE(killed.load(), 1);
  EXPECT_EQ(session.code, 0) << session.err;
  EXPECT_EQ(verdict(session, "0"), "ok");
  const std::uint64_t free_after = device().free_memory();
  EXPECT_GE(free_after + slack_bytes, free_before_);
  report(session, "2", free_after);
}

TEST_F(Reliability, TwoTunersTakeTurns) {
  write_kernel(24);
  Session other;
  std::thread second([&] { other = tune("FAULT=0,8", {}, "b.db"); });
  Session session = tune("FAULT=0,8", {}, "a.db");
  second.join();
  for (const Session* one : {&session, &other}) {
    EXPECT_EQ(one->code, 0) << one->err;
    EXPECT_EQ(one->trials.size(), 48u);
    for (const auto& [name, trial] : one->trials) EXPECT_EQ(trial["verdict"], "ok") << name;
  }
  report(session, "8", device().free_memory());
}

TEST_F(Reliability, AMisalignedVectorIsAFault) {
  const Session session = tune("FAULT=0,6");
  expect_goes_on(session, "6", "fault", 2);
  EXPECT_THAT(detail(session, "6"), HasSubstr("716"));
}

TEST_F(Reliability, SharedMemoryAbove48KiBCompilesOnlyWhenItIsDynamic) {
  const Session session = tune("FAULT=0,7,8");
  expect_goes_on(session, "8", "ok", 0);
  EXPECT_THAT(verdict(session, "7"), testing::AnyOf("resources", "compile_error"));
}

// An array of 400 kB is followed by the next one, here by the result that it is compared with.
TEST_F(Reliability, WhatWritesFarOutsideItsArraysIsBlamedAndNoOther) {
  write_kernel(6);
  const Session session = tune("FAULT=0,9", {"--keep-going", "--effort", "exhaustive"});
  expect_goes_on(session, "9", "guard", 12);
  EXPECT_THAT(detail(session, "9"), HasSubstr("wrote far outside its arrays"));
  for (const auto& [name, trial] : session.trials)
    EXPECT_EQ(trial["verdict"], name.starts_with("0/") ? "ok" : "guard") << name;
}

TEST_F(Reliability, TwoHundredFaultsLeakNothing) {
  write_kernel(100);
  const Session session = tune("FAULT=0,1", {"--keep-going", "--effort", "exhaustive"});
  EXPECT_EQ(session.code, 0) << session.err;
  EXPECT_EQ(session.trials.size(), 200u);
  EXPECT_EQ(session.best["workers_replaced"], 200);
  int faults = 0;
  for (const auto& [name, trial] : session.trials) faults += trial["verdict"] == "fault";
  EXPECT_EQ(faults, 100);
  const std::uint64_t free_after = device().free_memory();
  EXPECT_GE(free_after + slack_bytes, free_before_);
  report(session, "1", free_after);
}

}  // namespace
}  // namespace attune
