// attune_launch.cuh on every architecture, and the entries that must wait.
#include <gmock/gmock.h>

#include "device/cuda/cuda_device.hpp"
#include "spec/kernel_file.hpp"
#include "support/nvrtc.hpp"

namespace attune {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* launch_source = R"(
#include "attune_launch.cuh"
namespace constants { template <typename T> __constant__ T filter[8]; }
__device__ int table[3];
__global__ void first(int* out) {
  __shared__ int sum;
  attune::allow_next();
  if (threadIdx.x == 0) sum = 0;
  attune::sync_cluster();
  atomicAdd(attune::in_block(&sum, attune::cluster_size() - 1), constants::filter<int>[threadIdx.x % 8]);
  attune::sync_cluster();
  out[attune::cluster_rank()] = sum;
}
template <bool WAITS> __global__ void second(int* out) {
  if constexpr (WAITS) attune::wait_for_previous();
  out[0] = 1;
}
)";

class LaunchHeader : public test::NvrtcTest, public testing::WithParamInterface<int> {
 protected:
  static CompileOutcome compiled(std::vector<std::string> expressions, std::vector<std::string> waiting,
                                 const std::string& architecture) {
    ImageRequest request = test::request_for(launch_source, std::move(expressions), architecture);
    request.waiting = std::move(waiting);
    for (const EmbeddedHeader& header : builtin_headers())
      request.source.headers.push_back({std::string(header.name), std::string(header.text)});
    return std::move(make_nvrtc_compiler(architecture)->compile({&request, 1}).front());
  }
};

TEST_P(LaunchHeader, CompilesEverywhere) {
  const auto& known = cuda::nvrtc().architectures;
  if (std::find(known.begin(), known.end(), GetParam()) == known.end()) GTEST_SKIP();
  const CompileOutcome outcome = compiled({"first", "second<true>"}, {}, "sm_" + std::to_string(GetParam()));
  ASSERT_EQ(outcome.verdict, Verdict::ok) << outcome.log;
  EXPECT_THAT(outcome.log, Not(HasSubstr("warning")));
}
INSTANTIATE_TEST_SUITE_P(, LaunchHeader, testing::Values(75, 80, 90, 120));

TEST_F(LaunchHeader, WhatOverlapsMustWait) {
  EXPECT_EQ(compiled({"first", "second<true>"}, {"second<true>"}, "sm_90").verdict, Verdict::ok);
  const CompileOutcome outcome = compiled({"first", "second<false>"}, {"second<false>"}, "sm_90");
  EXPECT_EQ(outcome.verdict, Verdict::compile_error);
  EXPECT_THAT(outcome.log, HasSubstr("`second<false>` overlaps the launch before it and does not wait for it"));
  EXPECT_THAT(outcome.log, HasSubstr("attune::wait_for_previous()"));
}

// Also those that no entry of the image reads, and templates in namespaces.
TEST_F(LaunchHeader, VariablesHaveLoweredNames) {
  const CompileOutcome outcome = compiled({"&constants::filter<double>", "&table", "second<true>"}, {}, "sm_80");
  ASSERT_EQ(outcome.verdict, Verdict::ok) << outcome.log;
  EXPECT_EQ(outcome.image->find("&table")->symbol, "table");
  EXPECT_THAT(outcome.image->find("&constants::filter<double>")->symbol, HasSubstr("filter"));
  EXPECT_EQ(compiled({"&tabel", "first"}, {}, "sm_80").verdict, Verdict::compile_error);
}

}  // namespace
}  // namespace attune
