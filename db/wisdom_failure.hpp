// Makes the Error that a user reads out of SQLite's and the system's error codes. Pure.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "attune/error.hpp"

namespace attune {

struct SqliteFailure {
  int code = 0;          // extended result code
  int system_error = 0;  // errno of the call that failed, or 0
  std::string message;   // SQLite's own
};

// Returns true if another connection holds the lock, so that waiting may help.
bool is_busy(int code) noexcept;
// Returns an Error that states the file, what happened, what to do and SQLite's message. `waited_seconds` is shown for
// locks.
Error wisdom_error(const std::filesystem::path& file, const SqliteFailure& failure, double waited_seconds = 0);

}  // namespace attune
