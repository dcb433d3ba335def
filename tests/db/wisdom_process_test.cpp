// Several processes on one wisdom database: none loses, none waits for ever, and one that is killed takes nothing
// along.
#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <random>
#include <thread>

#include "db/child_process.hpp"
#include "db/scratch.hpp"
#include "db/wisdom_connection.hpp"
#include "db/wisdom_store.hpp"

namespace attune {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using test::await_byte;
using test::bytes_left;
using test::Child;
using test::error_of;
using test::exit_status;
using test::sample_device;
using test::sample_record;
using test::sample_session;
using test::sample_trial;
using test::start;
using testing::AllOf;
using testing::HasSubstr;

// Holds the database locked for `time`, having said so.
Child lock_for(const fs::path& file, std::chrono::milliseconds time) {
  return start([=](int output) {
    SQLite::Database database(file.string(), SQLite::OPEN_READWRITE);
    database.exec("BEGIN EXCLUSIVE");
    if (write(output, "x", 1) != 1) return;
    std::this_thread::sleep_for(time);
    database.exec("ROLLBACK");
  });
}

double seconds_of(const std::function<void()>& work) {
  const auto start_time = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_time).count();
}

TEST(WisdomProcesses, FourLoseNoneOfTheirWrites) {
  constexpr int processes = 4, writes = 50;
  const test::Scratch scratch;
  std::vector<Child> children;
  for (int process = 0; process < processes; ++process)
    children.push_back(start([&, process](int) {
      WisdomStore store(scratch / "new/w.db");  // the file is created under the eyes of all
      const auto session = store.begin_session(sample_session(process), sample_device());
      for (int i = 1; i < writes; ++i) store.add_trial(session, sample_trial(i));
    }));
  for (const Child& child : children) EXPECT_EQ(exit_status(child), 0);
  WisdomStore store(scratch / "new/w.db");
  for (int process = 0; process < processes; ++process) {
    const auto session = store.find_session(sample_session(process).key);
    ASSERT_TRUE(session.has_value());
    EXPECT_EQ(session->trials, writes - 1);
  }
}

TEST(WisdomProcesses, ReadAndChangeWithoutOneComingBetween) {
  constexpr int processes = 4, steps = 25;
  const test::Scratch scratch;
  { const WisdomStore store(scratch / "w.db"); }
  std::vector<Child> children;
  for (int process = 0; process < processes; ++process)
    children.push_back(start([&](int) {
      WisdomConnection connection(scratch / "w.db", true);
      int runs = 0;
      for (int step = 0; step < steps; ++step)
        connection.write([&](SQLite::Database& database) {
          ++runs;
          const int read = database.execAndGet("SELECT count(*) FROM meta WHERE name LIKE 'step %'").getInt();
          std::this_thread::sleep_for(2ms);
          SQLite::Statement insert(database, "INSERT INTO meta(name, value) VALUES ('step ' || ?, '')");
          insert.bind(1, read);
          insert.exec();
        });
      if (runs != steps) _exit(2);  // the lock is taken before reading, so no run is in vain
    }));
  for (const Child& child : children) EXPECT_EQ(exit_status(child), 0);
  SQLite::Database database((scratch / "w.db").string());
  EXPECT_EQ(database.execAndGet("SELECT count(*) FROM meta WHERE name LIKE 'step %'").getInt(), processes * steps);
}

TEST(WisdomProcesses, ReadWhileAnotherWrites) {
  const test::Scratch scratch;
  WisdomStore(scratch / "w.db").put_record(sample_record());
  const Child writer = start([&](int) {
    WisdomStore store(scratch / "w.db");
    for (int i = 0; i < 50; ++i) store.put_record(sample_record());
  });
  for (int i = 0; i < 50; ++i)
    EXPECT_EQ(WisdomStore(scratch / "w.db", WisdomStore::Access::read_only).records().size(), 1u);
  EXPECT_EQ(exit_status(writer), 0);
}

TEST(WisdomProcesses, TwoStoresOfOneProcessShareAFile) {
  const test::Scratch scratch;
  WisdomStore first(scratch / "w.db"), second(scratch / "w.db");
  first.put_record(sample_record(1));
  second.put_record(sample_record(2));
  EXPECT_EQ(first.records().size(), 2u);
  EXPECT_EQ(second.records().size(), 2u);
}

TEST(WisdomProcesses, WaitForALockThatIsReleased) {
  const test::Scratch scratch;
  WisdomStore store(scratch / "w.db");
  const Child locker = lock_for(scratch / "w.db", 400ms);
  await_byte(locker);
  EXPECT_GT(seconds_of([&] { EXPECT_TRUE(store.put_record(sample_record())); }), 0.1);
  EXPECT_EQ(exit_status(locker), 0);
}

