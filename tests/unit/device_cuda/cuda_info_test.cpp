#include "device/cuda/cuda_info.hpp"

#include <gtest/gtest.h>

namespace attune::cuda {
namespace {

TEST(CudaInfo, WritesAUuidAsNvidiaSmiDoes) {
  Uuid uuid{};
  for (int i = 0; i < 16; ++i) uuid.bytes[i] = static_cast<char>(0xF0 - i);
  EXPECT_EQ(uuid_text(uuid, false), "GPU-f0efeeed-eceb-eae9-e8e7-e6e5e4e3e2e1");
  EXPECT_EQ(uuid_text(uuid, true), "MIG-f0efeeed-eceb-eae9-e8e7-e6e5e4e3e2e1");
}

TEST(CudaInfo, FindsTheMigProfileInTheName) {
  EXPECT_EQ(mig_profile_of("NVIDIA H100 80GB HBM3 MIG 1g.10gb"), "1g.10gb");
  EXPECT_EQ(mig_profile_of("NVIDIA H200"), "");
}

}  // namespace
}  // namespace attune::cuda
