#include "attune/device_info.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <tuple>

#include "attune/error.hpp"
#include "support/message_of.hpp"

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

template <typename Member, typename Any>
std::string key_with(Member DeviceInfo::*member, const Any& value) {
  DeviceInfo info = h200();
  info.*member = static_cast<Member>(value);
  return info.class_key();
}

TEST(DeviceInfo, ClassKeyIsCanonicalAndCannotBeForgedByAName) {
  EXPECT_EQ(h200().class_key(), "cuda|NVIDIA H200|cc90|sm132|mem140G|bus6144|l2-60M|mig-");
  EXPECT_EQ(key_with(&DeviceInfo::name, "a|cc80"), "cuda|a/cc80|cc90|sm132|mem140G|bus6144|l2-60M|mig-");
}

TEST(DeviceInfo, ClassKeyTellsClassesApartAndIgnoresProvenanceAndReservedMemory) {
  using Info = DeviceInfo;
  const std::uint64_t less_memory = h200().memory_bytes - (200u << 20);
  std::set<std::string> alike{h200().class_key()}, apart = alike;
  alike.insert({key_with(&Info::uuid, "GPU-1"), key_with(&Info::driver, "580"), key_with(&Info::ordinal, 3),
                key_with(&Info::clock_khz, 1), key_with(&Info::memory_bytes, less_memory)});
  EXPECT_EQ(alike.size(), 1u);
  apart.insert({key_with(&Info::kind, "replay"), key_with(&Info::name, "NVIDIA H100"),
                key_with(&Info::compute_capability, 100), key_with(&Info::multiprocessors, 114),
                key_with(&Info::memory_bytes, std::uint64_t{80} << 30), key_with(&Info::memory_bus_bits, 5120),
                key_with(&Info::l2_bytes, 50 << 20), key_with(&Info::mig_profile, "1g.18gb")});
  EXPECT_EQ(apart.size(), 9u);
}

TEST(DeviceInfo, HasEveryPropertyThatItNames) {
  const DeviceInfo info = h200();
  for (const auto& name : DeviceInfo::property_names()) EXPECT_TRUE(info.property(name).has_value()) << name;
  EXPECT_EQ(info.property("kind"), Value("cuda"));
  EXPECT_EQ(info.property("l2_bytes"), Value(62'914'560));
  EXPECT_EQ(info.property("max_block_z"), Value(64));
  EXPECT_EQ(info.property("shared_reserved"), Value(1024));
  EXPECT_EQ(info.property("max_blocks_per_multiprocessor"), Value(32));
  EXPECT_EQ(info.property("uuid"), std::nullopt);
  DeviceInfo host;
  host.kind = "host";
  EXPECT_EQ(host.architecture(), "host");
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
  for (const auto& [name, reserved, blocks] : {std::tuple("sm_70", 0, 32),
                                               {"sm_75", 0, 16},
                                               {"sm_80", 1024, 32},
                                               {"sm_86", 1024, 16},
                                               {"sm_89", 1024, 24},
                                               {"sm_120", 1024, 24}}) {
    EXPECT_EQ(device_limits(name).property("shared_reserved"), Value(reserved)) << name;
    EXPECT_EQ(device_limits(name).property("max_blocks_per_multiprocessor"), Value(blocks)) << name;
  }
  EXPECT_THAT(message_of<UsageError>([] { device_limits("sm_12"); }),
              testing::HasSubstr("unknown architecture `sm_12`; known: sm_70, sm_75"));
}

}  // namespace
}  // namespace attune
