// What the first things of a process take, and a first launch while the best image is not there.
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "attune/attune.hpp"
#include "attune/kernel_files.hpp"
#include "attune_embedded/noop.hpp"
#include "bench.hpp"
#include "core/record.hpp"
#include "db/wisdom_store.hpp"
#include "device/device.hpp"
#include "driver.hpp"
#include "spec/kernel_file.hpp"

namespace attune::bench {
namespace {

double since(double begin) { return (now_ns() - begin) * 1e-6; }

void print(std::string_view what, double milliseconds, const std::string& more = {}) {
  fmt::print("  {:44} {:8.2f} ms{}{}\n", what, milliseconds, more.empty() ? "" : "  ", more);
}

Bundle noop_bundle() { return kernel_bundle(read_embedded_kernel(attune_embedded::noop), "noop.cu"); }

// Returns false where the driver that is wished does not answer.
bool begin_context() {
  const char* const wished = std::getenv("ATTUNE_DEVICE");
  if (wished != nullptr && std::string_view(wished) == "host") return true;
  const double begin = now_ns();
  if (!make_context_current()) {
    fmt::print("no CUDA driver\n");
    return false;
  }
  print("driver and context (not attune's)", since(begin));
  return true;
}

DispatcherOptions options_in(const std::filesystem::path& database, const std::filesystem::path& cache) {
  DispatcherOptions options;
  options.database = database;
  options.cache = cache;
  return options;
}

Statistics launch_first(Dispatcher& gpu, int n, std::string_view name) {
  const Buffer<float> in(gpu, 100), out(gpu, 100);
  const double begin = now_ns();
  gpu.kernel("noop").launch(nullptr, {n}, out, in, n, 2.5f);
  const double took = since(begin);
  const Statistics counts = gpu.statistics();
  print(name, took, fmt::format("({} compiled, {} from the cache)", counts.compiled, counts.from_cache));
  gpu.synchronize();
  return counts;
}

constexpr std::size_t place(Rung rung) { return static_cast<std::size_t>(rung); }

}  // namespace

int run_cold(const std::string& cache) {
  if (!begin_context()) return 1;
  double begin = now_ns();
  const Bundle bundle = noop_bundle();
  print("reading the kernel file (embedded: nothing)", since(begin));
  begin = now_ns();
  Dispatcher gpu(options_in(":memory:", cache));
  print("Dispatcher", since(begin));
  begin = now_ns();
  gpu.add(bundle);
  print("add()", since(begin));
  launch_first(gpu, 1, "first launch, Policy::background");
  launch_first(gpu, 2, "first launch of another size");
  return 0;
}

// The record is what a session would leave: best is the second configuration, whose image no cache holds.
int run_prepare(const std::string& folder) {
  const std::filesystem::path root(folder);
  Dispatcher gpu(options_in(":memory:", root / "cache"));
  gpu.add(noop_bundle());
  gpu.plan("noop", {{"n", 1}, {"T", "float"}});
  const KernelSpec spec = read_embedded_kernel(attune_embedded::noop);
  const DeviceInfo& device = gpu.device_info();
  Record record;
  record.uuid = make_uuid();
  record.key = {spec.name,
                spec.fingerprints.code,
                spec.fingerprints.contract,
                device.class_key(),
                {{"n", 1}, {"T", "float"}},
                "cold",
                "time"};
  record.device_name = device.name;
  record.compute_capability = device.compute_capability;
  record.multiprocessors = device.multiprocessors;
  record.configuration = Configuration{{"BLOCK", 64}};
  record.median_ns = 1000;
  record.default_ns = 1500;
  record.speedup = record.speedup_low = record.speedup_high = 1.5;
  record.space = spec.fingerprints.space;
  record.toolchain = gpu.device()->compiler()->toolchain();
  record.driver = device.driver;
  WisdomStore(root / "data" / "wisdom.db").put_record(record);
  return 0;
}

int run_background(const std::string& folder) {
  if (!begin_context()) return 1;
  const std::filesystem::path root(folder);
  Dispatcher gpu(options_in(root / "data" / "wisdom.db", root / "cache"));
  gpu.add(noop_bundle());
  const double begin = now_ns();
  const Statistics first = launch_first(gpu, 1, "first launch, the best image missing");
  gpu.wait_for_background();
  print("until the best one serves", since(begin));
  launch_first(gpu, 1, "a launch then");
  const Statistics last = gpu.statistics();
  const bool began_with_another = first.waited == 0 && first.from_cache >= 1 && first.plans[place(Rung::none)] == 1;
  const bool ended_with_best = last.swaps == 1 && last.compiled == 1 && last.plans[place(Rung::exact)] == 1;
  if (began_with_another && ended_with_best) return 0;
  fmt::print("  WRONG: waited {}, from the cache {}, by default {}; then swaps {}, compiled {}, by record {}\n",
             first.waited, first.from_cache, first.plans[place(Rung::none)], last.swaps, last.compiled,
             last.plans[place(Rung::exact)]);
  return 1;
}

}  // namespace attune::bench
