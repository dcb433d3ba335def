// What is joined into a wisdom database from another one, and from parts.
#include "db/wisdom_join.hpp"

#include <atomic>
#include <limits>
#include <tuple>

#include "attune/error.hpp"
#include "base/waiting.hpp"
#include "db/field_values.hpp"
#include "db/wisdom_test.hpp"

namespace attune::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::SizeIs;

class WisdomJoinTest : public WisdomTest {
 protected:
  const fs::path other_ = scratch_ / "other.db";

  JoinTerms terms() const { return {.into = file_}; }
  JoinTerms looking() const { return {.into = file_, .only_looks = true}; }
  // The one count of a result.
  static JoinCount count_of(const JoinResult& result) {
    EXPECT_THAT(result.counts, SizeIs(1));
    return result.counts.empty() ? JoinCount() : result.counts.begin()->second;
  }
  void expect_no_copy() const {
    for (const auto& entry : fs::directory_iterator(file_.parent_path()))
      EXPECT_THAT(entry.path().string(), testing::Not(HasSubstr(".new-"))) << "a copy was left";
  }
  // A session with two trials, and a record with a finalist.
  void fill_other() const {
    WisdomStore store(other_);
    const std::int64_t session = begin(store);
    store.add_trial(session, sample_trial(64));
    store.add_trial(session, sample_trial(128));
    FinalistResult finalist;
    finalist.configuration = configuration(64);
    finalist.measurement = sample_trial(64).measurement;
    finalist.objective_values = {12.5};
    store.put_record(sample_record(), {}, std::vector{finalist});
  }
};

TEST_F(WisdomJoinTest, AnotherDatabaseIsJoinedWholeAndOnce) {
  fill_other();
  const JoinCount first = count_of(join_database(other_, terms()));
  EXPECT_EQ(std::tuple(first.sessions, first.trials, first.records, first.serving, first.known),
            std::tuple(1, 2, 1, 1, 0));
  const JoinCount second = count_of(join_database(other_, terms()));
  EXPECT_EQ(std::tuple(second.sessions, second.trials, second.records, second.serving, second.known),
            std::tuple(0, 0, 0, 0, 2));
  WisdomStore store(file_), source(other_);
  const SessionRow joined = store.sessions("reduce").at(0), given = source.sessions("reduce").at(0);
  EXPECT_EQ(texts_of(joined), texts_of(given));
  EXPECT_EQ(joined.host, "node7") << "a merge joins files of one's own";
  ASSERT_THAT(store.trials(joined.id), SizeIs(2));
  for (std::size_t i = 0; i < 2; ++i)
    EXPECT_EQ(texts_of(store.trials(joined.id)[i]), texts_of(source.trials(given.id)[i]));
  ASSERT_THAT(store.records(), SizeIs(1));
  EXPECT_EQ(texts_of(store.records()[0]), texts_of(source.records()[0]));
  EXPECT_THAT(store.finalists(store.records()[0].uuid), SizeIs(1));
  EXPECT_EQ(answer_to("SELECT memory_bytes FROM device"), std::to_string(sample_device().memory_bytes));
}

TEST_F(WisdomJoinTest, ASessionThatWentOnBringsWhatIsNew) {
  fill_other();
  join_database(other_, terms());
  {
    WisdomStore source(other_);
    const SessionRow session = source.sessions("reduce").at(0);
    source.add_trial(session.id, sample_trial(256));
    source.update_session(session.id, SessionState::finished, 9.5);
  }
  const JoinCount count = count_of(join_database(other_, terms()));
  EXPECT_EQ(std::tuple(count.sessions, count.trials), std::tuple(0, 1));
  WisdomStore store(file_);
  ASSERT_THAT(store.sessions("reduce"), SizeIs(1));
  EXPECT_EQ(store.sessions("reduce")[0].trials, 3);
  EXPECT_EQ(store.sessions("reduce")[0].state, SessionState::finished);
  EXPECT_EQ(store.sessions("reduce")[0].used_seconds, 9.5);
}

