#include <gtest/gtest.h>

#include <stdexcept>

#include "attune/error.hpp"
#include "pipeline/pipeline_checks.hpp"
#include "support/gpu.hpp"

namespace attune {
namespace {

class GpuPipelineTest : public testing::Test {
 protected:
  void SetUp() override {
    std::unique_ptr<Device> device;
    test::open_gpu(device);
    if (device) gpu_.emplace(test::options_for("cuda:0"));
  }
  std::optional<Dispatcher> gpu_;
};

TEST_F(GpuPipelineTest, CopiesGoThroughStreamsInOrder) {
  for (const auto kind :
       {HostMemoryKind::pageable, HostMemoryKind::pinned, HostMemoryKind::write_combined, HostMemoryKind::mapped})
    test::expect_ordered_copies(*gpu_, kind);
}

TEST_F(GpuPipelineTest, AGraphDoesItsWorkAtEachLaunch) { test::expect_graph_repeats(*gpu_); }

TEST_F(GpuPipelineTest, KernelsReachMappedMemory) {
  gpu_->add(builtin::axpy);
  const HostBuffer<float> x(*gpu_, test::pipeline_n, HostMemoryKind::mapped);
  const HostBuffer<float> y(*gpu_, test::pipeline_n, HostMemoryKind::mapped);
  std::fill_n(x.data(), test::pipeline_n, 1.0f);
  std::fill_n(y.data(), test::pipeline_n, 1.0f);
  gpu_->plan("axpy", {{"n", test::pipeline_n}, {"T", "float"}})
      .launch(nullptr, y.data(), x.data(), 2.0f, test::pipeline_n);
  gpu_->synchronize();
  EXPECT_TRUE(std::ranges::equal(y.elements(), std::vector<float>(test::pipeline_n, 3.0f)));
}

TEST_F(GpuPipelineTest, AFailedRecordingEndsTheCapture) {
  const Stream stream(*gpu_);
  const auto fail = [] { throw std::runtime_error("no plan"); };
  EXPECT_THROW(Graph(*gpu_, stream, fail), std::runtime_error);
  test::expect_ordered_copies(*gpu_, HostMemoryKind::pinned);
  stream.synchronize();  // which a capture would refuse
}

TEST_F(GpuPipelineTest, PeersReachEachOther) {
  if (cuda_devices().size() < 2) GTEST_SKIP() << "one GPU";
  const Dispatcher other(test::options_for("cuda:1"));
  if (!allow_peers(*gpu_, other)) GTEST_SKIP() << "the GPUs are no peers";
  ASSERT_TRUE(allow_peers(*gpu_, other));  // once more
  const Buffer<float> there(other, test::counted()), here(*gpu_, test::pipeline_n);
  const Stream stream(other), mine(*gpu_);
  Event sent(other);
  copy(other, here.data(), there.data(), test::pipeline_n * sizeof(float), stream);
  sent.record(stream);
  sent.hold(mine);  // a stream of the other device
  EXPECT_EQ(here.to_vector(mine), test::counted());
}

}  // namespace
}  // namespace attune
