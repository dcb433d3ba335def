// attune's own CUDA kernels compile for every type and every architecture that kernels are tuned on.
#include <gtest/gtest.h>

#include <algorithm>

#include "core/type_table.hpp"
#include "device/cuda/cache_flush.hpp"
#include "device/cuda/cuda_data.hpp"
#include "device/cuda/cuda_device.hpp"
#include "support/nvrtc.hpp"

namespace attune::cuda {
namespace {

class DataKernels : public test::NvrtcTest {};

// `what`: for messages.
void expect_compiled(const ImageRequest& request, std::string_view what) {
  const auto outcome = std::move(make_nvrtc_compiler("sm_90")->compile({&request, 1}).front());
  ASSERT_EQ(outcome.verdict, Verdict::ok) << what << "\n" << outcome.log;
  EXPECT_EQ(outcome.log.find("warning"), std::string::npos) << outcome.log;
  EXPECT_EQ(outcome.image->functions.size(), request.expressions.size());
  for (const ImageFunction& function : outcome.image->functions)
    EXPECT_EQ(function.usage.spill_bytes, 0u) << function.expression;
}

void expect_compiled(std::string_view type, int architecture) {
  const auto& known = nvrtc().architectures;
  if (std::find(known.begin(), known.end(), architecture) == known.end()) return;
  const std::string name = "sm_" + std::to_string(architecture);
  expect_compiled(data_kernels_request(type, name), type);
  expect_compiled(cache_flush_request(name), "the flush of the cache");
}

TEST_F(DataKernels, CompileForEveryTypeAndArchitectureWithoutTheToolkitsHeaders) {
  for (const TypeInfo& type : type_table())
    if (type.components == 1) expect_compiled(type.name, 90);
  for (const int architecture : {75, 80, 120})
    for (const char* type : {"", "float", "half", "uint8"}) expect_compiled(type, architecture);
  EXPECT_EQ(data_kernels_request("float4", "sm_90").expressions, data_kernels_request("float", "sm_90").expressions)
      << "a vector type uses the kernels of its elements";
}

}  // namespace
}  // namespace attune::cuda
