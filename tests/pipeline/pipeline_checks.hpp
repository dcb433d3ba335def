// What holds for pipelines on any device.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <string>
#include <vector>

#include "attune/attune.hpp"
#include "attune/builtin.hpp"
#include "attune/pipeline.hpp"

namespace attune::test {

inline constexpr std::size_t pipeline_n = 10'000;

inline std::vector<float> counted() {
  std::vector<float> values(pipeline_n);
  std::iota(values.begin(), values.end(), 1.0f);
  return values;
}

// Nothing of the user's is read or written.
inline void use_own_files() {
  setenv("ATTUNE_DB", ATTUNE_BUILD_DIR "/tests/pipeline/wisdom.db", 1);
  setenv("ATTUNE_CACHE", ATTUNE_BUILD_DIR "/tests/pipeline/images", 1);
}

inline DispatcherOptions options_for(const std::string& device) {
  use_own_files();
  DispatcherOptions options;
  options.device = device;
  return options;
}

// Copies through two streams, which an event orders: in on the one, back on the other.
inline void expect_ordered_copies(const Dispatcher& gpu, HostMemoryKind kind) {
  const HostBuffer<float> in(gpu, pipeline_n, kind), out(gpu, pipeline_n);
  std::ranges::copy(counted(), in.data());
  std::fill_n(out.data(), pipeline_n, 0.0f);
  const Buffer<float> middle(gpu, pipeline_n);
  const Stream first = make_stream(gpu, Priority::high), second = make_stream(gpu, Priority::normal);
  Event begin(gpu), copied(gpu), back(gpu);
  copied.hold(second);  // never recorded: holds nothing up
  begin.record(first);
  copy(gpu, middle.data(), in.data(), pipeline_n * sizeof(float), first);
  copied.record(first);
  copied.hold(second);
  copy(gpu, out.data(), middle.data(), pipeline_n * sizeof(float), second);
  back.record(second);
  back.synchronize();
  EXPECT_TRUE(std::ranges::equal(out.elements(), counted()));
  EXPECT_GE(copied.since(begin).count(), 0);
  EXPECT_LT(copied.since(begin).count(), 60'000);
}

// y = 2 x + y twice, by a graph over two streams that is launched twice.
inline void expect_graph_repeats(Dispatcher& gpu) {
  gpu.add(builtin::axpy);
  const Plan plan = gpu.plan("axpy", {{"n", pipeline_n}, {"T", "float"}});
  const Buffer<float> x(gpu, std::vector<float>(pipeline_n, 1.0f)), y(gpu, std::vector<float>(pipeline_n, 0.0f));
  const Stream stream(gpu), beside(gpu);
  Event fork(gpu), join(gpu);
  const Graph graph(gpu, stream, [&] {
    plan.launch(stream, y, x, 2.0f, pipeline_n);
    fork.record(stream);
    fork.hold(beside);
    plan.launch(beside, y, x, 2.0f, pipeline_n);
    join.record(beside);
    join.hold(stream);
  });
  EXPECT_EQ(y.to_vector(stream), std::vector<float>(pipeline_n, 0.0f));  // nothing is done yet
  graph.launch(stream);
  graph.launch(stream);
  EXPECT_EQ(y.to_vector(stream), std::vector<float>(pipeline_n, 8.0f));
}

}  // namespace attune::test
