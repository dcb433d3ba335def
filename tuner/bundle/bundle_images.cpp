#include "bundle/bundle_images.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "attune/error.hpp"
#include "base/hexadecimal.hpp"

namespace attune {
namespace {

std::optional<SectionKey> key_of(const std::string& text) {
  SectionKey key{};
  const auto bytes = bytes_of_hexadecimal(text);
  if (!bytes || bytes->size() != key.size()) return std::nullopt;
  std::ranges::copy(*bytes, key.begin());
  return key;
}

}  // namespace

void add_image(BundleWriter& bundle, const std::string& key, const Image& image) {
  const auto section = key_of(key);
  if (!section) throw UsageError(fmt::format("\"{}\" is no image key (64 hexadecimal digits)", key));
  Image portable = image;
  portable.files.clear();
  portable.knows_files = false;
  bundle.add(SectionKind::image, *section, serialise(portable));
}

std::optional<Image> find_image(const Bundle& bundle, const std::string& key) {
  const auto wanted = key_of(key);
  const Section* const section = wanted ? bundle.find(SectionKind::image, *wanted) : nullptr;
  if (section == nullptr) return std::nullopt;
  auto image = deserialise(bundle.read(*section));
  if (!image)
    throw Error(fmt::format("the bundle {} has an image of another version of attune; export it again", bundle.name()));
  return image;
}

}  // namespace attune
