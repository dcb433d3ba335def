// Wisdom: the records that a Dispatcher knows, from its database and its bundles. It reads them for each problem. For
// find(), a defect of a source means fewer records and a warning, never an exception. Any thread.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <string_view>
#include <vector>

#include "dispatch/added_bundles.hpp"
#include "dispatch/warnings.hpp"
#include "kernel/look_up.hpp"

namespace attune {

class Wisdom {
 public:
  // `database`: null where there is none. `bundles` and `warnings` must outlive it.
  Wisdom(std::unique_ptr<const RecordTable> database, const AddedBundles& bundles, Warnings& warnings);

  struct LookUpResult {
    FoundRecords candidates;
    bool is_final = true;  // false: a source cannot be read for the moment, and a later look may find more
    std::string failure;   // why a source could not be read; "": all were
  };
  // Returns the records for a request. Of several records with one key, it returns the strongest, whichever source has
  // it. It waits a tenth of a second for a locked database. After a failure that may pass (a lock, no memory, no
  // descriptor, a failing disk) it does not ask the database again for a second. Other failures are final.
  LookUpResult find(const MatchRequest& request, Reach reach);

  // Returns all records of a kernel's code and contract on devices of a kind, of each key the strongest. Throws Error
  // where a source cannot be read.
  std::vector<Record> records_of(const KernelSpec& spec, std::string_view device_kind) const;

 private:
  using Clock = std::chrono::steady_clock;
  void add_from(const RecordTable& source, const MatchRequest& request, Reach reach, LookUpResult& found);
  void fail(const RecordTable& source, const char* why, bool may_pass, LookUpResult& found);
  std::unique_ptr<const RecordTable> database_;
  const AddedBundles& bundles_;
  Warnings& warnings_;
  std::atomic<Clock::time_point> ask_again_ = Clock::time_point::min();
};

}  // namespace attune
