// Launches that are captured to CUDA graphs: what they compute, what they hold, and for how long.
#include <gmock/gmock.h>

#include "gpu/graph_fixture.hpp"
#include "support/variable_kernel.hpp"

namespace attune {
namespace {

using testing::Each;
using testing::ElementsAre;

using GpuGraph = GraphFixture;

// The plan is made in the capture: a module is loaded there.
TEST_F(GpuGraph, RecordsALaunchWithoutScratch) {
  const Stream stream(*gpu_);
  const Buffer<float> x(*gpu_, std::vector<float>(n, 2.f)), y(*gpu_, std::vector<float>(n, 1.f));
  Graph graph = capture(stream, [&] { gpu_->plan("axpy", {{"n", n}, {"T", "float"}}).launch(stream, y, x, 3, n); });
  EXPECT_THAT(y.to_vector(stream), Each(1.f)) << "a captured launch is not done";
  graph.launch(stream);
  graph.launch(stream);
  EXPECT_THAT(y.to_vector(stream), Each(13.f));
}

// Scratch memory is allocated and zeroed in the capture, and once: the kernel counts the runs there.
TEST_F(GpuGraph, RecordsALaunchWithScratchOfItsOwn) {
  const Stream stream(*gpu_);
  const Buffer<int> in(*gpu_, ones(1)), out(*gpu_, std::vector<int>{-1, -1});
  std::optional<Plan> plan;
  Graph graph = capture(stream, [&] {
    plan = gpu_->plan("partials", problem());
    plan->launch(stream, out, in, n);
  });
  EXPECT_THAT(out.to_vector(stream), ElementsAre(-1, -1));
  for (int run = 1; run <= 3; ++run) {
    graph.launch(stream);
    EXPECT_THAT(out.to_vector(stream), ElementsAre(n, run));
  }
  for (int launch = 1; launch <= 2; ++launch) {
    plan->launch(stream, out, in, n);
    EXPECT_THAT(out.to_vector(stream), ElementsAre(n, launch)) << "a launch's memory is not the graph's";
  }
  graph.launch(stream);
  EXPECT_THAT(out.to_vector(stream), ElementsAre(n, 4));
}

TEST_F(GpuGraph, OutlivesPlanAndDispatcherAndGivesMemoryBack) {
  constexpr std::int64_t room = std::int64_t{1} << 28;
  constexpr std::uint64_t slack = std::uint64_t{1} << 26;  // what the driver keeps, for kernels and graphs
  const Stream stream(*gpu_);
  const Buffer<int> in(*gpu_, ones(2)), out(*gpu_, 2);
  {  // what the driver keeps for good
    Graph graph = capture(stream, [&] { gpu_->plan("partials", problem()).launch(stream, out, in, n); });
    graph.launch(stream);
    stream.synchronize();
  }
  const std::uint64_t before = device().free_memory();
  auto other = make_dispatcher();
  std::optional<Graph> graph =
      capture(stream, [&] { other->plan("partials", problem(room)).launch(stream, out, in, n); });
  other.reset();
  const std::uint64_t with_graph = device().free_memory();
  EXPECT_LT(with_graph + static_cast<std::uint64_t>(room) / 2, before);
  graph->instantiate();
  graph->drop_graph();  // what was made of it holds the same
  graph->launch(stream);
  graph->launch(stream);
  EXPECT_THAT(out.to_vector(stream), ElementsAre(2 * n, 2));
  EXPECT_LT(device().free_memory() + static_cast<std::uint64_t>(room) / 2, before);
  graph->launch(stream);
  graph.reset();  // while it may still run
  stream.synchronize();
  EXPECT_THAT(out.to_vector(stream), ElementsAre(2 * n, 3));
  EXPECT_TRUE(returns_to(before - slack)) << before << " bytes were free, now " << device().free_memory();
}

TEST_F(GpuGraph, ACaptureThatIsThrownAwayGivesMemoryBack) {
  constexpr std::int64_t room = std::int64_t{1} << 28;
  const Stream stream(*gpu_);
  const Buffer<int> in(*gpu_, ones(2)), out(*gpu_, 2);
  const std::uint64_t before = device().free_memory();
  for (int round = 0; round < 3; ++round) {
    auto other = make_dispatcher();
    const Graph graph = capture(stream, [&] {
      for (int launch = 0; launch < 4; ++launch) other->plan("partials", problem(room)).launch(stream, out, in, n);
    });
  }
  EXPECT_TRUE(returns_to(before - (std::uint64_t{1} << 27)));
}

TEST_F(GpuGraph, RunsBesideLaunchesOfItsPlan) {
  const Stream one(*gpu_), two(*gpu_);
  const Plan plan = gpu_->plan("partials", problem());
  const Buffer<int> in_one(*gpu_, ones(1)), in_two(*gpu_, ones(5)), out_one(*gpu_, 2), out_two(*gpu_, 2);
  Graph graph = capture(two, [&] { plan.launch(two, out_two, in_two, n); });
  for (int round = 1; round <= 100; ++round) {
    graph.launch(two);
    plan.launch(one, out_one, in_one, n);
    if (round % 10 != 0) continue;
    EXPECT_THAT(out_one.to_vector(one), ElementsAre(n, round));
    EXPECT_THAT(out_two.to_vector(two), ElementsAre(5 * n, round));
  }
}

// A stream that joins a capture is captured too.
TEST_F(GpuGraph, RecordsOnStreamsThatJoinTheCapture) {
  const auto wait = driver_function<int (*)(CUstream_st*, CUevent_st*, unsigned)>("cuStreamWaitEvent");
  ASSERT_NE(wait, nullptr);
  const Stream first(*gpu_), second(*gpu_);
  const Plan plan = gpu_->plan("partials", problem());
  const Buffer<int> in_one(*gpu_, ones(1)), in_two(*gpu_, ones(5)), out_one(*gpu_, 2), out_two(*gpu_, 2);
  CUevent_st *fork = nullptr, *join = nullptr;
  ASSERT_EQ(api().event_create(&fork, cuda::event_default), 0);
  ASSERT_EQ(api().event_create(&join, cuda::event_default), 0);
  Graph graph = capture(first, [&] {
    EXPECT_EQ(api().event_record(fork, first), 0);
    EXPECT_EQ(wait(second, fork, 0), 0);
    plan.launch(second, out_two, in_two, n);
    plan.launch(first, out_one, in_one, n);
    EXPECT_EQ(api().event_record(join, second), 0);
    EXPECT_EQ(wait(first, join, 0), 0);
  });
  for (int run = 1; run <= 20; ++run) {
    graph.launch(first);
    EXPECT_THAT(out_one.to_vector(first), ElementsAre(n, run));
    EXPECT_THAT(out_two.to_vector(first), ElementsAre(5 * n, run));
  }
  api().event_destroy(fork);
  api().event_destroy(join);
}

// In the default mode of a capture, an allocation on any thread spoils it.
TEST_F(GpuGraph, IsNotSpoiltByPlansOfOtherThreads) {
  const Stream stream(*gpu_);
  const Plan plan = gpu_->plan("partials", problem());
  const Buffer<int> in(*gpu_, ones(1)), out(*gpu_, 2);
  Graph graph = capture(stream, [&] {
    plan.launch(stream, out, in, n);
    std::thread other([&] {
      const Stream own(*gpu_);
      for (int length = 1000; length < 1004; ++length) {
        Buffer<int> ints(*gpu_, static_cast<std::size_t>(length)), sum(*gpu_, 2);
        ints.copy_from(std::vector<int>(static_cast<std::size_t>(length), 1), own);
        const Plan another = gpu_->plan("partials", {{"n", length}});
        another.launch(own, sum, ints, length);
        EXPECT_THAT(sum.to_vector(own), ElementsAre(length, 1));
        another.resolve(sum, ints, length).launch(own);
        EXPECT_THAT(sum.to_vector(own), ElementsAre(length, 1));
      }
      make_dispatcher()->plan("axpy", {{"n", 10}, {"T", "float"}});
    });
    other.join();
    plan.launch(stream, out, in, n);
  });
  graph.launch(stream);
  EXPECT_THAT(out.to_vector(stream), ElementsAre(n, 1));
}

TEST_F(GpuGraph, HoldsAResolvedLaunch) {
  const Stream stream(*gpu_);
  const Buffer<int> in(*gpu_, ones(3)), out(*gpu_, 2);
  auto other = make_dispatcher();
  std::optional<ResolvedLaunch> resolved = other->plan("partials", problem()).resolve(out, in, n);
  Graph graph = capture(stream, [&] { resolved->launch(stream); });
  resolved.reset();
  other.reset();
  for (int run = 1; run <= 3; ++run) {
    graph.launch(stream);
    EXPECT_THAT(out.to_vector(stream), ElementsAre(3 * n, run));
  }
}

// The graph sets the variable whenever it runs, so that launches beside it cannot rely on what they set before.
TEST_F(GpuGraph, UploadsVariablesAtEachRun) {
  std::ofstream(folder_ / "variable.cu") << test::variable_file;
  gpu_->add(kernel_file(folder_ / "variable.cu"));
  const Stream stream(*gpu_);
  const Plan plan = gpu_->plan("variable");
  const Buffer<int> data(*gpu_, std::vector<int>(100, 0));
  Buffer<int> seven(*gpu_, std::vector<int>{7});
  const Buffer<int> two(*gpu_, std::vector<int>{2});
  plan.launch(stream, data, two, 100);
  EXPECT_THAT(data.to_vector(stream), Each(2));
  Graph graph = capture(stream, [&] { plan.launch(stream, data, seven, 100); });
  plan.launch(stream, data, two, 100);
  EXPECT_THAT(data.to_vector(stream), Each(4));
  graph.launch(stream);
  EXPECT_THAT(data.to_vector(stream), Each(11));
  plan.launch(stream, data, two, 100);
  EXPECT_THAT(data.to_vector(stream), Each(13));
  seven.copy_from(std::vector<int>{100}, stream);
  graph.launch(stream);
  EXPECT_THAT(data.to_vector(stream), Each(113));
}

// CUgraphExecUpdateResultInfo
struct UpdateResult {
  int result;
  CUgraphNode_st *error_node, *error_from_node;
};

TEST_F(GpuGraph, IsUpdatedFromAnotherCapture) {
  if (api().cuda_version < 12000) GTEST_SKIP() << "cuGraphExecUpdate is another one before CUDA 12.0";
  const auto update = driver_function<int (*)(CUgraphExec_st*, CUgraph_st*, UpdateResult*)>("cuGraphExecUpdate_v2");
  ASSERT_NE(update, nullptr);
  const Stream stream(*gpu_);
  const Plan plan = gpu_->plan("partials", problem());
  const Buffer<int> in(*gpu_, ones(1)), other_in(*gpu_, ones(6)), out(*gpu_, 2), other_out(*gpu_, 2);
  Graph graph = capture(stream, [&] { plan.launch(stream, out, in, n); });
  graph.launch(stream);
  graph.launch(stream);
  EXPECT_THAT(out.to_vector(stream), ElementsAre(n, 2));
  const Graph other = capture(stream, [&] { plan.launch(stream, other_out, other_in, n); });
  UpdateResult result{};
  ASSERT_EQ(update(graph.executable(), other.graph(), &result), 0) << result.result;
  graph.launch(stream);
  EXPECT_THAT(other_out.to_vector(stream), ElementsAre(6 * n, 1));
  EXPECT_THAT(out.to_vector(stream), ElementsAre(n, 2));
}

// CUDA_KERNEL_NODE_PARAMS_v2
struct KernelNode {
  explicit KernelNode(const ResolvedLaunch::Step& step)
      : function(step.function),
        grid{step.grid[0], step.grid[1], step.grid[2]},
        block{step.block[0], step.block[1], step.block[2]},
        shared_bytes(static_cast<unsigned>(step.shared_bytes)),
        parameters(step.parameters) {}
  void* function;
  unsigned grid[3], block[3], shared_bytes;
  void** parameters;
  void** extra = nullptr;
  void* kernel = nullptr;
  void* context = nullptr;
};
static_assert(sizeof(KernelNode) == 72 && offsetof(KernelNode, parameters) == 40);

TEST_F(GpuGraph, IsMadeOfResolvedStepsByCodeOfOnesOwn) {
  if (api().cuda_version < 12000) GTEST_SKIP() << "the parameters of a node are others before CUDA 12.0";
  using Node = CUgraphNode_st*;
  const auto create = driver_function<int (*)(CUgraph_st**, unsigned)>("cuGraphCreate");
  const auto add = driver_function<int (*)(Node*, CUgraph_st*, const Node*, std::size_t, const KernelNode*)>(
      "cuGraphAddKernelNode_v2");
  const auto set =
      driver_function<int (*)(CUgraphExec_st*, Node, const KernelNode*)>("cuGraphExecKernelNodeSetParams_v2");
  ASSERT_TRUE(create != nullptr && add != nullptr && set != nullptr);
  const Stream stream(*gpu_);
  const Plan plan = gpu_->plan("partials", problem());
  const Buffer<int> in(*gpu_, ones(1)), other_in(*gpu_, ones(4)), out(*gpu_, 2), other_out(*gpu_, 2);
  const ResolvedLaunch resolved = plan.resolve(out, in, n), other = plan.resolve(other_out, other_in, n);
  CUgraph_st* made = nullptr;
  ASSERT_EQ(create(&made, 0), 0);
  Graph graph(made);
  std::vector<Node> nodes;
  std::vector<const ResolvedLaunch::Step*> others;
  for (std::size_t i = 0; i < resolved.steps().size(); ++i) {
    const ResolvedLaunch::Step& step = resolved.steps()[i];
    if (step.kind != ResolvedLaunch::Kind::launch) continue;  // a memset of memory that no kernel reads
    const KernelNode parameters(step);
    const std::vector<Node> before = nodes.empty() ? std::vector<Node>() : std::vector<Node>{nodes.back()};
    Node node = nullptr;
    ASSERT_EQ(add(&node, made, before.data(), before.size(), &parameters), 0);
    nodes.push_back(node);
    others.push_back(&other.steps()[i]);
  }
  ASSERT_EQ(nodes.size(), 2u);
  graph.launch(stream);
  graph.launch(stream);
  EXPECT_THAT(out.to_vector(stream), ElementsAre(n, 2));
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const KernelNode parameters(*others[i]);
    ASSERT_EQ(set(graph.executable(), nodes[i], &parameters), 0);
  }
  graph.launch(stream);
  EXPECT_THAT(other_out.to_vector(stream), ElementsAre(4 * n, 1));
  EXPECT_THAT(out.to_vector(stream), ElementsAre(n, 2));
}

}  // namespace
}  // namespace attune
