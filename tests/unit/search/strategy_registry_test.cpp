// Options of strategies, and the registry.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "attune/error.hpp"
#include "support/cases.hpp"
#include "support/message_of.hpp"
#include "unit/search/driven.hpp"

namespace attune {
namespace {

using testing::HasSubstr;

std::vector<StrategyOption> some_options() {
  return {{"walkers", "how many", 4, 1, 64, true, {}},
          {"cooling", "factor", 0.5, 0, 1, false, {}},
          {"restart", "where", 1, 0, 2, true, {"never", "random", "best"}}};
}

StrategyOptions given(std::string_view text) { return StrategyOptions("mine", some_options(), text); }

TEST(StrategyOptions, TakeWhatIsGivenElseTheirDefaults) {
  const auto expect_options = [](const StrategyOptions& options, std::size_t walkers, double cooling,
                                 std::size_t restart) {
    EXPECT_EQ(options.count("walkers"), walkers);
    EXPECT_EQ(options.number("cooling"), cooling);
    EXPECT_EQ(options.count("restart"), restart);
  };
  expect_options(given(""), 4, 0.5, 1);
  expect_options(given("cooling=0.25,walkers=64,restart=best"), 64, 0.25, 2);
  expect_options(given("walkers=1e1"), 10, 0.5, 1);
}

TEST(StrategyOptions, RefuseWhatIsUnknownNoValueOrOutOfBounds) {
  for (const char* walkers : {"0", "65", "2.5", "", "many", "nan", "0x10", " 8", "8 ", "+8"})
    EXPECT_THAT(message_of<UsageError>([&] { given(std::string("walkers=") + walkers); }),
                HasSubstr("a whole number from 1 to 64"))
        << walkers;
  for (const char* cooling : {"1.01", "-1", "0.5x", "inf", "0x1p-1"})
    EXPECT_THAT(message_of<UsageError>([&] { given(std::string("cooling=") + cooling); }), HasSubstr("cooling"))
        << cooling;
  for (const auto& item : cases(R"(
      walker=3 => `walkers` ;; walker=3 => mine ;; walkers => walkers ;; restart=1 => restart
      restart=worst => never, random, best ;; walkers=8,walkers=8 => twice ;; walkers=8,cooling=1,walkers=9 => twice)"))
    EXPECT_THAT(message_of<UsageError>([&] { given(item.at(0)); }), HasSubstr(item.at(1)));
}

TEST(StrategyOptions, AskedForANameThatIsNoneIsAMistakeInTheStrategy) {
  EXPECT_THROW(given("").number("height"), std::out_of_range);
}

TEST(Strategies, OfOtherTunersAreNamedByOurs) {
  for (const auto& [foreign, ours] :
       std::vector<std::pair<std::string, std::string>>{{"genetic_algorithm", "genetic"},
                                                        {"simulated_annealing", "annealing"},
                                                        {"basinhopping", "annealing"},
                                                        {"pso", "particle_swarm"},
                                                        {"brute_force", "exhaustive"},
                                                        {"diff_evo", "differential_evolution"},
                                                        {"random_sample", "random"},
                                                        {"mls", "local"},
                                                        {"greedy_ils", "local"},
                                                        {"bayes_opt", "bayesian"}}) {
    EXPECT_THAT(message_of<UsageError>([&] { check_strategy(foreign + ":popsize=20"); }),
                HasSubstr("unknown strategy `" + foreign + "`; here it is `" + ours + "`"));
    EXPECT_NO_THROW(check_strategy(ours));
  }
}

TEST(Strategies, AreDescribedAndTheirDefaultsLieWithinTheirBounds) {
  const SearchSpace space = small_space();
  std::set<std::string> names;
  for (const StrategyEntry& entry : strategies()) {
    EXPECT_TRUE(names.insert(entry.name).second) << entry.name;
    EXPECT_FALSE(entry.summary.empty()) << entry.name;
    for (const StrategyOption& option : entry.options) {
      EXPECT_FALSE(option.summary.empty()) << entry.name << ' ' << option.name;
      EXPECT_LE(option.least, option.by_default) << entry.name << ' ' << option.name;
      EXPECT_LE(option.by_default, option.most) << entry.name << ' ' << option.name;
      if (!option.words.empty()) {
        EXPECT_EQ(option.most, static_cast<double>(option.words.size() - 1)) << entry.name << ' ' << option.name;
      }
    }
  }
}

// What an option of a strategy can be set to: its bounds, or every word.
std::vector<std::string> settings(const StrategyOption& option) {
  if (!option.words.empty()) return option.words;
  return {fmt::format("{}", option.least), fmt::format("{}", option.most)};
}

TEST(Strategies, WorkAtTheBoundsOfTheirOptions) {
  const SearchSpace space = small_space();
  for (const StrategyEntry& entry : strategies()) {
    for (const StrategyOption& option : entry.options) {
      for (const std::string& setting : settings(option)) {
        const std::string text = entry.name + ':' + option.name + '=' + setting;
        const auto rows = drive(
            *make_strategy(text, space, 3), [&](RowView row) { return bowl(space, row); }, 60, 4);
        EXPECT_EQ(std::set<Row>(rows.begin(), rows.end()).size(), 60U) << text;
      }
    }
  }
}

TEST(Strategies, AMisspeltNameGetsTheNearestOne) {
  for (const auto& item : cases(R"(
      randon => `random` ;; anealing:cooling=0.9 => `annealing` ;; annealing:coling=0.9 => `cooling`
      random:walkers=3 => `walkers` ;; annealing:cooling=0.9,far=1 => no error)"))
    EXPECT_THAT(message_of<UsageError>([&] { check_strategy(item.at(0)); }), HasSubstr(item.at(1)));
}

StrategyEntry like_random(const std::string& name) {
  return {name, "as `random` does", {}, [](const SearchSpace& space, std::uint64_t seed, const StrategyOptions&) {
            return make_strategy("random", space, seed + 1);
          }};
}

TEST(Registry, MakesAStrategyKnownOnceUnderItsName) {
  const std::size_t before = strategies().size();
  register_strategy(like_random("mine"));
  ASSERT_EQ(strategies().size(), before + 1);
  EXPECT_EQ(strategies().back().name, "mine");
  EXPECT_THAT(message_of<UsageError>([] { register_strategy(like_random("mine")); }), HasSubstr("`mine`"));
  EXPECT_EQ(strategies().size(), before + 1);
  const SearchSpace space = small_space();
  EXPECT_EQ(make_strategy("mine", space, 0)->ask(), make_strategy("random", space, 1)->ask());
}

TEST(Registry, RefusesNamesThatAreTakenOrNone) {
  for (const char* name : {"random", "tabu", "", "two words", "a:b", "1st", "help", "a=b", "a,b"})
    EXPECT_THROW(register_strategy(like_random(name)), UsageError) << name;
}

TEST(Registry, RefusesOptionsThatCannotBeGiven) {
  const auto refused = [](std::vector<StrategyOption> options) {
    StrategyEntry entry = like_random("with_odd_options");
    entry.options = std::move(options);
    return message_of<UsageError>([&] { register_strategy(entry); });
  };
  for (const char* name : {"", "a=b", "a,b", "a:b", "a b"})
    EXPECT_THAT(refused({{name, "", 0, 0, 1, false, {}}}), HasSubstr("with_odd_options")) << name;
  EXPECT_THAT(refused({{"twice", "", 0, 0, 1, false, {}}, {"twice", "", 0, 0, 1, false, {}}}), HasSubstr("`twice`"));
  for (const char* word : {"", "a=b", "a,b", "a:b", "(a", "it's", "plain"})
    EXPECT_THAT(refused({{"moves", "", 0, 0, 1, true, {"plain", word}}}), HasSubstr("`moves`")) << word;
  EXPECT_THAT(message_of<UsageError>([] { check_strategy("with_odd_options"); }), HasSubstr("unknown"));
}

}  // namespace
}  // namespace attune
