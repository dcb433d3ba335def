#include "kernel/cover_match.hpp"

#include <gmock/gmock.h>

#include "ladder_fixture.hpp"

namespace attune {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class CoverRung : public test::MatchLadder {
 protected:
  std::optional<GradedMatch> match(const Problem& problem, std::vector<Cover> covers) const {
    return cover_match({spec_, problem, device_, "reduce"}, covers);
  }
  std::int64_t block(const Problem& problem, std::vector<Cover> covers) const {
    const auto found = match(problem, std::move(covers));
    return found ? found->match.configuration.at("BLOCK").integer() : 0;
  }
  std::vector<std::string> rungs(std::vector<Record> records, std::vector<Cover> covers) const {
    std::vector<std::string> names;
    for (const GradedMatch& one : match_ladder(request_, records, covers))
      names.push_back(std::string(to_text(one.match.rung)) + " " + one.match.configuration.text());
    return names;
  }
};

TEST_F(CoverRung, ItsTreeChoosesByTheProblem) {
  EXPECT_EQ(block(test::problem(2000), {cover()}), 128);
  EXPECT_EQ(block(test::problem(65537), {cover()}), 512);
  EXPECT_FALSE(match(test::problem(2000, 1, "double"), {cover()})) << "a type that was not measured";
}

TEST_F(CoverRung, ItSaysWhatToExpectAndWhetherTheProblemIsBeyondWhatWasMeasured) {
  const std::string within = match(test::problem(2000), {cover()})->match.why;
  EXPECT_EQ(within,
            "reduce has a cover on NVIDIA H200, made of 8 measured problems: its choice is expected to be 1.2 % slower "
            "than the best, and 5.0 % at worst (try: attune tune reduce --problem \"n=2000 rows=1 offset=0 T=float\")");
  EXPECT_THAT(match(test::problem(1 << 30), {cover()})->match.why,
              HasSubstr("; this problem lies beyond those that were measured: n >= 1024 && n <= 1048576 (try:"));
}

TEST_F(CoverRung, TheDefaultIsAnAnswer) {
  const auto found = match(test::problem(2000), {cover("-1")});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->match.configuration.text(), "BLOCK=256");
  EXPECT_EQ(found->match.rung, Rung::cover);
  EXPECT_THAT(found->match.why, HasSubstr("the default, which it names, is expected"));
}

TEST_F(CoverRung, WhatIsNoAnswerOrNotLegalLeavesTheNextOne) {
  for (const char* const tree : {"-2", "2", "-3", "n <", "1 / 0", "1.5", "'a'", "missing", "BLOCK"})
    EXPECT_FALSE(match(test::problem(2000), {cover(tree)})) << tree;
  Cover broken = cover();
  broken.measured = "(";
  EXPECT_FALSE(match(test::problem(2000), {broken}));
  forbid(128);
  EXPECT_FALSE(match(test::problem(2000), {cover()}));
  Cover older = cover("1");
  older.made_ms = -1;
  EXPECT_EQ(block(test::problem(2000), {older, cover()}), 512);
}

TEST_F(CoverRung, NeverCrossesCodeContractDeviceRegimeObjectiveOrTheMeaningOfTimes) {
  const auto changed = [&](auto change) {
    Cover other = cover();
    change(other);
    return match(test::problem(2000), {other}).has_value();
  };
  EXPECT_TRUE(changed([](Cover&) {}));
  EXPECT_FALSE(changed([](Cover& it) { it.key.code = "other"; }));
  EXPECT_FALSE(changed([](Cover& it) { it.key.contract = "other"; }));
  EXPECT_FALSE(changed([](Cover& it) { it.key.device_class += "x"; }));
  EXPECT_FALSE(changed([](Cover& it) { it.key.regime = "warm"; }));
  EXPECT_FALSE(changed([](Cover& it) { it.key.objective = "energy"; }));
  EXPECT_FALSE(changed([](Cover& it) { it.protocol = first_present_protocol - 1; }));
}

TEST_F(CoverRung, TheKernelsOwnNameComesFirstThenTheNewer) {
  Cover own = cover("0"), newer = cover("1"), renamed = cover("1");
  own.made_ms = 1, newer.made_ms = 2, renamed.made_ms = 3;
  renamed.key.kernel = "another";
  EXPECT_EQ(block(test::problem(2000), {own, renamed}), 128);
  EXPECT_EQ(block(test::problem(2000), {own, renamed, newer}), 512);
  EXPECT_EQ(block(test::problem(2000), {renamed}), 512);
}

TEST_F(CoverRung, StandsBehindRecordsOfTheProblemAndBeforeNearOnes) {
  Record warm = record(problem_, 512, "w");
  warm.key.regime = "warm";
  const Record near = record(test::problem(1500), 256, "n");
  EXPECT_THAT(rungs({near, warm}, {cover()}),
              ElementsAre("other regime BLOCK=512", "cover BLOCK=128", "near problem BLOCK=256"));
  EXPECT_THAT(rungs({record(problem_, 128), near}, {cover()}), ElementsAre("exact BLOCK=128", "near problem BLOCK=256"))
      << "what is there is not tried twice";
  EXPECT_THAT(rungs({}, {cover()}), ElementsAre("cover BLOCK=128"));
  EXPECT_THAT(rungs({near}, {}), ElementsAre("near problem BLOCK=256"));
}

}  // namespace
}  // namespace attune
