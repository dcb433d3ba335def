// BundleWisdom: the records of a bundle as a RecordTable. Any thread.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "attune/bundle.hpp"
#include "bundle/record_index.hpp"
#include "kernel/record_table.hpp"

namespace attune {

class BundleWisdom : public RecordTable {
 public:
  explicit BundleWisdom(Bundle bundle) : bundle_(std::move(bundle)) {}
  std::unique_ptr<RecordReading> read() const override;
  std::string name() const override { return bundle_.name(); }
  std::string content_digest() const override { return bundle_.hash(); }

 private:
  class Reading;
  // Returns an index, which is read only once. Throws Error if it is damaged.
  std::shared_ptr<const RecordIndex> index_of(const Section& section) const;

  Bundle bundle_;
  mutable std::mutex mutex_;
  mutable std::map<SectionKey, std::shared_ptr<const RecordIndex>> indexes_;
};

}  // namespace attune
