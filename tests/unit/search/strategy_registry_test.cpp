// Options of strategies, and the registry.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "attune/error.hpp"
#include "unit/search/driven.hpp"

namespace attune {
namespace {

using testing::HasSubstr;

template <class Action>
std::string message_of(Action action) {
  try {
    action();
  } catch (const UsageError& error) {
    return error.what();
  }
  return "accepted";
}

std::vector<StrategyOption> some_options() {
  return {{"walkers", "how many", 4, 1, 64, true, {}},
          {"cooling", "factor", 0.5, 0, 1, false, {}},
          {"restart", "where", 1, 0, 2, true, {"never", "random", "best"}}};
}

StrategyOptions given(std::string_view text) { return StrategyOptions("mine", some_options(), text); }

TEST(StrategyOptions, AreAsByDefaultWhereNothingIsGiven) {
  const StrategyOptions options = given("");
  EXPECT_EQ(options.count("walkers"), 4U);
  EXPECT_EQ(options.number("cooling"), 0.5);
  EXPECT_EQ(options.count("restart"), 1U);
}

TEST(StrategyOptions, TakeWhatIsGiven) {
  const StrategyOptions options = given("cooling=0.25,walkers=64,restart=best");
  EXPECT_EQ(options.count("walkers"), 64U);
  EXPECT_EQ(options.number("cooling"), 0.25);
  EXPECT_EQ(options.count("restart"), 2U);
}

TEST(StrategyOptions, RefuseAnUnknownNameAndSuggestTheNearest) {
  const std::string message = message_of([] { given("walker=3"); });
  EXPECT_THAT(message, HasSubstr("walker"));
  EXPECT_THAT(message, HasSubstr("`walkers`"));
  EXPECT_THAT(message, HasSubstr("mine"));
}

TEST(StrategyOptions, RefuseWhatIsNoValueOrOutOfBounds) {
  for (const char* bad : {"walkers=0",
                          "walkers=65",
                          "walkers=2.5",
                          "walkers=",
                          "walkers=many",
                          "walkers=nan",
                          "walkers",
                          "cooling=1.01",
                          "cooling=-1",
                          "cooling=0.5x",
                          "cooling=inf",
                          "restart=1",
                          "restart=worst",
                          "walkers=0x10",
                          "walkers= 8",
                          "walkers=8 ",
                          "walkers=+8",
                          "cooling=0x1p-1",
                          "walkers=8,walkers=8",
                          "walkers=8,cooling=1,walkers=9"})
    EXPECT_THAT(message_of([&] { given(bad); }), HasSubstr(std::string(bad).substr(0, 7))) << bad;
  EXPECT_THAT(message_of([] { given("walkers=8,walkers=8"); }), HasSubstr("twice"));
  EXPECT_EQ(given("walkers=1e1").count("walkers"), 10U);
  EXPECT_THAT(message_of([] { given("walkers=65"); }), HasSubstr("a whole number from 1 to 64"));
  EXPECT_THAT(message_of([] { given("restart=worst"); }), HasSubstr("never, random, best"));
}

TEST(StrategyOptions, AskedForANameThatIsNoneIsAMistakeInTheStrategy) {
  EXPECT_THROW(given("").number("height"), std::out_of_range);
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
  EXPECT_THAT(message_of([] { check_strategy("randon"); }), HasSubstr("`random`"));
  EXPECT_THAT(message_of([] { check_strategy("anealing:cooling=0.9"); }), HasSubstr("`annealing`"));
  EXPECT_THAT(message_of([] { check_strategy("annealing:coling=0.9"); }), HasSubstr("`cooling`"));
  EXPECT_THAT(message_of([] { check_strategy("random:walkers=3"); }), HasSubstr("`walkers`"));
  EXPECT_NO_THROW(check_strategy("annealing:cooling=0.9,far=1"));
}

class FromTheEnd final : public Strategy {
 public:
  explicit FromTheEnd(const SearchSpace& space) : space_(space), left_(space.size()) {}
  std::optional<Row> ask() override {
    if (left_ == 0) return std::nullopt;
    Row row(space_.parameters().size());
    space_.at(--left_, row);
    return row;
  }
  void tell(RowView, const Outcome&) override {}

 private:
  const SearchSpace& space_;
  SpaceSize left_;
};

StrategyEntry from_the_end(const std::string& name) {
  return {name, "backwards", {}, [](const SearchSpace& space, std::uint64_t, const StrategyOptions&) {
            return std::make_unique<FromTheEnd>(space);
          }};
}

TEST(Registry, MakesAStrategyKnownOnceUnderItsName) {
  const std::size_t before = strategies().size();
  register_strategy(from_the_end("from_the_end"));
  ASSERT_EQ(strategies().size(), before + 1);
  EXPECT_EQ(strategies().back().name, "from_the_end");
  EXPECT_THAT(message_of([] { register_strategy(from_the_end("from_the_end")); }), HasSubstr("`from_the_end`"));
  EXPECT_EQ(strategies().size(), before + 1);

  const SearchSpace space = small_space();
  Row last(space.parameters().size());
  space.at(space.size() - 1, last);
  EXPECT_EQ(make_strategy("from_the_end", space, 0)->ask(), last);
}

TEST(Registry, RefusesNamesThatAreTakenOrNone) {
  for (const char* name : {"random", "tabu", "", "two words", "a:b", "1st", "help", "a=b", "a,b"})
    EXPECT_THROW(register_strategy(from_the_end(name)), UsageError) << name;
}

TEST(Registry, RefusesOptionsThatCannotBeGiven) {
  const auto refused = [](std::vector<StrategyOption> options) {
    StrategyEntry entry = from_the_end("with_odd_options");
    entry.options = std::move(options);
    return message_of([&] { register_strategy(entry); });
  };
  for (const char* name : {"", "a=b", "a,b", "a:b", "a b"})
    EXPECT_THAT(refused({{name, "", 0, 0, 1, false, {}}}), HasSubstr("with_odd_options")) << name;
  EXPECT_THAT(refused({{"twice", "", 0, 0, 1, false, {}}, {"twice", "", 0, 0, 1, false, {}}}), HasSubstr("`twice`"));
  for (const char* word : {"", "a=b", "a,b", "a:b", "(a", "it's", "plain"})
    EXPECT_THAT(refused({{"moves", "", 0, 0, 1, true, {"plain", word}}}), HasSubstr("`moves`")) << word;
  EXPECT_THAT(message_of([] { check_strategy("with_odd_options"); }), HasSubstr("unknown"));
}

}  // namespace
}  // namespace attune
