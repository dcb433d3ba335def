// The built-in kernels on the host device: every legal pair of parameter values, at the sizes that break kernels.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "kernel/problem.hpp"
#include "spec/kernel_file.hpp"
#include "support/kernel_check.hpp"

namespace attune::test {
namespace {

struct Case {
  const char* kernel;
  const char* type;
  std::vector<const char*> problems;  // size 1, primes, beyond a block multiple; odd and even shapes
};

std::vector<Problem> problems_of(const KernelSpec& spec, const Case& one) {
  std::vector<Problem> problems;
  for (const char* text : one.problems)
    problems.push_back(parse_problem(spec, std::string(text) + " T=" + one.type, "host"));
  return problems;
}

void expect_all_right(const Case& one, bool pairwise) {
  const std::unique_ptr<Device> device = open_device("host");
  const KernelSpec spec = load_kernel(one.kernel);
  const std::vector<Problem> problems = problems_of(spec, one);
  const SearchSpace space = make_space(spec, problems.back(), device->info());
  const std::vector<Configuration> configurations =
      pairwise ? pairwise_configurations(space, 1) : some_configurations(spec, space, 8, 2);
  const std::vector<KernelFailure> failures = check_configurations(*device, spec, problems, configurations);
  EXPECT_TRUE(failures.empty()) << to_text(failures);
}

const std::vector<const char*> lengths{"n=1", "n=997", "n=4097", "n=40000"};
const std::vector<const char*> shapes{"width=1 height=1", "width=97 height=89", "width=129 height=260",
                                      "width=256 height=128"};

TEST(HostKernels, AxpyIsRightForEveryPairOfValues) { expect_all_right({"axpy", "float", lengths}, true); }
TEST(HostKernels, TransposeIsRightForEveryPairOfValues) { expect_all_right({"transpose", "float", shapes}, true); }
TEST(HostKernels, ReduceIsRightForEveryPairOfValues) { expect_all_right({"reduce", "float", lengths}, true); }

class HostKernelTypes : public testing::TestWithParam<const char*> {};
TEST_P(HostKernelTypes, EveryKernelIsRight) {
  expect_all_right({"axpy", GetParam(), lengths}, false);
  expect_all_right({"transpose", GetParam(), shapes}, false);
  expect_all_right({"reduce", GetParam(), lengths}, false);
}
INSTANTIATE_TEST_SUITE_P(Types, HostKernelTypes, testing::Values("double", "int32", "int64"),
                         [](const auto& one) { return std::string(one.param); });

// Those that a device is calibrated with, at sizes that no calibration takes.
TEST(HostKernels, CalibrationIsRightAtEverySize) {
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

TEST(HostKernels, ReduceTakesArraysThatBeginAnywhere) {
  EXPECT_THAT(wrong_sums_of_offset_arrays("host"), testing::IsEmpty());
}

TEST(HostKernels, HalfIsRefusedWithItsReason) {
  const std::unique_ptr<Device> device = open_device("host");
  const KernelSpec spec = load_kernel("transpose");
  const Problem problem = parse_problem(spec, "width=8 height=8 T=half", "host");
  const Configuration configuration = parse_configuration(spec, "");
  const ImageRequest request = launch_image_request(spec, problem, configuration, device->info());
  const CompileOutcome outcome = device->compiler()->compile(std::span(&request, 1)).front();
  EXPECT_EQ(outcome.verdict, Verdict::compile_error);
  EXPECT_NE(outcome.log.find("half and bfloat16 run on GPUs only"), std::string::npos) << outcome.log;
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
