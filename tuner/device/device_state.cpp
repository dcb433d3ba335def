#include "device/device_state.hpp"

namespace attune {
namespace {

struct StateName {
  std::uint32_t bit;
  const char* text;
};
constexpr StateName names[] = {
    {throttle_power_cap, "software power cap"},
    {throttle_software_thermal, "software thermal slowdown"},
    {throttle_hardware_thermal, "hardware thermal slowdown"},
    {throttle_hardware_power_brake, "hardware power brake"},
    {throttle_hardware_slowdown, "hardware slowdown"},
};

}  // namespace

bool hardware_throttled(const DeviceState& state) noexcept {
  return (state.throttle.value_or(0) & throttle_hardware) != 0;
}

bool power_capped(const DeviceState& state) noexcept { return (state.throttle.value_or(0) & throttle_power_cap) != 0; }

std::string throttle_text(std::uint32_t throttle) {
  // The bit of a hardware slowdown also accompanies the two more precise ones.
  if ((throttle & (throttle_hardware_thermal | throttle_hardware_power_brake)) != 0)
    throttle &= ~std::uint32_t{throttle_hardware_slowdown};
  std::string text;
  for (const StateName& named : names) {
    if ((throttle & named.bit) == 0) continue;
    if (!text.empty()) text += ", ";
    text += named.text;
  }
  return text;
}

}  // namespace attune
