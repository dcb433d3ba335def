// Several processes on one wisdom database: none loses, none waits for ever, and one that is killed takes nothing
// along.
#include <chrono>
#include <csignal>
#include <fstream>
#include <thread>

#include "db/reader/wisdom_reader.hpp"
#include "db/wisdom_connection.hpp"
#include "db/wisdom_schema.hpp"
#include "db/wisdom_test.hpp"
#include "kernel/look_up.hpp"

namespace attune {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using test::await_byte;
using test::Child;
using test::error_of;
using test::exit_status;
using test::rest_of;
using test::sample_record;
using test::start;
using testing::AllOf;
using testing::HasSubstr;

double seconds_of(const std::function<void()>& work) {
  const auto start_time = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_time).count();
}

class WisdomProcesses : public test::WisdomTest {
 protected:
  // Holds the database locked for `time`, having said so.
  Child lock_for(std::chrono::milliseconds time) const {
    const Child locker = start([=, this](int output) {
      SQLite::Database database(file_.string(), SQLite::OPEN_READWRITE);
      database.exec("BEGIN EXCLUSIVE");
      if (write(output, "x", 1) != 1) return;
      std::this_thread::sleep_for(time);
      database.exec("ROLLBACK");
    });
    await_byte(locker);
    return locker;
  }
  // A process that waits to be killed, with half a transaction in the file: the journal has to undo it.
  Child write_half() const {
    const Child writer = start([&](int output) {
      SQLite::Database database(file_.string(), SQLite::OPEN_READWRITE);
      database.exec("PRAGMA cache_size = 1; BEGIN IMMEDIATE; UPDATE record SET median_ns = 1");
      for (int i = 0; i < 100;
           ++i)  // more than the cache holds, so that changed pages reach the file before the commit
        database.exec("INSERT INTO meta(name, value) VALUES (hex(randomblob(16)), hex(zeroblob(2000)))");
      if (write(output, "x", 1) != 1) return;
      pause();
    });
    await_byte(writer);
    return writer;
  }
  void die_while_writing() const {
    const Child writer = write_half();
    kill(writer.id, SIGKILL);
    exit_status(writer);
    ASSERT_GT(fs::file_size(file_.string() + "-journal"), 0u);
  }
};

TEST_F(WisdomProcesses, EightLoseNoneOfTheirWrites) {
  constexpr int processes = 8, writes = 25;
  const fs::path file = scratch_ / "new/w.db";  // created under the eyes of all
  std::vector<Child> children;
  for (int process = 0; process < processes; ++process)
    children.push_back(start([&, process](int) {
      WisdomStore store(file);
      const auto session = begin(store, process);
      for (int i = 0; i < writes; ++i) store.add_trial(session, test::sample_trial(i));
    }));
  for (const Child& child : children) EXPECT_EQ(exit_status(child), 0);
  WisdomStore store(file);
  for (int process = 0; process < processes; ++process) {
    const auto session = store.find_session(test::sample_session(process).key);
    ASSERT_TRUE(session.has_value());
    EXPECT_EQ(session->trials, writes);
  }
}

