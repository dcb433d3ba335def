// What a dispatcher drops of code and scratch memory, on a device on which nothing runs. The preset `tsan` watches it.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <limits>
#include <optional>
#include <thread>

#include "attune/attune.hpp"
#include "attune/kernel_files.hpp"
#include "spec/kernel_file.hpp"
#include "support/idle_host.hpp"

namespace attune {
namespace {

constexpr std::uint64_t image_bytes = 64;  // of IdleCompiler
constexpr std::uint64_t no_limit = ~std::uint64_t{0};

std::atomic<long> loads = 0, loaded = 0, launches = 0, dead = 0;

class Code final : public Module {
 public:
  Code() {
    ++loads;
    ++loaded;
  }
  ~Code() override {
    is_loaded = false;
    --loaded;
  }
  FunctionHandle function(std::string_view, const LaunchShape&, Status&) override { return this; }
  Variable variable(std::string_view, Status&) override { return {}; }
  volatile bool is_loaded = true;
};

class CountingHost final : public test::IdleDevice {
 public:
  CountingHost() { info_.kind = "host"; }
  const DeviceInfo& info() const noexcept override { return info_; }
  std::shared_ptr<Compiler> compiler() override { return compiler_; }
  LoadOutcome load(const Image&) override { return {{}, std::make_shared<Code>()}; }
  Status enqueue(const Operation& operation, StreamHandle) override {
    if (operation.kind != Operation::Kind::launch) return {};
    if (!static_cast<const Code*>(operation.function)->is_loaded) ++dead;
    ++launches;
    return {};
  }
  // A stream handle is its number here.
  std::uint64_t stream_id(StreamHandle stream) override { return reinterpret_cast<std::uintptr_t>(stream); }

