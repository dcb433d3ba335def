// For tests that compile with NVRTC: skipped, with the reason, where there is none.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "attune/error.hpp"
#include "core/image.hpp"
#include "device/cuda/nvrtc_library.hpp"

namespace attune::test {

// Returns why there is no NVRTC; "" when there is one.
inline std::string nvrtc_missing() {
  try {
    cuda::nvrtc();
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

class NvrtcTest : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string reason = nvrtc_missing(); !reason.empty()) GTEST_SKIP() << reason;
  }
};

inline ImageRequest request_for(std::string text, std::vector<std::string> expressions, std::string architecture = "",
                                std::vector<std::string> options = {}) {
  ImageRequest request;
  request.source = {"kernel.cu", std::move(text), {}};
  request.expressions = std::move(expressions);
  request.options = std::move(options);
  request.architecture = std::move(architecture);
  return request;
}

}  // namespace attune::test
