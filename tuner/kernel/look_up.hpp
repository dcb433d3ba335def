// Looks records up in a table, for the match ladder, and verifies the rows. Any thread.
#pragma once

#include <string_view>
#include <vector>

#include "kernel/ladder.hpp"
#include "kernel/record_table.hpp"

namespace attune {

// Records for the match ladder, and what else is known of the kernel.
struct FoundRecords {
  std::vector<Record> records = {};      // sound records that fit by key; of each key the strongest
  std::vector<Cover> covers = {};        // sound covers that fit by key
  std::vector<Record> near_misses = {};  // unverified records with the kernel's name: input of say_near_miss()
  bool are_all = false;                  // the look-up covered all records that may serve
  int damaged = 0;                       // rows that were left out because they are damaged
  int damaged_covers = 0;                // how many of them are covers
  std::string damage = {};               // what is wrong with the first of them, where the table says so
};

// How far to look. `this_problem`: if there is a record of this problem, device class and regime, no further; else as
// `all`. `all`: for all records that may serve. `other_problems`: only for records of other problems on this device
// class, near or not, of any regime.
enum class Reach { this_problem, all, other_problems };

// The most nearest problems whose records are read, and the most near misses that are read.
constexpr std::size_t most_near_problems = 16, most_near_misses = 256;

// Returns what a table knows for a request; near misses only if no record fits. Throws Error if the table cannot be
// read, and DatabaseLocked if another process has locked it.
FoundRecords look_up(const RecordTable& table, const MatchRequest& request, Reach reach);

// Returns the sound covers of a kernel's code and contract, on devices of a kind. Throws as look_up() does.
std::vector<Cover> look_up_covers(const RecordTable& table, const KernelSpec& spec, std::string_view device_kind);

// Returns the strongest sound record of each key of a kernel's code and contract, on devices of a kind ("cuda",
// "host"). Throws as look_up() does.
std::vector<Record> look_up_all(const RecordTable& table, const KernelSpec& spec, std::string_view device_kind);

}  // namespace attune
