// The table of plans that plan(), launches of Kernel and prepare() share: which plan serves whom, and for how long. On
// a device on which nothing runs, whose compiler can be held up.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <numeric>
#include <optional>
#include <semaphore>
#include <thread>

#include "attune/attune.hpp"
#include "attune/kernel_files.hpp"
#include "db/wisdom_store.hpp"
#include "spec/kernel_file.hpp"
#include "support/idle_host.hpp"
#include "support/made_record.hpp"

namespace attune {
namespace {

using testing::HasSubstr;

std::atomic<bool> is_captured = false, has_compiler_failed = false;
std::atomic<long> loaded = 0;
std::atomic<int> last_block = 0, held_block = 0;
std::counting_semaphore<> reached(0), released(0);  // of the compile of `held_block`

// The number in "block<128>".
int block_of(std::string_view entry) { return std::stoi(std::string(entry.substr(entry.find('<') + 1))); }

class BlockModule final : public Module {
 public:
  BlockModule() { ++loaded; }
  ~BlockModule() override { --loaded; }
  FunctionHandle function(std::string_view expression, const LaunchShape&, Status&) override {
    block_ = block_of(expression);
    return &block_;
  }
  Variable variable(std::string_view, Status&) override { return {}; }

 private:
  int block_ = 0;
};

class SlowCompiler final : public Compiler {
 public:
  std::vector<CompileOutcome> compile(std::span<const ImageRequest> requests) override {
    if (has_compiler_failed) throw Error("the compiler is gone");
    if (block_of(requests[0].expressions[0]) == held_block) {
      reached.release();
      released.acquire();
    }
    return idle_.compile(requests);
  }
  std::size_t preferred_batch() const noexcept override { return 1; }
  std::string toolchain() override { return idle_.toolchain(); }
  bool disturbs_timing() const noexcept override { return false; }

 private:
  test::IdleCompiler idle_;
};

class BlockHost final : public test::IdleDevice {
 public:
  BlockHost() { info_.kind = "host"; }
  const DeviceInfo& info() const noexcept override { return info_; }
  std::shared_ptr<Compiler> compiler() override { return std::make_shared<SlowCompiler>(); }
  LoadOutcome load(const Image&) override { return {{}, std::make_shared<BlockModule>()}; }
  bool is_captured(StreamHandle) override { return attune::is_captured; }
  Status keep_in_graph(StreamHandle, std::shared_ptr<const void>) override { return {}; }
  Status enqueue(const Operation& operation, StreamHandle) override {
    last_block = *static_cast<const int*>(operation.function);
    return {};
  }

 private:
  DeviceInfo info_;
};

constexpr EmbeddedFile block_kernel{"block.cu", R"cu(/*attune
[kernel]
name = "block"
[problem]
n = "size"
[parameters]
BLOCK = [64, 128, 256, 512]
[[launch]]
entry = "block<BLOCK>"
grid = ["n"]
block = ["BLOCK"]
arguments = ["out", "n"]
[arguments]
out = { type = "float", size = "n", role = "out" }
n = { type = "int64" }
*/
template <int BLOCK> __global__ void block(float* out, long long n) {}
)cu"};

class PlanTable : public testing::Test {
 protected:
  PlanTable() {
    set_host_device({[]() -> std::unique_ptr<Device> { return std::make_unique<BlockHost>(); },
                     []() -> std::shared_ptr<Compiler> { return std::make_shared<SlowCompiler>(); },
                     [] { return std::string("idle"); }});
    is_captured = has_compiler_failed = false;
    held_block = last_block = 0;
    folder_ = std::filesystem::temp_directory_path() / fmt::format("attune-plans-{}", getpid());
    std::filesystem::create_directories(folder_ / "data");
    open();
  }
  ~PlanTable() override {
    gpu_.reset();
    EXPECT_EQ(loaded, 0);
    std::filesystem::remove_all(folder_);
  }
  // Another process, as far as the dispatcher can tell.
  void open() {
    gpu_.reset();
    DispatcherOptions options{"host", database(), folder_ / "cache",
                              [this](const std::string& message) { warn_(message); }};
    gpu_.emplace(options);
    gpu_->add(kernel_bundle(spec_, spec_.source.name));
  }
  std::filesystem::path database() const { return folder_ / "data" / "wisdom.db"; }
  void remember(std::int64_t n, int block, int trials = 5) {
    Record record = made_record(spec_, gpu_->device_info(), {{"n", n}}, {{"BLOCK", block}}, "idle 1.0");
    record.trials = trials;
    record.made_ms += trials;
    WisdomStore(database()).put_record(record);
  }
  int launch(Policy policy, std::int64_t n = 1000) {
    gpu_->kernel("block", policy).launch(nullptr, {n}, out_, n);
    return last_block;
  }
  std::string planned(Policy policy, std::int64_t n = 1000) {
    return gpu_->plan("block", {{"n", n}}, policy).configuration().text();
  }
  std::uint64_t plans() const {
    const auto made = gpu_->statistics().plans;
    return std::accumulate(made.begin(), made.end(), std::uint64_t{0});
  }
  // Caches the image of the default alone.
  void cache_default() {
    EXPECT_EQ(planned(Policy::wait, 7), "BLOCK=64");
    open();
  }
  static void wait_until_it_is_asked_again() { std::this_thread::sleep_for(std::chrono::milliseconds(1100)); }

