// Verifies a wisdom database to its last row.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "db/wisdom_store.hpp"

namespace attune {

struct VerifiedTable {
  std::string name;
  std::int64_t rows = 0;              // that were read
  std::vector<std::int64_t> damaged;  // ids of rows with content that attune never writes, or with a wrong hash
};

struct Verification {
  std::vector<std::string> defects;  // of the file and of its references, in the words of SQLite; the first of them
  std::vector<VerifiedTable> tables;
  bool is_sound() const;
};

// Reads each page and each row of a file: SQLite's integrity check, the references between rows, and the content of all
// sessions, trials, attempts, records, finalists, ceilings and covers. Several threads share the work. Changes nothing.
// Throws Error for a file that cannot be opened, or whose tables are not those of the format.
Verification verify_wisdom(const std::filesystem::path& file, const DatabaseWaiting& waiting = {});

// Writes the file anew, without the space of rows that are gone, in one transaction of SQLite: a crash leaves the old
// content. Throws Error for a damaged file, which stays as it is, and for a lack of space: the copy needs as much space
// again until it is done.
void compact_wisdom(const std::filesystem::path& file, const DatabaseWaiting& waiting = {});

}  // namespace attune
