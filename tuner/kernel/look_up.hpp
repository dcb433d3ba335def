// Looking records up in a table, for the match ladder. Rows are verified here. Any thread.
#pragma once

#include <string_view>
#include <vector>

#include "kernel/ladder.hpp"
#include "kernel/record_table.hpp"

namespace attune {

// Records for the match ladder, and what of the kernel is known besides.
struct Candidates {
  std::vector<Record> records = {};      // that fit by key; sound; of each key the strongest
  std::vector<Record> near_misses = {};  // of the kernel's name, unverified; why they do not fit, say_near_miss() tells
  bool are_all = false;                  // it was looked for all that may serve
  int damaged = 0;                       // rows that were left out
};

// How far to look where a record of the very problem, device class and regime is there: no further, or for all that may
// serve in its place. Where there is none, both look for all. `other_problems`: for records of other problems of the
// device class alone, near or not, of any regime.
enum class Reach { this_problem, all, other_problems };

// How many of the nearest problems' records are read at most, and how many near misses.
constexpr std::size_t most_near_problems = 16, most_near_misses = 256;

// Returns what a table knows for a request; near misses only where no record fits. Throws Error where the table cannot
// be read; a database that another process has locked: DatabaseLocked.
Candidates look_up(const RecordTable& table, const MatchRequest& request, Reach reach);

// Returns the strongest sound record of each key of a kernel's code and contract, on devices of a kind ("cuda",
// "host"). Throws as look_up() does.
std::vector<Record> look_up_all(const RecordTable& table, const KernelSpec& spec, std::string_view device_kind);

}  // namespace attune
