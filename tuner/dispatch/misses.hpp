// Misses: the file that a Dispatcher appends problems to that were asked for and are not known, for `attune tune
// --misses`. Format: docs/formats/misses.md. Any thread, any number of processes. Never throws.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <unordered_set>

#include "attune/match.hpp"
#include "dispatch/warnings.hpp"
#include "files/private_directory.hpp"
#include "kernel/ladder.hpp"

namespace attune {

struct MissLimits {
  std::size_t lines = 100'000;
  std::uint64_t bytes = std::uint64_t{64} << 20;
};

// Returns whether a configuration of this rung was measured for another problem, device or regime, or not at all.
bool is_miss(Rung rung) noexcept;

// Returns the line of a request, with its line end.
std::string miss_line(const MatchRequest& request);

class Misses {
 public:
  // Opens nothing before the first miss. "": keeps none. `warnings` must outlive it.
  Misses(std::filesystem::path file, Warnings& warnings, MissLimits limits = {});

  // Appends the line of a request, unless the file has it. The first failure is a warning, and the last attempt.
  void add(const MatchRequest& request) noexcept;

 private:
  void append(const std::string& line);
  void open_file();
  void read_new_lines();

  const std::filesystem::path path_;
  Warnings& warnings_;
  const MissLimits limits_;
  // All below is for one thread at a time: see add().
  bool is_over_ = false;  // no more is written
  std::optional<Descriptor> file_;
  std::unordered_set<std::string> known_;  // SHA-256 of the lines of the file
  std::uint64_t read_bytes_ = 0;           // of the file, that known_ has
  std::string unfinished_;                 // the last line that was read, as long as it has no line end
};

}  // namespace attune
