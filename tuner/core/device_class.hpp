// Describes a device of which only the class key is known, as it stands in records.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "attune/device_info.hpp"

namespace attune {

// Returns `limits` with the identity that a class key gives: class_key() of the result is that key. Sizes are as exact
// as in the key: memory to 1 GiB, L2 to 1 MiB. Returns nothing for text that is not a class key.
std::optional<DeviceInfo> device_of_class(std::string_view class_key, DeviceInfo limits);

// Returns the architecture that a class key gives: "sm_90", "host". Returns "" for text that is not a class key.
std::string architecture_of_class(std::string_view class_key);

}  // namespace attune
