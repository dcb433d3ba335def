#include "device/cuda/cuda_sampler.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <thread>
#include <utility>

#include "device/cuda/cuda_status.hpp"
#include "device/cuda/operations.hpp"

namespace attune::cuda {
namespace {

using Clock = std::chrono::steady_clock;

// The longest time that the stream is held back. Enqueueing takes 4 us per launch. A stream takes about 1,000
// operations before enqueueing blocks, so a gate that waited for more operations would never open.
constexpr std::chrono::milliseconds gate_limit{20};
constexpr std::size_t most_operations_held = 400;

// While it waits for a short sample, the thread keeps its core: beside 16 compilers it would get the core back late.
constexpr std::chrono::milliseconds longest_spin{2};
constexpr std::chrono::microseconds pause_between_looks{20};

// A routine may enqueue several operations: sums, scans and histograms of libraries enqueue two or three.
constexpr std::size_t operations_of_routine = 8;

constexpr CUstream_st* default_stream = nullptr;

std::size_t count(std::span<const Operation> operations) {
  std::size_t all = 0;
  for (const Operation& one : operations) all += one.kind == Operation::Kind::routine ? operations_of_routine : 1;
  return all;
}

// Returns the number of operations of one sample: three records of events, a flush, the batch or its operations, and
// the operations before and after.
std::size_t operations_of(const Sampling& sampling) {
  return 3 + count(sampling.before) + CacheFlush::launches + (sampling.batch > 1 ? 1 : count(sampling.timed.front())) +
         count(sampling.after);
}

}  // namespace

std::vector<std::size_t> first_alike(std::span<const Sampling> turns) {
  std::map<std::pair<const void*, int>, std::size_t> first;
  std::vector<std::size_t> alike;
  for (std::size_t i = 0; i < turns.size(); ++i)
    alike.push_back(first.try_emplace({turns[i].timed.data(), turns[i].batch}, i).first->second);
  return alike;
}

Sampler::Sampler(std::shared_ptr<const CudaContext> context, CacheFlush& flush)
    : context_(std::move(context)), flush_(flush) {}

Sampler::~Sampler() {
  const ContextScope scope(*context_);
  if (scope.result() != result_success) return;
  for (const Events& events : events_) {
    if (events.start != nullptr) context_->api().event_destroy(events.start);
    if (events.stop != nullptr) context_->api().event_destroy(events.stop);
  }
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

// Prepares turns that will be under way at the same time.
Status Sampler::prepare(std::span<const PlannedTurn> turns) {
  const DriverApi& api = context_->api();
  if (events_.size() < turns.size()) events_.resize(turns.size());
  for (Events& events : events_) {
    for (CUevent_st** event : {&events.start, &events.stop}) {
      if (*event != nullptr) continue;
      const DriverResult result = api.event_create(event, event_default);
      if (result != result_success) return status_of(api, result, "making an event");
    }
  }
  const bool flushes =
      std::any_of(turns.begin(), turns.end(), [](const PlannedTurn& one) { return one.sampling->flush; });
  return flushes ? flush_.prepare() : Status{};
}

Status Sampler::enqueue(const PlannedTurn& planned, const Events& events) {
  const DriverApi& api = context_->api();
  const Sampling& sampling = *planned.sampling;
  Status status;
  for (const Operation& operation : sampling.before) {
    if (status.ok()) status = enqueue_operation(api, operation, default_stream);
  }
  for (const Operation& operation : sampling.flush ? flush_.operations() : std::span<const Operation>())
    if (status.ok()) status = enqueue_operation(api, operation, default_stream);
  // Twice: the first record after other work is now and then 0.6 us early (docs/results/measurement.md). The last
  // record counts.
  for (int i = 0; i < 2; ++i)
    if (status.ok()) status = status_of(api, api.event_record(events.start, default_stream), "recording an event");
  if (*planned.graph) {
    if (status.ok()) status = planned.graph->enqueue(*context_, default_stream);
  } else {
    for (const Operation& operation : sampling.timed.front())
      if (status.ok()) status = enqueue_operation(api, operation, default_stream);
  }
  if (status.ok()) status = status_of(api, api.event_record(events.stop, default_stream), "recording an event");
  for (const Operation& operation : sampling.after)
    if (status.ok()) status = enqueue_operation(api, operation, default_stream);
  return status;
}

Status Sampler::wait_for(CUevent_st* event) {
  const DriverApi& api = context_->api();
  const auto begin = Clock::now();
  for (;;) {
    const DriverResult result = api.event_query(event);
    if (result != result_not_ready) return status_of(api, result, "running a sample");
    if (Clock::now() - begin > longest_spin) std::this_thread::sleep_for(pause_between_looks);
  }
}

Status Sampler::run_some(std::span<const PlannedTurn> turns, DeviceTimes& samples) {
  const DriverApi& api = context_->api();
  set_gate(false);
  Status status =
      status_of(api, api.launch_host_function(default_stream, wait_for_gate, &gate_), "holding back the stream");
  for (std::size_t i = 0; i < turns.size() && status.ok(); ++i) status = enqueue(turns[i], events_[i]);
  set_gate(true);
  // Waits after a failure, too: nothing of these samples may run into the next ones. Operations after the samples may
  // fail as well.
  const bool is_last =
      std::none_of(turns.begin(), turns.end(), [](const PlannedTurn& one) { return !one.sampling->after.empty(); });
  const Status done = status.ok() && is_last
                          ? wait_for(events_[turns.size() - 1].stop)
                          : status_of(api, api.stream_synchronize(default_stream), "running a sample");
  if (!done.ok() && (status.ok() || done.sticky)) status = done;
  const auto elapsed = api.event_elapsed_checked != nullptr ? api.event_elapsed_checked : api.event_elapsed;
  for (std::size_t i = 0; i < turns.size() && status.ok(); ++i) {
    float milliseconds = 0;
    status =
        status_of(api, elapsed(&milliseconds, events_[i].start, events_[i].stop), "reading the events of a sample");
    const int launches = turns[i].sampling->batch;
    if (status.ok()) samples.nanoseconds.push_back(static_cast<double>(milliseconds) * 1e6 / launches);
  }
  return status;
}

// Runs the turns in groups, each as large as the stream takes at once.
DeviceTimes Sampler::run(std::span<const PlannedTurn> turns) {
  DeviceTimes samples;
  while (samples.status.ok() && !turns.empty()) {
    std::size_t count = 1, operations = operations_of(*turns[0].sampling);
    while (count < turns.size() && (operations += operations_of(*turns[count].sampling)) <= most_operations_held)
      ++count;
    samples.status = prepare(turns.first(count));
    if (samples.status.ok()) samples.status = run_some(turns.first(count), samples);
    turns = turns.subspan(count);
  }
  return samples;
}

DeviceTimes Sampler::run(const Sampling& sampling) {
  return run_in_turn(std::vector<Sampling>(static_cast<std::size_t>(std::max(sampling.count, 0)), sampling));
}

DeviceTimes Sampler::run_in_turn(std::span<const Sampling> turns) {
  const ContextScope scope(*context_);
  Status status = status_of(context_->api(), scope.result(), "making the device's context current");
  const std::vector<std::size_t> first = first_alike(turns);
  std::vector<CudaGraph> graphs(turns.size());  // by turn; of turns that are alike, only the first has one
  std::vector<PlannedTurn> all;
  for (std::size_t i = 0; i < turns.size(); ++i) {
    const Sampling& one = turns[i];
    if (status.ok() && first[i] == i && one.batch > 1)
      status = CudaGraph::record(*context_, one.timed, one.batch, graphs[i]);
    all.push_back({&one, &graphs[first[i]]});
  }
  if (!status.ok()) return {std::move(status), {}};
  return run(all);
}

}  // namespace attune::cuda
