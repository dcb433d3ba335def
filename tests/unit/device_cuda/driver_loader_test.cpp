#include "device/cuda/driver_loader.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "device/cuda/cuda_device.hpp"

namespace attune::cuda {
namespace {

using testing::HasSubstr;

TEST(DriverLoader, SaysThatThereIsNoDriverAndWhatToDo) {
  const DriverLoad load = load_driver("libcuda-that-nobody-has.so.1");
  EXPECT_EQ(load.api, nullptr);
  EXPECT_THAT(load.why_not, HasSubstr("no CUDA driver"));
  EXPECT_THAT(load.why_not, HasSubstr("libcuda-that-nobody-has.so.1"));
  EXPECT_THAT(load.why_not, HasSubstr("--device host"));
}

TEST(DriverLoader, TakesNoOtherLibraryForADriver) {
  const DriverLoad load = load_driver("libm.so.6");
  EXPECT_EQ(load.api, nullptr);
  EXPECT_THAT(load.why_not, HasSubstr("does not report its version"));
}

TEST(DriverLoader, KnowsTheToolkitsStubForWhatItIs) {
  const char* stubs[] = {"/usr/local/cuda/lib64/stubs/libcuda.so", "/usr/local/cuda/lib/stubs/libcuda.so"};
  for (const char* stub : stubs) {
    if (!std::filesystem::exists(stub)) continue;
    const DriverLoad load = load_driver(stub);
    EXPECT_EQ(load.api, nullptr);
    EXPECT_THAT(load.why_not, HasSubstr("stub"));
    return;
  }
  GTEST_SKIP() << "no CUDA toolkit, so no stub library";
}

// Applications record no batches.
TEST(DriverLoader, TakesADriverOfCuda11Point3) {
  const DriverLoad load = load_driver(FAKE_DRIVER_FILE);
  ASSERT_NE(load.api, nullptr) << load.why_not;
  EXPECT_EQ(load.api->cuda_version, 11030);
  EXPECT_NE(load.api->launch, nullptr);
  EXPECT_EQ(load.api->graph_instantiate, nullptr);
}

TEST(DriverLoader, AnswersAlikeInEveryForm) {
  std::string why_not;
  const bool answers = cuda_driver_answers(why_not);
  EXPECT_EQ(why_not.empty(), answers);
  EXPECT_EQ(cuda_devices().empty(), !answers);
  EXPECT_EQ(driver_version_text().has_value(), answers);
  if (answers) {
    EXPECT_GE(driver_cuda_version(), 11000);
  } else {
    EXPECT_THROW(open_cuda_device(std::nullopt), Error);
  }
}

}  // namespace
}  // namespace attune::cuda
