#include <gtest/gtest.h>

#include "session/calibration_subject.hpp"

namespace attune {
namespace {

DeviceInfo device(std::uint64_t l2_mib, std::uint64_t memory_gib) {
  DeviceInfo info;
  info.l2_bytes = l2_mib << 20;
  info.memory_bytes = memory_gib << 30;
  return info;
}

TEST(CalibrationBytes, AreSixteenCachesOrMore) {
  EXPECT_EQ(calibration_bytes(device(60, 141)), 1ull << 30);
  EXPECT_EQ(calibration_bytes(device(4, 16)), 64ull << 20);
  EXPECT_EQ(calibration_bytes(device(128, 96)), 2ull << 30);
}

TEST(CalibrationBytes, OfFourArraysFitIntoAQuarterOfTheMemory) {
  for (const std::uint64_t memory_gib : {1, 2, 6, 8, 12, 24})
    EXPECT_LE(4 * 4 * calibration_bytes(device(96, memory_gib)), memory_gib << 30) << memory_gib;
}

TEST(CalibrationBytes, AreSomeWhereTheDriverTellsNoCache) {
  EXPECT_EQ(calibration_bytes(device(0, 16)), 64ull << 20);
  EXPECT_GT(calibration_bytes(DeviceInfo{}), 0u);
}

}  // namespace
}  // namespace attune
