// StateWatch: reads the sensors of instruments while samples are taken. It has its own thread, because a reading takes
// longer than many samples. Thread-safe.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "device/instruments.hpp"
#include "measure/energy.hpp"

namespace attune {

class StateWatch {
 public:
  static constexpr std::chrono::milliseconds slow_period{50};
  // The period while energy is measured.
  static constexpr std::chrono::milliseconds short_period{10};

  // The instruments must outlive it. Where they have a clock of their own, all stands still between calls, so there is
  // no thread, and they are read on request.
  explicit StateWatch(Instruments& instruments);
  StateWatch(const StateWatch&) = delete;
  StateWatch& operator=(const StateWatch&) = delete;
  ~StateWatch();

  // Returns the observations since the last call.
  DeviceReadings take();
  // Returns the last clocks of the multiprocessors, in MHz, `most` at most. The newest is the last.
  std::vector<double> last_clocks(std::size_t most);

  // Reads instruments with a clock of their own now. Does nothing for others, which the thread reads.
  void follow_own_clock();

  // From now on reads more often and keeps the readings of the energy counter, until take_energy().
  void meter_energy();
  // Returns the readings since meter_energy().
  std::vector<CounterReading> take_energy();

 private:
  void read_for_ever();
  void read();
  bool is_metering();

  Instruments& instruments_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool ends_ = false;
  bool meters_ = false;
  DeviceReadings watched_;
  std::vector<double> clocks_;
  std::vector<CounterReading> energy_;
  int readings_ = 0;
  std::thread thread_;
};

}  // namespace attune
