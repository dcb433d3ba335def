#include "session/device_watch.hpp"

#include <algorithm>
#include <cmath>

#include "worker/device_lock.hpp"

namespace attune {

void DeviceWatch::see(const DeviceReadings& watched) {
  for (const std::string& user : watched.users) see_user(user);
  for (const DeviceState& state : watched.states) {
    const bool is_throttled = hardware_throttled(state);
    if (is_throttled) {
      const bool is_first =
          std::find(throttled_readings_.begin(), throttled_readings_.end(), true) == throttled_readings_.end();
      if (is_first) observer_.note("the device holds itself back: " + throttle_text(*state.throttle));
      disturbances_.insert(throttle_text(*state.throttle));
    }
    throttled_readings_.push_back(is_throttled);
    if (state.sm_clock_mhz && std::isfinite(*state.sm_clock_mhz)) clocks_mhz_.push_back(*state.sm_clock_mhz);
  }
}

void DeviceWatch::see_user(const std::string& user) {
  if (takes_turns_ && takes_turns(user)) return;
  is_busy_ = true;
  if (disturbances_.insert(user).second) observer_.note("another process uses the device: " + user);
}

}  // namespace attune
