// The instruments of the host device: samples by this machine's clock, while nothing compiles.
#pragma once

#include <memory>

#include "device/instruments.hpp"

namespace attune {

// Throws Error for a device that open_host_device() did not open.
std::unique_ptr<DeviceInstruments> open_host_instruments(Device& device);

}  // namespace attune
