// A kernel that takes an array by value, on the host device: it is filled as every array, with the same bits.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "device/device.hpp"
#include "device/host/host_data.hpp"
#include "kernel/problem.hpp"
#include "spec/kernel_file.hpp"
#include "support/on_device.hpp"
#include "support/smooth_kernel.hpp"

namespace attune {
namespace {

using testing::HasSubstr;

class ArrayByValue : public testing::Test {
 protected:
  Status load(std::string_view before, std::string_view after, const char* problem = "") const {
    std::string text = test::smooth_file;
    text.replace(text.find(before), before.size(), after);
    const KernelSpec spec = read_kernel_text(text, "smooth.cu");
    const Configuration configuration{{"BLOCK", 64}};
    return test::OnDevice(*device_, spec, parse_problem(spec, problem, "host"), configuration).load(1, configuration);
  }
  const std::unique_ptr<Device> device_ = open_device("host");
};

TEST_F(ArrayByValue, IsRightForEveryTypeAndSize) {
  for (const char* const problem :
       {"", "T=int32 radius=1 n=1", "T=float radius=100 n=777", "T=float radius=4091 n=100"}) {
    const Status status = load("name = \"smooth\"", "name = \"smooth\"", problem);
    EXPECT_TRUE(status.ok()) << problem << ": " << status.detail;
  }
}

TEST_F(ArrayByValue, HasTheValuesOfItsFill) {
  const KernelSpec spec = read_kernel_text(test::smooth_file, "smooth.cu");
  TrialSetup setup;
  ArgumentSetup described;
  described.name = "weights";
  described.type = "int32";
  described.role = Role::in;
  described.by_value = true;
  described.count = 5;
  described.bytes = 20;
  described.fill.full_range = true;
  setup.arguments = {described, described};
  setup.seed = 77;
  HostData tools;
  const ProblemData data(*device_, tools, setup);
  EXPECT_EQ(data.array(1), nullptr);
  EXPECT_EQ(data.set_bytes(), 0u);
  int expected[5], found[5];
  generate_on_host(expected, "int32", 5, described.fill, 77 + 1);  // as an array in memory: another seed for each
  ASSERT_EQ(data.values(1).size(), sizeof found);
  std::memcpy(found, data.values(1).data(), sizeof found);
  EXPECT_TRUE(std::equal(std::begin(found), std::end(found), expected));
}

TEST_F(ArrayByValue, FitsAParameterOfItsSizeAndElement) {
  const char* const parameter = "const __grid_constant__ attune::Array<T, COUNT> weights, long long n";
  EXPECT_EQ(load(parameter, "const T* weights, long long n").verdict, Verdict::compile_error);
  const Status other = load(parameter, "const __grid_constant__ attune::Array<int, COUNT> weights, long long n");
  EXPECT_EQ(other.verdict, Verdict::compile_error);
  EXPECT_THAT(other.detail, HasSubstr("argument 'weights' (5 float by value) of 'smooth<float, 64, 2 * 2 + 1>' does "
                                      "not fit parameter 3"));
  EXPECT_EQ(load(parameter, "const __grid_constant__ attune::Array<T, COUNT + 1> weights, long long n").verdict,
            Verdict::compile_error);
}

}  // namespace
}  // namespace attune
