// Misses: the file to which a Dispatcher appends problems that were asked for and have no record of their own, for
// `attune tune --misses`. Format: docs/formats/misses.md. Any thread and any number of processes may append. Never
// throws.
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

// Returns whether a configuration of this rung was measured for another problem, device or regime, or was not measured.
bool is_miss(Rung rung) noexcept;

// Returns the line of a request, with its line end.
std::string miss_line(const MatchRequest& request);

class Misses {
 public:
  // Opens the file at the first miss. `file` "": misses are not kept. `warnings` must outlive it.
  Misses(std::filesystem::path file, Warnings& warnings, MissLimits limits = {});

  // Appends the line of a request, unless the file has it. After the first failure it warns, and does not try again.
  void add(const MatchRequest& request) noexcept;

 private:
  void append(const std::string& line);
  void open_file();
  void read_new_lines();

  const std::filesystem::path path_;
  Warnings& warnings_;
  const MissLimits limits_;
  // Only the thread that holds the lock of add() uses the members below.
  bool is_over_ = false;  // nothing is written any more, because an attempt failed
  std::optional<Descriptor> file_;
  std::unordered_set<std::string> known_;  // SHA-256 of each line of the file
  std::uint64_t read_bytes_ = 0;           // how much of the file was read into known_ and unfinished_
  std::string unfinished_;                 // the last line that was read, as long as it has no line end
};

}  // namespace attune
