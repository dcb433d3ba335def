// What a dispatcher drops of code and scratch memory, on a device on which nothing runs. The preset `tsan` watches it.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <optional>
#include <semaphore>
#include <thread>

#include "attune/attune.hpp"
#include "attune/kernel_files.hpp"
#include "dispatch/readers.hpp"
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
  Dispatcher& make(std::uint64_t image_limit = no_limit, std::uint64_t scratch_limit = no_limit) {
    DispatcherOptions options{"host", folder_ / "none.db", folder_ / "cache", {}};
    options.image_limit = image_limit;
    options.scratch_limit = scratch_limit;
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
  // What was used since the last trim stays the first time.
  void trim_all() {
    gpu_->trim();
    gpu_->trim();
  }

  std::filesystem::path folder_;
  std::optional<Dispatcher> gpu_;
  float* out_ = reinterpret_cast<float*>(0x1000);
};

TEST_F(Eviction, DropsCodeThatIsNotUsed) {
  make();
  for (std::int64_t n = 1; n <= 5; ++n) launch(0, n);
  launch(2, 1);
  gpu_->trim();
  EXPECT_EQ(gpu_->statistics().image_bytes, 2 * image_bytes) << "it was used";
  gpu_->trim();
  EXPECT_EQ(gpu_->statistics().image_bytes, 0u);
  EXPECT_EQ(gpu_->statistics().evicted_images, 2u);
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
  make();
  for (const char* const kernel : {"kernel0", "kernel1"}) {
    gpu_->plan(kernel, {{"n", 7}}).launch(nullptr, out_, 7);
    trim_all();
    EXPECT_EQ(gpu_->statistics().image_bytes, 0u) << kernel;
    gpu_->plan(kernel, {{"n", 7}}).launch(nullptr, out_, 7);
  }
  EXPECT_EQ(launches, 4);
}

TEST_F(Eviction, DropsWhatIsNotUsedAndNoMoreThanTheLimitSays) {
  make();
  for (const int kernel : {0, 2, 4, 6}) launch(kernel, 1);
  gpu_->trim();
  launch(2, 1);
  gpu_->trim({2 * image_bytes, no_limit});
  EXPECT_EQ(gpu_->statistics().image_bytes, 2 * image_bytes);
  EXPECT_EQ(gpu_->statistics().evicted_images, 2u);
  const long before = loads;
  launch(2, 1);
  EXPECT_EQ(loads, before) << "what was used stays";
  for (const int kernel : {0, 4, 6}) launch(kernel, 1);
  EXPECT_EQ(loads, before + 2);
}

TEST_F(Eviction, DropsNothingWithinTheLimits) {
  make(20 * image_bytes);
  for (int kernel = 0; kernel < 20; ++kernel) launch(kernel, 1);
  for (int i = 0; i < 3; ++i) gpu_->trim({20 * image_bytes, no_limit});
  EXPECT_EQ(gpu_->statistics().image_bytes, 20 * image_bytes);
  EXPECT_EQ(gpu_->statistics().evicted_images, 0u);
}

TEST_F(Eviction, AMissBeyondALimitDropsButNotEachMiss) {
  make(image_bytes);
  launch(0, 1);
  gpu_->trim({no_limit, no_limit});  // from now on it is not used
  launch(2, 1);
  EXPECT_EQ(gpu_->statistics().evicted_images, 1u);
  EXPECT_EQ(gpu_->statistics().image_bytes, image_bytes);
  launch(4, 1);
  launch(6, 1);
  EXPECT_EQ(gpu_->statistics().evicted_images, 1u) << "a moment ago is too soon";
}

TEST_F(Eviction, KeepsWhatTheApplicationHolds) {
  make();
  std::optional<Plan> plan = gpu_->plan("kernel0", {{"n", 7}});
  std::optional<ResolvedLaunch> resolved = gpu_->plan("kernel2", {{"n", 7}}).resolve(out_, 7);
  launch(0, 7);
  launch(4, 1);
  trim_all();
  EXPECT_EQ(gpu_->statistics().evicted_images, 1u);
  EXPECT_EQ(gpu_->statistics().image_bytes, 2 * image_bytes);
  const long before = loads;
  plan->launch(nullptr, out_, 7);
  resolved->launch(nullptr);
  launch(0, 7);
  EXPECT_EQ(loads, before);
  plan.reset();
  resolved.reset();
  trim_all();
  EXPECT_EQ(gpu_->statistics().image_bytes, 0u);
  EXPECT_EQ(gpu_->statistics().evicted_images, 3u);
}

