#include "kernel/ladder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "unit/kernel/ladder_fixture.hpp"

namespace attune::test {
namespace {

using testing::HasSubstr;

TEST_F(MatchLadder, AnEarlierWayOfMeasuringIsStale) {
  Record before = record(problem_, 128);
  before.protocol = first_present_protocol - 1;
  before.attune_version = "0.1.0";
  const auto rungs = ladder({before});
  ASSERT_EQ(rungs.size(), 1u);
  EXPECT_EQ(rungs[0].match.rung, Rung::stale);
  EXPECT_THAT(rungs[0].match.why, HasSubstr("earlier way of measuring"));
  EXPECT_THAT(rungs[0].match.why, HasSubstr("attune tune reduce"));
}

TEST_F(MatchLadder, ARecordThatWasNotMeasuredHereSaysSo) {
  Record other = record(problem_, 128);
  other.origin = Origin::adopted;
  EXPECT_THAT(ladder({other}).at(0).match.why, HasSubstr("adopted from an earlier code"));
  other.origin = Origin::imported;
  EXPECT_THAT(ladder({other}).at(0).match.why, HasSubstr("brought in from elsewhere"));
  other.protocol = 0;
  EXPECT_EQ(ladder({other}).at(0).match.rung, Rung::stale);
  EXPECT_THAT(ladder({other}).at(0).match.why, HasSubstr("by another tool; to measure again: attune tune reduce"));
}

// Tuned for something else on the very problem, before tuned for this on another one.
TEST_F(MatchLadder, AnotherRegimeServesAfterItsOwnAndSaysSo) {
  Record stream = record(problem_, 128), warm = record(problem_, 512), near = record(problem(1001), 256);
  stream.key.regime = "stream";
  warm.key.regime = "warm";
  const auto rungs = ladder({warm, near, stream});
  ASSERT_EQ(rungs.size(), 3u);
  EXPECT_EQ(rungs[0].match.rung, Rung::other_regime);
  EXPECT_EQ(to_text(rungs[0].match.rung), "other regime");
  EXPECT_EQ(rungs[0].match.configuration, stream.configuration) << "a launch on fresh data is nearer to cold";
  EXPECT_THAT(rungs[0].match.why, HasSubstr("but for stream launches, not cold"));
  EXPECT_EQ(rungs[1].match.configuration, warm.configuration);
  EXPECT_EQ(rungs[2].match.rung, Rung::near_problem);
  EXPECT_EQ(best_block({stream, record(problem_, 256)}), 256);
  Record elsewhere = stream;
  elsewhere.key.problem = problem(1001);
  EXPECT_TRUE(ladder({elsewhere}).empty()) << "of another problem, another regime is no answer";
}

TEST_F(MatchLadder, FindsTheExactRecordAndSaysSo) {
  EXPECT_TRUE(ladder({}).empty());
  const Problem shuffled{{"T", "float"}, {"offset", 0}, {"rows", 1}, {"n", 1000}};
  Record of_another_space = record(shuffled, 512);
  of_another_space.space = "space0";
  const auto rungs = ladder({record(problem(1001), 128), of_another_space});
  ASSERT_EQ(rungs.size(), 2u);
  EXPECT_EQ(rungs[0].match.rung, Rung::exact) << "whatever the order of names and the space";
  EXPECT_EQ(rungs[0].match.configuration, (Configuration{{"BLOCK", 512}}));
  EXPECT_EQ(rungs[0].match.speedup, 1.5);
  EXPECT_EQ(rungs[0].match.record_problem, shuffled.text());
  EXPECT_THAT(rungs[0].match.why, HasSubstr("reduce was tuned for this problem on NVIDIA H200"));
  EXPECT_EQ(rungs[1].match.rung, Rung::near_problem);
}

TEST_F(MatchLadder, AnotherDriverIsStaleAndNamesBoth) {
  Record old = record(problem_, 512);
  old.driver = "570.9 (CUDA 12.8)";
  const auto rungs = ladder({old});
  EXPECT_EQ(rungs.at(0).match.rung, Rung::stale);
  EXPECT_THAT(rungs[0].match.why, HasSubstr("570.9"));
  EXPECT_THAT(rungs[0].match.why, HasSubstr("580.1"));
}

TEST_F(MatchLadder, AnotherToolchainMakesAnExactRecordStaleOnceItIsKnown) {
  auto rungs = ladder({record(problem_, 512), record(problem(1001), 128)});
  for (const char* same : {"", "NVRTC 13.0"}) {
    grade_toolchain(rungs.at(0), request_, same);
    EXPECT_EQ(rungs[0].match.rung, Rung::exact);
  }
  for (GradedMatch& rung : rungs) grade_toolchain(rung, request_, "NVRTC 13.1");
  EXPECT_EQ(rungs[0].match.rung, Rung::stale);
  EXPECT_THAT(rungs[0].match.why, HasSubstr("NVRTC 13.1"));
  EXPECT_EQ(rungs.at(1).match.rung, Rung::near_problem);
}

TEST_F(MatchLadder, NearMeansWithinAFactorOfTwoInEverySizeAndTheSameOtherwise) {
  for (const Problem& near : {problem(2000), problem(500), problem(1000, 2)})
    EXPECT_EQ(best_block({record(near, 128)}), 128) << near.text();
  for (const Problem& far :
       {problem(2001), problem(499), problem(1000, 3), problem(1000, 1, "double"), problem(1000, 1, "float", 1)})
    EXPECT_EQ(best_block({record(far, 128)}), 0) << far.text();
  problem_ = problem(std::int64_t{1} << 62);  // does not overflow
  EXPECT_EQ(best_block({record(problem(std::int64_t{1} << 61), 128)}), 128);
  EXPECT_EQ(best_block({record(problem((std::int64_t{1} << 61) - 1), 128)}), 0);
}

TEST_F(MatchLadder, TheLeastSumOfSquaredRatiosIsNearestThenTheLargerThenTheLesserUuid) {
  EXPECT_EQ(best_block({record(problem(500), 128, "a"), record(problem(2000), 512, "b")}), 512);
  problem_ = problem(1000, 1000);
  // log2 ratios: (1, 0) -> 1; (0.585, 0.585) -> 0.68
  EXPECT_EQ(best_block({record(problem(2000, 1000), 128, "a"), record(problem(1500, 1500), 512, "b")}), 512);
  EXPECT_EQ(best_block({record(problem(2000, 1000), 512, "b"), record(problem(1000, 2000), 128, "a")}), 128);
}

TEST_F(MatchLadder, AnIllegalConfigurationGivesWayToTheNextNearest) {
  forbid(512);
  EXPECT_EQ(best_block({record(problem(1001), 512, "a"), record(problem(1500), 128, "b")}), 128);
  EXPECT_EQ(best_block({record(problem_, 512, "a"), record(problem(1500), 128, "b")}), 128);
}

TEST_F(MatchLadder, ASiblingHasTheComputeCapabilityAndTheProblem) {
  DeviceInfo pcie = h200();
  pcie.name = "NVIDIA H100 PCIe";
  pcie.multiprocessors = 114;
  const auto rungs = ladder({record(problem_, 128, pcie)});
  ASSERT_EQ(rungs.size(), 1u);
  EXPECT_EQ(rungs[0].match.rung, Rung::sibling_device);
  EXPECT_THAT(rungs[0].match.why, HasSubstr("NVIDIA H100 PCIe (114 multiprocessors)"));
  EXPECT_TRUE(ladder({record(problem(1001), 128, pcie)}).empty());
  pcie.compute_capability = 80;
  EXPECT_TRUE(ladder({record(problem_, 128, pcie)}).empty());
}

TEST_F(MatchLadder, TheSiblingNearestInMultiprocessorsComesAfterANearProblemOfThisDevice) {
  DeviceInfo small = h200(), similar = h200();
  small.multiprocessors = 16;
  similar.multiprocessors = 114;
  std::vector<Record> records{record(problem_, 128, small, "a"), record(problem_, 512, similar, "b")};
  EXPECT_EQ(best_block(records), 512);
  records.push_back(record(problem(1500), 256, "c"));
  const auto rungs = ladder(records);
  ASSERT_EQ(rungs.size(), 3u);
  EXPECT_EQ(rungs[0].match.rung, Rung::near_problem);
  EXPECT_EQ(rungs[1].match.rung, Rung::sibling_device);
  EXPECT_EQ(rungs[1].match.configuration.at("BLOCK").integer(), 512);
  EXPECT_EQ(rungs[2].match.configuration.at("BLOCK").integer(), 128);
}

TEST_F(MatchLadder, ARungHasSeveralRecordsOfDifferentConfigurations) {
  const auto rungs = ladder({record(problem(1001), 512, "a"), record(problem(1002), 512, "b"),
                             record(problem(1500), 128, "c"), record(problem_, 256, "d")});
  std::vector<std::int64_t> blocks;
  for (const GradedMatch& rung : rungs) blocks.push_back(rung.match.configuration.at("BLOCK").integer());
  EXPECT_EQ(blocks, (std::vector<std::int64_t>{256, 512, 128}));
}

// Its search may have been cut short, or the tie was the present record's.
Record with_a_faster_default(Record record) {
  record.median_ns = 1010;
  record.default_ns = 1000;
  record.speedup = 0.99;
  return record;
}

TEST_F(MatchLadder, ANearRecordThatLostToItsDefaultStandsForTheDefault) {
  const auto rungs = ladder({with_a_faster_default(record(problem(1001), 512, "a")), record(problem(1500), 128, "b")});
  ASSERT_EQ(rungs.size(), 2u);
  EXPECT_EQ(rungs[0].match.rung, Rung::near_problem);
  EXPECT_EQ(rungs[0].match.configuration, (Configuration{{"BLOCK", 256}})) << "the nearest measurement decides";
  EXPECT_EQ(rungs[0].match.speedup, 1) << "over the default";
  EXPECT_EQ(rungs[0].match.record_problem, problem(1001).text());
  EXPECT_EQ(rungs[0].match.why,
            "reduce was tuned on NVIDIA H200 for n=1001 rows=1 offset=0 T=float, the nearest problem; the default was "
            "faster there than what was found, and is used (try: attune tune reduce --problem \"n=1000 rows=1 offset=0 "
            "T=float\")");
  EXPECT_EQ(rungs[1].match.configuration, (Configuration{{"BLOCK", 128}})) << "where the default does not compile";
}

// Half and double the size are equally near: the larger one decides, whichever of both has the faster default.
TEST_F(MatchLadder, OfTwoEquallyNearRecordsTheFirstDecidesWhetherTheDefaultServes) {
  const Record half = record(problem(500), 128, "a"), twice = record(problem(2000), 512, "b");
  EXPECT_EQ(best_block({with_a_faster_default(half), twice}), 512);
  EXPECT_EQ(best_block({half, with_a_faster_default(twice)}), 256);
  EXPECT_EQ(best_block({with_a_faster_default(half), with_a_faster_default(twice)}), 256);
  EXPECT_EQ(ladder({with_a_faster_default(half), with_a_faster_default(twice)}).size(), 1u);
}

TEST_F(MatchLadder, RecordsOfSiblingsAndOtherRegimesStandForTheDefaultToo) {
  DeviceInfo pcie = h200();
  pcie.name = "NVIDIA H100 PCIe";
  pcie.multiprocessors = 114;
  const auto sibling = ladder({with_a_faster_default(record(problem_, 128, pcie))});
  ASSERT_EQ(sibling.size(), 1u);
  EXPECT_EQ(sibling[0].match.rung, Rung::sibling_device);
  EXPECT_EQ(sibling[0].match.configuration, (Configuration{{"BLOCK", 256}}));
  EXPECT_THAT(sibling[0].match.why, HasSubstr("the default was faster there"));
  Record stream = with_a_faster_default(record(problem_, 128));
  stream.key.regime = "stream";
  const auto other = ladder({stream, record(problem(1001), 512)});
  ASSERT_EQ(other.size(), 2u);
  EXPECT_EQ(other[0].match.rung, Rung::other_regime);
  EXPECT_EQ(other[0].match.configuration, (Configuration{{"BLOCK", 256}}));
  EXPECT_THAT(other[0].match.why, HasSubstr("the default was faster there"));
}

// Of the very problem it was a tie, which the present record wins.
TEST_F(MatchLadder, ARecordOfTheVeryProblemServesAsItIs) {
  EXPECT_EQ(best_block({with_a_faster_default(record(problem_, 512))}), 512);
  Record stale = with_a_faster_default(record(problem_, 512));
  stale.driver = "570.9 (CUDA 12.8)";
  EXPECT_EQ(best_block({stale}), 512);
}

TEST_F(MatchLadder, WhetherTheDefaultIsFasterFollowsTheObjective) {
  Record near = record(problem(1001), 512);
  near.speedup = 1.001;  // the medians, and the ratio of the rounds
  near.median_ns = 1000, near.default_ns = 999;
  EXPECT_TRUE(is_default_faster(near));
  near.key.objective = "energy";  // it may cost time
  EXPECT_FALSE(is_default_faster(near));
  near.speedup = 0.999;
  EXPECT_TRUE(is_default_faster(near));
  near = record(problem(1001), 512);
  near.median_ns = 1000, near.default_ns = 0, near.speedup = 1;
  EXPECT_FALSE(is_default_faster(near)) << "the default did not run";
}

TEST_F(MatchLadder, TheDefaultIsTheFirstFallBackThatIsLegalHere) {
  const Record near = with_a_faster_default(record(problem(1001), 512));
  forbid(256);
  EXPECT_EQ(best_block({near}), 512) << "there is no default to lose to";
  const std::vector<Configuration> fallbacks{{{"BLOCK", 256}}, {{"BLOCK", 128}}};
  request_.fallbacks = fallbacks;
  EXPECT_EQ(best_block({near}), 128);
}

TEST_F(MatchLadder, NeverCrossesKindFingerprintOrObjective) {
  DeviceInfo replayed = h200();
  replayed.kind = "replay";
  EXPECT_TRUE(ladder({record(problem_, 128, replayed)}).empty());
  for (auto change : {+[](Record& r) { r.key.code = "code2"; }, +[](Record& r) { r.key.contract = "contract2"; },
                      +[](Record& r) { r.key.objective = "energy"; }}) {
    Record other = record(problem_, 128);
    change(other);
    EXPECT_TRUE(ladder({other}).empty());
  }
}

TEST_F(MatchLadder, TheSameKernelUnderAnotherNameComesSecond) {
  Record renamed = record(problem_, 128, "a");
  renamed.key.kernel = "copy_of_reduce";
  EXPECT_EQ(best_block({renamed}), 128);
  EXPECT_EQ(best_block({renamed, record(problem_, 512, "b")}), 512);
}

// As the database chooses among records of one key: effort counts before completeness.
TEST_F(MatchLadder, MoreEffortWinsThoughItWasCutShortButNotAgainstTheOwnName) {
  for (const char* const driver : {"580.1 (CUDA 13.0)", "570.9 (CUDA 12.8)"}) {  // exact, stale
    const auto made = [&](int block, Effort effort, bool partial, const char* uuid) {
      Record one = record(problem_, block, uuid);
      one.driver = driver, one.effort = effort, one.partial = partial;
      return one;
    };
    const Record whole = made(128, Effort::measure, false, "a"), more = made(512, Effort::patient, true, "b");
    EXPECT_EQ(best_block({whole, more}), 512) << driver;
    EXPECT_EQ(best_block({made(128, Effort::patient, false, "z"), more}), 128) << driver;
    Record renamed = more;
    renamed.key.kernel = "copy_of_reduce";
    EXPECT_EQ(best_block({renamed, whole}), 128) << driver;
  }
}

TEST_F(MatchLadder, TheOrderOfTheRecordsDoesNotMatter) {
  DeviceInfo pcie = h200();
  pcie.multiprocessors = 114;
  std::vector<Record> records{record(problem(500), 128, "a"),   record(problem(2000), 256, "b"),
                              record(problem(1500), 512, "c"),  record(problem(1500), 128, "d"),
                              record(problem_, 256, pcie, "e"), record(problem_, 512, "f")};
  const auto expected = ladder(records);
  ASSERT_EQ(expected.size(), 3u);
  do {
    const auto rungs = ladder(records);
    ASSERT_EQ(rungs.size(), expected.size());
    for (std::size_t i = 0; i < rungs.size(); ++i) {
      ASSERT_EQ(rungs[i].match.rung, expected[i].match.rung);
      ASSERT_EQ(rungs[i].match.configuration, expected[i].match.configuration);
    }
  } while (std::ranges::next_permutation(records, {}, &Record::uuid).found);
}

TEST_F(MatchLadder, ARecordWhoseDefaultFailedSaysSo) {
  Record failing = record(problem_, 128);
  failing.default_verdict = Verdict::fault;
  const auto rungs = ladder({failing});
  EXPECT_EQ(rungs.at(0).match.default_failure, "fault");
  EXPECT_EQ(rungs[0].match.why,
            "reduce was tuned for this problem on NVIDIA H200 (effort measure, 7 trials); the default configuration "
            "failed (fault)");
  EXPECT_EQ(ladder({record(problem_, 128)}).at(0).match.default_failure, "");
}

TEST_F(MatchLadder, WithoutWisdomTheNextStepIsNamed) {
  const Match match = no_match(request_, {{"BLOCK", 256}});
  EXPECT_EQ(match.rung, Rung::none);
  EXPECT_EQ(match.why,
            "no wisdom for reduce on NVIDIA H200; using the default (try: attune tune reduce --problem \"n=1000 rows=1 "
            "offset=0 T=float\")");
  EXPECT_EQ(match.record_problem, "");
  device_.kind = "host";
  EXPECT_THAT(tune_command(request_), HasSubstr("--device host"));
  device_.kind = "cuda";
  device_.ordinal = 3;
  EXPECT_THAT(tune_command(request_), HasSubstr("--device cuda:3"));
}

}  // namespace
}  // namespace attune::test
