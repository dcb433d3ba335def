// Tuned files as a source of records: what a look-up finds there is what it finds in the database.
#include "tuned/tuned_table.hpp"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <fstream>
#include <random>

#include "db/field_values.hpp"
#include "db/reader/wisdom_reader.hpp"
#include "db/wisdom_test.hpp"
#include "kernel/look_up.hpp"
#include "tuned/tuned_text.hpp"

namespace attune {
namespace {

namespace fs = std::filesystem;
using test::sample_cover;
using test::sample_record;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::UnorderedElementsAreArray;

class TunedTableTest : public test::WisdomTest {
 protected:
  TunedTableTest() {
    device_ = test::sample_device();
    device_.driver = "580.159 (CUDA 13.0)";
    folder_ = fs::path(file_).parent_path() / "tuned";
    fs::create_directory(folder_);
    fs::permissions(folder_, fs::perms::owner_all);
  }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
    fs::permissions(folder_ / name, fs::perms::owner_read | fs::perms::owner_write);
  }
  void write(const std::vector<Record>& records, const std::vector<Cover>& covers = {}) const {
    for (const auto& [name, text] : tuned_files(records, covers)) write(name, text);
  }
  MatchRequest request(const Problem& problem) const { return {spec_, problem, device_, "reduce"}; }
  KernelSpec spec_ = test::sample_kernel();
  DeviceInfo device_;
  fs::path folder_;
};

std::vector<std::string> uuids_of(const std::vector<Record>& records) {
  std::vector<std::string> found;
  for (const Record& record : records) found.push_back(record.uuid);
  return found;
}

TEST_F(TunedTableTest, GivesWhatTheDatabaseGives) {
  std::mt19937 random(7);
  std::vector<Record> records;
  for (std::int64_t n = 1; n < 100000000; n = 1 + n * 5 / 4) {
    Record record = sample_record(n);
    record.key.regime = random() % 3 == 0 ? "warm" : "cold";
    if (random() % 4 == 0) record.key.device_class = "cuda|NVIDIA H100|cc90|sm114|mem80G|bus5120|l2-50M|mig-";
    if (random() % 4 == 0) record.key.objective = "energy";
    records.push_back(record);
    WisdomStore(file_).put_record(record);
  }
  write(records);
  const WisdomReader database(file_, 1);
  const TunedTable table(folder_);
  int found_near = 0;
  for (int i = 0; i < 200; ++i) {
    const Problem problem = i % 2 == 0 ? records[random() % records.size()].key.problem
                                       : Problem{{"n", std::int64_t{1} << (random() % 40)}, {"T", "float"}};
    const Reach reach = i % 3 == 0 ? Reach::all : i % 3 == 1 ? Reach::this_problem : Reach::other_problems;
    const FoundRecords there = look_up(database, request(problem), reach),
                       here = look_up(table, request(problem), reach);
    ASSERT_THAT(uuids_of(here.records), UnorderedElementsAreArray(uuids_of(there.records))) << problem.text();
    EXPECT_EQ(here.are_all, there.are_all) << problem.text();
    EXPECT_EQ(here.near_misses.empty(), there.near_misses.empty()) << problem.text();
    EXPECT_EQ(here.damaged, 0);
    found_near += here.records.size() > 1;
  }
  EXPECT_GT(found_near, 20);
  EXPECT_THAT(uuids_of(look_up_all(table, spec_, "cuda")),
              UnorderedElementsAreArray(uuids_of(look_up_all(database, spec_, "cuda"))));
}

TEST_F(TunedTableTest, GivesTheCoversThatTheDatabaseGives) {
  Cover warm = sample_cover(), elsewhere = sample_cover();
  warm.key.regime = "warm";
  elsewhere.key.device_class = "cuda|NVIDIA H100|cc90|sm114|mem80G|bus5120|l2-50M|mig-";
  const std::vector<Cover> all{sample_cover(), warm, elsewhere};
  for (const Cover& cover : all) WisdomStore(file_).put_cover(cover);
  write({sample_record(1)}, all);
  const WisdomReader database(file_, 1);
  const TunedTable table(folder_);
  const Problem problem{{"n", 3000}, {"T", "float"}};
  for (const char* const regime : {"cold", "warm", "stream"}) {
    MatchRequest wanted = request(problem);
    wanted.regime = regime;
    const FoundRecords there = look_up(database, wanted, Reach::all), here = look_up(table, wanted, Reach::all);
    ASSERT_THAT(here.covers, SizeIs(there.covers.size())) << regime;
    for (std::size_t i = 0; i < here.covers.size(); ++i)
      EXPECT_EQ(test::texts_of(here.covers[i]), test::texts_of(there.covers[i])) << regime;
  }
  EXPECT_THAT(look_up(table, request(problem), Reach::all).covers, SizeIs(1));
  EXPECT_THAT(look_up_covers(table, spec_, "cuda"), SizeIs(3));
}

TEST_F(TunedTableTest, ItsDigestCountsCovers) {
  const Record record = sample_record(1);
  Cover other = sample_cover();
  other.tree = "0";
  std::set<std::string> digests;
  for (const std::vector<Cover>& covers : {std::vector<Cover>(), {sample_cover()}, {other}}) {
    write({record}, covers);
    digests.insert(TunedTable(folder_).content_digest());
  }
  EXPECT_THAT(digests, SizeIs(3));
}

TEST_F(TunedTableTest, IsReadOnce) {
  write({sample_record(1)});
  const TunedTable table(folder_);
  const std::string digest = table.content_digest();
  ASSERT_THAT(look_up_all(table, spec_, "cuda"), SizeIs(1));
  write({sample_record(1), sample_record(2)});
  EXPECT_THAT(look_up_all(table, spec_, "cuda"), SizeIs(1));
  EXPECT_EQ(table.content_digest(), digest);
  EXPECT_NE(TunedTable(folder_).content_digest(), digest);
}

TEST_F(TunedTableTest, HasADigestOfTheContentAlone) {
  write({sample_record(1)});
  write("b.tuned", "attune tuned 1\n");
  const std::string digest = TunedTable(folder_).content_digest();
  fs::rename(folder_ / "b.tuned", folder_ / "z.tuned");
  fs::last_write_time(folder_ / "z.tuned", fs::file_time_type::clock::now() - std::chrono::hours(5));
  write("notes.txt", "no tuned file");
  EXPECT_EQ(TunedTable(folder_).content_digest(), digest);
  write("z.tuned", "attune tuned 1\n# a line\n");
  EXPECT_NE(TunedTable(folder_).content_digest(), digest);
}

TEST_F(TunedTableTest, CountsADamagedLineOfTheKernelOnceAndNamesIt) {
  write({sample_record(1024)});
  const fs::path file = fs::directory_iterator(folder_)->path();
  std::ofstream(file, std::ios::app) << "record {\n";
  write("other.tuned", "attune tuned 1\nkernel other\ncode x\ncontract y\nrecord {\n");
  const Problem problem = sample_record(1024).key.problem;
  const FoundRecords found = look_up(TunedTable(folder_), request(problem), Reach::all);
  EXPECT_THAT(found.records, SizeIs(1));
  EXPECT_EQ(found.damaged, 1);
  EXPECT_THAT(found.damage, HasSubstr(file.string() + ":11: it is no `record"));
}

TEST_F(TunedTableTest, LeavesOutFilesOfAFolderThatCannotServeAndSaysWhy) {
  write({sample_record(1024)});
  ASSERT_EQ(mkfifo((folder_ / "a.tuned").c_str(), 0600), 0);
  write("b.tuned", "{}");
  const FoundRecords found = look_up(TunedTable(folder_), request(sample_record(1024).key.problem), Reach::all);
  EXPECT_THAT(found.records, SizeIs(1));
  EXPECT_EQ(found.damaged, 2);
  EXPECT_THAT(found.damage, HasSubstr((folder_ / "a.tuned").string() + " cannot be read: it is no regular file"));
}

TEST_F(TunedTableTest, OfOneFileThatIsNoTunedTextCannotBeRead) {
  for (const char* const text : {"", "{}", "attune tuned 2\n"}) {
    write("a.txt", text);
    EXPECT_THROW(TunedTable(folder_ / "a.txt").read(), Error) << text;
  }
}

TEST_F(TunedTableTest, OfOneFileIsThatFile) {
  write({sample_record(5)});
  EXPECT_THAT(look_up_all(TunedTable(fs::directory_iterator(folder_)->path()), spec_, "cuda"), SizeIs(1));
}

TEST_F(TunedTableTest, MayBeAbsentOnlyWhereNobodyNamedIt) {
  EXPECT_EQ(TunedTable(folder_ / "none", Trust::owned).read(), nullptr);
  EXPECT_EQ(TunedTable(folder_ / "none", Trust::owned).content_digest(), "");
  EXPECT_THROW(TunedTable(folder_ / "none").read(), Error);
}

TEST_F(TunedTableTest, OfASiteIsNotReadWhereOthersCanWriteIt) {
  write({sample_record(5)});
  ASSERT_NE(TunedTable(folder_, Trust::owned).read(), nullptr);
  chmod(folder_.c_str(), 0777);
  EXPECT_THROW(TunedTable(folder_, Trust::owned).read(), Error);
  EXPECT_NE(TunedTable(folder_, Trust::any).read(), nullptr);
  chmod(folder_.c_str(), 0700);
  chmod(fs::directory_iterator(folder_)->path().c_str(), 0666);
  EXPECT_THROW(TunedTable(folder_, Trust::owned).read(), Error);
}

}  // namespace
}  // namespace attune
