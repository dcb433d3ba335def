// The device properties that expressions may read as `device.<name>`, in the order of the documentation.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "attune/device_info.hpp"

namespace attune {

// Exactly one of `number` and `text` is set.
struct DeviceProperty {
  std::string_view name;
  std::int64_t (*number)(const DeviceInfo&);
  const std::string& (*text)(const DeviceInfo&);
};

std::span<const DeviceProperty> device_properties() noexcept;
const DeviceProperty* find_device_property(std::string_view name) noexcept;

}  // namespace attune
