// Formats of the database: a fixture of each, migrations, and what is refused.
#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <regex>

#include "db/scratch.hpp"
#include "db/wisdom_file.hpp"
#include "db/wisdom_schema.hpp"
#include "db/wisdom_store.hpp"

namespace attune {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

void execute(const fs::path& file, const std::string& statements) {
  SQLite::Database database(file.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
  database.exec(statements);
}

void load_fixture(const fs::path& file, int format = 1) {
  execute(file, test::content_of(ATTUNE_TEST_DATA "/wisdom_v" + std::to_string(format) + ".sql"));
}

int format_of(const fs::path& file) {
  return SQLite::Database(file.string()).execAndGet("PRAGMA user_version").getInt();
}

// With every white space as one space: that of a column which was added later is another than that of a new table.
std::string schema_of(const fs::path& file) {
  SQLite::Database database(file.string());
  const std::string text =
      database.execAndGet("SELECT group_concat(sql, ';') FROM (SELECT sql FROM sqlite_schema ORDER BY name)")
          .getString();
  return std::regex_replace(text, std::regex("\\s+"), " ");
}

// The only quarantined configuration of the fixtures, and its trial where it has one.
constexpr const char* quarantined_text = "BLOCK=1024 ORDER=Order::rows";

std::vector<std::string> texts(const std::vector<Attempt>& attempts) {
  std::vector<std::string> found;
  for (const Attempt& attempt : attempts)
    found.push_back(attempt.configuration.at("BLOCK").text() + " " + std::to_string(attempt.begun) + " " +
                    std::to_string(attempt.alone));
  return found;
}

void expect_what_all_fixtures_hold(WisdomStore& store) {
  const auto record = store.find_record(test::sample_key());
  ASSERT_TRUE(record.has_value());
  EXPECT_EQ(record->uuid, "11111111-2222-4333-8444-555555555555");
  EXPECT_EQ(record->configuration, test::sample_record().configuration);
  EXPECT_EQ(record->median_ns, 12345.5);
  EXPECT_EQ(record->seed, 0xfedcba9876543210);
  const auto session = store.find_session(test::sample_session().key);
  ASSERT_TRUE(session.has_value());
  EXPECT_EQ(session->state, SessionState::finished);
  const auto trials = store.trials(session->id);
  ASSERT_GE(trials.size(), 2u);
  EXPECT_EQ(trials[0].measurement.samples_ns, test::sample_trial(64).measurement.samples_ns);
  EXPECT_EQ(trials[1].verdict, Verdict::compile_error);
  EXPECT_EQ(trials[1].attempts, 1);
  EXPECT_EQ(store.damaged_rows(), 0);
}

// Formats from 2 on.
void expect_attempts_and_quarantine(WisdomStore& store) {
  EXPECT_THAT(texts(store.open_attempts(1)), ElementsAre("512 2 2", "128 1 1")) << "all were begun alone";
  const auto entries = store.quarantined(test::sample_key());
  ASSERT_EQ(entries.size(), 1u);
  EXPECT_EQ(entries[0].configuration, quarantined_text);
  EXPECT_EQ(entries[0].verdict, Verdict::fault);
  EXPECT_EQ(entries[0].detail, "an illegal address was read");
  EXPECT_EQ(entries[0].made_ms, 1760000000456);
}

// Formats from 3 on.
void expect_finalists_and_ceilings(WisdomStore& store) {
  const auto trials = store.trials(1);
  EXPECT_EQ(trials[0].batch, 60);
  EXPECT_EQ(trials[0].numerics.max_relative, 1e-6);
  EXPECT_EQ(trials[0].numerics.max_ulp, 3u);
  EXPECT_EQ(trials[1].batch, 1);
  const auto finalists = store.finalists("11111111-2222-4333-8444-555555555555");
  ASSERT_EQ(finalists.size(), 2u);
  EXPECT_EQ(finalists[0].configuration.text(), "BLOCK=256 ORDER=Order::rows");
  EXPECT_THAT(finalists[0].measurement.samples_ns, ElementsAre(12345.5, 12346.0));
  EXPECT_THAT(finalists[0].objective_values, ElementsAre(12345.75, 0.25));
  EXPECT_TRUE(finalists[0].pareto);
  EXPECT_EQ(finalists[0].energy_j, 0.25);
  EXPECT_EQ(finalists[0].deterministic, true);
  EXPECT_EQ(finalists[0].shared_bytes, 4096u);
  EXPECT_FALSE(finalists[1].pareto);
  EXPECT_EQ(finalists[1].energy_j, std::nullopt);
  EXPECT_EQ(finalists[1].deterministic, std::nullopt);
  const auto ceilings = store.ceilings(test::sample_key().device_class);
  ASSERT_EQ(ceilings.size(), 1u);
  EXPECT_EQ(ceilings[0].name, "copy");
  EXPECT_EQ(ceilings[0].value, 4.1e12);
  EXPECT_EQ(ceilings[0].unit, "B/s");
}

TEST(WisdomFormat, FourIsReadAsItWasWritten) {
  const test::Scratch scratch;
  load_fixture(scratch / "w.db", 4);
  for (const auto access : {WisdomStore::Access::read_only, WisdomStore::Access::read_write}) {
    WisdomStore store(scratch / "w.db", access);
    expect_what_all_fixtures_hold(store);
    expect_attempts_and_quarantine(store);
    expect_finalists_and_ceilings(store);
    const auto history = store.history(test::sample_key());
    ASSERT_EQ(history.size(), 2u);
    EXPECT_EQ(history[0].uuid, "11111111-2222-4333-8444-555555555555");
    EXPECT_EQ(history[0].value, 12345.5);
    EXPECT_EQ(history[1].uuid, "22222222-3333-4444-8555-666666666666");
    EXPECT_EQ(history[1].effort, Effort::estimate);
    const auto trials = store.trials(1);
    ASSERT_EQ(trials.size(), 4u);
    EXPECT_EQ(trials[0].made_ms, 1760000000321);
    EXPECT_EQ(trials[0].worker, 2);
    EXPECT_THAT(trials[0].shapes, ElementsAre(LaunchShape{{64, 2, 1}, {256, 1, 1}, 4096}, LaunchShape{}));
    EXPECT_EQ(trials[2].configuration.text(), quarantined_text);
    EXPECT_EQ(trials[2].deaths, 2);
    EXPECT_EQ(trials[3].verdict, Verdict::timeout);
    EXPECT_EQ(trials[3].deaths, 2) << "and lifted";
  }
}

TEST(WisdomFormat, FourIsWhatANewDatabaseHas) {
  const test::Scratch scratch;
  load_fixture(scratch / "old.db", 4);
  const WisdomStore store(scratch / "new.db");
  ASSERT_EQ(wisdom_format, 4) << "a new format needs a fixture and a migration of its own";
  EXPECT_EQ(schema_of(scratch / "new.db"), schema_of(scratch / "old.db"));
}

class WisdomOfAnOlderFormat : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Formats, WisdomOfAnOlderFormat, testing::Range(1, wisdom_format));

TEST_P(WisdomOfAnOlderFormat, IsBroughtForwardWithAllThatItHeld) {
  const int old = GetParam();
  const test::Scratch scratch;
  load_fixture(scratch / "w.db", old);
  const WisdomStore fresh(scratch / "new.db");
  {
    WisdomStore store(scratch / "w.db");
    expect_what_all_fixtures_hold(store);
    EXPECT_EQ(store.history(test::sample_key()).size(), 1u);
    EXPECT_EQ(store.trials(1)[0].attempts, old == 1 ? 1 : 2) << "format 1 tried everything once";
    EXPECT_EQ(store.trials(1)[0].made_ms, 0);
    EXPECT_TRUE(store.trials(1)[0].shapes.empty());
    EXPECT_EQ(store.trials(1).size(), old == 1 ? 2u : 3u) << "an entry of the quarantine becomes a trial";
    if (old >= 2) expect_attempts_and_quarantine(store);
    if (old >= 3) expect_finalists_and_ceilings(store);
  }
  EXPECT_EQ(format_of(scratch / "w.db"), wisdom_format);
  EXPECT_EQ(schema_of(scratch / "w.db"), schema_of(scratch / "new.db"));
  const std::string backup = "w.db.bak-v" + std::to_string(old);
  EXPECT_EQ(format_of(scratch / backup), old);
  load_fixture(scratch / "old.db", old);
  EXPECT_EQ(schema_of(scratch / backup), schema_of(scratch / "old.db"));
  WisdomStore again(scratch / "w.db", WisdomStore::Access::read_only);
  expect_what_all_fixtures_hold(again);
}

TEST_P(WisdomOfAnOlderFormat, IsWrittenAsANewOneAfterwards) {
  const test::Scratch scratch;
  load_fixture(scratch / "w.db", GetParam());
  WisdomStore store(scratch / "w.db");
  const std::size_t before = store.quarantined(test::sample_key()).size();
  store.begin_attempt(1, test::sample_trial(5).configuration, false);
  EXPECT_EQ(texts(store.open_attempts(1)).back(), "5 1 0");
  Trial killer = test::sample_trial(6);
  killer.verdict = Verdict::timeout;
  killer.deaths = 2;
  store.add_trial(1, killer);
  EXPECT_EQ(store.quarantined(test::sample_key()).size(), before + 1);
  EXPECT_EQ(store.lift_quarantine(test::sample_key()), static_cast<std::int64_t>(before + 1));
  EXPECT_TRUE(store.put_record(test::sample_record()));
  EXPECT_EQ(store.history(test::sample_key()).size(), 2u);
}

// What format 3 may hold about the one configuration in its quarantine, and where its entry is afterwards.
struct QuarantineCase {
  const char* name;
  const char* statements;
  const char* found;  // of the trial with two deaths: session, trials there, attempts in all, registers
};
const QuarantineCase quarantine_cases[] = {
    {"WhoseTrialIsThere: that one is marked", R"sql(
       INSERT INTO trial(session_id, configuration, verdict, detail, samples_ns, registers, shared_static, local_bytes,
         spill_bytes, constant_bytes, self_checked)
       SELECT 1, configuration, verdict, detail, '[]', 77, 0, 0, 0, 0, 0 FROM quarantine)sql",
     "1 3 2 77"},
    {"WhichWasTriedOtherwise: that trial stays, and a session is made for the entry", R"sql(
       INSERT INTO trial(session_id, configuration, verdict, detail, samples_ns, registers, shared_static, local_bytes,
         spill_bytes, constant_bytes, self_checked)
       SELECT 1, configuration, 0, '', '[1.5]', 77, 0, 0, 0, 0, 0 FROM quarantine)sql",
     "2 1 2 0"},
    {"WithoutASession: one is made", "DELETE FROM attempt; DELETE FROM trial; DELETE FROM session", "2 1 0 0"},
    {"WhoseSessionWasKilled: its attempt ends",
     "INSERT INTO attempt(session_id, configuration, begun, deaths) SELECT 1, configuration, 1, 2 FROM quarantine",
     "1 3 2 0"},
};

