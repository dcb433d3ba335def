#include "device/cuda/cuda_sampler.hpp"

#include <fmt/format.h>

#include <chrono>

#include "device/cuda/cuda_status.hpp"
#include "device/cuda/operations.hpp"

namespace attune::cuda {
namespace {

// The longest that the stream is held back. Enqueueing takes 4 us per launch; a stream takes about 1,000 operations
// before enqueueing blocks, and would block for ever on a gate that waits for it.
constexpr std::chrono::milliseconds gate_limit{20};

constexpr CUstream_st* default_stream = nullptr;

}  // namespace

Sampler::Sampler(std::shared_ptr<const CudaContext> context, std::size_t flush_bytes)
    : context_(std::move(context)), flush_bytes_(flush_bytes / sizeof(unsigned) * sizeof(unsigned)) {}

Sampler::~Sampler() {
  const ContextScope scope(*context_);
  if (scope.result() != result_success) return;
  if (start_ != nullptr) context_->api().event_destroy(start_);
  if (stop_ != nullptr) context_->api().event_destroy(stop_);
  if (flush_ != 0) context_->api().memory_free(flush_);
}

void Sampler::wait_for_gate(void* data) {
  Gate& gate = *static_cast<Gate*>(data);
  std::unique_lock lock(gate.mutex);
  gate.changed.wait_for(lock, gate_limit, [&] { return gate.open; });
}

void Sampler::set_gate(bool open) {
  {
    const std::lock_guard lock(gate_.mutex);
    gate_.open = open;
  }
  gate_.changed.notify_all();
}

Status Sampler::prepare(bool cold) {
  const DriverApi& api = context_->api();
  for (CUevent_st** event : {&start_, &stop_}) {
    if (*event != nullptr) continue;
    const Result result = api.event_create(event, event_default);
    if (result != result_success) return status_of(api, result, "making an event");
  }
  if (!cold || flush_ != 0 || flush_bytes_ == 0) return {};
  const Result result = api.memory_allocate(&flush_, flush_bytes_);
  return status_of(api, result, fmt::format("allocating {} bytes to flush the L2 cache with", flush_bytes_));
}

Status Sampler::enqueue(std::span<const Operation> before, std::span<const Operation> timed, bool cold) {
  const DriverApi& api = context_->api();
  Status status =
      status_of(api, api.launch_host_function(default_stream, wait_for_gate, &gate_), "holding back the stream");
  for (const Operation& operation : before) {
    if (status.ok()) status = enqueue_operation(api, operation, default_stream);
  }
  if (status.ok() && cold && flush_bytes_ != 0) {
    // Another word each time: equal data could be compressed or not written at all.
    const Result result = api.memset_words(flush_, ++flush_word_, flush_bytes_ / sizeof(unsigned), default_stream);
    status = status_of(api, result, "flushing the L2 cache");
  }
  if (status.ok()) status = status_of(api, api.event_record(start_, default_stream), "recording an event");
  for (const Operation& operation : timed) {
    if (status.ok()) status = enqueue_operation(api, operation, default_stream);
  }
  if (status.ok()) status = status_of(api, api.event_record(stop_, default_stream), "recording an event");
  return status;
}

Sample Sampler::run(std::span<const Operation> before, std::span<const Operation> timed, bool cold) {
  const DriverApi& api = context_->api();
  const ContextScope scope(*context_);
  Sample sample;
  sample.status = status_of(api, scope.result(), "making the device's context current");
  if (sample.status.ok()) sample.status = prepare(cold);
  if (!sample.status.ok()) return sample;

  set_gate(false);
  sample.status = enqueue(before, timed, cold);
  set_gate(true);
  // Also after a failure: nothing of this sample may run into the next.
  const Status done = status_of(api, api.stream_synchronize(default_stream), "running a sample");
  if (!done.ok() && (sample.status.ok() || done.sticky)) sample.status = done;
  if (!sample.status.ok()) return sample;

  float milliseconds = 0;
  const auto elapsed = api.event_elapsed_checked != nullptr ? api.event_elapsed_checked : api.event_elapsed;
  sample.status = status_of(api, elapsed(&milliseconds, start_, stop_), "reading the events of a sample");
  sample.nanoseconds = static_cast<double>(milliseconds) * 1e6;
  return sample;
}

}  // namespace attune::cuda
