#include "space/fallbacks.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "attune/error.hpp"
#include "attune/search_space.hpp"
#include "bundle/kernel_pack.hpp"
#include "kernel/legality.hpp"
#include "kernel/problem.hpp"
#include "space/default_configuration.hpp"
#include "spec/kernel_file.hpp"

namespace attune {
namespace {

constexpr int problems_of_each_kernel = 300;

// Returns whether a memory could hold so many elements.
bool is_ordinary(const Problem& problem) {
  double elements = 1;
  for (const Binding& binding : problem)
    if (binding.value.is_integer()) elements *= static_cast<double>(binding.value.integer());
  return elements < std::exp2(36);
}

// Sizes from 1 to 2^20, every other one a power of two; any types and choices.
Problem any_problem(const KernelSpec& spec, std::mt19937& random) {
  Problem problem;
  for (const ProblemParameter& parameter : spec.problem) {
    const auto& names = parameter.kind == ProblemKind::type ? parameter.types : parameter.choices;
    if (parameter.kind == ProblemKind::size) {
      const double exponent = std::uniform_real_distribution(0.0, 20.0)(random);
      problem.set(parameter.name,
                  static_cast<std::int64_t>(std::exp2(random() % 2 == 0 ? exponent : std::floor(exponent))));
    } else if (!names.empty()) {
      problem.set(parameter.name, names[random() % names.size()]);
    }
  }
  return problem;
}

TEST(FallBackSweep, ServesEveryProblemOfABuiltinKernelThatHasALegalConfiguration) {
  const std::vector<DeviceInfo> devices{device_limits("sm_90"), device_limits("sm_80"), device_limits("sm_120")};
  for (const auto& file : builtin_kernels()) {
    const KernelSpec spec = read_embedded_kernel(file);
    const auto fallbacks = fallback_configurations(spec, most_fallbacks);
    std::mt19937 random(19);
    int served = 0;
    for (int i = 0; i < problems_of_each_kernel; ++i) {
      const DeviceInfo& device = devices[static_cast<std::size_t>(i) % devices.size()];
      const Problem wished = any_problem(spec, random);
      if (!is_ordinary(wished)) continue;
      const Problem problem = make_problem(spec, wished, device.kind);
      const bool is_served = std::ranges::any_of(fallbacks, [&](const Configuration& configuration) {
        return legal_configuration(spec, problem, device, configuration).has_value();
      });
      if (is_served) {
        ++served;
      } else {
        EXPECT_TRUE(make_space(spec, problem, device).empty())
            << spec.name << " " << problem.text() << " on " << device.architecture();
      }
    }
    EXPECT_GT(served, 0) << spec.name;
  }
}

// A kernel with a parameter more than it needs, whose sizes up to 2^20 need many values of another.
std::string kernel(const std::string& deterministic, const std::string& rule) {
  return fmt::format(R"(/*attune
[kernel]
name = "many"
summary = "out[i] = 1"
{}
[problem]
n = "size"
T = ["float", "half"]
[parameters]
ATOMIC = [true, false]
ITEMS = [4, 1, 2, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096]
[restrictions]
rules = [{} "256 * ITEMS >= n || ITEMS == 4096", "ITEMS == 1 || 128 * ITEMS < n"]
[[launch]]
entry = "many<T, ATOMIC, ITEMS>"
grid = ["1"]
block = ["256"]
arguments = ["out", "n"]
[arguments]
out = {{ type = "T", size = "n", role = "out" }}
n = {{ type = "int64" }}
*/
template <typename T, bool ATOMIC, int ITEMS>
__global__ void many(T* out, long long n) {{
  for (long long i = threadIdx.x; i < n; i += 256) out[i] = T(1.0f);
}}
)",
                     deterministic, rule);
}

TEST(FallBackSweep, ReachesOrdinarySizesWhereManyHaveNoConfiguration) {
  const KernelSpec spec = read_kernel_text(kernel("", "\"n % 16 == 0\","), "many.cu");
  const auto fallbacks = fallback_configurations(spec, most_fallbacks);
  for (const std::int64_t n : {16, 64, 256, 4096, 16384, 1 << 18, 1 << 20})
    for (const char* const type : {"float", "half"})
      EXPECT_TRUE(std::ranges::any_of(
          fallbacks,
          [&](const Configuration& one) {
            return legal_configuration(spec, {{"n", n}, {"T", type}}, device_limits("sm_90"), one).has_value();
          }))
          << n << type;
}

TEST(FallBackSweep, LeavesPlacesForDeterministicOnes) {
  const KernelSpec spec = read_kernel_text(kernel("deterministic = \"!ATOMIC\"", ""), "many.cu");
  const auto fallbacks = fallback_configurations(spec, most_fallbacks);
  EXPECT_GE(std::ranges::count(fallbacks, Value(false), [](const Configuration& one) { return one.at("ATOMIC"); }), 4);
}

// What is tuned and checked is what an application launches, where the first values are not legal.
TEST(DefaultConfiguration, IsTheFirstLegalFallBackOfApplications) {
  const KernelSpec spec = read_kernel_text(R"(/*attune
[kernel]
name = "packs"
[problem]
n = "size"
[parameters]
PACK = [64, 32, 16, 8, 4, 2, 1]
[restrictions]
rules = ["n % PACK == 0"]
[[launch]]
entry = "packs<PACK>"
grid = ["1"]
block = ["64"]
arguments = ["out"]
[arguments]
out = { type = "float", size = "n", role = "out" }
*/
template <int PACK>
__global__ void packs(float* out) {}
)",
                                           "packs.cu");
  const auto fallbacks = fallback_configurations(spec, most_fallbacks);
  const DeviceInfo device = device_limits("sm_90");
  int elsewhere = 0;
  for (std::int64_t n = 1; n <= 512; ++n) {
    const Problem problem{{"n", n}};
    const auto launched = std::ranges::find_if(fallbacks, [&](const Configuration& one) {
      return legal_configuration(spec, problem, device, one).has_value();
    });
    ASSERT_NE(launched, fallbacks.end());
    EXPECT_EQ(default_configuration(spec, problem, device), *launched) << n;
    EXPECT_EQ(default_configuration(narrow(spec, "PACK=1"), problem, device), *launched) << "narrowed, " << n;
    elsewhere += nearest_to_first_values(spec, problem, device) != *launched;
  }
  EXPECT_GT(elsewhere, 0) << "the nearest legal configuration may be another one";
}

}  // namespace
}  // namespace attune