TEST(WisdomMigration, KeepsEveryEntryOfTheQuarantine) {
  for (const QuarantineCase& c : quarantine_cases) {
    const test::Scratch scratch;
    load_fixture(scratch / "w.db", 3);
    execute(scratch / "w.db", c.statements);
    WisdomStore store(scratch / "w.db");
    const auto entries = store.quarantined(test::sample_key());
    ASSERT_EQ(entries.size(), 1u) << c.name;
    EXPECT_EQ(entries[0].configuration, quarantined_text) << c.name;
    EXPECT_EQ(entries[0].verdict, Verdict::fault) << c.name;
    EXPECT_EQ(entries[0].detail, "an illegal address was read") << c.name;
    EXPECT_EQ(entries[0].made_ms, 1760000000456) << c.name;
    SQLite::Database database((scratch / "w.db").string());
    EXPECT_EQ(database
                  .execAndGet("SELECT session_id || ' ' || (SELECT count(*) FROM trial AS t WHERE t.session_id = "
                              "trial.session_id) || ' ' || (SELECT count(*) FROM attempt) || ' ' || registers "
                              "FROM trial WHERE deaths = 2")
                  .getString(),
              c.found)
        << c.name;
    EXPECT_EQ(store.damaged_rows(), 0) << c.name;
  }
}

