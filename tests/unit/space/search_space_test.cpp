// What random spaces do not ask of a search space: its messages, its limits, and the limits of a device.
#include "attune/search_space.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "attune/error.hpp"
#include "kernel/instantiate.hpp"
#include "support/hard_spaces.hpp"
#include "support/sample_kernel.hpp"

namespace attune {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

const std::vector<Parameter> tile_rows = {{"TILE", {32, 16}}, {"ROWS", {8, 32, 1}}};

TEST(SearchSpace, KeepsItsOwnCopyOfProblemAndDevice) {
  std::optional<SearchSpace> space;
  {
    const Bindings problem = {{"n", 8}};
    const DeviceInfo device = device_limits("sm_75");
    space.emplace(tile_rows, std::vector<Rule>{{Expression("ROWS <= n && TILE <= device.warp_size"), false}}, &problem,
                  &device);
  }
  const SearchSpace copy = *space;
  space.reset();
  EXPECT_THAT(copy.broken_rules(Bindings{{"TILE", 32}, {"ROWS", 32}}),
              ElementsAre("ROWS <= n && TILE <= device.warp_size (ROWS=32, n=8, TILE=32, device.warp_size=32)"));
  EXPECT_NEAR(copy.effects()[0].removed_alone, 1.0 / 3, 1e-12);
}

TEST(SearchSpace, RefusesWhatMakesNoSense) {
  struct Refused {
    std::vector<Parameter> parameters;
    std::vector<std::string> rules;
    std::string message;
  };
  const Refused table[] = {{tile_rows, {"TIEL > 1"}, "restriction `TIEL > 1`: unknown name `TIEL`"},
                           {tile_rows, {"TIEL > 1"}, "did you mean `TILE`?"},
                           {tile_rows, {"TILE < device.warp_size"}, "no device is chosen"},
                           {{{"A", {}}}, {}, "`A` has no value"},
                           {{{"A", {1}}, {"A", {2}}}, {}, "`A` is defined twice"},
                           {range_parameters(1, 0, 65535), {}, "65536 values"},
                           {{{"A", {1, 2, 1}}}, {}, "`A`"},
                           {{{"A", {"x", "x"}}}, {}, "`A`"},
                           {{{"A", {0.5, 0.5}}}, {}, "`A`"},
                           {{{"A", {1, 2.0}}}, {}, "`A`"},
                           {{{"A", {"x", 1}}}, {}, "`A`"},
                           {{{"A", {true, 0}}}, {}, "`A`"},
                           {{{"A", {1.0, INFINITY}}}, {}, "`A`"},
                           {{{"A", {1.0, std::nan("")}}}, {}, "`A`"}};
  for (const auto& [parameters, rules, message] : table)
    EXPECT_THAT(message_of<UsageError>([&] { SearchSpace(parameters, rules); }), HasSubstr(message));
  const Bindings problem = {{"TILE", 10}};
  EXPECT_THAT(message_of<UsageError>([&] { SearchSpace(tile_rows, std::vector<Rule>{}, &problem); }),
              HasSubstr("both a parameter and a problem name"));
}

TEST(SearchSpace, HasNothingBeyondItsEndAndIsListedOnlyUpToALimit) {
  const SearchSpace space(range_parameters(3, 0, 9), {"P0 < P1"});
  EXPECT_THAT(message_of<UsageError>([&] { (void)space.at(450); }),
              HasSubstr("no configuration 450: the search space has 450"));
  EXPECT_EQ(space.rows(450).size(), 3u * 450);
  EXPECT_THAT(message_of<UsageError>([&] { (void)space.rows(449); }), AllOf(HasSubstr("450"), HasSubstr("449")));
  EXPECT_THROW((void)SearchSpace(range_parameters(9, 0, 9), std::vector<std::string>{}).rows(), UsageError);
}

TEST(SearchSpace, FindsWholeConfigurationsInAnyOrderOfNames) {
  const SearchSpace space(tile_rows, {"TILE % ROWS == 0"});
  EXPECT_TRUE(space.contains(Bindings{{"ROWS", 8}, {"TILE", 16}}));
  EXPECT_EQ(space.index_of(Bindings{{"ROWS", 8}, {"TILE", 16}}), space.index_of(Bindings{{"TILE", 16}, {"ROWS", 8}}));
  EXPECT_FALSE(space.contains(Bindings{{"TILE", 16}}));
  EXPECT_FALSE(space.contains(Bindings{{"TILE", 16}, {"ROWS", 8.0}}));
}

TEST(SearchSpace, CountsTheEffectOfRulesOverManyParameters) {
  const SearchSpace space(range_parameters(7, 0, 9), {joined(7, " + ") + " < 3", "P0 < 5"});
  const auto effects = space.effects();
  EXPECT_TRUE(effects[0].exact && effects[1].exact);
  EXPECT_NEAR(effects[0].removed_alone, 1 - 36e-7, 1e-12);
  EXPECT_EQ(effects[1].removed_alone, 0.5);
  EXPECT_EQ(space.size(), 36u);
}

TEST(SearchSpace, NamesTheRulesThatAConfigurationBreaks) {
  const SearchSpace space({{"TILE", {16, 32}}, {"ROWS", {0, 32}}}, {"TILE % ROWS == 0", "TILE > 0"});
  EXPECT_THAT(space.broken_rules(Bindings{{"TILE", 16}, {"ROWS", 32}}),
              ElementsAre("TILE % ROWS == 0 (TILE=16, ROWS=32)"));
  EXPECT_THAT(space.broken_rules(Bindings{{"TILE", 16}, {"ROWS", 0}}),
              ElementsAre("TILE % ROWS == 0 (TILE=16, ROWS=0): division by zero in `TILE % ROWS`"));
  EXPECT_THAT(space.broken_rules(Bindings{{"TILE", 32}}),
              ElementsAre("TILE % ROWS == 0 (TILE=32): `ROWS` is not bound"));
}

SearchSpace sample_space(const KernelSpec& spec, const char* architecture = "sm_90") {
  return make_space(spec, sample_problem(), device_limits(architecture));
}

// Holds what obeys the kernel's rules and has steps that the device takes. Returns whether that is anything.
bool expect_legal_configurations(const KernelSpec& spec, const char* architecture) {
  const DeviceInfo device = device_limits(architecture);
  const SearchSpace space = sample_space(spec, architecture), whole(spec.parameters, std::vector<Rule>{});
  EXPECT_TRUE(space.rules().back().implied);
  for (SpaceSize i = 0; i < whole.size(); ++i) {
    const Configuration configuration = whole.at(i);
    const auto holds = [&](const Expression& rule) { return rule.holds({&sample_problem(), &configuration, &device}); };
    const std::string refusal =
        message_of<Error>([&] { resolve_steps(spec, spec.launch, sample_problem(), &configuration, device); });
    EXPECT_EQ(space.contains(configuration), std::ranges::all_of(spec.rules, holds) && refusal == "no error")
        << configuration.text() << ": " << refusal;
  }
  return !space.empty();
}

TEST(MakeSpace, AddsTheDevicesLimits) {
  const std::pair<const char*, std::vector<Expression>> some[] = {
      {"block", {"BLOCK", "VECTOR"}}, {"block", {"BLOCK * 2", "VECTOR"}}, {"shared", {"BLOCK * 200"}}};
  const std::pair<const char*, std::vector<Expression>> never[] = {
      {"grid", {"n / 2000", "rows"}}, {"grid", {"1", "65536"}}, {"grid", {"2 ** 31"}},       {"grid", {"n / 0"}},
      {"block", {"BLOCK * 0"}},       {"block", {"-8", "-8"}},  {"block", {"1", "1", "65"}}, {"block", {"64", "32"}},
      {"shared", {"228 * 1024"}},     {"when", {"n / 0 == 1"}}};
  KernelSpec conditional = sample_kernel();
  conditional.launch.push_back(conditional.launch[1]);
  conditional.launch.back().block = {"2048"};
  conditional.launch.back().when = Expression("FAST ? true : false");
  for (const char* architecture : {"sm_75", "sm_90"}) {
    SCOPED_TRACE(architecture);
    EXPECT_TRUE(expect_legal_configurations(conditional, architecture));
    for (const auto& [field, values] : some)
      EXPECT_TRUE(expect_legal_configurations(sample_with(field, values), architecture)) << values[0].text();
    for (const auto& [field, values] : never)
      EXPECT_FALSE(expect_legal_configurations(sample_with(field, values), architecture)) << values[0].text();
  }
}

TEST(DefaultConfiguration, IsTheFirstValuesOrTheNearestLegal) {
  KernelSpec spec = sample_kernel();
  const auto text = [&] {
    const auto found = default_configuration(spec, sample_problem(), device_limits("sm_90"));
    return found ? found->text() : "none";
  };
  EXPECT_EQ(text(), "BLOCK=256 VECTOR=1 RATIO=1.0 FAST=false ORDER=Order::rows");
  spec.rules.push_back("BLOCK != 256 && FAST");
  EXPECT_EQ(text(), "BLOCK=128 VECTOR=1 RATIO=1.0 FAST=true ORDER=Order::rows");
  spec.rules.push_back("BLOCK == 3");
  EXPECT_EQ(text(), "none");
}

}  // namespace
}  // namespace attune
