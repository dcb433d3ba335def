#include "device/host/host_device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
#include <system_error>
#include <unordered_map>
#include <vector>

#include "device/host/cache_lines.hpp"
#include "device/host/host_compiler.hpp"
#include "device/host/host_data.hpp"
#include "device/host/host_info.hpp"
#include "device/host/host_module.hpp"
#include "device/host/host_tensor_map.hpp"
#include "device/host/launch_pool.hpp"
#include "device/host/sanitizer.hpp"
#include "device/host/timing_gate.hpp"

namespace attune {
namespace {

constexpr std::size_t alignment = 256;

// From this size on, an allocation is compared with the free memory, because Linux grants any size and kills the
// process when it writes.
constexpr std::size_t large_bytes = 64 << 20;

// Before a cold sample the lines of all arrays are dropped from the caches. If that cannot be done, or the arrays have
// more than N bytes, the device reads N bytes of its own instead. N is four times the last-level cache, but at most
// this limit: server processors share hundreds of MiB of cache, and reading those would take longer than the timed
// kernels.
constexpr std::size_t flush_over_cache = 4, most_flush_bytes = 64 << 20;

class HostDevice final : public Device {
 public:
  HostDevice()
      : threads_(host_thread_count()),
        info_(host_device_info(threads_)),
        compiler_(std::make_shared<HostCompiler>()),
        at_once_(sanitizers().any() ? 1 : max_host_threads),
        pool_(sanitizers().any() ? 1 : threads_) {}

  const DeviceInfo& info() const noexcept override { return info_; }
  std::shared_ptr<Compiler> compiler() override { return compiler_; }

  void* allocate(std::size_t bytes) override {
    if (bytes > info_.memory_bytes) refuse(bytes);
    const std::size_t rounded = (std::max<std::size_t>(bytes, 1) + alignment - 1) / alignment * alignment;
    if (rounded >= large_bytes && rounded > free_memory()) refuse(bytes);
    void* const memory = std::aligned_alloc(alignment, rounded);
    if (memory == nullptr) refuse(bytes);
    const std::lock_guard lock(allocating_);
    sizes_[memory] = rounded;
    allocated_ += rounded;
    return memory;
  }
  void free(void* address) noexcept override {
    if (address == nullptr) return;
    {
      const std::lock_guard lock(allocating_);
      const auto found = sizes_.find(address);
      if (found == sizes_.end()) return;
      allocated_ -= found->second;
      sizes_.erase(found);
    }
    std::free(address);
  }
  // Memory is taken at the first write, so allocated memory may still count as available.
  std::uint64_t free_memory() override {
    const std::lock_guard lock(allocating_);
    return std::min(info_.memory_bytes - std::min(info_.memory_bytes, allocated_), available_memory());
  }

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

  DeviceTimes take_samples(const Sampling& sampling) override {
    const TimingNow quiet;
    DeviceTimes samples;
    for (int i = 0; i < sampling.count && samples.status.ok(); ++i) take_sample(sampling, samples);
    return samples;
  }

  void generate(void* target, std::string_view type, std::uint64_t count, const FillValues& fill,
                std::uint64_t seed) override {
    generate_on_host(target, type, count, fill, seed);
  }

  void fence(void* array, std::size_t bytes, std::size_t below, std::size_t above) override {
    fence_off({Fence::Around::array, "", array, bytes, below, above});
  }
  void unfence(const void* array) noexcept override { remove_fence(array); }

  std::vector<Found> inspect(std::span<const Inspection> inspections) override {
    std::vector<Found> found;
    for (const Inspection& one : inspections) found.push_back(inspect_on_host(one));
    return found;
  }

 private:
  Status enqueue_all(std::span<const Operation> operations) {
    Status status;
    for (const Operation& operation : operations)
      if (status.ok()) status = enqueue(operation, nullptr);
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

  [[noreturn]] void refuse(std::size_t bytes) {
    throw OutOfMemory(fmt::format("host device: no room for {} bytes ({} free of {} in the machine)", bytes,
                                  free_memory(), info_.memory_bytes));
  }

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

  void flush() {
    const std::size_t bytes = std::min<std::size_t>(flush_over_cache * info_.l2_bytes, most_flush_bytes);
    {
      const std::lock_guard lock(allocating_);
      if (can_drop_lines() && allocated_ <= bytes) {
        for (const auto& [array, size] : sizes_) drop_lines(array, size);
        return;
      }
    }
    read_past_caches(bytes);
  }

  // Reads one word of each line.
  void read_past_caches(std::size_t bytes) {
    constexpr std::size_t words_per_line = 8;
    if (flush_.empty()) flush_.resize(bytes / sizeof(std::uint64_t), 1);
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < flush_.size(); i += words_per_line) sum += flush_[i];
    flushed_ = sum;
  }

  const int threads_;
  const DeviceInfo info_;
  const std::shared_ptr<HostCompiler> compiler_;
  // The number of blocks that run at once. Sanitized blocks run one after another, so that static shared memory has one
  // place.
  const std::uint64_t at_once_;
  LaunchPool pool_;
  std::mutex allocating_;
  std::unordered_map<void*, std::uint64_t> sizes_;
  std::uint64_t allocated_ = 0;
  std::vector<std::uint64_t> flush_;
  volatile std::uint64_t flushed_ = 0;  // so that the reads are not left out
};

}  // namespace

std::unique_ptr<Device> open_host_device() { return std::make_unique<HostDevice>(); }

}  // namespace attune
