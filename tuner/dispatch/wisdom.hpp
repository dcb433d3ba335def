// Wisdom: what a Dispatcher knows of problems: the database and the bundles, read for each one. A defect of them means
// fewer records and a warning, never an exception. Any thread.
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

  struct Found {
    Candidates candidates;
    bool is_final = true;  // false: another process has the database locked, and a later look may find more
    std::string failure;   // why a source could not be read; "": all were
  };
  // Returns what is known for a request: of several records of one key the strongest, wherever it is. A locked database
  // is waited for a tenth of a second, and not asked again for a second.
  Found find(const MatchRequest& request, Reach reach);

  // Returns the strongest record of each key of a kernel's code and contract on devices of a kind. Throws Error where
  // they cannot be read.
  std::vector<Record> records_of(const KernelSpec& spec, std::string_view device_kind) const;

 private:
  using Clock = std::chrono::steady_clock;
  void add_from(const RecordTable& source, const MatchRequest& request, Reach reach, Found& found);
  std::unique_ptr<const RecordTable> database_;
  const AddedBundles& bundles_;
  Warnings& warnings_;
  std::atomic<Clock::time_point> ask_again_ = Clock::time_point::min();
};

}  // namespace attune
