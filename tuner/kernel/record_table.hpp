// RecordTable: a source of records, such as the database or a bundle. A new source is one new class. kernel/look_up.hpp
// decides which of its rows serve.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "attune/error.hpp"
#include "core/cover.hpp"
#include "core/device_class.hpp"
#include "core/record.hpp"

namespace attune {

// The table cannot be read now, and may be readable later, for example because the process has no memory.
class PassingFailure : public Error {
 public:
  using Error::Error;
};

// Another process kept the table locked until the wait for it ended.
class DatabaseLocked : public PassingFailure {
 public:
  using PassingFailure::PassingFailure;
};

// Returns whether `present` is what a member of a filter asks for.
inline bool is_asked_for(std::string_view wanted, std::string_view present) {
  return wanted.empty() || wanted == present;
}

// Which rows are wanted: those that equal every member that is set. A view.
struct RecordFilter {
  std::string_view kernel = {};  // its name
  std::string_view code = {}, contract = {};
  std::string_view objective = {}, regime = {};
  std::string_view device_class = {}, other_device_class = {};  // the second: all classes but this one
  std::optional<int> compute_capability = {};
  std::span<const Problem> problems = {};  // the problem is one of these
  // Every integer of the problem is within a factor of 2 of the one in `near`. A table may give other problems too.
  const Problem* near = nullptr;
  std::size_t most = std::size_t{1} << 20;  // rows

  // Returns whether rows with these values may be wanted.
  bool admits(std::string_view of_kernel, std::string_view of_objective, std::string_view of_regime,
              std::string_view of_device_class) const {
    return is_asked_for(kernel, of_kernel) && is_asked_for(objective, of_objective) &&
           is_asked_for(regime, of_regime) && is_asked_for(device_class, of_device_class) &&
           other_device_class != of_device_class;
  }
};

struct StoredRecord {
  Record record;                    // only application_fields() and key_fields(); unreadable bindings are empty
  std::optional<std::string> hash;  // as stored; nothing if the table has checked its bytes in another way
  std::string damage = {};          // why the row cannot be read, with its place; "": it can, as far as the table knows
};

// A consistent view of the rows, which do not change while this object lives. One thread.
class RecordReading {
 public:
  virtual ~RecordReading() = default;
  // Returns the wanted rows. Throws Error if the table cannot be read, and PassingFailure if it may be readable later.
  virtual std::vector<StoredRecord> rows(const RecordFilter& filter) = 0;
  // Returns the problems of the wanted rows. Throws as rows() does.
  virtual std::vector<Problem> problems(const RecordFilter& filter) = 0;
  // Returns which devices count as others. Throws as rows() does.
  virtual std::vector<DeviceAlias> aliases() { return {}; }
  // Returns the wanted covers that are sound, whatever the filter says of problems. Adds to `damaged` how many others
  // there are. Throws as rows() does.
  virtual std::vector<Cover> covers(const RecordFilter& /*filter*/, int& /*damaged*/) { return {}; }
};

// Any thread.
class RecordTable {
 public:
  virtual ~RecordTable() = default;
  // Begins to read. Returns null if there is nothing to read, for example if the file does not exist. Throws as rows()
  // does.
  virtual std::unique_ptr<RecordReading> read() const = 0;
  // Returns the name for messages: a path, or a bundle's name.
  virtual std::string name() const = 0;
  // Returns the digest of all that the table says, as 64 hexadecimal digits; "" for a table that may change while it is
  // open. Throws as rows() does.
  virtual std::string content_digest() const { return {}; }
};

}  // namespace attune
