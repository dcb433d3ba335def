#include "attune/device_info.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "attune/error.hpp"

namespace attune {
namespace {

DeviceInfo h200() {
  DeviceInfo info = device_limits("sm_90");
  info.name = "NVIDIA H200";
  info.memory_bytes = 150'754'820'096;  // 140.4 GiB
  info.memory_bus_bits = 6144;
  info.l2_bytes = 62'914'560;
  return info;
}

TEST(DeviceInfo, HasACanonicalClassKey) {
  EXPECT_EQ(h200().class_key(), "cuda|NVIDIA H200|cc90|sm132|mem140G|bus6144|l2-60M|mig-");
}

TEST(DeviceInfo, ClassKeyIgnoresProvenanceAndReservedMemory) {
  DeviceInfo other = h200();
  other.uuid = "GPU-1";
  other.driver = "580";
  other.ordinal = 3;
  other.clock_khz = 1;
  other.power_limit_mw = 2;
  other.memory_bytes -= 200 << 20;
  EXPECT_EQ(other.class_key(), h200().class_key());
}

TEST(DeviceInfo, ClassKeyTellsClassesApart) {
  const auto changed = [](auto change) {
    DeviceInfo info = h200();
    change(info);
    return info.class_key();
  };
  const std::string key = h200().class_key();
  EXPECT_NE(key, changed([](DeviceInfo& info) { info.kind = "replay"; }));
  EXPECT_NE(key, changed([](DeviceInfo& info) { info.name = "NVIDIA H100"; }));
  EXPECT_NE(key, changed([](DeviceInfo& info) { info.compute_capability = 100; }));
  EXPECT_NE(key, changed([](DeviceInfo& info) { info.multiprocessors = 114; }));
  EXPECT_NE(key, changed([](DeviceInfo& info) { info.memory_bytes = std::uint64_t{80} << 30; }));
  EXPECT_NE(key, changed([](DeviceInfo& info) { info.memory_bus_bits = 5120; }));
  EXPECT_NE(key, changed([](DeviceInfo& info) { info.l2_bytes = 50 << 20; }));
  EXPECT_NE(key, changed([](DeviceInfo& info) { info.mig_profile = "1g.18gb"; }));
}

TEST(DeviceInfo, ANameCannotForgeAField) {
  DeviceInfo info = h200();
  info.name = "a|cc80";
  EXPECT_EQ(info.class_key(), "cuda|a/cc80|cc90|sm132|mem140G|bus6144|l2-60M|mig-");
}

TEST(DeviceInfo, NamesItsArchitecture) {
  EXPECT_EQ(h200().architecture(), "sm_90");
  DeviceInfo host;
  host.kind = "host";
  EXPECT_EQ(host.architecture(), "host");
}

TEST(DeviceInfo, HasEveryPropertyThatItNames) {
  const DeviceInfo info = h200();
  for (const auto& name : DeviceInfo::property_names()) EXPECT_TRUE(info.property(name).has_value()) << name;
  EXPECT_EQ(info.property("kind"), Value("cuda"));
  EXPECT_EQ(info.property("l2_bytes"), Value(62'914'560));
  EXPECT_EQ(info.property("max_block_z"), Value(64));
  EXPECT_EQ(info.property("uuid"), std::nullopt);
}

TEST(DeviceLimits, KnowsTheArchitectures) {
  EXPECT_THAT(known_architectures(),
              testing::IsSupersetOf({"sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_120"}));
  for (const auto& name : known_architectures()) {
    const DeviceInfo info = device_limits(name);
    EXPECT_EQ(info.architecture(), name);
    EXPECT_EQ(info.name, name);
    EXPECT_LE(info.shared_static_limit, info.shared_per_block);
    EXPECT_LE(info.shared_per_block, info.shared_per_multiprocessor);
    EXPECT_EQ(info.max_threads_per_multiprocessor % info.max_threads_per_block,
              info.max_threads_per_multiprocessor == 1536 ? 512 : 0);
  }
  EXPECT_EQ(device_limits("sm_75").shared_per_block, 64u << 10);
  EXPECT_EQ(device_limits("sm_86").shared_per_block, 99u << 10);
  EXPECT_EQ(device_limits("sm_80").shared_per_multiprocessor, 164u << 10);
}

TEST(DeviceLimits, ListsTheKnownOnesForAnUnknownOne) {
  try {
    device_limits("sm_12");
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("unknown architecture `sm_12`; known: sm_70, sm_75"));
  }
}

}  // namespace
}  // namespace attune
