// What applications read of the database, of every format that they know and of later ones.
#include "db/reader/wisdom_reader.hpp"

#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include "db/wisdom_schema.hpp"
#include "db/wisdom_test.hpp"

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
  Candidates read(std::int64_t n, Reach reach = Reach::this_problem, double seconds = 0.1) const {
    return read_by(WisdomReader(file_, seconds), n, reach);
  }
  Candidates read_by(const WisdomReader& reader, std::int64_t n, Reach reach = Reach::this_problem) const {
    const Problem problem{{"n", n}, {"T", "float"}};
    const MatchRequest request{spec_, problem, device_, "reduce"};
    return reader.candidates(request, reach);
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

TEST_F(WisdomReading, GivesARecordAsItWasStored) {
  const Record stored = sample_record();
  WisdomStore(file_).put_record(stored);
  const Candidates found = read(1024);
  ASSERT_EQ(found.records.size(), 1u);
  const Record& record = found.records[0];
  EXPECT_EQ(record.uuid, stored.uuid);
  EXPECT_EQ(record.key.problem, stored.key.problem);
  EXPECT_EQ(record.configuration, stored.configuration);
  EXPECT_EQ(record.key.device_class, stored.key.device_class);
  EXPECT_EQ(record.device_name, "NVIDIA H200");
  EXPECT_EQ(record.compute_capability, 90);
  EXPECT_EQ(record.multiprocessors, 132);
  EXPECT_EQ(record.median_ns, stored.median_ns);
  EXPECT_EQ(record.default_ns, stored.default_ns);
  EXPECT_EQ(record.speedup, stored.speedup);
  EXPECT_EQ(record.effort, stored.effort);
  EXPECT_EQ(record.toolchain, stored.toolchain);
  EXPECT_EQ(record.driver, stored.driver);
  EXPECT_EQ(record.trials, 321);
  EXPECT_EQ(record.key.generation, present_generation);
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
  EXPECT_EQ(found.size(), static_cast<std::size_t>(most_near_records));
  EXPECT_EQ(found.front(), 1039);
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
  const Candidates found = read(1024);
  EXPECT_THAT(found.records, IsEmpty());
  EXPECT_EQ(found.near_misses.size(), 1u);
}

TEST_F(WisdomReading, LeavesDamagedRecordsOutAndTakesTheStrongestSoundOne) {
  Record weak = sample_record(), strong = sample_record();
  weak.effort = Effort::estimate;
  WisdomStore(file_).put_record(weak);
  WisdomStore(file_).put_record(strong);
  for (const char* const damage : {"configuration_text = 'BLOCK=512 FAST=true SCALE=0.1 ORDER=Order::rows'",
                                   "median_ns = 1", "application_hash = ''", "toolchain = 'NVRTC 99'"}) {
    SCOPED_TRACE(damage);
    execute("CREATE TABLE kept AS SELECT * FROM record");
    execute(std::string("UPDATE record SET ") + damage + " WHERE current = 1");
    const Candidates found = read(1024);
    EXPECT_EQ(found.damaged, 1);
    EXPECT_THAT(found.records, ElementsAre(testing::Field(&Record::uuid, weak.uuid)));
    execute("DELETE FROM record; INSERT INTO record SELECT * FROM kept; DROP TABLE kept");
  }
  EXPECT_THAT(read(1024).records, ElementsAre(testing::Field(&Record::uuid, strong.uuid)));
}

class WisdomReadingOf : public WisdomReading, public testing::WithParamInterface<int> {};
INSTANTIATE_TEST_SUITE_P(Formats, WisdomReadingOf, testing::Values(4, 5, 6));

TEST_P(WisdomReadingOf, AFormatThatIsNotBroughtForward) {
  load_fixture(GetParam());
  const std::string before = test::content_of(file_);
  const Candidates found = read(1024);
  ASSERT_EQ(found.records.size(), 1u);
  EXPECT_EQ(found.records[0].uuid, "11111111-2222-4333-8444-555555555555");
  EXPECT_EQ(found.records[0].configuration.text(), "BLOCK=256 FAST=true SCALE=0.1 ORDER=Order::rows");
  EXPECT_EQ(found.records[0].median_ns, 12345.5);
  EXPECT_EQ(found.damaged, 0);
  EXPECT_EQ(test::content_of(file_), before) << "a reader writes nothing";
  execute("UPDATE record SET speedup = 9 WHERE current = 1");
  EXPECT_EQ(read(1024).damaged, 1);
}

TEST_F(WisdomReading, BringsRecordsOfAnOlderFormatForwardWithTheirHash) {
  load_fixture(4);
  { const WisdomStore migrates(file_); }
  EXPECT_EQ(answer_to("PRAGMA user_version"), std::to_string(wisdom_format));
  EXPECT_EQ(read(1024).records.size(), 1u);
  EXPECT_EQ(read(1024).damaged, 0);
}

TEST_F(WisdomReading, ReadsALaterFormatThatKeepsTheView) {
  store({1024});
  execute("DROP VIEW wisdom; PRAGMA user_version = 99");
  EXPECT_EQ(read(1024).records.size(), 1u);
}

// Frozen: applications of every age ask for these.
TEST_F(WisdomReading, KeepsTheColumnsOfItsView) {
  store({1024});
  EXPECT_EQ(answer_to("SELECT group_concat(name, ' ') FROM pragma_table_info('application_record_1')"),
            "id current uuid kernel code contract device_class device_name compute_capability multiprocessors problem "
            "regime objective configuration median_ns default_ns speedup effort partial unstable trials toolchain "
            "driver attune_version protocol made_ms hash");
  EXPECT_EQ(answer_to("SELECT problem || ' / ' || configuration FROM application_record_1"),
            "n=1024 T=float / BLOCK=256 FAST=true SCALE=0.1 ORDER=Order::rows");
}

TEST_F(WisdomReading, SaysWhatCannotBeRead) {
  EXPECT_THAT(read(1024).records, IsEmpty()) << "no file is no wisdom";
  execute("CREATE TABLE bookmarks(url)");
  EXPECT_THAT(test::error_of([&] { read(1024); }), HasSubstr("another program"));
  std::filesystem::remove(file_);
  load_fixture(3);
  EXPECT_THAT(test::error_of([&] { read(1024); }), HasSubstr("open it once for writing"));
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
