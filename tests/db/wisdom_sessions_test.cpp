// Sessions and trials of a WisdomStore.
#include <cmath>
#include <limits>

#include "db/field_values.hpp"
#include "db/wisdom_test.hpp"

namespace attune {
namespace {

using test::configuration;
using test::error_of;
using test::sample_device;
using test::sample_key;
using test::sample_session;
using test::sample_trial;
using testing::ElementsAre;
using testing::HasSubstr;

std::vector<Configuration> configurations(const std::vector<Trial>& trials) {
  std::vector<Configuration> found;
  for (const Trial& trial : trials) found.push_back(trial.configuration);
  return found;
}

class WisdomSessions : public test::WisdomTest {
 protected:
  WisdomStore store_{file_};
};

TEST_F(WisdomSessions, AreFoundByTheWholeKeyNewestFirst) {
  const SessionRow row = sample_session();
  begin(store_);
  const auto newest = begin(store_);
  EXPECT_EQ(store_.find_session(row.key)->id, newest);
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
    EXPECT_FALSE(store_.find_session(key).has_value()) << "change " << i;
  }
}

TEST_F(WisdomSessions, KeepStateAndTimeSpent) {
  const auto id = begin(store_);
  for (const SessionState state : {SessionState::partial, SessionState::finished}) {
    const double seconds = 12.5 * static_cast<int>(state);
    store_.update_session(id, state, seconds);
    EXPECT_EQ(store_.find_session(sample_session().key)->state, state);
    EXPECT_EQ(store_.find_session(sample_session().key)->used_seconds, seconds);
  }
}

TEST_F(WisdomSessions, DescribeADeviceClassOnce) {
  store_.put_record(test::sample_record());  // knows the class by its key alone
  DeviceInfo device = sample_device();
  store_.begin_session(sample_session(1), device);
  device.memory_bytes -= 4096;
  store_.begin_session(sample_session(2), device);
  EXPECT_EQ(answer_to("SELECT group_concat(name || ' ' || memory_bytes) FROM device"),
            "NVIDIA H200 " + std::to_string(std::int64_t{141} << 30));
}

TEST_F(WisdomSessions, AreNamedWhenTheyDoNotExist) {
  const std::function<void()> writes[] = {
      [&] { store_.update_session(7, SessionState::finished, 0); },
      [&] { store_.add_trial(7, sample_trial(1)); },
      [&] { store_.begin_attempts(7, {configuration(1)}, true); },
  };
  for (const auto& write : writes) EXPECT_THAT(error_of(write), HasSubstr("no session 7"));
  EXPECT_TRUE(store_.trials(7).empty());
  EXPECT_TRUE(store_.open_attempts(7).empty());
}

using WisdomTrials = WisdomSessions;

TEST_F(WisdomTrials, KeepOddErrorsAndCutALogThatIsTooLong) {
  const auto session = begin(store_);
  Trial infinite = sample_trial(1), no_number = sample_trial(2), log = sample_trial(3);
  infinite.numerics.max_absolute = std::numeric_limits<double>::infinity();
  no_number.numerics.max_absolute = std::nan("");
  log.detail = "x";  // so that the limit falls inside a character
  for (int i = 0; i < 50000; ++i) log.detail += "é";
  store_.add_trials(session, std::vector{infinite, no_number, log});
  const auto trials = store_.trials(session);
  ASSERT_EQ(trials.size(), 3u);
  EXPECT_EQ(test::texts_of(trials[0]), test::texts_of(infinite));
  EXPECT_TRUE(std::isnan(trials[1].numerics.max_absolute));
  EXPECT_THAT(trials[2].detail, testing::EndsWith("é\n[34466 bytes more]"));
  EXPECT_LT(trials[2].detail.size(), 66000u);
}

TEST_F(WisdomTrials, AreReplacedWhenAConfigurationIsTriedAgain) {
  const auto session = begin(store_);
  for (const int block : {1, 2, 3}) store_.add_trial(session, sample_trial(block));
  Trial again = sample_trial(1);
  again.verdict = Verdict::timeout;
  store_.add_trial(session, again);
  const auto trials = store_.trials(session);
  EXPECT_THAT(configurations(trials), ElementsAre(configuration(2), configuration(3), configuration(1)));
  EXPECT_EQ(trials.back().verdict, Verdict::timeout);
}

TEST_F(WisdomTrials, OfAllSessionsWithAKeyAreKnownNewestFirstEachOnce) {
  SessionRow row = sample_session();
  const auto first = store_.begin_session(row, sample_device());
  row.key.strategy = "exhaustive";
  const auto second = store_.begin_session(row, sample_device());
  const auto other = begin(store_, 99);
  for (const int block : {1, 2}) store_.add_trial(first, sample_trial(block));
  Trial later = sample_trial(1);
  later.verdict = Verdict::timeout;
  store_.add_trial(second, later);
  store_.add_trial(other, sample_trial(3));
  const auto known = store_.known_trials(sample_key(), row.key.space);
  EXPECT_THAT(configurations(known), ElementsAre(configuration(1), configuration(2)));
  EXPECT_EQ(known[0].verdict, Verdict::timeout);
  EXPECT_TRUE(store_.known_trials(sample_key(5), row.key.space).empty());
  // Another space may have another default, and with it another anchor: its scores mean something else.
  EXPECT_TRUE(store_.known_trials(sample_key(), "narrowed").empty());
}

TEST_F(WisdomTrials, AreLeftOutAndCountedWhenTheyHoldWhatNoAttuneWrites) {
  int damaged = 0;
  for (const std::string damage : {"attempts = 0", "batch = 0", "worker = -1", "deaths = -1", "verdict = 99",
                                   "shapes = '[{\"grid\":[1]}]'", "samples_ns = ''", "configuration = '[[]]'"}) {
    const auto session = begin(store_, ++damaged);
    for (const int block : {1, 2}) store_.add_trial(session, sample_trial(block));
    execute("UPDATE trial SET " + damage + " WHERE id = (SELECT max(id) - 1 FROM trial)");
    EXPECT_EQ(store_.trials(session).size(), 1u) << damage;
    EXPECT_EQ(store_.known_trials(sample_key(damaged), sample_session().key.space).size(), 1u) << damage;
    EXPECT_EQ(store_.damaged_rows(), damaged) << damage;
  }
}

}  // namespace
}  // namespace attune
