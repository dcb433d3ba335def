#include "attune/search_space.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>

#include "attune/error.hpp"
#include "kernel/instantiate.hpp"
#include "support/sample_kernel.hpp"

namespace attune {
namespace {

using testing::AllOf;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

// In index order, which is the engine's: tests compare them without order.
std::vector<std::string> texts_of(const SearchSpace& space) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < space.size(); ++i) texts.push_back(space.at(i).text());
  return texts;
}

const std::vector<Parameter> tile_rows = {{"TILE", {32, 16}}, {"ROWS", {8, 32, 1}}};

TEST(SearchSpace, HasAllCombinationsWithoutRules) {
  const SearchSpace space(tile_rows, std::vector<std::string>{});
  EXPECT_THAT(texts_of(space), UnorderedElementsAre("TILE=32 ROWS=8", "TILE=32 ROWS=32", "TILE=32 ROWS=1",
                                                    "TILE=16 ROWS=8", "TILE=16 ROWS=32", "TILE=16 ROWS=1"));
  EXPECT_EQ(space.cartesian_size(), 6u);
}

TEST(SearchSpace, SkipsWhatARestrictionForbids) {
  const SearchSpace space(tile_rows, {"TILE % ROWS == 0", "ROWS > 1"});
  EXPECT_THAT(texts_of(space), UnorderedElementsAre("TILE=32 ROWS=8", "TILE=32 ROWS=32", "TILE=16 ROWS=8"));
  EXPECT_EQ(space.cartesian_size(), 6u);
}

TEST(SearchSpace, TreatsAnUndefinedRestrictionAsFalse) {
  const SearchSpace space({{"A", {0, 1, 2}}}, {"4 / A >= 1"});
  EXPECT_THAT(texts_of(space), UnorderedElementsAre("A=1", "A=2"));
  EXPECT_THAT(texts_of(SearchSpace({{"A", {0, 1, 2}}}, {"!(4 / A >= 1)"})), ElementsAre());
}

TEST(SearchSpace, OfNoParametersHasOneConfiguration) {
  EXPECT_EQ(SearchSpace({}, std::vector<std::string>{}).size(), 1u);
  EXPECT_EQ(SearchSpace({}, {"1 == 1"}).size(), 1u);
  EXPECT_TRUE(SearchSpace({}, {"1 == 2"}).empty());
  EXPECT_EQ(SearchSpace({}, {"1 == 1"}).at(0), Configuration{});
}

TEST(SearchSpace, IsEmptyWhenARuleWithoutParametersIsFalse) {
  const Bindings problem = {{"n", 10}};
  EXPECT_TRUE(SearchSpace(tile_rows, {{Expression("n > 10"), false}}, &problem).empty());
  EXPECT_EQ(SearchSpace(tile_rows, {{Expression("n >= 10"), false}}, &problem).size(), 6u);
}

TEST(SearchSpace, ReadsProblemAndDevice) {
  const Bindings problem = {{"T", "double"}};
  const DeviceInfo device = device_limits("sm_75");
  const SearchSpace space({{"V", {1, 2, 4}}}, {{Expression("V * sizeof(T) <= 16 && V < device.warp_size / 8"), false}},
                          &problem, &device);
  EXPECT_THAT(texts_of(space), UnorderedElementsAre("V=1", "V=2"));
}

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

TEST(SearchSpace, RefusesRulesOverUnknownNames) {
  EXPECT_THAT(message_of<UsageError>([] { SearchSpace(tile_rows, {"TIEL > 1"}); }),
              AllOf(HasSubstr("restriction `TIEL > 1`: unknown name `TIEL`"), HasSubstr("did you mean `TILE`?")));
  EXPECT_THAT(message_of<UsageError>([] { SearchSpace(tile_rows, {"TILE < device.warp_size"}); }),
              HasSubstr("no device is chosen"));
}

TEST(SearchSpace, RefusesParametersThatMakeNoSense) {
  const Bindings problem = {{"TILE", 10}};
  EXPECT_THAT(message_of<UsageError>([] {
                SearchSpace({{"A", {}}}, std::vector<std::string>{});
              }),
              HasSubstr("`A` has no value"));
  EXPECT_THAT(message_of<UsageError>([] {
                SearchSpace({{"A", {1}}, {"A", {2}}}, std::vector<std::string>{});
              }),
              HasSubstr("`A` is defined twice"));
  EXPECT_THAT(message_of<UsageError>([&] { SearchSpace(tile_rows, std::vector<Rule>{}, &problem); }),
              HasSubstr("both a parameter and a problem name"));
  EXPECT_THAT(message_of<UsageError>([] {
                std::vector<Value> values;
                for (int i = 0; i < 65537; ++i) values.emplace_back(i);
                SearchSpace({{"A", values}}, std::vector<std::string>{});
              }),
              HasSubstr("65537 values"));
}

