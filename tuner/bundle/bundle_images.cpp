#include "bundle/bundle_images.hpp"

#include <fmt/format.h>

#include <charconv>

#include "attune/error.hpp"

namespace attune {
namespace {

std::optional<SectionKey> key_of(const std::string& text) {
  SectionKey key{};
  if (text.size() != 2 * key.size()) return std::nullopt;
  for (std::size_t i = 0; i < key.size(); ++i) {
    unsigned byte = 0;
    const char* const digits = &text[2 * i];
    if (const auto [end, failed] = std::from_chars(digits, digits + 2, byte, 16); failed != std::errc() || end != digits + 2)
      return std::nullopt;
    key[i] = static_cast<std::byte>(byte);
  }
  return key;
}

}  // namespace

void add_image(BundleWriter& bundle, const std::string& key, const Image& image) {
  const auto section = key_of(key);
  if (!section) throw UsageError(fmt::format("\"{}\" is no image key (64 hexadecimal digits)", key));
  bundle.add(SectionKind::image, *section, serialise(image));
}

std::optional<Image> find_image(const Bundle& bundle, const std::string& key) {
  const auto wanted = key_of(key);
  const Section* const section = wanted ? bundle.find(SectionKind::image, *wanted) : nullptr;
  if (section == nullptr) return std::nullopt;
  auto image = deserialise(bundle.read(*section));
  if (!image) throw Error(fmt::format("the bundle {} has an image of another version of attune; export it again", bundle.name()));
  return image;
}

}  // namespace attune
