// Search spaces at the edges: of no parameter and of many, of counts beyond 128 bits, of long rules.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "attune/error.hpp"
#include "attune/search_space.hpp"
#include "support/hard_spaces.hpp"
#include "unit/space/chi_square.hpp"

namespace attune {
namespace {

constexpr SpaceSize most = ~SpaceSize{0};
const std::vector<std::string> no_rules;

std::vector<Parameter> alike(int count, int values) { return range_parameters(count, 0, values - 1); }

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
  EXPECT_EQ(SearchSpace({}, {"1 == 1"}).at(0), Configuration{});
  EXPECT_EQ(SearchSpace({}, {"1 / 0"}).nearest(Bindings{}), std::nullopt);
}

TEST(SearchSpaceEdge, WithRulesThatAreConstants) {
  EXPECT_EQ(SearchSpace(alike(2, 3), {"true", "2 > 1", "1 || 1 / 0", "P0 - P0 + 1 == 1"}).size(), 9u);
  for (const char* never : {"false", "0", "0.0", "1 / 0", "'name'", "not 'name'", "1 / 0 || true"})
    EXPECT_TRUE(SearchSpace(alike(2, 3), {never}).empty()) << never;
  const Bindings problem = {{"n", 10}};
  EXPECT_TRUE(SearchSpace(alike(2, 3), {{Expression("n > 10"), false}}, &problem).empty());
}

// The values of the first and the last parameter are drawn as often as one another.
void expect_uniform_ends(const SearchSpace& space) {
  std::mt19937_64 random(1);
  Row row(space.parameters().size());
  std::vector<std::uint64_t> first(space.parameters().front().values.size());
  std::vector<std::uint64_t> last(space.parameters().back().values.size());
  for (int i = 0; i < 10'000; ++i) {
    space.sample(random, row);
    ASSERT_TRUE(space.contains(row));
    ++first[row.front()];
    ++last[row.back()];
  }
  EXPECT_TRUE(is_plausible(first, std::vector<double>(first.size(), 1)));
  EXPECT_TRUE(is_plausible(last, std::vector<double>(last.size(), 1)));
}

TEST(SearchSpaceEdge, OfMoreThan64BitsAndOfMoreThan128) {
  struct Large {
    int parameters, values;
    bool chained;
    SpaceSize size;
  };
  const Large spaces[] = {{70, 2, false, SpaceSize{1} << 70},
                          {127, 2, false, SpaceSize{1} << 127},
                          {128, 2, false, most},
                          {70, 4, false, most},
                          {50, 10, true, most},    // one component
                          {400, 10, true, most}};  // beyond what a double counts
  for (const auto& [parameters, values, chained, size] : spaces) {
    SCOPED_TRACE(std::to_string(parameters) + " of " + std::to_string(values));
    const SearchSpace space(alike(parameters, values), chained ? neighbours_differ(parameters) : no_rules);
    EXPECT_EQ(space.size(), size);
    EXPECT_EQ(space.size_saturated(), size == most);
    EXPECT_TRUE(space.exact());
    std::vector<SpaceSize> indices{0, 1, 123456789};
    if (size != most) indices.insert(indices.end(), {size / 3, size - 1});
    for (const SpaceSize index : indices) EXPECT_EQ(space.index_of(space.at(index)), index);
    EXPECT_THROW((void)space.at(size), UsageError);
    EXPECT_THROW((void)space.rows(), UsageError);
    expect_uniform_ends(space);
    SampleStream stream(space, 3);
    EXPECT_NE(stream.next(), stream.next());
  }
}

TEST(SearchSpaceEdge, CountsAreWrittenInFullAndNotBeyond128Bits) {
  EXPECT_EQ(to_text(SearchSpace(alike(50, 10), {"P0 < 0"}).cartesian_size()),
            "340282366920938463463374607431768211455");
  EXPECT_EQ(to_text(SearchSpace(alike(20, 10), {"P0 < 0"}).cartesian_size()), "100000000000000000000");
  EXPECT_EQ(to_text(0), "0");
}

TEST(SearchSpaceEdge, BeyondWhat128BitsCountThereAreNeighbours) {
  const SearchSpace whole(alike(70, 4), no_rules), chain(alike(50, 10), neighbours_differ(50));
  EXPECT_EQ(whole.neighbours(Row(70, 0), Neighbourhood::any_value).size(), 210u);
  EXPECT_EQ(whole.neighbours(Row(70, 1), Neighbourhood::adjacent_value).size(), 140u);
  Row row(50);
  for (std::size_t i = 0; i < row.size(); ++i) row[i] = i % 2;
  EXPECT_EQ(chain.neighbours(row, Neighbourhood::any_value).size(), 400u);  // each may be 2 .. 9
  EXPECT_EQ(chain.neighbours(Row(50, 3), Neighbourhood::any_value).size(), 0u);
  const auto nearest = chain.nearest(chain.configuration(Row(50, 3)));
  ASSERT_TRUE(nearest.has_value());
  EXPECT_TRUE(chain.contains(*nearest));
  int off = 0;
  for (const auto& [name, value] : *nearest) off += value != Value(3);
  EXPECT_EQ(off, 25);
}

TEST(SearchSpaceEdge, AdjacentRowsAreDrawnUniformlyHoweverManyThereAre) {
  const SearchSpace space(alike(100, 3), no_rules);
  std::mt19937_64 random(1);
  std::vector<std::uint64_t> first(3);
  Row row(100);
  for (int i = 0; i < 3000; ++i) {
    ASSERT_TRUE(space.random_neighbour(Row(100, 1), Neighbourhood::adjacent_all, random, row));
    ++first[row[0]];
  }
  EXPECT_TRUE(is_plausible(first, {1, 1, 1}));
}

TEST(SearchSpaceEdge, MostComponentsTogetherExceed128BitsAndEachIsSampled) {
  std::vector<std::string> rules;
  for (int i = 0; i < 60; i += 3) {
    const auto name = [i](int at) { return "P" + std::to_string(i + at); };
    rules.push_back(name(0) + " + " + name(1) + " == " + name(2));
  }
  const SearchSpace space(alike(60, 20), rules);  // 210 of each three
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
  const SearchSpace ruled(parameters, {"P0 % 8 == P1 || P0 == 65534 && P1 == 0"});
  EXPECT_EQ(ruled.size(), 65536u);
  EXPECT_TRUE(ruled.contains(Row{65534, 6}) && ruled.contains(Row{65534, 0}) && ruled.contains(Row{65533, 5}));
  EXPECT_FALSE(ruled.contains(Row{65534, 1}));
  const SearchSpace open(alike(3, 65535), {"P1 >= 2"});
  EXPECT_EQ(open.size(), SpaceSize{65535} * 65533 * 65535);
  EXPECT_FALSE(open.contains(Row{65534, 1, 65534}));
  EXPECT_EQ(open.neighbours(Row{65534, 65534, 65534}, Neighbourhood::adjacent_value).size(), 3u);
  EXPECT_EQ(open.nearest(Bindings{{"P0", 65534}, {"P1", 0}, {"P2", 7}})->text(), "P0=65534 P1=2 P2=7");
  for (const SearchSpace* space : {&ruled, &open}) {
    for (const SpaceSize index : {SpaceSize{0}, SpaceSize{65534}, SpaceSize{65535}, space->size() - 1})
      EXPECT_EQ(space->index_of(space->at(index)), index);
  }
}

TEST(SearchSpaceEdge, WithALongRule) {
  std::string list, sum = "P0";
  for (int i = 0; list.size() < 60'000; i += 7) list += (i == 0 ? "" : ", ") + std::to_string(i);
  for (int i = 0; i < 900; ++i) sum += " + P1";
  const SearchSpace space(alike(2, 240), {"P0 * P1 in [" + list + "]"});
  EXPECT_EQ(space.size(), 240u * 240 - 205 * 205);  // one of the two is a multiple of 7, as 35 of 240 values are
  EXPECT_EQ(SearchSpace(alike(2, 240), {sum + " == 901"}).size(), 1u);
}

}  // namespace
}  // namespace attune
