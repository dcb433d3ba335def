// Wisdom: the records that a Dispatcher knows, from its sources and its bundles. It reads them for each problem. For
// find(), a defect of a source means fewer records and a warning, never an exception. Any thread.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "dispatch/added_bundles.hpp"
#include "dispatch/warnings.hpp"
#include "dispatch/wisdom_sources.hpp"
#include "kernel/look_up.hpp"

namespace attune {

class Wisdom {
 public:
  // `bundles`, which come after all sources, and `warnings` must outlive it.
  Wisdom(WisdomSources sources, const AddedBundles& bundles, Warnings& warnings);

  struct LookUpResult {
    FoundRecords candidates;
    bool is_final = true;  // false: a source cannot be read for the moment, and a later look may find more
    std::string failure;   // why a source could not be read; "": all were
  };
  // Returns the records for a request. Of several records with one key, it returns the strongest, and of equally strong
  // ones that of the first source. Records of the override file count as pinned, and those of all other sources but the
  // database as imported, unless they are pinned. It waits a tenth of a second for a locked database. After a failure
  // that may pass (a lock, no memory, no descriptor, a failing disk) it does not ask the database again for a second.
  // Other failures are final. Throws Error only where a digest was agreed on, and the wisdom has another one.
  LookUpResult find(const MatchRequest& request, Reach reach);

  // Returns all records of a kernel's code and contract on devices of a kind, of each key the strongest. Throws Error
  // where a source cannot be read.
  std::vector<Record> records_of(const KernelSpec& spec, std::string_view device_kind) const;
  // Returns all covers of a kernel's code and contract on devices of a kind. Throws as records_of() does.
  std::vector<Cover> covers_of(const KernelSpec& spec, std::string_view device_kind) const;

  // Returns the SHA-256, as 64 hexadecimal digits, of what the sources say that nobody writes: site, folders, bundles.
  // Throws Error where one cannot be read.
  std::string digest() const;

  // Returns the device as the database's aliases have it. It is looked up once. The result lives as long as this
  // object.
  const DeviceInfo& known_as(const DeviceInfo& device);

 private:
  using Clock = std::chrono::steady_clock;
  std::vector<WisdomSource> all_sources() const;
  void require_agreed_digest();
  void add_from(const WisdomSource& source, const MatchRequest& request, Reach reach, LookUpResult& found);
  void fail(const RecordTable& source, const char* why, bool may_pass, LookUpResult& found);
  const WisdomSources sources_;
  const AddedBundles& bundles_;
  Warnings& warnings_;
  std::atomic<Clock::time_point> ask_again_ = Clock::time_point::min();
  std::mutex known_mutex_;
  std::unique_ptr<const DeviceInfo> known_;      // null: the aliases were not read so far
  std::atomic<std::size_t> agreed_sources_ = 0;  // how many sources had the agreed digest when it was compared last
};

}  // namespace attune
