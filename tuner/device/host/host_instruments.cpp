#include "device/host/host_instruments.hpp"

#include <algorithm>
#include <chrono>
#include <vector>

#include "device/host/host_device.hpp"
#include "device/host/host_memory.hpp"
#include "device/host/timing_gate.hpp"

namespace attune {
namespace {

// Before a cold sample the lines of all arrays are dropped from the caches. If that cannot be done, or the arrays have
// more than N bytes, N other bytes are read instead. N is four times the last-level cache, but at most this limit:
// server processors share hundreds of MiB of cache, and reading those would take longer than the timed kernels.
constexpr std::size_t flush_over_cache = 4, most_flush_bytes = 64 << 20;

class HostInstruments final : public DeviceInstruments {
 public:
  explicit HostInstruments(Device& device) : device_(device), memory_(memory_of(device)) {}

  DeviceTimes take_samples(const Sampling& sampling) override {
    const TimingNow quiet;
    DeviceTimes samples;
    for (int i = 0; i < sampling.count && samples.status.ok(); ++i) take_sample(sampling, samples);
    return samples;
  }

 private:
  Status enqueue_all(std::span<const Operation> operations) {
    Status status;
    for (const Operation& operation : operations)
      if (status.ok()) status = device_.enqueue(operation, nullptr);
    return status;
  }

  void take_sample(const Sampling& sampling, DeviceTimes& samples) {
    samples.status = enqueue_all(sampling.before);
    if (sampling.flush) flush();
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < sampling.batch && samples.status.ok(); ++i)
      samples.status = enqueue_all(sampling.timed[static_cast<std::size_t>(i) % sampling.timed.size()]);
    const std::chrono::duration<double, std::nano> taken = std::chrono::steady_clock::now() - begin;
    if (samples.status.ok()) samples.status = enqueue_all(sampling.after);
    if (samples.status.ok()) samples.nanoseconds.push_back(taken.count() / sampling.batch);
  }

  void flush() {
    const std::size_t bytes = std::min<std::size_t>(flush_over_cache * device_.info().l2_bytes, most_flush_bytes);
    if (!memory_.drop_from_caches(bytes)) read_past_caches(bytes);
  }

  // Reads one word of each line.
  void read_past_caches(std::size_t bytes) {
    constexpr std::size_t words_per_line = 8;
    if (flush_.empty()) flush_.resize(bytes / sizeof(std::uint64_t), 1);
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < flush_.size(); i += words_per_line) sum += flush_[i];
    flushed_ = sum;
  }

  Device& device_;
  HostMemory& memory_;
  std::vector<std::uint64_t> flush_;
  volatile std::uint64_t flushed_ = 0;  // so that the reads are not left out
};

}  // namespace

std::unique_ptr<DeviceInstruments> open_host_instruments(Device& device) {
  return std::make_unique<HostInstruments>(device);
}

}  // namespace attune
