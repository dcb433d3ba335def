// A device of a class that is only known by its key, as records have it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "attune/device_info.hpp"

namespace attune {

// Returns `limits` with the identity that a class key tells: class_key() of the result is the key again. Sizes are as
// exact as the key: memory to 1 GiB, L2 to 1 MiB. Returns nothing for text that is no class key.
std::optional<DeviceInfo> device_of_class(std::string_view class_key, DeviceInfo limits);

// Returns the architecture that a class key tells: "sm_90", "host". "" for text that is no class key.
std::string architecture_of_class(std::string_view class_key);

}  // namespace attune
