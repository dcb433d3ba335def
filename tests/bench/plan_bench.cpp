// What a plan adds to a launch, on the CPU, without a device: the budget is 200 ns per launch.
//   ninja plan_bench && bin/plan_bench
#include <benchmark/benchmark.h>

#include <shared_mutex>
#include <unordered_map>

#include "dispatch/plan_parts.hpp"
#include "dispatch/plan_request.hpp"
#include "spec/kernel_file.hpp"

namespace attune {
namespace {

// Does nothing when a launch is enqueued, so that what remains is the cost above the seam.
class IdleDevice final : public Device {
 public:
  const DeviceInfo& info() const noexcept override { return info_; }
  std::shared_ptr<Compiler> compiler() override { throw Error("an idle device compiles nothing"); }
  void* allocate(std::size_t bytes) override { return ::operator new (bytes, std::align_val_t{256}); }
  void free(void* address) noexcept override { ::operator delete (address, std::align_val_t{256}); }
  std::uint64_t free_memory() override { return 0; }
  void copy_in(void*, const void*, std::size_t, StreamHandle) override {}
  void copy_out(void*, const void*, std::size_t, StreamHandle) override {}
  StreamHandle make_stream() override { return nullptr; }
  void destroy_stream(StreamHandle) noexcept override {}
  Status synchronize(StreamHandle) override { return {}; }
  LoadOutcome load(const Image&) override { return {}; }
  Status enqueue(const Operation& operation, StreamHandle) override {
    benchmark::DoNotOptimize(operation.parameters);
    return {};
  }
  DeviceTimes take_samples(const Sampling&) override { return {}; }
  void generate(void*, std::string_view, std::uint64_t, const FillValues&, std::uint64_t) override {}
  std::vector<Found> inspect(std::span<const Inspection> inspections) override {
    return std::vector<Found>(inspections.size());
  }

 private:
  DeviceInfo info_;
};

class IdleModule final : public Module {
 public:
  FunctionHandle function(std::string_view, const LaunchShape&, Status&) override { return this; }
  Variable variable(std::string_view, Status&) override { return {}; }
};

// The parts of a plan of a built-in kernel's default configuration.
std::shared_ptr<const PlanParts> parts_of(const char* kernel, const Problem& problem) {
  const KernelSpec spec = load_kernel(kernel);
  const auto device = std::make_shared<IdleDevice>();
  std::vector<Binding> first_values;
  for (const Parameter& parameter : spec.parameters) first_values.push_back({parameter.name, parameter.values.front()});
  const Configuration configuration(std::move(first_values));
  Status status;
  return make_plan_parts(device, std::make_shared<IdleModule>(), {}, spec, problem, {},
                         resolve_steps(spec, spec.launch, problem, &configuration, device->info()),
                         resolve_arguments(spec, problem, &configuration, device->info()), status);
}

void launch_transpose(benchmark::State& state) {
  const auto parts = parts_of("transpose", {{"width", 8192}, {"height", 8192}, {"T", "float"}});
  StepBinding binding = parts->bind();
  float* const out = reinterpret_cast<float*>(0x1000);
  const float* const in = reinterpret_cast<float*>(0x2000);
  for (auto _ : state) {
    const std::array list{plan_argument(out), plan_argument(in), plan_argument(8192), plan_argument(8192)};
    parts->launch(binding, nullptr, list);
  }
}
BENCHMARK(launch_transpose);

void launch_axpy(benchmark::State& state) {
  const auto parts = parts_of("axpy", {{"n", 1 << 20}, {"T", "float"}});
  StepBinding binding = parts->bind();
  float* const y = reinterpret_cast<float*>(0x1000);
  const float* const x = reinterpret_cast<float*>(0x2000);
  for (auto _ : state) {
    const std::array list{plan_argument(y), plan_argument(x), plan_argument(2.5), plan_argument(1 << 20)};
    parts->launch(binding, nullptr, list);
  }
}
BENCHMARK(launch_axpy);

// What Dispatcher::plan() does for a problem that it has planned: making the Problem, look-up, and a plan's own block.
void find_a_plan(benchmark::State& state) {
  std::shared_mutex mutex;
  std::unordered_map<PlanRequest, std::shared_ptr<const PlanParts>, PlanRequestHash, PlanRequestEqual> plans;
  for (std::int64_t n = 1; n <= 1000; ++n) plans[{"axpy", {{"n", n}, {"T", "float"}}}] = nullptr;
  const Problem problem{{"n", 500}, {"T", "float"}};
  for (auto _ : state) {
    const std::shared_lock lock(mutex);
    benchmark::DoNotOptimize(plans.find(PlanRequestView("axpy", problem)));
  }
}
BENCHMARK(find_a_plan);

void make_a_problem(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(Problem{{"n", 500}, {"T", "float"}});
}
BENCHMARK(make_a_problem);

void bind_a_plan(benchmark::State& state) {
  const auto parts = parts_of("transpose", {{"width", 8192}, {"height", 8192}, {"T", "float"}});
  for (auto _ : state) benchmark::DoNotOptimize(parts->bind());
}
BENCHMARK(bind_a_plan);

}  // namespace
}  // namespace attune

BENCHMARK_MAIN();
