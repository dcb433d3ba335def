#include "search/strategy_text.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <mutex>

#include "attune/error.hpp"
#include "support/cases.hpp"

namespace attune {
namespace {

// Known under the name `walk` in this program.
void register_walk() {
  static std::once_flag once;
  std::call_once(once, [] {
    register_strategy({"walk",
                       "for these tests",
                       {{"cooling", "", 0.5, 0, 1, false, {}},
                        {"walkers", "", 1, 1, 64, true, {}},
                        {"moves", "", 0, 0, 0, false, {"hamming", "adjacent"}}},
                       [](const SearchSpace& space, std::uint64_t seed, const StrategyOptions&) {
                         return make_strategy("random", space, seed);
                       }});
  });
}

TEST(StrategyText, IsOneForAllThatMeanTheSameAndLeavesOutWhatIsTheDefault) {
  register_walk();
  for (const auto& item : cases(R"(
      walk => walk ;; walk: => walk ;; walk:walkers=4,cooling=0.990 => walk:cooling=0.99,walkers=4
      walk:cooling=0.99,walkers=4 => walk:cooling=0.99,walkers=4 ;; walk:moves=adjacent => walk:moves=adjacent
      walk:walkers=1,cooling=0.5,moves=hamming => walk ;; walk:walkers=1,moves=adjacent => walk:moves=adjacent
      walk:cooling=0.123456789012,walkers=64,moves=adjacent => walk:cooling=0.123456789012,walkers=64,moves=adjacent)"))
    EXPECT_EQ(canonical_strategy(item.at(0)), item.at(1));
  for (const char* unknown : {"wolk", "walk:speed=3", "walk:walkers=65"})
    EXPECT_THROW(canonical_strategy(unknown), UsageError) << unknown;
}

TEST(StrategyText, TellsBoundsAndValuesAsTheyAreGiven) {
  register_walk();
  const auto all = strategies();
  const auto entry = std::ranges::find(all, "walk", &StrategyEntry::name);
  ASSERT_NE(entry, all.end());
  EXPECT_EQ(bounds_text(entry->options[0]), "a number from 0 to 1");
  EXPECT_EQ(bounds_text(entry->options[1]), "a whole number from 1 to 64");
  EXPECT_EQ(bounds_text(entry->options[2]), "one of hamming, adjacent");
  EXPECT_EQ(value_text(entry->options[0], 0.5), "0.5");
  EXPECT_EQ(value_text(entry->options[1], 1), "1");
  EXPECT_EQ(value_text(entry->options[2], 1), "adjacent");
}

}  // namespace
}  // namespace attune