TEST(WisdomProcesses, NameTheFileAfterWaitingForALockInVain) {
  const test::Scratch scratch;
  setenv("ATTUNE_DB_WAIT", "0.3", 1);
  WisdomStore store(scratch / "w.db");
  store.put_record(sample_record());
  const Child locker = lock_for(scratch / "w.db", 60s);
  await_byte(locker);
  const std::string file = (scratch / "w.db").string();
  const std::function<void()> attempts[] = {
      [&] { store.put_record(sample_record()); },
      [&] { store.records(); },
      [&] { WisdomStore(scratch / "w.db"); },
      [&] { WisdomStore(scratch / "w.db", WisdomStore::Access::read_only); },
  };
  for (const auto& attempt : attempts) {
    std::string message;
    const double seconds = seconds_of([&] { message = error_of(attempt); });
    EXPECT_THAT(message, AllOf(HasSubstr(file + " is locked by another process (waited 0."),
                               HasSubstr("`fuser " + file), HasSubstr("SQLite 5: database is locked")));
    EXPECT_GE(seconds, 0.29);
    EXPECT_LT(seconds, 2);
  }
  kill(locker.id, SIGKILL);
  exit_status(locker);
  EXPECT_TRUE(store.put_record(sample_record()));
  unsetenv("ATTUNE_DB_WAIT");
}

TEST(WisdomProcesses, RefuseAWaitThatIsNoNumber) {
  for (const char* text : {"soon", "-1", "5s", "nan"}) {
    setenv("ATTUNE_DB_WAIT", text, 1);
    EXPECT_THAT(error_of([] { WisdomStore(":memory:"); }), HasSubstr(std::string("ATTUNE_DB_WAIT=") + text));
  }
  unsetenv("ATTUNE_DB_WAIT");
}

TEST(WisdomProcesses, KeepWhatWasAcknowledgedBeforeAKill) {
  const test::Scratch scratch;
  { const WisdomStore store(scratch / "w.db"); }
  std::mt19937 random(20240607);
  std::size_t acknowledged = 0, ended_by_us = 0;
  std::vector<std::int64_t> sessions;
  for (int round = 0; round < 12; ++round) {
    const Child writer = start([&](int output) {
      WisdomStore store(scratch / "w.db");
      const auto session = store.begin_session(sample_session(round), sample_device());
      for (int i = 0;; ++i) {
        store.add_trial(session, sample_trial(i));
        if (write(output, "x", 1) != 1) _exit(1);
      }
    });
    await_byte(writer);
    ++acknowledged;
    std::this_thread::sleep_for(std::chrono::microseconds(std::uniform_int_distribution(0, 20000)(random)));
    kill(writer.id, SIGKILL);
    acknowledged += bytes_left(writer);
    ended_by_us += WIFSIGNALED(exit_status(writer)) ? 1 : 0;
  }
  EXPECT_EQ(ended_by_us, 12u);
  WisdomStore store(scratch / "w.db");
  std::size_t found = 0;
  for (int round = 0; round < 12; ++round)
    found += static_cast<std::size_t>(store.find_session(sample_session(round).key)->trials);
  EXPECT_GE(found, acknowledged);
  EXPECT_LE(found, acknowledged + 12) << "more than the one trial in flight per kill";
}

// A process dies with half a transaction in the file: the journal has to undo it.
void die_while_writing(const fs::path& file) {
  const Child writer = start([&](int output) {
    SQLite::Database database(file.string(), SQLite::OPEN_READWRITE);
    database.exec("PRAGMA cache_size = 1; BEGIN IMMEDIATE; UPDATE record SET median_ns = 1");
    for (int i = 0; i < 100; ++i)  // more than the cache holds, so that changed pages reach the file before the commit
      database.exec("INSERT INTO meta(name, value) VALUES (hex(randomblob(16)), hex(zeroblob(2000)))");
    if (write(output, "x", 1) != 1) return;
    pause();
  });
  await_byte(writer);
  kill(writer.id, SIGKILL);
  exit_status(writer);
  ASSERT_GT(fs::file_size(file.string() + "-journal"), 0u);
}

TEST(WisdomProcesses, UndoTheUnfinishedTransactionOfOneThatDied) {
  for (const auto access : {WisdomStore::Access::read_write, WisdomStore::Access::read_only}) {
    const test::Scratch scratch;
    const Record record = sample_record();
    WisdomStore(scratch / "w.db").put_record(record);
    die_while_writing(scratch / "w.db");
    WisdomStore store(scratch / "w.db", access);
    ASSERT_EQ(store.records().size(), 1u);
    EXPECT_EQ(store.records()[0].median_ns, record.median_ns);
  }
}

TEST(WisdomProcesses, SayWhoMustRepairWhatTheyMayNot) {
  const test::Scratch scratch;
  WisdomStore(scratch / "w.db").put_record(sample_record());
  die_while_writing(scratch / "w.db");
  fs::permissions(scratch / "w.db", fs::perms(0444));
  fs::permissions(scratch.path() / "w.db-journal", fs::perms(0444));
  const std::string message = test::as_ordinary_user(
      [&] { return error_of([&] { WisdomStore(scratch / "w.db", WisdomStore::Access::read_only); }); });
  EXPECT_THAT(message, AllOf(HasSubstr("w.db"), HasSubstr("open it once as its owner")));
}

TEST(WisdomProcesses, RefuseAStoreThatCameThroughFork) {
  const test::Scratch scratch;
  WisdomStore store(scratch / "w.db");
  EXPECT_THAT(test::in_child([&] { return error_of([&] { store.records(); }); }), HasSubstr("before fork()"));
  EXPECT_EQ(test::in_child([&] {
              { const WisdomStore taken = std::move(store); }  // closing it there must not harm it here
              return std::string("closed");
            }),
            "closed");
  EXPECT_TRUE(store.put_record(sample_record()));
}

}  // namespace
}  // namespace attune