std::vector<Parameter> ten_valued(int count) {
  std::vector<Parameter> parameters;
  for (int i = 0; i < count; ++i) parameters.push_back({"P" + std::to_string(i), {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}});
  return parameters;
}

TEST(SearchSpace, IsListedOnlyUpToALimit) {
  const SearchSpace space(ten_valued(3), {"P0 < P1"});
  EXPECT_EQ(space.rows(450).size(), 3u * 450);
  EXPECT_THAT(message_of<UsageError>([&] { (void)space.rows(449); }), AllOf(HasSubstr("450"), HasSubstr("449")));
  EXPECT_THROW((void)SearchSpace(ten_valued(9), std::vector<std::string>{}).rows(), UsageError);
}

TEST(SearchSpace, OfManyParametersIsPrunedEarly) {
  std::vector<std::string> rules;
  for (int i = 0; i < 50; ++i)
    rules.push_back("P" + std::to_string(i) + (i == 0 ? " == 0" : " == P" + std::to_string(i - 1) + " + (P0 == 1)"));
  const SearchSpace space(ten_valued(50), rules);
  EXPECT_EQ(space.size(), 1u);
  EXPECT_EQ(to_text(space.cartesian_size()), "340282366920938463463374607431768211455");  // saturated
  EXPECT_EQ(to_text(SearchSpace(ten_valued(20), {"P0 < 0"}).cartesian_size()), "100000000000000000000");
  EXPECT_EQ(to_text(0), "0");
}

TEST(SearchSpace, FindsItsConfigurationsInAnyOrderOfNames) {
  const SearchSpace space(tile_rows, {"TILE % ROWS == 0"});
  const auto index = space.index_of(Bindings{{"ROWS", 8}, {"TILE", 16}});
  ASSERT_TRUE(index.has_value());
  EXPECT_EQ(space.at(*index).text(), "TILE=16 ROWS=8");
  EXPECT_EQ(space.index_of(Bindings{{"TILE", 16}, {"ROWS", 8}}), index);
  EXPECT_EQ(space.index_of(Bindings{{"ROWS", 32}, {"TILE", 16}}), std::nullopt);
  EXPECT_EQ(space.index_of(Bindings{{"TILE", 16}}), std::nullopt);
  EXPECT_EQ(space.index_of(Bindings{{"TILE", 16}, {"ROWS", 8}, {"X", 1}}), std::nullopt);
  EXPECT_EQ(space.index_of(Bindings{{"TILE", 16}, {"ROWS", 8.0}}), std::nullopt);
  EXPECT_FALSE(space.contains(Bindings{}));
}

TEST(SearchSpace, HasNothingBeyondItsEnd) {
  const SearchSpace space(tile_rows, {"TILE == ROWS"});
  EXPECT_THAT(message_of<UsageError>([&] { (void)space.at(1); }),
              HasSubstr("no configuration 1: the search space has 1"));
}

TEST(SearchSpace, SamplesUniformlyAndAlikeEverywhere) {
  const SearchSpace space(tile_rows, std::vector<std::string>{});
  std::mt19937_64 random(7), again(7);
  std::vector<int> drawn(6);
  for (int i = 0; i < 6000; ++i) {
    const Configuration configuration = space.sample(random);
    EXPECT_EQ(configuration, space.sample(again));
    ++drawn[static_cast<std::size_t>(*space.index_of(configuration))];
  }
  EXPECT_THAT(drawn, Each(testing::AllOf(testing::Gt(850), testing::Lt(1150))));
  EXPECT_THROW(SearchSpace(tile_rows, {"TILE < 0"}).sample(random), UsageError);
}

