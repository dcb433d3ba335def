// The format of the database: its marks, bringing an older one forward, and what is refused.
#include <sqlite3.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/digest.hpp"
#include "db/wisdom_file.hpp"
#include "db/wisdom_schema.hpp"
#include "db/wisdom_test.hpp"

// The number that statfs() gives in this program; 0: the system's.
static unsigned long pretended_file_system = 0;
extern "C" int statfs(const char* file, struct statfs* status) noexcept {
  const int result = static_cast<int>(syscall(SYS_statfs, file, status));
  if (result == 0 && pretended_file_system != 0) status->f_type = static_cast<long>(pretended_file_system);
  return result;
}

namespace attune {
namespace {

namespace fs = std::filesystem;
using test::error_of;
using test::sample_key;
using test::sample_record;
using testing::AllOf;
using testing::HasSubstr;

constexpr auto read_only = WisdomStore::Access::read_only;
constexpr auto read_write = WisdomStore::Access::read_write;

using Replacements = std::vector<std::pair<std::string, std::string>>;

std::string ask(const fs::path& file, const std::string& query) {
  return SQLite::Database(file.string()).execAndGet(query).getString();
}

std::string format_of(const fs::path& file) { return ask(file, "PRAGMA user_version"); }

class WisdomFormat : public test::WisdomTest {
 protected:
  void make_file() const {
    fs::remove(file_);
    WisdomStore(file_).put_record(sample_record());
  }
};

TEST_F(WisdomFormat, IsMarkedInTheFile) {
  const WisdomStore store(file_);
  EXPECT_EQ(format_of(file_), std::to_string(wisdom_format));
  EXPECT_EQ(answer_to("PRAGMA application_id"), std::to_string(wisdom_application_id));
  EXPECT_EQ(answer_to("SELECT count(*) FROM meta WHERE name IN ('uuid','created_ms','attune_version')"), "3");
  EXPECT_EQ(test::content_of(file_).substr(68, 4), "atun");
}

TEST_F(WisdomFormat, HasTheTablesThatItsNumberPromises) {
  const WisdomStore store(file_);
  EXPECT_EQ(sha256(answer_to("SELECT group_concat(sql, ';') FROM (SELECT sql FROM sqlite_schema ORDER BY name)")),
            "4b176b27329ed34ea1c7d2e18d15783faccf605c1cd78e206e81fc4876c84d30")
      << "other tables are another format: wisdom_format, and a step of wisdom_migrations, unless no release has them";
}

TEST_F(WisdomFormat, ThatCannotBeReadIsNamedAndLeftAlone) {
  struct Case {
    std::string statements;
    std::vector<std::string> words;
  };
  const Case cases[] = {
      {"PRAGMA user_version = 2", {"newer attune (format 2", "update attune"}},
      {"PRAGMA user_version = 0", {"no format number"}},
      {"PRAGMA application_id = 0x6174746e", {"before its first release", "left as it is", "mv "}},
      {"PRAGMA application_id = 7", {"another program (application id 0x7)", "ATTUNE_DB"}},
  };
  for (const Case& c : cases) {
    make_file();
    execute(c.statements);
    const std::string before = test::content_of(file_);
    for (const auto access : {read_only, read_write}) {
      const std::string message = error_of([&] { WisdomStore(file_, access); });
      EXPECT_THAT(message, HasSubstr(file_.string()));
      for (const std::string& word : c.words) EXPECT_THAT(message, HasSubstr(word));
    }
    EXPECT_EQ(test::content_of(file_), before) << c.statements;
  }
}

TEST_F(WisdomFormat, OtherTablesAreNamedWhenItIsOpened) {
  const Replacements cases = {
      {"DROP VIEW application_record_1; DROP VIEW wisdom; DROP TABLE problem", "the table `problem` is missing"},
      {"ALTER TABLE trial ADD COLUMN colour TEXT", "the table `trial` is another one"},
      {"ALTER TABLE session RENAME COLUMN host TO node", "the table `session` is another one"},
      {"DROP INDEX record_by_key", "the index `record_by_key` is missing"},
      {"DROP VIEW wisdom", "the view `wisdom` is missing"},
      {"DROP VIEW wisdom; CREATE VIEW wisdom AS SELECT 1", "the view `wisdom` is another one"},
      {"DROP VIEW wisdom; CREATE TABLE wisdom(x)", "the view `wisdom` is another one"},
  };
  for (const auto& [statements, difference] : cases) {
    make_file();
    execute(statements);
    const std::string before = test::content_of(file_);
    for (const auto access : {read_only, read_write})
      EXPECT_THAT(error_of([&] { WisdomStore(file_, access); }),
                  AllOf(HasSubstr(file_.string() + " has other tables than format 1"), HasSubstr(difference),
                        HasSubstr("move it away")));
    EXPECT_EQ(test::content_of(file_), before) << statements;
  }
}

TEST_F(WisdomFormat, FurtherTablesAndOtherWhiteSpaceDoNoHarm) {
  make_file();
  const std::string ceiling = answer_to("SELECT sql FROM sqlite_schema WHERE name = 'ceiling'");
  std::string spaced;
  for (const char c : ceiling) spaced += c == '\n' ? std::string("\n   ") : std::string(1, c);
  ASSERT_NE(spaced, ceiling);
  execute("CREATE TABLE mine(x); DROP TABLE ceiling; " + spaced);
  EXPECT_EQ(WisdomStore(file_, read_only).records().size(), 1u);
  EXPECT_EQ(WisdomStore(file_).records().size(), 1u);
}

// Neither its names nor its views become statements.
TEST_F(WisdomFormat, OfAHostileFileExecutesNothing) {
  make_file();
  const fs::path victim = scratch_ / "victim.db", made = scratch_ / "made.db";
  { SQLite::Database(victim.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE).exec("CREATE TABLE t(x)"); }
  const std::string before = test::content_of(victim);
  for (const std::string& other : {victim.string(), made.string()})
    execute("CREATE VIEW \"a\"\"; ATTACH '" + other + "' AS v; CREATE TABLE v.u(x); DROP TABLE v.t; --\" AS SELECT 1");
  constexpr Migration steps[] = {{1, "PRAGMA user_version = 2;"}};
  {
    SQLite::Database database(file_.string(), SQLite::OPEN_READWRITE);
    migrate(database, file_, steps, 2);
  }
  execute("PRAGMA user_version = 1");
  EXPECT_EQ(WisdomStore(file_).records().size(), 1u);
  EXPECT_EQ(test::content_of(victim), before);
  EXPECT_FALSE(fs::exists(made));
}

class WisdomMigration : public WisdomFormat {
 protected:
  WisdomMigration() { make_file(); }
  void make(std::span<const Migration> steps, int format) const {
    SQLite::Database database(file_.string(), SQLite::OPEN_READWRITE);
    migrate(database, file_, steps, format);
  }
};

constexpr Migration steps[] = {
    {1, "ALTER TABLE record ADD COLUMN note TEXT; PRAGMA user_version = 2;"},
    {2, "UPDATE record SET note = 'from 2'; PRAGMA user_version = 3;"},
};

TEST_F(WisdomMigration, LeadsOverEveryFormatAndKeepsACopy) {
  execute("DROP VIEW wisdom; CREATE VIEW wisdom AS SELECT 1 AS old");
  make(steps, 3);
  make(steps, 3);  // nothing left to do
  EXPECT_EQ(format_of(file_), "3");
  EXPECT_EQ(answer_to("SELECT note FROM record"), "from 2");
  EXPECT_EQ(answer_to("SELECT kernel FROM wisdom"), "reduce") << "views are made anew";
  const fs::path copy = scratch_ / "w.db.bak-v1";
  EXPECT_EQ(fs::status(copy).permissions(), fs::perms(0600));
  EXPECT_EQ(format_of(copy), "1");
  EXPECT_EQ(ask(copy, "SELECT old FROM wisdom"), "1");
  EXPECT_EQ(ask(copy, "SELECT count(*) FROM record"), "1");
  EXPECT_EQ(std::distance(fs::directory_iterator(scratch_.path()), {}), 2) << "something temporary was left behind";
}

TEST_F(WisdomMigration, ThatFailsChangesNothing) {
  const Migration broken[] = {steps[0], {2, "UPDATE no_such_table SET x = 1;"}};
  EXPECT_THROW(make(broken, 3), SQLite::Exception);
  EXPECT_EQ(format_of(file_), "1");
  EXPECT_THAT(error_of([&] { make({}, 2); }), HasSubstr("no way leads from format 1"));
  EXPECT_EQ(WisdomStore(file_).records().size(), 1u);
}

class WisdomOnANetwork : public test::WisdomTest {
 protected:
  ~WisdomOnANetwork() override {
    unsetenv("ATTUNE_DB_NETWORK");
    pretended_file_system = 0;
  }
};

TEST_F(WisdomOnANetwork, IsKnownByTheNumberOfTheFileSystem) {
  EXPECT_EQ(network_file_system(0x6969), "NFS");
  EXPECT_EQ(network_file_system(0xff534d42), "CIFS");
  EXPECT_EQ(network_file_system(0xfe534d42), "SMB");
  EXPECT_EQ(network_file_system(0x65735546), "FUSE");
  EXPECT_EQ(network_file_system(0x0bd00bd0), "Lustre");
  EXPECT_EQ(network_file_system(0x47504653), "GPFS");
  EXPECT_EQ(network_file_system(0x01021997), "9p");
  for (const std::uint64_t local : {0xef53, 0x58465342, 0x01021994, 0x794c7630, 0})
    EXPECT_EQ(network_file_system(local), "");
}

TEST_F(WisdomOnANetwork, IsNoMatterOfALocalDiskAndTheOverrideHasOneValue) {
  EXPECT_NO_THROW(require_local_writing(file_));
  EXPECT_NO_THROW(require_local_writing(scratch_.path() / "not" / "made" / "wisdom.db"));
  setenv("ATTUNE_DB_NETWORK", "allow", 1);
  EXPECT_NO_THROW(WisdomStore(file_).put_record(sample_record()));
  setenv("ATTUNE_DB_NETWORK", "yes", 1);
  EXPECT_THAT(error_of([&] { WisdomStore(file_).put_record(sample_record()); }), HasSubstr("is not `allow`"));
  EXPECT_NO_THROW(WisdomStore(file_, WisdomStore::Access::read_only));
}

TEST_F(WisdomOnANetwork, IsReadAndNotWrittenUnlessTheUserSaysSo) {
  WisdomStore(file_).put_record(sample_record());
  pretended_file_system = 0x6969;
  EXPECT_THAT(error_of([&] { WisdomStore store(file_); }),
              AllOf(HasSubstr("network file system (NFS)"), HasSubstr("ATTUNE_DB_NETWORK=allow")));
  const std::filesystem::path fresh = scratch_.path() / "made" / "wisdom.db";
  EXPECT_THAT(error_of([&] { WisdomStore store(fresh); }), HasSubstr("NFS"));
  EXPECT_FALSE(std::filesystem::exists(fresh.parent_path()));
  EXPECT_EQ(WisdomStore(file_, WisdomStore::Access::read_only).records().size(), 1u);
  setenv("ATTUNE_DB_NETWORK", "allow", 1);
  setenv("ATTUNE_DB_JOURNAL", "truncate", 1);
  WisdomStore(file_).put_record(sample_record(5));
  unsetenv("ATTUNE_DB_JOURNAL");
  EXPECT_EQ(answer_to("PRAGMA journal_mode"), "delete") << "no write-ahead log";
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
