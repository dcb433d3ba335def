// Wisdom: what a Dispatcher knows of problems: the database, read for each one. A defect of the database means fewer
// records and a warning, never an exception. Any thread.
#pragma once

#include <atomic>
#include <chrono>
#include <filesystem>
#include <optional>

#include "db/reader/wisdom_reader.hpp"
#include "dispatch/warnings.hpp"

namespace attune {

class Wisdom {
 public:
  // Without a database there is none. `warnings` must outlive it.
  Wisdom(std::optional<std::filesystem::path> database, Warnings& warnings);

  // Returns what is known for a request. Returns nothing, with a warning, while another process has the file locked: it
  // is waited for a tenth of a second, and not asked again for a second.
  std::optional<Candidates> candidates(const MatchRequest& request, Reach reach);

 private:
  using Clock = std::chrono::steady_clock;
  std::optional<std::filesystem::path> database_;
  Warnings& warnings_;
  std::atomic<Clock::time_point> ask_again_ = Clock::time_point::min();
};

}  // namespace attune
