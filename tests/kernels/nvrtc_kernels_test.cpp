// The built-in kernels through NVRTC: the default and 20 random configurations to cubins of four architectures.
#include <gtest/gtest.h>

#include "kernel/instantiate.hpp"
#include "kernel/problem.hpp"
#include "device/cuda/cuda_device.hpp"
#include "spec/kernel_file.hpp"
#include "support/kernel_check.hpp"

namespace attune::test {
namespace {

using Parameters = std::tuple<const char*, const char*, const char*>;  // kernel, architecture, type

class NvrtcKernels : public testing::TestWithParam<Parameters> {};

TEST_P(NvrtcKernels, DefaultAndRandomConfigurationsCompileWithoutSpills) {
  if (!nvrtc_version()) GTEST_SKIP() << "no NVRTC on this machine";
  const auto& [kernel, architecture, type] = GetParam();
  const KernelSpec spec = load_kernel(kernel);
  const DeviceInfo device = device_limits(architecture);
  const Problem problem = parse_problem(spec, std::string("T=") + type, "cuda");
  const SearchSpace space = make_space(spec, problem, device);
  const std::shared_ptr<Compiler> compiler = make_compiler(architecture);
  for (const Configuration& configuration : some_configurations(spec, space, 20, 3)) {
    const ImageRequest request = launch_image_request(spec, problem, configuration, device);
    const CompileOutcome outcome = compiler->compile(std::span(&request, 1)).front();
    ASSERT_TRUE(outcome.image) << configuration.text() << "\n" << outcome.log;
    EXPECT_EQ(outcome.image->architecture, architecture);
    ASSERT_EQ(outcome.image->functions.size(), request.expressions.size());
    for (const ImageFunction& function : outcome.image->functions) {
      EXPECT_GT(function.usage.registers, 0) << function.expression;
      EXPECT_EQ(function.usage.spill_bytes, 0u) << function.expression;
      EXPECT_LE(function.usage.shared_static, device.shared_static_limit) << function.expression;
    }
  }
  const ImageRequest reference = image_request(spec, spec.reference, problem, nullptr, device);
  const CompileOutcome outcome = compiler->compile(std::span(&reference, 1)).front();
  EXPECT_TRUE(outcome.image) << outcome.log;
}

class NvrtcCalibration : public testing::TestWithParam<const char*> {};

TEST_P(NvrtcCalibration, EveryConfigurationOfItsKernelsCompilesWithoutSpills) {
  if (!nvrtc_version()) GTEST_SKIP() << "no NVRTC on this machine";
  const DeviceInfo device = device_limits(GetParam());
  const std::shared_ptr<Compiler> compiler = make_compiler(GetParam());
  for (const KernelSpec& spec : calibration_kernels()) {
    for (const char* const type :
         spec.find_problem("T") != nullptr ? std::vector{"T=float", "T=double"} : std::vector{""}) {
      const Problem problem = parse_problem(spec, type, "cuda");
      for (const Configuration& configuration : all_configurations(make_space(spec, problem, device))) {
        const ImageRequest request = launch_image_request(spec, problem, configuration, device);
        const CompileOutcome outcome = compiler->compile(std::span(&request, 1)).front();
        ASSERT_TRUE(outcome.image) << spec.name << " " << configuration.text() << "\n" << outcome.log;
        EXPECT_EQ(outcome.image->functions.at(0).usage.spill_bytes, 0u) << spec.name << " " << configuration.text();
      }
      const ImageRequest reference = image_request(spec, spec.reference, problem, nullptr, device);
      const CompileOutcome outcome = compiler->compile(std::span(&reference, 1)).front();
      EXPECT_TRUE(outcome.image) << outcome.log;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Architectures, NvrtcCalibration, testing::Values("sm_75", "sm_90", "sm_120"),
                         [](const auto& one) { return std::string(one.param); });

std::string name_of(const testing::TestParamInfo<Parameters>& info) {
  return std::string(std::get<0>(info.param)) + "_" + std::get<1>(info.param) + "_" + std::get<2>(info.param);
}

INSTANTIATE_TEST_SUITE_P(Float, NvrtcKernels,
                         testing::Combine(testing::Values("axpy", "transpose", "reduce"),
                                          testing::Values("sm_75", "sm_80", "sm_90", "sm_120"),
                                          testing::Values("float")),
                         name_of);
INSTANTIATE_TEST_SUITE_P(OtherTypes, NvrtcKernels,
                         testing::Combine(testing::Values("axpy", "transpose", "reduce"), testing::Values("sm_90"),
                                          testing::Values("double", "int32", "int64", "half")),
                         name_of);

}  // namespace
}  // namespace attune::test
