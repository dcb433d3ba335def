// Types, numbers and memory accesses as CUDA has them.
#include "host/host_test.hpp"

namespace attune {
namespace {

using test::shape;

class HostLanguage : public test::HostTest {};

// What the headers give each function is tested in tests/unit/device; here they stand in front of a real kernel, and
// are compiled by the options of kernels.
TEST_F(HostLanguage, HasTypesFunctionsAndArithmeticOfCuda) {
  const std::vector<std::string> conditions = {
      "dim3(5).x == 5 && dim3(5).y == 1 && dim3(5).z == 1", "dim3(1, 2, 3).z == 3 && same<decltype(dim3::x), unsigned>",
      "gridDim.x == 1 && blockDim.y == 1 && threadIdx.x + blockIdx.z == 0 && warpSize == 32",
      "same<decltype(char4::x), signed char> && make_char4(1, 2, 3, 4).w == 4 && make_longlong2(1, 2).y == 2",
      "same<decltype(sqrt(1.0f)), float> && same<decltype(exp(1.0f)), float> && sqrtf(runtime(2.25f)) == 1.5f",
      "fmaf(runtime(3.0f), 2.0f, 1.0f) == 7.0f && fma(runtime(3.0), 2.0, 1.0) == 7.0",
      "__fmaf_rn(runtime(1.0f + 1.0f / 4096), 1.0f + 1.0f / 4096, -1.0f) == 1.0f / 2048 + 1.0f / 16777216",
      "__fadd_rn(runtime(1.0f), 2.0f) == 3 && __fsub_rn(runtime(2.0f), 3.0f) == -1 && __fdiv_rn(runtime(1.0f), 4.0f) "
      "== 0.25f",
      "__dadd_rn(runtime(1.0), 2.0) == 3 && __dmul_rn(runtime(2.0), 3.0) == 6 && __dsqrt_rn(runtime(9.0)) == 3",
      "fabsf(__sinf(runtime(1.5707963f)) - 1) < 1e-5f && __cosf(runtime(0.0f)) == 1 && __log2f(runtime(8.0f)) == 3",
      "floorf(runtime(-1.5f)) == -2 && ceil(runtime(1.2)) == 2 && truncf(runtime(-1.7f)) == -1",
      "rintf(runtime(2.5f)) == 2 && round(runtime(2.5)) == 3 && fmod(runtime(7.5), 2.0) == 1.5",
      "pow(runtime(2.0), 10.0) == 1024 && exp2f(runtime(3.0f)) == 8 && log2(runtime(1024.0)) == 10",
      "fabs(cbrt(runtime(27.0)) - 3) < 1e-14 && hypot(runtime(3.0), 4.0) == 5 && atan2(runtime(0.0), 1.0) == 0",
      "copysignf(runtime(2.0f), -1.0f) == -2 && ldexpf(runtime(1.5f), 3) == 12",
      "fmaxf(runtime(__int_as_float(0x7fc00000)), 2.0f) == 2.0f && fmin(runtime(1.0), 2.0) == 1.0",
      "__clz(runtime(1)) == 31 && __ffs(runtime(8)) == 4 && __int2float_rn(runtime(16777217)) == 16777216.0f",
      // (1 + 2^-12)^2 - 1 - 2^-11 is 2^-24 when fused and 0 when the product is rounded first.
      "runtime(1.0f + 1.0f / 4096) * runtime(1.0f + 1.0f / 4096) - runtime(1.0f + 1.0f / 2048) == 0",
      "runtime(2147483647) + 1 < 0", "pun(runtime(1.0f)) == 0x3f800000"};
  std::string body;
  for (std::size_t i = 0; i < conditions.size(); ++i)
    body += "  out[" + std::to_string(i) + "] = (" + conditions[i] + ") ? 1 : 2;\n";
  const auto out = output<int>(R"(
template <typename A, typename B> constexpr bool same = false;
template <typename A> constexpr bool same<A, A> = true;
__device__ int zero = 0;
template <typename T> __device__ T runtime(T x) { return zero ? T() : x; }
__device__ int pun(float x) { float y = x; int* p = (int*)&y; y = x; return *p; }
__global__ void run(int* out) {
)" + body + "}",
                               shape(1, 1), conditions.size());
  for (std::size_t i = 0; i < conditions.size(); ++i) EXPECT_EQ(out[i], 1) << conditions[i];
}

// Parameters and macros of a kernel may have any name that is none of CUDA's.
TEST_F(HostLanguage, LeavesNamesToTheKernel) {
  const std::vector<std::string> names = {"block_size",  "grid_size", "thread_index",
                                          "block_index", "invoke",    "parameters"};
  std::string listed, sum = "blockDim.x + gridDim.x + threadIdx.x + blockIdx.x";
  for (const std::string& name : names) {
    listed += (listed.empty() ? "int " : ", int ") + name;
    sum += " + " + name;
  }
  EXPECT_EQ(output<int>("template <" + listed + "> __device__ int sum() { return " + sum +
                            "; }\n__global__ void run(int* out) { *out = sum<1, 2, 3, 4, 5, 6>(); }",
                        shape(1, 1), 1)[0],
            23);
  std::string macros;
  for (const std::string& name : names) macros += "#define " + name + " 7\n";
  EXPECT_EQ(output<int>(macros + "__global__ void run(int* out) { out[threadIdx.x] = blockDim.x + block_size; }",
                        shape(1, 1), 1)[0],
            8);
}

TEST_F(HostLanguage, AcceptsTheKeywordsOfCuda) {
  const auto out = output<int>(R"(
#define N 4
struct __align__(16) Aligned { int x; };
__constant__ int table[N] = {1, 2, 3, 4};
static __constant__ float other = 2;
__device__ int scale = 10;
__device__ __constant__ int both = 1;
static __device__ __forceinline__ int twice(int x) { return 2 * x; }
__host__ __device__ __noinline__ int thrice(int x) { return 3 * x; }
namespace inner { template <int K> __device__ int add(int x) { return x + K; } }
extern "C" __global__ void __launch_bounds__(128, 2) run(int* __restrict__ out) {
#pragma unroll
  for (int i = 0; i < N; ++i) out[i] = twice(table[i]) + thrice(scale) + inner::add<5>((int)other) + sizeof(Aligned) + both;
  /* __shared__ in a comment */ const char* text = "extern __shared__ int x[];";
  out[4] = text[0] == 'e';
  (void)1'000;
})",
                               shape(1, 1), 5);
  EXPECT_THAT(out, testing::ElementsAre(2 + 54, 4 + 54, 6 + 54, 8 + 54, 1));
}

