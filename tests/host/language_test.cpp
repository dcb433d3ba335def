// Types, numbers and memory accesses as CUDA has them.
#include <cmath>
#include <limits>

#include "host/host_test.hpp"

namespace attune {
namespace {

using test::shape;

class HostLanguage : public test::HostTest {
 protected:
  // Each line is a condition that must hold; the kernel reports the numbers of those that do not.
  static void holds(const std::vector<std::string>& conditions, const std::string& before = "") {
    std::string body;
    for (std::size_t i = 0; i < conditions.size(); ++i)
      body += "  out[" + std::to_string(i) + "] = (" + conditions[i] + ") ? 1 : 2;\n";
    const auto out = output<int>(
        "template <typename A, typename B> constexpr bool same = false;\n"
        "template <typename A> constexpr bool same<A, A> = true;\n"
        "__device__ int zero = 0;\n"
        "template <typename T> __device__ T runtime(T x) { return zero ? T() : x; }\n" +
            before + "__global__ void run(int* out) {\n" + body + "}",
        shape(1, 1), conditions.size());
    for (std::size_t i = 0; i < conditions.size(); ++i) EXPECT_EQ(out[i], 1) << conditions[i];
  }
};

TEST_F(HostLanguage, HasVectorTypesOfTheSizesAndAlignmentsOfCuda) {
  struct Family {
    const char* name;
    const char* element;
    int size, align2, align4;
  };
  std::vector<std::string> conditions;
  for (const auto& [name, element, size, align2, align4] :
       {Family{"char", "signed char", 1, 2, 4}, Family{"uchar", "unsigned char", 1, 2, 4},
        Family{"short", "short", 2, 4, 8}, Family{"ushort", "unsigned short", 2, 4, 8}, Family{"int", "int", 4, 8, 16},
        Family{"uint", "unsigned", 4, 8, 16}, Family{"long", "long", 8, 16, 16},
        Family{"ulong", "unsigned long", 8, 16, 16}, Family{"longlong", "long long", 8, 16, 16},
        Family{"ulonglong", "unsigned long long", 8, 16, 16}, Family{"float", "float", 4, 8, 16},
        Family{"double", "double", 8, 16, 16}}) {
    const std::string n = name;
    conditions.push_back("same<decltype(" + n + "4::x), " + element + ">");
    for (int width = 1; width <= 4; ++width) {
      const std::string type = n + std::to_string(width), align = std::to_string(width == 2   ? align2
                                                                                 : width == 4 ? align4
                                                                                              : size);
      conditions.push_back("sizeof(" + type + ") == " + std::to_string(size * width) + " && alignof(" + type +
                           ") == " + align);
    }
    conditions.push_back("make_" + n + "1(1).x == 1 && make_" + n + "2(1, 2).y == 2 && make_" + n +
                         "3(1, 2, 3).z == 3 && make_" + n + "4(1, 2, 3, 4).w == 4");
  }
  holds(conditions);
}

TEST_F(HostLanguage, HasDim3) {
  holds({"dim3(5).x == 5 && dim3(5).y == 1 && dim3(5).z == 1", "dim3(1, 2, 3).z == 3", "warpSize == 32",
         "same<decltype(dim3::x), unsigned>", "gridDim.x == 1 && blockDim.y == 1 && threadIdx.x + blockIdx.z == 0"});
}

TEST_F(HostLanguage, CountsBits) {
  holds({"__popc(runtime(0xf0f0u)) == 8", "__popcll(runtime(~0ull)) == 64", "__clz(runtime(1)) == 31",
         "__clz(runtime(0)) == 32", "__clzll(runtime(0ll)) == 64", "__clzll(runtime(1ll << 40)) == 23",
         "__ffs(runtime(0)) == 0", "__ffs(runtime(8)) == 4", "__ffsll(runtime(1ll << 40)) == 41",
         "__ffsll(runtime(0ll)) == 0", "__brev(runtime(1u)) == 0x80000000u",
         "__brev(runtime(0x12345678u)) == 0x1e6a2c48u", "__brevll(runtime(3ull)) == 0xc000000000000000ull",
         "__byte_perm(runtime(0x44332211u), 0x88776655u, 0x7150) == 0x88226611u"});
}

TEST_F(HostLanguage, MultipliesIntegers) {
  holds({"__mul24(runtime(0x1000003), 5) == 15", "__mul24(runtime(-3), 5) == -15",
         "__umul24(runtime(0xff000002u), 3u) == 6u", "__mulhi(runtime(-1 - 0x7fffffff), 2) == -1",
         "__umulhi(runtime(~0u), ~0u) == ~0u - 1", "__mul64hi(runtime(-1ll), 5ll) == -1",
         "__umul64hi(runtime(~0ull), ~0ull) == ~0ull - 1", "__sad(runtime(-5), 7, 1u) == 13",
         "__usad(runtime(5u), 7u, 1u) == 3"});
}

TEST_F(HostLanguage, ReinterpretsNumbers) {
  holds({"__float_as_int(runtime(1.0f)) == 0x3f800000", "__int_as_float(runtime(0x40490fdb)) > 3.14f",
         "__float_as_uint(runtime(-0.0f)) == 0x80000000u", "__uint_as_float(runtime(0x3f000000u)) == 0.5f",
         "__double_as_longlong(runtime(1.0)) == 0x3ff0000000000000ll",
         "__longlong_as_double(runtime(0x4000000000000000ll)) == 2.0", "__double2hiint(runtime(1.0)) == 0x3ff00000",
         "__double2loint(runtime(1.0)) == 0", "__hiloint2double(runtime(0x3ff00000), 0) == 1.0"});
}

TEST_F(HostLanguage, ConvertsWithRoundingAndSaturation) {
  holds({"__float2int_rn(runtime(2.5f)) == 2", "__float2int_rz(runtime(-2.7f)) == -2",
         "__float2int_ru(runtime(2.1f)) == 3", "__float2int_rd(runtime(-2.1f)) == -3",
         "__float2int_rz(runtime(3e9f)) == 2147483647", "__float2uint_rz(runtime(-5.0f)) == 0u",
         "__double2int_rn(runtime(3.5)) == 4", "__double2ll_rz(runtime(1e15)) == 1000000000000000ll",
         "__int2float_rn(runtime(16777217)) == 16777216.0f",
         "__ll2double_rn(runtime(1ll << 60)) == 1152921504606846976.0", "__double2float_rn(runtime(0.1)) == 0.1f",
         "__int2double_rn(runtime(7)) == 7.0"});
}

TEST_F(HostLanguage, TakesMinimaAndMaximaOfMixedTypes) {
  holds({"min(runtime(3), 5) == 3", "max(runtime(3u), 5) == 5u", "same<decltype(min(1, 2u)), unsigned>",
         "same<decltype(max(1ll, 2ull)), unsigned long long>", "same<decltype(min(1.0f, 2.0)), double>",
         "same<decltype(min(1.0f, 2.0f)), float>", "max(runtime(-1), 1u) == ~0u", "min(runtime(-5ll), 3ll) == -5",
         "fminf(runtime(1.0f), 2.0f) == 1.0f", "fmaxf(runtime(__int_as_float(0x7fc00000)), 2.0f) == 2.0f",
         "max(runtime(__int_as_float(0x7fc00000)), 2.0f) == 2.0f", "fmin(runtime(1.0), 2.0) == 1.0"});
}

TEST_F(HostLanguage, HasMathematics) {
  holds({"sqrtf(runtime(2.25f)) == 1.5f",
         "sqrt(runtime(2.25)) == 1.5",
         "same<decltype(sqrt(1.0f)), float>",
         "same<decltype(exp(1.0f)), float>",
         "rsqrtf(runtime(4.0f)) == 0.5f",
         "rsqrt(runtime(16.0)) == 0.25",
         "fabsf(runtime(-1.0f)) == 1",
         "abs(runtime(-3)) == 3 && abs(runtime(-3.5)) == 3.5 && abs(runtime(-3ll)) == 3",
         "fmaf(runtime(3.0f), 2.0f, 1.0f) == 7.0f",
         "fma(runtime(3.0), 2.0, 1.0) == 7.0",
         "__fmaf_rn(runtime(1.0f + 1.0f / 4096), 1.0f + 1.0f / 4096, -1.0f) == 1.0f / 2048 + 1.0f / 16777216",
         "__fadd_rn(runtime(1.0f), 2.0f) == 3 && __fmul_rn(runtime(2.0f), 3.0f) == 6 && __fsub_rn(runtime(2.0f), 3.0f) "
         "== -1 && __fdiv_rn(runtime(1.0f), 4.0f) == 0.25f",
         "__dadd_rn(runtime(1.0), 2.0) == 3 && __dmul_rn(runtime(2.0), 3.0) == 6 && __fma_rn(runtime(2.0), 3.0, 1.0) "
         "== 7",
         "__frcp_rn(runtime(4.0f)) == 0.25f && __fsqrt_rn(runtime(9.0f)) == 3 && __dsqrt_rn(runtime(9.0)) == 3",
         "fabsf(__expf(runtime(1.0f)) - 2.7182818f) < 1e-5f",
         "__logf(runtime(1.0f)) == 0 && __log2f(runtime(8.0f)) == 3",
         "fabsf(__sinf(runtime(1.5707963f)) - 1) < 1e-5f && fabsf(__cosf(runtime(0.0f)) - 1) < 1e-5f",
         "__powf(runtime(2.0f), 3.0f) == 8 && __fdividef(runtime(1.0f), 4.0f) == 0.25f",
         "__saturatef(runtime(1.5f)) == 1 && __saturatef(runtime(-2.0f)) == 0 && __saturatef(runtime(0.25f)) == 0.25f",
         "isnan(runtime(__int_as_float(0x7fc00000))) && !isnan(runtime(1.0)) && "
         "isinf(runtime(__int_as_float(0x7f800000))) && isfinite(runtime(1.0f))",
         "floorf(runtime(-1.5f)) == -2 && ceil(runtime(1.2)) == 2 && truncf(runtime(-1.7f)) == -1 && "
         "rintf(runtime(2.5f)) == 2 && round(runtime(2.5)) == 3",
         "pow(runtime(2.0), 10.0) == 1024 && powf(runtime(2.0f), -1.0f) == 0.5f && fmod(runtime(7.5), 2.0) == 1.5",
         "exp2f(runtime(3.0f)) == 8 && log2(runtime(1024.0)) == 10 && fabsf(exp10f(runtime(2.0f)) - 100) < 1e-4f && "
         "fabs(cbrt(runtime(27.0)) - 3) < 1e-14 && hypot(runtime(3.0), 4.0) == 5",
         "copysignf(runtime(2.0f), -1.0f) == -2 && ldexpf(runtime(1.5f), 3) == 12 && atan2(runtime(0.0), 1.0) == 0"});
}

TEST_F(HostLanguage, DoesNotFuseMultiplicationsWithAdditions) {
  // (1 + 2^-12)^2 - 1 - 2^-11 is 2^-24 when fused and 0 when the product is rounded first.
  holds({"runtime(1.0f + 1.0f / 4096) * runtime(1.0f + 1.0f / 4096) - runtime(1.0f + 1.0f / 2048) == 0"});
}

TEST_F(HostLanguage, LoadsAndStoresWithCacheHints) {
  const auto out = output<float>(R"(
__global__ void run(float* out) {
  float* p = out;
  __stcs(p, 1.0f); __stcg(p + 1, __ldg(p) + 1); __stwb(p + 2, __ldca(p + 1) + 1); __stwt(p + 3, __ldcg(p + 2) + 1);
  __stcs((float4*)(p + 4), __ldcs((const float4*)p));
  p[8] = __ldcv(p + 7) + __ldlu(p + 4);
  __stcs((int2*)(p + 10), __ldg((const int2*)p));
})",
                                 shape(1, 1), 12);
  EXPECT_THAT(out, testing::ElementsAre(1, 2, 3, 4, 1, 2, 3, 4, 5, 0, 1, 2));
}

TEST_F(HostLanguage, PunsTypesAndWrapsIntegers) {
  holds({"runtime(2147483647) + 1 < 0", "pun(runtime(1.0f)) == 0x3f800000"},
        "__device__ int pun(float x) { float y = x; int* p = (int*)&y; y = x; return *p; }\n");
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

}  // namespace
}  // namespace attune
