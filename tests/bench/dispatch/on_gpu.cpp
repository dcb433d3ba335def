// Launches on a GPU beside raw ones, in one process.
#include <fmt/format.h>

#include "attune/attune.hpp"
#include "attune/kernel_files.hpp"
#include "attune_embedded/noop.hpp"
#include "bench.hpp"
#include "device/cuda/driver_api.hpp"
#include "driver.hpp"
#include "spec/kernel_file.hpp"

namespace attune::bench {
namespace {

constexpr int gpu_samples = 201;

using LaunchKernel = int (*)(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*, void**,
                             void**);
using LaunchKernelWith = int (*)(const cuda::LaunchConfig*, void*, void**, void**);

// Driver calls that a launch may need beside the launch itself.
void print_driver_calls(StreamHandle stream) {
  constexpr int calls = 100'000;
  const auto print = [&](const char* name, const auto& call) {
    std::vector<double> ns;
    for (int sample = 0; sample < 11; ++sample) {
      const double begin = now_ns();
      for (int i = 0; i < calls; ++i) call();
      ns.push_back((now_ns() - begin) / calls);
    }
    fmt::print("  {:28} {:8.1f} ns\n", name, median(ns));
  };
  void* context = nullptr;
  int status = 0;
  unsigned long long id = 0;
  const auto current = driver_function<int (*)(void**)>("cuCtxGetCurrent");
  const auto capturing = driver_function<int (*)(StreamHandle, int*)>("cuStreamIsCapturing");
  const auto number = driver_function<int (*)(StreamHandle, unsigned long long*)>("cuStreamGetId");
  print("cuCtxGetCurrent", [&] { current(&context); });
  print("cuStreamIsCapturing", [&] { capturing(stream, &status); });
  if (number != nullptr) print("cuStreamGetId", [&] { number(stream, &id); });
}

}  // namespace

int run_on_gpu(int launches) {
  DispatcherOptions options;
  options.device = "cuda";
  options.database = ":memory:";
  Dispatcher gpu(options);
  gpu.add(kernel_bundle(read_embedded_kernel(attune_embedded::noop), "noop.cu"));
  const auto launch_raw = driver_function<LaunchKernel>("cuLaunchKernel");
  const auto launch_with = driver_function<LaunchKernelWith>("cuLaunchKernelEx");
  const Buffer<float> in(gpu, 100), out(gpu, 100);
  float* const target = out.data();
  const float* const source = in.data();
  const Stream stream(gpu);
  const Plan plan = gpu.plan("noop", {{"n", 1}, {"T", "float"}});
  const Kernel kernel = gpu.kernel("noop", Policy::wait);
  constexpr int problems = 100;
  for (int n = 1; n <= problems; ++n) kernel.launch(stream, {n}, target, source, n, 2.5f);
  const ResolvedLaunch resolved = plan.resolve(out, in, 1, 2.5f);
  const ResolvedLaunch::Step& step = resolved.steps()[0];
  const cuda::LaunchConfig config{1, 1, 1, step.block[0], 1, 1, 0, stream.handle(), nullptr, 0};
  int next = 1;
  std::vector<Contender> contenders{{"raw",
                                     [&](int count) {
                                       for (int i = 0; i < count; ++i)
                                         launch_raw(step.function, 1, 1, 1, step.block[0], 1, 1, 0, stream.handle(),
                                                    step.parameters, nullptr);
                                     }},
                                    {"cuLaunchKernelEx",
                                     [&](int count) {
                                       for (int i = 0; i < count; ++i)
                                         launch_with(&config, step.function, step.parameters, nullptr);
                                     }},
                                    {"plan",
                                     [&](int count) {
                                       for (int i = 0; i < count; ++i) plan.launch(stream, target, source, 1, 2.5f);
                                     }},
                                    {"resolved",
                                     [&](int count) {
                                       for (int i = 0; i < count; ++i) resolved.launch(stream);
                                     }},
                                    {"kernel", [&](int count) {
                                       for (int i = 0; i < count; ++i) {
                                         next = next % problems + 1;
                                         kernel.launch(stream, {next}, target, source, next, 2.5f);
                                       }
                                     }}};
  // A full queue would make all as slow as the device: each batch begins with an empty one.
  for (int sample = 0; sample < gpu_samples; ++sample)
    for (Contender& contender : contenders) {
      gpu.synchronize(stream);
      const double begin = now_ns();
      contender.run(launches);
      contender.ns.push_back((now_ns() - begin) / launches);
    }  // while the device still works on them
  gpu.synchronize(stream);
  print_driver_calls(stream);
  const double raw = median(contenders[0].ns);
  fmt::print("{}: medians of {} interleaved batches of {} launches\n", gpu.device_info().name, gpu_samples, launches);
  fmt::print("  {:28} {:8.1f} ns\n", "cuLaunchKernel", raw);
  for (std::size_t i = 1; i < contenders.size(); ++i)
    fmt::print("  {:28} {:8.1f} ns, {:+.1f} ns\n", contenders[i].name, median(contenders[i].ns),
               median(contenders[i].ns) - raw);
  return 0;
}

}  // namespace attune::bench
