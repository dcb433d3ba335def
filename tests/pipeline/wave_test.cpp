// Slabs of several devices compute the bits of one, however they exchange planes. On the host device, whose code is the
// same for all configurations here.
#include <gtest/gtest.h>

#include <cstdlib>

#include "pipeline/pipeline_checks.hpp"
#include "wave3d/bits.hpp"

namespace wave3d {
namespace {

using attune::Configuration;

class WaveTest : public testing::Test {
 protected:
  WaveTest() {
    attune::test::use_own_files();
    setenv("ATTUNE_DEVICE", "host", 1);
  }
  static Configuration configuration(const char* exchange, int depth, bool graph, const char* cut = "border") {
    return {{"EXCHANGE", exchange},    {"PRIORITY", "high"}, {"DEPTH", depth}, {"CUT", cut}, {"GRAPH", graph},
            {"BLOCK_X", 16},           {"BLOCK_Y", 8},       {"VECTOR", 2},    {"ITEMS", 1}, {"AHEAD", 1},
            {"CACHE", "Cache::plain"}, {"ZCHUNK", 4}};
  }
  // Compares `several` with one device by the same configuration.
  static std::string difference_of(const Shape& several, const Shape& one, const Configuration& by) {
    Wave wave(several), single(one);
    return difference(sums_of(wave, by), sums_of(single, alone(by)));
  }
};

TEST_F(WaveTest, SeveralDevicesComputeTheBitsOfOne) {
  for (const std::int64_t gpus : {2, 3})
    for (const bool ring : {false, true})
      for (const int depth : {1, 2, 4}) {
        SCOPED_TRACE(testing::Message() << gpus << " devices, ring " << ring << ", depth " << depth);
        const auto by = configuration("copy", depth, depth == 4);
        EXPECT_EQ(difference_of({20, 10, 16, gpus, ring}, {20, 10, 16 * gpus, 1, ring}, by), "");
      }
}

TEST_F(WaveTest, SlabsThatAreCutByRowsDoToo) {
  for (const bool ring : {false, true}) {
    EXPECT_EQ(difference_of({20, 19, 5, 3, ring}, {20, 19, 15, 1, ring}, configuration("copy", 1, ring, "rows")), "");
  }
}

TEST_F(WaveTest, SlabsThatAreAllBorderDoToo) {
  for (const int depth : {1, 2})
    EXPECT_EQ(difference_of({20, 10, 8, 3}, {20, 10, 24, 1}, configuration("copy", depth, false)), "");
}

TEST_F(WaveTest, SlabsThatStoreToTheirNeighboursDoToo) {
  for (const std::int64_t gpus : {1, 2, 3})
    for (const std::int64_t planes : {4, 5, 12, 16})
      for (const int chunk : {4, 8}) {
        if (planes % chunk != 0 && planes % chunk < 4) continue;
        SCOPED_TRACE(testing::Message() << gpus << " devices, " << planes << " planes, by " << chunk);
        Configuration by = storing(configuration("copy", 1, false));
        by.set("ZCHUNK", chunk);
        EXPECT_EQ(difference_of({40, 19, planes, gpus, true}, {40, 19, planes * gpus, 1, true}, by), "");
        if (gpus > 1) {
          EXPECT_EQ(difference_of({40, 19, planes, gpus}, {40, 19, planes * gpus, 1}, by), "");
        }
      }
}

// Steps are counted through all runs of a configuration, and another one has other tiles.
TEST_F(WaveTest, ExchangesFollowEachOther) {
  Wave wave({40, 19, 8, 2}), single({40, 19, 16, 1});
  const auto copying = configuration("copy", 1, false), stored = storing(copying);
  wave.begin();
  single.begin();
  single.use(alone(copying));
  Configuration taller = stored;
  taller.set("ITEMS", 2);
  for (const Configuration& by : {stored, copying, taller, stored}) {
    wave.use(by);
    for (Wave* const each : {&wave, &wave, &single, &single}) each->run();
    EXPECT_EQ(difference(wave.sums(), single.sums()), "");
  }
  for (Wave* const each : {&wave, &single}) {  // once more from the first step
    each->begin();
    each->run();
  }
  EXPECT_EQ(difference(wave.sums(), single.sums()), "");
}

TEST_F(WaveTest, AnotherGridHasOtherBits) {
  const auto by = configuration("copy", 1, false);
  EXPECT_EQ(difference_of({20, 10, 16, 2}, {20, 10, 40, 1}, by).substr(0, 6), "plane ");
  EXPECT_NE(difference_of({20, 10, 16, 2}, {20, 10, 32, 1, true}, by), "");
}

}  // namespace
}  // namespace wave3d