TEST(WisdomFormat, OneIsNotReadWithoutBeingBroughtForward) {
  const test::Scratch scratch;
  load_fixture(scratch / "w.db", 1);
  const std::string before = test::content_of(scratch / "w.db");
  EXPECT_THAT(test::error_of([&] { WisdomStore(scratch / "w.db", WisdomStore::Access::read_only); }),
              AllOf(HasSubstr((scratch / "w.db").string()), HasSubstr("older format 1"),
                    HasSubstr("open it once for writing (attune tune)"), HasSubstr("format 4")));
  EXPECT_EQ(test::content_of(scratch / "w.db"), before);
}

TEST(WisdomFormat, OfANewDatabaseIsMarkedInTheFile) {
  const test::Scratch scratch;
  const WisdomStore store(scratch / "w.db");
  SQLite::Database database((scratch / "w.db").string());
  EXPECT_EQ(database.execAndGet("PRAGMA application_id").getInt(), wisdom_application_id);
  EXPECT_EQ(database.execAndGet("PRAGMA user_version").getInt(), wisdom_format);
  EXPECT_EQ(
      database.execAndGet("SELECT count(*) FROM meta WHERE name IN ('uuid','created_ms','attune_version')").getInt(),
      3);
  EXPECT_EQ(test::content_of(scratch / "w.db").substr(68, 4), "attn");
}

