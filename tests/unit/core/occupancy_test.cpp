#include "core/occupancy.hpp"

#include <gmock/gmock.h>

#include <climits>

#include "attune/device_info.hpp"

namespace attune {
namespace {

using testing::ElementsAre;

MultiprocessorLimits limits(int capability) { return *multiprocessor_limits(capability); }

struct Row {
  int capability;
  BlockUse use;
  int blocks, percent;
  std::vector<Limiter> limiters;
};

// The first two are those of talks; the others are worked out by hand from the published tables.
std::vector<Row> published_cases() {
  using enum Limiter;
  return {
      {10, {192, 20, 0}, 2, 50, {registers}},  // G80
      {35, {256, 32, 4096}, 8, 100, {threads, registers}},
      {10, {256, 10, 4096}, 3, 100, {threads, registers}},
      {10, {256, 11, 0}, 2, 67, {registers}},
      {13, {96, 10, 0}, 8, 75, {blocks}},      // 3 warps
      {12, {64, 33, 0}, 6, 38, {registers}},   // 2112 are 2560, as multiples of 512
      {20, {256, 21, 0}, 5, 83, {registers}},  // 672 of a warp are 704: 46 warps
      {20, {512, 16, 16385}, 2, 67, {shared}},
      {30, {256, 63, 0}, 4, 50, {registers}},
      {37, {256, 64, 0}, 8, 100, {threads, registers}},
      {37, {1024, 65, 0}, 0, 0, {registers}},  // more than 65536 for one block
      {50, {128, 32, 4097}, 15, 94, {shared}},
      {52, {32, 32, 0}, 32, 50, {blocks}},
      {53, {512, 72, 0}, 0, 0, {registers}},
      {60, {224, 56, 0}, 5, 55, {registers}},
      {60, {64, 80, 0}, 12, 38, {registers}},  // of 25 warps two parts hold 24
      {61, {1024, 32, 0}, 2, 100, {threads, registers}},
      {70, {256, 0, 49152}, 2, 25, {shared}},
      {75, {512, 64, 32768}, 2, 100, {threads, registers, shared}},
      {80, {128, 255, 0}, 2, 13, {registers}},
      {80, {256, 32, 166912}, 1, 13, {shared}},  // 163 KiB and the KiB kept by the driver
      {80, {256, 32, 166913}, 0, 0, {shared}},
      {86, {256, 40, 0}, 6, 100, {threads, registers}},
      {86, {1024, 32, 0}, 1, 67, {threads}},
      {89, {32, 32, 0}, 24, 50, {blocks}},
      {90, {224, 64, 0}, 4, 44, {registers}},
      {90, {256, 48, 0}, 5, 63, {registers}},
      {90, {96, 40, 0}, 16, 75, {registers}},  // of 51 warps four parts hold 48
      {90, {1, 16, 0}, 32, 50, {blocks}},
      {90, {128, 16, 115712}, 2, 13, {shared}},  // 113 + 1 KiB, twice
      {90, {128, 16, 115713}, 1, 6, {shared}},
      {90, {1056, 16, 0}, 0, 0, {threads}},
      {90, {32, 256, 0}, 0, 0, {registers}},
      {100, {768, 40, 0}, 2, 75, {threads, registers}},
      {120, {384, 40, 0}, 4, 100, {threads, registers}},
      {121, {256, 32, 50177}, 1, 17, {shared}},
  };
}

TEST(Occupancy, IsThatOfPublishedCases) {
  for (const Row& row : published_cases()) {
    const Occupancy occupancy = occupancy_of(row.use, limits(row.capability));
    const std::string shown = std::to_string(row.capability) + ": " + occupancy_text(row.use, limits(row.capability));
    EXPECT_EQ(occupancy.blocks, row.blocks) << shown;
    EXPECT_EQ(occupancy.warps, row.blocks * ((row.use.threads + 31) / 32)) << shown;
    EXPECT_EQ(static_cast<int>(100 * occupancy.share() + 0.5), row.percent) << shown;
    EXPECT_EQ(occupancy.limiters, row.limiters) << shown;
  }
}

TEST(Occupancy, SaysWhatEachLimitAllows) {
  const auto allowed = [](const BlockUse& use) { return occupancy_of(use, limits(90)).blocks_by; };
  EXPECT_THAT(allowed({256, 40, 20000}), ElementsAre(8, 32, 6, 11));
  EXPECT_THAT(allowed({256, 0, 0}), ElementsAre(8, 32, INT_MAX, 228)) << "registers are not known";
  EXPECT_THAT(occupancy_of({256, 32, 0}, limits(70)).by(Limiter::shared), INT_MAX) << "nothing is kept before 8.0";
}

TEST(Occupancy, NamesTheNextStepOfTheLimit) {
  const auto text = [](int capability, const BlockUse& use) { return occupancy_text(use, limits(capability)); };
  EXPECT_EQ(text(90, {224, 60, 0}),
            "44 % (4 blocks of 224 threads), limited by registers; 56 registers: 5 blocks instead of 4");
  EXPECT_EQ(text(90, {256, 32, 40000}),
            "63 % (5 blocks of 256 threads), limited by shared memory; "
            "37888 bytes of shared memory: 6 blocks instead of 5");
  EXPECT_EQ(text(86, {1024, 32, 0}),
            "67 % (1 block of 1024 threads), limited by threads; 768 threads: 2 blocks instead of 1");
  EXPECT_EQ(text(89, {32, 32, 0}),
            "50 % (24 blocks of 32 threads), limited by blocks; 64 threads: 48 warps instead of 24");
  EXPECT_EQ(text(90, {224, 32, 0}),
            "98 % (9 blocks of 224 threads), limited by threads and registers; "
            "128 threads: 16 blocks instead of 9");
  EXPECT_EQ(text(90, {256, 32, 0}), "100 % (8 blocks of 256 threads), limited by threads and registers");
  EXPECT_EQ(text(80, {256, 32, 166913}),
            "0 % (0 blocks of 256 threads), limited by shared memory; "
            "166912 bytes of shared memory: 1 block instead of 0");
  EXPECT_EQ(to_text(occupancy_of({256, 64, 0}, limits(90))), "50 %, limited by registers");
  EXPECT_FALSE(next_step({256, 64, 57344}, limits(100))) << "neither fewer registers nor less shared memory is enough";
}

// A little less of a step is not enough.
TEST(Occupancy, AStepIsTheNearestThatHelps) {
  for (const int capability : {13, 20, 37, 52, 60, 75, 80, 86, 90, 120})
    for (int threads = 32; threads <= 512; threads += 32)
      for (int registers = 17; registers < 64; registers += 9)
        for (std::uint64_t shared = 0; shared <= 16000; shared += 1600) {
          const BlockUse use{threads, registers, shared};
          const auto step = next_step(use, limits(capability));
          if (!step) continue;
          const auto with = [&](std::uint64_t amount) {
            BlockUse other = use;
            if (step->limiter == Limiter::registers)
              other.registers = static_cast<int>(amount);
            else if (step->limiter == Limiter::shared)
              other.shared_bytes = amount;
            else
              other.threads = static_cast<int>(amount);
            return occupancy_of(other, limits(capability)).warps;
          };
          const std::uint64_t nearer = step->limiter == Limiter::blocks ? step->amount - 32 : step->amount + 1;
          EXPECT_EQ(with(step->amount), step->warps);
          EXPECT_GT(step->warps, occupancy_of(use, limits(capability)).warps);
          EXPECT_LE(with(nearer), occupancy_of(use, limits(capability)).warps)
              << capability << ": " << occupancy_text(use, limits(capability));
        }
}

TEST(MultiprocessorLimits, AreThoseThatTheDeviceTells) {
  DeviceInfo device = device_limits("sm_90");
  EXPECT_EQ(multiprocessor_limits(device)->shared_bytes, 228u << 10);
  device.max_blocks_per_multiprocessor = 12;
  device.registers_per_multiprocessor = 32768;
  EXPECT_EQ(multiprocessor_limits(device)->max_blocks, 12);
  EXPECT_EQ(occupancy_of({256, 64, 0}, *multiprocessor_limits(device)).blocks, 2);
  device.compute_capability = 133;  // newer than what is published
  EXPECT_EQ(multiprocessor_limits(device)->shared_unit, 128u);
  EXPECT_EQ(multiprocessor_limits(device)->compute_capability, 133);
  EXPECT_FALSE(multiprocessor_limits(133));
  device.kind = "host";
  EXPECT_FALSE(multiprocessor_limits(device));
  for (const std::string& name : known_architectures())
    EXPECT_TRUE(multiprocessor_limits(device_limits(name).compute_capability)) << name;
}

}  // namespace
}  // namespace attune