TEST_F(WisdomProcesses, BringAnOlderFormatForwardTogether) {
  constexpr int rounds = 8, processes = 6;
  constexpr Migration steps[] = {{1, "UPDATE session SET strategy = strategy || '+'; PRAGMA user_version = 2;"}};
  for (int round = 0; round < rounds; ++round) {
    fs::remove(file_);
    begin();
    int gate[2];
    ASSERT_EQ(pipe(gate), 0);
    std::vector<Child> children;
    for (int process = 0; process < processes; ++process)
      children.push_back(start([&](int output) {
        close(gate[1]);
        char byte = 0;
        if (read(gate[0], &byte, 1) != 0) _exit(2);  // the end of the pipe: all begin
        const std::string message = error_of([&] {
          SQLite::Database database(file_.string(), SQLite::OPEN_READWRITE);
          database.setBusyTimeout(10'000);
          migrate(database, file_, steps, 2);
        });
        if (!message.empty() && write(output, message.data(), message.size()) > 0) _exit(1);
      }));
    for (const int end : gate) close(end);
    for (const Child& child : children) {
      EXPECT_EQ(rest_of(child), "");
      EXPECT_EQ(exit_status(child), 0);
    }
    EXPECT_EQ(answer_to("SELECT strategy FROM session"), "random+") << "once";
    SQLite::Database copy(file_.string() + ".bak-v1");
    EXPECT_EQ(copy.execAndGet("PRAGMA user_version").getInt(), 1) << "the copy is of what there was before";
  }
}

TEST_F(WisdomProcesses, ReadAndChangeWithoutOneComingBetween) {
  constexpr int processes = 4, steps = 25;
  { const WisdomStore store(file_); }
  std::vector<Child> children;
  for (int process = 0; process < processes; ++process)
    children.push_back(start([&](int) {
      WisdomConnection connection(file_, true);
      int runs = 0;
      for (int step = 0; step < steps; ++step)
        connection.write([&](SQLite::Database& database) {
          ++runs;
          const int read = database.execAndGet("SELECT count(*) FROM meta WHERE name LIKE 'step %'").getInt();
          std::this_thread::sleep_for(2ms);
          database.exec("INSERT INTO meta(name, value) VALUES ('step " + std::to_string(read) + "', '')");
        });
      if (runs != steps) _exit(2);  // the lock is taken before reading, so no run is in vain
    }));
  for (const Child& child : children) EXPECT_EQ(exit_status(child), 0);
  EXPECT_EQ(answer_to("SELECT count(*) FROM meta WHERE name LIKE 'step %'"), std::to_string(processes * steps));
}

TEST_F(WisdomProcesses, ReadWhileAnotherWrites) {
  WisdomStore(file_).put_record(sample_record());
  const Child writer = start([&](int) {
    WisdomStore store(file_);
    for (int i = 0; i < 50; ++i) store.put_record(sample_record());
  });
  for (int i = 0; i < 50; ++i) EXPECT_EQ(WisdomStore(file_, WisdomStore::Access::read_only).records().size(), 1u);
  EXPECT_EQ(exit_status(writer), 0);
}

TEST_F(WisdomProcesses, WaitForALockThatIsReleased) {
  WisdomStore store(file_);
  const Child locker = lock_for(400ms);
  EXPECT_GT(seconds_of([&] { EXPECT_TRUE(store.put_record(sample_record())); }), 0.1);
  EXPECT_EQ(exit_status(locker), 0);
}

TEST_F(WisdomProcesses, NameTheFileAfterWaitingForALockInVain) {
  setenv("ATTUNE_DB_WAIT", "0.3", 1);
  WisdomStore store(file_);
  store.put_record(sample_record());
  const Child locker = lock_for(60s);
  const std::string file = file_.string();
  const std::function<void()> attempts[] = {
      [&] { store.put_record(sample_record()); },
      [&] { store.records(); },
      [&] { WisdomStore{file_}; },
      [&] { WisdomStore(file_, WisdomStore::Access::read_only); },
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
  EXPECT_NO_THROW(store.put_record(sample_record()));
  for (const char* text : {"soon", "-1", "5s", "nan"}) {
    setenv("ATTUNE_DB_WAIT", text, 1);
    EXPECT_THAT(error_of([] { WisdomStore(":memory:"); }), HasSubstr(std::string("ATTUNE_DB_WAIT=") + text));
  }
  unsetenv("ATTUNE_DB_WAIT");
}

// A reader opens, looks whether there is something to repair, and reads: all within one wait.
TEST_F(WisdomProcesses, WaitOnceInAllToOpenForReading) {
  WisdomStore(file_).put_record(sample_record());
  setenv("ATTUNE_DB_WAIT", "3", 1);
  const Child locker = lock_for(60s);
  std::string message;
  const double seconds =
      seconds_of([&] { message = error_of([&] { WisdomStore(file_, WisdomStore::Access::read_only); }); });
  unsetenv("ATTUNE_DB_WAIT");
  kill(locker.id, SIGKILL);
  exit_status(locker);
  EXPECT_THAT(message, HasSubstr("(waited 3"));
  EXPECT_LT(seconds, 5.5) << "twice would be six";
}

TEST_F(WisdomProcesses, UndoTheUnfinishedTransactionOfOneThatDied) {
  const Record record = sample_record();
  WisdomStore(file_).put_record(record);
  for (const auto access : {WisdomStore::Access::read_write, WisdomStore::Access::read_only}) {
    die_while_writing();
    WisdomStore store(file_, access);
    ASSERT_EQ(store.records().size(), 1u);
    EXPECT_EQ(store.records()[0].median_ns, record.median_ns);
  }
}

// The writer holds the lock until it dies: a reader that waits for it finds the journal later than it opened the file.
TEST_F(WisdomProcesses, UndoTheUnfinishedTransactionOfOneThatDiesWhileTheyWait) {
  const Record record = sample_record();
  WisdomStore(file_).put_record(record);
  WisdomStore opened(file_, WisdomStore::Access::read_only);
  const auto opening = [&] { return WisdomStore(file_, WisdomStore::Access::read_only).records(); };
  const auto reading = [&] { return opened.records(); };
  for (const std::function<std::vector<Record>()>& records : {std::function(opening), std::function(reading)}) {
    const Child writer = write_half();
    const std::jthread killer([&] {
      std::this_thread::sleep_for(400ms);
      kill(writer.id, SIGKILL);
      exit_status(writer);
    });
    const std::vector<Record> found = records();
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].median_ns, record.median_ns);
  }
}

