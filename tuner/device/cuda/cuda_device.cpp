#include "device/cuda/cuda_device.hpp"

#include <fmt/format.h>

#include <mutex>
#include <utility>

#include "device/cuda/cuda_context.hpp"
#include "device/cuda/cuda_info.hpp"
#include "device/cuda/cuda_module.hpp"
#include "device/cuda/cuda_status.hpp"
#include "device/cuda/driver_loader.hpp"
#include "device/cuda/operations.hpp"
#include "device/cuda/streams.hpp"
#include "device/cuda/tensor_map.hpp"

namespace attune {
namespace {

using namespace cuda;

std::string gigabytes(std::uint64_t bytes) {
  return fmt::format("{:.2f} GiB", static_cast<double>(bytes) / (1ULL << 30));
}

class CudaDevice final : public Device {
 public:
  explicit CudaDevice(std::shared_ptr<const CudaContext> context)
      : context_(std::move(context)),
        api_(context_->api()),
        info_(device_info(api_, context_->device(), context_->ordinal())) {}

  ~CudaDevice() override { destroy_stream(private_stream_); }

  const DeviceInfo& info() const noexcept override { return info_; }

  std::shared_ptr<Compiler> compiler() override {
    std::call_once(compiler_once_, [this] { compiler_ = make_nvrtc_compiler(info_.architecture()); });
    return compiler_;
  }

  void* allocate(std::size_t bytes) override {
    const UncapturedScope scope(*context_);
    require(scope);
    DeviceAddress address = 0;
    const DriverResult result = api_.memory_allocate(&address, bytes == 0 ? 1 : bytes);
    if (result == result_out_of_memory) throw OutOfMemory(no_room(bytes));
    check(api_, result, fmt::format("allocating {} bytes on {}", bytes, label()));
    return reinterpret_cast<void*>(address);
  }

  void free(void* address) noexcept override {
    if (address == nullptr) return;
    const UncapturedScope scope(*context_);
    if (scope.result() == result_success) api_.memory_free(device_address(address));
  }

  // One address for host and device: every 64-bit system has unified addresses.
  void* allocate_mapped(std::size_t bytes) override {
    const UncapturedScope scope(*context_);
    require(scope);
    void* address = nullptr;
    const DriverResult result = api_.host_allocate(&address, bytes == 0 ? 1 : bytes, host_memory_mapped);
    if (result == result_out_of_memory)
      throw OutOfMemory(fmt::format("the host has no room for {} ({} bytes) of memory that {} accesses",
                                    gigabytes(bytes), bytes, label()));
    check(api_, result, fmt::format("allocating {} bytes of host memory for {}", bytes, label()));
    return address;
  }

  void free_mapped(void* address) noexcept override {
    if (address == nullptr) return;
    const UncapturedScope scope(*context_);
    if (scope.result() == result_success) api_.host_free(address);
  }

  std::uint64_t free_memory() override {
    const UncapturedScope scope(*context_);
    require(scope);
    std::size_t free = 0, total = 0;
    check(api_, api_.memory_info(&free, &total), fmt::format("asking for the free memory of {}", label()));
    return free;
  }

  void copy_in(void* target, const void* host, std::size_t bytes, StreamHandle stream) override {
    if (bytes == 0) return;
    const UncapturedScope scope(*context_);
    require(scope);
    DriverResult result = api_.copy_in(device_address(target), host, bytes, stream);
    if (result == result_success) result = api_.stream_synchronize(stream);
    if (result != result_success) check(api_, result, fmt::format("copying {} bytes to {}", bytes, label()));
  }

  void copy_out(void* host, const void* source, std::size_t bytes, StreamHandle stream) override {
    if (bytes == 0) return;
    const UncapturedScope scope(*context_);
    require(scope);
    DriverResult result = api_.copy_out(host, device_address(source), bytes, stream);
    if (result == result_success) result = api_.stream_synchronize(stream);
    if (result != result_success) check(api_, result, fmt::format("copying {} bytes from {}", bytes, label()));
  }

  StreamHandle make_stream() override {
    const UncapturedScope scope(*context_);
    require(scope);
    StreamHandle stream = nullptr;
    check(api_, api_.stream_create(&stream, stream_non_blocking), fmt::format("making a stream on {}", label()));
    return stream;
  }

  void destroy_stream(StreamHandle stream) noexcept override {
    if (stream == nullptr) return;
    const UncapturedScope scope(*context_);
    if (scope.result() == result_success) api_.stream_destroy(stream);
  }

  Status synchronize(StreamHandle stream) override {
    const UncapturedScope scope(*context_);
    const DriverResult result = scope.result() == result_success ? api_.stream_synchronize(stream) : scope.result();
    return status_of(api_, result, "waiting for the device");
  }

  std::uint64_t stream_id(StreamHandle stream) override {
    const ContextScope scope(*context_);
    return cuda::stream_id(api_, stream);
  }

  Status clear(void* target, std::size_t bytes) override {
    const UncapturedScope scope(*context_);
    DriverResult result = scope.result();
    if (result == result_success) result = make_private_stream();
    if (result == result_success) result = api_.memset_bytes(device_address(target), 0, bytes, private_stream_);
    if (result == result_success) result = api_.stream_synchronize(private_stream_);
    return status_of(api_, result, "zeroing memory");
  }

  [[gnu::hot]] bool is_captured(StreamHandle stream) override {
    if (is_legacy_stream(stream)) return false;  // never captured; asking during the capture of another is an error
    CaptureStatus status = capture_none;
    if (!must_ask() && api_.stream_is_capturing(stream, &status) == result_success) return status == capture_active;
    return is_captured_in_context(stream);
  }

