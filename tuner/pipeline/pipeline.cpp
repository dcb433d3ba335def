#include "attune/pipeline.hpp"

#include <fmt/format.h>

#include <cstring>
#include <limits>
#include <new>
#include <string_view>
#include <utility>

#include "attune/error.hpp"
#include "device/cuda/cuda_context.hpp"
#include "device/cuda/cuda_device.hpp"
#include "device/cuda/cuda_status.hpp"
#include "device/cuda/driver_loader.hpp"
#include "device/device.hpp"

namespace attune {
namespace {

using namespace cuda;

bool is_cuda(const Device& device) { return device.info().kind == "cuda"; }

// The context of a `cuda` device, current while this object lives. Its calls invalidate no capture.
class Driver {
 public:
  explicit Driver(const Device& device) : context_(context_of(device)), scope_(*context_) {
    require(scope_.result(), "making the context current");
  }
  const DriverApi& api() const noexcept { return context_->api(); }
  const CudaContext& context() const noexcept { return *context_; }
  void require(DriverResult result, std::string_view doing) const {
    if (result != result_success)
      check(context_->api(), result, fmt::format("{} on cuda:{}", doing, context_->ordinal()));
  }

 private:
  const std::shared_ptr<const CudaContext> context_;
  const UncapturedScope scope_;
};

constexpr std::align_val_t page{4096};

std::unique_ptr<void, std::function<void(void*)>> ordinary_memory(std::size_t bytes) {
  void* const data = ::operator new(bytes, page, std::nothrow);
  if (data == nullptr) throw OutOfMemory(fmt::format("the host has no room for {} bytes", bytes));
  return {data, [](void* given) { ::operator delete(given, page); }};
}

unsigned flags_of(HostMemoryKind kind) {
  if (kind == HostMemoryKind::write_combined) return host_memory_portable | host_memory_write_combined;
  return kind == HostMemoryKind::mapped ? host_memory_mapped : host_memory_portable;
}

}  // namespace

HostMemory::HostMemory(const Dispatcher& dispatcher, HostMemoryKind kind, std::size_t count,
                       std::size_t element_bytes) {
  const std::size_t bytes = count * element_bytes;
  if (count > std::numeric_limits<std::size_t>::max() / element_bytes)
    throw OutOfMemory(fmt::format("{} elements of {} bytes are more than 2^64 bytes", count, element_bytes));
  const std::shared_ptr<Device>& device = dispatcher.device();
  if (kind == HostMemoryKind::pageable || !is_cuda(*device)) {
    data_ = ordinary_memory(bytes);
    return;
  }
  const Driver driver(*device);
  void* data = nullptr;
  driver.require(driver.api().host_allocate(&data, bytes == 0 ? 1 : bytes, flags_of(kind)),
                 fmt::format("allocating {} bytes of pinned host memory", bytes));
  data_ = {data, [device](void* given) { device->free_mapped(given); }};
}

Event::Event(const Dispatcher& dispatcher) : device_(dispatcher.device()) {
  if (!is_cuda(*device_)) return;
  const Driver driver(*device_);
  CUevent_st* event = nullptr;
  driver.require(driver.api().event_create(&event, event_default), "making an event");
  event_ = {event, [device = device_](CUevent_st* given) {
              const std::shared_ptr<const CudaContext> context = context_of(*device);
              const UncapturedScope scope(*context);
              if (scope.result() == result_success) context->api().event_destroy(given);
            }};
}

void Event::record(StreamHandle stream) {
  time_ = std::chrono::steady_clock::now();
  if (!event_) return;
  const Driver driver(*device_);
  driver.require(driver.api().event_record(event_.get(), stream), "recording an event");
}

void Event::hold(StreamHandle stream) const {
  if (!event_) return;
  const Driver driver(*device_);
  driver.require(driver.api().stream_wait(stream, event_.get(), 0), "making a stream wait for an event");
}

void Event::synchronize() const {
  if (!event_) return;
  const Driver driver(*device_);
  driver.require(driver.api().event_synchronize(event_.get()), "waiting for an event");
}

std::chrono::duration<double, std::milli> Event::since(const Event& begin) const {
  if (!event_) return time_ - begin.time_;
  const Driver driver(*device_);
  float milliseconds = 0;
  driver.require(driver.api().event_elapsed(&milliseconds, begin.event_.get(), event_.get()), "timing by events");
  return std::chrono::duration<double, std::milli>(milliseconds);
}

void copy(const Dispatcher& dispatcher, void* to, const void* from, std::size_t bytes, StreamHandle stream) {
  if (bytes == 0) return;
  const Device& device = *dispatcher.device();
  if (!is_cuda(device)) {
    std::memcpy(to, from, bytes);
    return;
  }
  const Driver driver(device);
  const auto address = [](const void* pointer) { return reinterpret_cast<DeviceAddress>(pointer); };
  driver.require(driver.api().copy_any(address(to), address(from), bytes, stream), "copying");
}

bool allow_peers(const Dispatcher& one, const Dispatcher& other) {
  if (!is_cuda(*one.device()) || !is_cuda(*other.device())) return is_cuda(*one.device()) == is_cuda(*other.device());
  const std::pair<const Device&, const Device&> ways[] = {{*one.device(), *other.device()},
                                                          {*other.device(), *one.device()}};
  for (const auto& [from, to] : ways) {
    const Driver driver(from);
    const std::shared_ptr<const CudaContext> peer = context_of(to);
    if (driver.context().handle() == peer->handle()) continue;
    int can = 1;
    if (driver.context().device() != peer->device())
      driver.require(driver.api().can_access_peer(&can, driver.context().device(), peer->device()),
                     "asking for a peer");
    if (can == 0) return false;
    const DriverResult result = driver.api().peer_enable(peer->handle(), 0);
    if (result != result_peer_enabled_already) driver.require(result, "enabling the access to a peer");
  }
  return true;
}

Stream make_stream(const Dispatcher& dispatcher, Priority priority) {
  if (priority == Priority::normal || !is_cuda(*dispatcher.device())) return Stream(dispatcher);
  const Driver driver(*dispatcher.device());
  int least = 0, greatest = 0;
  driver.require(driver.api().priority_range(&least, &greatest), "asking for priorities");
  StreamHandle stream = nullptr;
  driver.require(driver.api().stream_create_as(&stream, stream_non_blocking, greatest), "making a stream");
  return Stream(dispatcher.device(), stream);
}

Graph::Graph(const Dispatcher& dispatcher, StreamHandle stream, const std::function<void()>& record)
    : device_(dispatcher.device()) {
  if (!is_cuda(*device_)) {
    recorded_ = record;
    return;
  }
  const Driver driver(*device_);
  const DriverApi& api = driver.api();
  if (api.graph_instantiate == nullptr) throw Error(lacks(api.cuda_version, "cuGraphInstantiateWithFlags", 11040));
  driver.require(api.capture_begin(stream, capture_relaxed), "recording a graph");
  CUgraph_st* recorded = nullptr;
  try {
    record();
  } catch (...) {
    api.capture_end(stream, &recorded);  // also after a failure: recording must end
    if (recorded != nullptr) api.graph_destroy(recorded);
    throw;
  }
  driver.require(api.capture_end(stream, &recorded), "recording a graph");
  CUgraphExec_st* graph = nullptr;
  const DriverResult made = api.graph_instantiate(&graph, recorded, 0);
  api.graph_destroy(recorded);
  driver.require(made, "making a graph");
  graph_ = {graph, [device = device_](void* given) {
              const std::shared_ptr<const CudaContext> context = context_of(*device);
              const UncapturedScope scope(*context);
              if (scope.result() == result_success)
                context->api().graph_exec_destroy(static_cast<CUgraphExec_st*>(given));
            }};
}

void Graph::launch(StreamHandle stream) const {
  if (!graph_) return recorded_();
  const Driver driver(*device_);
  driver.require(driver.api().graph_launch(static_cast<CUgraphExec_st*>(graph_.get()), stream), "launching a graph");
}

}  // namespace attune
