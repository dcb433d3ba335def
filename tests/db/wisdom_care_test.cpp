// What is looked up, forgotten, verified and compacted beside a store's own work.
#include <fstream>

#include "db/wisdom_forget.hpp"
#include "db/wisdom_look.hpp"
#include "db/wisdom_test.hpp"
#include "db/wisdom_verify.hpp"

namespace attune {
namespace {

using test::error_of;
using test::sample_key;
using test::sample_record;
using test::sample_trial;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

Trial failed(int block, Verdict verdict, const std::string& detail) {
  Trial trial = sample_trial(block);
  trial.verdict = verdict;
  trial.detail = detail;
  trial.measurement = {};
  return trial;
}

Trial timed(int block, double median_ns) {
  Trial trial = sample_trial(block);
  trial.measurement.median_ns = median_ns;
  return trial;
}

class WisdomCare : public test::WisdomTest {
 protected:
  WisdomStore store_{file_};
  const Forgetting all_{.kernel = "", .includes = [](const RecordKey&) { return true; }};

  VerifiedTable table(const Verification& found, const std::string& name) const {
    for (const VerifiedTable& one : found.tables)
      if (one.name == name) return one;
    return {};
  }
};

TEST_F(WisdomCare, TalliesHaveEachVerdictWithItsFirstTrial) {
  const auto session = begin(store_);
  store_.add_trials(session, std::vector{timed(1, 30), failed(2, Verdict::fault, "a"), timed(3, 10), timed(4, 20),
                                         failed(5, Verdict::fault, "b"), failed(6, Verdict::guard, "c")});
  const std::vector<VerdictTally> tallies = verdict_tallies(store_, session);
  ASSERT_THAT(tallies, SizeIs(3));
  EXPECT_EQ(tallies[0].count, 3);
  EXPECT_EQ(tallies[1].count, 2);
  EXPECT_EQ(tallies[1].example.detail, "a");
  EXPECT_EQ(tallies[2].example.verdict, Verdict::guard);
  std::vector<double> times;
  for (const Trial& trial : best_trials(store_, session, 2)) times.push_back(trial.measurement.median_ns);
  EXPECT_THAT(times, ElementsAre(10, 20));
  EXPECT_THAT(best_trials(store_, begin(store_), 2), IsEmpty());
}

TEST_F(WisdomCare, TheNewestTrialOfAConfigurationIsFoundInEverySessionOfItsKey) {
  EXPECT_FALSE(newest_trial(store_, sample_key(), test::configuration(1)).has_value());
  store_.add_trial(begin(store_), timed(1, 30));
  store_.add_trial(begin(store_), timed(1, 40));
  store_.add_trial(begin(store_, 7), timed(1, 50));
  EXPECT_EQ(newest_trial(store_, sample_key(), test::configuration(1)).value().measurement.median_ns, 40);
  EXPECT_FALSE(newest_trial(store_, sample_key(), test::configuration(2)).has_value());
}

TEST_F(WisdomCare, AllRecordsAreThoseOfTheNameAndOfTheCode) {
  Record renamed = sample_record(), changed = sample_record(), foreign = sample_record();
  renamed.key.kernel = "copy";
  changed.key.code = std::string(64, 'x');
  foreign.key.kernel = "other";
  foreign.key.code = std::string(64, 'y');
  for (const Record& record : {sample_record(), renamed, changed, foreign}) store_.put_record(record);
  EXPECT_THAT(all_records(store_, sample_key()), SizeIs(3));
  EXPECT_THAT(device_classes(store_), ElementsAre(sample_key().device_class));
}

TEST_F(WisdomCare, WhatIsForgottenIsGoneWithAllThatHangsOnIt) {
  const auto session = begin(store_, 1);
  Trial dead = failed(2, Verdict::fault, "");
  dead.deaths = 2;
  store_.add_trials(session, std::vector{timed(1, 30), dead});
  store_.begin_attempts(session, {test::configuration(9)}, true);
  store_.put_record(sample_record(1), {}, std::vector<FinalistResult>(1));
  begin(store_, 2);
  Forgetting first = all_;
  first.includes = [](const RecordKey& key) { return key.problem == sample_key(1).problem; };
  for (const bool is_trial_run : {true, false}) {
    const Forgotten gone = forget(store_, first, is_trial_run);
    EXPECT_EQ(gone.records, 1);
    EXPECT_EQ(gone.sessions, 1);
    EXPECT_EQ(gone.trials, 2);
    EXPECT_EQ(gone.quarantined, 1);
    EXPECT_THAT(store_.records(), SizeIs(is_trial_run ? 1 : 0));
  }
  EXPECT_TRUE(forget(store_, first, false).is_nothing());
  for (const char* table : {"record", "finalist", "trial", "attempt"})
    EXPECT_EQ(answer_to(std::string("SELECT count(*) FROM ") + table), "0") << table;
  EXPECT_EQ(answer_to("SELECT count(*) FROM problem"), "1") << "that of the other session";
  forget(store_, all_, false);
  for (const char* table : {"session", "kernel", "problem", "device"})
    EXPECT_EQ(answer_to(std::string("SELECT count(*) FROM ") + table), "0") << table;
}

TEST_F(WisdomCare, OneSessionOrOneKindOfRowIsForgottenAlone) {
  const auto first = begin(store_), second = begin(store_);
  Record pin = sample_record();
  pin.origin = Origin::pinned;
  store_.put_record(pin);
  store_.put_record(sample_record());
  Forgetting what = all_;
  what.session = first;
  EXPECT_EQ(forget(store_, what, false).sessions, 1);
  EXPECT_THAT(error_of([&] { forget(store_, what, false); }), HasSubstr("no session"));
  what = all_;
  what.sessions = false;
  what.pins_alone = true;
  EXPECT_EQ(forget(store_, what, false).records, 1);
  EXPECT_EQ(store_.records().at(0).origin, Origin::measured);
  what.pins_alone = false;
  EXPECT_EQ(forget(store_, what, false).records, 1);
  EXPECT_EQ(store_.sessions("").at(0).id, second);
  what = {.kernel = "other", .includes = all_.includes};
  EXPECT_TRUE(forget(store_, what, false).is_nothing());
}

TEST_F(WisdomCare, ADeviceWithCeilingsIsNotForgotten) {
  const Ceiling copy{.name = "copy", .value = 1, .unit = "B/s", .detail = "", .driver = "", .attune_version = ""};
  store_.put_ceilings(test::sample_device(), std::vector{copy});
  store_.put_record(sample_record());
  forget(store_, all_, false);
  EXPECT_THAT(store_.ceilings(test::sample_device().class_key()), SizeIs(1));
}

TEST_F(WisdomCare, VerifyingReadsEveryRowAndNamesTheDamagedOnes) {
  const auto session = begin(store_);
  store_.add_trials(session, std::vector{timed(1, 30), timed(2, 30), timed(3, 30)});
  for (const int n : {1, 2}) store_.put_record(sample_record(n), {}, std::vector<FinalistResult>(1));
  Verification found = verify_wisdom(file_);
  EXPECT_TRUE(found.is_sound());
  EXPECT_EQ(table(found, "trial").rows, 3);
  EXPECT_EQ(table(found, "record").rows, 2);
  EXPECT_EQ(table(found, "finalist").rows, 2);
  EXPECT_EQ(table(found, "session").rows, 1);
  execute(
      "UPDATE trial SET samples_ns = '[1,' WHERE id = 2; UPDATE record SET median_ns = 7 WHERE id = 1; "
      "UPDATE record SET strength = strength + 1 WHERE id = 2; UPDATE finalist SET objectives = '{}' WHERE id = 2");
  found = verify_wisdom(file_);
  EXPECT_FALSE(found.is_sound());
  EXPECT_THAT(table(found, "trial").damaged, ElementsAre(2));
  EXPECT_THAT(table(found, "record").damaged, ElementsAre(1, 2));
  EXPECT_THAT(table(found, "finalist").damaged, ElementsAre(2));
  EXPECT_THAT(found.defects, IsEmpty());
  execute("PRAGMA foreign_keys = OFF; DELETE FROM session");
  EXPECT_THAT(verify_wisdom(file_).defects,
              ElementsAre("row 1 of trial names a missing row of session, and 2 more such rows"));
}

TEST_F(WisdomCare, VerifyingNamesADamagedPage) {
  const auto session = begin(store_);
  std::vector<Trial> trials;
  for (int block = 0; block < 200; ++block) trials.push_back(sample_trial(block));
  store_.add_trials(session, trials);
  std::string bytes = test::content_of(file_);
  const int page = std::stoi(answer_to("SELECT rootpage FROM sqlite_schema WHERE name = 'session_by_key'"));
  const int size = std::stoi(answer_to("PRAGMA page_size"));
  bytes[static_cast<std::size_t>(page * size - 1)] ^= 1;
  test::write_file(file_, bytes);
  const Verification found = verify_wisdom(file_);
  ASSERT_THAT(found.defects, Not(IsEmpty()));
  EXPECT_THAT(found.defects[0], HasSubstr("session_by_key"));
  EXPECT_THAT(error_of([&] { compact_wisdom(file_); }), HasSubstr("stays as it is"));
  EXPECT_EQ(test::content_of(file_), bytes);
}

TEST_F(WisdomCare, ALargeFileIsOpenedWithoutACheckOfItsTrials) {
  std::vector<Trial> trials;
  for (int block = 0; block < 1100; ++block)
    trials.push_back(failed(block, Verdict::fault, std::string(std::size_t{64} << 10, 'x')));
  store_.add_trials(begin(store_), trials);
  store_.put_record(sample_record());
  ASSERT_GT(std::filesystem::file_size(file_), std::uintmax_t{64} << 20);
  const auto damage = [&](const std::string& index) {
    const int page = std::stoi(answer_to("SELECT rootpage FROM sqlite_schema WHERE name = '" + index + "'"));
    std::fstream file(file_, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(page * std::stoi(answer_to("PRAGMA page_size")) - 1);
    file.put('\x7f');
  };
  damage("sqlite_autoindex_trial_1");
  EXPECT_EQ(error_of([&] { WisdomStore{file_}; }), "");
  EXPECT_FALSE(verify_wisdom(file_).is_sound());
  damage("record_by_key");
  EXPECT_THAT(error_of([&] { WisdomStore{file_}; }), HasSubstr("record_by_key"));
}

TEST_F(WisdomCare, CompactingReturnsTheSpaceOfWhatIsGone) {
  std::vector<Trial> trials;
  for (int block = 0; block < 400; ++block) trials.push_back(failed(block, Verdict::fault, std::string(1000, 'x')));
  store_.add_trials(begin(store_), trials);
  store_.put_record(sample_record());
  Forgetting sessions = all_;
  sessions.records = false;
  forget(store_, sessions, false);
  const auto before = std::filesystem::file_size(file_);
  compact_wisdom(file_);
  EXPECT_LT(std::filesystem::file_size(file_), before / 2);
  EXPECT_THAT(WisdomStore(file_, WisdomStore::Access::read_only).records(), SizeIs(1));
  EXPECT_TRUE(verify_wisdom(file_).is_sound());
  EXPECT_EQ(answer_to("PRAGMA application_id"), "1635022190");
}

TEST_F(WisdomCare, APinStaysWhateverIsFound) {
  Record pin = sample_record(), found = sample_record();
  pin.origin = Origin::pinned;
  pin.protocol = 0;
  EXPECT_TRUE(store_.put_record(pin));
  EXPECT_FALSE(store_.find_record(sample_key()).has_value()) << "nothing was found so far";
  EXPECT_FALSE(store_.put_record(found));
  EXPECT_EQ(store_.find_record(sample_key()).value().uuid, found.uuid) << "what sessions compare with";
  Record better = sample_record();
  better.effort = Effort::estimate;
  EXPECT_FALSE(store_.put_record(better, found.uuid)) << "the pin serves";
  EXPECT_EQ(store_.records().at(0).uuid, pin.uuid);
  EXPECT_FALSE(store_.records().at(0).superseded);
  EXPECT_EQ(store_.find_record(sample_key()).value().uuid, better.uuid);
  EXPECT_THAT(store_.history(sample_key()), SizeIs(3));
}

}  // namespace
}  // namespace attune
