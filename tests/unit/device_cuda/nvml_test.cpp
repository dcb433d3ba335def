// What is read from NVML, against a library of the tests' own.
#include "device/cuda/nvml.hpp"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "attune/error.hpp"
#include "fake_nvml.hpp"
#include "support/set_user_id.hpp"

namespace attune::cuda {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr const char* uuid = "GPU-00010203-0405-0607-0809-0a0b0c0d0e0f";

// The answers of the library `file`, set to something anew.
test::FakeNvml& fake_of(const char* file) {
  void* library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw Error(dlerror());
  test::FakeNvml& fake = *reinterpret_cast<test::FakeNvml* (*)()>(dlsym(library, "fake_nvml"))();
  fake = {};
  fake.uuid = uuid;
  fake.sm_clock = 1980;
  fake.memory_clock = 3201;
  fake.temperature = 41;
  fake.milliwatts = 123456;
  fake.millijoules = 5'000'000'000'123;
  return fake;
}

class Nvml : public testing::Test {
 protected:
  static void SetUpTestSuite() { setenv("ATTUNE_NVML", FAKE_NVML_NEW_FILE, 1); }
  test::FakeNvml& fake_ = fake_of(FAKE_NVML_NEW_FILE);
};

TEST_F(Nvml, TellsTheWholeStateOfADevice) {
  NvmlView view(uuid);
  const DeviceState state = view.state();
  EXPECT_EQ(state.sm_clock_mhz, 1980);
  EXPECT_EQ(state.memory_clock_mhz, 3201);
  EXPECT_EQ(state.temperature_c, 41);
  EXPECT_EQ(state.power_w, 123.456);
  EXPECT_EQ(state.energy_j, 5'000'000'000.123);
  EXPECT_EQ(state.throttle, 0u);
  EXPECT_FALSE(hardware_throttled(state));
  EXPECT_FALSE(power_capped(state));
}

TEST_F(Nvml, AsksAnewEachTimeButInitialisesAndLooksUpOnce) {
  {
    NvmlView view(uuid);
    EXPECT_EQ(fake_.inits, 0) << "before the first question";
    for (const unsigned clock : {1000u, 1100u, 1200u}) {
      fake_.sm_clock = clock;
      EXPECT_EQ(view.state().sm_clock_mhz, clock);
      EXPECT_THAT(view.other_processes(), IsEmpty());
    }
    EXPECT_EQ(fake_.inits, 1);
    EXPECT_EQ(fake_.look_ups, 1);
    EXPECT_EQ(fake_.initialised, 1);
    EXPECT_EQ(ask_nvml(uuid).power_limit_mw, 700000);
    EXPECT_EQ(fake_.initialised, 1) << "other questions leave it initialised";
  }
  EXPECT_EQ(fake_.initialised, 0);
}

TEST_F(Nvml, KeepsEveryReasonForALowClockThatItKnowsAndNoOther) {
  struct Case {
    unsigned long long reasons;
    bool hardware, capped;
    const char* text;
  };
  const Case cases[] = {
      {0x1, false, false, ""},   // idle
      {0x2, false, false, ""},   // application clocks
      {0x10, false, false, ""},  // sync boost
      {0x4, false, true, "software power cap"},
      {0x8, true, false, "hardware slowdown"},
      {0x20, true, false, "software thermal slowdown"},
      {0x48, true, false, "hardware thermal slowdown"},
      {0x88, true, false, "hardware power brake"},
      {0x25, true, true, "software power cap, software thermal slowdown"},
      {0xFFFFFFFFFFFFFFFF, true, true,
       "software power cap, software thermal slowdown, hardware thermal slowdown, hardware power brake"},
  };
  NvmlView view(uuid);
  for (const Case& one : cases) {
    fake_.throttle = one.reasons;
    const DeviceState state = view.state();
    ASSERT_TRUE(state.throttle.has_value());
    EXPECT_EQ(*state.throttle, one.reasons & 0xEC);
    EXPECT_EQ(hardware_throttled(state), one.hardware) << one.text;
    EXPECT_EQ(power_capped(state), one.capped) << one.text;
    EXPECT_EQ(throttle_text(*state.throttle), one.text);
  }
}

TEST_F(Nvml, LeavesOutWhatADeviceDoesNotTellAndNothingElse) {
  NvmlView view(uuid);
  fake_.power_result = 3;  // not supported
  fake_.throttle_result = 999;
  DeviceState state = view.state();
  EXPECT_EQ(state.power_w, std::nullopt);
  EXPECT_EQ(state.throttle, std::nullopt);
  EXPECT_FALSE(hardware_throttled(state));
  EXPECT_EQ(state.sm_clock_mhz, 1980);
  EXPECT_EQ(state.temperature_c, 41);
  EXPECT_TRUE(state.energy_j.has_value());
  fake_.power_result = 0;
  fake_.clock_result = fake_.temperature_result = fake_.energy_result = fake_.processes_result = 15;  // GPU is lost
  state = view.state();
  EXPECT_EQ(state.power_w, 123.456);
  EXPECT_EQ(state.sm_clock_mhz, std::nullopt);
  EXPECT_EQ(state.memory_clock_mhz, std::nullopt);
  EXPECT_EQ(state.temperature_c, std::nullopt);
  EXPECT_EQ(state.energy_j, std::nullopt);
  EXPECT_THAT(view.other_processes(), IsEmpty());
}

TEST_F(Nvml, TellsNothingOfADeviceThatItDoesNotKnow) {
  NvmlView view("MIG-00010203-0405-0607-0809-0a0b0c0d0e0f");
  for (int i = 0; i < 3; ++i) {
    const DeviceState state = view.state();
    EXPECT_EQ(state.sm_clock_mhz, std::nullopt);
    EXPECT_EQ(state.throttle, std::nullopt);
    EXPECT_THAT(view.other_processes(), IsEmpty());
  }
  EXPECT_EQ(fake_.look_ups, 1);
  EXPECT_EQ(fake_.initialised, 0) << "not kept for nothing";
}

TEST_F(Nvml, TellsNothingWhenItCannotBeInitialised) {
  fake_.init_result = 9;  // driver not loaded
  NvmlView view(uuid);
  EXPECT_EQ(view.state().sm_clock_mhz, std::nullopt);
  EXPECT_EQ(ask_nvml(uuid).driver_version, std::nullopt);
  EXPECT_EQ(fake_.initialised, 0);
}

// The program that called for tuning has a context too, and waits.
TEST_F(Nvml, NamesOtherProcessesButNeitherItselfNorThoseThatWaitForIt) {
  const unsigned self = static_cast<unsigned>(getpid()), parent = static_cast<unsigned>(getppid());
  const pid_t child = fork();
  if (child == 0) {
    pause();
    _exit(0);
  }
  ASSERT_GT(child, 0);
  const unsigned nobody = 0x7FFFFFFF, other = static_cast<unsigned>(child);
  const unsigned pids[] = {nobody, self, parent, other, 1};
  fake_.pids = pids;
  fake_.pid_count = 5;
  NvmlView view(uuid);
  EXPECT_THAT(view.other_processes(),
              ElementsAre("process (2147483647)", HasSubstr("(" + std::to_string(other) + ")")));
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
}

// Their attune takes no turns with this user's.
TEST_F(Nvml, SaysWhichProcessesAreAnotherUsers) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can be two users";
  const pid_t child = fork();
  if (child == 0) {
    if (setuid(65534) != 0) _exit(1);
    pause();
    _exit(0);
  }
  const auto pid = static_cast<unsigned>(child);
  fake_.pids = &pid;
  fake_.pid_count = 1;
  NvmlView view(uuid);
  std::vector<std::string> named;
  for (int i = 0; i < 500 && (named.empty() || named.front().find(" of user 65534 (") == std::string::npos); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));  // until it is the other user
    named = view.other_processes();
  }
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  EXPECT_THAT(named, ElementsAre(HasSubstr(" of user 65534 (" + std::to_string(pid) + ")")));
}

