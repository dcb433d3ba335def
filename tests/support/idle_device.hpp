// A device that does nothing, so that only attune's work above the seam remains of a launch.
#pragma once

#include <new>

#include "device/device.hpp"

namespace attune::test {

class IdleDevice : public Device {
 public:
  const DeviceInfo& info() const noexcept override { return info_; }
  std::shared_ptr<Compiler> compiler() override { throw Error("an idle device compiles nothing"); }
  void* allocate(std::size_t bytes) override { return ::operator new (bytes, std::align_val_t{256}); }
  void free(void* address) noexcept override { ::operator delete (address, std::align_val_t{256}); }
  std::uint64_t free_memory() override { return 0; }
  void copy_in(void*, const void*, std::size_t, StreamHandle) override {}
  void copy_out(void*, const void*, std::size_t, StreamHandle) override {}
  StreamHandle make_stream() override { return nullptr; }
  void destroy_stream(StreamHandle) noexcept override {}
  Status synchronize(StreamHandle) override { return {}; }
  LoadOutcome load(const Image&) override { return {}; }
  Status enqueue(const Operation& operation, StreamHandle) override {
    asm volatile("" ::"r"(operation.parameters) : "memory");
    return {};
  }

 private:
  DeviceInfo info_;
};

class IdleModule final : public Module {
 public:
  FunctionHandle function(std::string_view, const LaunchShape&, Status&) override { return this; }
  Variable variable(std::string_view, Status&) override { return {}; }
};

}  // namespace attune::test
