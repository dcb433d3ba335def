// DeviceState: sensor values of a device while it is measured. Every value may be missing; `host` and recordings have
// none. Plain data and pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace attune {

// Why a device runs slower than it could; bits of DeviceState::throttle, numbered as in NVML.
enum Throttle : std::uint32_t {
  throttle_power_cap = 0x4,             // software: a low clock keeps power below the limit
  throttle_hardware_slowdown = 0x8,     // any of the hardware's own reasons
  throttle_software_thermal = 0x20,     // the driver's: too hot
  throttle_hardware_thermal = 0x40,     // the hardware's: far too hot
  throttle_hardware_power_brake = 0x80  // from outside: the power supply
};
// These bits make a time meaningless. A power cap alone is normal: the device always runs such a kernel capped.
inline constexpr std::uint32_t throttle_hardware =
    throttle_hardware_slowdown | throttle_software_thermal | throttle_hardware_thermal | throttle_hardware_power_brake;
inline constexpr std::uint32_t throttle_known = throttle_hardware | throttle_power_cap;

struct DeviceState {
  std::optional<double> sm_clock_mhz;
  std::optional<double> memory_clock_mhz;
  std::optional<double> temperature_c;
  std::optional<double> power_w;          // an average over up to a second
  std::optional<double> energy_j;         // since the driver was loaded; never goes down while it stays loaded
  std::optional<std::uint32_t> throttle;  // Throttle bits alone
};

// Observations of a device since the last query.
struct DeviceReadings {
  std::vector<DeviceState> states;  // in order; none where the device has no sensors
  std::vector<std::string> users;   // other processes on the device, each once
};

// Returns whether times taken in this state must be dropped. False without sensor values.
bool hardware_throttled(const DeviceState& state) noexcept;

// Returns whether the power cap should be mentioned; times still count.
bool power_capped(const DeviceState& state) noexcept;

// Returns "hardware thermal slowdown", "software power cap, software thermal slowdown"; "" for none.
std::string throttle_text(std::uint32_t throttle);

}  // namespace attune