  std::filesystem::path folder_;
  KernelSpec spec_ = read_embedded_kernel(block_kernel);
  std::function<void(const std::string&)> warn_ = [](const std::string&) {};
  std::optional<Dispatcher> gpu_;
  float* out_ = reinterpret_cast<float*>(0x1000);
};

// Another process has the database locked.
class LockedDatabase {
 public:
  explicit LockedDatabase(const std::filesystem::path& file) {
    EXPECT_EQ(sqlite3_open(file.c_str(), &database_), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(database_, "BEGIN EXCLUSIVE", nullptr, nullptr, nullptr), SQLITE_OK);
  }
  ~LockedDatabase() { sqlite3_close(database_); }

 private:
  sqlite3* database_ = nullptr;
};

TEST_F(PlanTable, AProblemThatWasPlannedWhileTheDatabaseWasLockedIsAskedForOnceASecond) {
  cache_default();
  remember(1000, 128);
  {
    const LockedDatabase locked(database());
    EXPECT_EQ(launch(Policy::cached_only), 64);
  }
  wait_until_it_is_asked_again();
  EXPECT_EQ(launch(Policy::cached_only), 64) << "the record's image is not there";
  const std::uint64_t before = plans();
  for (int i = 0; i < 100; ++i) EXPECT_EQ(launch(Policy::cached_only), 64);
  EXPECT_EQ(plans(), before);
  EXPECT_EQ(launch(Policy::background), 64);
  gpu_->wait_for_background();
  EXPECT_EQ(launch(Policy::background), 128);
}

TEST_F(PlanTable, WhatIsFoundOnceTheDatabaseIsReadTakesThePlaceOfADefault) {
  remember(1500, 256);
  EXPECT_EQ(planned(Policy::wait, 1500), "BLOCK=256");
  cache_default();
  remember(1000, 128);
  {
    const LockedDatabase locked(database());
    EXPECT_EQ(launch(Policy::cached_only), 64);
  }
  wait_until_it_is_asked_again();
  EXPECT_EQ(launch(Policy::cached_only), 256) << "of a near problem, whose image is cached";
}

TEST_F(PlanTable, PrepareAsksForAProblemThatWasPlannedWhileTheDatabaseWasLocked) {
  remember(1000, 128);
  {
    const LockedDatabase locked(database());
    EXPECT_EQ(launch(Policy::wait), 64);
  }
  wait_until_it_is_asked_again();
  gpu_->prepare("block", std::array{Problem{{"n", 1000}}});
  EXPECT_EQ(launch(Policy::cached_only), 128);
}

TEST_F(PlanTable, ACapturedFirstLaunchDoesNotDecideForLaterOnes) {
  cache_default();
  remember(1000, 128);
  is_captured = true;
  EXPECT_EQ(launch(Policy::background), 64);
  is_captured = false;
  EXPECT_EQ(launch(Policy::background), 64);
  gpu_->wait_for_background();
  EXPECT_EQ(launch(Policy::background), 128);
}

TEST_F(PlanTable, ALaunchThatWaitsDoesSoAfterOneThatDidNot) {
  cache_default();
  remember(1000, 128);
  EXPECT_EQ(launch(Policy::cached_only), 64);
  EXPECT_EQ(launch(Policy::cached_only), 64);
  EXPECT_EQ(launch(Policy::wait), 128);
  EXPECT_EQ(launch(Policy::cached_only), 128);
}

// While the best is compiled, some launch what is there, and others wait for it.
TEST_F(PlanTable, ALaunchThatWaitsDoesSoWhileTheBestIsPrepared) {
  cache_default();
  remember(1000, 128);
  held_block = 128;
  EXPECT_EQ(launch(Policy::background), 64);
  reached.acquire();
  for (int i = 0; i < 100; ++i) EXPECT_EQ(launch(Policy::background), 64);
  EXPECT_EQ(launch(Policy::cached_only), 64);
  EXPECT_EQ(planned(Policy::background), "BLOCK=64");
  EXPECT_EQ(plans(), 1u);
  std::jthread later([] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    released.release();
  });
  EXPECT_EQ(launch(Policy::wait), 128);
}

TEST_F(PlanTable, APreparationThatFailedIsTriedAgain) {
  cache_default();
  remember(1000, 128);
  std::vector<std::string> warnings;
  warn_ = [&](const std::string& message) { warnings.push_back(message); };
  has_compiler_failed = true;
  EXPECT_EQ(launch(Policy::background), 64);
  gpu_->wait_for_background();
  has_compiler_failed = false;
  const std::uint64_t before = plans();
  for (int i = 0; i < 100; ++i) EXPECT_EQ(launch(Policy::background), 64);
  EXPECT_EQ(plans(), before) << "the default serves for good, as where nothing better can be compiled";
  EXPECT_THAT(warnings, testing::ElementsAre(HasSubstr("(BLOCK=128) cannot be used")));
  gpu_->refresh();
  EXPECT_EQ(launch(Policy::background), 128);
}

TEST_F(PlanTable, APlanOfTheBackgroundPolicyPreparesTheBest) {
  cache_default();
  remember(1000, 128);
  EXPECT_EQ(planned(Policy::background), "BLOCK=64");
  gpu_->wait_for_background();
  EXPECT_EQ(planned(Policy::background), "BLOCK=128");
  const std::uint64_t before = plans();
  for (int i = 0; i < 100; ++i) planned(Policy::background);
  EXPECT_EQ(plans(), before);
}

TEST_F(PlanTable, APlanOfTheCachedOnlyPolicyAsksOnceASecond) {
  cache_default();
  remember(1000, 128);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(planned(Policy::cached_only), "BLOCK=64");
  EXPECT_EQ(plans(), 1u);
}

TEST_F(PlanTable, RefreshIsNotUndoneByWhatBeganBeforeIt) {
  cache_default();
  remember(1000, 128);
  held_block = 128;
  EXPECT_EQ(launch(Policy::background), 64);
  reached.acquire();
  remember(1000, 256, 50);
  std::jthread refreshing([&] { gpu_->refresh(); });
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  released.release();
  refreshing.join();
  gpu_->wait_for_background();
  EXPECT_EQ(launch(Policy::background), 256);
  EXPECT_EQ(planned(Policy::wait), "BLOCK=256");
}

TEST_F(PlanTable, RefreshKeepsNothingOfWhatItReplaces) {
  for (std::int64_t n = 1000; n < 1010; ++n) launch(Policy::wait, n);
  EXPECT_EQ(loaded, 1);
  for (int round = 0; round < 20; ++round) {
    const int block = round % 2 == 0 ? 128 : 256;
    for (std::int64_t n = 1000; n < 1010; ++n) remember(n, block, 10 + round);
    gpu_->refresh();
    EXPECT_EQ(launch(Policy::wait), block);
    EXPECT_EQ(loaded, 1) << "code that no plan has";
  }
}

TEST_F(PlanTable, RefreshKeepsPlansOfWisdomThatIsUnchanged) {
  remember(1000, 128);
  launch(Policy::wait);
  for (int i = 0; i < 10; ++i) gpu_->refresh();
  EXPECT_EQ(gpu_->statistics().swaps, 0u);
  remember(1000, 256, 50);
  gpu_->refresh();
  EXPECT_EQ(launch(Policy::wait), 256);
  EXPECT_EQ(gpu_->statistics().swaps, 1u);
}

TEST_F(PlanTable, AWarningMayWaitForTheBackground) {
  cache_default();
  remember(1000, 128);
  std::atomic<int> warnings = 0;
  warn_ = [&](const std::string&) {
    ++warnings;
    gpu_->wait_for_background();
  };
  has_compiler_failed = true;
  EXPECT_EQ(launch(Policy::background), 64);
  gpu_->wait_for_background();
  EXPECT_EQ(warnings, 1);
}

TEST_F(PlanTable, WhatAWarningThrowsIsLost) {
  cache_default();
  remember(1000, 128);
  std::atomic<int> warnings = 0;
  warn_ = [&](const std::string&) {
    ++warnings;
    throw std::runtime_error("not expected");
  };
  has_compiler_failed = true;
  EXPECT_EQ(launch(Policy::background), 64);
  gpu_->wait_for_background();
  EXPECT_EQ(warnings, 1);
  remember(5000, 256);
  EXPECT_EQ(launch(Policy::wait, 5000), 64) << "on the caller's thread too";
  EXPECT_EQ(warnings, 2);
}

TEST_F(PlanTable, AForkedChildEndsItsDispatcher) {
  cache_default();
  remember(1000, 128);
  EXPECT_EQ(launch(Policy::background), 64);
  gpu_->wait_for_background();  // its thread is there
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    gpu_.reset();
    _exit(7);
  }
  int status = 0;
  for (int i = 0; i < 200 && waitpid(child, &status, WNOHANG) == 0; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 7) << "it hangs";
  kill(child, SIGKILL);
}