TEST_F(WisdomJoinTest, TheStrongerRecordServesAndTheOriginStays) {
  Record own = sample_record(), better = sample_record(), weaker = sample_record();
  better.effort = Effort::patient;
  better.origin = Origin::measured;
  weaker.origin = Origin::imported, weaker.source = "Kernel Tuner", weaker.made_ms = own.made_ms + 1000;
  WisdomStore(file_).put_record(own);
  WisdomStore(other_).put_record(weaker);
  EXPECT_EQ(count_of(join_database(other_, terms())).serving, 0);
  EXPECT_EQ(WisdomStore(file_).records().at(0).uuid, own.uuid);
  WisdomStore(other_).put_record(better);
  EXPECT_EQ(count_of(join_database(other_, terms())).serving, 1);
  EXPECT_EQ(WisdomStore(file_).records().at(0).uuid, better.uuid);
  EXPECT_EQ(WisdomStore(file_).history(sample_key()).size(), 3u);
}

TEST_F(WisdomJoinTest, WhatWasBeatenThereIsBeatenHere) {
  Record beaten = sample_record(), winner = sample_record();
  beaten.effort = Effort::exhaustive;
  WisdomStore(file_).put_record(beaten);
  {
    WisdomStore source(other_);
    source.put_record(beaten);
    source.put_record(winner, beaten.uuid);
  }
  join_database(other_, terms());
  EXPECT_EQ(WisdomStore(file_).records().at(0).uuid, winner.uuid);
}

TEST_F(WisdomJoinTest, QuarantineAndItsLiftingAreJoined) {
  Trial killer = sample_trial(64), lifted = sample_trial(128);
  killer.verdict = lifted.verdict = Verdict::fault;
  killer.deaths = lifted.deaths = 2;
  {
    WisdomStore source(other_);
    source.add_trial(begin(source), lifted);
    source.lift_quarantine(sample_key());
    source.add_trial(begin(source), killer);
  }
  join_database(other_, terms());
  WisdomStore store(file_);
  ASSERT_THAT(store.quarantined(sample_key()), SizeIs(1));
  EXPECT_EQ(store.quarantined(sample_key())[0].configuration, killer.configuration);
  ASSERT_THAT(store.lifted(sample_key()), SizeIs(1));
  EXPECT_EQ(store.lifted(sample_key())[0].configuration, lifted.configuration);
}

TEST_F(WisdomJoinTest, TheNewerCeilingStays) {
  const auto ceiling = [](double value, std::int64_t made_ms) {
    return Ceiling{"copy", value, "B/s", "how", "580", "0.1.0", made_ms};
  };
  WisdomStore(file_).put_ceilings(sample_device(), std::vector{ceiling(2, 200)});
  WisdomStore(other_).put_ceilings(sample_device(), std::vector{ceiling(1, 100)});
  EXPECT_EQ(join_database(other_, terms()).ceilings, 0);
  WisdomStore(other_).put_ceilings(sample_device(), std::vector{ceiling(3, 300)});
  EXPECT_EQ(join_database(other_, terms()).ceilings, 1);
  EXPECT_EQ(WisdomStore(file_).ceilings(sample_device().class_key()).at(0).value, 3);
}

TEST_F(WisdomJoinTest, LookingCountsTheSameAndWritesNothing) {
  fill_other();
  const JoinCount looked = count_of(join_database(other_, looking()));
  EXPECT_FALSE(fs::exists(file_));
  const JoinCount joined = count_of(join_database(other_, terms()));
  EXPECT_EQ(std::tuple(looked.sessions, looked.trials, looked.records, looked.serving),
            std::tuple(joined.sessions, joined.trials, joined.records, joined.serving));
  EXPECT_EQ(count_of(join_database(other_, looking())).known, 2);
}

TEST_F(WisdomJoinTest, TwoBackupsAreKeptOfWhatWasThere) {
  for (int i = 0; i < 4; ++i) {
    WisdomParts parts;
    parts.records.push_back({sample_record(1000 + i)});
    EXPECT_EQ(join_parts(parts, terms()).has_backup, i > 0) << "there is nothing to keep of a new database";
    EXPECT_FALSE(join_parts(parts, terms()).has_backup) << "nothing changed";
  }
  EXPECT_THAT(WisdomStore(fs::path(file_.string() + ".bak-1")).records(), SizeIs(3));
  EXPECT_THAT(WisdomStore(fs::path(file_.string() + ".bak-2")).records(), SizeIs(2));
}

