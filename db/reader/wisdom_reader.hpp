// WisdomReader: what an application reads of the wisdom database: the few records that matter for one problem. The file
// stays open between look-ups, without a lock, as long as no other takes its place. Any thread.
#pragma once

#include <atomic>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "db/reader/sqlite_reading.hpp"
#include "kernel/wisdom_source.hpp"

namespace attune {

class WisdomReader : public WisdomSource {
 public:
  // `seconds`: how long each look-up waits for a lock at most; ATTUNE_DB_WAIT overrides it.
  WisdomReader(std::filesystem::path file, double seconds);
  WisdomReader(const WisdomReader&) = delete;
  WisdomReader& operator=(const WisdomReader&) = delete;
  ~WisdomReader() override;

  // Returns what is known; nothing where there is no file. Near misses are read only where no record fits. Throws Error
  // for a file that cannot be read or is no wisdom database; DatabaseLocked.
  Candidates candidates(const MatchRequest& request, Reach reach) const override;
  std::vector<Record> records_of(const KernelSpec& spec, std::string_view device_kind) const override;
  std::string name() const override { return file_.string(); }

 private:
  std::unique_ptr<ReadConnection> connect() const;
  void keep(std::unique_ptr<ReadConnection> connection) const;
  std::filesystem::path file_;
  double seconds_;
  mutable std::atomic<ReadConnection*> idle_ = nullptr;
};

}  // namespace attune
