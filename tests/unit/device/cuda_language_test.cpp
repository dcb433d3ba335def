#undef NDEBUG  // assert() is tested
// The headers first, as in front of a kernel: what a kernel includes afterwards must get on with them.
#include "device/host/include/abi.hpp"
//
#include "device/host/include/cuda_vectors.hpp"
//
#include "device/host/include/cuda_language.hpp"
//
#include "device/host/include/cuda_warps.hpp"
//
#include "device/host/include/cuda_atomics.hpp"
//
#include "device/host/include/cuda_math.hpp"
//
#include "fake_runtime.hpp"
//
#include <assert.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <memory>
#include <type_traits>

namespace {

using attune::test::Fault;
using attune::test::OneThread;
using attune::test::warp;

// ---- Kernels, declared in the ways in which CUDA allows it ----

template <typename T>
__global__ void __launch_bounds__(256, 2) add_first(T* out, const T* in, const int n, float4 by) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) __stcs(out + i, __ldg(&in[i]) + T(by.x));
}

__constant__ float table[2] = {1, 2};
static __constant__ int offsets[2] = {3, 4};
__device__ int launches;

extern "C" __global__ void shapes(unsigned* out) {
  const uint3 thread = threadIdx;
  const dim3 threads = blockDim, blocks(gridDim), block = blockIdx;
  out[0] = thread.x + 10 * thread.y + 100 * thread.z;
  out[1] = threads.x + 10 * threads.y + 100 * threads.z;
  out[2] = blocks.x + 10 * blocks.y + 100 * blocks.z;
  out[3] = block.x + 10 * block.y + 100 * block.z;
  ++launches;
}

static __global__ void shared_kinds(int* out) {
  __shared__ int plain[4];
  __shared__ __align__(16) float aligned[3];
  volatile __shared__ int seen;
  plain[threadIdx.x] = 5;
  aligned[0] = table[1];
  seen = offsets[1];
  __syncthreads();
  *out = plain[0] + static_cast<int>(aligned[0]) + seen;
  out[1] = static_cast<int>(reinterpret_cast<unsigned long long>(aligned) % 16);
}

struct Configuration {
  int width, height;
};
__noinline__ __device__ int area(Configuration c) { return c.width * c.height; }
__global__ void by_value(int* out, const Configuration c) { *out = area(c); }

template <typename T>
__global__ void shuffle(T* out, int kind, T value, int b, int width) {
  if (kind == 0) *out = __shfl_sync(~0u, value, b, width);
  if (kind == 1) *out = __shfl_up_sync(~0u, value, static_cast<unsigned>(b), width);
  if (kind == 2) *out = __shfl_down_sync(~0u, value, static_cast<unsigned>(b), width);
  if (kind == 3) *out = __shfl_xor_sync(~0u, value, b, width);
}

// The lane that a shuffle reads, by the words of the CUDA programming guide.
int source_lane(int kind, int lane, int b, int width) {
  const int first = lane / width * width, end = first + width;
  if (kind == 0) return first + ((b % width) + width) % width;
  const int source = kind == 1 ? lane - b : kind == 2 ? lane + b : lane ^ b;
  if (kind == 1) return source < first ? lane : source;
  return source >= end ? lane : source;
}

template <typename T>
void expect_all_shuffles() {
  OneThread one;
  for (int kind = 0; kind < 4; ++kind) {
    for (const int width : {1, 2, 4, 8, 16, 32}) {
      for (int lane = 0; lane < 32; ++lane) {
        for (int b = 0; b < 32; ++b) {
          one.thread().lane = static_cast<unsigned>(lane);
          for (int i = 0; i < 32; ++i) warp.values[i] = attune_host::to_word(static_cast<T>(100 + i));
          T result = 0;
          one.run(&shuffle<T>, &result, kind, static_cast<T>(100 + lane), b, width);
          ASSERT_EQ(result, static_cast<T>(100 + source_lane(kind, lane, b, width)))
              << "kind " << kind << " width " << width << " lane " << lane << " b " << b;
        }
      }
    }
  }
}

}  // namespace

