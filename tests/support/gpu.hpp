// For tests that need a GPU: where no driver answers, or there is no NVRTC, they are skipped, with the reason, or fail
// if ATTUNE_REQUIRE_GPU=1.
#pragma once

#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "device/cuda/cuda_device.hpp"
#include "support/device_test.hpp"
#include "support/nvrtc.hpp"

namespace attune::test {

// Opens the device 0 anew, or skips or fails the test.
inline void open_gpu(std::unique_ptr<Device>& device) {
  std::string reason;
  if (cuda_driver_answers(reason)) reason = nvrtc_missing();
  if (!reason.empty()) {
    const char* const required = std::getenv("ATTUNE_REQUIRE_GPU");
    if (required != nullptr && std::string_view(required) == "1") FAIL() << "ATTUNE_REQUIRE_GPU=1, but: " << reason;
    GTEST_SKIP() << reason;
  }
  device = open_cuda_device(std::nullopt);
}

class GpuTest : public DeviceTest {
 protected:
  void SetUp() override { open_gpu(device_); }
};

}  // namespace attune::test
