#include "session/calibration.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "attune/error.hpp"
#include "attune/version.hpp"
#include "kernel/roofline.hpp"
#include "core/unix_ms.hpp"
#include "measure/statistics.hpp"
#include "session/calibration_subject.hpp"
#include "worker/device_lock.hpp"

namespace attune {
namespace {

constexpr std::uint64_t kSeed = 1;
constexpr double kWarmUpMs = 100;  // of each kernel before it is timed: clocks settle

// Samples of a configuration: fewer of one that takes long, on a device whose double is slow or that is emulated.
constexpr int kSamples = 20, kLeastSamples = 5;
constexpr double kConfigurationNs = 0.25e9;

constexpr int kLaunchesInBatch = 1000;

// Where there is no room for the arrays, smaller ones, down to so many times the cache.
constexpr std::uint64_t kLeastCaches = 2;

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

class Calibration {
 public:
  Calibration(const CalibrationRequest& request, Workers& workers, const DeviceOpened& device,
              const std::atomic<int>& stop)
      : request_(request),
        workers_(workers),
        device_(device),
        stop_(stop),
        lock_(device.own_clock ? std::filesystem::path() : request.lock_folder, lock_name(device.info)) {}

  Calibrated run() {
    for (const std::string& user : device_.users) note_user(user);
    for (const Rate& rate : kRates)
      subjects_.push_back(calibration_subject(request_.kernels, rate.kernel, rate.type, device_.info));
    subjects_.push_back(calibration_subject(request_.kernels, "launch", "", device_.info));
    compile_all(subjects_, workers_.compiler(), device_.info, stop_);
    for (std::size_t i = 0; i < std::size(kRates) && !stopped(); ++i) measure_rate(kRates[i], subjects_[i]);
    if (!stopped()) measure_overheads(subjects_.back());
    if (stopped()) return {};
    return {std::move(ceilings_), fmt::format("{}", fmt::join(disturbances_, ", "))};
  }

 private:
  bool stopped() const { return stop_.load() > 0; }

  // With smaller arrays where others leave no room for these.
  TrialWorker worker_for(CalibrationSubject& subject, bool may_shrink) {
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

  TrialWorker::CandidateId load(TrialWorker& worker, const CalibrationSubject& subject, std::size_t i) const {
    const TrialWorker::Checked checked = worker.check(subject.configurations[i], subject.images[i]);
    if (!checked.candidate) fail(subject, i, checked.status);
    return *checked.candidate;
  }

  std::vector<double> sample(TrialWorker& worker, const CalibrationSubject& subject, std::size_t i,
                             TrialWorker::CandidateId candidate, const SamplePlan& plan) const {
    Samples samples = worker.sample(candidate, plan);
    if (!samples.status.ok()) fail(subject, i, samples.status);
    return std::move(samples.nanoseconds);
  }

  // As many as its time allows; the first one says how long it takes.
  std::vector<double> sample(TrialWorker& worker, const CalibrationSubject& subject, std::size_t i,
                             TrialWorker::CandidateId candidate, Regime regime) const {
    const double first_ns = sample(worker, subject, i, candidate, SamplePlan{.regime = regime}).front();
    const double wanted = std::clamp<double>(kConfigurationNs / first_ns, kLeastSamples, kSamples);
    return sample(worker, subject, i, candidate, SamplePlan{.count = static_cast<int>(wanted), .regime = regime});
  }

  void measure_rate(const Rate& rate, CalibrationSubject& subject) {
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
    note_watched(worker);
    tell(rate.name, amount / (best_ns * 1e-9), rate.unit,
         fmt::format("{}; {}", subject.configurations[best].text(), subject.problem.text()));
  }

  void measure_overheads(CalibrationSubject& subject) {
    const DeviceLock::Turn turn(lock_, stop_);
    TrialWorker worker = worker_for(subject, false);
    const TrialWorker::CandidateId candidate = load(worker, subject, 0);
    warm_up(worker, subject, candidate);
    for (const Overhead& overhead : kOverheads)
      tell(overhead.name, median(sample(worker, subject, 0, candidate, overhead.plan)), "ns", overhead.detail);
    note_watched(worker);
  }

  void note_watched(TrialWorker& worker) {
    const Watched watched = worker.take_watched();
    for (const std::string& user : watched.users) note_user(user);
    for (const DeviceState& state : watched.states)
      if (hardware_throttled(state)) disturbances_.insert(throttle_text(*state.throttle));
  }

  void note_user(const std::string& user) {
    if (request_.lock_folder.empty() || !takes_turns(user)) disturbances_.insert(user);
  }

  void warm_up(TrialWorker& worker, const CalibrationSubject& subject, TrialWorker::CandidateId candidate) const {
    if (const Status status = worker.warm_up(candidate, {.milliseconds = kWarmUpMs}); !status.ok())
      fail(subject, 0, status);
  }

  void tell(const char* name, double value, const char* unit, std::string detail) {
    ceilings_.push_back({name, value, unit, std::move(detail), device_.info.driver, kVersion, unix_ms()});
    request_.measured(ceilings_.back());
  }

  [[noreturn]] void fail(const CalibrationSubject& subject, std::size_t i, const Status& status) const {
    fail_calibration(subject, subject.configurations[i], device_.info, status);
  }

  const CalibrationRequest& request_;
  Workers& workers_;
  const DeviceOpened& device_;
  const std::atomic<int>& stop_;
  DeviceLock lock_;
  std::vector<CalibrationSubject> subjects_;  // of kRates, then the launch
  std::vector<Ceiling> ceilings_;
  std::set<std::string> disturbances_;
};

}  // namespace

Calibrated calibrate(const CalibrationRequest& request, Workers& workers, const DeviceOpened& device,
                     const std::atomic<int>& stop) {
  return Calibration(request, workers, device, stop).run();
}

}  // namespace attune
