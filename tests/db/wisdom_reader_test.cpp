// What applications read of the database, of their format and of later ones, and of hostile files.
#include "db/reader/wisdom_reader.hpp"

#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include <random>

#include "core/record_hash.hpp"
#include "db/field_values.hpp"
#include "db/wisdom_format.hpp"
#include "db/wisdom_test.hpp"
#include "kernel/look_up.hpp"

namespace attune {
namespace {

using test::sample_kernel;
using test::sample_record;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class WisdomReading : public test::WisdomTest {
 protected:
  WisdomReading() {
    device_ = test::sample_device();
    device_.driver = "580.159 (CUDA 13.0)";
  }
  FoundRecords read(std::int64_t n, Reach reach = Reach::this_problem, double seconds = 0.1) const {
    return read_by(WisdomReader(file_, seconds), n, reach);
  }
  FoundRecords read_by(const RecordTable& reader, std::int64_t n, Reach reach = Reach::this_problem) const {
    const Problem problem{{"n", n}, {"T", "float"}};
    const MatchRequest request{spec_, problem, device_, "reduce"};
    return look_up(reader, request, reach);
  }
  static std::vector<std::int64_t> sizes(const std::vector<Record>& records) {
    std::vector<std::int64_t> found;
    for (const Record& record : records) found.push_back(record.key.problem.at("n").integer());
    return found;
  }
  void store(std::initializer_list<std::int64_t> known) const {
    WisdomStore store(file_);
    for (const std::int64_t n : known) store.put_record(sample_record(n));
  }
  KernelSpec spec_ = sample_kernel();
  DeviceInfo device_;
};

TEST_F(WisdomReading, GivesTheAliasesOfDevices) {
  WisdomStore store(file_);
  store.put_alias({"A", "B"});
  store.put_alias({"A", "C"});
  store.put_alias({"D", "E"});
  EXPECT_TRUE(store.remove_alias("D"));
  EXPECT_FALSE(store.remove_alias("D"));
  const auto found = WisdomReader(file_, 1).read()->aliases();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].device, "A");
  EXPECT_EQ(found[0].counts_as, "C");
}

TEST_F(WisdomReading, OfAnImmutableFileTakesNoLockAndHasADigestOfItsBytes) {
  using enum WisdomReader::Access;
  const std::filesystem::path odd = file_.parent_path() / "a?mode=rw#b%20 c.db";
  WisdomStore(odd).put_record(sample_record());
  const WisdomReader site(odd, 0, immutable_file);
  const std::string digest = site.content_digest();
  EXPECT_EQ(digest.size(), 64u);
  EXPECT_EQ(WisdomReader(odd, 0).content_digest(), "") << "others may write it";
  SQLite::Database writer(odd.string(), SQLite::OPEN_READWRITE);
  writer.exec("BEGIN EXCLUSIVE");
  EXPECT_EQ(site.read()->rows({}).size(), 1u);
  EXPECT_THROW(WisdomReader(odd, 0).read(), DatabaseLocked);
  writer.exec("ROLLBACK");
  std::filesystem::copy_file(odd, file_);
  EXPECT_EQ(WisdomReader(file_, 0, immutable_file).content_digest(), digest);
  WisdomStore(file_).put_record(sample_record(5));
  EXPECT_NE(WisdomReader(file_, 0, immutable_file).content_digest(), digest);
  EXPECT_EQ(WisdomReader(file_.parent_path() / "none", 0, immutable_file).content_digest(), "");
}

TEST_F(WisdomReading, GivesARecordAsItWasStored) {
  const Record stored = sample_record();
  WisdomStore(file_).put_record(stored);
  const FoundRecords found = read(1024);
  ASSERT_EQ(found.records.size(), 1u);
  EXPECT_EQ(test::application_texts(found.records[0]), test::application_texts(stored));
  EXPECT_EQ(found.records[0].key.problem, stored.key.problem);
  EXPECT_EQ(found.records[0].key.device_class, stored.key.device_class);
  EXPECT_EQ(found.damaged, 0);
}

