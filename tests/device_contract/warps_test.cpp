// Warp intrinsics.
#include <cmath>

#include "device_contract/contract_test.hpp"

namespace attune {
namespace {

using test::Array;
using test::shape;
using testing::Each;

class WarpContract : public test::ContractTest {};

// tests/unit/device has every kind, width, lane and type, for the headers of the host device.
TEST_F(WarpContract, ShufflesMoveValuesBetweenLanesOfASegment) {
  const std::shared_ptr<Module> module = load(R"(
template <typename T, int W> __global__ void run(double* out) {
  const T value = (T)(threadIdx.x % 32 * 3 + 1);
  out[threadIdx.x] = __shfl_sync(0xffffffff, value, 5, W);
  out[64 + threadIdx.x] = __shfl_up_sync(0xffffffff, value, 3, W);
  out[128 + threadIdx.x] = __shfl_down_sync(0xffffffff, value, 3, W);
  out[192 + threadIdx.x] = __shfl_xor_sync(0xffffffff, value, 6, W);
})",
                                              {"run<double, 32>", "run<int, 16>", "run<unsigned long long, 8>"});
  ASSERT_NE(module, nullptr);
  for (const auto& [entry, width] :
       {std::pair("run<double, 32>", 32), {"run<int, 16>", 16}, {"run<unsigned long long, 8>", 8}}) {
    Array<double> out(device(), 256);
    const Status status = launch(*module, entry, shape(1, 64), {out.parameter()});
    ASSERT_TRUE(status.ok()) << status.detail;
    const auto values = out.values();
    const auto value_of = [](int lane) { return lane * 3 + 1; };
    for (int i = 0; i < 64; ++i) {
      const int lane = i % 32, first = lane / width * width;
      EXPECT_EQ(values[i], value_of(first + 5 % width));
      EXPECT_EQ(values[64 + i], value_of(lane - 3 >= first ? lane - 3 : lane));
      EXPECT_EQ(values[128 + i], value_of(lane + 3 < first + width ? lane + 3 : lane));
      EXPECT_EQ(values[192 + i], value_of(lane ^ 6));
    }
  }
}

TEST_F(WarpContract, ShufflesKeepEveryBit) {
  const auto out = output<double>(R"(
__global__ void run(double* out) {
  double value = threadIdx.x == 7 ? -0.0 : 1e300 / 3 * threadIdx.x;
  out[threadIdx.x] = __shfl_xor_sync(~0u, value, 7);
})",
                                  shape(1, 32), 32);
  EXPECT_TRUE(std::signbit(out[0]));
  EXPECT_EQ(out[7 ^ 31], 1e300 / 3 * 31);
}

TEST_F(WarpContract, ReduceByShuffles) {
  const auto out = output<float>(R"(
__global__ void run(float* out) {
  float sum = threadIdx.x % 32 + 1;
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffffu, sum, offset);
  if (threadIdx.x % 32 == 0) out[blockIdx.x * 32 + threadIdx.x / 32] = sum;
})",
                                 shape(3, 1024), 96);
  EXPECT_THAT(out, Each(528.0f));
}

TEST_F(WarpContract, Vote) {
  const auto out = output<unsigned>(R"(
__global__ void run(unsigned* out) {
  const unsigned ballot = __ballot_sync(~0u, threadIdx.x % 2);
  const unsigned any = __any_sync(~0u, threadIdx.x == 13), none_at_all = __any_sync(~0u, threadIdx.x > 31);
  const unsigned all = __all_sync(~0u, threadIdx.x < 32), not_all = __all_sync(~0u, threadIdx.x != 8);
  if (threadIdx.x == 31) { out[0] = ballot; out[1] = any; out[2] = none_at_all; out[3] = all; out[4] = not_all; }
})",
                                    shape(1, 32), 5);
  EXPECT_THAT(out, testing::ElementsAre(0xAAAAAAAAu, 1, 0, 1, 0));
}

TEST_F(WarpContract, WorkInPartsWithDisjointMasks) {
  const auto out = output<int>(R"(
__global__ void run(int* out) {
  const unsigned mask = threadIdx.x < 12 ? 0xfffu : 0xfffff000u;
  int value = threadIdx.x;
  for (int round = 0; round < (threadIdx.x < 12 ? 3 : 5); ++round) value = __shfl_sync(mask, value, threadIdx.x < 12 ? 4 : 20);
  out[threadIdx.x] = value + 100 * __any_sync(mask, threadIdx.x == 30);
  __syncwarp();
})",
                               shape(1, 32), 32);
  for (int i = 0; i < 32; ++i) EXPECT_EQ(out[i], i < 12 ? 4 : 120);
}

