// The order of records: which of two records with the same key is used. The store, look-ups, the match ladder and
// exported headers all choose by this order. Pure; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/record.hpp"

namespace attune {

// Returns a number that is greater for the stronger of two records of one key. A record is stronger if, in this order:
//   1. it was pinned
//   2. it was not superseded: none beat it in the same rounds of a final stage
//   3. its times mean what times mean today
//   4. it was measured here, and neither brought in from elsewhere nor adopted
//   5. its session had a greater effort
//   6. its session was complete, and not cut short
//   7. its session searched the whole space, and not a narrowed one
// The database stores the number, so that SQL can sort by it.
std::int64_t strength_of(const Record& record);

// Returns whether `a` comes before `b`: the greater strength, then the newer, then the lesser uuid.
bool is_stronger(const Record& a, const Record& b);

// Returns why the weaker of two records of one key does not serve beside the stronger one, as a part of a sentence:
// "its search was cut short".
std::string why_weaker(const Record& weaker, const Record& stronger);

// Returns a text that equal keys have in common, and no others.
std::string key_text(const RecordKey& key);

// Which of equally strong records of one key is used: as is_stronger() says, or the one that comes first.
enum class Ties { to_the_newest, to_the_first };

// Returns the strongest record of each key, in the order in which the keys come.
std::vector<Record> strongest_of_each_key(std::vector<Record> records, Ties ties = Ties::to_the_newest);

}  // namespace attune
