// StateWatch: reads what a device tells of itself while it works: beside the samples, by a thread of its own, since a
// reading takes longer than many a sample. Thread-safe.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "device/device.hpp"
#include "measure/energy.hpp"

namespace attune {

class StateWatch {
 public:
  static constexpr std::chrono::milliseconds slow_period{50};
  // While energy is measured.
  static constexpr std::chrono::milliseconds short_period{10};

  // The device must outlive it. One with a clock of its own stands still between calls: it is read when somebody asks.
  explicit StateWatch(Device& device);
  StateWatch(const StateWatch&) = delete;
  StateWatch& operator=(const StateWatch&) = delete;
  ~StateWatch();

  Watched take();
  // The last clocks of the multiprocessors that were told, the newest last; as many as there are, `most` at most.
  std::vector<double> last_clocks(std::size_t most);

  // Reads now, if nobody else does.
  void follow_own_clock();

  // From now on the energy counter is read more often and kept, until it is taken.
  void meter_energy();
  std::vector<Metered> take_energy();

 private:
  void read_for_ever();
  void read();
  bool is_metering();

  Device& device_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool ends_ = false;
  bool meters_ = false;
  Watched watched_;
  std::vector<double> clocks_;
  std::vector<Metered> energy_;
  int readings_ = 0;
  std::thread thread_;
};

}  // namespace attune
