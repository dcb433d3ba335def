#include "session/calibration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <thread>

#include "attune/error.hpp"
#include "attune/search_space.hpp"
#include "attune/version.hpp"
#include "core/bound.hpp"
#include "core/instantiate.hpp"
#include "core/problem.hpp"
#include "core/unix_ms.hpp"
#include "measure/statistics.hpp"
#include "session/image_source.hpp"
#include "worker/device_lock.hpp"

namespace attune {
namespace {

constexpr std::uint64_t kSeed = 1;
constexpr double kWarmUpMs = 100;  // of each kernel before it is timed: clocks settle

// Samples of a configuration: fewer of one that takes long, on a device whose double is slow or that is emulated.
constexpr int kSamples = 20, kLeastSamples = 5;
constexpr double kConfigurationNs = 0.25e9;

constexpr int kLaunchesInBatch = 1000;

// Arrays: so many times the L2 cache that what is found there does not count; where there is no room for that, smaller
// ones, down to twice the cache. Without a known cache, no less than this.
constexpr std::uint64_t kCachesPerArray = 16, kLeastCaches = 2, kLeastBytes = 64 << 20;
constexpr std::uint64_t kArraysPerMemory = 16;

// Points of the kernel that computes, for each thread that the device holds at a time: a multiple of what a thread
// takes in any configuration, so that no multiprocessor has more to do than another.
constexpr std::int64_t kPointsPerThread = 8;

// A ceiling that is a rate: the best of a kernel's configurations.
struct Rate {
  const char* name;
  const char* kernel;
  const char* type;  // of the problem's T; "": it has none
  const char* unit;
  std::optional<Expression> Metrics::*amount;
  Regime regime;  // what only computes needs no empty caches
};
constexpr Rate kRates[] = {{"copy", "copy", "", "B/s", &Metrics::bytes, Regime::cold},
                           {"read", "read", "", "B/s", &Metrics::bytes, Regime::cold},
                           {"fma float", "fma", "float", "FLOP/s", &Metrics::flops, Regime::warm},
                           {"fma double", "fma", "double", "FLOP/s", &Metrics::flops, Regime::warm}};

// A ceiling that is a time: what every sample of that kind holds, whatever is launched.
struct Overhead {
  const char* name;
  SamplePlan plan;
  const char* detail;
};
const Overhead kOverheads[] = {
    {"launch", {.count = kSamples, .regime = Regime::warm}, "one block, one store; warm"},
    {"launch cold", {.count = kSamples, .regime = Regime::cold}, "one block, one store; behind a flush of the caches"},
    {"launch in batch",
     {.count = kSamples, .regime = Regime::warm, .batch = kLaunchesInBatch},
     "one block, one store; 1000 in a row"}};

// A kernel for a problem, and its configurations with their images.
struct Subject {
  const KernelSpec* spec;
  Problem problem;
  std::vector<Configuration> configurations;
  std::vector<Image> images;
};

class Calibration {
 public:
  Calibration(const CalibrationRequest& request, Workers& workers, const DeviceOpened& device,
              const std::atomic<int>& stop)
      : request_(request),
        workers_(workers),
        device_(device),
        stop_(stop),
        lock_(device.own_clock ? std::filesystem::path() : request.lock_folder, lock_name(device.info)) {}

  std::vector<Ceiling> run() {
    for (const Rate& rate : kRates) subjects_.push_back(subject(rate.kernel, rate.type));
    subjects_.push_back(subject("launch", ""));
    compile();
    for (std::size_t i = 0; i < std::size(kRates) && !stopped(); ++i) measure_rate(kRates[i], subjects_[i]);
    if (!stopped()) measure_overheads(subjects_.back());
    return stopped() ? std::vector<Ceiling>() : std::move(ceilings_);
  }

 private:
  bool stopped() const { return stop_.load() > 0; }

  Subject subject(std::string_view kernel, const char* type) const {
    const auto found = std::find_if(request_.kernels.begin(), request_.kernels.end(),
                                    [kernel](const KernelSpec& spec) { return spec.name == kernel; });
    if (found == request_.kernels.end()) throw Error(fmt::format("no calibration kernel `{}` was given", kernel));
    Bindings wanted;
    if (*type != '\0') wanted.set("T", Value(type));
    // The host's sizes are those of the kernel file: what is measured there is its emulation, and slow.
    if (device_.info.kind != "host" && found->name != "launch") wanted.set("n", elements(*found));
    Subject made{&*found, make_problem(*found, wanted, device_.info.kind), {}, {}};
    const SearchSpace space = make_space(*found, made.problem, device_.info);
    for (SpaceSize i = 0; i < space.size(); ++i) made.configurations.push_back(space.at(i));
    made.images.resize(made.configurations.size());
    return made;
  }

  std::int64_t elements(const KernelSpec& spec) const {
    if (spec.metrics.flops)
      return kPointsPerThread * device_.info.multiprocessors * device_.info.max_threads_per_multiprocessor;
    return static_cast<std::int64_t>(calibration_bytes(device_.info) / sizeof(std::uint32_t));
  }

  // All of them ahead: nothing compiles while something is timed.
  void compile() {
    ImageSource source(workers_.compiler(), std::max(1u, std::thread::hardware_concurrency()));
    std::vector<std::pair<Subject*, std::size_t>> asked;
    for (Subject& subject : subjects_) {
      for (std::size_t i = 0; i < subject.configurations.size(); ++i) {
        source.ask(asked.size(), image_request(*subject.spec, subject.spec->launch, subject.problem,
                                               &subject.configurations[i], device_.info));
        asked.emplace_back(&subject, i);
      }
    }
    while (source.outstanding() > 0) {
      std::optional<CompileResult> result = source.next(stop_);
      if (!result) return;
      const auto& [subject, i] = asked[result->id];
      if (!result->outcome.image)
        fail(*subject, subject->configurations[i], {result->outcome.verdict, result->outcome.log, false});
      subject->images[i] = std::move(*result->outcome.image);
    }
  }

