// Sessions and trials of a WisdomStore.
#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "db/field_values.hpp"
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

TEST(WisdomTrials, KeepOddDetailsAndErrors) {
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
  EXPECT_EQ(test::texts_of(trials[0]), test::texts_of(sample_trial(64)));
  EXPECT_EQ(test::texts_of(trials[1]), test::texts_of(failed));
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

TEST(WisdomTrials, AreLeftOutAndCountedWhenTheyHoldWhatNoAttuneWrites) {
  for (const char* damage : {"attempts = 0", "batch = 0", "worker = -1", "deaths = -1", "verdict = 99",
                             "shapes = '[{\"grid\":[1]}]'", "samples_ns = ''", "configuration = '[[]]'"}) {
    const test::Scratch scratch;
    WisdomStore store(scratch / "w.db");
    const auto session = store.begin_session(sample_session(), sample_device());
    for (const int block : {1, 2}) store.add_trial(session, sample_trial(block));
    execute(scratch / "w.db", (std::string("UPDATE trial SET ") + damage + " WHERE id = 1").c_str());
    EXPECT_EQ(store.trials(session).size(), 1u) << damage;
    EXPECT_EQ(store.known_trials(sample_key(), sample_session().key.space).size(), 1u) << damage;
    EXPECT_EQ(store.damaged_rows(), 1) << damage;
  }
}

}  // namespace
}  // namespace attune