// A launch on the host device may last long. What it reads is left to a later call.
TEST_F(Eviction, WaitsAMomentForALaunchThatIsUnderWay) {
  make();
  launch(0, 1);
  gpu_->trim();
  std::binary_semaphore may_end(0), has_begun(0);
  std::jthread launching([&] {
    const LaunchSection section;
    has_begun.release();
    may_end.acquire();
  });
  has_begun.acquire();
  gpu_->trim();
  EXPECT_EQ(loaded, 1) << "it may be read";
  may_end.release();
  launching.join();
  gpu_->trim();
  EXPECT_EQ(loaded, 0);
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
  make();
  launch(1, 100, 1);
  const Plan plan = gpu_->plan("kernel3", {{"n", 10}});
  plan.launch(stream_of(2), out_, 10);
  for (int i = 0; i < 2; ++i) gpu_->trim({no_limit, 0});
  EXPECT_EQ(gpu_->statistics().scratch_bytes, 0u);
  EXPECT_EQ(gpu_->statistics().evicted_scratch, 2u);
  EXPECT_EQ(gpu_->statistics().evicted_images, 0u);
  plan.launch(stream_of(2), out_, 10);
  launch(1, 100, 1);
  EXPECT_EQ(launches, 4);
  for (int i = 0; i < 2; ++i) gpu_->trim({no_limit, 0});
  EXPECT_EQ(gpu_->statistics().evicted_scratch, 4u);
}

TEST_F(Eviction, KeepsScratchMemoryWithinTheLimit) {
  make();
  launch(1, 100, 1);
  launch(1, 100, 2);
  gpu_->trim({no_limit, 400});
  launch(1, 100, 2);
  for (int i = 0; i < 2; ++i) gpu_->trim({no_limit, 400});
  EXPECT_EQ(gpu_->statistics().scratch_bytes, 400u);
  EXPECT_EQ(gpu_->statistics().evicted_scratch, 1u);
}

// A plan and launches of a kernel have the same memory.
TEST_F(Eviction, APlanAndAKernelShareTheirScratchMemory) {
  make();
  launch(1, 100, 1);
  const Plan plan = gpu_->plan("kernel1", {{"n", 100}});
  plan.launch(stream_of(1), out_, 100);
  EXPECT_EQ(gpu_->statistics().scratch_bytes, 400u);
}

TEST_F(Eviction, GoesOnBesideLaunchesOfManyThreads) {
  make();
  constexpr int threads = 8, least = 2000;
  std::atomic<long> expected = 0;
  std::atomic<int> failures = 0, running = threads;
  {
    std::vector<std::jthread> all;
    for (int t = 0; t < threads; ++t)
      all.emplace_back([&, t] {
        try {
          for (int i = 0; i < least || gpu_->statistics().evicted_images < 20; ++i) {
            const int problem = (i * 7 + t * 13) % 100;
            launch(problem % 20, 1 + problem / 20, t % 3);
            if (i % 10 == 0) gpu_->plan("kernel1", {{"n", 1 + i % 3}}).launch(stream_of(t), out_, 1 + i % 3);
            expected += i % 10 == 0 ? 2 : 1;
          }
        } catch (const std::exception& error) {
          ++failures;
          ADD_FAILURE() << error.what();
        }
        --running;
      });
    while (running > 0) gpu_->trim();
  }
  EXPECT_EQ(failures, 0);
  EXPECT_EQ(launches, expected);
  EXPECT_EQ(gpu_->statistics().entries, 100u);
  EXPECT_GE(gpu_->statistics().evicted_images, 20u);
  trim_all();
  EXPECT_EQ(gpu_->statistics().image_bytes, 0u);
  EXPECT_EQ(gpu_->statistics().scratch_bytes, 0u);
}

}  // namespace
}  // namespace attune
