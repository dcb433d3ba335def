#include "dispatch/added_bundles.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "attune/error.hpp"
#include "bundle/bundle_images.hpp"
#include "bundle/bundle_wisdom.hpp"

namespace attune {

void AddedBundles::add(const Bundle& bundle) {
  const bool has_records =
      !bundle.sections(SectionKind::records).empty() || !bundle.sections(SectionKind::covers).empty();
  if (!has_records && bundle.sections(SectionKind::image).empty()) return;
  const std::unique_lock lock(mutex_);
  const auto is_same = [&](const AddedBundle& added) { return added.bundle.hash() == bundle.hash(); };
  if (std::ranges::any_of(bundles_, is_same)) return;
  bundles_.push_back({bundle, has_records ? std::make_shared<const BundleWisdom>(bundle) : nullptr});
}

std::optional<Image> AddedBundles::find_image(const std::string& key) const {
  const std::shared_lock lock(mutex_);
  for (const AddedBundle& added : bundles_) {
    try {
      if (auto image = attune::find_image(added.bundle, key)) return image;
    } catch (const Error& error) {
      warnings_.warn(fmt::format("an image of a bundle is not used: {}", error.what()));
    }
  }
  return std::nullopt;
}

std::vector<std::shared_ptr<const RecordTable>> AddedBundles::wisdom() const {
  const std::shared_lock lock(mutex_);
  std::vector<std::shared_ptr<const RecordTable>> sources;
  for (const AddedBundle& added : bundles_)
    if (added.wisdom != nullptr) sources.push_back(added.wisdom);
  return sources;
}

}  // namespace attune
