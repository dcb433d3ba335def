#include "search/strategy_text.hpp"

#include <gtest/gtest.h>

#include <mutex>

#include "attune/error.hpp"

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

TEST(StrategyText, IsOneForAllThatMeanTheSame) {
  register_walk();
  EXPECT_EQ(canonical_strategy("walk"), "walk");
  EXPECT_EQ(canonical_strategy("walk:"), "walk");
  EXPECT_EQ(canonical_strategy("walk:walkers=4,cooling=0.990"), "walk:cooling=0.99,walkers=4");
  EXPECT_EQ(canonical_strategy("walk:cooling=0.99,walkers=4"), "walk:cooling=0.99,walkers=4");
  EXPECT_EQ(canonical_strategy("walk:moves=adjacent"), "walk:moves=adjacent");
}

TEST(StrategyText, LeavesOutWhatIsTheDefault) {
  register_walk();
  EXPECT_EQ(canonical_strategy("walk:walkers=1,cooling=0.5,moves=hamming"), "walk");
  EXPECT_EQ(canonical_strategy("walk:walkers=1,moves=adjacent"), "walk:moves=adjacent");
}

TEST(StrategyText, IsReadAgainAsTheSame) {
  register_walk();
  const std::string text = canonical_strategy("walk:cooling=0.123456789012,walkers=64,moves=adjacent");
  EXPECT_EQ(canonical_strategy(text), text);
  EXPECT_EQ(text, "walk:cooling=0.123456789012,walkers=64,moves=adjacent");
}

TEST(StrategyText, RefusesWhatIsUnknown) {
  register_walk();
  EXPECT_THROW(canonical_strategy("wolk"), UsageError);
  EXPECT_THROW(canonical_strategy("walk:speed=3"), UsageError);
  EXPECT_THROW(canonical_strategy("walk:walkers=65"), UsageError);
}

TEST(StrategyText, TellsBoundsAndValuesAsTheyAreGiven) {
  register_walk();
  for (const StrategyEntry& entry : strategies()) {
    if (entry.name != "walk") continue;
    EXPECT_EQ(bounds_text(entry.options[0]), "a number from 0 to 1");
    EXPECT_EQ(bounds_text(entry.options[1]), "a whole number from 1 to 64");
    EXPECT_EQ(bounds_text(entry.options[2]), "one of hamming, adjacent");
    EXPECT_EQ(value_text(entry.options[0], 0.5), "0.5");
    EXPECT_EQ(value_text(entry.options[1], 1), "1");
    EXPECT_EQ(value_text(entry.options[2], 1), "adjacent");
    return;
  }
  FAIL() << "not registered";
}

}  // namespace
}  // namespace attune