TEST(CudaLanguage, PassesArgumentsOfAllKindsToKernels) {
  OneThread one({{2, 0, 0}, {1, 0, 0}, {4, 1, 1}, {2, 1, 1}, nullptr, 2, 0});
  float in[8] = {0, 1, 2, 3, 4, 5, 6, 7}, out[8] = {};
  one.run(&add_first<float>, static_cast<float*>(out), static_cast<const float*>(in), 8, make_float4(10, 0, 0, 0));
  EXPECT_EQ(out[6], 16);
  int result = 0;
  one.run(&by_value, &result, Configuration{6, 7});
  EXPECT_EQ(result, 42);
}

TEST(CudaLanguage, KnowsIndicesAndShapes) {
  OneThread one({{1, 2, 3}, {4, 5, 6}, {7, 8, 9}, {2, 3, 4}, nullptr, 0, 0});
  unsigned out[4] = {};
  const int before = launches;
  one.run(&shapes, static_cast<unsigned*>(out));
  EXPECT_EQ(out[0], 321u);
  EXPECT_EQ(out[1], 987u);
  EXPECT_EQ(out[2], 432u);
  EXPECT_EQ(out[3], 654u);
  EXPECT_EQ(launches, before + 1);
}

TEST(CudaLanguage, TakesSharedVariablesHoweverTheyAreWritten) {
  OneThread one;
  int out[2] = {};
  one.run(&shared_kinds, static_cast<int*>(out));
  EXPECT_EQ(out[0], 5 + 2 + 4);
  EXPECT_EQ(out[1], 0);
  EXPECT_EQ(warp.last_name, "__syncthreads");
}

TEST(CudaLanguage, VectorsHaveCudasSizesAndAlignments) {
  static_assert(sizeof(char3) == 3 && alignof(char3) == 1 && alignof(char2) == 2 && alignof(uchar4) == 4);
  static_assert(alignof(short2) == 4 && alignof(ushort3) == 2 && alignof(short4) == 8);
  static_assert(sizeof(int3) == 12 && alignof(uint3) == 4 && alignof(int2) == 8 && alignof(uint4) == 16);
  static_assert(alignof(long1) == 8 && alignof(ulong2) == 16 && alignof(long3) == 8 && alignof(long4) == 16);
  static_assert(sizeof(longlong4) == 32 && alignof(ulonglong4) == 16 && alignof(longlong2) == 16);
  static_assert(sizeof(float3) == 12 && alignof(float1) == 4 && alignof(float2) == 8 && alignof(float4) == 16);
  static_assert(sizeof(double3) == 24 && alignof(double2) == 16 && alignof(double4) == 16);
  static_assert(alignof(double4_16a) == 16 && alignof(double4_32a) == 32 && alignof(ulonglong4_32a) == 32);
  static_assert(make_int3(1, 2, 3).z == 3 && dim3(5).z == 1 && dim3(make_uint3(1, 2, 3)).y == 2);
  static_assert(std::is_aggregate_v<float4> && std::is_trivially_copyable_v<dim3>);
}

TEST(CudaLanguage, ShufflesReadTheLaneThatCudaSays) {
  expect_all_shuffles<int>();
  expect_all_shuffles<unsigned>();
  expect_all_shuffles<long>();
  expect_all_shuffles<unsigned long>();
  expect_all_shuffles<long long>();
  expect_all_shuffles<unsigned long long>();
  expect_all_shuffles<float>();
  expect_all_shuffles<double>();
}

TEST(CudaLanguage, ShufflesGiveTheOwnValueForALaneThatTakesNoPart) {
  OneThread one;
  warp.lanes = 0x0f;
  std::fill(std::begin(warp.values), std::end(warp.values), 7);
  int result = 0;
  one.run(&shuffle<int>, &result, 2, 5, 4, 32);
  EXPECT_EQ(result, 5);
  one.run(&shuffle<int>, &result, 2, 5, 3, 32);
  EXPECT_EQ(result, 7);
}

