// DeviceState: what a device tells of itself while it is measured. Every value may be missing: a device tells what it
// can, `host` and `replay` nothing. Plain data and pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace attune {

// Why a device runs slower than it could; bits of DeviceState::throttle, numbered as NVML numbers them.
enum Throttle : std::uint32_t {
  throttle_power_cap = 0x4,             // software: the clock is held down so that power stays below the limit
  throttle_hardware_slowdown = 0x8,     // any of the hardware's own reasons
  throttle_software_thermal = 0x20,     // the driver's: too hot
  throttle_hardware_thermal = 0x40,     // the hardware's: far too hot
  throttle_hardware_power_brake = 0x80  // from outside, the power supply's
};
// These make a time mean nothing; under a power cap alone it is what the device gives to that kernel for good.
inline constexpr std::uint32_t throttle_hardware =
    throttle_hardware_slowdown | throttle_software_thermal | throttle_hardware_thermal | throttle_hardware_power_brake;
inline constexpr std::uint32_t throttle_known = throttle_hardware | throttle_power_cap;

struct DeviceState {
  std::optional<double> sm_clock_mhz;
  std::optional<double> memory_clock_mhz;
  std::optional<double> temperature_c;
  std::optional<double> power_w;          // an average over as much as a second
  std::optional<double> energy_j;         // since the driver was loaded; never goes down while it stays loaded
  std::optional<std::uint32_t> throttle;  // Throttle bits alone
};

// What was seen of a device since somebody last asked.
struct Watched {
  std::vector<DeviceState> states;  // in their order; none where the device tells nothing
  std::vector<std::string> users;   // other processes on the device, each once
};

// What was timed meanwhile is to be dropped. False when the device does not tell.
bool hardware_throttled(const DeviceState& state) noexcept;

// To be mentioned, no more.
bool power_capped(const DeviceState& state) noexcept;

// "hardware thermal slowdown", "software power cap, software thermal slowdown"; "" for none.
std::string throttle_text(std::uint32_t throttle);

}  // namespace attune