TEST_F(Nvml, NamesMoreProcessesThanItFirstHadRoomFor) {
  std::vector<unsigned> pids(300);
  for (std::size_t i = 0; i < pids.size(); ++i) pids[i] = 0x70000000u + static_cast<unsigned>(i);
  fake_.pids = pids.data();
  fake_.pid_count = static_cast<unsigned>(pids.size());
  NvmlView view(uuid);
  EXPECT_THAT(view.other_processes(), SizeIs(300));
}

TEST_F(Nvml, MayBeAskedByManyThreads) {
  NvmlView view(uuid);
  std::vector<std::thread> threads;
  std::vector<int> wrong(8);
  for (int& count : wrong) {
    threads.emplace_back([&view, &count] {
      for (int i = 0; i < 1000; ++i) count += view.state().sm_clock_mhz != 1980;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(wrong, testing::Each(0));
  EXPECT_EQ(fake_.inits, 1);
}

TEST(NvmlLibrary, AnOldOneGivesWhatItHas) {
  test::FakeNvml& fake = fake_of(FAKE_NVML_OLD_FILE);
  const unsigned pid = 1;
  fake.pids = &pid;
  fake.pid_count = 1;
  fake.throttle = 0x40;
  const auto api = load_nvml(FAKE_NVML_OLD_FILE);
  NvmlView view(uuid, api.get());
  const DeviceState state = view.state();
  EXPECT_EQ(state.sm_clock_mhz, 1980);
  EXPECT_EQ(state.power_w, 123.456);
  EXPECT_EQ(state.throttle, 0x40u) << "by its name before driver 535";
  EXPECT_EQ(state.energy_j, std::nullopt);
  EXPECT_THAT(view.other_processes(), IsEmpty());
}

TEST(NvmlLibrary, OneThatWasCutDownStillNamesTheDevice) {
  fake_of(FAKE_NVML_BARE_FILE);
  const auto api = load_nvml(FAKE_NVML_BARE_FILE);
  ASSERT_NE(api, nullptr);
  NvmlView view(uuid, api.get());
  const DeviceState state = view.state();
  EXPECT_EQ(state.sm_clock_mhz, std::nullopt);
  EXPECT_EQ(state.memory_clock_mhz, std::nullopt);
  EXPECT_EQ(state.temperature_c, std::nullopt);
  EXPECT_EQ(state.power_w, std::nullopt);
  EXPECT_EQ(state.energy_j, std::nullopt);
  EXPECT_EQ(state.throttle, std::nullopt);
  EXPECT_THAT(view.other_processes(), IsEmpty());
}

TEST(NvmlLibrary, NoneIsDoneWithout) {
  const auto api = load_nvml("none");
  EXPECT_EQ(api, nullptr);
  NvmlView view(uuid, api.get());
  EXPECT_EQ(view.state().sm_clock_mhz, std::nullopt);
  EXPECT_THAT(view.other_processes(), IsEmpty());
}

TEST(NvmlLibrary, IsFoundInAFolderThatIsNamed) {
  const fs::path folder = fs::path(testing::TempDir()) / ("attune_nvml_" + std::to_string(getpid()));
  fs::create_directories(folder);
  fs::create_symlink(FAKE_NVML_NEW_FILE, folder / "libnvidia-ml.so.1");
  EXPECT_NE(load_nvml(folder.string()), nullptr);
  fs::remove_all(folder);
}

std::string failure_of(const std::string& setting) {
  try {
    load_nvml(setting);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(NvmlLibrary, ASettingThatIsNoneIsAnErrorThatNamesIt) {
  EXPECT_THAT(failure_of("/no/such/libnvidia-ml.so.1"),
              AllOf(HasSubstr("ATTUNE_NVML is `/no/such/libnvidia-ml.so.1`"), HasSubstr("unset it")));
  EXPECT_THAT(failure_of("libm.so.6"), HasSubstr("libm.so.6 lacks nvmlInit_v2"));
  EXPECT_THAT(failure_of(testing::TempDir()), HasSubstr("libnvidia-ml.so.1"));
}

TEST(CudaLibraries, IgnoreTheEnvironmentInASetUserIdProcess) {
  setenv("ATTUNE_NVML", "/planted.so", 1);
  setenv("CUDA_HOME", "/planted", 1);
  EXPECT_EQ(test::first_line_of(PRINT_NVML_SETTING), "[/planted.so][/planted/include][beside]\n");
  const std::optional<std::string> printed = test::first_line_as_set_user_id(PRINT_NVML_SETTING);
  unsetenv("ATTUNE_NVML");
  unsetenv("CUDA_HOME");
  if (!printed) GTEST_SKIP() << "no set-user-id programs here";
  EXPECT_EQ(*printed, "[]\n");
}

}  // namespace
}  // namespace attune::cuda