TEST(CudaLanguage, ShufflesTakeOnlyFiveBitsOfTheDistance) {
  OneThread one;
  warp.values[1] = 8;
  int result = 0;
  one.run(&shuffle<int>, &result, 2, 5, 32, 32);
  EXPECT_EQ(result, 5) << "a distance of 32 is one of 0";
  one.run(&shuffle<int>, &result, 2, 5, 33, 32);
  EXPECT_EQ(result, 8);
}

TEST(CudaLanguage, VotesCountTheLanesThatTakePart) {
  OneThread one;
  const auto set = [](unsigned bits) {
    for (unsigned i = 0; i < 32; ++i) warp.values[i] = bits >> i & 1;
  };
  set(0xaaaaaaaa);
  EXPECT_EQ(__ballot_sync(~0u, 5), 0xaaaaaaabu);
  EXPECT_EQ(__any_sync(~0u, 0), 1);
  EXPECT_EQ(__all_sync(~0u, 1), 0);
  EXPECT_EQ(__uni_sync(~0u, 1), 0);
  EXPECT_EQ(__all_sync(0xaaaaaaab, -1), 1);
  EXPECT_EQ(__ballot_sync(0xff, 0), 0xaau);
  set(0);
  EXPECT_EQ(__any_sync(~0u, 0), 0);
  EXPECT_EQ(__uni_sync(~0u, 0), 1);
  EXPECT_EQ(warp.last_name, "__uni_sync");
  EXPECT_EQ(__activemask(), 0xffu);
  EXPECT_EQ(__syncthreads_count(7), 1) << "a predicate counts once";
}

TEST(CudaLanguage, MatchesCompareBits) {
  OneThread one;
  for (unsigned i = 0; i < 32; ++i) warp.values[i] = attune_host::to_word(i % 4 == 0 ? 1.5f : 2.5f);
  EXPECT_EQ(__match_any_sync(~0u, 1.5f), 0x11111111u);
  EXPECT_EQ(__match_any_sync(0xff, 1.5f), 0x11u);
  int same = 7;
  EXPECT_EQ(__match_all_sync(~0u, 1.5f, &same), 0u);
  EXPECT_EQ(same, 0);
  EXPECT_EQ(__match_all_sync(0x11111111u, 1.5f, &same), 0x11111111u);
  EXPECT_EQ(same, 1);
}

TEST(CudaLanguage, ReductionsCombineTheLanesThatTakePart) {
  OneThread one;
  for (unsigned i = 0; i < 32; ++i) warp.values[i] = attune_host::to_word(-static_cast<int>(i));
  EXPECT_EQ(__reduce_add_sync(0xf, 0), -6);
  EXPECT_EQ(__reduce_min_sync(~0u, 0), -31);
  EXPECT_EQ(__reduce_max_sync(~0u, 0), 0);
  EXPECT_EQ(__reduce_max_sync(~0u, 0u), 0xffffffffu) << "unsigned";
  for (unsigned i = 0; i < 32; ++i) warp.values[i] = 1u << i;
  EXPECT_EQ(__reduce_or_sync(0xffff, 1u), 0xffffu);
  EXPECT_EQ(__reduce_xor_sync(0x3, 1u), 3u);
  EXPECT_EQ(__reduce_and_sync(0x3, 1u), 0u);
  EXPECT_EQ(__reduce_and_sync(0x1, 1u), 1u);
}

template <typename T>
class CudaAtomics : public ::testing::Test {};
using AtomicIntegers = ::testing::Types<int, unsigned, long, unsigned long, long long, unsigned long long>;
TYPED_TEST_SUITE(CudaAtomics, AtomicIntegers);

TYPED_TEST(CudaAtomics, ReturnTheOldValueAndStoreTheNew) {
  OneThread one;
  using T = TypeParam;
  T x = 12;
  const auto expect = [&](T returned, T old, T now) {
    EXPECT_EQ(returned, old);
    EXPECT_EQ(x, now);
  };
  expect(atomicAdd(&x, T{3}), 12, 15);
  expect(atomicSub_block(&x, T{5}), 15, 10);
  expect(atomicMin(&x, T{11}), 10, 10);
  expect(atomicMin_system(&x, T{9}), 10, 9);
  expect(atomicMax(&x, T{8}), 9, 9);
  expect(atomicMax_block(&x, T{12}), 9, 12);
  expect(atomicAnd(&x, T{10}), 12, 8);
  expect(atomicOr(&x, T{3}), 8, 11);
  expect(atomicXor_system(&x, T{1}), 11, 10);
  expect(atomicExch(&x, T{20}), 10, 20);
  expect(atomicCAS(&x, T{19}, T{1}), 20, 20);
  expect(atomicCAS(&x, T{20}, T{1}), 20, 1);
  volatile T* const y = &x;
  expect(atomicAdd(y, T{1}), 1, 2);
  if constexpr (std::is_signed_v<T>) expect(atomicMin(&x, T{-1}), 2, -1);
}

