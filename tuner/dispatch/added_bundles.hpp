// AddedBundles: the bundles that were added to a Dispatcher, as sources of wisdom and of images. Any thread.
#pragma once

#include <memory>
#include <optional>
#include <shared_mutex>
#include <string>
#include <vector>

#include "attune/bundle.hpp"
#include "core/image.hpp"
#include "dispatch/warnings.hpp"
#include "kernel/record_table.hpp"

namespace attune {

class AddedBundles {
 public:
  explicit AddedBundles(Warnings& warnings) : warnings_(warnings) {}

  // Keeps the bundle, unless it has neither records nor images, or is there already.
  void add(const Bundle& bundle);
  // Returns an image by its key. A damaged image counts as absent, with a warning.
  std::optional<Image> find_image(const std::string& key) const;
  // Returns the wisdom of each bundle that has records, in the order in which the bundles were added.
  std::vector<std::shared_ptr<const RecordTable>> wisdom() const;

 private:
  struct AddedBundle {
    Bundle bundle;
    std::shared_ptr<const RecordTable> wisdom;  // null: it has no records
  };
  Warnings& warnings_;
  mutable std::shared_mutex mutex_;
  std::vector<AddedBundle> bundles_;
};

}  // namespace attune