  Status keep_in_graph(StreamHandle stream, std::shared_ptr<const void> object) override {
    const ContextScope scope(*context_);
    if (scope.result() != result_success) return status_of(api_, scope.result(), "making the device's context current");
    return cuda::keep_in_graph(api_, stream, std::move(object));
  }

  LoadOutcome load(const Image& image) override { return load_module(context_, image); }

  Status enqueue(const Operation& operation, StreamHandle stream) override {
    if (operation.kind == Operation::Kind::launch) return enqueue_with(operation, operation.parameters, stream);
    return enqueue_in_context(operation, stream);
  }

  [[gnu::hot]] Status enqueue_with(const Operation& launch, void** parameters, StreamHandle stream) override {
    // The driver refuses a function of another context, and launches nothing.
    if (!must_ask() && launch_operation(api_, launch, parameters, stream) == result_success) [[likely]]
      return {};
    return enqueue_in_context(launch, parameters, stream);
  }

  Status encode_map(const TensorLayout& layout, void* array, void* map) override {
    const ContextScope scope(*context_);
    if (scope.result() != result_success) return status_of(api_, scope.result(), "making the device's context current");
    return encode_tensor_map(api_, layout, array, map);
  }

  const std::shared_ptr<const CudaContext>& context() const noexcept { return context_; }

 private:
  // As a rule the context is current already, and asking for it takes a driver call, so launches do not ask. A thread
  // on which a launch was refused asks from then on, until the context is current again.
  bool must_ask() const noexcept { return to_ask_for_ == context_.get(); }
  void note(const ContextScope& scope) const noexcept { to_ask_for_ = scope.was_current() ? nullptr : context_.get(); }
  static thread_local const CudaContext* to_ask_for_;

  // Not inlined, because most launches do not need them.
  [[gnu::noinline]] bool is_captured_in_context(StreamHandle stream) const {
    const ContextScope scope(*context_);
    note(scope);
    return scope.result() == result_success && cuda::is_captured(api_, stream);
  }
  [[gnu::noinline]] Status enqueue_in_context(Operation launch, void** parameters, StreamHandle stream) const {
    launch.parameters = parameters;
    return enqueue_in_context(launch, stream);
  }
  Status enqueue_in_context(const Operation& operation, StreamHandle stream) const {
    const ContextScope scope(*context_);
    note(scope);
    if (scope.result() != result_success) return status_of(api_, scope.result(), "making the device's context current");
    return enqueue_operation(api_, operation, stream);
  }

  std::string label() const { return fmt::format("cuda:{} ({})", info_.ordinal, info_.name); }

  void require(const ContextScope& scope) const {
    if (scope.result() != result_success)
      check(api_, scope.result(), fmt::format("making the context of {} current", label()));
  }

  DriverResult make_private_stream() {
    const std::lock_guard lock(private_stream_mutex_);
    return private_stream_ == nullptr ? api_.stream_create(&private_stream_, stream_non_blocking) : result_success;
  }

  std::string no_room(std::size_t bytes) const {
    std::size_t free = 0, total = 0;
    if (api_.memory_info(&free, &total) != result_success)
      return fmt::format("{} has no room for {}", label(), gigabytes(bytes));
    return fmt::format("{} has no room for {} ({} bytes): {} of {} are free; use a smaller problem", label(),
                       gigabytes(bytes), bytes, gigabytes(free), gigabytes(total));
  }

  const std::shared_ptr<const CudaContext> context_;
  const DriverApi& api_;
  const DeviceInfo info_;
  std::mutex private_stream_mutex_;
  CUstream_st* private_stream_ = nullptr;  // made at its first use
  std::once_flag compiler_once_;
  std::shared_ptr<Compiler> compiler_;
};

thread_local const CudaContext* CudaDevice::to_ask_for_ = nullptr;

}  // namespace

std::unique_ptr<Device> open_cuda_device(std::optional<int> ordinal) {
  return std::make_unique<CudaDevice>(CudaContext::open(require_driver(), ordinal));
}

std::shared_ptr<const CudaContext> context_of(const Device& device) {
  const auto* const opened = dynamic_cast<const CudaDevice*>(&device);
  if (opened == nullptr) throw Error("only a device that open_device() opened has instruments of its own");
  return opened->context();
}

bool cuda_driver_answers(std::string& why_not) noexcept {
  try {
    const DriverLoad& load = ready_driver();
    why_not = load.why_not;
    return load.api != nullptr;
  } catch (...) {  // no memory for the message; the answer is the same
    return false;
  }
}

namespace {

int device_count(const DriverApi* api) {
  int count = 0;
  if (api != nullptr) check(*api, api->device_get_count(&count), "counting the CUDA devices");
  return count;
}

DeviceInfo info_of(const DriverApi& api, int ordinal) {
  DeviceNumber device = 0;
  check(api, api.device_get(&device, ordinal), fmt::format("looking at cuda:{}", ordinal));
  return device_info(api, device, ordinal);
}

}  // namespace

std::vector<DeviceInfo> cuda_devices() {
  const DriverApi* api = ready_driver().api;
  std::vector<DeviceInfo> devices;
  for (int ordinal = 0, count = device_count(api); ordinal < count; ++ordinal)
    devices.push_back(info_of(*api, ordinal));
  return devices;
}

[[gnu::cold]] std::optional<int> cuda_ordinal(std::string_view uuid) {
  const DriverApi* api = ready_driver().api;
  for (int ordinal = 0, count = device_count(api); ordinal < count; ++ordinal)
    if (info_of(*api, ordinal).uuid == uuid) return ordinal;
  return std::nullopt;
}

std::optional<std::string> driver_version_text() {
  const DriverApi* api = ready_driver().api;
  if (api == nullptr) return std::nullopt;
  return driver_text(*api);
}

}  // namespace attune
