// One plan with scratch memory on several streams, in several contexts, and destroyed in any order.
#include <gmock/gmock.h>

#include <algorithm>
#include <array>

#include "gpu/graph_fixture.hpp"

namespace attune {
namespace {

using testing::ElementsAre;

using GpuStreams = GraphFixture;

TEST_F(GpuStreams, HaveNumbersOfTheirOwn) {
  if (api().stream_get_id == nullptr) GTEST_SKIP() << "before CUDA 12.0 a later stream may have the number again";
  const auto legacy = reinterpret_cast<StreamHandle>(std::uintptr_t{1});
  const auto per_thread = reinterpret_cast<StreamHandle>(std::uintptr_t{2});
  Device& gpu = *gpu_->device();
  std::vector<std::uint64_t> numbers{gpu.stream_id(nullptr), gpu.stream_id(per_thread)};
  EXPECT_EQ(gpu.stream_id(legacy), numbers[0]);
  EXPECT_EQ(gpu.stream_id(per_thread), numbers[1]);
  std::thread([&] { numbers.push_back(gpu.stream_id(per_thread)); }).join();
  std::thread([&] { EXPECT_EQ(gpu.stream_id(nullptr), numbers[0]); }).join();
  for (int i = 0; i < 3; ++i) {  // most likely one handle
    const Stream stream(*gpu_);
    numbers.push_back(gpu.stream_id(stream));
    EXPECT_EQ(gpu.stream_id(stream), numbers.back());
  }
  std::sort(numbers.begin(), numbers.end());
  EXPECT_EQ(std::adjacent_find(numbers.begin(), numbers.end()), numbers.end());
}

// The kernel counts launches in scratch memory.
TEST_F(GpuStreams, HaveScratchOfTheirOwn) {
  const Plan plan = gpu_->plan("partials", problem());
  const Buffer<int> in(*gpu_, ones(1)), out(*gpu_, 2);
  const Stream one(*gpu_);
  for (int launch = 1; launch <= 3; ++launch) {
    plan.launch(one, out, in, n);
    EXPECT_THAT(out.to_vector(one), ElementsAre(n, launch));
  }
  Plan copy = plan;
  copy.launch(one, out, in, n);
  EXPECT_THAT(out.to_vector(one), ElementsAre(n, 4)) << "copies share it";
  plan.launch(nullptr, out, in, n);
  EXPECT_THAT(out.to_vector(), ElementsAre(n, 1));
  for (int i = 0; i < 3; ++i) {
    const Stream other(*gpu_);
    plan.launch(other, out, in, n);
    EXPECT_THAT(out.to_vector(other), ElementsAre(n, 1));
  }
}

TEST_F(GpuStreams, OfTwoThreadsTakeOnePlan) {
  const Plan plan = gpu_->plan("partials", problem());
  const auto on_two_threads = [&](auto stream_of) {
    std::array<int, 2> wrong{};
    std::vector<std::thread> threads;
    for (int t = 0; t < 2; ++t)
      threads.emplace_back([&, t] {
        const auto stream = stream_of(t);
        const Buffer<int> in(*gpu_, ones(t + 1)), out(*gpu_, 2);
        for (int launch = 1; launch <= 200; ++launch) {
          plan.launch(stream, out, in, n);
          if (launch % 5 == 0) wrong[static_cast<std::size_t>(t)] += out.to_vector(stream)[0] != n * (t + 1);
        }
      });
    for (std::thread& thread : threads) thread.join();
    EXPECT_THAT(wrong, ElementsAre(0, 0));
  };
  on_two_threads([](int) { return reinterpret_cast<StreamHandle>(std::uintptr_t{2}); });  // CU_STREAM_PER_THREAD
  on_two_threads([](int) { return StreamHandle(nullptr); });  // one stream: their steps must not mix
  const Stream one(*gpu_), two(*gpu_);
  on_two_threads([&](int t) { return t == 0 ? one.handle() : two.handle(); });
  on_two_threads([&](int) { return one.handle(); });
}

// An application's own context, as cuCtxCreate makes it, beside the primary one.
TEST_F(GpuStreams, OfTwoContextsTakeTheirOwnPlans) {
  const auto create = driver_function<int (*)(CUctx_st**, unsigned, int)>("cuCtxCreate_v2");
  const auto destroy = driver_function<int (*)(CUctx_st*)>("cuCtxDestroy_v2");
  ASSERT_TRUE(create != nullptr && destroy != nullptr);
  CUctx_st* own = nullptr;
  ASSERT_EQ(create(&own, 0, 0), 0);  // is current now
  auto second = make_dispatcher();
  CUctx_st* popped = nullptr;
  ASSERT_EQ(api().context_pop(&popped), 0);
  ASSERT_EQ(popped, own);
  {
    const Plan plan = gpu_->plan("partials", problem()), other = second->plan("partials", problem());
    const Buffer<int> in(*gpu_, ones(1)), out(*gpu_, 2), other_in(*second, ones(2)), other_out(*second, 2);
    const Stream stream(*gpu_), other_stream(*second);
    for (int launch = 1; launch <= 3; ++launch) {
      plan.launch(stream, out, in, n);
      other.launch(other_stream, other_out, other_in, n);
      EXPECT_THAT(out.to_vector(stream), ElementsAre(n, launch));
      EXPECT_THAT(other_out.to_vector(other_stream), ElementsAre(2 * n, launch));
    }
    plan.launch(nullptr, out, in, n);
    other.launch(nullptr, other_out, other_in, n);
    EXPECT_THAT(out.to_vector(), ElementsAre(n, 1));
    EXPECT_THAT(other_out.to_vector(), ElementsAre(2 * n, 1));
    Graph graph = capture(stream, [&] { plan.launch(stream, out, in, n); });
    ASSERT_EQ(api().context_push(own), 0);  // for the driver's calls; the plan works in its own
    {
      Graph other_graph = capture(other_stream, [&] { other.launch(other_stream, other_out, other_in, n); });
      for (int run = 1; run <= 3; ++run) {
        other_graph.launch(other_stream);
        graph.launch(stream);
        EXPECT_THAT(out.to_vector(stream), ElementsAre(n, run));
        EXPECT_THAT(other_out.to_vector(other_stream), ElementsAre(2 * n, run));
      }
    }
    ASSERT_EQ(api().context_pop(&popped), 0);
  }
  second.reset();
  std::this_thread::sleep_for(std::chrono::seconds(1));  // what the graph held is freed in its context
  EXPECT_EQ(destroy(own), 0);
}

// A graph of a launch with all that it was made with, to be destroyed one by one.
struct Parts {
  std::optional<Plan> plan;
  std::unique_ptr<Dispatcher> dispatcher;
  std::optional<Graph> graph;
  std::optional<std::array<Buffer<int>, 2>> buffers;  // in, out
  std::optional<Stream> stream;
  void destroy(int which) {
    if (which == 0) plan.reset();
    if (which == 1) dispatcher.reset();
    if (which == 2) graph.reset();
    if (which == 3) buffers.reset();
    if (which == 4) stream.reset();
  }
};

TEST_F(GpuStreams, ArePartedWithInEveryOrder) {
  gpu_->plan("partials", problem());  // its image is in the cache from here on
  const std::uint64_t before = device().free_memory();
  std::array<int, 5> order{0, 1, 2, 3, 4};
  do {
    SCOPED_TRACE(testing::PrintToString(order));
    Parts parts;
    parts.dispatcher = make_dispatcher();
    parts.plan = parts.dispatcher->plan("partials", problem());
    parts.stream.emplace(*parts.dispatcher);
    parts.buffers = std::array{Buffer<int>(*parts.dispatcher, ones(3)), Buffer<int>(*parts.dispatcher, 2)};
    const Buffer<int>&in = parts.buffers->front(), &out = parts.buffers->back();
    const StreamHandle stream = *parts.stream;
    parts.plan->launch(stream, out, in, n);
    parts.graph.emplace(capture(stream, [&] { parts.plan->launch(stream, out, in, n); }));
    int runs = 0;
    for (const int which : order) {
      parts.destroy(which);
      if (!parts.graph || !parts.buffers || !parts.stream) continue;
      parts.graph->launch(stream);
      EXPECT_THAT(out.to_vector(stream), ElementsAre(3 * n, ++runs));
    }
  } while (!HasFailure() && std::next_permutation(order.begin(), order.end()));
  EXPECT_TRUE(returns_to(before - (std::uint64_t{1} << 27)));
}

}  // namespace
}  // namespace attune