TEST(SearchSpace, NearestDiffersInTheFewestParameters) {
  const SearchSpace space({{"A", {1, 2, 3, 4}}, {"B", {1, 2, 3, 4}}, {"C", {1, 2}}},
                          {"A + B == 5 || A == 4 && B == 4"});
  EXPECT_EQ(space.nearest(Bindings{{"A", 2}, {"B", 3}, {"C", 2}})->text(), "A=2 B=3 C=2");
  EXPECT_EQ(space.nearest(Bindings{{"A", 4}, {"B", 3}, {"C", 2}})->text(), "A=4 B=4 C=2");  // one off, by one step
  // Ties: the lowest index.
  const auto first_of = [&](const Bindings& one, const Bindings& other) {
    return space.at(std::min(*space.index_of(one), *space.index_of(other))).text();
  };
  EXPECT_EQ(space.nearest(Bindings{{"A", 1}, {"B", 1}, {"C", 1}})->text(),
            first_of(Bindings{{"A", 1}, {"B", 4}, {"C", 1}}, Bindings{{"A", 4}, {"B", 1}, {"C", 1}}));
  const std::string third = first_of(Bindings{{"A", 3}, {"B", 2}, {"C", 1}}, Bindings{{"A", 3}, {"B", 2}, {"C", 2}});
  EXPECT_EQ(space.nearest(Bindings{{"B", 2}})->text(), third);
  EXPECT_EQ(space.nearest(Bindings{{"A", 99}, {"B", 2}, {"X", 5}})->text(), third);
  EXPECT_EQ(space.nearest(Bindings{}), space.at(0));
  EXPECT_EQ(SearchSpace(tile_rows, {"TILE < 0"}).nearest(Bindings{}), std::nullopt);
}

TEST(SearchSpace, TellsWhatEachRuleRemoves) {
  const SearchSpace space(
      {{"A", {0, 1, 2, 3}}, {"B", {0, 1}}},
      {{Expression("A > 0"), false}, {Expression("A / B > 0"), true}, {Expression("1 < 0"), false}});
  EXPECT_TRUE(space.empty());
  const auto effects = space.effects();
  ASSERT_EQ(effects.size(), 3u);
  EXPECT_EQ(effects[0].rule, "A > 0");
  EXPECT_EQ(effects[0].removed_alone, 0.25);
  EXPECT_FALSE(effects[0].implied);
  EXPECT_EQ(effects[1].removed_alone, 5.0 / 8);  // undefined for B == 0
  EXPECT_TRUE(effects[1].implied);
  EXPECT_EQ(effects[2].removed_alone, 1.0);
  EXPECT_TRUE(effects[2].exact);
}

TEST(SearchSpace, CountsTheEffectOfRulesOverManyParameters) {
  std::string sum = "P0";
  for (int i = 1; i < 7; ++i) sum += " + P" + std::to_string(i);
  const SearchSpace space(ten_valued(7), {sum + " < 3", "P0 < 5"});
  const auto effects = space.effects();
  EXPECT_TRUE(effects[0].exact);
  EXPECT_NEAR(effects[0].removed_alone, 1 - 36e-7, 1e-12);
  EXPECT_TRUE(effects[1].exact);
  EXPECT_EQ(effects[1].removed_alone, 0.5);
  EXPECT_EQ(space.size(), 36u);
}

TEST(SearchSpace, NamesTheRulesThatAConfigurationBreaks) {
  const SearchSpace space({{"TILE", {16, 32}}, {"ROWS", {0, 32}}}, {"TILE % ROWS == 0", "TILE > 0"});
  EXPECT_THAT(space.broken_rules(Bindings{{"TILE", 16}, {"ROWS", 32}}),
              ElementsAre("TILE % ROWS == 0 (TILE=16, ROWS=32)"));
  EXPECT_THAT(space.broken_rules(Bindings{{"TILE", 16}, {"ROWS", 0}}),
              ElementsAre("TILE % ROWS == 0 (TILE=16, ROWS=0): division by zero in `TILE % ROWS`"));
  EXPECT_THAT(space.broken_rules(Bindings{{"TILE", 32}, {"ROWS", 32}}), ElementsAre());
  EXPECT_THAT(space.broken_rules(Bindings{{"TILE", 32}}),
              ElementsAre("TILE % ROWS == 0 (TILE=32): `ROWS` is not bound"));
}

SearchSpace sample_space(KernelSpec spec, const char* architecture = "sm_90",
                         const Problem& problem = sample_problem()) {
  return make_space(spec, problem, device_limits(architecture));
}

