// Attempts of a WisdomStore.
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
  return a.configuration == b.configuration && a.begun == b.begun && a.alone == b.alone;
}
void PrintTo(const Attempt& attempt, std::ostream* out) {
  *out << attempt.configuration.text() << ": begun " << attempt.begun << ", alone " << attempt.alone;
}

namespace {

using test::error_of;
using test::sample_device;
using test::sample_session;
using test::sample_trial;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Configuration configuration(int block) { return sample_trial(block).configuration; }
// Each time alone, unless said.
Attempt attempt(int block, int begun, int alone) { return {configuration(block), begun, alone}; }
Attempt attempt(int block, int begun) { return attempt(block, begun, begun); }

// Damage as a careless hand does it: past the store.
void execute(const std::filesystem::path& file, const char* statements) {
  SQLite::Database database(file.string(), SQLite::OPEN_READWRITE);
  database.exec(statements);
}

TEST(WisdomAttempts, CountHowOftenEachConfigurationWasBegun) {
  WisdomStore store(":memory:");
  const auto session = store.begin_session(sample_session(), sample_device());
  EXPECT_THAT(store.open_attempts(session), IsEmpty());
  EXPECT_EQ(store.begin_attempt(session, configuration(1), true), attempt(1, 1));
  EXPECT_THAT(store.open_attempts(session), ElementsAre(attempt(1, 1)));
  EXPECT_EQ(store.begin_attempt(session, configuration(2), true), attempt(2, 1));
  EXPECT_THAT(store.open_attempts(session), ElementsAre(attempt(1, 1), attempt(2, 1)));
  EXPECT_EQ(store.begin_attempt(session, configuration(1), true), attempt(1, 2));
  EXPECT_THAT(store.open_attempts(session), ElementsAre(attempt(1, 2), attempt(2, 1))) << "the first begun stays first";
}

TEST(WisdomAttempts, CountHowOftenNothingElseWasUnderWay) {
  WisdomStore store(":memory:");
  const auto session = store.begin_session(sample_session(), sample_device());
  EXPECT_EQ(store.begin_attempt(session, configuration(1), false), attempt(1, 1, 0));
  EXPECT_EQ(store.begin_attempt(session, configuration(1), true), attempt(1, 2, 1));
  EXPECT_EQ(store.begin_attempt(session, configuration(1), false), attempt(1, 3, 1));
  store.withdraw_attempt(session, configuration(1), false);
  EXPECT_THAT(store.open_attempts(session), ElementsAre(attempt(1, 2, 1)));
  store.withdraw_attempt(session, configuration(1), true);
  EXPECT_THAT(store.open_attempts(session), ElementsAre(attempt(1, 1, 0)));
}

TEST(WisdomAttempts, EndWithTheTrialOfTheirConfiguration) {
  WisdomStore store(":memory:");
  const auto session = store.begin_session(sample_session(), sample_device());
  for (const int block : {1, 2}) store.begin_attempt(session, configuration(block), true);
  Trial trial = sample_trial(1);
  trial.attempts = 2;
  store.add_trial(session, trial);
  EXPECT_THAT(store.open_attempts(session), ElementsAre(attempt(2, 1)));
  ASSERT_EQ(store.trials(session).size(), 1u);
  EXPECT_EQ(store.trials(session)[0].attempts, 2);
  store.add_trial(session, sample_trial(3));
  EXPECT_THAT(store.open_attempts(session), ElementsAre(attempt(2, 1))) << "a trial without an attempt ends none";
  Trial failed = sample_trial(2);
  failed.verdict = Verdict::fault;
  store.add_trial(session, failed);
  EXPECT_THAT(store.open_attempts(session), IsEmpty());
  EXPECT_EQ(store.begin_attempt(session, configuration(1), true), attempt(1, 1)) << "what a verdict ended is forgotten";
}

TEST(WisdomAttempts, BeginTogetherWithTheVerdictsBefore) {
  WisdomStore store(":memory:");
  const auto session = store.begin_session(sample_session(), sample_device());
  store.begin_attempt(session, configuration(1), true);
  const std::vector<Trial> verdicts = {sample_trial(1), sample_trial(3)};
  EXPECT_EQ(store.begin_attempt(session, configuration(2), true, verdicts), attempt(2, 1));
  EXPECT_THAT(store.open_attempts(session), ElementsAre(attempt(2, 1)));
  EXPECT_EQ(store.trials(session).size(), 2u);
}

TEST(WisdomAttempts, AreWithdrawnOneBeginningAtATime) {
  WisdomStore store(":memory:");
  const auto session = store.begin_session(sample_session(), sample_device());
  store.begin_attempt(session, configuration(1), true);
  store.begin_attempt(session, configuration(1), true);
  store.withdraw_attempt(session, configuration(1), true);
  EXPECT_THAT(store.open_attempts(session), ElementsAre(attempt(1, 1)));
  store.withdraw_attempt(session, configuration(1), true);
  EXPECT_THAT(store.open_attempts(session), IsEmpty());
  store.withdraw_attempt(session, configuration(1), true);
  EXPECT_THAT(store.open_attempts(session), IsEmpty());
}

TEST(WisdomAttempts, BelongToTheirSession) {
  const test::Scratch scratch;
  WisdomStore store(scratch / "w.db");
  const auto one = store.begin_session(sample_session(), sample_device());
  const auto other = store.begin_session(sample_session(), sample_device());
  store.begin_attempt(one, configuration(1), true);
  EXPECT_EQ(store.begin_attempt(other, configuration(1), true), attempt(1, 1));
  store.add_trial(other, sample_trial(1));
  EXPECT_THAT(store.open_attempts(one), ElementsAre(attempt(1, 1)));
  EXPECT_THAT(store.open_attempts(other), IsEmpty());
  execute(scratch / "w.db", "PRAGMA foreign_keys = ON; DELETE FROM session WHERE id = 1");
  EXPECT_THAT(store.open_attempts(one), IsEmpty()) << "they go with their session";
}

TEST(WisdomAttempts, NeedASession) {
  WisdomStore store(":memory:");
  EXPECT_THAT(error_of([&] { store.begin_attempt(7, configuration(1), true); }), HasSubstr("no session 7"));
  EXPECT_THAT(store.open_attempts(7), IsEmpty());
}

TEST(WisdomAttempts, AreLeftOutAndCountedWhenDamagedAndBegunAnew) {
  const char* damages[] = {
      "UPDATE attempt SET begun = 0 WHERE id = 1",
      "UPDATE attempt SET begun = 5000000000 WHERE id = 1",
      "UPDATE attempt SET alone = -1 WHERE id = 1",
      "UPDATE attempt SET alone = 2 WHERE id = 1",
      "UPDATE attempt SET configuration = 'nonsense' WHERE id = 1",
  };
  for (const char* damage : damages) {
    const test::Scratch scratch;
    std::int64_t session = 0;
    {
      WisdomStore store(scratch / "w.db");
      session = store.begin_session(sample_session(), sample_device());
      for (const int block : {1, 2}) store.begin_attempt(session, configuration(block), true);
    }
    execute(scratch / "w.db", damage);
    WisdomStore store(scratch / "w.db");
    EXPECT_THAT(store.open_attempts(session), ElementsAre(attempt(2, 1))) << damage;
    EXPECT_EQ(store.damaged_rows(), 1) << damage;
    EXPECT_EQ(store.begin_attempt(session, configuration(1), true), attempt(1, 1)) << damage;
    EXPECT_THAT(store.open_attempts(session), testing::UnorderedElementsAre(attempt(1, 1), attempt(2, 1))) << damage;
  }
}

TEST(WisdomAttempts, AreReadButNotWrittenByAReadOnlyStore) {
  const test::Scratch scratch;
  std::int64_t session = 0;
  {
    WisdomStore store(scratch / "w.db");
    session = store.begin_session(sample_session(), sample_device());
    store.begin_attempt(session, configuration(1), true);
  }
  WisdomStore store(scratch / "w.db", WisdomStore::Access::read_only);
  EXPECT_THAT(store.open_attempts(session), ElementsAre(attempt(1, 1)));
  const std::function<void()> writes[] = {
      [&] { store.begin_attempt(session, configuration(1), true); },
      [&] { store.withdraw_attempt(session, configuration(1), true); },
      [&] { store.lift_quarantine(test::sample_key()); },
  };
  for (const auto& write : writes) EXPECT_THAT(error_of(write), HasSubstr("cannot be written"));
  EXPECT_THAT(store.open_attempts(session), ElementsAre(attempt(1, 1)));
}

}  // namespace
}  // namespace attune