  // With smaller arrays where others leave no room for these.
  TrialWorker worker_for(Subject& subject, bool may_shrink) {
    for (;;) {
      try {
        return TrialWorker(workers_.device(), device_, *workers_.compiler(), *subject.spec, subject.problem,
                           subject.configurations.front(), kSeed);
      } catch (const OutOfMemory&) {
        const std::int64_t n = may_shrink ? subject.problem.at("n").integer() / 2 : 0;
        if (static_cast<std::uint64_t>(n) * sizeof(std::uint32_t) < kLeastCaches * device_.info.l2_bytes || n == 0)
          throw;
        subject.problem.set("n", n);
      }
    }
  }

  TrialWorker::CandidateId load(TrialWorker& worker, const Subject& subject, std::size_t i) const {
    const TrialWorker::Checked checked = worker.check(subject.configurations[i], subject.images[i]);
    if (!checked.candidate) fail(subject, subject.configurations[i], checked.status);
    return *checked.candidate;
  }

  std::vector<double> sample(TrialWorker& worker, const Subject& subject, std::size_t i,
                             TrialWorker::CandidateId candidate, const SamplePlan& plan) const {
    Samples samples = worker.sample(candidate, plan);
    if (!samples.status.ok()) fail(subject, subject.configurations[i], samples.status);
    return std::move(samples.nanoseconds);
  }

  // As many as its time allows; the first one says how long it takes.
  std::vector<double> sample(TrialWorker& worker, const Subject& subject, std::size_t i,
                             TrialWorker::CandidateId candidate, Regime regime) const {
    const double first_ns = sample(worker, subject, i, candidate, SamplePlan{.regime = regime}).front();
    const double wanted = std::clamp<double>(kConfigurationNs / first_ns, kLeastSamples, kSamples);
    return sample(worker, subject, i, candidate, SamplePlan{.count = static_cast<int>(wanted), .regime = regime});
  }

  void measure_rate(const Rate& rate, Subject& subject) {
    const DeviceLock::Turn turn(lock_, stop_);
    TrialWorker worker = worker_for(subject, rate.amount == &Metrics::bytes);
    const double amount = amount_of(subject.spec->metrics.*rate.amount, subject.problem).value();
    double best_ns = 0;
    std::size_t best = 0;
    for (std::size_t i = 0; i < subject.configurations.size() && !stopped(); ++i) {
      const TrialWorker::CandidateId candidate = load(worker, subject, i);
      if (i == 0) warm_up(worker, subject, candidate);
      const double median_ns = median(sample(worker, subject, i, candidate, rate.regime));
      worker.release(candidate);
      if (best_ns > 0 && best_ns <= median_ns) continue;
      best_ns = median_ns;
      best = i;
    }
    if (stopped()) return;
    tell(rate.name, amount / (best_ns * 1e-9), rate.unit,
         fmt::format("{}; {}", subject.configurations[best].text(), subject.problem.text()));
  }

  void measure_overheads(Subject& subject) {
    const DeviceLock::Turn turn(lock_, stop_);
    TrialWorker worker = worker_for(subject, false);
    const TrialWorker::CandidateId candidate = load(worker, subject, 0);
    warm_up(worker, subject, candidate);
    for (const Overhead& overhead : kOverheads)
      tell(overhead.name, median(sample(worker, subject, 0, candidate, overhead.plan)), "ns", overhead.detail);
  }

  void warm_up(TrialWorker& worker, const Subject& subject, TrialWorker::CandidateId candidate) const {
    if (const Status status = worker.warm_up(candidate, {.milliseconds = kWarmUpMs}); !status.ok())
      fail(subject, subject.configurations.front(), status);
  }

  void tell(const char* name, double value, const char* unit, std::string detail) {
    ceilings_.push_back({name, value, unit, std::move(detail), device_.info.driver, kVersion, unix_ms()});
    request_.measured(ceilings_.back());
  }

  [[noreturn]] void fail(const Subject& subject, const Configuration& configuration, const Status& status) const {
    const std::string chosen = configuration.empty() ? "" : ", configuration " + configuration.text();
    throw Error(fmt::format("the calibration kernel {}{} fails on {} ({}): {}", subject.spec->name, chosen,
                            device_.info.name, to_text(status.verdict), status.detail));
  }

  const CalibrationRequest& request_;
  Workers& workers_;
  const DeviceOpened& device_;
  const std::atomic<int>& stop_;
  DeviceLock lock_;
  std::vector<Subject> subjects_;  // of kRates, then the launch
  std::vector<Ceiling> ceilings_;
};

}  // namespace

std::uint64_t calibration_bytes(const DeviceInfo& device) {
  const std::uint64_t wanted = std::bit_ceil(std::max(kCachesPerArray * device.l2_bytes, kLeastBytes));
  return std::min(wanted, std::bit_floor(std::max<std::uint64_t>(device.memory_bytes / kArraysPerMemory, 1 << 20)));
}

std::vector<Ceiling> calibrate(const CalibrationRequest& request, Workers& workers, const DeviceOpened& device,
                               const std::atomic<int>& stop) {
  return Calibration(request, workers, device, stop).run();
}

}  // namespace attune
