// Makes the Error that a user reads from SQLite's and the system's error codes. Pure.
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

// Returns true when another connection holds the lock: worth waiting.
bool is_busy(int code) noexcept;
// Returns an Error with the file, what happened, the next step and SQLite's message. `waited_seconds` is shown for
// locks.
Error wisdom_error(const std::filesystem::path& file, const SqliteFailure& failure, double waited_seconds = 0);

}  // namespace attune
