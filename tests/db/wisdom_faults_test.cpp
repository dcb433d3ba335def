// What files, permissions and disks do to a wisdom database, and what is said about it.
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>

#include "db/wisdom_connection.hpp"
#include "db/wisdom_test.hpp"

namespace attune {
namespace {

namespace fs = std::filesystem;
using test::as_ordinary_user;
using test::error_of;
using test::sample_record;
using test::sample_trial;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr auto read_only = WisdomStore::Access::read_only;
constexpr auto read_write = WisdomStore::Access::read_write;

std::string open_error(const fs::path& file, WisdomStore::Access access = read_write) {
  return error_of([&] { WisdomStore(file, access); });
}
std::string count_records(const fs::path& file) {
  return std::to_string(WisdomStore(file, read_only).records().size());
}

using WisdomFaults = test::WisdomTest;

TEST_F(WisdomFaults, WhatCannotBeADatabaseIsNamedAndLeftAlone) {
  { const WisdomStore store(scratch_ / "empty"); }
  fs::resize_file(scratch_ / "empty", 0);
  { const WisdomStore store(scratch_ / "cut"); }
  fs::resize_file(scratch_ / "cut", 50);
  const std::string list = "This is a shopping list, and a long one: " + std::string(5000, 'x');
  test::write_file(scratch_ / "list", list);
  fs::create_directory(scratch_ / "dir");
  ASSERT_EQ(mkfifo((scratch_ / "pipe").c_str(), 0600), 0);
  fs::create_symlink(scratch_ / "gone.db", scratch_ / "link.db");
  struct Case {
    fs::path file;
    std::vector<std::string> words;
    bool when_read = true;
    bool when_written = true;
  };
  const Case cases[] = {
      {scratch_ / "none", {"no wisdom database " + (scratch_ / "none").string(), "attune tune"}, true, false},
      {"", {"empty"}},
      {scratch_ / "empty", {(scratch_ / "empty").string(), "is empty: it was truncated", "move it away"}},
      {scratch_ / "cut", {"is cut short (50 bytes)", "restore it from a copy"}},
      {scratch_ / "list",
       {(scratch_ / "list").string(), "is not a wisdom database", "SQLite 26: file is not a database"}},
      {scratch_ / "dir", {"is a directory", "dir/wisdom.db"}, false},
      {scratch_ / "pipe", {"is not a regular file"}, false},  // and not waited for
      {scratch_ / "link.db", {"symbolic link to a file that does not exist"}, false},
      {scratch_ / "list/w.db", {"list/w.db"}, false},
  };
  for (const Case& c : cases)
    for (const std::string& word : c.words) {
      if (c.when_read) {
        EXPECT_THAT(open_error(c.file, read_only), HasSubstr(word)) << c.file;
      }
      if (c.when_written) {
        EXPECT_THAT(open_error(c.file, read_write), HasSubstr(word)) << c.file;
      }
    }
  EXPECT_FALSE(fs::exists(scratch_ / "none"));
  EXPECT_EQ(fs::file_size(scratch_ / "empty"), 0u);
  EXPECT_EQ(fs::file_size(scratch_ / "cut"), 50u);
  EXPECT_EQ(test::content_of(scratch_ / "list"), list);
}

TEST_F(WisdomFaults, ALinkToADatabaseIsFollowed) {
  WisdomStore(scratch_ / "there/w.db").put_record(sample_record());
  fs::create_symlink(scratch_ / "there/w.db", scratch_ / "link.db");
  EXPECT_EQ(count_records(scratch_ / "link.db"), "1");
}

TEST_F(WisdomFaults, AFileThatMayNotBeReadOrWrittenIsNamed) {
  WisdomStore(file_).put_record(sample_record());
  fs::permissions(file_, fs::perms(0000));
  EXPECT_THAT(as_ordinary_user([&] { return open_error(file_, read_only); }),
              AllOf(HasSubstr("w.db cannot be read: Permission denied"), HasSubstr("ls -ld")));
  fs::permissions(file_, fs::perms(0444));
  fs::permissions(scratch_.path(), fs::perms(0777));
  EXPECT_THAT(as_ordinary_user([&] { return open_error(file_); }),
              HasSubstr("w.db cannot be written: Permission denied"));
  EXPECT_EQ(as_ordinary_user([&] { return count_records(file_); }), "1");
}

TEST_F(WisdomFaults, ADirectoryThatMayNotBeWrittenIsNamed) {
  WisdomStore(file_).put_record(sample_record());
  fs::permissions(file_, fs::perms(0666));
  fs::permissions(scratch_.path(), fs::perms(0555));
  EXPECT_THAT(
      as_ordinary_user([&] { return open_error(file_); }),
      AllOf(HasSubstr("its journal needs the directory " + scratch_.path().string()), HasSubstr("Permission denied")));
  EXPECT_THAT(as_ordinary_user([&] { return open_error(scratch_ / "new.db"); }),
              AllOf(HasSubstr("new.db"), HasSubstr("Permission denied")));
  EXPECT_EQ(as_ordinary_user([&] { return count_records(file_); }), "1");
  fs::permissions(scratch_.path(), fs::perms(0755));
}

// Runs `work` in a child where `place` is a file system of its own, of 192 KiB.
std::string on_a_small_disk(const fs::path& place, const std::function<std::string()>& work) {
  return test::in_child([&]() -> std::string {
    if (unshare(CLONE_NEWNS) != 0 || mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return "skip";
    if (mount("none", place.c_str(), "tmpfs", 0, "size=192k") != 0) return "skip";
    return work();
  });
}

TEST_F(WisdomFaults, AReadOnlyFileSystemIsNamedAndCanBeRead) {
  const std::string message = on_a_small_disk(scratch_.path(), [&]() -> std::string {
    WisdomStore(file_).put_record(sample_record());
    if (mount("none", scratch_.path().c_str(), nullptr, MS_REMOUNT | MS_RDONLY, nullptr) != 0) return "skip";
    return open_error(file_) + "|" + open_error(scratch_ / "new.db") + "|" + count_records(file_);
  });
  if (message == "skip") GTEST_SKIP() << "file systems may not be mounted here";
  EXPECT_THAT(message, AllOf(HasSubstr("w.db cannot be written: Read-only file system"),
                             HasSubstr("new.db: Read-only file system"), testing::EndsWith("|1")));
}

// Adds trials until that fails, then looks whether those before are there.
std::string fill(const fs::path& file) {
  constexpr std::size_t most = 1000;
  std::size_t acknowledged = 0;
  std::int64_t session = 0;
  std::string message;
  {
    WisdomStore store(file);
    session = store.begin_session(test::sample_session(), test::sample_device());
    message = error_of([&] {
      for (; acknowledged < most; ++acknowledged) {
        Trial trial = sample_trial(static_cast<int>(acknowledged));
        trial.detail = std::string(4000, 'x');
        store.add_trial(session, trial);
      }
    });
  }
  const std::size_t found = WisdomStore(file, read_only).trials(session).size();
  return message + (acknowledged > 0 && acknowledged < most && found == acknowledged ? "|nothing lost" : "|LOST");
}

TEST_F(WisdomFaults, AFullDiskIsNamedAndLosesNothing) {
  const std::string outcome = on_a_small_disk(scratch_.path(), [&] { return fill(file_); });
  if (outcome == "skip") GTEST_SKIP() << "file systems may not be mounted here";
  EXPECT_THAT(outcome, AllOf(HasSubstr("the disk is full"), HasSubstr(file_.string()), HasSubstr("|nothing lost"),
                             HasSubstr("what was stored before is safe"), HasSubstr("SQLite 13: ")));
}

TEST_F(WisdomFaults, AFileSizeLimitIsNamedAndLosesNothing) {
  const std::string outcome = test::in_child([&] {
    std::signal(SIGXFSZ, SIG_IGN);  // else the kernel ends the process
    const rlimit limit{200 << 10, 200 << 10};
    setrlimit(RLIMIT_FSIZE, &limit);
    return fill(file_);
  });
  EXPECT_THAT(outcome, AllOf(HasSubstr("ulimit -f"), Not(HasSubstr("disk is full")), HasSubstr("SQLite 778"),
                             HasSubstr("what was stored before is safe"), HasSubstr("|nothing lost")));
  EXPECT_EQ(open_error(file_), "");
}

TEST_F(WisdomFaults, AFileSizeLimitIsNamedWhileADatabaseIsMade) {
  const std::string outcome = test::in_child([&] {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{20 << 10, 20 << 10};
    setrlimit(RLIMIT_FSIZE, &limit);
    return open_error(file_);
  });
  EXPECT_THAT(outcome, AllOf(HasSubstr(file_.string()), HasSubstr("ulimit -f"), Not(HasSubstr("dmesg"))));
  EXPECT_FALSE(fs::exists(file_));
}

TEST_F(WisdomFaults, TooManyOpenFilesAreNamed) {
  { const WisdomStore store(file_); }
  for (const auto access : {read_write, read_only}) {
    const std::string outcome = test::in_child([&] {
      const rlimit limit{3, 3};
      setrlimit(RLIMIT_NOFILE, &limit);
      return open_error(file_, access);
    });
    EXPECT_THAT(outcome, AllOf(HasSubstr(file_.string()), HasSubstr("ulimit -n"), Not(HasSubstr("permission"))));
  }
}

TEST_F(WisdomFaults, AWriteAheadLogWhereNothingMayBeWrittenIsNamed) {
  { const WisdomStore store(file_); }
  execute("PRAGMA journal_mode = WAL");
  const auto expect_named = [](const std::string& message) {
    EXPECT_THAT(message, AllOf(HasSubstr("write-ahead log"), HasSubstr("copy it"), HasSubstr("journal_mode=DELETE")));
  };
  fs::permissions(file_, fs::perms(0666));
  fs::permissions(scratch_.path(), fs::perms(0555));
  expect_named(as_ordinary_user([&] { return open_error(file_, read_only); }));
  fs::permissions(scratch_.path(), fs::perms(0755));
  const std::string message = on_a_small_disk(scratch_.path(), [&]() -> std::string {
    { const WisdomStore store(file_); }
    execute("PRAGMA journal_mode = WAL");
    if (mount("none", scratch_.path().c_str(), nullptr, MS_REMOUNT | MS_RDONLY, nullptr) != 0) return "skip";
    return open_error(file_, read_only);
  });
  if (message != "skip") expect_named(message);
}

TEST_F(WisdomFaults, TheLargestRowIsNamedWhenOpenedForWriting) {
  const auto session = begin();
  for (const std::string statement :
       {"UPDATE sqlite_sequence SET seq = 9223372036854775807 WHERE name = 'session'",
        "UPDATE sqlite_sequence SET seq = 1; PRAGMA foreign_keys = OFF; UPDATE session SET id = 9223372036854775807"}) {
    execute(statement);
    EXPECT_THAT(open_error(file_),
                AllOf(HasSubstr("is damaged"), HasSubstr("it has a row 9223372036854775807"), Not(HasSubstr("disk"))));
  }
  EXPECT_GT(session, 0);
}

TEST_F(WisdomFaults, ADamagedIndexIsNamedAndWhatIsSoundIsRead) {
  WisdomStore(file_).put_record(sample_record());
  const int page = std::stoi(answer_to("SELECT rootpage FROM sqlite_schema WHERE name = 'record_by_key'"));
  const int size = std::stoi(answer_to("PRAGMA page_size"));
  std::string bytes = test::content_of(file_);
  bytes[static_cast<std::size_t>(page * size - 1)] ^= 1;  // of its first entry
  test::write_file(file_, bytes);
  EXPECT_THAT(open_error(file_), AllOf(HasSubstr("an index of the wisdom database " + file_.string() + " is damaged"),
                                       HasSubstr("REINDEX"), HasSubstr("record_by_key")));
  std::string note;
  const auto keep = [&](const std::string& text) { note = text; };
  WisdomStore(file_, read_only, {keep}).records();
  EXPECT_THAT(note, AllOf(HasSubstr("is damaged"), HasSubstr("records may be missing here")));
  execute("REINDEX");
  EXPECT_EQ(open_error(file_), "");
  EXPECT_EQ(count_records(file_), "1");
}

TEST_F(WisdomFaults, ADatabaseThatMayNotGrowIsNamedAndGoesOn) {
  { const WisdomStore store(file_); }
  WisdomConnection connection(file_, true);
  connection.read([](SQLite::Database& database) { database.exec("PRAGMA max_page_count = 1"); });
  const auto set = [&](const std::string& value) {
    connection.write([&](SQLite::Database& database) {
      database.exec("UPDATE meta SET value = " + value + " WHERE name = 'uuid'");
    });
  };
  EXPECT_THAT(error_of([&] { set("hex(zeroblob(1000000))"); }),
              AllOf(HasSubstr("the disk is full"), HasSubstr("SQLite 13: database or disk is full")));
  set("'x'");
  EXPECT_EQ(answer_to("SELECT value FROM meta WHERE name = 'uuid'"), "x");
}

TEST_F(WisdomFaults, ADamagedPageIsNamedWhenOpenedForWriting) {
  {
    WisdomStore store(file_);
    const auto session = begin(store);
    for (int block = 0; block < 100; ++block) store.add_trial(session, sample_trial(block));
  }
  std::string bytes = test::content_of(file_);
  for (std::size_t at = 40960; at < 49152; ++at) bytes[at] = '\x5a';
  test::write_file(file_, bytes);
  EXPECT_THAT(open_error(file_),
              AllOf(HasSubstr(file_.string() + " is damaged"), HasSubstr("move it away"), HasSubstr("SQLite 11")));
  EXPECT_EQ(test::content_of(file_), bytes);
  fs::resize_file(file_, 8192);
  EXPECT_THAT(open_error(file_), HasSubstr("is damaged"));
  EXPECT_THAT(error_of([&] { count_records(file_); }), HasSubstr("is damaged"));
}

TEST_F(WisdomFaults, AReadOnlyStoreRefusesToWrite) {
  const auto session = begin();
  WisdomStore(file_).begin_attempts(session, {test::configuration(1)}, true);
  WisdomStore store(file_, read_only);
  const std::function<void()> writes[] = {
      [&] { store.put_record(sample_record()); },
      [&] { store.begin_attempts(session, {test::configuration(1)}, true); },
      [&] { store.withdraw_attempts(session, {test::configuration(1)}, true); },
      [&] { store.lift_quarantine(test::sample_key()); },
  };
  for (const auto& write : writes) EXPECT_THAT(error_of(write), HasSubstr("cannot be written"));
  EXPECT_EQ(store.open_attempts(session).at(0).begun, 1);
}

TEST_F(WisdomFaults, APlantedTriggerDoesNotRunAndTheSchemaCannotBeWritten) {
  WisdomStore(file_).put_record(test::sample_record());
  execute("CREATE TRIGGER planted AFTER INSERT ON record BEGIN INSERT INTO meta VALUES ('planted', ''); END");
  WisdomStore(file_).put_record(test::sample_record(2048));
  EXPECT_EQ(answer_to("SELECT count(*) FROM record"), "2");
  EXPECT_EQ(answer_to("SELECT count(*) FROM meta WHERE name = 'planted'"), "0");
  WisdomConnection connection(file_, true);
  EXPECT_THAT(error_of([&] {
                connection.write([](SQLite::Database& database) {
                  database.exec("PRAGMA writable_schema = ON; DELETE FROM sqlite_schema");
                });
              }),
              HasSubstr("may not be modified"));
}

TEST_F(WisdomFaults, AWorkThatFailsIsUndone) {
  { const WisdomStore store(file_); }
  WisdomConnection connection(file_, true);
  EXPECT_THROW(connection.write([](SQLite::Database& database) {
    database.exec("DELETE FROM meta");
    throw UsageError("changed my mind");
  }),
               UsageError);
  EXPECT_EQ(answer_to("SELECT count(*) FROM meta"), "3");
  EXPECT_THAT(error_of([&] {
                connection.write([](SQLite::Database& database) {
                  database.exec(
                      "INSERT INTO kernel VALUES (1, 'a', 'b', 'c'); INSERT INTO problem VALUES (1, '{}');"
                      "INSERT INTO session VALUES (1, 'u', 99, 1, 1, '', '', '', 1, '', 0, 0, 0, '', '', '', '', '', "
                      "9, '', 0)");
                });
              }),
              HasSubstr("FOREIGN KEY"));
}

}  // namespace
}  // namespace attune
