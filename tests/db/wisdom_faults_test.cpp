// What files, permissions and disks do to a wisdom database, and what is said about it.
#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include <csignal>

#include "db/scratch.hpp"
#include "db/wisdom_connection.hpp"
#include "db/wisdom_store.hpp"

namespace attune {
namespace {

namespace fs = std::filesystem;
using test::error_of;
using test::sample_device;
using test::sample_key;
using test::sample_record;
using test::sample_session;
using test::sample_trial;
using testing::AllOf;
using testing::HasSubstr;

constexpr auto read_only = WisdomStore::Access::read_only;
constexpr auto read_write = WisdomStore::Access::read_write;

std::string open_error(const fs::path& file, WisdomStore::Access access = read_write) {
  return error_of([&] { WisdomStore(file, access); });
}

TEST(WisdomFaults, AMissingFileIsAnErrorForReadingOnly) {
  const test::Scratch scratch;
  EXPECT_THAT(open_error(scratch / "w.db", read_only),
              AllOf(HasSubstr("no wisdom database " + (scratch / "w.db").string()), HasSubstr("attune tune")));
  EXPECT_FALSE(fs::exists(scratch / "w.db"));
}

TEST(WisdomFaults, AnEmptyNameIsAnError) { EXPECT_THAT(open_error(""), HasSubstr("empty")); }

TEST(WisdomFaults, AnEmptyFileIsNotTakenForNoWisdom) {
  const test::Scratch scratch;
  { const WisdomStore store(scratch / "w.db"); }
  fs::resize_file(scratch / "w.db", 0);
  for (const auto access : {read_only, read_write})
    EXPECT_THAT(open_error(scratch / "w.db", access),
                AllOf(HasSubstr((scratch / "w.db").string()), HasSubstr("is empty: it was truncated"),
                      HasSubstr("move it away")));
  EXPECT_EQ(fs::file_size(scratch / "w.db"), 0u);
}

TEST(WisdomFaults, AFileThatIsNotSqliteIsRefusedAndLeftAlone) {
  const test::Scratch scratch;
  test::write_file(scratch / "w.db", "This is a shopping list, and a long one: " + std::string(5000, 'x'));
  const std::string before = test::content_of(scratch / "w.db");
  for (const auto access : {read_only, read_write})
    EXPECT_THAT(open_error(scratch / "w.db", access),
                AllOf(HasSubstr((scratch / "w.db").string()), HasSubstr("is not a wisdom database"),
                      HasSubstr("SQLite 26: file is not a database")));
  EXPECT_EQ(test::content_of(scratch / "w.db"), before);
}

TEST(WisdomFaults, ADirectoryIsRefusedWithAProposal) {
  const test::Scratch scratch;
  fs::create_directory(scratch / "dir");
  EXPECT_THAT(open_error(scratch / "dir"), AllOf(HasSubstr("is a directory"), HasSubstr("dir/wisdom.db")));
}

TEST(WisdomFaults, APipeIsRefusedAndNotWaitedFor) {
  const test::Scratch scratch;
  ASSERT_EQ(mkfifo((scratch / "pipe").c_str(), 0600), 0);
  EXPECT_THAT(open_error(scratch / "pipe"), HasSubstr("is not a regular file"));
}

TEST(WisdomFaults, ALinkToNothingIsNamed) {
  const test::Scratch scratch;
  fs::create_symlink(scratch / "gone.db", scratch / "link.db");
  EXPECT_THAT(open_error(scratch / "link.db"), HasSubstr("symbolic link to a file that does not exist"));
}

TEST(WisdomFaults, ALinkToADatabaseIsFollowed) {
  const test::Scratch scratch;
  WisdomStore(scratch / "there/w.db").put_record(sample_record());
  fs::create_symlink(scratch / "there/w.db", scratch / "link.db");
  EXPECT_EQ(WisdomStore(scratch / "link.db").records().size(), 1u);
}

TEST(WisdomFaults, AFileInThePlaceOfTheDirectoryIsNamed) {
  const test::Scratch scratch;
  test::write_file(scratch / "file", "x");
  EXPECT_THAT(open_error(scratch / "file/w.db"), HasSubstr("file/w.db"));
}

TEST(WisdomFaults, AnUnreadableFileIsNamed) {
  const test::Scratch scratch;
  { const WisdomStore store(scratch / "w.db"); }
  fs::permissions(scratch / "w.db", fs::perms(0000));
  const std::string message = test::as_ordinary_user([&] { return open_error(scratch / "w.db", read_only); });
  EXPECT_THAT(message, AllOf(HasSubstr("w.db cannot be read: Permission denied"), HasSubstr("ls -ld")));
}

TEST(WisdomFaults, AFileThatMayNotBeWrittenCanStillBeRead) {
  const test::Scratch scratch;
  WisdomStore(scratch / "w.db").put_record(sample_record());
  fs::permissions(scratch / "w.db", fs::perms(0444));
  fs::permissions(scratch.path(), fs::perms(0777));
  EXPECT_THAT(test::as_ordinary_user([&] { return open_error(scratch / "w.db"); }),
              HasSubstr("w.db cannot be written: Permission denied"));
  EXPECT_EQ(
      test::as_ordinary_user([&] { return std::to_string(WisdomStore(scratch / "w.db", read_only).records().size()); }),
      "1");
}

TEST(WisdomFaults, ADirectoryThatMayNotBeWrittenIsNamed) {
  const test::Scratch scratch;
  WisdomStore(scratch / "w.db").put_record(sample_record());
  fs::permissions(scratch / "w.db", fs::perms(0666));
  fs::permissions(scratch.path(), fs::perms(0555));
  EXPECT_THAT(
      test::as_ordinary_user([&] { return open_error(scratch / "w.db"); }),
      AllOf(HasSubstr("its journal needs the directory " + scratch.path().string()), HasSubstr("Permission denied")));
  EXPECT_THAT(test::as_ordinary_user([&] { return open_error(scratch / "new.db"); }),
              AllOf(HasSubstr("new.db"), HasSubstr("Permission denied")));
  EXPECT_EQ(
      test::as_ordinary_user([&] { return std::to_string(WisdomStore(scratch / "w.db", read_only).records().size()); }),
      "1");
  fs::permissions(scratch.path(), fs::perms(0755));
}

// Runs `work` in a child where `place` is a file system of its own, of 192 KiB.
std::string on_a_small_disk(const fs::path& place, const std::function<std::string()>& work) {
  return test::in_child([&]() -> std::string {
    if (unshare(CLONE_NEWNS) != 0 || mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return "skip";
    if (mount("none", place.c_str(), "tmpfs", 0, "size=192k") != 0) return "skip";
    return work();
  });
}

TEST(WisdomFaults, AReadOnlyFileSystemIsNamedAndCanBeRead) {
  const test::Scratch scratch;
  const std::string message = on_a_small_disk(scratch.path(), [&]() -> std::string {
    WisdomStore(scratch / "w.db").put_record(sample_record());
    if (mount("none", scratch.path().c_str(), nullptr, MS_REMOUNT | MS_RDONLY, nullptr) != 0) return "skip";
    const std::size_t count = WisdomStore(scratch / "w.db", read_only).records().size();
    return open_error(scratch / "w.db") + "|" + open_error(scratch / "new.db") + "|" + std::to_string(count);
  });
  if (message == "skip") GTEST_SKIP() << "file systems may not be mounted here";
  EXPECT_THAT(message, AllOf(HasSubstr("w.db cannot be written: Read-only file system"),
                             HasSubstr("new.db: Read-only file system"), testing::EndsWith("|1")));
}

// Adds trials until that fails, then looks whether those before are there. "message|acknowledged|found"
std::string fill(const fs::path& file) {
  std::size_t acknowledged = 0;
  std::int64_t session = 0;
  std::string message;
  {
    WisdomStore store(file);
    session = store.begin_session(sample_session(), sample_device());
    message = error_of([&] {
      for (int block = 0; block < 1000; ++block) {
        Trial trial = sample_trial(block);
        trial.detail = std::string(4000, 'x');
        store.add_trial(session, trial);
        ++acknowledged;
      }
    });
  }
  WisdomStore store(file, read_only);
  return message + "|" + std::to_string(acknowledged) + "|" + std::to_string(store.trials(session).size());
}

void expect_nothing_lost(const std::string& outcome) {
  const auto last = outcome.rfind('|'), middle = outcome.rfind('|', last - 1);
  ASSERT_NE(middle, std::string::npos) << outcome;
  const std::string acknowledged = outcome.substr(middle + 1, last - middle - 1);
  EXPECT_EQ(acknowledged, outcome.substr(last + 1)) << outcome;
  EXPECT_GT(std::stoi(acknowledged), 0) << outcome;
  EXPECT_LT(std::stoi(acknowledged), 1000) << outcome;
}

TEST(WisdomFaults, AFullDiskIsNamedAndLosesNothing) {
  const test::Scratch scratch;
  const std::string outcome = on_a_small_disk(scratch.path(), [&] { return fill(scratch / "w.db"); });
  if (outcome == "skip") GTEST_SKIP() << "file systems may not be mounted here";
  EXPECT_THAT(outcome, AllOf(HasSubstr("the disk is full"), HasSubstr((scratch / "w.db").string()),
                             HasSubstr("what was stored before is safe"), HasSubstr("SQLite")));
  expect_nothing_lost(outcome);
}

TEST(WisdomFaults, AFileSizeLimitIsNamedAndLosesNothing) {
  const test::Scratch scratch;
  const std::string outcome = test::in_child([&] {
    std::signal(SIGXFSZ, SIG_IGN);  // else the kernel ends the process
    const rlimit limit{200 << 10, 200 << 10};
    setrlimit(RLIMIT_FSIZE, &limit);
    return fill(scratch / "w.db");
  });
  EXPECT_THAT(outcome, AllOf(HasSubstr("the disk is full"), HasSubstr("File too large"), HasSubstr("SQLite 778")));
  expect_nothing_lost(outcome);
  EXPECT_EQ(open_error(scratch / "w.db"), "");
}

TEST(WisdomFaults, ADatabaseThatMayNotGrowIsNamedAndLosesNothing) {
  const test::Scratch scratch;
  WisdomStore(scratch / "w.db").put_record(sample_record());
  WisdomConnection connection(scratch / "w.db", true);
  connection.read([](SQLite::Database& database) { database.exec("PRAGMA max_page_count = 1"); });
  const std::string message = error_of([&] {
    connection.write([](SQLite::Database& database) {
      database.exec("INSERT INTO meta(name, value) VALUES ('big', hex(zeroblob(1000000)))");
    });
  });
  EXPECT_THAT(message, AllOf(HasSubstr("the disk is full"), HasSubstr("SQLite 13: database or disk is full")));
  connection.write(
      [](SQLite::Database& database) { database.exec("UPDATE meta SET value = 'x' WHERE name = 'uuid'"); });
  EXPECT_EQ(WisdomStore(scratch / "w.db").records().size(), 1u);
}

TEST(WisdomFaults, ADamagedPageIsNamedWhenOpenedForWriting) {
  const test::Scratch scratch;
  {
    WisdomStore store(scratch / "w.db");
    const auto session = store.begin_session(sample_session(), sample_device());
    for (int block = 0; block < 100; ++block) store.add_trial(session, sample_trial(block));
  }
  std::string bytes = test::content_of(scratch / "w.db");
  for (std::size_t at = 40960; at < 49152; ++at) bytes[at] = '\x5a';
  test::write_file(scratch / "w.db", bytes);
  EXPECT_THAT(open_error(scratch / "w.db"), AllOf(HasSubstr((scratch / "w.db").string() + " is damaged"),
                                                  HasSubstr("move it away"), HasSubstr("SQLite 11")));
  EXPECT_EQ(test::content_of(scratch / "w.db"), bytes);
}

TEST(WisdomFaults, ATruncatedFileIsNamed) {
  const test::Scratch scratch;
  WisdomStore(scratch / "w.db").put_record(sample_record());
  fs::resize_file(scratch / "w.db", 8192);
  EXPECT_THAT(open_error(scratch / "w.db"), HasSubstr("is damaged"));
  EXPECT_THAT(error_of([&] { WisdomStore(scratch / "w.db", read_only).records(); }), HasSubstr("is damaged"));
}

TEST(WisdomFaults, AReadOnlyStoreRefusesToWrite) {
  const test::Scratch scratch;
  { const WisdomStore store(scratch / "w.db"); }
  WisdomStore store(scratch / "w.db", read_only);
  EXPECT_THAT(error_of([&] { store.put_record(sample_record()); }), HasSubstr("cannot be written"));
}

TEST(WisdomFaults, AWorkThatFailsIsUndone) {
  const test::Scratch scratch;
  { const WisdomStore store(scratch / "w.db"); }
  WisdomConnection connection(scratch / "w.db", true);
  EXPECT_THROW(connection.write([](SQLite::Database& database) {
    database.exec("DELETE FROM meta");
    throw UsageError("changed my mind");
  }),
               UsageError);
  connection.read(
      [](SQLite::Database& database) { EXPECT_EQ(database.execAndGet("SELECT count(*) FROM meta").getInt(), 3); });
}

TEST(WisdomFaults, ForeignKeysHold) {
  const test::Scratch scratch;
  { const WisdomStore store(scratch / "w.db"); }
  WisdomConnection connection(scratch / "w.db", true);
  const std::string message = error_of([&] {
    connection.write([](SQLite::Database& database) {
      database.exec(
          "INSERT INTO kernel VALUES (1, 'a', 'b', 'c'); INSERT INTO problem VALUES (1, '', '[]');"
          "INSERT INTO session VALUES (1, 99, 1, 1, '', '', '', 1, '', 0, 0, 0, '', '', '', '', '', '', 0)");
    });
  });
  EXPECT_THAT(message, HasSubstr("FOREIGN KEY"));
}

}  // namespace
}  // namespace attune
