// Describes a device of which only the class key is known, as it stands in records. Says which devices count as others.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "attune/device_info.hpp"

namespace attune {

// Returns `limits` with the identity that a class key gives: class_key() of the result is that key. Sizes are as exact
// as in the key: memory to 1 GiB, L2 to 1 MiB. Returns nothing for text that is not a class key.
std::optional<DeviceInfo> device_of_class(std::string_view class_key, DeviceInfo limits);

// Returns the architecture that a class key gives: "sm_90", "host". Returns "" for text that is not a class key.
std::string architecture_of_class(std::string_view class_key);

// A device that counts as another one, on the user's word. Each is a name, as the driver gives it, or a class key.
struct DeviceAlias {
  std::string device, counts_as;
};

// Sets `class_name` as the first alias of this device says, if there is one; an alias of the class key goes before one
// of the name. A class key of another kind or compute capability is not taken.
void apply_aliases(DeviceInfo& device, std::span<const DeviceAlias> aliases);

}  // namespace attune
