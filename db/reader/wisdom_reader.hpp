// WisdomReader: what an application reads of the wisdom database: the few records that matter for one problem. It opens
// the file for each look-up: an application keeps no lock and no descriptor. Any thread.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/wisdom_source.hpp"

namespace attune {

class WisdomReader : public WisdomSource {
 public:
  // `seconds`: how long each look-up waits for a lock at most; ATTUNE_DB_WAIT overrides it.
  WisdomReader(std::filesystem::path file, double seconds);

  // Returns what is known; nothing where there is no file. Near misses are read only where no record fits. Throws Error
  // for a file that cannot be read or is no wisdom database; DatabaseLocked.
  Candidates candidates(const MatchRequest& request, Reach reach) const override;
  std::vector<Record> records_of(const KernelSpec& spec, std::string_view device_kind) const override;
  std::string name() const override { return file_.string(); }

 private:
  std::filesystem::path file_;
  double seconds_;
};

}  // namespace attune
