// RecordTable: where records come from: the database, a bundle. A new source is one class. What its rows are worth,
// kernel/look_up.hpp decides.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "attune/error.hpp"
#include "core/record.hpp"

namespace attune {

// Another process had locked the table for as long as it was waited for.
class DatabaseLocked : public Error {
 public:
  using Error::Error;
};

// Which rows are wanted: those that equal what is given here. A view.
struct RecordFilter {
  std::string_view kernel = {};  // its name
  std::string_view code = {}, contract = {};
  std::string_view objective = {}, regime = {};
  std::string_view device_class = {}, other_device_class = {};  // the second: all classes but this one
  std::optional<int> compute_capability = {};
  std::span<const Problem> problems = {};  // any of these
  // Problems of whose integers each is within a factor of 2 of this one's. A table may give others too.
  const Problem* near = nullptr;
  std::size_t most = std::size_t{1} << 20;  // rows
};

struct StoredRecord {
  Record record;                    // its application_fields() and key_fields(); bindings that cannot be read are empty
  std::optional<std::string> hash;  // as it is stored; nothing where the table has checked its bytes in another way
};

// Rows that belong together: they do not change while this lives. One thread.
class RecordReading {
 public:
  virtual ~RecordReading() = default;
  // Throws Error where the table cannot be read; DatabaseLocked.
  virtual std::vector<StoredRecord> rows(const RecordFilter& filter) = 0;
  // Returns the problems of the rows. Throws as rows() does.
  virtual std::vector<Problem> problems(const RecordFilter& filter) = 0;
};

// Any thread.
class RecordTable {
 public:
  virtual ~RecordTable() = default;
  // Returns null where there is nothing to read, as where a file does not exist. Throws as rows() does.
  virtual std::unique_ptr<RecordReading> read() const = 0;
  // Returns the name for messages: a path, or a bundle's name.
  virtual std::string name() const = 0;
};

}  // namespace attune
