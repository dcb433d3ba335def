#include "session/calibration_subject.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "attune/error.hpp"
#include "attune/search_space.hpp"
#include "base/usable_processors.hpp"
#include "kernel/problem.hpp"
#include "session/image_source.hpp"

namespace attune {
namespace {

// Arrays are this many times the L2 cache, so that what the cache still holds does not count. They have at least
// least_bytes, even if the cache is unknown.
constexpr std::uint64_t caches_per_array = 16, least_bytes = 64 << 20;
constexpr std::uint64_t arrays_per_memory = 16;

// How many points of the computing kernel there are for each thread that the device holds at a time. This is a multiple
// of what a thread takes in any configuration, so that all multiprocessors have equally much to do.
constexpr std::int64_t points_per_thread = 8;

std::int64_t elements(const KernelSpec& spec, const DeviceInfo& device) {
  if (spec.metrics.flops) return points_per_thread * device.multiprocessors * device.max_threads_per_multiprocessor;
  return static_cast<std::int64_t>(calibration_bytes(device) / sizeof(std::uint32_t));
}

}  // namespace

std::uint64_t calibration_bytes(const DeviceInfo& device) {
  const std::uint64_t wanted = std::bit_ceil(std::max(caches_per_array * device.l2_bytes, least_bytes));
  return std::min(wanted, std::bit_floor(std::max<std::uint64_t>(device.memory_bytes / arrays_per_memory, 1 << 20)));
}

CalibrationSubject calibration_subject(std::span<const KernelSpec> kernels, std::string_view kernel,
                                       std::string_view type, const DeviceInfo& device) {
  const auto found =
      std::find_if(kernels.begin(), kernels.end(), [kernel](const KernelSpec& spec) { return spec.name == kernel; });
  if (found == kernels.end()) throw Error(fmt::format("no calibration kernel `{}` was given", kernel));
  Bindings wanted;
  if (!type.empty()) wanted.set("T", Value(std::string(type)));
  // On the host device the sizes are those of the kernel file, because the emulation that is measured there is slow.
  if (device.kind != "host" && found->name != "launch") wanted.set("n", elements(*found, device));
  CalibrationSubject subject{
      std::make_unique<const KernelSubject>(*found, make_problem(*found, wanted, device.kind), device), {}, {}};
  const SearchSpace& space = subject.kernel->space();
  for (SpaceSize i = 0; i < space.size(); ++i) subject.configurations.push_back(space.at(i));
  subject.images.resize(subject.configurations.size());
  return subject;
}

void compile_all(std::span<CalibrationSubject> subjects, Pool& pool, const DeviceInfo& device,
                 const std::atomic<int>& stop) {
  pool.set_compilers(static_cast<unsigned>(usable_processors()));
  ImageSource source(pool);
  std::vector<std::pair<CalibrationSubject*, std::size_t>> asked;  // by instance id
  for (CalibrationSubject& subject : subjects) {
    for (std::size_t i = 0; i < subject.configurations.size(); ++i) {
      source.ask(subject.kernel->prepare(asked.size(), subject.configurations[i]));
      asked.emplace_back(&subject, i);
    }
  }
  source.take_all(stop, [&](CompiledInstance compiled) {
    const auto& [subject, i] = asked[compiled.instance->id];
    CompileOutcome& outcome = compiled.outcome;
    if (!outcome.image)
      fail_calibration(*subject, subject->configurations[i], device, {outcome.verdict, outcome.log, false});
    subject->images[i] = std::move(*outcome.image);
  });
}

void fail_calibration(const CalibrationSubject& subject, const Configuration& configuration, const DeviceInfo& device,
                      const Status& status) {
  const std::string chosen = configuration.empty() ? "" : ", configuration " + configuration.text();
  throw Error(fmt::format("the calibration kernel {}{} fails on {} ({}): {}", subject.kernel->name(), chosen,
                          device.name, to_text(status.verdict), status.detail));
}

}  // namespace attune
