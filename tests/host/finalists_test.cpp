// What the final stage finds out about its finalists, beside their times.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "device/device.hpp"
#include "kernel/problem.hpp"
#include "session/kernel_session.hpp"
#include "spec/kernel_file.hpp"
#include "support/notes.hpp"

namespace attune {
namespace {

// Off by a quarter, always; or by a bit more each time that it is launched.
constexpr const char* unsteady = R"cuda(/*attune
[kernel]
name = "unsteady"
summary = "y = 1, about"
[problem]
n = { size = 256, host = 256 }
[parameters]
STEADY = [true, false]
[[launch]]
entry = "unsteady<STEADY>"
grid = ["1"]
block = ["64"]
arguments = ["y", "n"]
[arguments]
y = { type = "float", size = "n", role = "out" }
n = { type = "int32" }
[[reference]]
entry = "reference"
grid = ["1"]
block = ["64"]
arguments = ["y", "n"]
[check]
absolute = "0.5"
*/
__device__ int launches;

template <bool STEADY>
__global__ void unsteady(float* y, int n) {
  if (threadIdx.x != 0) return;
  const float off = STEADY ? 0.25f : static_cast<float>(++launches % 1000) / 4096;
  for (int i = 0; i < n; ++i) y[i] = 1 + off;
}

__global__ void reference(float* y, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) y[i] = 1;
}
)cuda";

TEST(Finalists, CarryTheirErrorsAndWhetherTheyRepeat) {
  const std::unique_ptr<Device> device = open_device("host");
  KernelRequest request;
  request.spec = read_kernel_text(unsteady, "unsteady.cu");
  request.spec.deterministic.emplace("n > 100");
  request.problem = parse_problem(request.spec, "", "host");
  request.effort = Effort::exhaustive;
  request.seed = 1;
  request.objectives = Objectives("time, shared + 1");
  Protocol quick;
  quick.warm_up_ms = 1;
  quick.final_rounds_min = quick.final_rounds_max = 10;
  request.protocol = quick;
  WisdomStore store(":memory:");
  Notes observer;
  const std::atomic<int> stop{0};
  const SessionResult result = run_session(request, *device, store, nullptr, observer, stop);
  ASSERT_TRUE(result.record) << result.explanation;
  const std::vector<FinalistResult> finalists = store.finalists(result.record->uuid);
  ASSERT_EQ(finalists.size(), 2u);
  for (const FinalistResult& finalist : finalists) {
    EXPECT_THAT(finalist.measurement.samples_ns, testing::SizeIs(result.decision->used.size()));
    EXPECT_LE(finalist.measurement.q1_ns, finalist.measurement.median_ns);
    EXPECT_EQ(finalist.objective_values, (std::vector<double>{finalist.measurement.median_ns, 1}));
    EXPECT_EQ(finalist.energy_j, std::nullopt);
    const bool steady = finalist.configuration.text() == "STEADY=true";
    EXPECT_EQ(finalist.deterministic, steady) << finalist.configuration.text();
    if (steady) {
      EXPECT_EQ(finalist.numerics.max_absolute, 0.25);
      EXPECT_EQ(finalist.numerics.max_relative, 0.25);
      EXPECT_EQ(finalist.numerics.max_ulp, std::uint64_t{1} << 21);  // of 2^-23
    } else {
      EXPECT_GT(finalist.numerics.max_absolute, 0);
      EXPECT_GT(finalist.numerics.max_ulp, 0u);
    }
  }
  EXPECT_THAT(observer.texts, testing::Contains(testing::HasSubstr("STEADY=false differs from run to run, where "
                                                                   "`n > 100` ([kernel] `deterministic`)")));
  EXPECT_TRUE(finalists.front().pareto);
  EXPECT_GT(result.record->q3_ns, 0);
  EXPECT_EQ(result.record->rounds, static_cast<std::int64_t>(result.decision->used.size()));
}

}  // namespace
}  // namespace attune
