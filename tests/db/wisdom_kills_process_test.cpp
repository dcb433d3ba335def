// Eight processes write and read one wisdom database at the same time, and are killed again and again, each time the
// one that changes the file.
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <iostream>
#include <set>

#include "db/reader/wisdom_reader.hpp"
#include "db/wisdom_test.hpp"
#include "db/wisdom_verify.hpp"
#include "kernel/look_up.hpp"

namespace attune {
namespace {

using test::Child;

constexpr int processes = 8, writes_of_each = 1000, writes_between_kills = 200;
constexpr double longest_wait_s = 60;      // for a lock
constexpr off_t shared_byte = 0x40000002;  // a writer locks it while it changes the file: SHARED_FIRST of SQLite

// What a process tells after each write, and the read behind it.
struct Told {
  int write = 0;
  float read_ms = 0;
};

Record record_of(int process, int write) {
  Record record = test::sample_record(1 + process * writes_of_each + write);
  record.uuid = fmt::format("{}-{}", process, write);
  record.median_ns = 1 + process + write / 7.0;
  return record;
}

// Writes the records from `first` on, and reads each back as an application does. Ends the process where one is not
// found.
void write_and_read(const std::filesystem::path& file, int process, int first, int output) {
  WisdomStore store(file, WisdomStore::Access::read_write, {.seconds = longest_wait_s});
  const WisdomReader reader(file, longest_wait_s);
  const KernelSpec spec = test::sample_kernel();
  const DeviceInfo device = test::sample_device();
  for (int write = first; write < writes_of_each; ++write) {
    const Record record = record_of(process, write);
    store.put_record(record);
    const auto begin = std::chrono::steady_clock::now();
    const FoundRecords found =
        look_up(reader, MatchRequest{spec, record.key.problem, device, "reduce"}, Reach::this_problem);
    const std::chrono::duration<float, std::milli> taken = std::chrono::steady_clock::now() - begin;
    if (found.records.size() != 1 || found.records[0].median_ns != record.median_ns || found.damaged > 0) _exit(2);
    const Told told{write, taken.count()};
    if (::write(output, &told, sizeof told) != sizeof told) _exit(3);
  }
}

class WisdomKills : public test::WisdomTest {
 protected:
  WisdomKills() : WisdomTest(test::folder_in_memory()) {}

  void run() {
    for (int process = 0; process < processes; ++process) begin_again(process);
    while (std::ranges::any_of(writers_, [](const Writer& writer) { return writer.is_running; })) {
      std::vector<pollfd> ends;
      for (const Writer& writer : writers_) ends.push_back({writer.is_running ? writer.child.output : -1, POLLIN, 0});
      ASSERT_GT(poll(ends.data(), ends.size(), -1), 0);
      for (int process = 0; process < processes; ++process)
        if (ends[static_cast<std::size_t>(process)].revents != 0) hear(process);
    }
  }

  void begin_again(int process) {
    Writer& writer = writers_[static_cast<std::size_t>(process)];
    writer.child = test::start([&](int output) { write_and_read(file_, process, writer.told, output); });
    writer.is_running = true;
  }

  void hear(int process) {
    Writer& writer = writers_[static_cast<std::size_t>(process)];
    if (!take(writer)) {
      EXPECT_EQ(test::exit_status(writer.child), 0);
      EXPECT_EQ(writer.told, writes_of_each);
      writer.is_running = false;
    } else if (++told_since_kill_ >= writes_between_kills) {
      kill_amid_change();
    }
  }

  // Returns the process that changes the file now, or 0. Its journal is hot, so that a kill tears what it writes.
  pid_t process_that_changes(int file) const {
    constexpr int most_looks = 100'000;  // of about a microsecond, while eight processes write
    for (int look = 0; look < most_looks; ++look) {
      struct flock lock = {F_RDLCK, SEEK_SET, shared_byte, 1, 0};
      if (fcntl(file, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK) return lock.l_pid;
    }
    return 0;
  }

  // Kills the process that changes the file, and starts it again. Waits for the next write if none does.
  void kill_amid_change() {
    const int file = open(file_.c_str(), O_RDWR | O_CLOEXEC);
    const pid_t id = process_that_changes(file);
    close(file);
    if (id == 0) return;
    const auto held = std::ranges::find(writers_, id, [](const Writer& writer) { return writer.child.id; });
    ASSERT_NE(held, writers_.end());
    kill(held->child.id, SIGKILL);
    while (take(*held)) {
    }
    test::exit_status(held->child);
    ++kills_;
    told_since_kill_ = 0;
    begin_again(static_cast<int>(held - writers_.begin()));
  }

  struct Writer {
    Child child = {};
    int told = 0;  // writes
    bool is_running = false;
  };

  // Takes what a writer has told next. Returns false at its end.
  bool take(Writer& writer) {
    Told told;
    if (read(writer.child.output, &told, sizeof told) != sizeof told) return false;
    EXPECT_EQ(told.write, writer.told);
    ++writer.told;
    reads_ms_.push_back(told.read_ms);
    return true;
  }

  std::vector<Writer> writers_{processes};
  std::vector<float> reads_ms_;
  int told_since_kill_ = 0, kills_ = 0;
};

TEST_F(WisdomKills, LoseNoWriteThatWasAcknowledgedAndTearNone) {
  { const WisdomStore store(file_); }
  run();
  EXPECT_GE(kills_, processes * writes_of_each / writes_between_kills / 2);
  const Verification found = verify_wisdom(file_);
  EXPECT_TRUE(found.is_sound()) << testing::PrintToString(found.defects);
  std::set<std::string> wanted, stored;
  for (int process = 0; process < processes; ++process)
    for (int write = 0; write < writes_of_each; ++write)
      wanted.insert(fmt::format("{} {}", record_of(process, write).uuid, record_of(process, write).median_ns));
  for (const Record& record : WisdomStore(file_, WisdomStore::Access::read_only).records())
    stored.insert(fmt::format("{} {}", record.uuid, record.median_ns));
  EXPECT_EQ(stored, wanted);
  std::ranges::sort(reads_ms_);
  std::cout << fmt::format(
      "{} reads beside {} writers that were killed {} times: median {:.2f} ms, 99 % within {:.2f} ms\n",
      reads_ms_.size(), processes, kills_, reads_ms_[reads_ms_.size() / 2], reads_ms_[reads_ms_.size() * 99 / 100]);
}

}  // namespace
}  // namespace attune