TEST_F(WisdomJoinTest, AnInvalidPartJoinsNothing) {
  WisdomParts parts;
  parts.records.push_back({sample_record(1)});
  parts.records.push_back({sample_record(2)});
  parts.records.back().record.median_ns = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(join_parts(parts, terms()), UsageError);
  EXPECT_THAT(WisdomStore(file_).records(), SizeIs(0));
}

TEST_F(WisdomJoinTest, WhatIsNoWisdomIsRefusedByItsOwnName) {
  const auto message_of = [&](const fs::path& from) { return error_of([&] { join_database(from, terms()); }); };
  SQLite::Database(other_.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE).exec("CREATE TABLE t(x)");
  EXPECT_THAT(message_of(other_), testing::AllOf(HasSubstr(other_.string()), testing::Not(HasSubstr(".new-"))));
  EXPECT_THAT(message_of(scratch_ / "absent.db"), HasSubstr("there is no wisdom database"));
  begin();
  EXPECT_THAT(message_of(file_), HasSubstr("into itself"));
  expect_no_copy();
}

TEST_F(WisdomJoinTest, ARequestToStopLeavesNothingBehind) {
  fill_other();
  begin();
  const std::atomic<int> stop = 1;
  JoinTerms stopped = terms();
  stopped.waiting.stop = &stop;
  EXPECT_THROW(join_database(other_, stopped), WaitInterrupted);
  EXPECT_THAT(WisdomStore(file_).records(), SizeIs(0));
  expect_no_copy();
}

TEST_F(WisdomJoinTest, CopiesOfWritersThatWereKilledAreSwept) {
  fill_other();
  const std::string uuid = "11111111-2222-4333-8444-555555555555";
  const auto put = [&](const std::string& name, std::chrono::hours age) {
    const fs::path file = file_.parent_path() / name;
    test::write_file(file, "x");
    fs::last_write_time(file, fs::file_time_type::clock::now() - age);
    return file;
  };
  using std::chrono::hours;
  const fs::path old = put(".a.db.new-" + uuid, hours(2)), journal = put(".a.db.new-" + uuid + "-journal", hours(2));
  const std::vector<fs::path> kept = {put(".b.db.new-" + uuid, hours(0)), put("c.db.new-" + uuid, hours(2)),
                                      put(".d.db.new-" + uuid + "-notes", hours(2)), put(".e.db.new-1", hours(2))};
  join_database(other_, terms());
  EXPECT_FALSE(fs::exists(old));
  EXPECT_FALSE(fs::exists(journal));
  for (const fs::path& file : kept) EXPECT_TRUE(fs::exists(file)) << file;
}

// A writer stores trials one by one while databases are joined again and again.
TEST_F(WisdomJoinTest, AWriterMeanwhileLosesNothing) {
  constexpr int trials = 100, joins = 6, blocks = 5;
  const std::int64_t session = begin();
  const Child writer = start([&](int) {
    WisdomStore store(file_);
    for (int i = 0; i < trials; ++i) store.add_trial(session, sample_trial(1000 + i));
  });
  for (int i = 0; i < joins; ++i) {
    const fs::path one = scratch_ / ("other" + std::to_string(i) + ".db");
    {
      WisdomStore source(one);
      const std::int64_t id = begin(source);
      for (int block = 1; block <= blocks; ++block) source.add_trial(id, sample_trial(block));
    }
    join_database(one, {.into = file_, .keeps_backup = false});
  }
  EXPECT_EQ(exit_status(writer), 0);
  WisdomStore store(file_);
  EXPECT_THAT(store.trials(session), SizeIs(trials));
  ASSERT_THAT(store.sessions("reduce"), SizeIs(joins + 1));
  for (const SessionRow& joined : store.sessions("reduce"))
    EXPECT_EQ(joined.trials, joined.id == session ? trials : blocks);
}

}  // namespace
}  // namespace attune::test