TEST_F(WisdomReading, LooksNoFurtherThanItMust) {
  store({1024, 1500, 4096});
  EXPECT_THAT(sizes(read(1024).records), ElementsAre(1024));
  EXPECT_FALSE(read(1024).are_all);
  EXPECT_THAT(sizes(read(1024, Reach::all).records), ElementsAre(1024, 1500));
  EXPECT_THAT(sizes(read(1100).records), ElementsAre(1024, 1500)) << "the nearest first";
  EXPECT_TRUE(read(1100).are_all);
}

TEST_F(WisdomReading, ReadsTheNearestOfManyProblems) {
  WisdomStore store(file_);
  for (std::int64_t n = 1000; n < 1040; ++n) store.put_record(sample_record(n));
  const auto found = sizes(read(1100).records);
  EXPECT_EQ(found.size(), most_near_problems);
  EXPECT_EQ(found.front(), 1039);
}

TEST_F(WisdomReading, ReadsTheNearestOtherProblemsOfTheDeviceClass) {
  store({1024, 1500, 4096, 1 << 20});
  Record elsewhere = sample_record(2048), warm = sample_record(1 << 22);
  elsewhere.key.device_class = "cuda|NVIDIA H100|cc90|sm114|mem80G|bus5120|l2-50M|mig-";
  warm.key.regime = "warm";
  for (const Record& record : {elsewhere, warm}) WisdomStore(file_).put_record(record);
  EXPECT_THAT(sizes(read(1024, Reach::other_problems).records), ElementsAre(1500, 4096, 1 << 20, 1 << 22));
  for (std::int64_t n = 5000; n < 5040; ++n) WisdomStore(file_).put_record(sample_record(n));
  const auto found = sizes(read(1024, Reach::other_problems).records);
  EXPECT_EQ(found.size(), most_near_problems);
  EXPECT_THAT(std::vector(found.begin(), found.begin() + 3), ElementsAre(1500, 4096, 5000));
}

TEST_F(WisdomReading, FindsSiblingsAndOtherRegimes) {
  Record sibling = sample_record(1024), other = sample_record(2048), elsewhere = sample_record(1024);
  sibling.key.device_class = "cuda|NVIDIA H100|cc90|sm114|mem80G|bus5120|l2-50M|mig-";
  sibling.multiprocessors = 114;
  elsewhere.key.device_class = "cuda|NVIDIA A100|cc80|sm108|mem80G|bus5120|l2-40M|mig-";
  elsewhere.compute_capability = 80;
  other.key.regime = "warm";
  WisdomStore store(file_);
  for (const Record& record : {sibling, other, elsewhere}) store.put_record(record);
  EXPECT_THAT(read(1024).records, ElementsAre(testing::Field(&Record::uuid, sibling.uuid)));
  EXPECT_THAT(read(2048).records, ElementsAre(testing::Field(&Record::uuid, other.uuid)));
}

TEST_F(WisdomReading, TellsWhatItHasOfTheKernelWhereNothingFits) {
  Record changed = sample_record(1024);
  changed.key.code = std::string(64, 'f');
  WisdomStore(file_).put_record(changed);
  const FoundRecords found = read(1024);
  EXPECT_THAT(found.records, IsEmpty());
  EXPECT_EQ(found.near_misses.size(), 1u);
}

TEST_F(WisdomReading, LeavesDamagedRecordsOutAndTakesTheStrongestSoundOne) {
  Record weak = sample_record(), strong = sample_record();
  weak.effort = Effort::estimate;
  WisdomStore(file_).put_record(weak);
  WisdomStore(file_).put_record(strong);
  for (const char* const damage : {R"(configuration = '{"BLOCK":512,"FAST":true,"SCALE":0.1,"ORDER":"Order::rows"}')",
                                   "configuration = '{'", "median_ns = 1", "hash = ''", "toolchain = 'NVRTC 99'"}) {
    SCOPED_TRACE(damage);
    execute("CREATE TABLE kept AS SELECT * FROM record");
    execute(std::string("UPDATE record SET ") + damage + " WHERE effort = 1");
    const FoundRecords found = read(1024);
    EXPECT_EQ(found.damaged, 1);
    EXPECT_THAT(found.records, ElementsAre(testing::Field(&Record::uuid, weak.uuid)));
    execute("DELETE FROM record; INSERT INTO record SELECT * FROM kept; DROP TABLE kept");
  }
  EXPECT_THAT(read(1024).records, ElementsAre(testing::Field(&Record::uuid, strong.uuid)));
}

