// What is tried behind the records that fit: fall-backs, and what is known of other problems.
#include <gtest/gtest.h>

#include "unit/kernel/ladder_fixture.hpp"

namespace attune::test {
namespace {

class LastRungs : public MatchLadder {
 protected:
  std::vector<GradedMatch> last(const std::vector<Record>& records) const {
    std::vector<GradedMatch> rungs;
    add_last_rungs(rungs, request_, records, "");
    return rungs;
  }
  // "none 256, other problem 512", with "!" behind a last resort.
  std::string order(const std::vector<Record>& records) const {
    std::string text;
    for (const GradedMatch& rung : last(records))
      text += (text.empty() ? "" : ", ") + std::string(to_text(rung.match.rung)) + " " +
              rung.match.configuration.at("BLOCK").text() + (rung.is_last_resort ? "!" : "");
    return text;
  }
  static Record failing(Record record, Verdict verdict = Verdict::resources) {
    record.default_verdict = verdict;
    record.speedup = 1;
    return record;
  }
};

TEST_F(LastRungs, WhatIsKnownOfOtherProblemsComesBehindTheFallBacks) {
  EXPECT_EQ(order({}), "none 256");
  const std::vector<Record> records{record(problem(100'000), 512), record(problem(1001), 128, "near")};
  EXPECT_EQ(order(records), "none 256, other problem 512!");
  EXPECT_EQ(ladder(records).size(), 1u) << "it fits no better than before";
  EXPECT_EQ(last(records)[1].match.why,
            "reduce was tuned on NVIDIA H200 for n=100000 rows=1 offset=0 T=float, another problem; it is used where "
            "what is tried before it fails (try: attune tune reduce --problem \"n=1000 rows=1 offset=0 T=float\")");
  EXPECT_EQ(order({record(problem(100'000), 256)}), "none 256") << "the same would fail the same";
  spec_.rules.push_back(Expression("BLOCK == 128 || n > 1000"));
  const std::vector<Record> others{record(problem(100'000), 512, "a"), record(problem(200'000), 128, "b")};
  EXPECT_EQ(order(others), "other problem 128") << "no other one is legal";
  EXPECT_THAT(last(others)[0].match.why, HasSubstr("no fall-back can be used, so what was found is used"));
}

TEST_F(LastRungs, ADefaultThatIsKnownToFailComesLast) {
  const std::vector<Record> records{failing(record(problem(100'000), 512))};
  EXPECT_EQ(order(records), "other problem 512, none 256!");
  const Match other = last(records)[0].match, fallback = last(records)[1].match;
  EXPECT_EQ(other.why,
            "reduce was tuned on NVIDIA H200 for n=100000 rows=1 offset=0 T=float, another problem; the default "
            "configuration failed "
            "(resources) when n=100000 rows=1 offset=0 T=float was tuned, so what was found is used (try: attune tune "
            "reduce --problem \"n=1000 rows=1 offset=0 T=float\")");
  EXPECT_EQ(other.default_failure, "resources");
  EXPECT_EQ(other.record_problem, problem(100'000).text());
  EXPECT_THAT(fallback.why,
              HasSubstr("using the default, though the default configuration failed (resources) when n=100000 "));
  EXPECT_EQ(order({failing(record(problem(1001), 512))}), "none 256!") << "that record fits: match_ladder() has it";
  EXPECT_EQ(order({failing(record(problem(100'000), 512), Verdict::restricted)}), "none 256, other problem 512!")
      << "it was not tried";
}

TEST_F(LastRungs, OfTheRecordsOfThisDeviceClassTheNearestKnowsWhetherTheDefaultFails) {
  const Record far = record(problem(100'000), 512, "a"), nearer = record(problem(10'000), 128, "b");
  EXPECT_EQ(order({failing(far), nearer}), "none 256, other problem 128!, other problem 512!");
  EXPECT_EQ(order({far, failing(nearer)}), "other problem 128, other problem 512, none 256!");
  DeviceInfo pcie = h200();
  pcie.name = "NVIDIA H100 PCIe";
  EXPECT_EQ(order({failing(record(problem_, 512, pcie)), record(problem(10'000), 128, "b")}),
            "none 256, other problem 128!");
}

TEST_F(LastRungs, AnotherDefaultSaysNothingOfThisOne) {
  const std::vector<Configuration> fallbacks{{{"BLOCK", 256}}, {{"BLOCK", 128}}};
  request_.fallbacks = fallbacks;
  EXPECT_EQ(order({failing(record(problem(100), 512))}), "other problem 512, none 128, none 256!");
  spec_.rules.push_back(Expression("BLOCK != 256 || n < 500"));
  EXPECT_EQ(order({failing(record(problem(100), 512))}), "none 128, other problem 512!") << "there it was 256";
  EXPECT_EQ(order({failing(record(problem(100'000), 512))}), "other problem 512, none 128!");
  EXPECT_EQ(order({failing(record(problem(100'000), 128))}), "none 128!") << "what is known to fail is no help";
}

TEST_F(LastRungs, EqualNamesComeFirstThenTheRegimeThenTheNearest) {
  spec_.parameters = {{"BLOCK", {256, 128, 512, 64, 32, 1024}}};
  Record warm = record(problem(1001), 32, "d");
  warm.key.regime = "warm";
  EXPECT_EQ(order({record(problem(1000, 1, "double"), 64, "a"), record(problem(100'000), 512, "b"),
                   record(problem(10'000), 128, "c"), warm, record(problem(20'000), 1024, "e")}),
            "none 256, other problem 128!, other problem 1024!, other problem 512!, other problem 32!")
      << "four at most";
}

}  // namespace
}  // namespace attune::test
