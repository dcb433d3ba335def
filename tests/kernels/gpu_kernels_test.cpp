// The built-in kernels on a GPU: legal configurations, every type, and sizes beyond 65,535 blocks and 2^31 elements.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "kernel/problem.hpp"
#include "spec/kernel_file.hpp"
#include "support/gpu.hpp"
#include "support/kernel_cases.hpp"
#include "support/kernel_check.hpp"
#include "support/offset_arrays.hpp"
#include "support/offset_histograms.hpp"
#include "support/offset_scans.hpp"
#include "support/stencil_check.hpp"
#include "support/sums_check.hpp"

namespace attune::test {
namespace {

// At most so many configurations of a type; $ATTUNE_TEST_SAMPLE of them for runs under a sanitizer, a hundred times
// slower, and for a machine with few cores, which compile.
constexpr std::size_t of_the_first_type = 300, of_another = 60, of_huge_problems = 24;

class GpuKernels : public GpuTest {
 protected:
  void expect_all_right(const std::string& kernel, const Texts& problem_texts, const std::string& type,
                        std::size_t most) {
    const KernelSpec spec = load_kernel(kernel);
    std::vector<Problem> problems;
    for (const std::string& text : problem_texts) problems.push_back(parse_problem(spec, text + " " + type, "cuda"));
    const SearchSpace space = make_space(spec, problems.back(), device_->info());
    if (const char* const wanted = std::getenv("ATTUNE_TEST_SAMPLE"))
      most = std::min<std::size_t>(most, std::strtoul(wanted, nullptr, 10));
    const std::vector<Configuration> configurations =
        space.size() <= most ? all_configurations(space) : some_configurations(spec, space, most, 4);
    const std::vector<KernelFailure> failures = check_configurations(*device_, spec, problems, configurations);
    EXPECT_TRUE(failures.empty()) << to_text(failures);
    std::printf("%s %s %s: %zu configurations, %zu problems, %zu wrong\n", spec.name.c_str(),
                problem_texts.back().c_str(), type.c_str(), configurations.size(), problems.size(), failures.size());
  }
};

struct KernelType {
  KernelCase kernel;
  std::string type;
};

std::vector<KernelType> kernel_types() {
  std::vector<KernelType> all;
  for (const KernelCase& one : kernel_cases())
    for (const std::string& type : one.types) all.push_back({one, type});
  return all;
}

class GpuKernelTypes : public GpuKernels, public testing::WithParamInterface<KernelType> {};

TEST_P(GpuKernelTypes, AreRightAtEverySize) {
  const auto& [one, type] = GetParam();
  expect_all_right(one.kernel, one.medium, type, type == one.types.front() ? of_the_first_type : of_another);
}

INSTANTIATE_TEST_SUITE_P(, GpuKernelTypes, testing::ValuesIn(kernel_types()),
                         [](const auto& one) { return test_name(one.param.kernel.kernel + "_" + one.param.type); });

class GpuLargeKernels : public GpuKernels, public testing::WithParamInterface<KernelCase> {
 protected:
  static std::string type() { return GetParam().exact.empty() ? GetParam().types.front() : GetParam().exact; }
};

// With one tile per block, more than 65,535 blocks for every tile of up to 4,096 elements.
TEST_P(GpuLargeKernels, AreRightBeyond65535Blocks) {
  expect_all_right(GetParam().kernel, GetParam().large, type(), of_another);
}

TEST_P(GpuLargeKernels, IndicesHoldBeyondTwoToThe31) {
  expect_all_right(GetParam().kernel, GetParam().huge, type(), of_huge_problems);
}

INSTANTIATE_TEST_SUITE_P(, GpuLargeKernels, testing::ValuesIn(kernel_cases()),
                         [](const auto& one) { return one.param.kernel; });

using GpuArrays = GpuTest;

TEST_F(GpuArrays, BeginAnywhere) { EXPECT_THAT(wrong_results_of_offset_arrays("cuda"), testing::IsEmpty()); }

using GpuSums = GpuTest;

TEST_F(GpuSums, TakeArraysThatBeginAnywhere) { EXPECT_THAT(wrong_sums_of_offset_arrays("cuda"), testing::IsEmpty()); }

TEST_F(GpuSums, OfAFixedOrderAreTheSameInEveryLaunch) { EXPECT_THAT(sums_that_change("cuda"), testing::IsEmpty()); }

TEST_F(GpuSums, MinimumAndMaximumKeepInfinitiesAndLetNaNsWin) {
  EXPECT_THAT(wrong_extremes("cuda"), testing::IsEmpty());
}

using GpuHistogram = GpuTest;

TEST_F(GpuHistogram, TakesArraysThatBeginAnywhereAndAllValues) {
  EXPECT_THAT(wrong_histograms_of_offset_arrays("cuda"), testing::IsEmpty());
}

using GpuScan = GpuTest;

TEST_F(GpuScan, TakesArraysThatBeginAnywhere) { EXPECT_THAT(wrong_scans_of_offset_arrays("cuda"), testing::IsEmpty()); }

TEST_F(GpuScan, OfFloatsIsTheSameInEveryLaunch) { EXPECT_THAT(scans_that_change("cuda"), testing::IsEmpty()); }

using GpuStencil = GpuTest;

TEST_F(GpuStencil, StepsGridsThatBeginAnywhereAndInPlace) {
  EXPECT_THAT(wrong_steps_of_offset_grids("cuda"), testing::IsEmpty());
}

}  // namespace
}  // namespace attune::test