TEST_F(WisdomReading, GivesTheOthersWhereTheTextOfOneProblemIsDamaged) {
  store({1024, 1500});
  execute("UPDATE problem SET bindings = '{' WHERE bindings LIKE '%1024%'");
  EXPECT_THAT(sizes(read(1100).records), ElementsAre(1500));
}

// A newer record need not be the stronger: effort counts, and who lost in the same rounds comes last.
TEST_F(WisdomReading, TakesOfAKeyWhatTheStoreTakes) {
  WisdomStore store(file_);
  std::mt19937 random(3);
  const auto flag = [&] { return random() % 2 == 0; };
  for (int i = 0; i < 60; ++i) {
    Record record = sample_record(1024);
    record.effort = static_cast<Effort>(random() % 4);
    record.partial = flag(), record.narrowed = flag(), record.origin = static_cast<Origin>(flag()),
    record.superseded = flag();
    record.protocol = first_present_protocol - static_cast<int>(random() % 2);
    record.made_ms = static_cast<std::int64_t>(random() % 3);
    store.put_record(record);
    EXPECT_EQ(read(1024).records.at(0).uuid, store.records().at(0).uuid);
  }
}

TEST_F(WisdomReading, ReadsALaterFormatThatKeepsTheView) {
  store({1024});
  execute("DROP VIEW wisdom; PRAGMA user_version = 99");
  EXPECT_EQ(read(1024).records.size(), 1u);
}

// Frozen: applications of every age ask for these.
TEST_F(WisdomReading, KeepsTheColumnsOfItsView) {
  store({1024});
  EXPECT_EQ(
      answer_to("SELECT group_concat(name, ' ') FROM pragma_table_info('application_record_1')"),
      "kernel code contract device_class problem uuid regime objective device_name compute_capability "
      "multiprocessors configuration median_ns default_ns speedup speedup_low speedup_high effort partial narrowed "
      "origin superseded unstable default_verdict self_checked trials toolchain driver attune_version protocol "
      "made_ms hash");
  EXPECT_EQ(answer_to("SELECT problem || ' / ' || configuration FROM application_record_1"),
            R"({"n":1024,"T":"float"} / {"BLOCK":256,"FAST":true,"SCALE":0.1,"ORDER":"Order::rows"})");
}

TEST_F(WisdomReading, SaysWhatCannotBeRead) {
  EXPECT_THAT(read(1024).records, IsEmpty()) << "no file is no wisdom";
  execute("CREATE TABLE bookmarks(url)");
  EXPECT_THAT(test::error_of([&] { read(1024); }), HasSubstr("another program"));
  std::filesystem::remove(file_);
  store({1024});
  execute("PRAGMA application_id = 0x6174746e");
  EXPECT_THAT(test::error_of([&] { read(1024); }), HasSubstr("before its first release"));
}

TEST_F(WisdomReading, RefusesAViewOfAnotherTextInEveryFormat) {
  store({1024});
  const WisdomReader reader(file_, 0.1);
  EXPECT_EQ(read_by(reader, 1024).records.size(), 1u);
  const std::string two =
      "CREATE VIEW application_record_1 AS SELECT * FROM v1; CREATE VIEW v1 AS SELECT * FROM record";
  execute("DROP VIEW application_record_1; " + two);
  EXPECT_THAT(test::error_of([&] { read_by(reader, 1024); }), HasSubstr("changed by another program"));
  execute("PRAGMA user_version = 99");
  EXPECT_THAT(test::error_of([&] { read(1024); }), HasSubstr("changed by another program"));
}