TEST_F(HostLanguage, TellsKernelsThatTheyRunOnTheHost) {
  const auto out = output<int>(R"(
#if defined(ATTUNE_HOST) && !defined(__CUDA_ARCH__) && !defined(__CUDACC__)
__global__ void run(int* out) { *out = 1; }
#endif
)",
                               shape(1, 1), 1);
  EXPECT_EQ(out[0], 1);
}

TEST_F(HostLanguage, OffersTheHeaderOfTheKernels) {
  const auto out = output<float>(R"(
#include "attune.cuh"
__global__ void run(float* out) {
  const attune::Pack<float, 4> pack = attune::load<attune::Cache::streaming>((const attune::Pack<float, 4>*)out);
  attune::store<attune::Cache::streaming>((attune::Pack<float, 4>*)out + 1, pack);
  out[0] = pack.element[3] + attune::aligned<attune::Pack<float, 4>>(out);
})",
                                 shape(1, 1), 8, 2.0f);
  EXPECT_THAT(out, testing::ElementsAre(3, 2, 2, 2, 2, 2, 2, 2));
}

// In shared memory, packs, dynamic shared memory, shuffles and template arguments.
TEST_F(HostLanguage, HasHalfAndBfloat16) {
  const auto out = output<float>(R"(
#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include "attune.cuh"
template <typename T> __device__ void fill(float* out) {
  __shared__ T tile[8];
  extern __shared__ T dynamic[];
  const int i = threadIdx.x;
  tile[i] = static_cast<T>(i + 0.5f);
  dynamic[i] = T(10) * T(i);
  __syncthreads();
  alignas(16) attune::Pack<T, 8> pack;
  pack = *reinterpret_cast<const attune::Pack<T, 8>*>(dynamic);
  T other = __shfl_down_sync(0xff, tile[7 - i], 1, 8);
  out[i] = static_cast<float>(pack.element[i]) + static_cast<attune::Wide<float>>(other);
  __syncthreads();
}
__global__ void run(float* out) {
  fill<__half>(out);
  fill<__nv_bfloat16>(out + 8);
  if (threadIdx.x == 0) out[16] = __half2float(__float2half(65519.0f)) + __bfloat162float(__float2bfloat16(257.0f));
})",
                                 shape(1, 8, 16), 17);
  for (int type = 0; type < 2; ++type)
    for (int i = 0; i < 8; ++i) {
      const float shuffled = i == 7 ? 0.5f : 6.5f - static_cast<float>(i);
      EXPECT_EQ(out[8 * type + i], 10.0f * static_cast<float>(i) + shuffled) << type << " " << i;
    }
  EXPECT_EQ(out[16], 65504.0f + 256.0f);
}

}  // namespace
}  // namespace attune