// An image that is loaded or cached is ready for all who ask at once.
TEST_F(PlanTable, ManyAtOnceFindAnImageThatIsReady) {
  cache_default();
  std::atomic<int> failures = 0;
  std::vector<std::jthread> all;
  for (int t = 0; t < 4; ++t)
    all.emplace_back([&, t] {
      for (std::int64_t n = 1; n <= 500; ++n) {
        try {
          gpu_->plan("block", {{"n", 4 * n + t}}, Policy::cached_only);
        } catch (const NotPrepared&) {
          ++failures;
        }
      }
    });
  all.clear();
  EXPECT_EQ(failures, 0);
}

// The table grows beside plans that are replaced and dropped. The preset `tsan` watches it.
TEST_F(PlanTable, GrowsWhilePlansGo) {
  remember(1, 128);
  std::atomic<bool> is_over = false;
  std::jthread changing([&] {
    for (int round = 0; !is_over; ++round) {
      remember(1 + round % 50, round % 2 == 0 ? 128 : 256, 10 + round);
      gpu_->refresh();
      gpu_->trim();
    }
  });
  for (std::int64_t n = 1; n <= 3000; ++n) launch(Policy::wait, n);
  is_over = true;
}

TEST_F(PlanTable, CachedOnlyDoesNotWaitForACompileAlsoWhereChoicesAreKept) {
  DispatcherOptions options{"host", database(), folder_ / "cache", {}};
  options.deterministic_only = true;
  std::string text(block_kernel.text);
  text.replace(text.find("name = \"block\""), 14, "name = \"block\"\ndeterministic = true");
  const KernelSpec spec = read_kernel_text(text, "block.cu");
  gpu_.emplace(options);
  gpu_->add(kernel_bundle(spec, "block.cu"));
  held_block = 64;
  std::jthread waiting([&] { planned(Policy::wait); });
  reached.acquire();
  EXPECT_THROW(planned(Policy::cached_only), NotPrepared);
  released.release();
  waiting.join();
  EXPECT_EQ(planned(Policy::cached_only), "BLOCK=64");
}