TEST_F(WisdomProcesses, SayWhoMustRepairWhatTheyMayNot) {
  WisdomStore(file_).put_record(sample_record());
  die_while_writing();
  for (const fs::path& file : {file_, scratch_ / "w.db-journal"}) fs::permissions(file, fs::perms(0444));
  const std::string message =
      test::as_ordinary_user([&] { return error_of([&] { WisdomStore(file_, WisdomStore::Access::read_only); }); });
  EXPECT_THAT(message, AllOf(HasSubstr("w.db"), HasSubstr("open it once as its owner")));
}

// A journal may name a file that SQLite removes after the rollback. It does so for transactions of several databases,
// and attune has none.
TEST_F(WisdomProcesses, RemoveNoFileThatAJournalNames) {
  const fs::path victim = scratch_ / "victim", journal = scratch_ / "w.db-journal";
  WisdomStore(file_).put_record(sample_record());
  die_while_writing();
  std::ofstream(victim) << "precious";
  const auto append = [](std::string& text, std::uint32_t number) {
    for (int shift = 24; shift >= 0; shift -= 8) text += static_cast<char>(number >> shift);
  };
  std::string tail;
  append(tail, (1U << 30) / 4096 + 1);
  tail += victim.string();
  append(tail, static_cast<std::uint32_t>(victim.string().size()));
  std::uint32_t sum = 0;
  for (const char byte : victim.string()) sum += static_cast<std::uint32_t>(byte);
  append(tail, sum);
  tail += "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7";
  std::ofstream(journal, std::ios::app | std::ios::binary) << tail;
  const KernelSpec spec = test::sample_kernel();
  for (const std::function<void()>& open : {
           std::function<void()>([&] { look_up_all(WisdomReader(file_), spec, "cuda"); }),
           std::function<void()>([&] { WisdomStore(file_, WisdomStore::Access::read_only); }),
           std::function<void()>([&] { WisdomStore{file_}; }),
       }) {
    EXPECT_THAT(error_of(open), AllOf(HasSubstr(journal.string()), HasSubstr("another program")));
    EXPECT_TRUE(fs::exists(victim));
  }
}

TEST_F(WisdomProcesses, RefuseAStoreThatCameThroughFork) {
  WisdomStore store(file_);
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
