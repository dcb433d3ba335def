// What a sample is in each regime: how many launches, over how many sets of the data, and whether a flush goes before.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>

#include "attune/error.hpp"
#include "kernel/problem.hpp"
#include "spec/kernel_file.hpp"
#include "subject/kernel_subject.hpp"
#include "worker/kernel_runner.hpp"

namespace attune {
namespace {

using testing::HasSubstr;

class AnyFunction final : public Module {
 public:
  FunctionHandle function(std::string_view, const LaunchShape&, Status&) override { return this; }
  Variable variable(std::string_view, Status&) override { return {}; }
};

// Has memory, and launches nothing.
class Idle final : public Device {
 public:
  const DeviceInfo& info() const noexcept override { return info_; }
  std::shared_ptr<Compiler> compiler() override { return nullptr; }
  void* allocate(std::size_t bytes) override { return std::aligned_alloc(256, (bytes + 255) / 256 * 256 + 256); }
  void free(void* address) noexcept override { std::free(address); }
  std::uint64_t free_memory() override { return free_bytes; }
  void copy_in(void*, const void*, std::size_t, StreamHandle) override {}
  void copy_out(void*, const void*, std::size_t, StreamHandle) override {}
  StreamHandle make_stream() override { return nullptr; }
  void destroy_stream(StreamHandle) noexcept override {}
  Status synchronize(StreamHandle) override { return {}; }
  LoadOutcome load(const Image&) override { return {{}, std::make_shared<AnyFunction>()}; }
  Status enqueue(const Operation&, StreamHandle) override { return {}; }

  static constexpr std::uint64_t l2_bytes = 1 << 20;
  std::uint64_t free_bytes = std::uint64_t{1} << 30;

 private:
  static DeviceInfo with_cache() {
    DeviceInfo info = device_limits("sm_90");
    info.l2_bytes = l2_bytes;
    return info;
  }
  const DeviceInfo info_ = with_cache();
};

// Keeps what was to be sampled.
class Keeper final : public DeviceInstruments {
 public:
  DeviceTimes take_samples(const Sampling& sampling) override {
    kept = sampling;
    sets = sampling.timed.size();
    return {{}, std::vector<double>(static_cast<std::size_t>(sampling.count), 1000.0)};
  }

  Sampling kept;
  std::size_t sets = 0;
};

class Content final : public DataTools {
 public:
  void generate(void*, std::string_view, std::uint64_t, const FillValues&, std::uint64_t) override {}
  std::vector<InspectionFinding> inspect(std::span<const Inspection> inspections) override {
    return std::vector<InspectionFinding>(inspections.size());
  }
};

class StreamOfData : public testing::Test {
 protected:
  // A sample of scale.cu, whose two arrays have n floats.
  void sample(std::int64_t n, const TimingPlan& plan) {
    with_problem(n, [&](Runner& runner) { runner.sample(1, plan); });
  }
  void meter(std::int64_t n, const TimingPlan& plan) {
    with_problem(
        n, [&](Runner& runner) { EXPECT_TRUE(runner.launch_for(1, plan, 1e-6, [](const LaunchCount&) {}).ok()); });
  }
  void with_problem(std::int64_t n, const std::function<void(Runner&)>& use) {
    const KernelSpec spec = load_kernel(ATTUNE_TEST_DATA "/kernels/scale.cu");
    const Problem problem = parse_problem(spec, "n=" + std::to_string(n), "cuda");
    const Configuration configuration{{"BLOCK", 64}, {"ITEMS", 1}};
    const auto compile = [](const ImageRequest&) { return CompileOutcome{Verdict::ok, "", Image{}, 0}; };
    const KernelSubject subject(spec, problem, device_.info());
    KernelRunner runner(device_, instruments_, tools_, subject.setup(configuration, compile, 1));
    ASSERT_TRUE(runner.load(instance_launch(*subject.prepare(1, configuration), Image{})).ok());
    use(runner);
  }
  static constexpr TimingPlan stream{.regime = Regime::stream, .batch = 50};

  Idle device_;
  Keeper instruments_;
  Content tools_;
};

TEST_F(StreamOfData, HasASetForEachLaunchWhereThereIsRoom) {
  sample(65536, stream);  // 512 KiB
  EXPECT_EQ(instruments_.kept.batch, 50);
  EXPECT_EQ(instruments_.sets, 50u);
  EXPECT_FALSE(instruments_.kept.flush);
  sample(8192, stream);  // 64 KiB: more than twice the cache in all
  EXPECT_EQ(instruments_.sets, 50u);
  EXPECT_FALSE(instruments_.kept.flush);
}

TEST_F(StreamOfData, ReusesASetAfterTwiceTheCache) {
  device_.free_bytes = 4 << 20;
  sample(65536, stream);  // 512 KiB, and half of the memory is room for four more
  EXPECT_EQ(instruments_.kept.batch, 50);
  EXPECT_EQ(instruments_.sets, 5u) << "four others between two uses";
  EXPECT_FALSE(instruments_.kept.flush);
  device_.free_bytes = 16 << 20;
  sample(1 << 20, stream);  // 8 MiB
  EXPECT_EQ(instruments_.sets, 2u);
  device_.free_bytes = 2 * 32 * (64 << 10);
  sample(8192, stream);  // 64 KiB
  EXPECT_EQ(instruments_.sets, 33u);
  EXPECT_EQ(instruments_.kept.batch, 33) << "the next batch begins with the first set";
}

TEST_F(StreamOfData, ThatAreFewIsFlushedAndReusesNone) {
  sample(64, stream);
  EXPECT_EQ(instruments_.kept.batch, 50);
  EXPECT_EQ(instruments_.sets, 50u);
  EXPECT_TRUE(instruments_.kept.flush);
}

TEST_F(StreamOfData, WithoutRoomIsAnErrorThatNamesAWayOut) {
  device_.free_bytes = 1 << 20;
  try {
    sample(65536, stream);
    FAIL() << "it was sampled";
  } catch (const OutOfMemory& error) {
    EXPECT_THAT(error.what(), HasSubstr("5 sets of its data"));
    EXPECT_THAT(error.what(), HasSubstr("room for 2"));
    EXPECT_THAT(error.what(), HasSubstr("--regime cold"));
  }
}

TEST_F(StreamOfData, WithoutRoomIsMeteredOnTheSameData) {
  device_.free_bytes = 1 << 20;
  meter(65536, stream);
  EXPECT_EQ(instruments_.kept.batch, 50);
  EXPECT_EQ(instruments_.sets, 1u);
  EXPECT_FALSE(instruments_.kept.flush);
}

TEST_F(StreamOfData, IsNotWhatOtherRegimesSample) {
  sample(65536, {.regime = Regime::cold, .batch = 50});
  EXPECT_EQ(instruments_.kept.batch, 1) << "one launch alone";
  EXPECT_EQ(instruments_.sets, 1u);
  EXPECT_TRUE(instruments_.kept.flush);
  sample(65536, {.regime = Regime::warm, .batch = 50});
  EXPECT_EQ(instruments_.kept.batch, 50);
  EXPECT_EQ(instruments_.sets, 1u) << "the same data";
  EXPECT_FALSE(instruments_.kept.flush);
}

}  // namespace
}  // namespace attune