TEST_F(WarpContract, ExchangeThroughSharedMemory) {
  const auto out = output<int>(R"(
__global__ void run(int* out) {
  __shared__ int cell[256];
  const int first = threadIdx.x / 32 * 32;
  cell[threadIdx.x] = threadIdx.x;
  __syncwarp();
  const int value = cell[first + (threadIdx.x + 5) % 32];
  __syncwarp();
  cell[threadIdx.x] = value + 1;
  __syncwarp();
  out[threadIdx.x] = cell[first + (threadIdx.x + 1) % 32];
})",
                               shape(1, 256), 256);
  for (int i = 0; i < 256; ++i) EXPECT_EQ(out[i], i / 32 * 32 + (i + 6) % 32 + 1);
}

TEST_F(WarpContract, AreNumberedAlongAllDimensionsOfABlock) {
  const auto out = output<unsigned>(R"(
__global__ void run(unsigned* out) {
  const int thread = threadIdx.x + 4 * (threadIdx.y + 4 * threadIdx.z);
  out[thread] = __ballot_sync(~0u, threadIdx.z == 1);
})",
                                    {{1, 1, 1}, {4, 4, 4}, 0}, 64);
  EXPECT_EQ(out[0], 0xFFFF0000u);
  EXPECT_EQ(out[63], 0u);
}

TEST_F(WarpContract, MayBeIncomplete) {
  const auto out = output<unsigned>(R"(
__global__ void run(unsigned* out) {
  const unsigned ballot = __ballot_sync(0xffffffffu, 1);
  __syncwarp();
  out[threadIdx.x] = ballot;
})",
                                    shape(1, 40), 40);
  EXPECT_EQ(out[0], 0xFFFFFFFFu);
  EXPECT_EQ(out[39], 0xFFu);
}

TEST_F(WarpContract, GoOnWithoutLanesThatHaveExited) {
  const auto out = output<unsigned>(R"(
__global__ void run(unsigned* out) {
  if (threadIdx.x == 3 || threadIdx.x == 31) return;
  out[threadIdx.x] = __ballot_sync(~0u, 1);
})",
                                    shape(1, 32), 32);
  EXPECT_EQ(out[0], 0x7FFFFFF7u);
  EXPECT_EQ(out[30], 0x7FFFFFF7u);
}

TEST_F(WarpContract, FindEqualValues) {
  const auto out = output<unsigned>(R"(
__global__ void run(unsigned* out) {
  out[threadIdx.x] = __match_any_sync(~0u, threadIdx.x % 4);
  int same = -1;
  const unsigned all = __match_all_sync(~0u, 1.5, &same);
  int different = -1;
  const unsigned none = __match_all_sync(~0u, (long long)threadIdx.x, &different);
  if (threadIdx.x == 9) { out[32] = all; out[33] = same; out[34] = none; out[35] = different; }
})",
                                    shape(1, 32), 36);
  EXPECT_EQ(out[2], 0x44444444u);
  EXPECT_EQ(out[32], ~0u);
  EXPECT_EQ(out[33], 1u);
  EXPECT_EQ(out[34], 0u);
  EXPECT_EQ(out[35], 0u);
}

TEST_F(WarpContract, ReduceInOneStep) {
  if (!is_host() && device().info().compute_capability < 80) GTEST_SKIP() << "needs sm_80";
  const auto out = output<int>(R"(
__global__ void run(int* out) {
  const int lane = threadIdx.x;
  const int sum = __reduce_add_sync(~0u, lane), least = __reduce_min_sync(~0u, lane - 5), most = __reduce_max_sync(~0u, lane - 5);
  const unsigned unsigned_most = __reduce_max_sync(~0u, (unsigned)(lane - 5));
  const unsigned both = __reduce_and_sync(~0u, 0xf0u | lane), either = __reduce_or_sync(~0u, lane), odd = __reduce_xor_sync(~0u, 1u << lane);
  if (lane == 0) { out[0] = sum; out[1] = least; out[2] = most; out[3] = unsigned_most == ~0u; out[4] = both; out[5] = either; out[6] = odd; }
})",
                               shape(1, 32), 7);
  EXPECT_THAT(out, testing::ElementsAre(496, -5, 26, 1, 0xe0 | 0x10, 31, -1));
}

}  // namespace
}  // namespace attune
