// Slabs of several devices compute the bits of one, however they exchange planes. On the host device, whose code is the
// same for all configurations here.
#include "wave3d/wave.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

#include "pipeline/pipeline_checks.hpp"

namespace wave3d {
namespace {

class WaveTest : public testing::Test {
 protected:
  WaveTest() {
    attune::test::use_own_files();
    setenv("ATTUNE_DEVICE", "host", 1);
  }
  static attune::Configuration configuration(const char* exchange, int depth, bool graph, const char* cut = "border") {
    return {{"EXCHANGE", exchange},    {"PRIORITY", "high"}, {"DEPTH", depth}, {"CUT", cut}, {"GRAPH", graph},
            {"BLOCK_X", 16},           {"BLOCK_Y", 8},       {"VECTOR", 2},    {"ITEMS", 1}, {"AHEAD", 1},
            {"CACHE", "Cache::plain"}, {"ZCHUNK", 4}};
  }
  // Compares `several` with one device by the same configuration.
  static std::string difference_of(const Shape& several, const Shape& one, const attune::Configuration& by) {
    Wave wave(several), single(one);
    return difference(sums_of(wave, by), sums_of(single, alone(by)));
  }
};

TEST_F(WaveTest, SeveralDevicesComputeTheBitsOfOne) {
  for (const std::int64_t gpus : {2, 3})
    for (const bool ring : {false, true})
      for (const int depth : {1, 2, 4}) {
        SCOPED_TRACE(testing::Message() << gpus << " devices, ring " << ring << ", depth " << depth);
        const auto by = configuration(depth == 2 ? "kernel" : "copy", depth, depth == 4);
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

TEST_F(WaveTest, AnotherGridHasOtherBits) {
  const auto by = configuration("copy", 1, false);
  EXPECT_EQ(difference_of({20, 10, 16, 2}, {20, 10, 40, 1}, by).substr(0, 6), "plane ");
  EXPECT_NE(difference_of({20, 10, 16, 2}, {20, 10, 32, 1, true}, by), "");
}

}  // namespace
}  // namespace wave3d
