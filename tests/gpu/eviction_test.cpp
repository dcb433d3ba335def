// Code and scratch memory that a dispatcher drops while a GPU works, and while a graph is captured.
#include <gmock/gmock.h>

#include <thread>

#include "gpu/graph_fixture.hpp"

namespace attune {
namespace {

using testing::Each;
using testing::ElementsAre;

// Runs for so many milliseconds before it writes n.
inline constexpr EmbeddedFile slow_kernel{"slow.cu", R"cu(/*attune
[kernel]
name = "slow"
[problem]
n = "size"
[parameters]
BLOCK = [32]
[[launch]]
entry = "slow<BLOCK>"
grid = [1]
block = ["BLOCK"]
arguments = ["out", "milliseconds", "n"]
[arguments]
out = { type = "int32", size = "n", role = "out" }
milliseconds = { type = "int64", fill = "1" }
n = { type = "int64" }
*/
template <int BLOCK>
__global__ void slow(int* out, long long milliseconds, long long n) {
  const long long begin = clock64();
  while (clock64() - begin < milliseconds * 1000000) {}
  for (long long i = threadIdx.x; i < n; i += BLOCK) out[i] = static_cast<int>(n);
}
)cu"};

class GpuEviction : public GraphFixture {
 protected:
  void SetUp() override {
    GraphFixture::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    DispatcherOptions options{"cuda", folder_ / "none.db", folder_ / "cache", {}};
    gpu_ = std::make_unique<Dispatcher>(options);
    for (const EmbeddedFile& file : {test::partials_kernel, slow_kernel})
      gpu_->add(kernel_bundle(read_embedded_kernel(file), file.file_name));
    gpu_->add(builtin::axpy);
  }
  // What was used since the last trim stays the first time.
  void trim_all() const {
    gpu_->trim();
    gpu_->trim();
  }
};

TEST_F(GpuEviction, LaunchesOnTwoStreamsGoOn) {
  const Stream one(*gpu_), two(*gpu_);
  const Buffer<int> in_one(*gpu_, ones(1)), in_two(*gpu_, ones(5)), out_one(*gpu_, 2), out_two(*gpu_, 2);
  const Kernel partials = gpu_->kernel("partials");
  for (int round = 0; round < 10; ++round) {
    partials.launch(one, {n, 16}, out_one, in_one, n);
    partials.launch(two, {n - round, 16}, out_two, in_two, n - round);
    EXPECT_EQ(out_one.to_vector(one)[0], n);
    EXPECT_EQ(out_two.to_vector(two)[0], 5 * (n - round));
    if (round % 3 != 2) continue;
    trim_all();
    EXPECT_EQ(gpu_->statistics().image_bytes, 0u);
    EXPECT_EQ(gpu_->statistics().scratch_bytes, 0u);
  }
  EXPECT_GE(gpu_->statistics().evicted_images, 3u);
  EXPECT_GE(gpu_->statistics().evicted_scratch, 6u);
  EXPECT_EQ(gpu_->statistics().compiled, 1u);
}

// The code is dropped while it runs: unloading waits.
TEST_F(GpuEviction, WaitsForTheWorkOfWhatItDrops) {
  const Stream stream(*gpu_);
  const Buffer<int> out(*gpu_, 1000);
  gpu_->kernel("slow").launch(stream, {1000}, out, 500, 1000);
  gpu_->kernel("slow").launch(stream, {999}, out, 1, 999);
  trim_all();
  EXPECT_EQ(gpu_->statistics().evicted_images, 1u);
  stream.synchronize();
  EXPECT_EQ(out.to_vector(stream)[0], 999);
  EXPECT_EQ(out.to_vector(stream)[999], 1000);
}

TEST_F(GpuEviction, AGraphKeepsItsCode) {
  const Stream stream(*gpu_);
  const Buffer<float> x(*gpu_, std::vector<float>(n, 2.f)), y(*gpu_, std::vector<float>(n, 1.f));
  const Buffer<int> in(*gpu_, ones(1)), out(*gpu_, 2);
  Graph graph = capture(stream, [&] {
    gpu_->plan("axpy", {{"n", n}, {"T", "float"}}).launch(stream, y, x, 3, n);
    gpu_->plan("partials", problem()).launch(stream, out, in, n);
  });
  gpu_->kernel("slow").launch(stream, {2}, out, 10, 2);
  trim_all();
  EXPECT_EQ(gpu_->statistics().evicted_images, 1u);
  for (int run = 1; run <= 3; ++run) {
    graph.launch(stream);
    EXPECT_THAT(out.to_vector(stream), ElementsAre(n, run));
  }
  EXPECT_THAT(y.to_vector(stream), Each(19.f));
  gpu_.reset();
  graph.launch(stream);
  EXPECT_THAT(out.to_vector(stream), ElementsAre(n, 4));
}

// In the default mode of a capture, a forbidden call on any thread spoils it.
TEST_F(GpuEviction, SpoilsNoCapture) {
  const Stream stream(*gpu_), other(*gpu_);
  const Buffer<int> in(*gpu_, ones(1)), out(*gpu_, 2), other_out(*gpu_, 2);
  const Plan plan = gpu_->plan("partials", problem());
  Graph graph = capture(stream, [&] {
    plan.launch(stream, out, in, n);
    std::thread beside([&] {
      gpu_->kernel("slow").launch(other, {2}, other_out, 2, 2);
      gpu_->kernel("partials").launch(other, {n - 1, 16}, other_out, in, n - 1);
      trim_all();
      EXPECT_GE(gpu_->statistics().evicted_images, 1u);
      EXPECT_GE(gpu_->statistics().evicted_scratch, 3u);
    });
    beside.join();
    plan.launch(stream, out, in, n);
  });
  graph.launch(stream);
  EXPECT_THAT(out.to_vector(stream), ElementsAre(n, 1));
}

}  // namespace
}  // namespace attune
