// For tests that need a GPU: skipped, with the reason, where no driver answers; failed there if ATTUNE_REQUIRE_GPU=1.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "device/cuda/cuda_device.hpp"
#include "support/nvrtc.hpp"

namespace attune::test {

// Why GPU tests cannot run here; "" when they can.
inline std::string gpu_missing() {
  std::string why_not;
  if (!cuda_driver_answers(why_not)) return why_not;
  return nvrtc_missing();
}

// Gives each test the device 0, opened anew.
class GpuTest : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string reason = gpu_missing(); !reason.empty()) {
      const char* required = std::getenv("ATTUNE_REQUIRE_GPU");
      if (required != nullptr && std::string_view(required) == "1") FAIL() << "ATTUNE_REQUIRE_GPU=1, but: " << reason;
      GTEST_SKIP() << reason;
    }
    device_ = open_cuda_device(std::nullopt);
  }

  Device& device() { return *device_; }

  // Compiles and loads; fails the test when that does not work.
  std::shared_ptr<Module> load(const std::string& source, std::vector<std::string> expressions) {
    const ImageRequest request = request_for(source, std::move(expressions), device_->info().architecture());
    const CompileOutcome outcome = std::move(device_->compiler()->compile({&request, 1}).front());
    EXPECT_EQ(outcome.verdict, Verdict::ok) << outcome.log;
    if (!outcome.image) return nullptr;
    LoadOutcome loaded = device_->load(*outcome.image);
    EXPECT_TRUE(loaded.status.ok()) << loaded.status.detail;
    return loaded.module;
  }

  std::unique_ptr<Device> device_;
};

// A launch of an entry with these parameters (pointers to their values, which must outlive it).
inline Operation launch_of(FunctionHandle function, const LaunchShape& shape, std::vector<void*>& parameters) {
  Operation operation;
  operation.function = function;
  operation.shape = shape;
  operation.parameters = parameters.data();
  return operation;
}

// Device memory of a test, freed with it.
class TestMemory {
 public:
  TestMemory(Device& device, std::size_t bytes) : device_(device), data_(device.allocate(bytes)) {}
  TestMemory(const TestMemory&) = delete;
  TestMemory& operator=(const TestMemory&) = delete;
  ~TestMemory() { device_.free(data_); }
  void* data() const { return data_; }
  template <typename T>
  std::vector<T> read(std::size_t count) const {
    std::vector<T> host(count);
    device_.copy_out(host.data(), data_, count * sizeof(T), nullptr);
    return host;
  }
  template <typename T>
  void write(const std::vector<T>& host) {
    device_.copy_in(data_, host.data(), host.size() * sizeof(T), nullptr);
  }

 private:
  Device& device_;
  void* data_;
};

}  // namespace attune::test
