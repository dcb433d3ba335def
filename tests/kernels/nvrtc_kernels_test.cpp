// The built-in kernels through NVRTC: the default and 16 random configurations to cubins of four architectures.
// $ATTUNE_TEST_SAMPLE: so many, or all where there are no more (scripts/compile-all).
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <map>
#include <set>

#include "device/cuda/cuda_device.hpp"
#include "kernel/instantiate.hpp"
#include "kernel/problem.hpp"
#include "spec/kernel_file.hpp"
#include "support/kernel_cases.hpp"
#include "support/kernel_check.hpp"

namespace attune::test {
namespace {

struct Parameters {
  std::string kernel, architecture;
  Texts types;
};

void PrintTo(const Parameters& of, std::ostream* out) { *out << of.kernel << " for " << of.architecture; }

class NvrtcKernels : public testing::TestWithParam<Parameters> {
 protected:
  // Compiles the default configuration and random ones for problems of this type, each image once in a test.
  void expect_no_spills(const std::string& type) {
    const DeviceInfo device = device_limits(GetParam().architecture);
    const Problem problem = parse_problem(spec_, type, "cuda");
    const SearchSpace space = make_space(spec_, problem, device);
    const char* const wanted = std::getenv("ATTUNE_TEST_SAMPLE");
    const std::size_t most = wanted == nullptr ? 16 : std::strtoul(wanted, nullptr, 10);
    std::vector<ImageRequest> requests;
    for (const Configuration& configuration :
         space.size() <= most ? all_configurations(space) : some_configurations(spec_, space, most, 3)) {
      ImageRequest request = launch_image_request(spec_, problem, configuration, device);
      if (compiled_.insert(request.key("")).second) requests.push_back(std::move(request));
    }
    std::printf("%s %s %s: %zu images\n", spec_.name.c_str(), type.c_str(), GetParam().architecture.c_str(),
                requests.size());
    for (const ImageRequest& request : merged(requests)) expect_no_spills(request, type, device);
    const ImageRequest reference = image_request(spec_, spec_.reference, problem, nullptr, device);
    if (!compiled_.insert(reference.key("")).second) return;
    const CompileOutcome outcome = compiler_->compile(std::span(&reference, 1)).front();
    EXPECT_TRUE(outcome.image) << outcome.log;
  }

  // Instances of one text are compiled together: it is parsed once for at most `most_of_image` of them. The checks of
  // their arguments stand behind it.
  static std::vector<ImageRequest> merged(const std::vector<ImageRequest>& requests) {
    constexpr std::size_t most_of_image = 64;
    std::vector<ImageRequest> images;
    std::map<std::string, std::size_t> open;
    for (const ImageRequest& request : requests) {
      ImageRequest text = request;
      text.expressions.clear(), text.checks.clear();
      const auto [place, is_new] = open.emplace(text.key(""), images.size());
      if (is_new || images[place->second].expressions.size() >= most_of_image) {
        place->second = images.size();
        images.push_back(std::move(text));
      }
      images[place->second].checks += request.checks;
      std::vector<std::string>& expressions = images[place->second].expressions;
      std::vector<std::string> together;  // sorted, each once
      std::ranges::set_union(expressions, request.expressions, std::back_inserter(together));
      expressions = std::move(together);
    }
    return images;
  }

  void expect_no_spills(const ImageRequest& request, const std::string& type, const DeviceInfo& device) const {
    const CompileOutcome outcome = compiler_->compile(std::span(&request, 1)).front();
    ASSERT_TRUE(outcome.image) << type << ": " << testing::PrintToString(request.expressions) << "\n" << outcome.log;
    EXPECT_EQ(outcome.image->architecture, request.architecture);  // sm_90a, where the kernel asks for it
    ASSERT_EQ(outcome.image->functions.size(), request.expressions.size());
    for (const ImageFunction& function : outcome.image->functions) {
      EXPECT_GT(function.usage.registers, 0) << function.expression;
      EXPECT_EQ(function.usage.spill_bytes, 0u) << function.expression;
      EXPECT_LE(function.usage.shared_static, device.shared_static_limit) << function.expression;
    }
  }

  const KernelSpec spec_ = load_kernel(GetParam().kernel);
  std::shared_ptr<Compiler> compiler_;
  std::set<std::string> compiled_;  // keys
};

TEST_P(NvrtcKernels, DefaultAndRandomConfigurationsCompileWithoutSpills) {
  if (!nvrtc_version()) GTEST_SKIP() << "no NVRTC on this machine";
  compiler_ = make_compiler(GetParam().architecture);
  for (const std::string& type : GetParam().types) expect_no_spills(type);
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

// The first type on four architectures, the others on one.
std::vector<Parameters> all_parameters() {
  std::vector<Parameters> all;
  for (const KernelCase& one : kernel_cases())
    for (const char* const architecture : {"sm_75", "sm_80", "sm_90", "sm_120"})
      all.push_back(
          {one.kernel, architecture, std::string_view(architecture) == "sm_90" ? one.types : Texts{one.types.front()}});
  return all;
}

INSTANTIATE_TEST_SUITE_P(, NvrtcKernels, testing::ValuesIn(all_parameters()),
                         [](const auto& one) { return one.param.kernel + "_" + one.param.architecture; });

}  // namespace
}  // namespace attune::test
