// The host device itself: this machine, its threads, faults in samples.
#include <cstdlib>

#include "device/host/launch_pool.hpp"
#include "host/host_test.hpp"

namespace attune {
namespace {

using test::launch_of;
using test::shape;
using testing::Each;

class HostDevices : public test::HostTest {};

TEST_F(HostDevices, KnowThisMachine) {
  const DeviceInfo& info = device().info();
  EXPECT_EQ(info.kind, "host");
  EXPECT_EQ(info.architecture(), "host");
  EXPECT_FALSE(info.name.empty());
  EXPECT_EQ(info.compute_capability, 0);
  EXPECT_GE(info.multiprocessors, 1);
  EXPECT_GT(info.memory_bytes, 64u << 20);
  EXPECT_GT(info.l2_bytes, 100'000u);
  EXPECT_EQ(info.shared_static_limit, 49152u);
  EXPECT_EQ(info.shared_per_block, 232448u);
  EXPECT_EQ(info.max_threads_per_block, 1024);
}

TEST_F(HostDevices, TakeTheNumberOfThreadsFromTheEnvironmentAndGiveTheSameResultsWithAny) {
  for (const char* count : {"1", "2", "7"}) {
    setenv("ATTUNE_HOST_THREADS", count, 1);
    device_ = open_host_device();
    EXPECT_EQ(device().info().multiprocessors, std::atoi(count));
    EXPECT_THAT(output<int>("__global__ void run(int* out) { __shared__ int s; if (threadIdx.x == 0) s = 0; "
                            "__syncthreads(); atomicAdd(&s, 1); __syncthreads(); "
                            "if (threadIdx.x == 0) out[blockIdx.x] = s; }",
                            shape(1000, 96), 1000),
                Each(96));
  }
  for (const char* wrong : {"0", "-1", "many", "2x", "100000"}) {
    setenv("ATTUNE_HOST_THREADS", wrong, 1);
    EXPECT_THROW(host_thread_count(), UsageError) << wrong;
  }
  unsetenv("ATTUNE_HOST_THREADS");
}

TEST_F(HostDevices, TellOfFaultsInSamplesAndLaunchNoNullFunction) {
  const std::shared_ptr<Module> module = load("__global__ void run() { __trap(); }", {"run"});
  std::vector<void*> none;
  const Operation operation = launch_of(function(*module, "run", shape(1, 1)), shape(1, 1), none);
  EXPECT_EQ(instruments().sample({}, {&operation, 1}, true).status.verdict, Verdict::fault);
  EXPECT_EQ(instruments().sample({&operation, 1}, {}, false).status.verdict, Verdict::fault);
  EXPECT_EQ(device().enqueue(Operation{}, nullptr).verdict, Verdict::launch_error);
}

}  // namespace
}  // namespace attune
