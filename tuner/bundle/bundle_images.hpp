// Images in a bundle, by their keys. They serve whatever headers the machine has: the bundle is immutable, and right as
// it was made.
#pragma once

#include <optional>
#include <string>

#include "attune/bundle.hpp"
#include "core/image.hpp"

namespace attune {

// `key`: image_key(), 64 hexadecimal digits. Throws UsageError for another text, and for an image that is there.
void add_image(BundleWriter& bundle, const std::string& key, const Image& image);
// Returns nothing where there is none. Throws Error where it is damaged or of another version.
std::optional<Image> find_image(const Bundle& bundle, const std::string& key);

}  // namespace attune
