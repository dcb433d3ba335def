// Sampler: times operations by the device's own clock. One thread at a time.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "device/cuda/cache_flush.hpp"
#include "device/cuda/cuda_context.hpp"
#include "device/cuda/cuda_graph.hpp"
#include "device/instruments.hpp"

namespace attune::cuda {

// Returns, for each turn, the index of the first turn with the same operations and the same `batch`: the two share a
// graph.
std::vector<std::size_t> first_alike(std::span<const Sampling> turns);

class Sampler {
 public:
  // `flush` must outlive it.
  Sampler(std::shared_ptr<const CudaContext> context, CacheFlush& flush);
  Sampler(const Sampler&) = delete;
  Sampler& operator=(const Sampler&) = delete;
  ~Sampler();

  // Implements DeviceInstruments::take_samples().
  DeviceTimes run(const Sampling& sampling);
  // Implements DeviceInstruments::take_samples_in_turn().
  DeviceTimes run_in_turn(std::span<const Sampling> turns);

 private:
  // Holds the stream back until everything is enqueued, so that no delay of the host falls between two events.
  struct Gate {
    std::mutex mutex;
    std::condition_variable changed;
    bool open = true;
  };
  struct Events {
    CUevent_st* start = nullptr;
    CUevent_st* stop = nullptr;
  };
  struct PlannedTurn {
    const Sampling* sampling;
    const CudaGraph* graph;  // records the batch; empty unless `batch` > 1
  };
  static void wait_for_gate(void* gate);
  void set_gate(bool open);

  DeviceTimes run(std::span<const PlannedTurn> turns);
  Status prepare(std::span<const PlannedTurn> turns);
  Status enqueue(const PlannedTurn& planned, const Events& events);
  Status run_some(std::span<const PlannedTurn> turns, DeviceTimes& samples);
  Status wait_for(CUevent_st* event);

  const std::shared_ptr<const CudaContext> context_;
  CacheFlush& flush_;
  std::vector<Events> events_;  // one pair for each sample under way
  Gate gate_;
};

}  // namespace attune::cuda
