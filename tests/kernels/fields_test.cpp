// Fields of kernel files that reach the device: clusters, cooperative launches and such that overlap, variables and
// host memory as arguments. ATTUNE_FIELDS_DEVICE is `host` or `cuda`; every legal configuration is checked on it, and a
// plan launched.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "attune/attune.hpp"
#include "attune/kernel_files.hpp"
#include "attune_embedded/cluster_sum.hpp"
#include "attune_embedded/fetched.hpp"
#include "attune_embedded/filtered.hpp"
#include "attune_embedded/gathered.hpp"
#include "attune_embedded/grid_sum.hpp"
#include "attune_embedded/overlapped_sum.hpp"
#include "attune_embedded/warp_products.hpp"
#include "kernel/problem.hpp"
#include "spec/kernel_file.hpp"
#include "support/gpu.hpp"
#include "support/kernel_check.hpp"

namespace attune::test {
namespace {

constexpr const char* device_name = ATTUNE_FIELDS_DEVICE;
bool is_on_host() { return std::string_view(device_name) == "host"; }

const EmbeddedFile& file_of(const std::string& name) {
  static const EmbeddedFile files[] = {attune_embedded::cluster_sum,  attune_embedded::fetched,
                                       attune_embedded::filtered,     attune_embedded::gathered,
                                       attune_embedded::grid_sum,     attune_embedded::overlapped_sum,
                                       attune_embedded::warp_products};
  return *std::find_if(std::begin(files), std::end(files),
                       [&](const EmbeddedFile& file) { return file.file_name == name + ".cu"; });
}

KernelSpec kernel_of(const std::string& name) { return read_embedded_kernel(file_of(name)); }

class Fields : public testing::Test {
 protected:
  void SetUp() override {
    if (is_on_host())
      device_ = open_device("host");
    else
      open_gpu(device_);
  }
  std::vector<Configuration> configurations(const KernelSpec& spec, const Problem& problem) const {
    return all_configurations(make_space(spec, problem, device_->info()));
  }
  void expect_all_right(const std::string& name, const std::vector<std::string>& problem_texts) const {
    const KernelSpec spec = kernel_of(name);
    std::vector<Problem> problems;
    for (const std::string& text : problem_texts) problems.push_back(parse_problem(spec, text, device_name));
    const auto all = configurations(spec, problems.back());
    const auto failures = check_configurations(*device_, spec, problems, all);
    EXPECT_TRUE(failures.empty()) << to_text(failures);
    std::printf("%s: %zu configurations, %zu wrong\n", name.c_str(), all.size(), failures.size());
  }
  std::unique_ptr<Dispatcher> dispatcher(const std::string& name) const {
    DispatcherOptions options;
    options.device = device_name;
    options.database = ":memory:";
    auto made = std::make_unique<Dispatcher>(options);
    made->add(kernel_bundle(kernel_of(name), name));
    return made;
  }
  std::unique_ptr<Device> device_;
};

TEST_F(Fields, ClustersAddUpInTheSharedMemoryOfTheirFirstBlock) {
  expect_all_right("cluster_sum", {"n=1", "n=997", "n=10000"});
}

// A cluster of one block is none: it runs everywhere.
TEST_F(Fields, ClustersAreAsLargeAsTheDeviceHasThem) {
  const KernelSpec spec = kernel_of("cluster_sum");
  const Problem problem = parse_problem(spec, "n=1000", device_name);
  std::vector<std::int64_t> sizes;
  for (const Configuration& configuration : configurations(spec, problem))
    sizes.push_back(configuration.at("CLUSTER").integer());
  const std::int64_t most = device_->info().max_cluster();
  EXPECT_EQ(*std::max_element(sizes.begin(), sizes.end()), most);
  EXPECT_EQ(is_on_host(), most == 1);
}

TEST_F(Fields, LaunchesOverlapAndWaitForEachOther) { expect_all_right("overlapped_sum", {"n=1", "n=100000"}); }

TEST_F(Fields, BlocksOfACooperativeLaunchWaitForEachOther) {
  expect_all_right("grid_sum", {"n=1", "n=997", "n=10000"});
}

TEST_F(Fields, ACooperativeLaunchOfTooManyBlocksIsRefused) {
  KernelSpec spec = kernel_of("grid_sum");
  spec.parameters[0].values = {Value(std::int64_t{100000})};
  const Problem problem = parse_problem(spec, "n=1000", device_name);
  const auto failures = check_configurations(*device_, spec, {problem}, configurations(spec, problem));
  ASSERT_EQ(failures.size(), 1u);
  EXPECT_THAT(to_text(failures), testing::HasSubstr("resources"));
}

TEST_F(Fields, PlansLaunchCooperatively) {
  constexpr int n = 5000;
  std::vector<unsigned> numbers(n);
  std::iota(numbers.begin(), numbers.end(), 3u);
  const unsigned sum = std::accumulate(numbers.begin(), numbers.end(), 0u);
  const std::unique_ptr<Dispatcher> gpu = dispatcher("grid_sum");
  const Plan plan = gpu->plan("grid_sum", {{"n", n}});
  const Buffer<unsigned> in(*gpu, numbers), out(*gpu, n);
  for (int i = 0; i < 3; ++i) plan.launch(nullptr, out, in, n);
  EXPECT_EQ(out.to_vector()[n - 1], numbers[n - 1] + sum);
  EXPECT_TRUE(plan.resolve(out, in, n).steps()[0].cooperative);
}

TEST_F(Fields, WarpsMultiplyMatrices) {
  for (const char* const type : {"T=double", "T=half", "T=bfloat16"})
    expect_all_right("warp_products", {std::string("products=7 ") + type});
}

TEST_F(Fields, VariablesHoldArguments) {
  expect_all_right("filtered", {"n=1 T=float", "n=997 taps=31 T=float", "n=5000 T=double"});
}

TEST_F(Fields, VariablesAreScratchMemory) {
  expect_all_right("gathered", {"n=1 T=float", "n=997 T=float", "n=500 T=double"});
}

// Others take it for each launch: plans have variables of their own.
TEST_F(Fields, PlansFillTheirVariablesAtEachLaunch) {
  const std::unique_ptr<Dispatcher> gpu = dispatcher("gathered");
  const Plan first = gpu->plan("gathered", {{"n", 3}, {"T", "float"}}), copy = first;
  Buffer<float> in(*gpu, std::vector<float>{1, 10, 100}), out(*gpu, 3);
  first.launch(nullptr, out, in, 3);
  EXPECT_THAT(out.to_vector(), testing::ElementsAre(210, 211, 212));
  in.copy_from(std::vector<float>{1, 20, 200});
  copy.launch(nullptr, out, in, 3);
  EXPECT_THAT(out.to_vector(), testing::ElementsAre(420, 421, 422));
  first.launch(nullptr, out, in, 3);
  EXPECT_THAT(out.to_vector(), testing::ElementsAre(420, 421, 422));
  const auto steps = first.resolve(out, in, 3);
  EXPECT_EQ(steps.steps()[0].name, "memset of `held`");
  EXPECT_NE(steps.steps()[0].target, copy.resolve(out, in, 3).steps()[0].target);
}

TEST_F(Fields, AVariableThatIsTooSmallForScratchMemoryIsRefused) {
  KernelSpec spec = kernel_of("gathered");
  spec.rules.clear();
  const Problem problem = parse_problem(spec, "n=1025 T=float", device_name);
  const auto failures = check_configurations(*device_, spec, {problem}, configurations(spec, problem));
  EXPECT_EQ(failures.size(), 2u) << "those that use it";
  EXPECT_THAT(to_text(failures), testing::HasSubstr("the variable `constants::held<float>` has 4096 bytes, and the "
                                                    "argument `held`, its content, has 4100"));
}

TEST_F(Fields, AVariableThatIsTooSmallIsRefused) {
  KernelSpec spec = kernel_of("filtered");
  spec.rules.clear();
  const Problem problem = parse_problem(spec, "n=100 taps=33 T=float", device_name);
  try {
    check_configurations(*device_, spec, {problem}, configurations(spec, problem));
    FAIL() << "it was loaded";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("the variable `constants::filter<float>` has 128 bytes, and the "
                                                 "argument `filter`, its content, has 132"));
  }
}

TEST_F(Fields, ArraysLieInHostMemory) {
  expect_all_right("fetched", {"n=1 SOURCE=Source::mapped", "n=5000 SOURCE=Source::mapped"});
  expect_all_right("fetched", {"n=5000 SOURCE=Source::device"});
}

TEST_F(Fields, PlansLaunchClustersAndOverlap) {
  std::vector<unsigned> numbers(10000);
  std::iota(numbers.begin(), numbers.end(), 3u);
  const unsigned expected = std::accumulate(numbers.begin(), numbers.end(), 0u);
  for (const char* const name : {"cluster_sum", "overlapped_sum"}) {
    const std::unique_ptr<Dispatcher> gpu = dispatcher(name);
    const Plan plan = gpu->plan(name, {{"n", 10000}});
    const Buffer<unsigned> in(*gpu, numbers), out(*gpu, 1);
    for (int i = 0; i < 3; ++i) plan.launch(nullptr, out, in, 10000);
    EXPECT_EQ(out.to_vector()[0], expected) << name;
  }
}

// The sum of the filter, by an input of ones.
class FilterPlans : public Fields {
 protected:
  static constexpr int n = 1000;
  void SetUp() override {
    Fields::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    gpu_ = dispatcher("filtered");
    in_ = std::make_unique<Buffer<float>>(*gpu_, std::vector<float>(n, 1.0f));
    out_ = std::make_unique<Buffer<float>>(*gpu_, n);
  }
  Plan plan() { return gpu_->plan("filtered", {{"n", n}, {"taps", 3}, {"T", "float"}}); }
  float sum(const Plan& plan, const Buffer<float>& filter) {
    plan.launch(nullptr, *out_, *in_, filter, n, 3);
    return out_->to_vector()[n / 2];
  }
  Buffer<float> filter(float each) { return Buffer<float>(*gpu_, std::vector<float>(3, each)); }
  std::unique_ptr<Dispatcher> gpu_;
  std::unique_ptr<Buffer<float>> in_, out_;
};

TEST_F(FilterPlans, UploadAnArrayWhenItIsAnotherOrWhenAsked) {
  const Plan made = plan();
  Buffer<float> ones = filter(1), twos = filter(2);
  EXPECT_EQ(sum(made, ones), 3);
  EXPECT_EQ(sum(made, twos), 6);
  EXPECT_EQ(sum(made, ones), 3);
  ones.copy_from(std::vector<float>(3, 5.0f));
  EXPECT_EQ(sum(made, ones), 3) << "uploaded once for each address";
  made.refresh_symbols();
  EXPECT_EQ(sum(made, ones), 15);
}

TEST_F(FilterPlans, HaveVariablesOfTheirOwn) {
  const Plan first = plan(), second = plan();
  const std::uint64_t code_bytes = gpu_->statistics().image_bytes;
  const Plan copy = first;
  EXPECT_GT(gpu_->statistics().image_bytes, code_bytes) << "a variable belongs to loaded code";
  const Buffer<float> ones = filter(1), twos = filter(2), fours = filter(4);
  EXPECT_EQ(sum(first, ones), 3);
  EXPECT_EQ(sum(second, twos), 6);
  EXPECT_EQ(sum(copy, fours), 12);
  EXPECT_EQ(sum(first, ones), 3);
}

TEST_F(FilterPlans, RefuseTooFewElements) {
  const Buffer<float> small(*gpu_, 2);
  EXPECT_THROW(sum(plan(), small), UsageError);
}

}  // namespace
}  // namespace attune::test