// A view may be recursive, and views of views of views are expanded before anything looks at the time. The tables of
// modules read other tables.
TEST_F(WisdomReading, RefusesWhatIsNoTableBehindTheView) {
  for (const char* const record :
       {"VIEW record AS SELECT * FROM one",
        "VIEW record AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT one.* FROM n, one",
        "VIRTUAL TABLE record USING fts5(uuid)"}) {
    SCOPED_TRACE(record);
    std::filesystem::remove(file_);
    store({1024});
    execute("DROP VIEW wisdom; DROP VIEW application_record_1; ALTER TABLE record RENAME TO one; CREATE " +
            std::string(record) + "; " + std::string(application_view()));
    EXPECT_THAT(test::error_of([&] { read(1024); }), HasSubstr("changed by another program"));
  }
}

// Tables without their keys join as often as another program likes.
TEST_F(WisdomReading, EndsWhateverItsTablesHold) {
  store({1024});
  execute("DROP VIEW application_record_1; DROP VIEW wisdom; DROP VIEW trials; PRAGMA foreign_keys = OFF");
  const auto repeat = [&](const std::string& table, int times) {
    execute("CREATE TABLE many AS SELECT " + table + ".* FROM " + table +
            ", (WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < " + std::to_string(times) +
            ") SELECT i FROM n); DROP TABLE " + table + "; ALTER TABLE many RENAME TO " + table);
  };
  execute("UPDATE record SET hash = ''");
  for (const char* const table : {"kernel", "record"}) repeat(table, 150);
  execute(std::string(application_view()));
  EXPECT_EQ(read(1024).damaged, most_rows_of_problem);
  execute("DROP VIEW application_record_1");
  for (const auto& [table, times] : {std::pair("kernel", 10), std::pair("record", 10), std::pair("device", 1000)})
    repeat(table, times);
  execute(std::string(application_view()));
  EXPECT_THAT(test::error_of([&] { read(1100); }), HasSubstr("takes longer than a look-up may"));
}

// The expressions of columns run at each row.
TEST_F(WisdomReading, EndsWhateverItsTablesCalculate) {
  store({1024});
  execute(
      R"(DROP VIEW application_record_1; DROP VIEW wisdom; DROP VIEW trials; ALTER TABLE record DROP COLUMN toolchain;
      ALTER TABLE record ADD COLUMN a TEXT DEFAULT ')" +
      std::string(30'000, 'a') + R"('; ALTER TABLE record ADD COLUMN b TEXT DEFAULT '%)" + std::string(20'000, 'a') +
      R"(b';
      ALTER TABLE record ADD COLUMN toolchain TEXT AS (a LIKE b OR a LIKE b OR a LIKE b);)" +
      std::string(application_view()));
  EXPECT_THAT(test::error_of([&] { read(1024); }), HasSubstr("pattern too complex"));
}

