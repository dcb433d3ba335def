// Arrays by value in kernel files: what is read, refused, limited and hashed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "attune/search_space.hpp"
#include "kernel/instantiate.hpp"
#include "kernel/legality.hpp"
#include "spec/kernel_file.hpp"
#include "support/message_of.hpp"
#include "support/smooth_kernel.hpp"
#include "unit/spec/everything.hpp"

namespace attune::tests {
namespace {

using testing::AllOf;
using testing::HasSubstr;

KernelSpec read_with(std::string_view before = "", std::string_view after = "") {
  return read_kernel_text(edited(test::smooth_file, before, after), "smooth.cu");
}

Problem problem_with(std::int64_t radius, const char* type = "float") {
  return Problem({{"n", 1000}, {"radius", radius}, {"T", type}});
}

TEST(ArraysByValue, AreReadAndResolved) {
  const KernelSpec spec = read_with();
  EXPECT_TRUE(spec.find_argument("weights")->by_value);
  EXPECT_FALSE(spec.find_argument("in")->by_value);
  const Configuration configuration{{"BLOCK", 64}};
  const auto arguments = resolve_arguments(spec, problem_with(2), &configuration, device_limits("sm_80"));
  EXPECT_TRUE(arguments[2].by_value);
  EXPECT_EQ(arguments[2].role, Role::in);
  EXPECT_EQ(arguments[2].count, 5u);
  EXPECT_EQ(arguments[2].bytes, 20u);
}

DeviceInfo device_with(const char* architecture, int driver_cuda_version) {
  DeviceInfo device = device_limits(architecture);
  device.driver_cuda_version = driver_cuda_version;
  return device;
}

// Two pointers, the weights, and n at a multiple of 8: 24 bytes and 4 for each weight.
TEST(ArraysByValue, FitTogetherIntoTheParametersOfALaunch) {
  const KernelSpec spec = read_with();
  const Configuration configuration{{"BLOCK", 64}};
  const DeviceInfo present = device_with("sm_80", 12010), unknown = device_with("sm_90", 0),
                   old = device_with("sm_80", 12000), older = device_with("sm_70", 11080);
  DeviceInfo pascal = device_with("sm_70", 12080), host = device_with("sm_70", 0);
  pascal.compute_capability = 61;
  host.kind = "host";
  host.compute_capability = 0;
  struct Case {
    const DeviceInfo& device;
    std::int64_t most;
    const char* says;
  };
  const Case table[] = {
      {present, 4091, "its parameters have 32768 bytes; a launch takes 32764"},
      {unknown, 4091, "its parameters have 32768 bytes; a launch takes 32764"},
      {host, 4091, "its parameters have 32768 bytes; a launch takes 32764"},
      {old, 508, "4104 bytes; a launch takes 4096, because the driver is older than CUDA 12.1; newer ones take 32764"},
      {older, 508,
       "4104 bytes; a launch takes 4096, because the driver is older than CUDA 12.1; newer ones take 32764"},
      {pascal, 508, "4104 bytes; a launch takes 4096, because the GPU is older than sm_70"},
  };
  for (const auto& [device, most, says] : table) {
    for (const bool fits : {true, false}) {
      SCOPED_TRACE(std::string(says) + (fits ? " fits" : ""));
      const Problem problem = problem_with(fits ? most : most + 1);
      EXPECT_EQ(legal_configuration(spec, problem, device, configuration).has_value(), fits);
      EXPECT_EQ(make_space(spec, problem, device).size() == 2, fits);
      const std::string said =
          message_of<Error>([&, &on = device] { resolve_steps(spec, spec.launch, problem, &configuration, on); });
      EXPECT_THAT(said, HasSubstr(fits ? "no error" : says));
    }
  }
}

// Two pointers, n, and bytes behind them: one byte too many does not fit, whatever problem and device.
TEST(ArraysByValue, OfConstantSizesAreRefusedWhereNoDeviceTakesThem) {
  const auto message = [](int count) {
    std::string text = edited(test::smooth_file, "size = \"2 * radius + 1\"", "size = " + std::to_string(count));
    text = edited(text, "weights = { type = \"T\"", "weights = { type = \"int8\"");
    for (int step = 0; step < 2; ++step)  // of [[launch]] and [[reference]]
      text = edited(text, "arguments = [\"out\", \"in\", \"weights\", \"n\"]",
                    "arguments = [\"out\", \"in\", \"n\", \"weights\"]");
    return message_of<SpecError>([&] { read_kernel_text(text, "smooth.cu"); });
  };
  EXPECT_THAT(message(32764 - 24), HasSubstr("no error"));
  EXPECT_THAT(message(32764 - 23),
              AllOf(HasSubstr("the parameters of this step have 32765 bytes"), HasSubstr("takes 32764")));
}

TEST(ArraysByValue, ThatAreWrittenWronglyAreRefused) {
  const std::pair<const char*, std::pair<const char*, const char*>> table[] = {
      {"pass = \"value\"", {"pass = \"pointer\"", "`pass` is \"value\""}},
      {"role = \"out\"", {"role = \"out\", pass = \"value\"", "only an `in` array can be passed by value"}},
      {"n = { type = \"int64\" }", {"n = { type = \"int64\", pass = \"value\" }", "`n` is a scalar"}},
      {"[[reference]]", {"[[prepare]]\nmemset = \"weights\"\n[[reference]]", "`weights` is passed by value"}},
      {"n = { type = \"int64\" }",
       {"n = { type = \"int64\" }\nmap = { tensor = \"weights\", shape = [4], box = [4] }", "it lies in no memory"}},
  };
  for (const auto& [before, change] : table)
    EXPECT_THAT(message_of<SpecError>([&, before = before, after = change.first] { read_with(before, after); }),
                HasSubstr(change.second))
        << change.first;
}

TEST(ArraysByValue, AreInTheContract) {
  EXPECT_NE(read_with().fingerprints.contract, read_with(", pass = \"value\"", "").fingerprints.contract);
}

}  // namespace
}  // namespace attune::tests
