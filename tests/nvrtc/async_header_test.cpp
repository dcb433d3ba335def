// attune_async.cuh on every architecture: the instructions that it stands for, or copies by threads.
#include <gmock/gmock.h>

#include "device/cuda/cuda_device.hpp"
#include "spec/kernel_file.hpp"
#include "support/nvrtc.hpp"

namespace attune {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* async_source = R"(
#include "attune_async.cuh"
__global__ void run(int* out, const int* in) {
  alignas(128) __shared__ int tile[1024];
  attune::copy_async<4>(tile + threadIdx.x, in + threadIdx.x);
  attune::copy_async<16>(tile + 512 + 4 * threadIdx.x, in + 4 * threadIdx.x);
  attune::commit_copies();
  attune::wait_for_copies<0>();
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x] + tile[512 + threadIdx.x];
}
__global__ void run_bulk(int* out, const int* in) {
  alignas(128) __shared__ int tile[1024];
  __shared__ attune::Barrier full;
  if (threadIdx.x == 0) {
    attune::init(full, 1);
    attune::fence_barriers();
    attune::arrive_expecting(full, 4096);
    attune::load_bulk(tile, in, 4096, full);
  }
  __syncthreads();
  attune::wait(full, 0);
  attune::fence_shared_for_bulk();
  if (threadIdx.x == 0) {
    attune::arrive(full);
    attune::store_bulk(out, tile, 4096);
    attune::commit_stores();
    attune::wait_for_store_reads<0>();
    attune::wait_for_stores<0>();
  }
})";

class AsyncHeader : public test::NvrtcTest, public testing::WithParamInterface<int> {
 protected:
  static CompileOutcome compiled(const std::string& architecture) {
    ImageRequest request = test::request_for(async_source, {"run", "run_bulk"}, architecture);
    for (const EmbeddedHeader& header : builtin_headers())
      request.source.headers.push_back({std::string(header.name), std::string(header.text)});
    return std::move(make_nvrtc_compiler(architecture)->compile({&request, 1}).front());
  }
};

TEST_P(AsyncHeader, CompilesEverywhere) {
  const auto& known = cuda::nvrtc().architectures;
  if (std::find(known.begin(), known.end(), GetParam()) == known.end()) GTEST_SKIP();
  const CompileOutcome outcome = compiled("sm_" + std::to_string(GetParam()));
  ASSERT_EQ(outcome.verdict, Verdict::ok) << outcome.log;
  EXPECT_THAT(outcome.log, Not(HasSubstr("warning")));
}
INSTANTIATE_TEST_SUITE_P(, AsyncHeader, testing::Values(75, 80, 90, 120));

}  // namespace
}  // namespace attune
