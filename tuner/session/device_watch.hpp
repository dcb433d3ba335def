// DeviceWatch: what was seen of the device beside the samples of a session. One thread.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "session/observer.hpp"
#include "worker/jobs.hpp"

namespace attune {

class DeviceWatch {
 public:
  // `takes_turns`: other tuners that take turns with this one do not disturb it. The observer must outlive it.
  DeviceWatch(Observer& observer, bool takes_turns) : observer_(observer), takes_turns_(takes_turns) {}

  // The observer sees each user once, and the first time that the device holds itself back.
  void see(const Watched& watched);
  void see_user(const std::string& user);

  bool is_busy() const noexcept { return !users_.empty(); }  // other processes were on the device
  // Of all readings so far: whether the device held itself back.
  const std::vector<bool>& throttled_readings() const noexcept { return throttled_readings_; }
  std::vector<double>& clocks_mhz() noexcept { return clocks_mhz_; }  // since a stage cleared them

 private:
  Observer& observer_;
  const bool takes_turns_;
  std::vector<bool> throttled_readings_;
  std::vector<double> clocks_mhz_;
  std::set<std::string> users_;
};

}  // namespace attune