TEST_F(WisdomReading, ReadsLongAndManyBindingsInNoTime) {
  store({1024});
  std::string many = "{";
  for (int i = 0; i < 7000; ++i) many += (i == 0 ? "" : ",") + fmt::format("\"{}\":1", i);
  execute("UPDATE record SET configuration = '" + many + "}'");
  EXPECT_EQ(read(1024).damaged, 1);
  execute("UPDATE record SET configuration = '{\"a\":\"" + std::string(100'000, 'x') + "\"}'");
  EXPECT_THAT(test::error_of([&] { read(1024); }), HasSubstr("larger than attune makes them"));
}

TEST_F(WisdomReading, TakesNoRowOfImpossibleValuesWhateverItsHash) {
  Record record = sample_record();
  record.effort = static_cast<Effort>(77);
  const std::string hash = record_hash(record);
  WisdomStore(file_).put_record(record);
  ASSERT_EQ(answer_to("SELECT hash FROM record"), hash);
  EXPECT_THAT(read(1024).records, IsEmpty());
  EXPECT_EQ(read(1024).damaged, 1);
}

TEST_F(WisdomReading, SeesWhatWasWrittenSinceAndLocksNothingMeanwhile) {
  store({1024});
  const WisdomReader reader(file_, 0.1);
  EXPECT_EQ(read_by(reader, 1024).records.size(), 1u);
  execute("BEGIN EXCLUSIVE; COMMIT");
  store({4096});
  EXPECT_EQ(read_by(reader, 4096).records.size(), 1u);
  execute("DELETE FROM record");
  EXPECT_THAT(read_by(reader, 1024).records, IsEmpty());
}

// Each connection that is made while this lives.
class Connections {
 public:
  Connections() {
    all.clear();
    sqlite3_auto_extension(reinterpret_cast<void (*)()>(note));
  }
  ~Connections() { sqlite3_reset_auto_extension(); }
  static int note(sqlite3* made, char**, const sqlite3_api_routines*) {
    all.push_back(made);
    return SQLITE_OK;
  }
  static inline std::vector<sqlite3*> all;
};

TEST_F(WisdomReading, PreparesNoQueryTwiceAndKeepsNoneUnderWay) {
  store({1024});
  const Connections connections;
  const WisdomReader reader(file_, 0.1);
  for (const std::int64_t n : {1024, 1100, 1024, 1200, 5'000'000}) read_by(reader, n);
  ASSERT_EQ(connections.all.size(), 1u);
  int queries = 0;
  for (sqlite3_stmt* kept = nullptr; (kept = sqlite3_next_stmt(connections.all[0], kept)) != nullptr;) {
    EXPECT_FALSE(sqlite3_stmt_busy(kept)) << sqlite3_sql(kept);
    if (!std::string_view(sqlite3_sql(kept)).starts_with("SELECT kernel")) continue;
    ++queries;
    const int runs = sqlite3_stmt_status(kept, SQLITE_STMTSTATUS_RUN, 0);
    EXPECT_GE(runs, std::string_view(sqlite3_sql(kept)).find("problem = ?") == std::string_view::npos ? 1 : 2);
    EXPECT_EQ(sqlite3_stmt_status(kept, SQLITE_STMTSTATUS_REPREPARE, 0), 0);
  }
  EXPECT_EQ(queries, 5) << "of the problem, of near ones, of siblings, of covers, and near misses";
  execute("CREATE INDEX other ON record(uuid)");
  EXPECT_EQ(read_by(reader, 1024).records.size(), 1u) << "with another schema";
}

TEST_F(WisdomReading, LeavesADatabaseFreeToEndItsWriteAheadLog) {
  store({1024});
  execute("PRAGMA journal_mode = WAL");
  const WisdomReader reader(file_, 0.1);
  EXPECT_EQ(read_by(reader, 1024).records.size(), 1u);
  EXPECT_NO_THROW(execute("PRAGMA journal_mode = TRUNCATE"));
  EXPECT_EQ(answer_to("PRAGMA journal_mode"), "delete") << "of a new connection";
  EXPECT_EQ(read_by(reader, 1024).records.size(), 1u);
}

TEST_F(WisdomReading, ReadsTheFileThatTookThePlaceOfAnother) {
  store({1024});
  const WisdomReader reader(file_, 0.1);
  EXPECT_EQ(read_by(reader, 1024).records.size(), 1u);
  const std::filesystem::path kept = file_.string() + ".kept";
  std::filesystem::rename(file_, kept);
  EXPECT_THAT(read_by(reader, 1024).records, IsEmpty());
  store({4096});
  EXPECT_THAT(read_by(reader, 1024).records, IsEmpty());
  EXPECT_EQ(read_by(reader, 4096).records.size(), 1u);
  std::filesystem::rename(kept, file_);
  EXPECT_EQ(read_by(reader, 1024).records.size(), 1u);
}

TEST_F(WisdomReading, GoesOnInAChildProcess) {
  store({1024});
  const WisdomReader reader(file_, 0.1);
  EXPECT_EQ(read_by(reader, 1024).records.size(), 1u);
  const pid_t child = fork();
  if (child == 0) _exit(read_by(reader, 1024).records.size() == 1 ? 0 : 1);
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(read_by(reader, 1024).records.size(), 1u);
}

TEST_F(WisdomReading, WaitsNoLongerForALockThanItShould) {
  store({1024});
  SQLite::Database writer(file_.string(), SQLite::OPEN_READWRITE);
  writer.exec("BEGIN EXCLUSIVE");
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_THROW(read(1024), DatabaseLocked);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(1));
  writer.exec("COMMIT");
  EXPECT_EQ(read(1024).records.size(), 1u);
}

}  // namespace
}  // namespace attune
