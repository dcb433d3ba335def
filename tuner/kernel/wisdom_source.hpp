// WisdomSource: where records come from: the database, a bundle. Any thread.
#pragma once

#include <string>
#include <vector>

#include "attune/kernel_spec.hpp"
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

class WisdomSource {
 public:
  virtual ~WisdomSource() = default;
  // Returns what is known; near misses only where no record fits. Throws Error where it cannot be read; a database that
  // another process has locked: DatabaseLocked.
  virtual Candidates candidates(const MatchRequest& request, Reach reach) const = 0;
  // Returns all sound records of a kernel's code and contract, on devices of a kind ("cuda", "host"). Throws as
  // candidates() does.
  virtual std::vector<Record> records_of(const KernelSpec& spec, std::string_view device_kind) const = 0;
  // Returns the name for messages: a path, or a bundle's name.
  virtual std::string name() const = 0;
};

}  // namespace attune
