// The built-in kernels on a GPU: every legal configuration, every type, and sizes beyond 65,535 blocks and 2^31
// elements.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "kernel/problem.hpp"
#include "spec/kernel_file.hpp"
#include "support/gpu.hpp"
#include "support/kernel_check.hpp"

namespace attune::test {
namespace {

class GpuKernels : public GpuTest {
 protected:
  // $ATTUNE_TEST_SAMPLE configurations instead of all: for runs under a sanitizer, a hundred times slower.
  void expect_all_right(const char* kernel, const std::vector<std::string>& problem_texts, std::size_t sample = 0) {
    const KernelSpec spec = load_kernel(kernel);
    std::vector<Problem> problems;
    for (const std::string& text : problem_texts) problems.push_back(parse_problem(spec, text, "cuda"));
    const SearchSpace space = make_space(spec, problems.back(), device_->info());
    if (const char* const wanted = std::getenv("ATTUNE_TEST_SAMPLE")) sample = std::strtoul(wanted, nullptr, 10);
    const std::vector<Configuration> configurations =
        sample == 0 ? all_configurations(space) : some_configurations(spec, space, sample, 4);
    const std::vector<KernelFailure> failures = check_configurations(*device_, spec, problems, configurations);
    EXPECT_TRUE(failures.empty()) << to_text(failures);
    std::printf("%s %s: %zu configurations, %zu problems, %zu wrong\n", kernel, problem_texts.back().c_str(),
                configurations.size(), problems.size(), failures.size());
  }
};

class GpuKernelTypes : public GpuKernels, public testing::WithParamInterface<const char*> {};

TEST_P(GpuKernelTypes, EveryConfigurationIsRightAtEverySize) {
  const std::string type = std::string(" T=") + GetParam();
  const std::vector<std::string> lengths{"n=1" + type, "n=997" + type, "n=1048579" + type};
  expect_all_right("axpy", lengths);
  expect_all_right("transpose", {"width=1 height=1" + type, "width=97 height=89" + type, "width=1030 height=516" + type,
                                 "width=1024 height=512" + type});
  expect_all_right("reduce", lengths);
}

INSTANTIATE_TEST_SUITE_P(Types, GpuKernelTypes, testing::Values("float", "double", "int32", "int64", "half"),
                         [](const auto& one) { return std::string(one.param); });

using GpuKernelsLarge = GpuKernels;

// 2^28 elements: with one tile per block over 65,535 blocks for every tile of up to 4,096 elements.
TEST_F(GpuKernelsLarge, EveryConfigurationIsRightBeyond65535Blocks) {
  expect_all_right("axpy", {"n=2**28+3 T=float"});
  expect_all_right("transpose", {"width=16411 height=16384 T=float"});
  expect_all_right("reduce", {"n=2**28+3 T=float"});
}

TEST_F(GpuKernelsLarge, IndicesHoldBeyondTwoToThe31) {
  expect_all_right("axpy", {"n=2**31+1025 T=float"}, 40);
  expect_all_right("transpose", {"width=65536 height=32777 T=float"}, 40);
  expect_all_right("reduce", {"n=2**31+1025 T=float"}, 40);
}

TEST_F(GpuKernels, ReduceTakesArraysThatBeginAnywhere) {
  EXPECT_THAT(wrong_sums_of_offset_arrays("cuda"), testing::IsEmpty());
}

}  // namespace
}  // namespace attune::test
