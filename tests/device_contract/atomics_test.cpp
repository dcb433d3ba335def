// Atomics: every function and type, alone and under contention from all blocks.
#include "device_contract/contract_test.hpp"

namespace attune {
namespace {

using test::Array;
using test::shape;

class AtomicContract : public test::ContractTest {};

struct Case {
  const char* name;
  const char* type;
  const char* call;  // on `cell` and `i`, the number of the thread, 0 .. 9,999
  const char* begin;
  const char* end;
};
void PrintTo(const Case& one, std::ostream* out) { *out << one.name; }

class AtomicContractOfAllThreads : public test::ContractTest, public testing::WithParamInterface<Case> {};

TEST_P(AtomicContractOfAllThreads, GiveTheExactResult) {
  const auto& [name, type, call, begin, end] = GetParam();
  for (const std::string suffix : {"", "_system", "_block"}) {
    if (suffix == "_block" && !is_host()) continue;  // too weak for threads of several blocks
    std::string text = call;
    for (std::size_t at = 0; (at = text.find("@", at)) != std::string::npos;) text.replace(at, 1, suffix);
    // Many blocks, so that threads of the operating system contend.
    const std::string kernel = std::string("__device__ ") + type + " cell_of_kernel = " + begin + R"(;
__device__ int arrived = 0;
__global__ void run(int* out) {
  )" + type + R"(* cell = &cell_of_kernel;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  )" + text + R"(;
  __threadfence();
  if (atomicAdd(&arrived, 1) == 9999) *out = *cell == ()" +
                               type + ")(" + end + R"() ? 1 : 2;
})";
    EXPECT_EQ(output<int>(kernel, shape(100, 100), 1)[0], 1) << name << suffix;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Functions, AtomicContractOfAllThreads,
    testing::Values(
        Case{"AddInt", "int", "atomicAdd@(cell, i)", "5", "49995005"},
        Case{"AddUnsigned", "unsigned", "atomicAdd@(cell, 1000000u)", "0", "10000000000ull"},
        Case{"AddLong", "unsigned long long", "atomicAdd@(cell, 1ull << 40)", "0", "10000ull << 40"},
        Case{"AddFloat", "float", "atomicAdd@(cell, 0.5f)", "0", "5000"},
        Case{"AddDouble", "double", "atomicAdd@(cell, 0.25)", "0", "2500"},
        Case{"SubInt", "int", "atomicSub@(cell, i)", "0", "-49995000"},
        Case{"SubUnsigned", "unsigned", "atomicSub@(cell, 1u)", "3", "0u - 9997u"},
        Case{"MinInt", "int", "atomicMin@(cell, 100 - i)", "0", "-9899"},
        Case{"MinUnsigned", "unsigned", "atomicMin@(cell, 20000u - i)", "~0u", "10001"},
        Case{"MinLong", "long long", "atomicMin@(cell, -(long long)i << 33)", "7", "-(9999ll << 33)"},
        Case{"MaxInt", "int", "atomicMax@(cell, i - 20000)", "-2147483647", "-10001"},
        Case{"MaxUnsigned", "unsigned", "atomicMax@(cell, 0x80000000u + i)", "1", "0x80000000u + 9999"},
        Case{"MaxLong", "unsigned long long", "atomicMax@(cell, (unsigned long long)i << 40)", "1", "9999ull << 40"},
        Case{"And", "unsigned", "atomicAnd@(cell, ~(1u << i % 20))", "~0u", "0xfff00000u"},
        Case{"Or", "int", "atomicOr@(cell, 1 << i % 20)", "0", "0xfffff"},
        Case{"Xor", "unsigned long long", "atomicXor@(cell, 1ull << i % 64)", "0", "0xffffull"},
        Case{"Inc", "unsigned", "atomicInc@(cell, 6u)", "0", "10000 % 7"},
        Case{"Dec", "unsigned", "atomicDec@(cell, 6u)", "0", "(70000 - 10000) % 7"},
        Case{"Exch", "float", "if (atomicExch@(cell, 1.0f) == 0.0f) atomicAdd(&arrived, 0)", "0", "1"},
        Case{"Cas", "int",
             "for (int seen = *cell, old; (old = atomicCAS@(cell, seen, seen + 2)) != seen; seen = old) {}", "0",
             "20000"},
        Case{"CasLong", "unsigned long long",
             "for (unsigned long long seen = 0, old; (old = atomicCAS@(cell, seen, seen + 3)) != seen; seen = old) {}",
             "0", "30000"}),
    [](const auto& one) { return std::string(one.param.name); });

TEST_F(AtomicContract, ReturnWhatWasThere) {
  const auto out = output<int>(R"(
__global__ void run(int* out) {
  __shared__ int cell; __shared__ unsigned u; __shared__ float f;
  cell = 10; u = 3; f = 1.5f;
  out[0] = atomicAdd(&cell, 5); out[1] = atomicSub(&cell, 1); out[2] = atomicMin(&cell, 2); out[3] = atomicMax(&cell, 9);
  out[4] = atomicExch(&cell, 0x55); out[5] = atomicAnd(&cell, 0xf); out[6] = atomicOr(&cell, 8); out[7] = atomicXor(&cell, 1);
  out[8] = atomicCAS(&cell, 0, 1); out[9] = atomicCAS(&cell, 12, 1); out[10] = cell;
  out[11] = atomicInc(&u, 3); out[12] = atomicDec(&u, 9); out[13] = u; out[14] = atomicAdd(&f, 1.0f) == 1.5f && f == 2.5f;
})",
                               shape(1, 1), 15);
  EXPECT_THAT(out, testing::ElementsAre(10, 15, 14, 2, 9, 0x55, 5, 13, 12, 12, 1, 3, 0, 9, 1));
}

TEST_F(AtomicContract, FillAHistogram) {
  Array<unsigned> bins(device(), 16);
  int n = 1 << 18;
  const Status status = run(R"(
__global__ void histogram(unsigned* bins, int n) {
  __shared__ unsigned local[16];
  if (threadIdx.x < 16) local[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd_block(&local[i % 16], 1u);
  __syncthreads();
  if (threadIdx.x < 16) atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
})",
                            "histogram", shape(20, 256), {bins.parameter(), &n});
  ASSERT_TRUE(status.ok()) << status.detail;
  EXPECT_THAT(bins.values(), testing::Each(1u << 14));
}

}  // namespace
}  // namespace attune
