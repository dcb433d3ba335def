// Default and tuned configuration of a kernel against a device-to-device copy of as many bytes, interleaved in one run.
//   kernel_vs_copy KERNEL "PROBLEM" [ROUNDS]
// Reads the record from the user's database; prints one line of a Markdown table. The copy moves metrics.bytes in all
// (half read, half written), so that equal rates are equal times.
#include <fmt/format.h>

#include <algorithm>
#include <random>

#include "attune/search_space.hpp"
#include "db/paths.hpp"
#include "db/wisdom_store.hpp"
#include "device/memory.hpp"
#include "kernel/problem.hpp"
#include "measure/statistics.hpp"
#include "spec/kernel_file.hpp"
#include "support/on_device.hpp"

namespace attune {
namespace {

constexpr double calibration_warm_up_ms = 300;

void load(test::OnDevice& problem_on, InstanceId id, const Configuration& configuration) {
  const Status status = problem_on.load(id, configuration);
  if (!status.ok()) throw Error(configuration.text() + ": " + status.detail);
}

double nanoseconds_of(const DeviceTimes& samples) {
  if (!samples.status.ok()) throw Error(samples.status.detail);
  return samples.nanoseconds.front();
}

std::optional<Record> record_of(const KernelSpec& spec, const Problem& problem, const DeviceInfo& device) {
  WisdomStore store(default_database_path(), WisdomStore::Access::read_only);
  RecordKey key;
  key.kernel = spec.name;
  key.code = spec.fingerprints.code;
  key.contract = spec.fingerprints.contract;
  key.device_class = device.class_key();
  key.problem = problem;
  return store.find_record(key);
}

void run(const std::string& kernel, const std::string& text, int rounds) {
  const std::unique_ptr<Device> device = open_device("cuda");
  const KernelSpec spec = load_kernel(kernel);
  const Problem problem = parse_problem(spec, text, "cuda");
  const std::optional<Record> record = record_of(spec, problem, device->info());
  if (!record) throw Error("no record of " + kernel + " for " + problem.text() + "; tune it first");
  const SearchSpace space = make_space(spec, problem, device->info());
  const Configuration default_configuration = attune::default_configuration(spec, space).value();
  const double bytes = spec.metrics.bytes.value().real({&problem, nullptr, &device->info()}, "bytes");

  test::OnDevice problem_on(*device, spec, problem, default_configuration);
  load(problem_on, 0, default_configuration);
  load(problem_on, 1, record->configuration);
  const auto half = static_cast<std::size_t>(bytes / 2);
  DeviceMemory source(*device, half), target(*device, half);
  device->generate(source.data(), "uint8", half, Fill{.full_range = true}, 1);
  Operation copy;
  copy.kind = Operation::Kind::copy;
  copy.target = target.data();
  copy.source = source.data();
  copy.bytes = half;

  const Status warmed_up = problem_on.on_device.warm_up(0, calibration_warm_up_ms);
  if (!warmed_up.ok()) throw Error(warmed_up.detail);
  std::vector<double> times[3];
  std::mt19937_64 random(1);
  std::vector<std::size_t> order{0, 1, 2};
  for (int round = 0; round < rounds; ++round) {
    std::shuffle(order.begin(), order.end(), random);
    for (const std::size_t i : order) {
      const std::span<const Operation> copied(&copy, 1);
      times[i].push_back(nanoseconds_of(i == 2 ? device->take_samples({{}, {&copied, 1}, Regime::cold})
                                               : problem_on.on_device.sample(i, TimingPlan{})));
    }
  }
  const double default_ns = median(times[0]), best_ns = median(times[1]), copy_ns = median(times[2]);
  fmt::print("| {} {} | {:.1f} us, {:.0f} GB/s | {:.1f} us, {:.0f} GB/s | {:.2f}x | {:.0f} GB/s | {:.3f} | {} |\n",
             kernel, problem.text(), default_ns / 1e3, bytes / default_ns, best_ns / 1e3, bytes / best_ns,
             default_ns / best_ns, bytes / copy_ns, copy_ns / best_ns, record->configuration.text());
}

}  // namespace
}  // namespace attune

int main(int count, char** values) {
  if (count < 3) {
    fmt::print(stderr, "usage: kernel_vs_copy KERNEL \"PROBLEM\" [ROUNDS]\n");
    return 2;
  }
  try {
    attune::run(values[1], values[2], count > 3 ? std::atoi(values[3]) : 50);
  } catch (const std::exception& error) {
    fmt::print(stderr, "kernel_vs_copy: {}\n", error.what());
    return 1;
  }
}
