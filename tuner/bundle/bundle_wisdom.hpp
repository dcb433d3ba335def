// BundleWisdom: the records of a bundle as a WisdomSource. Any thread.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "attune/bundle.hpp"
#include "bundle/record_index.hpp"
#include "kernel/wisdom_source.hpp"

namespace attune {

class BundleWisdom : public WisdomSource {
 public:
  explicit BundleWisdom(Bundle bundle) : bundle_(std::move(bundle)) {}
  Candidates candidates(const MatchRequest& request, Reach reach) const override;
  std::vector<Record> records_of(const KernelSpec& spec, std::string_view device_kind) const override;
  std::string name() const override { return bundle_.name(); }

 private:
  // Reads an index, once. Throws Error where it is damaged.
  std::shared_ptr<const RecordIndex> index_of(const Section& section) const;
  std::shared_ptr<const RecordIndex> index_of(const Fingerprints& fingerprints) const;  // null: there is none
  void add_near_misses(const KernelSpec& spec, std::vector<Record>& found) const;

  Bundle bundle_;
  mutable std::mutex mutex_;
  mutable std::map<SectionKey, std::shared_ptr<const RecordIndex>> indexes_;
};

}  // namespace attune