TEST(WisdomFormat, ThatIsNewerIsRefusedForReadingToo) {
  const test::Scratch scratch;
  load_fixture(scratch / "w.db");
  execute(scratch / "w.db", "PRAGMA user_version = 7");
  const std::string before = test::content_of(scratch / "w.db");
  for (const auto access : {WisdomStore::Access::read_only, WisdomStore::Access::read_write})
    EXPECT_THAT(
        test::error_of([&] { WisdomStore(scratch / "w.db", access); }),
        AllOf(HasSubstr((scratch / "w.db").string()), HasSubstr("newer attune (format 7"), HasSubstr("update attune")));
  EXPECT_EQ(test::content_of(scratch / "w.db"), before);
}

TEST(WisdomFormat, ZeroIsRefused) {
  const test::Scratch scratch;
  load_fixture(scratch / "w.db");
  execute(scratch / "w.db", "PRAGMA user_version = 0");
  EXPECT_THAT(test::error_of([&] { WisdomStore(scratch / "w.db"); }), HasSubstr("no format number"));
}

TEST(WisdomFormat, OfAnotherProgramIsRefusedAndLeftAlone) {
  const test::Scratch scratch;
  execute(scratch / "w.db", "CREATE TABLE bookmarks(url)");
  const std::string before = test::content_of(scratch / "w.db");
  for (const auto access : {WisdomStore::Access::read_only, WisdomStore::Access::read_write})
    EXPECT_THAT(test::error_of([&] { WisdomStore(scratch / "w.db", access); }),
                AllOf(HasSubstr("another program"), HasSubstr("ATTUNE_DB")));
  EXPECT_EQ(test::content_of(scratch / "w.db"), before);
}

TEST(WisdomFormat, WithoutItsTablesIsNamed) {
  const test::Scratch scratch;
  load_fixture(scratch / "w.db", wisdom_format);
  execute(scratch / "w.db", "DROP VIEW record_view");
  WisdomStore store(scratch / "w.db");
  EXPECT_THAT(test::error_of([&] { store.records(); }),
              AllOf(HasSubstr("does not have the tables"), HasSubstr("no such table: record_view")));
}

constexpr Migration steps[] = {
    {1, "ALTER TABLE session ADD COLUMN note TEXT; PRAGMA user_version = 2;"},
    {2, "UPDATE session SET note = 'from 2'; PRAGMA user_version = 3;"},
};

TEST(WisdomMigration, LeadsOverEveryFormatAndKeepsACopy) {
  const test::Scratch scratch;
  load_fixture(scratch / "w.db");
  {
    SQLite::Database database((scratch / "w.db").string(), SQLite::OPEN_READWRITE);
    migrate(database, scratch / "w.db", steps, 3);
    migrate(database, scratch / "w.db", steps, 3);  // nothing left to do
    EXPECT_EQ(database.execAndGet("PRAGMA user_version").getInt(), 3);
    EXPECT_EQ(database.execAndGet("SELECT note FROM session").getString(), "from 2");
  }
  EXPECT_EQ(fs::status(scratch / "w.db.bak-v1").permissions(), fs::perms(0600));
  {
    SQLite::Database copy((scratch / "w.db.bak-v1").string());
    EXPECT_EQ(copy.execAndGet("PRAGMA user_version").getInt(), 1);
    EXPECT_EQ(copy.execAndGet("SELECT count(*) FROM record").getInt(), 1);
  }
  EXPECT_EQ(std::distance(fs::directory_iterator(scratch.path()), {}), 2) << "something temporary was left behind";
}

