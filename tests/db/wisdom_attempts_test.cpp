// Attempts and quarantine of a WisdomStore.
#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "db/scratch.hpp"
#include "db/wisdom_store.hpp"

namespace attune {

// Here and not in the header, where it would be found for every comparison: what the tests compare, and how it is
// shown when it differs.
bool operator==(const Attempt& a, const Attempt& b) {
  return a.configuration == b.configuration && a.begun == b.begun && a.deaths == b.deaths;
}
void PrintTo(const Attempt& attempt, std::ostream* out) {
  *out << attempt.configuration << ": begun " << attempt.begun << ", deaths " << attempt.deaths;
}

namespace {

using test::error_of;
using test::sample_device;
using test::sample_key;
using test::sample_session;
using test::sample_trial;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Configuration configuration(int block) { return sample_trial(block).configuration; }
Attempt attempt(int block, int begun, int deaths = 0) { return {configuration(block).text(), begun, deaths}; }

Trial faulty(int block, Verdict verdict = Verdict::fault) {
  Trial trial = sample_trial(block);
  trial.verdict = verdict;
  trial.detail = "an illegal address was read";
  return trial;
}

std::vector<std::string> blocks(const std::vector<QuarantineEntry>& entries) {
  std::vector<std::string> texts;
  for (const QuarantineEntry& entry : entries) texts.push_back(entry.configuration);
  return texts;
}

// Damage as a careless hand does it: past the store.
void execute(const std::filesystem::path& file, const char* statements) {
  SQLite::Database database(file.string(), SQLite::OPEN_READWRITE);
  database.exec(statements);
}

TEST(WisdomAttempts, CountHowOftenEachConfigurationWasBegun) {
  WisdomStore store(":memory:");
  const auto session = store.begin_session(sample_session(), sample_device());
  EXPECT_THAT(store.open_attempts(session), IsEmpty());
  EXPECT_EQ(store.begin_attempt(session, configuration(1)), attempt(1, 1));
  EXPECT_THAT(store.open_attempts(session), ElementsAre(attempt(1, 1)));
  EXPECT_EQ(store.begin_attempt(session, configuration(2)), attempt(2, 1));
  EXPECT_THAT(store.open_attempts(session), ElementsAre(attempt(1, 1), attempt(2, 1)));
  EXPECT_EQ(store.begin_attempt(session, configuration(1)), attempt(1, 2));
  EXPECT_THAT(store.open_attempts(session), ElementsAre(attempt(1, 2), attempt(2, 1))) << "the first begun stays first";
}

TEST(WisdomAttempts, CountTheDeathsOfTheirWorkers) {
  WisdomStore store(":memory:");
  const auto session = store.begin_session(sample_session(), sample_device());
  store.begin_attempt(session, configuration(1));
  store.begin_attempt(session, configuration(2));
  store.count_death(session, configuration(1));
  EXPECT_THAT(store.open_attempts(session), ElementsAre(attempt(1, 1, 1), attempt(2, 1, 0)));
  EXPECT_EQ(store.begin_attempt(session, configuration(1)), attempt(1, 2, 1));
  store.count_death(session, configuration(1));
  EXPECT_THAT(store.open_attempts(session), ElementsAre(attempt(1, 2, 2), attempt(2, 1, 0)));
  store.count_death(session, configuration(3));
  EXPECT_THAT(store.open_attempts(session), ElementsAre(attempt(1, 2, 2), attempt(2, 1, 0), attempt(3, 1, 1)))
      << "a death is counted even if nobody said that the attempt began";
}

TEST(WisdomAttempts, EndWithTheTrialOfTheirConfiguration) {
  WisdomStore store(":memory:");
  const auto session = store.begin_session(sample_session(), sample_device());
  for (const int block : {1, 2}) store.begin_attempt(session, configuration(block));
  Trial trial = sample_trial(1);
  trial.attempts = 2;
  store.add_trial(session, trial);
  EXPECT_THAT(store.open_attempts(session), ElementsAre(attempt(2, 1)));
  ASSERT_EQ(store.trials(session).size(), 1u);
  EXPECT_EQ(store.trials(session)[0].attempts, 2);
  store.add_trial(session, sample_trial(3));
  EXPECT_THAT(store.open_attempts(session), ElementsAre(attempt(2, 1))) << "a trial without an attempt ends none";
  store.add_trial(session, faulty(2));
  EXPECT_THAT(store.open_attempts(session), IsEmpty());
  EXPECT_EQ(store.begin_attempt(session, configuration(1)), attempt(1, 1)) << "what a verdict ended is forgotten";
}

TEST(WisdomAttempts, BeginTogetherWithTheVerdictsBefore) {
  WisdomStore store(":memory:");
  const auto session = store.begin_session(sample_session(), sample_device());
  store.begin_attempt(session, configuration(1));
  const std::vector<Trial> verdicts = {sample_trial(1), sample_trial(3)};
  EXPECT_EQ(store.begin_attempt(session, configuration(2), verdicts), attempt(2, 1));
  EXPECT_THAT(store.open_attempts(session), ElementsAre(attempt(2, 1)));
  EXPECT_EQ(store.trials(session).size(), 2u);
}

TEST(WisdomAttempts, AreWithdrawnOneBeginningAtATime) {
  WisdomStore store(":memory:");
  const auto session = store.begin_session(sample_session(), sample_device());
  store.begin_attempt(session, configuration(1));
  store.begin_attempt(session, configuration(1));
  store.withdraw_attempt(session, configuration(1));
  EXPECT_THAT(store.open_attempts(session), ElementsAre(attempt(1, 1)));
  store.withdraw_attempt(session, configuration(1));
  EXPECT_THAT(store.open_attempts(session), IsEmpty());
  store.withdraw_attempt(session, configuration(1));
  EXPECT_THAT(store.open_attempts(session), IsEmpty());
}

TEST(WisdomAttempts, BelongToTheirSession) {
  const test::Scratch scratch;
  WisdomStore store(scratch / "w.db");
  const auto one = store.begin_session(sample_session(), sample_device());
  const auto other = store.begin_session(sample_session(), sample_device());
  store.begin_attempt(one, configuration(1));
  EXPECT_EQ(store.begin_attempt(other, configuration(1)), attempt(1, 1));
  store.add_trial(other, sample_trial(1));
  EXPECT_THAT(store.open_attempts(one), ElementsAre(attempt(1, 1)));
  EXPECT_THAT(store.open_attempts(other), IsEmpty());
  execute(scratch / "w.db", "PRAGMA foreign_keys = ON; DELETE FROM session WHERE id = 1");
  EXPECT_THAT(store.open_attempts(one), IsEmpty()) << "they go with their session";
}

TEST(WisdomAttempts, NeedASession) {
  WisdomStore store(":memory:");
  EXPECT_THAT(error_of([&] { store.begin_attempt(7, configuration(1)); }), HasSubstr("no session 7"));
  EXPECT_THAT(error_of([&] { store.count_death(7, configuration(1)); }), HasSubstr("no session 7"));
  EXPECT_THAT(error_of([&] { store.quarantine(7, faulty(1)); }), HasSubstr("no session 7"));
  EXPECT_THAT(store.open_attempts(7), IsEmpty());
}

TEST(WisdomAttempts, AreLeftOutAndCountedWhenDamagedAndBegunAnew) {
  const char* damages[] = {
      "UPDATE attempt SET begun = 0 WHERE id = 1",
      "UPDATE attempt SET begun = 5000000000 WHERE id = 1",
      "UPDATE attempt SET deaths = -1 WHERE id = 1",
      "UPDATE attempt SET configuration = 'nonsense' WHERE id = 1",
  };
  for (const char* damage : damages) {
    const test::Scratch scratch;
    std::int64_t session = 0;
    {
      WisdomStore store(scratch / "w.db");
      session = store.begin_session(sample_session(), sample_device());
      for (const int block : {1, 2}) store.begin_attempt(session, configuration(block));
    }
    execute(scratch / "w.db", damage);
    WisdomStore store(scratch / "w.db");
    EXPECT_THAT(store.open_attempts(session), ElementsAre(attempt(2, 1))) << damage;
    EXPECT_EQ(store.damaged_rows(), 1) << damage;
    EXPECT_EQ(store.begin_attempt(session, configuration(1)), attempt(1, 1)) << damage;
    EXPECT_THAT(store.open_attempts(session), testing::UnorderedElementsAre(attempt(1, 1), attempt(2, 1))) << damage;
  }
}

TEST(WisdomAttempts, AreReadButNotWrittenByAReadOnlyStore) {
  const test::Scratch scratch;
  std::int64_t session = 0;
  {
    WisdomStore store(scratch / "w.db");
    session = store.begin_session(sample_session(), sample_device());
    store.begin_attempt(session, configuration(1));
    store.quarantine(session, faulty(2));
  }
  WisdomStore store(scratch / "w.db", WisdomStore::Access::read_only);
  EXPECT_THAT(store.open_attempts(session), ElementsAre(attempt(1, 1)));
  EXPECT_THAT(blocks(store.quarantined(sample_key())), ElementsAre(configuration(2).text()));
  const std::function<void()> writes[] = {
      [&] { store.begin_attempt(session, configuration(1)); },
      [&] { store.count_death(session, configuration(1)); },
      [&] { store.quarantine(session, faulty(3)); },
      [&] { store.lift_quarantine(sample_key()); },
  };
  for (const auto& write : writes) EXPECT_THAT(error_of(write), HasSubstr("cannot be written"));
  EXPECT_THAT(store.open_attempts(session), ElementsAre(attempt(1, 1)));
  EXPECT_EQ(store.quarantined(sample_key()).size(), 1u);
}

TEST(WisdomQuarantine, KeepsVerdictDetailAndTime) {
  const test::Scratch scratch;
  {
    WisdomStore store(scratch / "w.db");
    const auto session = store.begin_session(sample_session(), sample_device());
    EXPECT_THAT(store.quarantined(sample_key()), IsEmpty());
    store.quarantine(session, faulty(1));
    store.quarantine(session, faulty(2, Verdict::timeout));
  }
  WisdomStore store(scratch / "w.db");
  const auto entries = store.quarantined(sample_key());
  ASSERT_THAT(blocks(entries), ElementsAre(configuration(1).text(), configuration(2).text()));
  EXPECT_EQ(entries[0].verdict, Verdict::fault);
  EXPECT_EQ(entries[1].verdict, Verdict::timeout);
  EXPECT_EQ(entries[0].detail, "an illegal address was read");
  EXPECT_GT(entries[0].made_ms, 1'700'000'000'000);
  EXPECT_LE(entries[0].made_ms, entries[1].made_ms);
}

TEST(WisdomQuarantine, HoldsEachConfigurationOnceWithItsLastVerdict) {
  const test::Scratch scratch;
  WisdomStore store(scratch / "w.db");
  const auto session = store.begin_session(sample_session(), sample_device());
  store.quarantine(session, faulty(1));
  execute(scratch / "w.db", "UPDATE quarantine SET made_ms = 5");
  Trial again = faulty(1, Verdict::timeout);
  again.detail = std::string(100'000, 'x');
  store.quarantine(session, again);
  const auto entries = store.quarantined(sample_key());
  ASSERT_EQ(entries.size(), 1u);
  EXPECT_EQ(entries[0].verdict, Verdict::timeout);
  EXPECT_THAT(entries[0].detail, testing::EndsWith("x\n[34464 bytes more]"));
  EXPECT_GT(entries[0].made_ms, 5);
}

// Keys that differ from sample_key() in one thing, and whether its quarantine holds for them.
struct Neighbour {
  const char* difference;
  std::function<void(RecordKey&)> make;
  bool shares;
};

const std::vector<Neighbour>& neighbours() {
  static const std::vector<Neighbour> all = {
      {"nothing", [](RecordKey&) {}, true},
      {"regime", [](RecordKey& key) { key.regime = "warm"; }, true},
      {"objective", [](RecordKey& key) { key.objective = "energy"; }, true},
      {"name", [](RecordKey& key) { key.kernel = "a_copy"; }, true},
      {"code", [](RecordKey& key) { key.code = "other"; }, false},
      {"contract", [](RecordKey& key) { key.contract = "other"; }, false},
      {"problem", [](RecordKey& key) { key.problem.set("n", 5); }, false},
      {"device class", [](RecordKey& key) { key.device_class = "other"; }, false},
  };
  return all;
}

TEST(WisdomQuarantine, HoldsForTheSameCodeContractProblemAndDeviceClass) {
  WisdomStore store(":memory:");
  store.quarantine(store.begin_session(sample_session(), sample_device()), faulty(1));
  for (const Neighbour& neighbour : neighbours()) {
    RecordKey key = sample_key();
    neighbour.make(key);
    EXPECT_EQ(store.quarantined(key).size(), neighbour.shares ? 1u : 0u) << neighbour.difference;
  }
}

TEST(WisdomQuarantine, IsLiftedForItsKeyAlone) {
  for (const Neighbour& neighbour : neighbours()) {
    WisdomStore store(":memory:");
    SessionRow row = sample_session();
    store.quarantine(store.begin_session(row, sample_device()), faulty(1));
    neighbour.make(row.key.record);
    row.key.space = "narrowed";
    store.quarantine(store.begin_session(row, sample_device()), faulty(2));
    ASSERT_EQ(store.quarantined(sample_key()).size(), neighbour.shares ? 2u : 1u) << neighbour.difference;
    EXPECT_EQ(store.lift_quarantine(sample_key()), neighbour.shares ? 2 : 1) << neighbour.difference;
    EXPECT_THAT(store.quarantined(sample_key()), IsEmpty()) << neighbour.difference;
    EXPECT_EQ(store.quarantined(row.key.record).size(), neighbour.shares ? 0u : 1u) << neighbour.difference;
    EXPECT_EQ(store.lift_quarantine(sample_key()), 0) << neighbour.difference;
  }
}

TEST(WisdomQuarantine, OfACopyOfTheKernelUnderAnotherNameIsNotListedTwice) {
  WisdomStore store(":memory:");
  SessionRow row = sample_session();
  store.quarantine(store.begin_session(row, sample_device()), faulty(1));
  row.key.record.kernel = "a_copy";
  store.quarantine(store.begin_session(row, sample_device()), faulty(1));
  EXPECT_THAT(blocks(store.quarantined(sample_key())), ElementsAre(configuration(1).text()));
}

TEST(WisdomQuarantine, LeavesOutAndCountsWhatIsDamaged) {
  const char* damages[] = {
      "UPDATE quarantine SET verdict = 99 WHERE id = 1",
      "UPDATE quarantine SET configuration = '[[\"BLOCK\"]]' WHERE id = 1",
  };
  for (const char* damage : damages) {
    const test::Scratch scratch;
    {
      WisdomStore store(scratch / "w.db");
      const auto session = store.begin_session(sample_session(), sample_device());
      for (const int block : {1, 2}) store.quarantine(session, faulty(block));
    }
    execute(scratch / "w.db", damage);
    WisdomStore store(scratch / "w.db");
    EXPECT_THAT(blocks(store.quarantined(sample_key())), ElementsAre(configuration(2).text())) << damage;
    EXPECT_EQ(store.damaged_rows(), 1) << damage;
    EXPECT_EQ(store.lift_quarantine(sample_key()), 2) << damage;
  }
}

}  // namespace
}  // namespace attune
