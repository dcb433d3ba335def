// Slabs that store to their neighbours compute the bits of one GPU: through thousands of steps, which flags alone
// order.
#include <gtest/gtest.h>

#include "pipeline/pipeline_checks.hpp"
#include "support/gpu.hpp"
#include "wave3d/bits.hpp"

namespace wave3d {
namespace {

using attune::Configuration;

class GpuWaveTest : public testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    attune::test::use_own_files();
    std::unique_ptr<attune::Device> device;
    attune::test::open_gpu(device);
    if (device && attune::cuda_devices().size() < static_cast<std::size_t>(GetParam()))
      GTEST_SKIP() << "fewer than " << GetParam() << " GPUs";
    if (device && !allow_neighbours({64, 48, 4, GetParam(), true})) GTEST_SKIP() << "the GPUs are no peers";
  }
  // Compares after 2 runs, which are 32 steps, and after `runs` more.
  static void expect_bits_of_one(const Shape& shape, const Configuration& by, int runs) {
    SCOPED_TRACE(testing::Message() << shape.gpus << " GPUs, " << shape.planes << " planes, ring " << shape.ring << ": "
                                    << by.text());
    Wave wave(shape), one({shape.nx, shape.ny, shape.planes * shape.gpus, 1, shape.ring});
    wave.begin();
    one.begin();
    wave.use(by);
    one.use(alone(by));
    for (const int more : {2, runs}) {
      for (int i = 0; i < more; ++i) wave.run();
      for (int i = 0; i < more; ++i) one.run();
      EXPECT_EQ(difference(wave.sums(), one.sums()), "");
    }
  }
};

TEST_P(GpuWaveTest, ComputesTheBitsOfOne) {
  Configuration by{{"BLOCK_X", 16}, {"BLOCK_Y", 16}, {"VECTOR", 4}, {"ITEMS", 1}, {"AHEAD", 2}};
  by.set("CACHE", "Cache::streaming");
  by.set("ZCHUNK", 128);
  Configuration chunks = storing(by), wide = storing(by);
  chunks.set("ZCHUNK", 4);
  for (const auto& [name, value] :
       Configuration{{"BLOCK_X", 32}, {"BLOCK_Y", 8}, {"VECTOR", 2}, {"ITEMS", 4}, {"AHEAD", 3}})
    wide.set(name, value);
  for (const bool ring : {false, true}) {
    if (GetParam() == 1 && !ring) continue;
    expect_bits_of_one({1024, 1024, 8, GetParam(), ring}, storing(by), 125);
    expect_bits_of_one({1024, 1024, 16, GetParam(), ring}, chunks, 30);
    expect_bits_of_one({1024, 1024, 64, GetParam(), ring}, wide, 8);
    expect_bits_of_one({72, 40, 4, GetParam(), ring}, chunks, 1000);  // where launches are longer than their work
  }
}

INSTANTIATE_TEST_SUITE_P(Gpus, GpuWaveTest, testing::Values(1, 2, 3, 4), testing::PrintToStringParamName());

}  // namespace
}  // namespace wave3d
