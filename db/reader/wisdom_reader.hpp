// WisdomReader: the wisdom database as an application reads it. The file stays open between readings, without a lock,
// as long as no other takes its place. Any thread.
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
  // `seconds`: how long a reading waits for a lock at most; ATTUNE_DB_WAIT overrides it.
  explicit WisdomReader(std::filesystem::path file, double seconds = application_wait_seconds);
  WisdomReader(const WisdomReader&) = delete;
  WisdomReader& operator=(const WisdomReader&) = delete;
  ~WisdomReader() override;

  // Returns null where there is no file. Throws Error for a file that cannot be read or is no wisdom database;
  // DatabaseLocked.
  std::unique_ptr<RecordReading> read() const override;
  std::string name() const override { return file_.string(); }

 private:
  class Reading;
  std::filesystem::path file_;
  double seconds_;
  mutable std::atomic<ReadConnection*> idle_ = nullptr;
};

}  // namespace attune
