// Why each record of a kernel serves or not: the answer is the ladder's own.
#include "kernel/record_reasons.hpp"

#include <gmock/gmock.h>

#include <algorithm>

#include "unit/kernel/ladder_fixture.hpp"

namespace attune::test {
namespace {

using testing::HasSubstr;

class RecordReasons : public MatchLadder {
 protected:
  std::vector<RecordReason> reasons(const std::vector<Record>& records) {
    records_ = records;
    return record_reasons(request_, records_);
  }
  // The reason of the record with this uuid.
  RecordReason reason(const std::string& uuid) const {
    for (const RecordReason& one : record_reasons(request_, records_))
      if (one.record != nullptr && one.record->uuid == uuid) return one;
    ADD_FAILURE() << "no record " << uuid;
    return {};
  }
  std::vector<Record> records_;
};

TEST_F(RecordReasons, EachRecordHasOneAndTheTriedOnesStandInTheOrderOfTheLadder) {
  Record stream = record(problem_, 512, "stream");
  stream.key.regime = "stream";
  const std::vector<Record> records = {record(problem(1500), 128, "near"), stream, record(problem_, 128, "exact"),
                                       record(problem(9000), 512, "far")};
  const auto found = reasons(records);
  ASSERT_EQ(found.size(), records.size() + 1) << "and the fall-back";
  std::vector<GradedMatch> ladder = match_ladder(request_, records);
  add_last_rungs(ladder, request_, records, "");
  for (std::size_t i = 0; i < ladder.size(); ++i) {
    EXPECT_EQ(found.at(i).place, i + 1);
    EXPECT_EQ(found[i].configuration, ladder[i].match.configuration);
    EXPECT_EQ(found[i].record == nullptr ? "" : found[i].record->uuid, ladder[i].uuid);
  }
  EXPECT_EQ(reason("exact").place, 1u);
  EXPECT_EQ(reason("exact").rung, Rung::exact);
  EXPECT_THAT(reason("exact").why, HasSubstr("tuned for this problem on NVIDIA H200"));
  EXPECT_EQ(reason("stream").rung, Rung::other_regime);
  EXPECT_EQ(reason("near").why, "its configuration is that of place 1");
  EXPECT_EQ(reason("near").rung, Rung::near_problem);
}

TEST_F(RecordReasons, AWeakerRecordOfAKeySaysWhatTheStrongerHas) {
  Record quick = record(problem_, 256, "quick"), pin = record(problem_, 512, "pin");
  quick.effort = Effort::estimate;
  Record beaten = record(problem_, 128, "beaten");
  beaten.superseded = true;
  reasons({quick, beaten, record(problem_, 512, "best")});
  EXPECT_EQ(reason("quick").why, "another search had more effort");
  EXPECT_EQ(reason("beaten").why, "another configuration beat it in the same rounds");
  EXPECT_EQ(reason("beaten").rung, Rung::exact);
  EXPECT_EQ(reason("beaten").place, 0u);
  pin.origin = Origin::pinned;
  reasons({pin, record(problem_, 512, "best")});
  EXPECT_EQ(reason("best").why, "another record is pinned");
  EXPECT_EQ(reason("pin").rung, Rung::pinned);
}

TEST_F(RecordReasons, WhatDoesNotFitSaysWhy) {
  Record changed = record(problem_, 128, "changed"), energy = record(problem_, 128, "energy");
  changed.key.code = "code0";
  energy.key.objective = "energy";
  DeviceInfo old = h200();
  old.name = "NVIDIA A100";
  old.compute_capability = 80;
  reasons({changed, energy, record(problem_, 128, old, "old"), record(problem(4000), 128, old, "elsewhere")});
  EXPECT_THAT(reason("changed").why, HasSubstr("another text of its code"));
  EXPECT_THAT(reason("energy").why, HasSubstr("`energy`, not `time`"));
  EXPECT_THAT(reason("old").why, HasSubstr("NVIDIA A100, of another compute capability"));
  for (const char* uuid : {"changed", "energy", "old", "elsewhere"}) {
    EXPECT_EQ(reason(uuid).rung, Rung::none) << uuid;
    EXPECT_EQ(reason(uuid).place, 0u) << uuid;
  }
}

TEST_F(RecordReasons, AnIllegalConfigurationNamesTheRule) {
  forbid(128);
  reasons({record(problem_, 128, "illegal")});
  EXPECT_EQ(reason("illegal").why, "it is not legal here: BLOCK != 128 does not hold");
  EXPECT_EQ(reason("illegal").rung, Rung::exact);
  EXPECT_EQ(reason("illegal").place, 0u);
}

// The reason of a cover, where no other and no record is known.
TEST_F(RecordReasons, ACoverSaysWhatSpeaksForItOrAgainstIt) {
  const auto alone = [&](const Cover& cover) {
    const auto found = record_reasons(request_, {}, {&cover, 1});
    const auto of_cover = std::ranges::find(found, &cover, &RecordReason::cover);
    EXPECT_NE(of_cover, found.end());
    EXPECT_EQ(found.size(), 2u) << "and the fall-back";
    return *of_cover;
  };
  const auto against = [&](auto change) {
    Cover other = cover();
    change(other);
    const RecordReason reason = alone(other);
    EXPECT_EQ(reason.place, 0u) << reason.why;
    EXPECT_EQ(reason.rung, Rung::none) << reason.why;
    return reason.why;
  };
  const RecordReason chosen = alone(cover());
  EXPECT_EQ(chosen.place, 1u);
  EXPECT_EQ(chosen.rung, Rung::cover);
  EXPECT_EQ(chosen.configuration.text(), "BLOCK=128");
  EXPECT_THAT(chosen.why, HasSubstr("expected to be 1.2 % slower than the best"));
  EXPECT_THAT(against([](Cover& it) { it.key.code = "code0"; }), HasSubstr("another text of the code"));
  EXPECT_THAT(against([](Cover& it) { it.key.contract = "other"; }), HasSubstr("[arguments] changed"));
  EXPECT_THAT(against([](Cover& it) { it.key.device_class += "x", it.device_name = "NVIDIA A100"; }),
              HasSubstr("it is for NVIDIA A100, another device"));
  EXPECT_THAT(against([](Cover& it) { it.key.objective = "energy"; }), HasSubstr("`energy`, not `time`"));
  EXPECT_THAT(against([](Cover& it) { it.key.regime = "warm"; }), HasSubstr("for warm launches, not cold"));
  EXPECT_THAT(against([](Cover& it) { it.protocol = first_present_protocol - 1; }), HasSubstr("another meaning"));
  for (const char* const tree : {"-2", "2"})
    EXPECT_THAT(against([&](Cover& it) { it.tree = tree; }), HasSubstr("no answer here")) << tree;
  EXPECT_THAT(against([](Cover& it) { it.tree = "n / 0"; }), HasSubstr("cannot be evaluated here: its rule"));
  EXPECT_THAT(against([](Cover& it) { it.measured = "("; }), HasSubstr("cannot be evaluated here"));
  forbid(128);
  EXPECT_THAT(against([](Cover&) {}), HasSubstr("its answer BLOCK=128 is not legal here: BLOCK != 128 does not hold"));
}

TEST_F(RecordReasons, CoversStandInTheOrderInWhichTheyAreAsked) {
  Cover own = cover("0"), newer = cover("1"), renamed = cover("1");
  own.made_ms = 1, newer.made_ms = 2, renamed.made_ms = 3;
  renamed.key.kernel = "another";
  const std::vector<Record> records = {record(problem(1500), 128, "near")};
  const std::vector<Cover> covers = {own, renamed, newer};
  const auto found = record_reasons(request_, records, covers);
  ASSERT_EQ(found.size(), 5u) << "a record, three covers and the fall-back";
  EXPECT_EQ(found[0].cover, &covers[2]);
  EXPECT_EQ(found[0].place, 1u);
  EXPECT_EQ(found[1].record, &records[0]) << "a near problem stands behind the rung of covers";
  EXPECT_EQ(found[1].place, 2u);
  EXPECT_EQ(found[2].why, "a fall-back, which needs no record");
  EXPECT_EQ(found[3].why, "a newer cover is asked before it");
  EXPECT_EQ(found[4].why, "a cover of the kernel's own name is asked before it");
  const std::vector<Cover> twice = {newer, newer};
  const auto of_two = record_reasons(request_, {}, twice);
  EXPECT_EQ(of_two.front().cover, &twice[0]);
  EXPECT_EQ(of_two.back().why, "the same cover of another source is asked before it");
  const std::vector<Record> exact = {record(problem_, 512, "exact")};
  const auto same = record_reasons(request_, exact, {&covers[2], 1});
  ASSERT_EQ(same.size(), 3u);
  EXPECT_EQ(same[2].cover, &covers[2]);
  EXPECT_EQ(same[2].why, "its configuration is that of place 1");
}

TEST_F(RecordReasons, AFullRungIsSaidSo) {
  spec_.parameters = {{"BLOCK", {1, 2, 3, 4, 5, 6}}};
  std::vector<Record> near;
  for (int i = 1; i <= 5; ++i) near.push_back(record(problem(1000 + i), i, std::to_string(i)));
  reasons(near);
  EXPECT_EQ(reason("4").place, 4u);
  EXPECT_EQ(reason("5").why, "4 records before it stand on this rung");
}

TEST_F(RecordReasons, AFallBackThatIsKnownToFailIsTheLastOfAll) {
  Record failing = record(problem_, 512, "failing");
  failing.default_verdict = Verdict::resources;
  const auto found = reasons({failing});
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[1].record, nullptr);
  EXPECT_EQ(found[1].place, 2u);
  EXPECT_EQ(found[1].why, "a fall-back, which is known to fail here");
}

}  // namespace
}  // namespace attune::test
