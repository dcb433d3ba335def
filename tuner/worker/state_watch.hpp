// StateWatch: reads a device's state while it works, beside the samples. It has its own thread, since a reading takes
// longer than many samples. Thread-safe.
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

  // The device must outlive it. A device with a clock of its own stands still between calls: it is read on request.
  explicit StateWatch(Device& device);
  StateWatch(const StateWatch&) = delete;
  StateWatch& operator=(const StateWatch&) = delete;
  ~StateWatch();

  Watched take();
  // Returns the last clocks of the multiprocessors, the newest last, `most` at most.
  std::vector<double> last_clocks(std::size_t most);

  // Reads now, unless another reading is under way.
  void follow_own_clock();

  // Reads and keeps the energy counter more often from now on, until it is taken.
  void meter_energy();
  std::vector<CounterReading> take_energy();

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
  std::vector<CounterReading> energy_;
  int readings_ = 0;
  std::thread thread_;
};

}  // namespace attune
