#include "device/host/host_device.hpp"

#include <fmt/format.h>

#include <cstring>
#include <string>
#include <system_error>

#include "device/host/host_compiler.hpp"
#include "device/host/host_info.hpp"
#include "device/host/host_memory.hpp"
#include "device/host/host_module.hpp"
#include "device/host/host_tensor_map.hpp"
#include "device/host/launch_pool.hpp"
#include "device/host/sanitizer.hpp"

namespace attune {
namespace {

class HostDevice final : public Device {
 public:
  HostDevice()
      : threads_(host_thread_count()),
        info_(host_device_info(threads_)),
        compiler_(std::make_shared<HostCompiler>()),
        at_once_(sanitizers().any() ? 1 : max_host_threads),
        pool_(sanitizers().any() ? 1 : threads_),
        memory_(info_.memory_bytes) {}

  const DeviceInfo& info() const noexcept override { return info_; }
  std::shared_ptr<Compiler> compiler() override { return compiler_; }

  void* allocate(std::size_t bytes) override { return memory_.allocate(bytes); }
  void free(void* address) noexcept override { memory_.free(address); }
  std::uint64_t free_memory() override { return memory_.free_bytes(); }
  HostMemory& memory() noexcept { return memory_; }

  void copy_in(void* target, const void* host, std::size_t bytes, StreamHandle) override {
    std::memcpy(target, host, bytes);
  }
  void copy_out(void* host, const void* source, std::size_t bytes, StreamHandle) override {
    std::memcpy(host, source, bytes);
  }

  StreamHandle make_stream() override { return nullptr; }
  void destroy_stream(StreamHandle) noexcept override {}
  Status synchronize(StreamHandle) override { return {}; }

  LoadOutcome load(const Image& image) override { return load_host_module(image, info_); }

  Status enqueue(const Operation& operation, StreamHandle) override {
    if (operation.kind == Operation::Kind::memset) {
      std::memset(operation.target, operation.value, operation.bytes);
      return {};
    }
    if (operation.kind == Operation::Kind::copy) {
      std::memcpy(operation.target, operation.source, operation.bytes);
      return {};
    }
    if (operation.kind == Operation::Kind::routine) return operation.routine->enqueue(operation.parameters, nullptr);
    if (const std::string lacking = unlaunchable(operation); !lacking.empty())
      return {Verdict::launch_error, lacking, false};
    if (operation.shape.cooperative && operation.shape.blocks() > at_once_)
      return {Verdict::resources,
              fmt::format("a cooperative launch of {} blocks, of which {} run at the same time",
                          operation.shape.blocks(), at_once_),
              false};
    const auto& function = *static_cast<const HostFunction*>(operation.function);
    try {
      const std::optional<std::string> fault = pool_.run(
          {function.entry, function.current_slot, operation.parameters, operation.shape, function.expression});
      if (fault) return {Verdict::fault, *fault, false};
    } catch (const std::system_error& error) {
      throw Error(fmt::format(
          "the machine has no threads for the {} blocks of a cooperative launch, which run at the same time: "
          "{}; no configuration is blamed. End other programs or raise the limit (ulimit -u), then run the "
          "same command to go on",
          operation.shape.blocks(), error.what()));
    }
    return {};
  }

  Status encode_map(const TensorLayout& layout, void* array, void* map) override {
    encode_host_tensor_map(layout, array, map);
    return {};
  }

 private:
  // Returns why the operation cannot be launched; "" if it can.
  std::string unlaunchable(const Operation& operation) const {
    if (operation.function == nullptr) return "launch of no function";
    const auto& [grid, block, shared, cluster, overlaps, cooperative] = operation.shape;
    if (cluster[0] * cluster[1] * cluster[2] != 1) return "clusters of more than one block";
    for (int i = 0; i < 3; ++i) {
      if (grid[i] == 0 || grid[i] > info_.max_grid[i])
        return fmt::format("a grid of ({},{},{}) blocks", grid[0], grid[1], grid[2]);
    }
    const std::uint64_t threads = std::uint64_t{block[0]} * block[1] * block[2];
    if (threads == 0 || threads > static_cast<std::uint64_t>(info_.max_threads_per_block))
      return fmt::format("a block of ({},{},{}) threads", block[0], block[1], block[2]);
    if (shared > info_.shared_per_block) return fmt::format("{} bytes of dynamic shared memory", shared);
    return "";
  }

  const int threads_;
  const DeviceInfo info_;
  const std::shared_ptr<HostCompiler> compiler_;
  // The number of blocks that run at once. Sanitized blocks run one after another, so that static shared memory has one
  // place.
  const std::uint64_t at_once_;
  LaunchPool pool_;
  HostMemory memory_;
};

}  // namespace

std::unique_ptr<Device> open_host_device() { return std::make_unique<HostDevice>(); }

HostMemory& memory_of(Device& device) {
  auto* const opened = dynamic_cast<HostDevice*>(&device);
  if (opened == nullptr) throw Error("only a device that open_device() opened has instruments of its own");
  return opened->memory();
}

}  // namespace attune
