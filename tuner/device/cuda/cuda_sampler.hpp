// Sampler: times operations by the device's own clock. Owned by a CudaDevice; one thread at a time.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <span>

#include "device/cuda/cuda_context.hpp"
#include "device/device.hpp"

namespace attune::cuda {

class Sampler {
 public:
  // `flush_bytes` are overwritten before a cold sample. Nothing is allocated before the first sample.
  Sampler(std::shared_ptr<const CudaContext> context, std::size_t flush_bytes);
  Sampler(const Sampler&) = delete;
  Sampler& operator=(const Sampler&) = delete;
  ~Sampler();

  // Device::sample().
  Sample run(std::span<const Operation> before, std::span<const Operation> timed, bool cold);

 private:
  // Holds the stream back until everything is enqueued, so that no hiccup of the host falls between the two events.
  struct Gate {
    std::mutex mutex;
    std::condition_variable changed;
    bool open = true;
  };
  static void wait_for_gate(void* gate);
  void set_gate(bool open);

  Status prepare(bool cold);
  Status enqueue(std::span<const Operation> before, std::span<const Operation> timed, bool cold);

  const std::shared_ptr<const CudaContext> context_;
  const std::size_t flush_bytes_;
  CUevent_st* start_ = nullptr;
  CUevent_st* stop_ = nullptr;
  DeviceAddress flush_ = 0;
  unsigned flush_word_ = 0;
  Gate gate_;
};

}  // namespace attune::cuda