// They are planned and prepared as all others are.
TEST_F(PlanTable, AKernelMayHaveMoreNamesThanAKey) {
  std::string names, values;
  for (const char name : std::string_view("abcdefghi")) {
    names += fmt::format("{} = \"size\"\n", name);
    values += fmt::format("{}{}=1", values.empty() ? "" : " ", name);
  }
  std::string text(block_kernel.text);
  text.replace(text.find("n = \"size\"\n"), 11, "n = \"size\"\n" + names);
  text.replace(text.find("name = \"block\""), 14, "name = \"wide\"");
  const KernelSpec wide = read_kernel_text(text, "wide.cu");
  gpu_->add(kernel_bundle(wide, "wide.cu"));
  Problem problem{{"n", 10}};
  for (const char name : std::string_view("abcdefghi")) problem.set(std::string(1, name), 1);
  gpu_->prepare("wide", std::array{problem});
  EXPECT_EQ(plans(), 1u);
  EXPECT_EQ(gpu_->plan("wide", problem, Policy::cached_only).problem().text(), "n=10 " + values);
  problem.set("i", 2);
  gpu_->plan("wide", problem);
  EXPECT_EQ(plans(), 2u);
  EXPECT_EQ(gpu_->statistics().entries, 2u);
  EXPECT_THROW(gpu_->kernel("wide"), UsageError);
}

}  // namespace
}  // namespace attune