TEST(MakeSpace, AddsTheDevicesLimits) {
  KernelSpec spec = sample_kernel();
  spec.rules.clear();
  spec.launch[1].block = {"BLOCK", "VECTOR"};
  const SearchSpace space = sample_space(spec);
  EXPECT_FALSE(space.contains(
      Configuration{{"BLOCK", 1024}, {"VECTOR", 2}, {"RATIO", 1.0}, {"FAST", false}, {"ORDER", "Order::rows"}}));
  EXPECT_TRUE(space.contains(
      Configuration{{"BLOCK", 512}, {"VECTOR", 2}, {"RATIO", 1.0}, {"FAST", false}, {"ORDER", "Order::rows"}}));
  for (std::size_t i = 0; i < space.size(); ++i) {
    const Configuration configuration = space.at(i);
    EXPECT_NO_THROW(resolve_steps(spec, spec.launch, sample_problem(), &configuration, device_limits("sm_90")));
  }
  EXPECT_TRUE(space.rules().back().implied);
}

struct Limit {
  const char* what;
  void (*change)(KernelSpec&);
};
void PrintTo(const Limit& item, std::ostream* out) { *out << item.what; }

class ImpliedLimit : public testing::TestWithParam<Limit> {};

TEST_P(ImpliedLimit, LeavesNothingOfAKernelThatNeverFits) {
  KernelSpec spec = sample_kernel();
  GetParam().change(spec);
  const SearchSpace space = sample_space(spec);
  EXPECT_TRUE(space.empty());
  const auto effects = space.effects();
  EXPECT_TRUE(std::any_of(effects.begin(), effects.end(),
                          [](const RuleEffect& effect) { return effect.implied && effect.removed_alone == 1; }));
}

INSTANTIATE_TEST_SUITE_P(
    All, ImpliedLimit,
    testing::Values(
        Limit{"grid of 0", [](KernelSpec& spec) { spec.launch[1].grid[0] = "n / 2000"; }},
        Limit{"grid too high", [](KernelSpec& spec) { spec.launch[1].grid[1] = "65536"; }},
        Limit{"grid too wide", [](KernelSpec& spec) { spec.launch[1].grid[0] = "2 ** 31"; }},
        Limit{"undefined grid", [](KernelSpec& spec) { spec.launch[1].grid[0] = "n / 0"; }},
        Limit{"block of 0", [](KernelSpec& spec) { spec.launch[1].block = {"BLOCK * 0"}; }},
        Limit{"two negative dimensions",
              [](KernelSpec& spec) {
                spec.launch[1].block = {"-8", "-8"};
              }},
        Limit{"block too deep",
              [](KernelSpec& spec) {
                spec.launch[1].block = {"1", "1", "65"};
              }},
        Limit{"too many threads",
              [](KernelSpec& spec) {
                spec.launch[1].block = {"64", "32"};
              }},
        Limit{"too much shared memory", [](KernelSpec& spec) { spec.launch[1].shared = Expression("228 * 1024"); }},
        Limit{"undefined condition", [](KernelSpec& spec) { spec.launch[1].when = Expression("n / 0 == 1"); }}));

TEST(MakeSpace, LimitsOnlyTheStepsThatApply) {
  KernelSpec spec = sample_kernel();
  spec.launch.push_back(spec.launch[1]);
  spec.launch.back().block = {"2048"};
  spec.launch.back().when = Expression("FAST ? true : false");
  const SearchSpace space = sample_space(spec);
  EXPECT_FALSE(space.empty());
  for (const auto& text : texts_of(space)) EXPECT_THAT(text, HasSubstr("FAST=false"));
}

TEST(MakeSpace, DependsOnTheDevice) {
  KernelSpec spec = sample_kernel();
  spec.launch[1].shared =
      Expression("BLOCK * 200");  // 128 fits everywhere, 256 does not fit sm_75's 64 KB with 400 bytes each
  EXPECT_GT(sample_space(spec, "sm_90").size(), sample_space(spec, "sm_75").size());
  EXPECT_GT(sample_space(spec, "sm_75").size(), 0u);
}

TEST(DefaultConfiguration, IsTheFirstValuesOrTheNearestLegal) {
  KernelSpec spec = sample_kernel();
  EXPECT_EQ(default_configuration(spec, sample_space(spec))->text(),
            "BLOCK=256 VECTOR=1 RATIO=1.0 FAST=false ORDER=Order::rows");
  spec.rules.push_back("BLOCK != 256 && FAST");
  EXPECT_EQ(default_configuration(spec, sample_space(spec))->text(),
            "BLOCK=128 VECTOR=1 RATIO=1.0 FAST=true ORDER=Order::rows");
  spec.rules.push_back("BLOCK == 3");
  EXPECT_EQ(default_configuration(spec, sample_space(spec)), std::nullopt);
}

}  // namespace
}  // namespace attune
