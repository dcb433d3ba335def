// WisdomReader: the wisdom database as an application reads it. The file stays open between readings, without a lock,
// until another file takes its place. Any thread.
#pragma once

#include <atomic>
#include <filesystem>
#include <memory>
#include <string>

#include "db/lock_wait.hpp"
#include "db/reader/sqlite_reading.hpp"
#include "kernel/record_table.hpp"

namespace attune {

class WisdomReader : public RecordTable {
 public:
  // `mutable_file`: others may write the file meanwhile. `immutable_file`: nobody does, and only this user or root can.
  enum class Access { mutable_file, immutable_file };
  // `seconds` is the longest wait of a reading for a lock; ATTUNE_DB_WAIT overrides it.
  explicit WisdomReader(std::filesystem::path file, double seconds = application_wait_seconds,
                        Access access = Access::mutable_file);
  WisdomReader(const WisdomReader&) = delete;
  WisdomReader& operator=(const WisdomReader&) = delete;
  ~WisdomReader() override;

  // Begins a reading. Returns null if there is no file. Throws Error for a file that cannot be read or is not a wisdom
  // database, for an immutable one that others can write, and DatabaseLocked if the wait for a lock was too long.
  std::unique_ptr<RecordReading> read() const override;
  std::string name() const override { return file_.string(); }
  // Returns the digest of the bytes of an immutable file; "" for a mutable one, and where there is no file.
  std::string content_digest() const override;

 private:
  class Reading;
  std::filesystem::path file_;
  double seconds_;
  Access access_;
  mutable std::atomic<ReadConnection*> idle_ = nullptr;
};

}  // namespace attune
