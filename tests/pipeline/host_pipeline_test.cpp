#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>

#include "attune/error.hpp"
#include "pipeline/pipeline_checks.hpp"

namespace attune {
namespace {

class HostPipelineTest : public testing::Test {
 protected:
  Dispatcher gpu_{test::options_for("host")};
};

TEST_F(HostPipelineTest, CopiesGoThroughStreamsInOrder) {
  for (const auto kind :
       {HostMemoryKind::pageable, HostMemoryKind::pinned, HostMemoryKind::write_combined, HostMemoryKind::mapped})
    test::expect_ordered_copies(gpu_, kind);
}

TEST_F(HostPipelineTest, AGraphDoesItsWorkAtEachLaunch) { test::expect_graph_repeats(gpu_); }

TEST_F(HostPipelineTest, DevicesOfOneKindArePeers) {
  const Dispatcher other(test::options_for("host"));
  EXPECT_TRUE(allow_peers(gpu_, other));
  const Buffer<float> there(other, test::counted()), here(gpu_, test::pipeline_n);
  copy(gpu_, here.data(), there.data(), test::pipeline_n * sizeof(float), nullptr);
  EXPECT_EQ(here.to_vector(), test::counted());
}

TEST_F(HostPipelineTest, MemoryThatTheHostLacksIsAnError) {
  constexpr std::size_t most = std::numeric_limits<std::size_t>::max();
  EXPECT_THROW(HostBuffer<char>(gpu_, most / 4), OutOfMemory);
  EXPECT_THROW(HostBuffer<float>(gpu_, most / 4 + 2), OutOfMemory);  // whose bytes are 4 modulo 2^64
}

TEST_F(HostPipelineTest, WhatRecordingThrowsComesThroughTheGraph) {
  const auto fail = [] { throw std::runtime_error("no plan"); };
  EXPECT_THROW(Graph(gpu_, nullptr, fail).launch(nullptr), std::runtime_error);
}

}  // namespace
}  // namespace attune
