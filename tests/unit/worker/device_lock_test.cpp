// The lock of a device between processes.
#include "worker/device_lock.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <functional>
#include <thread>

#include "attune/error.hpp"
#include "support/message_of.hpp"

namespace attune {
namespace {

namespace fs = std::filesystem;

class DeviceLockTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) / ("attune_lock_" + std::to_string(getpid()));
    fs::remove_all(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  static pid_t start(const std::function<void()>& work) {
    const pid_t child = fork();
    if (child == 0) {
      work();
      _exit(testing::Test::HasFailure() ? 1 : 0);
    }
    return child;
  }
  static int status_of(pid_t child) {
    int status = 0;
    waitpid(child, &status, 0);
    return status;
  }

  fs::path folder_;
  const std::atomic<int> never_{0};
};

TEST_F(DeviceLockTest, OnlyOneProcessHasItsTurn) {
  const fs::path busy = folder_ / "busy", log = folder_ / "turns";
  fs::create_directories(folder_);
  const auto work = [&](char name) {
    DeviceLock lock(folder_, "cuda-GPU-1");
    for (int i = 0; i < 40; ++i) {
      const DeviceLock::Turn turn(lock, never_);
      if (!fs::create_directory(busy)) _exit(2);
      std::ofstream(log, std::ios::app) << name;
      usleep(2000);
      fs::remove(busy);
    }
  };
  const pid_t a = start([&] { work('a'); }), b = start([&] { work('b'); }), c = start([&] { work('c'); });
  for (const pid_t child : {a, b, c}) EXPECT_EQ(status_of(child), 0);
  std::string turns;
  std::ifstream(log) >> turns;
  EXPECT_EQ(turns.size(), 120u);
  // Nobody has it many times in a row while all the others want it: until the first of them has had all of its turns.
  std::size_t end = turns.size();
  for (const char name : {'a', 'b', 'c'}) end = std::min(end, turns.rfind(name));
  turns.resize(end);
  for (const char* row : {"aaaaaaaaaaaaaaaaaaaaaaaaa", "bbbbbbbbbbbbbbbbbbbbbbbbb", "ccccccccccccccccccccccccc"})
    EXPECT_EQ(turns.find(row), std::string::npos) << turns;
}

TEST_F(DeviceLockTest, WhoeverHasItsTurnKnowsThatAnotherWaits) {
  DeviceLock lock(folder_, "cuda-GPU-1");
  pid_t waiting = 0;
  {
    const DeviceLock::Turn turn(lock, never_);
    EXPECT_FALSE(lock.others_wait());
    const pid_t other = start([&] {
      DeviceLock theirs(folder_, "cuda-GPU-1");
      const DeviceLock::Turn its_turn(theirs, never_);
    });
    const auto begin = std::chrono::steady_clock::now();
    while (!lock.others_wait() && std::chrono::steady_clock::now() - begin < std::chrono::seconds(10)) usleep(1000);
    EXPECT_TRUE(lock.others_wait());
    waiting = other;
  }
  EXPECT_EQ(status_of(waiting), 0);
  EXPECT_FALSE(lock.others_wait());
  EXPECT_FALSE(DeviceLock("", "cuda-GPU-1").others_wait());
}

TEST_F(DeviceLockTest, AProcessThatIsKilledLeavesItToOthers) {
  const pid_t holder = start([&] {
    DeviceLock lock(folder_, "cuda-GPU-1");
    const DeviceLock::Turn turn(lock, never_);
    std::ofstream(folder_ / "taken") << "x";
    for (;;) pause();
  });
  while (!fs::exists(folder_ / "taken")) usleep(1000);
  DeviceLock lock(folder_, "cuda-GPU-1");
  std::thread killer([&] {
    usleep(100'000);
    kill(holder, SIGKILL);
    status_of(holder);
  });
  const DeviceLock::Turn turn(lock, never_);
  EXPECT_GE(lock.waited_seconds(), 0.05);
  killer.join();
}

TEST_F(DeviceLockTest, WaitingIsNotedOnceWhileItLasts) {
  const fs::path taken = folder_ / "taken";
  const pid_t holder = start([&] {
    DeviceLock lock(folder_, "cuda-GPU-1");
    const DeviceLock::Turn turn(lock, never_);
    std::ofstream(taken) << "x";
    while (fs::exists(taken)) usleep(1000);
  });
  while (!fs::exists(taken)) usleep(1000);
  std::vector<std::string> notes;
  DeviceLock lock(folder_, "cuda-GPU-1", [&](const std::string& text) {
    notes.push_back(text);
    fs::remove(taken);  // the turn comes after the note
  });
  { const DeviceLock::Turn turn(lock, never_); }
  EXPECT_EQ(status_of(holder), 0);
  EXPECT_THAT(notes, testing::ElementsAre(testing::HasSubstr("waiting for another tuner on this device")));
  { const DeviceLock::Turn turn(lock, never_); }
  EXPECT_EQ(notes.size(), 1u);
}

TEST_F(DeviceLockTest, ItIsNotHandedToChildren) {
  DeviceLock lock(folder_, "cuda-GPU-1");
  pid_t child = 0;
  {
    const DeviceLock::Turn turn(lock, never_);
    child = fork();
    if (child == 0) execl("/bin/sleep", "sleep", "20", nullptr);
    usleep(50'000);
  }
  DeviceLock other(folder_, "cuda-GPU-1");
  { const DeviceLock::Turn turn(other, never_); }
  EXPECT_LT(other.waited_seconds(), 5);
  kill(child, SIGKILL);
  status_of(child);
}

TEST_F(DeviceLockTest, TurnsWithinTurnsAreOne) {
  DeviceLock lock(folder_, "cuda-GPU-1");
  const DeviceLock::Turn outer(lock, never_);
  { const DeviceLock::Turn inner(lock, never_); }
  const std::atomic<int> leaving{1};
  const pid_t child = start([&] {
    DeviceLock other(folder_, "cuda-GPU-1");
    try {
      const DeviceLock::Turn turn(other, leaving);  // still taken: gives up at once
    } catch (const WaitInterrupted&) {
      _exit(other.others_wait() ? 4 : 0);  // it left the queue
    }
    _exit(3);
  });
  EXPECT_EQ(status_of(child), 0);
}

TEST_F(DeviceLockTest, OtherDevicesHaveOtherLocks) {
  DeviceLock one(folder_, "cuda-GPU-1"), two(folder_, "cuda-GPU-2/../x");
  const DeviceLock::Turn first(one, never_);
  const DeviceLock::Turn second(two, never_);
  EXPECT_LT(two.waited_seconds(), 1);
  struct stat info {};
  ASSERT_EQ(stat(folder_.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0700u);
  for (const auto& entry : fs::directory_iterator(folder_)) EXPECT_TRUE(entry.is_regular_file()) << entry.path();
}

mode_t mode_of(const fs::path& path) {
  struct stat info {};
  EXPECT_EQ(lstat(path.c_str(), &info), 0) << path;
  return info.st_mode & 0777;
}

TEST_F(DeviceLockTest, FoldersAreMadePrivateUnderAnyMask) {
  for (const mode_t mask : {0, 0002, 0022}) {
    fs::remove_all(folder_);
    const mode_t before = umask(mask);
    const DeviceLock lock(folder_ / "cache" / "locks", "cuda-GPU-1");
    umask(before);
    for (const fs::path& made : {folder_ / "cache", folder_ / "cache" / "locks"}) EXPECT_EQ(mode_of(made), 0700u);
  }
}

TEST_F(DeviceLockTest, AFolderThatIsALinkIsRefusedAndItsTargetLeftAlone) {
  fs::create_directories(folder_ / "elsewhere");
  fs::permissions(folder_ / "elsewhere", fs::perms(0755));
  fs::create_directory_symlink(folder_ / "elsewhere", folder_ / "locks");
  const auto lock = [&] { DeviceLock(folder_ / "locks", "cuda-GPU-1"); };
  EXPECT_THAT(message_of<Error>(lock), testing::HasSubstr("locks: it is a symbolic link"));
  EXPECT_EQ(mode_of(folder_ / "elsewhere"), 0755u);
  EXPECT_TRUE(fs::is_empty(folder_ / "elsewhere"));
}

TEST_F(DeviceLockTest, AFolderOfAnotherUserIsRefusedAndLeftAlone) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give folders away";
  fs::create_directories(folder_);
  fs::permissions(folder_, fs::perms(0755));
  ASSERT_EQ(chown(folder_.c_str(), 65534, 65534), 0);
  const auto lock = [&] { DeviceLock(folder_, "cuda-GPU-1"); };
  EXPECT_THAT(message_of<Error>(lock), testing::HasSubstr("it belongs to another user"));
  EXPECT_EQ(mode_of(folder_), 0755u);
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(DeviceLockTest, WithoutAFolderEveryTurnIsFree) {
  DeviceLock one("", "cuda-GPU-1"), two("", "cuda-GPU-1");
  const DeviceLock::Turn first(one, never_);
  const DeviceLock::Turn second(two, never_);
  EXPECT_LT(two.waited_seconds(), 1);
}

TEST(LockName, CallablesTakeTurnsWithTheKernelsOfTheirDevice) {
  DeviceInfo gpu, host;
  gpu.uuid = "GPU-1";
  host.kind = "host";
  host.name = "CPU";
  for (const DeviceInfo& device : {gpu, host}) {
    DeviceInfo callable = device;
    callable.kind = "callable";
    EXPECT_EQ(lock_name(callable), lock_name(device));
  }
}

}  // namespace
}  // namespace attune
