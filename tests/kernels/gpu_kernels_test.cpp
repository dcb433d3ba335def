// The built-in kernels on a GPU: legal configurations, every type, and sizes beyond 65,535 blocks and 2^31 elements.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "kernel/problem.hpp"
#include "spec/kernel_file.hpp"
#include "support/gpu.hpp"
#include "support/kernel_cases.hpp"
#include "support/kernel_check.hpp"
#include "support/offset_histograms.hpp"
#include "support/offset_scans.hpp"
#include "support/stencil_check.hpp"
#include "support/sums_check.hpp"

namespace attune::test {
namespace {

class GpuKernels : public GpuTest, public testing::WithParamInterface<KernelCase> {
 protected:
  // At most `most` configurations; $ATTUNE_TEST_SAMPLE of them for runs under a sanitizer, a hundred times slower.
  void expect_all_right(const Texts& problem_texts, const std::string& type, std::size_t most) {
    const KernelSpec spec = load_kernel(GetParam().kernel);
    std::vector<Problem> problems;
    for (const std::string& text : problem_texts) problems.push_back(parse_problem(spec, text + " " + type, "cuda"));
    const SearchSpace space = make_space(spec, problems.back(), device_->info());
    if (const char* const wanted = std::getenv("ATTUNE_TEST_SAMPLE")) most = std::strtoul(wanted, nullptr, 10);
    const std::vector<Configuration> configurations =
        space.size() <= most ? all_configurations(space) : some_configurations(spec, space, most, 4);
    const std::vector<KernelFailure> failures = check_configurations(*device_, spec, problems, configurations);
    EXPECT_TRUE(failures.empty()) << to_text(failures);
    std::printf("%s %s %s: %zu configurations, %zu problems, %zu wrong\n", spec.name.c_str(),
                problem_texts.back().c_str(), type.c_str(), configurations.size(), problems.size(), failures.size());
  }
};

TEST_P(GpuKernels, IsRightAtEverySizeForEveryType) {
  for (const std::string& type : GetParam().types) expect_all_right(GetParam().medium, type, 300);
}

// With one tile per block, more than 65,535 blocks for every tile of up to 4,096 elements.
TEST_P(GpuKernels, IsRightBeyond65535Blocks) { expect_all_right(GetParam().large, GetParam().types.front(), 300); }

TEST_P(GpuKernels, IndicesHoldBeyondTwoToThe31) { expect_all_right(GetParam().huge, GetParam().types.front(), 40); }

INSTANTIATE_TEST_SUITE_P(, GpuKernels, testing::ValuesIn(kernel_cases()),
                         [](const auto& one) { return one.param.kernel; });

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
