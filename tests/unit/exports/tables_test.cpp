#include "exports/tables.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bundle/kernel_pack.hpp"
#include "exported_program.hpp"
#include "kernel/legality.hpp"
#include "odd_kernel.hpp"
#include "space/fallbacks.hpp"
#include "spec/kernel_file.hpp"
#include "support/message_of.hpp"
#include "support/smooth_kernel.hpp"

namespace attune::test {
namespace {

TEST(FallBacks, BeginWithTheDefaultAndAreFew) {
  for (const EmbeddedFile& file : builtin_kernels()) {
    const KernelSpec spec = read_embedded_kernel(file);
    const auto all = fallback_configurations(spec, most_fallbacks);
    ASSERT_GE(all.size(), 1u) << spec.name;
    EXPECT_LE(all.size(), 16u) << spec.name;
    for (const Parameter& parameter : spec.parameters)
      EXPECT_EQ(all.front().at(parameter.name), parameter.values.front()) << spec.name;
  }
}

TEST(FallBacks, AreLegalWhereTheDefaultIsNot) {
  const KernelSpec spec = load_kernel("reduce");
  const auto all = fallback_configurations(spec, most_fallbacks);
  int rescued = 0;
  for (const std::string& type : spec.find_problem("T")->types)
    for (const std::string& op : spec.find_problem("OP")->choices)
      for (const DeviceInfo& device : {h200(), a100(), host_cpu(), device_limits("sm_75"), device_limits("sm_120")}) {
        const Problem problem{{"n", 12345}, {"T", type}, {"OP", op}};
        const auto is_legal = [&](const Configuration& one) {
          return legal_configuration(spec, problem, device, one).has_value();
        };
        const auto found = std::ranges::find_if(all, is_legal);
        ASSERT_NE(found, all.end()) << problem.text() << " on " << device.name;
        if (found != all.begin()) ++rescued;
      }
  EXPECT_GT(rescued, 10);
}

TEST(FallBacks, AreDeterministicForSomeWhereTheNearestAreNot) {
  const KernelSpec spec = load_kernel("scan");  // look_back, the nearest on older devices, promises no sign of a zero
  const auto all = fallback_configurations(spec, most_fallbacks);
  KernelSpec silent = spec;
  silent.deterministic.reset();
  const auto others = fallback_configurations(silent, most_fallbacks);
  ASSERT_GT(all.size(), others.size());
  EXPECT_EQ(std::vector(all.begin(), all.begin() + std::ssize(others)), others) << "those of before come first";
  for (const std::string& type : spec.find_problem("T")->types)
    for (const DeviceInfo& device : {h200(), a100(), host_cpu(), device_limits("sm_75")}) {
      const Problem problem{{"n", 12345}, {"T", type}, {"OP", "Op::min"}, {"KIND", "Kind::inclusive"}};
      EXPECT_TRUE(std::ranges::any_of(all,
                                      [&](const Configuration& one) {
                                        return legal_configuration(spec, problem, device, one) &&
                                               is_deterministic(spec, problem, device, one);
                                      }))
          << problem.text() << " on " << device.name;
    }
}

TEST(TypeCombinations, AreThoseThatProblemsAdmit) {
  const KernelSpec spec = load_kernel("reduce");
  EXPECT_EQ(type_combinations(spec, {}, false).size(), 18u);
  const std::vector<Bindings> some = {{{"T", "float"}}, {{"T", "half"}, {"OP", "Op::max"}}};
  EXPECT_EQ(type_combinations(spec, some, false).size(), 4u);
}

TEST(TypeCombinations, NeedTheSizesThatEntriesName) {
  const KernelSpec spec = read_kernel_text(smooth_file, "smooth.cu");
  EXPECT_EQ(type_combinations(spec, {}, false).size(), 2u);
  EXPECT_THAT(
      message_of<UsageError>([&] { type_combinations(spec, {}, true); }),
      testing::AllOf(testing::HasSubstr("`radius`"), testing::HasSubstr("--problem"), testing::HasSubstr("runtime")));
  const std::vector<Bindings> some = {{{"radius", 2}}, {{"radius", 3}, {"T", "float"}}};
  EXPECT_EQ(type_combinations(spec, some, true).size(), 3u);
}

}  // namespace
}  // namespace attune::test
