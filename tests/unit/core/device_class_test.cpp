#include "core/device_class.hpp"

#include <gtest/gtest.h>

namespace attune {
namespace {

TEST(DeviceClass, IsReadBackFromItsKey) {
  for (const std::string key : {"cuda|NVIDIA H200|cc90|sm132|mem140G|bus6144|l2-60M|mig-",
                                "cuda|NVIDIA A100-SXM4-40GB|cc80|sm14|mem5G|bus5120|l2-5M|mig-1g.5gb",
                                "host|AMD EPYC|cc0|sm2|mem24G|bus0|l2-32M|mig-"}) {
    const auto device = device_of_class(key, device_limits("sm_80"));
    ASSERT_TRUE(device) << key;
    EXPECT_EQ(device->class_key(), key);
    EXPECT_EQ(device->shared_per_block, device_limits("sm_80").shared_per_block) << "the limits are as given";
    EXPECT_EQ(architecture_of_class(key), device->architecture());
  }
}

TEST(DeviceClass, OfOtherTextIsNone) {
  for (const char* const text :
       {"", "|", "cuda", "cuda|H200|cc90", "cuda|H200|cc90|sm132|mem140G|bus6144|l2-60M",
        "cuda|H200|cc90|sm132|mem140G|bus6144|l2-60M|mig-|more", "cuda|H200|ccx|sm132|mem140G|bus6144|l2-60M|mig-",
        "cuda|H200|cc90|sm132|mem140|bus6144|l2-60M|mig-", "cuda|H200|cc90|sm132|mem99999999999G|bus6144|l2-60M|mig-",
        "cuda|H200|cc090|sm132|mem140G|bus6144|l2-60M|mig-", "cuda|H200|cc90|sm132|mem140G|bus6144|l2-M|mig-"}) {
    EXPECT_FALSE(device_of_class(text, {})) << text;
    EXPECT_EQ(architecture_of_class(text), "");
  }
}

}  // namespace
}  // namespace attune
