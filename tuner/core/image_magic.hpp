// The text with which a compiled image on disk begins (docs/formats/image.md).
#pragma once

#include <string_view>

namespace attune {

constexpr std::string_view image_magic = "attuneIM";

}  // namespace attune
