// Quarantine in a WisdomStore: trials during which two workers died.
#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "db/scratch.hpp"
#include "db/wisdom_store.hpp"

namespace attune {
namespace {

using test::sample_device;
using test::sample_key;
using test::sample_session;
using test::sample_trial;
using testing::ElementsAre;
using testing::IsEmpty;

Configuration configuration(int block) { return sample_trial(block).configuration; }

Trial faulty(int block, Verdict verdict = Verdict::fault, int deaths = 2) {
  Trial trial = sample_trial(block);
  trial.verdict = verdict;
  trial.detail = "an illegal address was read";
  trial.made_ms = 1000 + block;
  trial.deaths = deaths;
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

TEST(WisdomQuarantine, KeepsVerdictDetailAndTime) {
  const test::Scratch scratch;
  {
    WisdomStore store(scratch / "w.db");
    const auto session = store.begin_session(sample_session(), sample_device());
    EXPECT_THAT(store.quarantined(sample_key()), IsEmpty());
    store.add_trial(session, faulty(1));
    store.add_trial(session, faulty(2, Verdict::timeout));
  }
  WisdomStore store(scratch / "w.db");
  const auto entries = store.quarantined(sample_key());
  ASSERT_THAT(blocks(entries), ElementsAre(configuration(1).text(), configuration(2).text()));
  EXPECT_EQ(entries[0].verdict, Verdict::fault);
  EXPECT_EQ(entries[1].verdict, Verdict::timeout);
  EXPECT_EQ(entries[0].detail, "an illegal address was read");
  EXPECT_EQ(entries[0].made_ms, 1001);
  EXPECT_EQ(entries[1].made_ms, 1002);
}

TEST(WisdomQuarantine, HoldsWhatKilledTwoWorkersAlone) {
  WisdomStore store(":memory:");
  const auto session = store.begin_session(sample_session(), sample_device());
  for (const int deaths : {0, 1, 2, 3}) {
    store.add_trial(session, faulty(deaths, Verdict::fault, deaths));
    store.add_trial(session, faulty(10 + deaths, Verdict::ok, deaths));
  }
  EXPECT_THAT(blocks(store.quarantined(sample_key())),
              ElementsAre(configuration(2).text(), configuration(3).text()));
}

TEST(WisdomQuarantine, HoldsEachConfigurationOnceWithItsLastVerdict) {
  WisdomStore store(":memory:");
  store.add_trial(store.begin_session(sample_session(), sample_device()), faulty(1));
  store.add_trial(store.begin_session(sample_session(), sample_device()), faulty(2));
  Trial again = faulty(1, Verdict::timeout);
  again.detail = std::string(100'000, 'x');
  again.made_ms = 2000;
  store.add_trial(store.begin_session(sample_session(), sample_device()), again);
  const auto entries = store.quarantined(sample_key());
  ASSERT_THAT(blocks(entries), ElementsAre(configuration(2).text(), configuration(1).text()));
  EXPECT_EQ(entries[1].verdict, Verdict::timeout);
  EXPECT_THAT(entries[1].detail, testing::EndsWith("x\n[34464 bytes more]"));
  EXPECT_EQ(entries[1].made_ms, 2000);
}

TEST(WisdomQuarantine, EndsWithALaterTrialOfItsSession) {
  WisdomStore store(":memory:");
  const auto session = store.begin_session(sample_session(), sample_device());
  store.add_trial(session, faulty(1));
  store.add_trial(session, sample_trial(1));
  EXPECT_THAT(store.quarantined(sample_key()), IsEmpty());
}

TEST(WisdomQuarantine, IsLiftedByATimeStampAndHoldsAgainAfterTwoNewDeaths) {
  const test::Scratch scratch;
  WisdomStore store(scratch / "w.db");
  const auto session = store.begin_session(sample_session(), sample_device());
  store.add_trial(session, faulty(1));
  EXPECT_EQ(store.lift_quarantine(sample_key()), 1);
  SQLite::Database database((scratch / "w.db").string());
  EXPECT_GT(database.execAndGet("SELECT lifted_ms FROM trial").getInt64(), 1'700'000'000'000);
  EXPECT_EQ(store.trials(session).at(0).deaths, 2) << "what happened is not forgotten";
  store.add_trial(session, faulty(1));
  EXPECT_EQ(store.quarantined(sample_key()).size(), 1u);
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
  store.add_trial(store.begin_session(sample_session(), sample_device()), faulty(1));
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
    store.add_trial(store.begin_session(row, sample_device()), faulty(1));
    neighbour.make(row.key.record);
    row.key.space = "narrowed";
    store.add_trial(store.begin_session(row, sample_device()), faulty(2));
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
  store.add_trial(store.begin_session(row, sample_device()), faulty(1));
  row.key.record.kernel = "a_copy";
  store.add_trial(store.begin_session(row, sample_device()), faulty(1));
  EXPECT_THAT(blocks(store.quarantined(sample_key())), ElementsAre(configuration(1).text()));
}

TEST(WisdomQuarantine, LeavesOutAndCountsWhatIsDamaged) {
  const char* damages[] = {
      "UPDATE trial SET verdict = 99 WHERE id = 1",
      "UPDATE trial SET configuration = '[[\"BLOCK\"]]' WHERE id = 1",
  };
  for (const char* damage : damages) {
    const test::Scratch scratch;
    {
      WisdomStore store(scratch / "w.db");
      const auto session = store.begin_session(sample_session(), sample_device());
      for (const int block : {1, 2}) store.add_trial(session, faulty(block));
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
