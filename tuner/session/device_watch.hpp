// DeviceWatch: what was seen of the device while a session took its samples. One thread.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "session/observer.hpp"
#include "worker/jobs.hpp"

namespace attune {

class DeviceWatch {
 public:
  // With `takes_turns`, other tuners do not count as users of the device, because they take turns with this one. The
  // observer must outlive the watch.
  DeviceWatch(Observer& observer, bool takes_turns) : observer_(observer), takes_turns_(takes_turns) {}

  // Takes readings. Tells the observer of each user once, and of the first time that the device holds itself back.
  void see(const DeviceReadings& watched);
  void see_user(const std::string& user);

  bool is_busy() const noexcept { return is_busy_; }  // other processes were seen on the device
  // Returns the users that were seen, and what held the device back, each once.
  const std::set<std::string>& disturbances() const noexcept { return disturbances_; }
  // Returns, for each reading so far, whether the device held itself back.
  const std::vector<bool>& throttled_readings() const noexcept { return throttled_readings_; }
  std::vector<double>& clocks_mhz() noexcept { return clocks_mhz_; }  // readings since a stage cleared them

 private:
  Observer& observer_;
  const bool takes_turns_;
  std::vector<bool> throttled_readings_;
  std::vector<double> clocks_mhz_;
  std::set<std::string> disturbances_;
  bool is_busy_ = false;
};

}  // namespace attune
