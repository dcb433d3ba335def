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

TEST(DeviceClass, OfAnAliasIsAnotherNameOrKey) {
  const std::string h200 = "cuda|NVIDIA H200|cc90|sm132|mem140G|bus6144|l2-60M|mig-";
  const std::string nvl = "cuda|NVIDIA H200 NVL|cc90|sm132|mem94G|bus6144|l2-60M|mig-";
  const DeviceInfo own = *device_of_class(nvl, {});
  const auto key_with = [&](std::vector<DeviceAlias> aliases) {
    DeviceInfo device = own;
    apply_aliases(device, aliases);
    EXPECT_EQ(device.name, own.name);
    return device.class_key();
  };
  EXPECT_EQ(key_with({}), nvl);
  EXPECT_EQ(key_with({{"NVIDIA H100", h200}}), nvl);
  EXPECT_EQ(key_with({{"NVIDIA H200 NVL", "NVIDIA H200"}}), "cuda|NVIDIA H200|cc90|sm132|mem94G|bus6144|l2-60M|mig-");
  EXPECT_EQ(key_with({{"NVIDIA H200 NVL", h200}}), h200);
  EXPECT_EQ(key_with({{"NVIDIA H200 NVL", "NVIDIA X"}, {nvl, h200}}), h200) << "that of the key goes first";
  for (const char* const other : {"cuda|NVIDIA A100|cc80|sm108|mem80G|bus5120|l2-40M|mig-",
                                  "host|AMD EPYC|cc90|sm2|mem24G|bus0|l2-32M|mig-", "cuda|no key"})
    EXPECT_EQ(key_with({{"NVIDIA H200 NVL", other}}), nvl) << other;
}

}  // namespace
}  // namespace attune
