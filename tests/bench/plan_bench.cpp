// What a plan adds to a launch, on the CPU, without a device: the budget is 200 ns per launch.
//   ninja plan_bench && bin/plan_bench
#include <benchmark/benchmark.h>

#include "dispatch/entry_table.hpp"
#include "dispatch/plan_entry.hpp"
#include "dispatch/plan_parts.hpp"
#include "dispatch/readers.hpp"
#include "spec/kernel_file.hpp"
#include "support/idle_device.hpp"

namespace attune {
namespace {

// The parts of a plan of a built-in kernel's default configuration.
std::shared_ptr<const PlanParts> parts_of(const char* kernel, const Problem& problem) {
  const auto spec = std::make_shared<KernelSpec>(load_kernel(kernel));
  const auto device = std::make_shared<test::IdleDevice>();
  std::vector<Binding> first_values;
  for (const Parameter& parameter : spec->parameters)
    first_values.push_back({parameter.name, parameter.values.front()});
  const Configuration configuration(std::move(first_values));
  Status status;
  return make_plan_parts(std::make_shared<PlanContext>(device), spec, {std::make_shared<test::IdleModule>()}, problem,
                         {}, resolve_plan(*spec, problem, configuration, device->info()), status);
}

void launch_transpose(benchmark::State& state) {
  const auto parts = parts_of("transpose", {{"width", 8192}, {"height", 8192}, {"T", "float"}});
  float* const out = reinterpret_cast<float*>(0x1000);
  const float* const in = reinterpret_cast<float*>(0x2000);
  for (auto _ : state) {
    const std::array list{plan_argument(out), plan_argument(in), plan_argument(8192), plan_argument(8192)};
    launch_plan(parts, nullptr, list);
  }
}
BENCHMARK(launch_transpose);

void launch_axpy(benchmark::State& state) {
  const auto parts = parts_of("axpy", {{"n", 1 << 20}, {"T", "float"}});
  float* const y = reinterpret_cast<float*>(0x1000);
  const float* const x = reinterpret_cast<float*>(0x2000);
  for (auto _ : state) {
    const std::array list{plan_argument(y), plan_argument(x), plan_argument(2.5), plan_argument(1 << 20)};
    launch_plan(parts, nullptr, list);
  }
}
BENCHMARK(launch_axpy);

// A plan with scratch memory: the number of the stream and two locks more.
void launch_reduce(benchmark::State& state) {
  const auto parts = parts_of("reduce", {{"n", 1 << 24}, {"T", "float"}});
  float* const out = reinterpret_cast<float*>(0x1000);
  const float* const in = reinterpret_cast<float*>(0x2000);
  for (auto _ : state) {
    const std::array list{plan_argument(out), plan_argument(in), plan_argument(1 << 24)};
    launch_plan(parts, nullptr, list);
  }
}
BENCHMARK(launch_reduce);

// What Dispatcher::plan() does for a problem that it has planned, when the kernel is found.
void find_a_plan(benchmark::State& state) {
  const KernelSpec spec = load_kernel("axpy");
  const KeyRecipe recipe(spec, "cuda");
  EntryTable<PlanEntry> table(recipe.size());
  for (std::int64_t n = 1; n <= 1000; ++n) table.insert(recipe.key_of({{"n", n}, {"T", "float"}}));
  const Problem problem{{"n", 500}, {"T", "float"}};
  for (auto _ : state) {
    const LaunchSection section;
    benchmark::DoNotOptimize(table.find(*recipe.find_key(problem)));
  }
}
BENCHMARK(find_a_plan);

void make_a_problem(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(Problem{{"n", 500}, {"T", "float"}});
}
BENCHMARK(make_a_problem);

void copy_the_parts(benchmark::State& state) {
  const auto parts = parts_of("transpose", {{"width", 8192}, {"height", 8192}, {"T", "float"}});
  for (auto _ : state) benchmark::DoNotOptimize(parts_of_own(parts));
}
BENCHMARK(copy_the_parts);

}  // namespace
}  // namespace attune

BENCHMARK_MAIN();
