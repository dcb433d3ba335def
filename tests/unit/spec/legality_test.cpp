#include "kernel/legality.hpp"

#include <gtest/gtest.h>

#include "attune/search_space.hpp"
#include "space/default_configuration.hpp"
#include "spec/kernel_file.hpp"

namespace attune {
namespace {

constexpr std::string_view text = R"cu(/*attune
[kernel]
name = "sweep"
[problem]
n = "size"
[parameters]
BLOCK = [256, 64, 2048]
ITEMS = [1, 2, 4]
FAST = [false, true]
[restrictions]
rules = ["BLOCK * ITEMS <= n || BLOCK == 64", "!FAST || ITEMS > 1", "n != 13"]
[[launch]]
entry = "sweep<BLOCK, ITEMS, FAST>"
grid = ["ceil_div(n, BLOCK * ITEMS)"]
block = ["BLOCK"]
shared = "BLOCK * ITEMS * 64"
arguments = ["data", "n"]
[arguments]
data = { type = "float", size = "n", role = "inout" }
n = { type = "int64" }
*/
template <int BLOCK, int ITEMS, bool FAST> __global__ void sweep(float* data, long long n) {
  if (n > 0) data[0] = 1;
}
)cu";

class Legality : public testing::Test {
 protected:
  std::optional<Configuration> legal(std::int64_t n, const Configuration& configuration) const {
    return legal_configuration(spec_, {{"n", n}}, device_, configuration);
  }
  KernelSpec spec_ = read_kernel_text(text, "sweep.cu");
  DeviceInfo device_;
};

TEST_F(Legality, PutsTheParametersInOrder) {
  EXPECT_EQ(legal(1000, {{"FAST", true}, {"ITEMS", 2}, {"BLOCK", 256}}),
            (Configuration{{"BLOCK", 256}, {"ITEMS", 2}, {"FAST", true}}));
}

TEST_F(Legality, KeepsConfigurationsForAnotherArchitectureOut) {
  spec_.compile.requires_architecture = "sm_90a";
  spec_.compile.requires_where.emplace("FAST");
  const Configuration fast{{"BLOCK", 64}, {"ITEMS", 2}, {"FAST", true}},
      plain{{"BLOCK", 64}, {"ITEMS", 2}, {"FAST", false}};
  for (const char* const architecture : {"sm_80", "sm_90", "sm_100"}) {
    device_ = device_limits(architecture);
    const bool has_it = architecture == std::string("sm_90");
    EXPECT_EQ(legal(1000, fast).has_value(), has_it) << architecture;
    EXPECT_TRUE(legal(1000, plain)) << architecture;
    const SearchSpace space = make_space(spec_, {{"n", 1000}}, device_);
    EXPECT_EQ(space.row_of(fast) && space.contains(*space.row_of(fast)), has_it) << architecture;
  }
}

// So a kernel for one architecture can still be tried on the host device.
TEST_F(Legality, AnArchitectureMayBeRequiredOfOneKindOfDevice) {
  std::string required(text);
  required.insert(required.find("[parameters]"), "[compile]\nrequires = \"sm_90a if device.kind == 'cuda' && FAST\"\n");
  spec_ = read_kernel_text(required, "sweep.cu");
  const Configuration fast{{"BLOCK", 64}, {"ITEMS", 2}, {"FAST", true}};
  for (const char* const architecture : {"sm_80", "sm_90", "host"}) {
    device_ = device_limits(architecture == std::string("host") ? "sm_90" : architecture);
    if (architecture == std::string("host")) device_.kind = "host";
    EXPECT_EQ(legal(1000, fast).has_value(), architecture != std::string("sm_80")) << architecture;
    const SearchSpace space = make_space(spec_, {{"n", 1000}}, device_);
    EXPECT_EQ(space.row_of(fast) && space.contains(*space.row_of(fast)), architecture != std::string("sm_80"));
  }
}

TEST_F(Legality, NothingIsDeterministicThatTheFileDoesNotPromise) {
  const Problem problem{{"n", 1000}};
  const Configuration fast{{"BLOCK", 64}, {"ITEMS", 2}, {"FAST", true}},
      plain{{"BLOCK", 64}, {"ITEMS", 2}, {"FAST", false}};
  EXPECT_FALSE(is_deterministic(spec_, problem, device_, plain));
  spec_.deterministic.emplace("!FAST || n < 100");
  EXPECT_TRUE(is_deterministic(spec_, problem, device_, plain));
  EXPECT_FALSE(is_deterministic(spec_, problem, device_, fast));
  EXPECT_TRUE(is_deterministic(spec_, {{"n", 50}}, device_, fast));
  spec_.deterministic.emplace("n / (ITEMS - 2) > 0");
  EXPECT_FALSE(is_deterministic(spec_, problem, device_, plain)) << "it has no value";
}

TEST_F(Legality, WantsExactlyTheParametersAndListedValues) {
  EXPECT_FALSE(legal(1000, {{"BLOCK", 256}, {"ITEMS", 1}}));
  EXPECT_FALSE(legal(1000, {{"BLOCK", 256}, {"ITEMS", 1}, {"FAST", false}, {"MORE", 1}}));
  EXPECT_FALSE(legal(1000, {{"BLOCK", 256}, {"ITEMS", 3}, {"FAST", false}}));
  EXPECT_FALSE(legal(1000, {{"BLOCK", 256}, {"ITEMS", 1}, {"FAST", 0}}));
}

TEST_F(Legality, AgreesWithTheSearchSpace) {
  for (const std::int64_t n : {1, 100, 300, 600, 5000}) {
    const Problem problem{{"n", n}};
    const SearchSpace space = make_space(spec_, problem, device_);
    for (const Value& block : spec_.parameters[0].values) {
      for (const Value& items : spec_.parameters[1].values) {
        for (const Value& fast : spec_.parameters[2].values) {
          const Configuration configuration{{"BLOCK", block}, {"ITEMS", items}, {"FAST", fast}};
          EXPECT_EQ(legal(n, configuration).has_value(), space.contains(configuration))
              << n << ": " << configuration.text();
        }
      }
    }
  }
}

TEST_F(Legality, TheDefaultIsTheFirstValuesWhereTheyAreLegalElseTheNearest) {
  EXPECT_EQ(nearest_to_first_values(spec_, {{"n", 1000}}, device_)->text(), "BLOCK=256 ITEMS=1 FAST=false");
  EXPECT_EQ(nearest_to_first_values(spec_, {{"n", 100}}, device_)->text(), "BLOCK=64 ITEMS=1 FAST=false");
  EXPECT_FALSE(nearest_to_first_values(spec_, {{"n", 13}}, device_)) << "no configuration is legal";
}

}  // namespace
}  // namespace attune
