// WisdomConnection: an open wisdom database with the settings that every use needs. A WisdomStore owns it and reads and
// writes only through it. One thread at a time. In a child process after fork() its use throws Error.
#pragma once

#include <SQLiteCpp/Database.h>
#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>

#include "db/wisdom_store.hpp"

namespace attune {

class WisdomConnection {
 public:
  using Work = std::function<void(SQLite::Database&)>;

  // Opens `file` (absolute, or ":memory:"). If `writable`, creates a missing file and migrates an older format. Throws
  // Error.
  WisdomConnection(std::filesystem::path file, bool writable, DatabaseWaiting waiting = {});
  ~WisdomConnection();
  WisdomConnection(const WisdomConnection&) = delete;
  WisdomConnection& operator=(const WisdomConnection&) = delete;

  const std::filesystem::path& file() const noexcept { return file_; }

  // Runs `work`. While another process holds the lock, waits and runs `work` again from its start, within the wait
  // limit. Because `work` may run more than once, it must assign its results, not append to them. Throws Error.
  void read(const Work& work);
  // Runs `work` in one IMMEDIATE transaction, again if necessary, as read() does. The transaction is durable on return
  // and undone if `work` throws.
  void write(const Work& work);

 private:
  void create();
  void open();
  void open_readable();
  void open_in_memory();
  void apply_settings();
  bool roll_back_journal();
  void set_journal();
  void check_content();
  void check_tables();
  void retry(const Work& work);
  void require_same_process() const;
  std::filesystem::path file_;
  bool writable_ = true;
  bool in_memory_ = false;
  pid_t process_ = 0;
  std::chrono::duration<double> wait_limit_;
  DatabaseWaiting waiting_;
  bool gave_up_ = false;  // a signal ended a wait: there is no further one
  std::unique_ptr<SQLite::Database> database_;
};

}  // namespace attune
