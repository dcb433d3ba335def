// Spaces that are hard to count: the construction ends in bounded time and memory, with a result or with an error that
// says whose fault it is. The bounds on time are many times what is expected; they catch what does not end.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <ctime>
#include <map>
#include <numeric>

#include "attune/search_space.hpp"
#include "support/hard_spaces.hpp"
#include "unit/space/chi_square.hpp"

namespace attune {
namespace {

using testing::HasSubstr;

constexpr double most_seconds = 30;  // of the processor; also without optimisation and with sanitizers

// Ends within bounded time.
class HardSpaces : public testing::Test {
 protected:
  ~HardSpaces() override { EXPECT_LT(static_cast<double>(std::clock() - begin_) / CLOCKS_PER_SEC, most_seconds); }

 private:
  std::clock_t begin_ = std::clock();
};

// How many rows of `count` numbers 1 .. 16 have a product of at most `limit`.
std::uint64_t products_up_to(int count, std::uint64_t limit) {
  std::map<std::uint64_t, std::uint64_t> ways = {{1, 1}};
  for (int i = 0; i < count; ++i) {
    std::map<std::uint64_t, std::uint64_t> next;
    for (const auto& [product, number] : ways) {
      for (std::uint64_t value = 1; value <= 16 && product * value <= limit; ++value) next[product * value] += number;
    }
    ways = std::move(next);
  }
  return std::accumulate(ways.begin(), ways.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const auto& item) { return sum + item.second; });
}

TEST_F(HardSpaces, AProductOfTenUpToALimit) {
  const HardSpace hard = bounded_product();
  const SearchSpace space(hard.parameters, hard.rules);
  EXPECT_EQ(space.size(), products_up_to(10, 1'000'000));
  for (SpaceSize i = 0; i < 1000; ++i) {
    const SpaceSize index = space.size() / 1000 * i;
    EXPECT_EQ(space.index_of(space.at(index)), index);
  }
  EXPECT_FALSE(space.contains(Row(10, 15)));
  EXPECT_TRUE(space.contains(Row(10, 2)));   // 3^10 = 59049
  EXPECT_FALSE(space.contains(Row(10, 3)));  // 4^10 = 1048576
}

TEST_F(HardSpaces, PermutationsByInequality) {
  const HardSpace hard = permutation();
  const SearchSpace space(hard.parameters, hard.rules);
  EXPECT_EQ(space.size(), 479001600u);
  std::mt19937_64 random(1);
  Row row(12), sorted(12), each(12);
  std::iota(each.begin(), each.end(), std::uint16_t{0});
  std::vector<std::uint64_t> first(12);
  for (int i = 0; i < 5000; ++i) {
    space.sample(random, row);
    sorted = row;
    std::sort(sorted.begin(), sorted.end());
    ASSERT_EQ(sorted, each);
    ++first[row[0]];
  }
  EXPECT_TRUE(is_plausible(first, std::vector<double>(12, 1)));
  EXPECT_TRUE(space.neighbours(row, Neighbourhood::any_value).empty());
}

TEST_F(HardSpaces, ALargeRuleIsSmallWhereMostOfItsParametersAreFixed) {
  const auto legal = [](const char* first, const char* second) {
    std::vector<Parameter> parameters;
    for (const char* name : {"x", "y", "z", "a", "b", "c"}) parameters.push_back(range_parameter(name, 1, 100));
    parameters.push_back(range_parameter("e", 1, 150));
    return to_text(SearchSpace(parameters, {first, second, "y == b", "z == c", "b == 5 + 0 * e", "c == 5 + 0 * e",
                                            "x * y * z < 1000"})
                       .size());
  };
  EXPECT_EQ(legal("x == a", "a == 5 + 0 * e"), "150");
  int pairs = 0;  // x <= 39; a from x on; e is free
  for (int x = 1; x <= 39; ++x) pairs += 100 - x + 1;
  EXPECT_EQ(legal("x <= a", "a > 0"), std::to_string(pairs * 150));
}

TEST_F(HardSpaces, OfManyRules) {
  std::vector<std::string> rules = {"P0 * P1 <= 400"};
  for (int k = 0; k < 900; ++k) rules.push_back("P0 * 100 + P1 != " + std::to_string(101 + 19 * k));
  SpaceSize legal = 0;
  for (int a = 1; a <= 99; ++a)
    for (int b = 1; b <= 99; ++b) legal += a * b <= 400 && (100 * a + b - 101) % 19 != 0;
  EXPECT_EQ(SearchSpace(range_parameters(2, 1, 99), rules).size(), legal);
  rules = {"P0 == 0"};
  for (int i = 1; i < 50; ++i)
    rules.push_back("P" + std::to_string(i) + " == P" + std::to_string(i - 1) + " + (P0 == 1)");
  EXPECT_EQ(SearchSpace(range_parameters(50, 0, 9), rules).size(), 1u);
}

TEST_F(HardSpaces, ATermThatIsUsedTwiceInEachOfManyStepsIsReadOnce) {
  std::string power = "(P0 + P1)", rest = "1";
  for (int i = 0; i < 12; ++i) power = "((" + power + " % 7) ** 4)";
  for (int i = 0; i < 26; ++i) rest = "(P0 % (P0 % (" + rest + " + 1) + 1))";
  EXPECT_EQ(SearchSpace(range_parameters(2, 1, 200), {power + " >= 0"}).size(), 40000u);
  EXPECT_EQ(SearchSpace(range_parameters(2, 1, 8), {"P1 + " + rest + " > 0"}).size(), 64u);
}

// A sum of which nearly every partial sum is different, so that a diagram cannot share anything.
class WeightedSum : public HardSpaces {
 protected:
  static constexpr std::int64_t prime = 1'000'000'007;
  static constexpr std::int64_t weights[] = {100'000'007, 123'456'791, 98'765'431,  271'828'183,
                                             314'159'269, 161'803'399, 141'421'357, 577'215'673};

