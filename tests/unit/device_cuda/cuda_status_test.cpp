#include "device/cuda/cuda_status.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "attune/error.hpp"

namespace attune::cuda {
namespace {

using testing::HasSubstr;

const DriverApi no_names;  // a driver that names no errors: the numbers must do

TEST(CudaStatus, SuccessIsOk) { EXPECT_TRUE(status_of(no_names, 0, "launch").ok()); }

TEST(CudaStatus, EveryErrorThatEndsTheContextIsAStickyFault) {
  for (const DriverResult result :
       {46, 100, 214, 220, 226, 700, 702, 710, 714, 715, 716, 717, 718, 719, 721, 810, 999}) {
    const Status status = status_of(no_names, result, "launch");
    EXPECT_EQ(status.verdict, Verdict::fault) << result;
    EXPECT_TRUE(status.sticky) << result;
  }
}

TEST(CudaStatus, WhatAConfigurationAsksForInVainLeavesTheContextAlone) {
  struct Case {
    DriverResult result;
    Verdict verdict;
  };
  const Case cases[] = {{1, Verdict::launch_error}, {2, Verdict::out_of_memory}, {200, Verdict::load_error},
                        {209, Verdict::load_error}, {701, Verdict::resources},   {720, Verdict::resources}};
  for (const Case& one : cases) {
    const Status status = status_of(no_names, one.result, "launch");
    EXPECT_EQ(status.verdict, one.verdict) << one.result;
    EXPECT_FALSE(status.sticky) << one.result;
  }
}

TEST(CudaStatus, SaysWhatWasDoneAndTheNumber) {
  EXPECT_EQ(status_of(no_names, 701, "launch of grid 1 x 1 x 1").detail,
            "launch of grid 1 x 1 x 1 failed: CUDA error 701");
}

TEST(CudaStatus, CheckSaysByItsTypeWhatIsOver) {
  EXPECT_NO_THROW(check(no_names, 0, "x"));
  EXPECT_THROW(check(no_names, 2, "x"), OutOfMemory);
  EXPECT_THROW(check(no_names, 700, "x"), BrokenProcess);
  try {
    check(no_names, 1, "x");
    FAIL();
  } catch (const BrokenProcess&) {
    FAIL() << "the context goes on";
  } catch (const Error&) {
  }
}

TEST(CudaStatus, ExplainsWhyADriverDoesNotAnswer) {
  EXPECT_THAT(explain_driver_failure(no_names, 100), HasSubstr("CUDA_VISIBLE_DEVICES"));
  EXPECT_THAT(explain_driver_failure(no_names, 803), HasSubstr("reboot"));
  EXPECT_THAT(explain_driver_failure(no_names, 804), HasSubstr("compatibility package"));
  EXPECT_THAT(explain_driver_failure(no_names, 36), HasSubstr("update the NVIDIA driver"));
  EXPECT_THAT(explain_driver_failure(no_names, 34), HasSubstr("stub"));
  EXPECT_THAT(explain_driver_failure(no_names, 12345), HasSubstr("12345"));
}

TEST(CudaStatus, WritesVersionsAsPeopleDo) {
  EXPECT_EQ(version_text(13000), "13.0");
  EXPECT_EQ(version_text(12040), "12.4");
}

}  // namespace
}  // namespace attune::cuda
