// Sessions and trials of a WisdomStore.
#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "db/scratch.hpp"
#include "db/wisdom_store.hpp"

namespace attune {
namespace {

using test::sample_device;
using test::sample_key;
using test::sample_record;
using test::sample_session;
using test::sample_trial;
using testing::HasSubstr;

void expect_equal(const Trial& a, const Trial& b) {
  EXPECT_EQ(a.configuration, b.configuration);
  EXPECT_EQ(a.verdict, b.verdict);
  EXPECT_EQ(a.detail, b.detail);
  EXPECT_EQ(a.measurement.samples_ns, b.measurement.samples_ns);
  EXPECT_EQ(a.measurement.min_ns, b.measurement.min_ns);
  EXPECT_EQ(a.measurement.q1_ns, b.measurement.q1_ns);
  EXPECT_EQ(a.measurement.median_ns, b.measurement.median_ns);
  EXPECT_EQ(a.measurement.q3_ns, b.measurement.q3_ns);
  EXPECT_EQ(a.compile_ms, b.compile_ms);
  EXPECT_EQ(a.usage, b.usage);
  EXPECT_EQ(a.numerics.max_absolute, b.numerics.max_absolute);
  EXPECT_EQ(a.self_checked, b.self_checked);
  EXPECT_EQ(a.anchor_ns, b.anchor_ns);
  EXPECT_EQ(a.attempts, b.attempts);
  EXPECT_EQ(a.batch, b.batch);
  EXPECT_EQ(a.numerics.max_relative, b.numerics.max_relative);
  EXPECT_EQ(a.numerics.max_ulp, b.numerics.max_ulp);
}

std::vector<std::string> configurations(const std::vector<Trial>& trials) {
  std::vector<std::string> texts;
  for (const Trial& trial : trials) texts.push_back(trial.configuration.text());
  return texts;
}

// Damage as a careless hand does it: past the store.
void execute(const std::filesystem::path& file, const char* statements) {
  SQLite::Database database(file.string(), SQLite::OPEN_READWRITE);
  database.exec(statements);
}

TEST(WisdomSessions, ReadBackExactly) {
  const test::Scratch scratch;
  SessionRow row = sample_session();
  row.id = WisdomStore(scratch / "w.db").begin_session(row, sample_device());
  WisdomStore store(scratch / "w.db");
  store.add_trial(row.id, sample_trial(64));
  const auto found = store.find_session(row.key);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->id, row.id);
  EXPECT_EQ(found->key.record.kernel, row.key.record.kernel);
  EXPECT_EQ(found->key.record.problem, row.key.record.problem);
  EXPECT_EQ(found->key.record.device_class, row.key.record.device_class);
  EXPECT_EQ(found->key.record.code, row.key.record.code);
  EXPECT_EQ(found->key.record.contract, row.key.record.contract);
  EXPECT_EQ(found->key.record.regime, row.key.record.regime);
  EXPECT_EQ(found->key.record.objective, row.key.record.objective);
  EXPECT_EQ(found->key.space, row.key.space);
  EXPECT_EQ(found->key.effort, row.key.effort);
  EXPECT_EQ(found->key.strategy, row.key.strategy);
  EXPECT_EQ(found->state, SessionState::running);
  EXPECT_EQ(found->seed, row.seed);
  EXPECT_EQ(found->used_seconds, row.used_seconds);
  EXPECT_EQ(found->toolchain, row.toolchain);
  EXPECT_EQ(found->driver, row.driver);
  EXPECT_EQ(found->device_uuid, row.device_uuid);
  EXPECT_EQ(found->host, row.host);
  EXPECT_EQ(found->attune_version, row.attune_version);
  EXPECT_EQ(found->protocol, row.protocol);
  EXPECT_EQ(found->started_ms, row.started_ms);
  EXPECT_EQ(found->trials, 1);
}

TEST(WisdomSessions, AreFoundByTheWholeKeyNewestFirst) {
  WisdomStore store(":memory:");
  const SessionRow row = sample_session();
  store.begin_session(row, sample_device());
  const auto newest = store.begin_session(row, sample_device());
  EXPECT_EQ(store.find_session(row.key)->id, newest);
  const std::function<void(SessionKey&)> changes[] = {
      [](SessionKey& key) { key.record.kernel = "other"; },
      [](SessionKey& key) { key.record.problem.set("n", 3); },
      [](SessionKey& key) { key.record.device_class = "other"; },
      [](SessionKey& key) { key.space = "other"; },
      [](SessionKey& key) { key.effort = Effort::measure; },
      [](SessionKey& key) { key.strategy = "exhaustive"; },
  };
  for (std::size_t i = 0; i < std::size(changes); ++i) {
    SessionKey key = row.key;
    changes[i](key);
    EXPECT_FALSE(store.find_session(key).has_value()) << "change " << i;
  }
}

TEST(WisdomSessions, KeepStateAndTimeSpent) {
  WisdomStore store(":memory:");
  const SessionRow row = sample_session();
  const auto id = store.begin_session(row, sample_device());
  store.update_session(id, SessionState::partial, 12.5);
  EXPECT_EQ(store.find_session(row.key)->state, SessionState::partial);
  EXPECT_EQ(store.find_session(row.key)->used_seconds, 12.5);
  store.update_session(id, SessionState::finished, 20);
  EXPECT_EQ(store.find_session(row.key)->state, SessionState::finished);
}

TEST(WisdomSessions, DescribeADeviceClassOnce) {
  const test::Scratch scratch;
  {
    WisdomStore store(scratch / "w.db");
    store.put_record(sample_record());  // knows the class by its key alone
    DeviceInfo device = sample_device();
    store.begin_session(sample_session(1), device);
    device.memory_bytes -= 4096;
    store.begin_session(sample_session(2), device);
  }
  SQLite::Database database((scratch / "w.db").string());
  EXPECT_EQ(database.execAndGet("SELECT count(*) FROM device").getInt(), 1);
  EXPECT_EQ(database.execAndGet("SELECT memory_bytes FROM device").getInt64(), std::int64_t{141} << 30);
  EXPECT_EQ(database.execAndGet("SELECT name FROM device").getString(), "NVIDIA H200");
}

TEST(WisdomSessions, AreNamedWhenTheyDoNotExist) {
  WisdomStore store(":memory:");
  EXPECT_THAT(test::error_of([&] { store.update_session(7, SessionState::finished, 0); }), HasSubstr("no session 7"));
  EXPECT_THAT(test::error_of([&] { store.add_trial(7, sample_trial(1)); }), HasSubstr("no session 7"));
  EXPECT_TRUE(store.trials(7).empty());
}

TEST(WisdomTrials, ReadBackExactlyInTheOrderTried) {
  WisdomStore store(":memory:");
  const auto session = store.begin_session(sample_session(), sample_device());
  Trial failed;
  failed.configuration = Configuration{{"BLOCK", 3}};
  failed.verdict = Verdict::compile_error;
  failed.detail = std::string("line 1: error \xff\nwith a zero ") + '\0' + " inside";
  failed.self_checked = true;
  failed.attempts = 3;
  failed.numerics.max_absolute = std::numeric_limits<double>::infinity();
  store.add_trial(session, sample_trial(64));
  store.add_trial(session, failed);
  const auto trials = store.trials(session);
  ASSERT_EQ(trials.size(), 2u);
  expect_equal(trials[0], sample_trial(64));
  expect_equal(trials[1], failed);
}

TEST(WisdomTrials, KeepEveryVerdict) {
  WisdomStore store(":memory:");
  const auto session = store.begin_session(sample_session(), sample_device());
  for (int verdict = 0; verdict <= static_cast<int>(Verdict::quarantined); ++verdict) {
    Trial trial = sample_trial(verdict);
    trial.verdict = static_cast<Verdict>(verdict);
    store.add_trial(session, trial);
  }
  const auto trials = store.trials(session);
  ASSERT_EQ(trials.size(), 15u);
  for (int verdict = 0; verdict < 15; ++verdict) EXPECT_EQ(static_cast<int>(trials[verdict].verdict), verdict);
}

TEST(WisdomTrials, KeepAnErrorThatIsNoNumber) {
  WisdomStore store(":memory:");
  const auto session = store.begin_session(sample_session(), sample_device());
  Trial trial = sample_trial(1);
  trial.numerics.max_absolute = std::nan("");
  store.add_trial(session, trial);
  EXPECT_TRUE(std::isnan(store.trials(session)[0].numerics.max_absolute));
}

TEST(WisdomTrials, AreReplacedWhenAConfigurationIsTriedAgain) {
  WisdomStore store(":memory:");
  const auto session = store.begin_session(sample_session(), sample_device());
  for (const int block : {1, 2, 3}) store.add_trial(session, sample_trial(block));
  Trial again = sample_trial(1);
  again.verdict = Verdict::timeout;
  store.add_trial(session, again);
  const auto trials = store.trials(session);
  EXPECT_THAT(configurations(trials),
              testing::ElementsAre(sample_trial(2).configuration.text(), sample_trial(3).configuration.text(),
                                   sample_trial(1).configuration.text()));
  EXPECT_EQ(trials.back().verdict, Verdict::timeout);
}

TEST(WisdomTrials, CutALogThatIsTooLong) {
  WisdomStore store(":memory:");
  const auto session = store.begin_session(sample_session(), sample_device());
  Trial trial = sample_trial(1);
  for (int i = 0; i < 50000; ++i) trial.detail += "é";
  trial.detail.insert(0, "x");  // so that the limit falls inside a character
  store.add_trial(session, trial);
  const std::string kept = store.trials(session)[0].detail;
  EXPECT_THAT(kept, testing::EndsWith("é\n[34466 bytes more]"));
  EXPECT_LT(kept.size(), 66000u);
}

TEST(WisdomTrials, OfAllSessionsWithAKeyAreKnownNewestFirstEachOnce) {
  WisdomStore store(":memory:");
  SessionRow row = sample_session();
  const auto first = store.begin_session(row, sample_device());
  row.key.strategy = "exhaustive";
  const auto second = store.begin_session(row, sample_device());
  const auto other = store.begin_session(sample_session(99), sample_device());
  for (const int block : {1, 2}) store.add_trial(first, sample_trial(block));
  Trial later = sample_trial(1);
  later.verdict = Verdict::timeout;
  store.add_trial(second, later);
  store.add_trial(other, sample_trial(3));
  const auto known = store.known_trials(sample_key(), row.key.space);
  EXPECT_THAT(configurations(known),
              testing::ElementsAre(sample_trial(1).configuration.text(), sample_trial(2).configuration.text()));
  EXPECT_EQ(known[0].verdict, Verdict::timeout);
  EXPECT_TRUE(store.known_trials(sample_key(5), row.key.space).empty());
  // Another space may have another default, and with it another anchor: its scores mean something else.
  EXPECT_TRUE(store.known_trials(sample_key(), "narrowed").empty());
}

TEST(WisdomTrials, AreLeftOutAndCountedWhenNeverBegun) {
  const test::Scratch scratch;
  std::int64_t session = 0;
  {
    WisdomStore store(scratch / "w.db");
    session = store.begin_session(sample_session(), sample_device());
    for (const int block : {1, 2}) store.add_trial(session, sample_trial(block));
  }
  execute(scratch / "w.db", "UPDATE trial SET attempts = 0 WHERE id = 1");
  WisdomStore store(scratch / "w.db");
  EXPECT_EQ(store.trials(session).size(), 1u);
  EXPECT_EQ(store.damaged_rows(), 1);
}

TEST(WisdomTrials, AreLeftOutAndCountedWithAVerdictThatDoesNotExist) {
  const test::Scratch scratch;
  std::int64_t session = 0;
  {
    WisdomStore store(scratch / "w.db");
    session = store.begin_session(sample_session(), sample_device());
    for (const int block : {1, 2}) store.add_trial(session, sample_trial(block));
  }
  execute(scratch / "w.db", "UPDATE trial SET verdict = 99 WHERE id = 1");
  WisdomStore store(scratch / "w.db");
  EXPECT_EQ(store.trials(session).size(), 1u);
  EXPECT_EQ(store.known_trials(sample_key(), sample_session().key.space).size(), 1u);
  EXPECT_EQ(store.damaged_rows(), 1);
}

}  // namespace
}  // namespace attune
