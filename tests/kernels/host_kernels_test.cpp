// The built-in kernels on the host device: every legal pair of parameter values, at the sizes that break kernels.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "kernel/problem.hpp"
#include "spec/kernel_file.hpp"
#include "support/kernel_cases.hpp"
#include "support/kernel_check.hpp"
#include "support/offset_arrays.hpp"
#include "support/offset_histograms.hpp"
#include "support/offset_scans.hpp"
#include "support/stencil_check.hpp"
#include "support/sums_check.hpp"

namespace attune::test {
namespace {

class HostKernels : public testing::TestWithParam<KernelCase> {
 protected:
  std::vector<Problem> problems(const std::string& type) const {
    std::vector<Problem> small;
    for (const std::string& problem : GetParam().small)
      small.push_back(parse_problem(spec_, problem + " " + type, "host"));
    return small;
  }
  SearchSpace space(const std::string& type) const { return make_space(spec_, problems(type).back(), device_->info()); }

  const std::unique_ptr<Device> device_ = open_device("host");
  const KernelSpec spec_ = load_kernel(GetParam().kernel);
  KernelChecks checks_{*device_, spec_};
};

TEST_P(HostKernels, IsRightForEveryPairOfValues) {
  const std::string& type = GetParam().types.front();
  const auto failures = checks_.check(problems(type), pairwise_configurations(space(type), 1));
  EXPECT_TRUE(failures.empty()) << to_text(failures);
}

TEST_P(HostKernels, IsRightForItsOtherTypes) {
  std::map<std::string, std::vector<Configuration>> some;
  for (const std::string& type : Texts(GetParam().types.begin() + 1, GetParam().types.end())) {
    some[type] = some_configurations(spec_, space(type), 8, 2);
    checks_.ask(problems(type).back(), some[type]);
  }
  for (const auto& [type, configurations] : some) {
    const auto failures = checks_.check(problems(type), configurations);
    EXPECT_TRUE(failures.empty()) << type << ": " << to_text(failures);
  }
}

INSTANTIATE_TEST_SUITE_P(, HostKernels, testing::ValuesIn(kernel_cases()),
                         [](const auto& one) { return one.param.kernel; });

// Those that a device is calibrated with, at sizes that no calibration takes.
TEST(HostCalibration, IsRightAtEverySize) {
  const std::unique_ptr<Device> device = open_device("host");
  for (const KernelSpec& spec : calibration_kernels()) {
    std::vector<Problem> problems;
    for (const char* const size : {"n=1", "n=997", "n=4097", "n=40000"}) {
      if (spec.name == "launch") continue;
      problems.push_back(parse_problem(spec, std::string(size) + (spec.name == "fma" ? " steps=5" : ""), "host"));
    }
    if (problems.empty()) problems.push_back(parse_problem(spec, "", "host"));
    const SearchSpace space = make_space(spec, problems.back(), device->info());
    const auto failures = check_configurations(*device, spec, problems, pairwise_configurations(space, 1));
    EXPECT_TRUE(failures.empty()) << spec.name << ": " << to_text(failures);
  }
}

TEST(HostArrays, BeginAnywhere) { EXPECT_THAT(wrong_results_of_offset_arrays("host"), testing::IsEmpty()); }

TEST(HostScan, TakesArraysThatBeginAnywhere) { EXPECT_THAT(wrong_scans_of_offset_arrays("host"), testing::IsEmpty()); }

TEST(HostScan, OfFloatsIsTheSameInEveryLaunch) { EXPECT_THAT(scans_that_change("host"), testing::IsEmpty()); }

TEST(HostHistogram, TakesArraysThatBeginAnywhereAndAllValues) {
  EXPECT_THAT(wrong_histograms_of_offset_arrays("host"), testing::IsEmpty());
}

TEST(HostStencil, StepsGridsThatBeginAnywhereAndInPlace) {
  EXPECT_THAT(wrong_steps_of_offset_grids("host"), testing::IsEmpty());
}

TEST(HostSums, TakeArraysThatBeginAnywhere) { EXPECT_THAT(wrong_sums_of_offset_arrays("host"), testing::IsEmpty()); }

TEST(HostSums, OfAFixedOrderAreTheSameInEveryLaunch) { EXPECT_THAT(sums_that_change("host"), testing::IsEmpty()); }

TEST(HostSums, MinimumAndMaximumKeepInfinitiesAndLetNaNsWin) {
  EXPECT_THAT(wrong_extremes("host"), testing::IsEmpty());
}

TEST(PairwiseConfigurations, HoldEveryLegalPairOnceAtLeastAndAreFew) {
  const KernelSpec spec = load_kernel("reduce");
  const SearchSpace space = make_space(spec, make_problem(spec, {}, "cuda"), device_limits("sm_90"));
  const std::vector<Configuration> chosen = pairwise_configurations(space, 1);
  EXPECT_LT(chosen.size(), 200u);
  std::set<std::string> legal, covered;
  const auto add_pairs = [](const Configuration& configuration, std::set<std::string>& pairs) {
    for (const Binding& a : configuration)
      for (const Binding& b : configuration)
        if (a.name < b.name) pairs.insert(a.name + "=" + a.value.text() + " " + b.name + "=" + b.value.text());
  };
  for (const Configuration& configuration : all_configurations(space)) add_pairs(configuration, legal);
  for (const Configuration& configuration : chosen) add_pairs(configuration, covered);
  EXPECT_EQ(covered, legal);
}

}  // namespace
}  // namespace attune::test
