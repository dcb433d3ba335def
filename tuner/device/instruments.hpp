// Instruments: the clock by which something is tuned, and the sensors of a device. DeviceInstruments: those of an open
// Device, which also time its operations. Objects beside the device: applications, which only launch, link none.
#pragma once

#include <chrono>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "device/device.hpp"
#include "device/device_state.hpp"

namespace attune {

// By itself: the machine's clock, and no sensors. Thread-safe.
class Instruments {
 public:
  virtual ~Instruments() = default;
  // Returns the time by which sessions go, in seconds since an arbitrary moment. It is the machine's steady clock, or a
  // recording's clock, which advances by the recorded time of each trial.
  virtual double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  }
  // Returns whether seconds() is a clock of its own, which stands still between calls.
  virtual bool has_own_clock() const noexcept { return false; }
  // Returns other processes on the device, as far as visible: "python3 (4711)", "python3 of user 1001 (4711)". They
  // disturb times.
  virtual std::vector<std::string> other_users() { return {}; }
  // Returns clocks, temperature, power and throttling at this moment; empty where there are no sensors. Any thread may
  // call it, also while the device works.
  virtual DeviceState state() { return {}; }
};

struct SingleTime {
  Status status;
  double nanoseconds = 0;
};

// Several samples, in order. After a failure only samples from before it are there, and possibly not all of them.
struct DeviceTimes {
  Status status;
  std::vector<double> nanoseconds;
};

// The operations to time, and how.
struct Sampling {
  std::span<const Operation> before;  // ahead of each sample, not timed
  // The same work over different data: a sample times the first of them; a batch takes them in turn.
  std::span<const std::span<const Operation>> timed;
  std::span<const Operation> after = {};  // after each sample, not timed
  bool flush = true;  // ahead of each sample, the caches are filled with other data, which is read and never written
  int count = 1;      // samples
  int batch = 1;      // a sample is the mean of this many runs in a row, enqueued as one
};

// The thread that drives the device takes the samples.
class DeviceInstruments : public Instruments {
 public:
  // Takes samples by the device's own clock, with everything enqueued ahead. Synchronous. Stops at the first failure.
  virtual DeviceTimes take_samples(const Sampling& sampling) = 0;
  // Takes one sample of each turn, in this order. Turns with equal spans `timed` do the same work. Several turns may be
  // enqueued together: if one of them fails, it is unknown which, and fewer samples are returned than were taken, or
  // none.
  virtual DeviceTimes take_samples_in_turn(std::span<const Sampling> turns) {
    DeviceTimes samples;
    for (std::size_t i = 0; i < turns.size() && samples.status.ok(); ++i) {
      Sampling one = turns[i];
      one.count = 1;
      DeviceTimes taken = take_samples(one);
      samples.status = std::move(taken.status);
      samples.nanoseconds.insert(samples.nanoseconds.end(), taken.nanoseconds.begin(), taken.nanoseconds.end());
    }
    return samples;
  }
  SingleTime sample(std::span<const Operation> before, std::span<const Operation> timed, bool flush) {
    DeviceTimes samples = take_samples({.before = before, .timed = {&timed, 1}, .flush = flush});
    return {std::move(samples.status), samples.nanoseconds.empty() ? 0 : samples.nanoseconds.front()};
  }
};

// Returns the instruments of a device that open_device() opened; the device must outlive them. Throws Error for another
// device.
std::unique_ptr<DeviceInstruments> open_instruments(Device& device);

}  // namespace attune