TEST(WisdomMigration, ThatFailsChangesNothing) {
  const test::Scratch scratch;
  load_fixture(scratch / "w.db");
  constexpr Migration broken[] = {steps[0], {2, "UPDATE no_such_table SET x = 1;"}};
  SQLite::Database database((scratch / "w.db").string(), SQLite::OPEN_READWRITE);
  EXPECT_THROW(migrate(database, scratch / "w.db", broken, 3), SQLite::Exception);
  EXPECT_EQ(database.execAndGet("PRAGMA user_version").getInt(), 1);
  EXPECT_EQ(WisdomStore(scratch / "w.db").records().size(), 1u);
}

TEST(WisdomMigration, WithoutAWayIsAnError) {
  const test::Scratch scratch;
  load_fixture(scratch / "w.db");
  SQLite::Database database((scratch / "w.db").string(), SQLite::OPEN_READWRITE);
  EXPECT_THAT(test::error_of([&] { migrate(database, scratch / "w.db", {}, 2); }),
              HasSubstr("no way leads from format 1"));
}

TEST(WisdomJournal, IsWalOnlyOnALocalDiskWithASoundSqlite) {
  EXPECT_FALSE(wal_is_safe(3040001, true));
  EXPECT_FALSE(wal_is_safe(3051002, true));
  EXPECT_TRUE(wal_is_safe(3051003, true));
  EXPECT_FALSE(wal_is_safe(3051003, false));
}

std::string journal_mode_of(const fs::path& file) {
  SQLite::Database database(file.string());
  return database.execAndGet("PRAGMA journal_mode").getString();
}

TEST(WisdomJournal, IsARollbackJournalByDefault) {
  const test::Scratch scratch;
  WisdomStore(scratch / "w.db").put_record(test::sample_record());
  EXPECT_NE(journal_mode_of(scratch / "w.db"), "wal");
}

TEST(WisdomJournal, IsWalOnRequestWhereThatIsSafe) {
  const test::Scratch scratch;
  setenv("ATTUNE_DB_JOURNAL", "wal", 1);
  const std::string message = test::error_of([&] { WisdomStore(scratch / "w.db").put_record(test::sample_record()); });
  if (wal_is_safe(sqlite3_libversion_number(), is_on_local_disk(scratch.path()))) {
    EXPECT_EQ(journal_mode_of(scratch / "w.db"), "wal");
  } else {
    EXPECT_THAT(message, AllOf(HasSubstr("needs a local disk and SQLite 3.51.3"), HasSubstr("unset it")));
  }
  setenv("ATTUNE_DB_JOURNAL", "off", 1);
  EXPECT_THAT(test::error_of([&] { WisdomStore(scratch / "w.db"); }), HasSubstr("ATTUNE_DB_JOURNAL=off"));
  unsetenv("ATTUNE_DB_JOURNAL");
}

TEST(WisdomJournal, LeadsOutOfWalOnRequestOrWhereThatIsUnsafe) {
  const test::Scratch scratch;
  WisdomStore(scratch / "w.db").put_record(test::sample_record());
  execute(scratch / "w.db", "PRAGMA journal_mode = WAL");
  ASSERT_EQ(journal_mode_of(scratch / "w.db"), "wal");
  setenv("ATTUNE_DB_JOURNAL", "truncate", 1);
  EXPECT_EQ(WisdomStore(scratch / "w.db").records().size(), 1u);
  EXPECT_NE(journal_mode_of(scratch / "w.db"), "wal");
  unsetenv("ATTUNE_DB_JOURNAL");
}

TEST(WisdomJournal, DoesNotTakeProcForADisk) {
  EXPECT_FALSE(is_on_local_disk("/proc/version"));
  EXPECT_FALSE(is_on_local_disk("/no/such/file"));
}

}  // namespace
}  // namespace attune