  static Rule rule(const std::string& comparison = " == 0") {
    std::string sum;
    for (int i = 0; i < 8; ++i) sum += (i > 0 ? " + " : "") + std::to_string(weights[i]) + " * P" + std::to_string(i);
    return {Expression("(" + sum + ") % " + std::to_string(prime) + comparison), false};
  }
  static std::vector<Rule> rules() { return {{Expression("P0 >= 1"), false}, rule()}; }

  // All rows that obey the rule: each half's sums once, matched.
  static std::vector<Row> solutions() {
    std::multimap<std::int64_t, std::uint32_t> halves;
    const auto sum_of = [](std::uint32_t half, int first) {
      std::int64_t sum = 0;
      for (int i = 0; i < 4; ++i) sum += weights[first + i] * (1 + (half >> (4 * i) & 15));
      return sum % prime;
    };
    for (std::uint32_t half = 0; half < 65536; ++half) halves.emplace(sum_of(half, 0), half);
    std::vector<Row> rows;
    for (std::uint32_t second = 0; second < 65536; ++second) {
      const auto [begin, end] = halves.equal_range((prime - sum_of(second, 4)) % prime);
      for (auto first = begin; first != end; ++first) {
        Row row;
        for (int i = 0; i < 8; ++i)
          row.push_back(static_cast<std::uint16_t>((i < 4 ? first->second >> (4 * i) : second >> (4 * (i - 4))) & 15));
        rows.push_back(row);
      }
    }
    return rows;
  }

  static std::size_t peak_bytes() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<std::size_t>(usage.ru_maxrss) * 1024;
  }
};

TEST_F(WeightedSum, IsTooLargeAndSaysSoWithinItsBudget) {
  SpaceBudget small;
  small.bytes = std::size_t{8} << 20;
  for (const SpaceBudget& budget : {small, SpaceBudget()}) {
    [[maybe_unused]] const std::size_t before = peak_bytes();
    try {
      SearchSpace(range_parameters(8, 1, 16), rules(), nullptr, nullptr, budget);
      FAIL() << "no error";
    } catch (const SpaceTooLarge& error) {
      EXPECT_EQ(error.blamed, std::vector<std::size_t>{1});
      EXPECT_THAT(error.what(), HasSubstr("100000007 * P0"));
    }
#ifndef __SANITIZE_ADDRESS__
    EXPECT_LT(peak_bytes() - before, (budget.bytes == small.bytes ? 4 : 2) * budget.bytes);
#endif
  }
}

TEST_F(WeightedSum, IsObeyedByARelaxedSpace) {
  const auto legal = solutions();
  ASSERT_FALSE(legal.empty());
  const SearchSpace space = SearchSpace::relaxed(range_parameters(8, 1, 16), rules());
  EXPECT_FALSE(space.exact());
  EXPECT_EQ(space.left_out(), std::vector<std::size_t>{1});
  EXPECT_EQ(space.size(), SpaceSize{1} << 32);
  for (const Row& row : legal) {
    EXPECT_TRUE(space.contains(row));
    Row other = row;
    other[3] = other[3] == 0 ? 1 : 0;
    EXPECT_FALSE(space.contains(other));
    const auto neighbours = space.neighbours(other, Neighbourhood::any_value);
    EXPECT_NE(std::find(neighbours.begin(), neighbours.end(), row), neighbours.end());
  }
  // A few of 2^32 are legal: a million draws may meet none.
  std::mt19937_64 random(1);
  Row row(8);
  try {
    space.sample(random, row);
    EXPECT_TRUE(space.contains(row));
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("100000007 * P0"));
  }
}

TEST_F(WeightedSum, HasAnEstimatedEffect) {
  const std::vector<Rule> quarter = {{Expression("P0 <= 8"), false}, rule(" < 250000000")};
  const SearchSpace space = SearchSpace::relaxed(range_parameters(8, 1, 16), quarter);
  EXPECT_EQ(space.left_out(), std::vector<std::size_t>{1});
  const auto effects = space.effects();
  EXPECT_EQ(effects[0].removed_alone, 0.5);
  EXPECT_TRUE(effects[0].exact);
  EXPECT_NEAR(effects[1].removed_alone, 0.75, 0.02);
  EXPECT_FALSE(effects[1].exact);
  EXPECT_EQ(space.effects()[1].removed_alone, effects[1].removed_alone);
  std::mt19937_64 random(1);
  Row row(8);
  std::vector<std::uint64_t> first(8);
  for (int i = 0; i < 4000; ++i) {
    space.sample(random, row);
    ASSERT_TRUE(space.contains(row));
    ++first[row[0]];
  }
  EXPECT_TRUE(is_plausible(first, std::vector<double>(8, 1)));
}

}  // namespace
}  // namespace attune
