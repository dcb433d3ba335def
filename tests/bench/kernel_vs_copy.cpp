// Default and tuned configuration of a kernel against a device-to-device copy of as many bytes, interleaved in one run.
//   kernel_vs_copy KERNEL "PROBLEM" [ROUNDS]
// Reads the record from the user's database; prints one line of a Markdown table. The copy moves metrics.bytes in all
// (half read, half written), so that equal rates are equal times.
#include <fmt/format.h>

#include <algorithm>
#include <random>

#include "attune/search_space.hpp"
#include "kernel/problem.hpp"
#include "db/paths.hpp"
#include "db/wisdom_store.hpp"
#include "device/memory.hpp"
#include "measure/statistics.hpp"
#include "spec/kernel_file.hpp"
#include "worker/trial_worker.hpp"

namespace attune {
namespace {

TrialWorker::CandidateId prepare(TrialWorker& worker, Device& device, const KernelSpec& spec, const Problem& problem,
                                 const Configuration& configuration) {
  const ImageRequest request = image_request(spec, spec.launch, problem, &configuration, device.info());
  const CompileOutcome outcome = device.compiler()->compile(std::span(&request, 1)).front();
  if (!outcome.image) throw Error(configuration.text() + " does not compile:\n" + outcome.log);
  const TrialWorker::Checked checked = worker.check(configuration, *outcome.image);
  if (!checked.candidate) throw Error(configuration.text() + ": " + checked.status.detail);
  return *checked.candidate;
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
  const Configuration by_default = default_configuration(spec, space).value();
  const double bytes = spec.metrics.bytes.value().real({&problem, nullptr, &device->info()}, "bytes");

  TrialWorker worker(*device, *device->compiler(), spec, problem, by_default, 1);
  const TrialWorker::CandidateId candidates[] = {prepare(worker, *device, spec, problem, by_default),
                                                 prepare(worker, *device, spec, problem, record->configuration)};
  const auto half = static_cast<std::size_t>(bytes / 2);
  DeviceMemory source(*device, half), target(*device, half);
  device->generate(source.data(), "uint8", half, Fill{.full_range = true}, 1);
  Operation copy;
  copy.kind = Operation::Kind::copy;
  copy.target = target.data();
  copy.source = source.data();
  copy.bytes = half;

  worker.warm_up(candidates[0], {.milliseconds = 300});
  std::vector<double> times[3];
  std::mt19937_64 random(1);
  std::vector<int> order{0, 1, 2};
  for (int round = 0; round < rounds; ++round) {
    std::shuffle(order.begin(), order.end(), random);
    for (const int i : order) {
      const Sample sample = i == 2 ? device->sample({}, std::span(&copy, 1), true) : worker.sample(candidates[i]);
      if (!sample.status.ok()) throw Error(sample.status.detail);
      times[i].push_back(sample.nanoseconds);
    }
  }
  const double by_default_ns = median(times[0]), best_ns = median(times[1]), copy_ns = median(times[2]);
  fmt::print("| {} {} | {:.1f} us, {:.0f} GB/s | {:.1f} us, {:.0f} GB/s | {:.2f}x | {:.0f} GB/s | {:.3f} | {} |\n",
             kernel, problem.text(), by_default_ns / 1e3, bytes / by_default_ns, best_ns / 1e3, bytes / best_ns,
             by_default_ns / best_ns, bytes / copy_ns, copy_ns / best_ns, record->configuration.text());
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
