// Search spaces at the edges: of no parameter and of many, of counts beyond 128 bits, of long rules and unusual values.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <set>

#include "attune/search_space.hpp"
#include "unit/space/chi_square.hpp"
#include "support/sample_kernel.hpp"

namespace attune {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr SpaceSize most = ~SpaceSize{0};
const std::vector<std::string> no_rules;

std::vector<Parameter> alike(int count, int values) {
  std::vector<Parameter> parameters;
  for (int i = 0; i < count; ++i) {
    parameters.push_back({"P" + std::to_string(i), {}});
    for (int value = 0; value < values; ++value) parameters.back().values.emplace_back(value);
  }
  return parameters;
}

// Draws 20000 times; the values of the first and the last parameter are as often as one another.
void expect_uniform_ends(const SearchSpace& space) {
  std::mt19937_64 random(1);
  Row row(space.parameters().size());
  std::vector<std::uint64_t> first(space.parameters().front().values.size()),
      last(space.parameters().back().values.size());
  for (int i = 0; i < 20000; ++i) {
    space.sample(random, row);
    ASSERT_TRUE(space.contains(row));
    ++first[row.front()];
    ++last[row.back()];
  }
  EXPECT_TRUE(is_plausible(first, std::vector<double>(first.size(), 1)));
  EXPECT_TRUE(is_plausible(last, std::vector<double>(last.size(), 1)));
}

TEST(SearchSpaceEdge, OfNoParameters) {
  const SearchSpace space({}, no_rules);
  EXPECT_EQ(space.size(), 1u);
  EXPECT_EQ(space.rows().size(), 0u);
  EXPECT_EQ(space.index_of(Bindings{}), SpaceSize{0});
  EXPECT_TRUE(space.neighbours(Row{}, Neighbourhood::any_value).empty());
  EXPECT_TRUE(space.neighbours(Row{}, Neighbourhood::adjacent_all).empty());
  EXPECT_EQ(space.nearest(Bindings{{"X", 1}}), Configuration{});
  std::mt19937_64 random(1);
  EXPECT_EQ(space.sample(random), Configuration{});
  EXPECT_EQ(SearchSpace({}, {"1 / 0"}).nearest(Bindings{}), std::nullopt);
}

TEST(SearchSpaceEdge, OfOneParameter) {
  const SearchSpace space({{"A", {4, 1, 3}}}, {"A != 1"});
  EXPECT_THAT(space.rows(), ElementsAre(0, 2));
  EXPECT_THAT(space.values_left(0), ElementsAre(0, 2));
  EXPECT_EQ(space.neighbours(Row{0}, Neighbourhood::adjacent_value), std::vector<Row>{Row{2}});
  EXPECT_EQ(space.neighbours(Row{1}, Neighbourhood::adjacent_value), (std::vector<Row>{Row{0}, Row{2}}));
  EXPECT_EQ(SearchSpace({{"A", {4}}}, no_rules).at(0).text(), "A=4");
}

TEST(SearchSpaceEdge, OfOneValueEach) {
  const SearchSpace space(alike(30, 1), {"P0 + P29 == 0"});
  EXPECT_EQ(space.size(), 1u);
  EXPECT_EQ(space.figures().components, 0u);
  EXPECT_TRUE(SearchSpace(alike(30, 1), {"P0 + P29 == 1"}).empty());
}

TEST(SearchSpaceEdge, OfMoreThan64Bits) {
  const SearchSpace space(alike(70, 2), no_rules);
  const SpaceSize size = SpaceSize{1} << 70;
  EXPECT_EQ(space.size(), size);
  EXPECT_FALSE(space.size_saturated());
  std::set<std::string> seen;
  for (const SpaceSize index : {SpaceSize{0}, SpaceSize{1}, size / 3, size / 2, size - 1}) {
    EXPECT_TRUE(seen.insert(space.at(index).text()).second);
    EXPECT_EQ(space.index_of(space.at(index)), index);
  }
  EXPECT_THROW((void)space.at(size), UsageError);
  EXPECT_THROW((void)space.rows(), UsageError);
  expect_uniform_ends(space);
  SampleStream stream(space, 3);
  EXPECT_NE(stream.next_index(), stream.next_index());
}

TEST(SearchSpaceEdge, AtTheEndOf128Bits) {
  const SearchSpace fits(alike(127, 2), no_rules);
  EXPECT_EQ(fits.size(), SpaceSize{1} << 127);
  EXPECT_FALSE(fits.size_saturated());
  EXPECT_EQ(fits.index_of(fits.at(fits.size() - 1)), fits.size() - 1);
  const SearchSpace exceeds(alike(128, 2), no_rules);
  EXPECT_EQ(exceeds.size(), most);
  EXPECT_TRUE(exceeds.size_saturated());
  EXPECT_EQ(exceeds.cartesian_size(), most);
}

TEST(SearchSpaceEdge, BeyondWhat128BitsCount) {
  const SearchSpace space(alike(70, 4), no_rules);
  EXPECT_EQ(space.size(), most);
  EXPECT_TRUE(space.size_saturated());
  EXPECT_TRUE(space.exact());
  for (const SpaceSize index : {SpaceSize{0}, SpaceSize{1}, SpaceSize{123456789}})
    EXPECT_EQ(space.index_of(space.at(index)), index);
  expect_uniform_ends(space);
  EXPECT_EQ(space.neighbours(Row(70, 0), Neighbourhood::any_value).size(), 210u);
  EXPECT_EQ(space.neighbours(Row(70, 1), Neighbourhood::adjacent_value).size(), 140u);
  std::mt19937_64 random(1);
  Row to(70, 0);
  EXPECT_TRUE(space.random_neighbour(Row(70, 1), Neighbourhood::adjacent_all, random, to));
  EXPECT_EQ(*std::max_element(to.begin(), to.end()), 2);
  EXPECT_THROW((void)space.rows(), UsageError);
}

// 10 * 9^49 configurations in one component.
SearchSpace chain() {
  std::vector<std::string> rules;
  for (int i = 1; i < 50; ++i) rules.push_back("P" + std::to_string(i - 1) + " != P" + std::to_string(i));
  return SearchSpace(alike(50, 10), rules);
}

TEST(SearchSpaceEdge, OneComponentBeyondWhat128BitsCount) {
  const SearchSpace space = chain();
  EXPECT_EQ(space.figures().components, 1u);
  EXPECT_EQ(space.size(), most);
  EXPECT_TRUE(space.size_saturated());
  for (const SpaceSize index : {SpaceSize{0}, SpaceSize{1}, SpaceSize{123456789}}) {
    EXPECT_TRUE(space.contains(space.at(index)));
    EXPECT_EQ(space.index_of(space.at(index)), index);
  }
  expect_uniform_ends(space);
}

TEST(SearchSpaceEdge, AComponentBeyondWhat128BitsCountHasNeighbours) {
  const SearchSpace space = chain();
  Row row(50);
  for (std::size_t i = 0; i < row.size(); ++i) row[i] = i % 2;
  EXPECT_EQ(space.neighbours(row, Neighbourhood::any_value).size(), 400u);  // each may be 2 .. 9
  EXPECT_EQ(space.neighbours(Row(50, 3), Neighbourhood::any_value).size(), 0u);
  const auto nearest = space.nearest(space.configuration(Row(50, 3)));
  ASSERT_TRUE(nearest.has_value());
  EXPECT_TRUE(space.contains(*nearest));
  int off = 0;
  for (const auto& [name, value] : *nearest) off += value != Value(3);
  EXPECT_EQ(off, 25);
  EXPECT_EQ(space.values_left(20).size(), 10u);
}

TEST(SearchSpaceEdge, MostComponentsTogetherExceed128BitsAndEachIsSampled) {
  std::vector<std::string> rules;
  for (int i = 0; i < 60; i += 3) {
    const auto name = [i](int at) { return "P" + std::to_string(i + at); };
    rules.push_back(name(0) + " + " + name(1) + " == " + name(2));
  }
  const SearchSpace space(alike(60, 20), rules);  // 210 of each three
  EXPECT_EQ(space.figures().components, 20u);
  EXPECT_TRUE(space.size_saturated());
  std::mt19937_64 random(2);
  std::vector<std::uint64_t> sums(20);
  std::vector<double> expected;
  for (int sum = 0; sum < 20; ++sum) expected.push_back(sum + 1);
  for (int i = 0; i < 20000; ++i) {
    Row row(60);
    space.sample(random, row);
    ASSERT_TRUE(space.contains(row));
    ++sums[row[59]];
  }
  EXPECT_TRUE(is_plausible(sums, expected));
}

TEST(SearchSpaceEdge, OfAsManyValuesAsThereMayBe) {
  std::vector<Parameter> parameters = alike(2, 65535);
  parameters[1].values.resize(8);
  const SearchSpace space(parameters, {"P0 % 8 == P1 || P0 == 65534 && P1 == 0"});
  EXPECT_EQ(space.size(), 65536u);
  for (const SpaceSize index : {SpaceSize{0}, SpaceSize{65533}, SpaceSize{65534}, SpaceSize{65535}})
    EXPECT_EQ(space.index_of(space.at(index)), index);
  EXPECT_TRUE(space.contains(Row{65534, 6}));
  EXPECT_TRUE(space.contains(Row{65534, 0}));
  EXPECT_FALSE(space.contains(Row{65534, 1}));
  EXPECT_TRUE(space.contains(Row{65533, 5}));
  EXPECT_EQ(space.values_left(0).size(), 65535u);
  EXPECT_THROW(SearchSpace(alike(1, 65536), no_rules), UsageError);
}

TEST(SearchSpaceEdge, OfAsManyValuesAsThereMayBeWithoutRules) {
  const SearchSpace space(alike(3, 65535), {"P1 >= 2"});
  EXPECT_EQ(space.size(), SpaceSize{65535} * 65533 * 65535);
  for (const SpaceSize index : {SpaceSize{0}, SpaceSize{65534}, SpaceSize{65535}, space.size() - 1})
    EXPECT_EQ(space.index_of(space.at(index)), index);
  EXPECT_TRUE(space.contains(Row{65534, 65534, 65534}));
  EXPECT_FALSE(space.contains(Row{65534, 1, 65534}));
  EXPECT_EQ(space.neighbours(Row{65534, 65534, 65534}, Neighbourhood::adjacent_value).size(), 3u);
  EXPECT_EQ(space.nearest(Bindings{{"P0", 65534}, {"P1", 0}, {"P2", 7}})->text(), "P0=65534 P1=2 P2=7");
}

TEST(SearchSpaceEdge, WithRulesThatAreConstants) {
  EXPECT_EQ(SearchSpace(alike(2, 3), {"true", "2 > 1", "1 || 1 / 0"}).size(), 9u);
  for (const char* never : {"false", "0", "0.0", "1 / 0", "'name'", "not 'name'", "1 / 0 || true"})
    EXPECT_TRUE(SearchSpace(alike(2, 3), {never}).empty()) << never;
  EXPECT_TRUE(SearchSpace(alike(2, 3), {"P0 - P0 + 1 == 1"}).size() == 9u);
}

TEST(SearchSpaceEdge, WithAParameterInNoRule) {
  const SearchSpace space(alike(4, 3), {"P1 < P3"});
  EXPECT_EQ(space.size(), 27u);
  EXPECT_EQ(space.figures().components, 3u);
  EXPECT_EQ(space.values_left(0).size(), 3u);
  EXPECT_THAT(space.values_left(1), ElementsAre(0, 1));
}

TEST(SearchSpaceEdge, WithValuesInNoOrder) {
  const SearchSpace space({{"A", {3, -1, 7, 0}}, {"B", {2, 9, -4}}}, {"A < B"});
  EXPECT_EQ(space.size(), 6u);
  EXPECT_TRUE(space.contains(Bindings{{"A", -1}, {"B", 2}}));
  EXPECT_FALSE(space.contains(Bindings{{"A", 7}, {"B", 2}}));
}

TEST(SearchSpaceEdge, WithRealValues) {
  const SearchSpace space({{"A", {0.5, 0.1, 1e308}}, {"B", {0.2, 3.0}}}, {"A * B < 1.0"});
  EXPECT_EQ(space.size(), 3u);
  EXPECT_FALSE(space.contains(Bindings{{"A", 0.5}, {"B", 3.0}}));
  EXPECT_TRUE(SearchSpace({{"A", {1e308}}, {"B", {10.0, 20.0}}}, {"A * B > 0"}).empty());  // no infinities
  EXPECT_EQ(SearchSpace({{"A", {0.1, 0.3}}, {"B", {0.2, 0.3}}}, {"A + B == 0.30000000000000004"}).size(), 1u);
  const std::int64_t beyond = (std::int64_t{1} << 53) + 1;
  EXPECT_EQ(SearchSpace({{"A", {beyond, beyond - 1}}, {"B", {9007199254740992.0, 1.0}}}, {"A == B"}).size(), 1u);
}

TEST(SearchSpaceEdge, WithNames) {
  const SearchSpace space({{"T", {"float", "double", "half"}}, {"U", {"half", "float"}}, {"V", {1, 2, 4}}},
                          {"T != U", "sizeof(T) * V <= 8"});
  EXPECT_EQ(space.size(), 7u);
  EXPECT_TRUE(space.contains(Bindings{{"T", "half"}, {"U", "float"}, {"V", 4}}));
  EXPECT_FALSE(space.contains(Bindings{{"T", "half"}, {"U", "half"}, {"V", 4}}));
  EXPECT_TRUE(SearchSpace({{"T", {"float", "half"}}}, {"T < 'int'"}).empty());
  EXPECT_TRUE(SearchSpace({{"T", {"float", "half"}}}, {"T"}).empty());
  EXPECT_TRUE(SearchSpace({{"T", {"float", "half"}}, {"V", {1, 2}}}, {"T == V || true"}).empty());
}

TEST(SearchSpaceEdge, WithNumbersThatOverflow) {
  constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
  constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
  const std::vector<Parameter> both = {{"A", {largest, 2, least}}, {"B", {1, -1, 4}}};
  EXPECT_EQ(SearchSpace(both, {"A * B != 7"}).size(), 6u);  // largest * 4, least * -1, least * 4
  EXPECT_EQ(SearchSpace(both, {"A + B != 7"}).size(), 6u);
  EXPECT_EQ(SearchSpace(both, {"A / B != 7"}).size(), 8u);
  EXPECT_EQ(SearchSpace(both, {"A - B != 7"}).size(), 6u);
  EXPECT_EQ(SearchSpace(both, {"abs(A) * (B * B) > 0"}).size(), 5u);
}

TEST(SearchSpaceEdge, WithALongRule) {
  std::string list;
  for (int i = 0; list.size() < 60'000; i += 7) list += (i == 0 ? "" : ", ") + std::to_string(i);
  const std::vector<Parameter> parameters = alike(2, 240);
  const SearchSpace space(parameters, {"P0 * P1 in [" + list + "]"});
  EXPECT_EQ(space.size(), 240u * 240 - 205 * 205);  // one of the two is a multiple of 7, as 35 of 240 values are
  std::string sum = "P0";
  for (int i = 0; i < 900; ++i) sum += " + P1";
  EXPECT_EQ(SearchSpace(parameters, {sum + " == 901"}).size(), 1u);
}

TEST(SearchSpaceEdge, RefusesAValueTwice) {
  const std::string message = message_of<UsageError>([] { SearchSpace({{"A", {1, 2, 1}}}, no_rules); });
  EXPECT_THAT(message, HasSubstr("`A`"));
  EXPECT_THROW(SearchSpace({{"A", {"x", "x"}}}, no_rules), UsageError);
  EXPECT_THROW(SearchSpace({{"A", {0.5, 0.5}}}, no_rules), UsageError);
}

TEST(SearchSpaceEdge, RefusesValuesOfTwoKinds) {
  const std::string message = message_of<UsageError>([] { SearchSpace({{"B", {1, 2.0}}}, no_rules); });
  EXPECT_THAT(message, HasSubstr("`B`"));
  EXPECT_THROW(SearchSpace({{"B", {"x", 1}}}, no_rules), UsageError);
  EXPECT_THROW(SearchSpace({{"B", {true, 0}}}, no_rules), UsageError);
}

}  // namespace
}  // namespace attune