 private:
  DeviceInfo info_;
  std::shared_ptr<Compiler> compiler_ = std::make_shared<test::IdleCompiler>();
};

KernelSpec numbered_kernel(int number, bool has_scratch) {
  return read_kernel_text(
      fmt::format(R"cu(/*attune
[kernel]
name = "kernel{0}"
[problem]
n = "size"
[parameters]
BLOCK = [64]
[[launch]]
entry = "kernel{0}<BLOCK>"
grid = ["n"]
block = ["BLOCK"]
arguments = ["out", "n"{1}]
[arguments]
out = {{ type = "float", size = "n", role = "out" }}
n = {{ type = "int64" }}
{2}
*/
template <int BLOCK> __global__ void kernel{0}(float* out, long long n) {{}}
)cu",
                  number, has_scratch ? R"(, "partial")" : "",
                  has_scratch ? R"(partial = { type = "float", size = "n", role = "scratch" })" : ""),
      fmt::format("kernel{}.cu", number));
}

StreamHandle stream_of(int number) { return reinterpret_cast<StreamHandle>(static_cast<std::uintptr_t>(number)); }

class Eviction : public testing::Test {
 protected:
  Eviction() {
    set_host_device({[]() -> std::unique_ptr<Device> { return std::make_unique<CountingHost>(); },
                     []() -> std::shared_ptr<Compiler> { return std::make_shared<test::IdleCompiler>(); },
                     [] { return std::string("idle"); }});
    loads = loaded = launches = dead = 0;
    folder_ = std::filesystem::temp_directory_path() / fmt::format("attune-eviction-{}", getpid());
    std::filesystem::create_directories(folder_);
  }
  ~Eviction() override {
    gpu_.reset();
    EXPECT_EQ(loaded, 0);
    EXPECT_EQ(dead, 0) << "launches of code that was dropped";
    std::filesystem::remove_all(folder_);
  }
  Dispatcher& make(std::uint64_t image_limit, std::uint64_t scratch_limit, double epoch_seconds = 0.001) {
    DispatcherOptions options{"host", folder_ / "none.db", folder_ / "cache", {}};
    options.image_limit = image_limit;
    options.scratch_limit = scratch_limit;
    options.epoch_seconds = epoch_seconds;
    gpu_.emplace(options);
    for (int i = 0; i < 20; ++i) {
      const KernelSpec spec = numbered_kernel(i, i % 2 == 1);  // odd ones have scratch memory
      gpu_->add(kernel_bundle(spec, spec.source.name));
    }
    return *gpu_;
  }
  void launch(int kernel, std::int64_t n, int stream = 0) {
    gpu_->kernel(fmt::format("kernel{}", kernel)).launch(stream_of(stream), {n}, out_, n);
  }
  // Waits until the statistics are so.
  template <typename Holds>
  testing::AssertionResult becomes(const Holds& holds) {
    const auto begin = std::chrono::steady_clock::now();
    while (std::chrono::steady_clock::now() < begin + std::chrono::seconds(60)) {
      if (holds(gpu_->statistics())) return testing::AssertionSuccess();
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
    const Statistics found = gpu_->statistics();
    return testing::AssertionFailure() << found.image_bytes << " bytes of code, " << found.scratch_bytes
                                       << " of scratch memory, dropped: " << found.evicted_images << ", "
                                       << found.evicted_scratch;
  }

  std::filesystem::path folder_;
  std::optional<Dispatcher> gpu_;
  float* out_ = reinterpret_cast<float*>(0x1000);
};

TEST_F(Eviction, DropsCodeThatIsNotUsed) {
  make(0, no_limit);
  for (std::int64_t n = 1; n <= 5; ++n) launch(0, n);
  launch(2, 1);
  EXPECT_TRUE(becomes([](const Statistics& now) { return now.image_bytes == 0 && now.evicted_images >= 2; }));
  EXPECT_EQ(loaded, 0);
  EXPECT_EQ(gpu_->statistics().entries, 6u);
  const long before = loads;
  launch(0, 3);
  EXPECT_EQ(launches, 7);
  EXPECT_EQ(loads, before + 1) << "it is loaded again";
  EXPECT_EQ(gpu_->statistics().compiled, 2u) << "from the cache";
  EXPECT_EQ(gpu_->statistics().swaps, 0u);
}

TEST_F(Eviction, DropsPlansThatNoneHolds) {
  make(0, no_limit);
  gpu_->plan("kernel0", {{"n", 7}}).launch(nullptr, out_, 7);
  EXPECT_TRUE(becomes([](const Statistics& now) { return now.image_bytes == 0; }));
  gpu_->plan("kernel0", {{"n", 7}}).launch(nullptr, out_, 7);
  EXPECT_EQ(launches, 2);
}

TEST_F(Eviction, DropsTheLeastRecentlyUsedAndNoMoreThanTheLimitSays) {
  make(image_bytes, no_limit, 0.02);
  launch(0, 1);
  launch(2, 1);
  while (gpu_->statistics().evicted_images == 0) launch(2, 1);
  EXPECT_EQ(gpu_->statistics().image_bytes, image_bytes);
  const long before = loads;
  launch(2, 1);
  EXPECT_EQ(loads, before) << "what was used stays";
  launch(0, 1);
  EXPECT_EQ(loads, before + 1);
}

TEST_F(Eviction, DropsNothingWithinTheLimits) {
  make(20 * image_bytes, no_limit);
  for (int kernel = 0; kernel < 20; ++kernel) launch(kernel, 1);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(gpu_->statistics().image_bytes, 20 * image_bytes);
  EXPECT_EQ(gpu_->statistics().evicted_images, 0u);
}

TEST_F(Eviction, KeepsWhatTheApplicationHolds) {
  make(0, no_limit);
  std::optional<Plan> plan = gpu_->plan("kernel0", {{"n", 7}});
  std::optional<ResolvedLaunch> resolved = gpu_->plan("kernel2", {{"n", 7}}).resolve(out_, 7);
  launch(0, 7);
  launch(4, 1);
  EXPECT_TRUE(becomes([](const Statistics& now) { return now.evicted_images == 1; }));
  EXPECT_EQ(gpu_->statistics().image_bytes, 2 * image_bytes);
  const long before = loads;
  plan->launch(nullptr, out_, 7);
  resolved->launch(nullptr);
  launch(0, 7);
  EXPECT_EQ(loads, before);
  plan.reset();
  resolved.reset();
  EXPECT_TRUE(becomes([](const Statistics& now) { return now.image_bytes == 0 && now.evicted_images >= 3; }));
}

TEST_F(Eviction, PlansOutliveTheDispatcher) {
  make(0, 0);
  std::optional<Plan> plan = gpu_->plan("kernel1", {{"n", 7}});
  plan->launch(stream_of(1), out_, 7);
  launch(3, 7);
  gpu_.reset();
  plan->launch(stream_of(2), out_, 7);
  EXPECT_EQ(loaded, 1);
}

TEST_F(Eviction, DropsScratchMemoryOfStreamsThatAreNotUsed) {
  make(no_limit, 0);
  launch(1, 100, 1);
  const Plan plan = gpu_->plan("kernel3", {{"n", 10}});
  plan.launch(stream_of(2), out_, 10);
  EXPECT_TRUE(becomes([](const Statistics& now) { return now.scratch_bytes == 0; }));
  EXPECT_GE(gpu_->statistics().evicted_scratch, 2u);
  EXPECT_EQ(gpu_->statistics().evicted_images, 0u);
  plan.launch(stream_of(2), out_, 10);
  launch(1, 100, 1);
  EXPECT_EQ(launches, 4);
  EXPECT_TRUE(becomes([](const Statistics& now) { return now.evicted_scratch >= 4; }));
}

TEST_F(Eviction, KeepsScratchMemoryWithinTheLimit) {
  make(no_limit, 400, 0.02);
  launch(1, 100, 1);
  launch(1, 100, 2);
  while (gpu_->statistics().evicted_scratch == 0) launch(1, 100, 2);
  EXPECT_EQ(gpu_->statistics().scratch_bytes, 400u);
}

TEST_F(Eviction, RefusesAnEpochWithoutALength) {
  for (const double seconds : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN()})
    EXPECT_THROW(make(0, 0, seconds), UsageError) << seconds;
}

// Each thread pauses now and then, so that some of what it launches is dropped.
TEST_F(Eviction, GoesOnBesideLaunchesOfManyThreads) {
  make(0, 0);
  constexpr int threads = 8, least = 2000;
  std::atomic<long> expected = 0;
  std::atomic<int> failures = 0;
  const auto begin = std::chrono::steady_clock::now();
  {
    std::vector<std::jthread> all;
    for (int t = 0; t < threads; ++t)
      all.emplace_back([&, t] {
        try {
          for (int i = 0; i < least || (gpu_->statistics().evicted_images < 20 &&
                                        std::chrono::steady_clock::now() < begin + std::chrono::seconds(60));
               ++i) {
            const int problem = (i * 7 + t * 13) % 100;
            launch(problem % 20, 1 + problem / 20, t % 3);
            if (i % 10 == 0) gpu_->plan("kernel1", {{"n", 1 + i % 3}}).launch(stream_of(t), out_, 1 + i % 3);
            expected += i % 10 == 0 ? 2 : 1;
            if (i % 100 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(4));
          }
        } catch (const std::exception& error) {
          ++failures;
          ADD_FAILURE() << error.what();
        }
      });
  }
  EXPECT_EQ(failures, 0);
  EXPECT_EQ(launches, expected);
  EXPECT_EQ(gpu_->statistics().entries, 100u);
  EXPECT_GE(gpu_->statistics().evicted_images, 20u);
  EXPECT_TRUE(becomes([](const Statistics& now) { return now.image_bytes == 0 && now.scratch_bytes == 0; }));
}

}  // namespace
}  // namespace attune
