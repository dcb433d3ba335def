// Warp intrinsics.
#include <bit>
#include <cmath>

#include "host/host_test.hpp"

namespace attune {
namespace {

using test::Array;
using test::shape;
using testing::Each;

class HostWarps : public test::HostTest {};

template <typename T>
struct NamedType {};
#define NAMED(T)                            \
  template <>                               \
  struct NamedType<T> {                     \
    static constexpr const char* name = #T; \
  };
NAMED(int)
NAMED(unsigned)
NAMED(long)
NAMED(unsigned long)
NAMED(long long)
NAMED(unsigned long long)
NAMED(float)
NAMED(double)

template <typename T>
class HostShuffles : public test::HostTest {};
using Shuffled = testing::Types<int, unsigned, long, unsigned long, long long, unsigned long long, float, double>;
TYPED_TEST_SUITE(HostShuffles, Shuffled);

TYPED_TEST(HostShuffles, MoveValuesBetweenLanesOfASegment) {
  const std::string type = NamedType<TypeParam>::name;
  const std::shared_ptr<Module> module = this->load("template <int W> __global__ void run(" + type + R"(* out) {
  const int lane = threadIdx.x % 32;
  const )" + type + " value = (" + type + R"()(1) * (lane * 3 + 1);
  out[threadIdx.x] = __shfl_sync(0xffffffff, value, 5, W);
  out[64 + threadIdx.x] = __shfl_up_sync(0xffffffff, value, 3, W);
  out[128 + threadIdx.x] = __shfl_down_sync(0xffffffff, value, 3, W);
  out[192 + threadIdx.x] = __shfl_xor_sync(0xffffffff, value, 6, W);
})",
                                                    {"run<16>", "run<32>", "run<8>"});
  ASSERT_NE(module, nullptr);
  for (const int width : {8, 16, 32}) {
    Array<TypeParam> out(this->device(), 256);
    const Status status = this->launch(*module, "run<" + std::to_string(width) + ">", shape(1, 64), {out.parameter()});
    ASSERT_TRUE(status.ok()) << status.detail;
    const auto values = out.values();
    const auto value_of = [](int lane) { return static_cast<TypeParam>(lane * 3 + 1); };
    for (int i = 0; i < 64; ++i) {
      const int lane = i % 32, first = lane / width * width;
      EXPECT_EQ(values[i], value_of(first + 5 % width));
      EXPECT_EQ(values[64 + i], value_of(lane - 3 >= first ? lane - 3 : lane));
      EXPECT_EQ(values[128 + i], value_of(lane + 3 < first + width ? lane + 3 : lane));
      EXPECT_EQ(values[192 + i], value_of(lane ^ 6));
    }
  }
}

TEST_F(HostWarps, ShufflesKeepEveryBit) {
  const auto out = output<double>(R"(
__global__ void run(double* out) {
  double value = threadIdx.x == 7 ? -0.0 : 1e300 / 3 * threadIdx.x;
  out[threadIdx.x] = __shfl_xor_sync(~0u, value, 7);
})",
                                  shape(1, 32), 32);
  EXPECT_TRUE(std::signbit(out[0]));
  EXPECT_EQ(out[7 ^ 31], 1e300 / 3 * 31);
}

TEST_F(HostWarps, ReduceByShuffles) {
  const auto out = output<float>(R"(
__global__ void run(float* out) {
  float sum = threadIdx.x % 32 + 1;
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffffu, sum, offset);
  if (threadIdx.x % 32 == 0) out[blockIdx.x * 32 + threadIdx.x / 32] = sum;
})",
                                 shape(3, 1024), 96);
  EXPECT_THAT(out, Each(528.0f));
}

TEST_F(HostWarps, Vote) {
  const auto out = output<unsigned>(R"(
__global__ void run(unsigned* out) {
  const unsigned ballot = __ballot_sync(~0u, threadIdx.x % 2);
  const unsigned any = __any_sync(~0u, threadIdx.x == 13), nobody = __any_sync(~0u, threadIdx.x > 31);
  const unsigned all = __all_sync(~0u, threadIdx.x < 32), not_all = __all_sync(~0u, threadIdx.x != 8);
  if (threadIdx.x == 31) { out[0] = ballot; out[1] = any; out[2] = nobody; out[3] = all; out[4] = not_all; }
})",
                                    shape(1, 32), 5);
  EXPECT_THAT(out, testing::ElementsAre(0xAAAAAAAAu, 1, 0, 1, 0));
}

TEST_F(HostWarps, WorkInPartsWithDisjointMasks) {
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

TEST_F(HostWarps, ExchangeThroughSharedMemory) {
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

TEST_F(HostWarps, AreNumberedAlongAllDimensionsOfABlock) {
  const auto out = output<unsigned>(R"(
__global__ void run(unsigned* out) {
  const int thread = threadIdx.x + 4 * (threadIdx.y + 4 * threadIdx.z);
  out[thread] = __ballot_sync(~0u, threadIdx.z == 1);
})",
                                    {{1, 1, 1}, {4, 4, 4}, 0}, 64);
  EXPECT_EQ(out[0], 0xFFFF0000u);
  EXPECT_EQ(out[63], 0u);
}

TEST_F(HostWarps, MayBeIncomplete) {
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

TEST_F(HostWarps, GoOnWithoutLanesThatHaveExited) {
  const auto out = output<unsigned>(R"(
__global__ void run(unsigned* out) {
  if (threadIdx.x == 3 || threadIdx.x == 31) return;
  out[threadIdx.x] = __ballot_sync(~0u, 1);
})",
                                    shape(1, 32), 32);
  EXPECT_EQ(out[0], 0x7FFFFFF7u);
  EXPECT_EQ(out[30], 0x7FFFFFF7u);
}

TEST_F(HostWarps, KnowTheActiveLanes) {
  const auto out = output<unsigned>(R"(
__global__ void run(unsigned* out) {
  out[threadIdx.x] = __activemask();
  if (threadIdx.x % 32 < 10) {
    const unsigned mask = __activemask();
    out[64 + threadIdx.x] = __shfl_sync(mask, threadIdx.x, __ffs(mask) - 1);
  } else {
    out[64 + threadIdx.x] = __activemask();
  }
})",
                                    shape(1, 64), 128);
  for (int i = 0; i < 64; ++i) {
    EXPECT_EQ(out[i], ~0u);
    EXPECT_EQ(out[64 + i], i % 32 < 10 ? static_cast<unsigned>(i / 32 * 32) : 0xFFFFFC00u);
  }
}

TEST_F(HostWarps, KnowTheActiveLanesWhileOthersSpin) {
  const auto out = output<unsigned>(R"(
__global__ void run(unsigned* out) {
  if (threadIdx.x < 16) {
    while (atomicAdd(&out[32], 0u) == 0) {}
    out[threadIdx.x] = 1;
  } else {
    out[threadIdx.x] = __activemask();
    atomicAdd(&out[32], 1u);
  }
})",
                                    shape(1, 32), 33);
  EXPECT_EQ(out[0], 1u);
  EXPECT_EQ(out[31], 0xFFFF0000u);
}

TEST_F(HostWarps, FindEqualValues) {
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

TEST_F(HostWarps, ReduceInOneStep) {
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