TEST(CudaLanguage, AtomicsOnFloatingNumbersAndWrappingCounters) {
  OneThread one;
  float f = 1.5f;
  EXPECT_EQ(atomicAdd(&f, 2), 1.5f);
  EXPECT_EQ(atomicExch(&f, 9.0f), 3.5f);
  EXPECT_EQ(f, 9.0f);
  double d = 1;
  EXPECT_EQ(atomicAdd_block(&d, 0.25), 1);
  EXPECT_EQ(d, 1.25);
  unsigned u = 1;
  EXPECT_EQ(atomicInc(&u, 2u), 1u);
  EXPECT_EQ(atomicInc(&u, 2u), 2u);
  EXPECT_EQ(u, 0u) << "wraps to 0 behind the last";
  EXPECT_EQ(atomicDec(&u, 4u), 0u);
  EXPECT_EQ(u, 4u) << "wraps to the last";
  u = 9;
  EXPECT_EQ(atomicDec(&u, 4u), 9u);
  EXPECT_EQ(u, 4u) << "from beyond the last too";
  unsigned short s = 3;
  EXPECT_EQ(atomicCAS(&s, static_cast<unsigned short>(3), static_cast<unsigned short>(4)), 3);
  EXPECT_EQ(s, 4);
}

TEST(CudaLanguage, EverySixteenthOperationOfAWaitingLoopYields) {
  OneThread one;
  int x = 0;
  for (int i = 0; i < 12; ++i) atomicAdd(&x, 1);
  __threadfence();
  __threadfence_block();
  __syncwarp(1);
  EXPECT_EQ(warp.yields, 0);
  EXPECT_EQ(warp.last_name, "__syncwarp");
  atomicCAS(&x, 0, 1);
  EXPECT_EQ(warp.yields, 1);
  __nanosleep(100);
  EXPECT_EQ(warp.yields, 2) << "at once";
}

TEST(CudaLanguage, HintedAccessesReadAndWrite) {
  alignas(16) float four[4] = {1, 2, 3, 4};
  const float4* const from = reinterpret_cast<const float4*>(four);
  EXPECT_EQ(__ldg(from).w + __ldca(from).x + __ldcg(from).y + __ldcs(from).z + __ldlu(from).x + __ldcv(from).x, 12);
  long long x = 0;
  __stwb(&x, 1);
  EXPECT_EQ(__ldg(&x), 1);
  __stcg(&x, 2);
  __stwt(&x, __ldcv(&x) + 3);
  EXPECT_EQ(x, 5);
  __stcs(reinterpret_cast<float4*>(four), make_float4(5, 6, 7, 8));
  EXPECT_EQ(four[3], 8);
}

TEST(CudaLanguage, TrapsAndAssertionsAreFaults) {
  OneThread one;
  const auto what = [](auto&& kernel) {
    try {
      kernel();
    } catch (const Fault& fault) {
      return fault.what;
    }
    return std::string();
  };
  EXPECT_EQ(what([] { __trap(); }), "__trap() was called");
  EXPECT_EQ(what([] { __brkpt(); }), "__brkpt() was called");
  volatile int one_less = 0;
  // <assert.h> was included again since: its macro, our function.
  EXPECT_EQ(what([&] { assert(one_less == 1); }).find("assertion `one_less == 1` failed at "), 0u);
}

TEST(CudaLanguage, ClocksAdvance) {
  const long long start = clock64();
  const long first = clock();
  EXPECT_GE(first, start);
  EXPECT_GT(clock64(), start);
}
