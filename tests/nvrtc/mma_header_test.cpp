// attune_mma.cuh on every architecture: the instructions that it stands for, or traps.
#include <gmock/gmock.h>

#include "device/cuda/cuda_device.hpp"
#include "spec/kernel_file.hpp"
#include "support/nvrtc.hpp"

namespace attune {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* mma_source = R"(
#include "attune_mma.cuh"
__global__ void products(double* out, const double* in) {
  double two[2] = {}, four[4] = {};
  attune::mma_8x8x4(two, {in[0]}, {in[1]});
  attune::mma_16x8x4(four, {in[0], in[1]}, {in[2]});
  attune::mma_16x8x8(four, {in[0], in[1], in[2], in[3]}, {in[4], in[5]});
  attune::mma_16x8x16(four, {in[0], in[1], in[2], in[3], in[4], in[5], in[6], in[7]}, {in[8], in[9], in[10], in[11]});
  out[threadIdx.x] = two[0] + two[1] + four[0] + four[1] + four[2] + four[3];
}
template <int N> __device__ void move(unsigned short* rows) {
  unsigned words[N];
  attune::load_matrices(words, rows);
  attune::store_matrices_transposed(rows, words);
  attune::load_matrices_transposed(words, rows);
  attune::store_matrices(rows, words);
}
__global__ void matrices(unsigned short* out, const unsigned short* in) {
  alignas(16) __shared__ unsigned short tile[256];
  for (int i = threadIdx.x; i < 256; i += 32) tile[i] = in[i];
  __syncwarp();
  move<1>(tile + 8 * threadIdx.x);
  move<2>(tile + 8 * threadIdx.x);
  move<4>(tile + 8 * threadIdx.x);
  __syncwarp();
  for (int i = threadIdx.x; i < 256; i += 32) out[i] = tile[i];
})";

class MmaHeader : public test::NvrtcTest, public testing::WithParamInterface<int> {};

TEST_P(MmaHeader, CompilesEverywhere) {
  const auto& known = cuda::nvrtc().architectures;
  if (std::find(known.begin(), known.end(), GetParam()) == known.end()) GTEST_SKIP();
  const std::string architecture = "sm_" + std::to_string(GetParam());
  ImageRequest request = test::request_for(mma_source, {"products", "matrices"}, architecture);
  for (const EmbeddedHeader& header : builtin_headers())
    request.source.headers.push_back({std::string(header.name), std::string(header.text)});
  const CompileOutcome outcome = std::move(make_nvrtc_compiler(architecture)->compile({&request, 1}).front());
  ASSERT_EQ(outcome.verdict, Verdict::ok) << outcome.log;
  EXPECT_THAT(outcome.log, Not(HasSubstr("warning")));
}
INSTANTIATE_TEST_SUITE_P(, MmaHeader, testing::Values(75, 80, 90, 120));

}  // namespace
}  // namespace attune
