// WisdomReader: what an application reads of the wisdom database: the few records that matter for one problem. It opens
// the file for each look-up: an application keeps no lock and no descriptor. Any thread.
#pragma once

#include <filesystem>
#include <vector>

#include "core/record.hpp"
#include "kernel/ladder.hpp"

namespace attune {

// Records for the match ladder, and what of the kernel is known besides.
struct Candidates {
  std::vector<Record> records;      // that fit by key; sound
  std::vector<Record> near_misses;  // of the kernel's name; why they do not fit, say_near_miss() tells
  bool are_all = false;             // it was looked for all that may serve
  int damaged = 0;                  // rows that were left out
};

// How far to look where a record of the very problem, device class and regime is there: no further, or for all that may
// serve in its place. Where there is none, both look for all.
enum class Reach { this_problem, all };

// How many of the nearest problems' records are read, and how many near misses.
constexpr int most_near_records = 16, most_near_misses = 256;

class WisdomReader {
 public:
  // `seconds`: how long each look-up waits for a lock at most; ATTUNE_DB_WAIT overrides it.
  WisdomReader(std::filesystem::path file, double seconds);

  // Returns what is known; nothing where there is no file. Near misses are read only where no record fits. Throws Error
  // for a file that cannot be read or is no wisdom database; DatabaseLocked.
  Candidates candidates(const MatchRequest& request, Reach reach) const;

 private:
  std::filesystem::path file_;
  double seconds_;
};

}  // namespace attune
