// Formats of the database: a fixture of each, migrations, and what is refused.
#include <sqlite3.h>

#include <regex>

#include "db/wisdom_file.hpp"
#include "db/wisdom_schema.hpp"
#include "db/wisdom_test.hpp"

namespace attune {
namespace {

namespace fs = std::filesystem;
using test::error_of;
using test::sample_key;
using test::sample_record;
using test::sample_trial;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr auto read_only = WisdomStore::Access::read_only;
constexpr auto read_write = WisdomStore::Access::read_write;

std::string ask(const fs::path& file, const std::string& query) {
  return SQLite::Database(file.string()).execAndGet(query).getString();
}

std::string format_of(const fs::path& file) { return ask(file, "PRAGMA user_version"); }

// With every white space as one space: that of a column which was added later is another than that of a new table.
std::string schema_of(const fs::path& file) {
  const std::string text =
      ask(file, "SELECT group_concat(sql, ';') FROM (SELECT sql FROM sqlite_schema ORDER BY name)");
  return std::regex_replace(std::regex_replace(text, std::regex("\\s+"), " "), std::regex(" ?([(),]) ?"), "$1");
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

// The fixtures were measured by protocol 1.
RecordKey fixture_key() {
  RecordKey key = sample_key();
  key.generation = 0;
  return key;
}

void expect_what_all_fixtures_hold(WisdomStore& store) {
  const auto record = store.find_record(fixture_key());
  ASSERT_TRUE(record.has_value());
  EXPECT_EQ(record->uuid, "11111111-2222-4333-8444-555555555555");
  EXPECT_EQ(record->configuration, sample_record().configuration);
  EXPECT_EQ(record->median_ns, 12345.5);
  EXPECT_EQ(record->seed, 0xfedcba9876543210);
  SessionKey of_session = test::sample_session().key;
  of_session.record = fixture_key();
  const auto session = store.find_session(of_session);
  ASSERT_TRUE(session.has_value());
  EXPECT_EQ(session->state, SessionState::finished);
  const auto trials = store.trials(session->id);
  ASSERT_GE(trials.size(), 2u);
  EXPECT_EQ(trials[0].measurement.samples_ns, sample_trial(64).measurement.samples_ns);
  EXPECT_EQ(trials[1].verdict, Verdict::compile_error);
  EXPECT_EQ(trials[1].attempts, 1);
  EXPECT_EQ(store.damaged_rows(), 0);
}

// Formats from 2 on.
void expect_attempts_and_quarantine(WisdomStore& store) {
  EXPECT_THAT(texts(store.open_attempts(1)), ElementsAre("512 2 2", "128 1 1")) << "all were begun alone";
  const auto entries = store.quarantined(sample_key());
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
  const auto ceilings = store.ceilings(sample_key().device_class);
  ASSERT_EQ(ceilings.size(), 1u);
  EXPECT_EQ(ceilings[0].name, "copy");
  EXPECT_EQ(ceilings[0].value, 4.1e12);
  EXPECT_EQ(ceilings[0].unit, "B/s");
}

using WisdomFormat = test::WisdomTest;

TEST_F(WisdomFormat, SixIsReadAsItWasWritten) {
  load_fixture(6);
  for (const auto access : {read_only, read_write}) {
    WisdomStore store(file_, access);
    expect_what_all_fixtures_hold(store);
    expect_attempts_and_quarantine(store);
    expect_finalists_and_ceilings(store);
    const auto history = store.history(fixture_key());
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

TEST_F(WisdomFormat, SixIsWhatANewDatabaseHasAndIsMarkedInTheFile) {
  const WisdomStore store(file_);
  ASSERT_EQ(wisdom_format, 6) << "a new format needs a fixture and a migration of its own";
  EXPECT_EQ(format_of(file_), "6");
  EXPECT_EQ(answer_to("PRAGMA application_id"), std::to_string(wisdom_application_id));
  EXPECT_EQ(answer_to("SELECT count(*) FROM meta WHERE name IN ('uuid','created_ms','attune_version')"), "3");
  EXPECT_EQ(test::content_of(file_).substr(68, 4), "attn");
  const std::string schema = schema_of(file_);
  fs::remove(file_);
  load_fixture(6);
  EXPECT_EQ(schema, schema_of(file_));
}

class WisdomOfAnOlderFormat : public test::WisdomTest, public testing::WithParamInterface<int> {};
INSTANTIATE_TEST_SUITE_P(Formats, WisdomOfAnOlderFormat, testing::Range(1, wisdom_format));

TEST_P(WisdomOfAnOlderFormat, IsBroughtForwardWithAllThatItHeld) {
  const int old = GetParam();
  load_fixture(old);
  const std::string old_schema = schema_of(file_);
  const WisdomStore fresh(scratch_ / "new.db");
  {
    WisdomStore store(file_);
    expect_what_all_fixtures_hold(store);
    EXPECT_EQ(store.history(fixture_key()).size(), old < 4 ? 1u : 2u);
    EXPECT_EQ(store.trials(1)[0].attempts, old == 1 ? 1 : 2) << "format 1 tried everything once";
    EXPECT_EQ(store.trials(1)[0].made_ms == 0, old < 4);
    EXPECT_EQ(store.trials(1)[0].shapes.empty(), old < 4);
    EXPECT_EQ(store.trials(1).size(), old == 1  ? 2u
                                      : old < 4 ? 3u
                                                : 4u)
        << "an entry of the quarantine becomes a trial";
    if (old >= 2) expect_attempts_and_quarantine(store);
    if (old >= 3) expect_finalists_and_ceilings(store);
  }
  EXPECT_EQ(format_of(file_), std::to_string(wisdom_format));
  EXPECT_EQ(schema_of(file_), schema_of(scratch_ / "new.db"));
  const fs::path backup = scratch_ / ("w.db.bak-v" + std::to_string(old));
  EXPECT_EQ(format_of(backup), std::to_string(old));
  EXPECT_EQ(schema_of(backup), old_schema);
  WisdomStore again(file_, read_only);
  expect_what_all_fixtures_hold(again);
}

TEST_P(WisdomOfAnOlderFormat, IsWrittenAsANewOneAfterwards) {
  load_fixture(GetParam());
  WisdomStore store(file_);
  const std::size_t before = store.quarantined(sample_key()).size();
  store.begin_attempts(1, {test::configuration(5)}, false);
  EXPECT_EQ(texts(store.open_attempts(1)).back(), "5 1 0");
  Trial killer = sample_trial(6);
  killer.verdict = Verdict::timeout;
  killer.deaths = 2;
  store.add_trial(1, killer);
  EXPECT_EQ(store.quarantined(sample_key()).size(), before + 1);
  EXPECT_EQ(store.lift_quarantine(sample_key()), static_cast<std::int64_t>(before + 1));
  EXPECT_TRUE(store.put_record(sample_record()));
  EXPECT_EQ(store.history(sample_key()).size(), 1u);
  EXPECT_EQ(store.history(fixture_key()).size(), GetParam() < 4 ? 1u : 2u);
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

class WisdomMigration : public test::WisdomTest {
 protected:
  void make(std::span<const Migration> steps, int format) const {
    SQLite::Database database(file_.string(), SQLite::OPEN_READWRITE);
    migrate(database, file_, steps, format);
  }
};

TEST_F(WisdomMigration, KeepsEveryEntryOfTheQuarantine) {
  for (const QuarantineCase& c : quarantine_cases) {
    SCOPED_TRACE(c.name);
    for (const char* name : {"w.db", "w.db.bak-v3"}) fs::remove(scratch_ / name);
    load_fixture(3);
    execute(c.statements);
    WisdomStore store(file_);
    const auto entries = store.quarantined(sample_key());
    ASSERT_EQ(entries.size(), 1u);
    EXPECT_EQ(entries[0].configuration, quarantined_text);
    EXPECT_EQ(entries[0].verdict, Verdict::fault);
    EXPECT_EQ(entries[0].detail, "an illegal address was read");
    EXPECT_EQ(entries[0].made_ms, 1760000000456);
    EXPECT_EQ(answer_to("SELECT session_id || ' ' || (SELECT count(*) FROM trial AS t WHERE t.session_id = "
                        "trial.session_id) || ' ' || (SELECT count(*) FROM attempt) || ' ' || registers "
                        "FROM trial WHERE deaths = 2"),
              c.found);
    EXPECT_EQ(store.damaged_rows(), 0);
  }
}

constexpr Migration steps[] = {
    {1, "ALTER TABLE session ADD COLUMN note TEXT; PRAGMA user_version = 2;"},
    {2, "UPDATE session SET note = 'from 2'; PRAGMA user_version = 3;"},
};

TEST_F(WisdomMigration, LeadsOverEveryFormatAndKeepsACopy) {
  load_fixture(1);
  make(steps, 3);
  make(steps, 3);  // nothing left to do
  EXPECT_EQ(format_of(file_), "3");
  EXPECT_EQ(answer_to("SELECT note FROM session"), "from 2");
  const fs::path copy = scratch_ / "w.db.bak-v1";
  EXPECT_EQ(fs::status(copy).permissions(), fs::perms(0600));
  EXPECT_EQ(format_of(copy), "1");
  EXPECT_EQ(ask(copy, "SELECT count(*) FROM record"), "1");
  EXPECT_EQ(std::distance(fs::directory_iterator(scratch_.path()), {}), 2) << "something temporary was left behind";
}

TEST_F(WisdomMigration, ThatFailsChangesNothing) {
  load_fixture(1);
  const Migration broken[] = {steps[0], {2, "UPDATE no_such_table SET x = 1;"}};
  EXPECT_THROW(make(broken, 3), SQLite::Exception);
  EXPECT_EQ(format_of(file_), "1");
  EXPECT_THAT(error_of([&] { make({}, 2); }), HasSubstr("no way leads from format 1"));
  EXPECT_EQ(WisdomStore(file_).records().size(), 1u);
}

TEST_F(WisdomFormat, ThatCannotBeReadIsNamedAndLeftAlone) {
  struct Case {
    std::string statements;  // after those of the fixture of format 1, or alone
    std::vector<WisdomStore::Access> access;
    std::vector<std::string> words;
  };
  const Case cases[] = {
      {"PRAGMA user_version = 1",
       {read_only},
       {"older format 1", "open it once for writing (attune tune)", "format 6"}},
      {"PRAGMA user_version = 7", {read_only, read_write}, {"newer attune (format 7", "update attune"}},
      {"PRAGMA user_version = 0", {read_write}, {"no format number"}},
      {"CREATE TABLE bookmarks(url)", {read_only, read_write}, {"another program", "ATTUNE_DB"}},
  };
  for (const Case& c : cases) {
    fs::remove(file_);
    if (c.statements.starts_with("PRAGMA")) load_fixture(1);
    execute(c.statements);
    const std::string before = test::content_of(file_);
    for (const auto access : c.access) {
      const std::string message = error_of([&] { WisdomStore(file_, access); });
      EXPECT_THAT(message, HasSubstr(file_.string()));
      for (const std::string& word : c.words) EXPECT_THAT(message, HasSubstr(word));
    }
    EXPECT_EQ(test::content_of(file_), before) << c.statements;
  }
  fs::remove(file_);
  load_fixture(wisdom_format);
  execute("DROP VIEW application_record_1; DROP VIEW wisdom; DROP TABLE problem");
  WisdomStore store(file_);
  EXPECT_THAT(error_of([&] { store.records(); }),
              AllOf(HasSubstr("does not have the tables"), HasSubstr("no such table: problem")));
}

class WisdomJournal : public test::WisdomTest {
 protected:
  ~WisdomJournal() override { unsetenv("ATTUNE_DB_JOURNAL"); }
};

TEST_F(WisdomJournal, IsWalOnlyOnRequestOnALocalDiskWithASoundSqlite) {
  EXPECT_FALSE(wal_is_safe(3040001, true));
  EXPECT_FALSE(wal_is_safe(3051002, true));
  EXPECT_TRUE(wal_is_safe(3051003, true));
  EXPECT_FALSE(wal_is_safe(3051003, false));
  for (const char* file : {"/proc/version", "/no/such/file"}) EXPECT_FALSE(is_on_local_disk(file)) << file;
  WisdomStore(file_).put_record(sample_record());
  EXPECT_NE(answer_to("PRAGMA journal_mode"), "wal");
  setenv("ATTUNE_DB_JOURNAL", "wal", 1);
  const std::string message = error_of([&] { WisdomStore(file_).put_record(sample_record()); });
  if (wal_is_safe(sqlite3_libversion_number(), is_on_local_disk(scratch_.path())))
    EXPECT_EQ(answer_to("PRAGMA journal_mode"), "wal");
  else
    EXPECT_THAT(message, AllOf(HasSubstr("needs a local disk and SQLite 3.51.3"), HasSubstr("unset it")));
  setenv("ATTUNE_DB_JOURNAL", "off", 1);
  EXPECT_THAT(error_of([&] { WisdomStore{file_}; }), HasSubstr("ATTUNE_DB_JOURNAL=off"));
}

TEST_F(WisdomJournal, LeadsOutOfWalOnRequestOrWhereThatIsUnsafe) {
  WisdomStore(file_).put_record(sample_record());
  execute("PRAGMA journal_mode = WAL");
  ASSERT_EQ(answer_to("PRAGMA journal_mode"), "wal");
  setenv("ATTUNE_DB_JOURNAL", "truncate", 1);
  EXPECT_EQ(WisdomStore(file_).records().size(), 1u);
  EXPECT_NE(answer_to("PRAGMA journal_mode"), "wal");
}

}  // namespace
}  // namespace attune
