// Images in a bundle, by their keys. They serve whichever headers the machine has, because a bundle is immutable and
// valid as it was made.
#pragma once

#include <optional>
#include <string>

#include "attune/bundle.hpp"
#include "core/image.hpp"

namespace attune {

// Adds an image without its list of files, which names folders of this machine. `key`: image_key(), 64 hexadecimal
// digits. Throws UsageError for any other key, and if the bundle has an image with this key.
void add_image(BundleWriter& bundle, const std::string& key, const Image& image);
// Returns the image, or nothing if there is none. Throws Error if it is damaged or of another version.
std::optional<Image> find_image(const Bundle& bundle, const std::string& key);

}  // namespace attune
