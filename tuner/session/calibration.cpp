#include "session/calibration.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "attune/error.hpp"
#include "attune/version.hpp"
#include "base/unix_ms.hpp"
#include "kernel/roofline.hpp"
#include "measure/statistics.hpp"
#include "session/bench.hpp"
#include "session/calibration_subject.hpp"

namespace attune {
namespace {

constexpr std::uint64_t seed = 1;
constexpr double calibration_warm_up_ms = 100;  // of each kernel before it is timed, so that clocks settle

// Samples of a configuration. A slow one gets fewer (double on some devices, emulated devices).
constexpr int samples_each = 20, least_samples = 5;
constexpr double configuration_ns = 0.25e9;

constexpr int launches_in_batch = 1000;

// Where there is no room for the arrays, smaller ones are tried, down to this many times the cache.
constexpr std::uint64_t least_caches = 2;

// A ceiling that is a rate: that of the best of a kernel's configurations.
struct Rate {
  const char* name;
  const char* kernel;
  const char* type;  // of the problem's T; "": it has none
  const char* unit;
  std::optional<Expression> Metrics::*amount;
  Regime regime;  // a kernel that only computes needs no cold caches
};
constexpr Rate calibrated_rates[] = {{"copy", "copy", "", "B/s", &Metrics::bytes, Regime::cold},
                                     {"read", "read", "", "B/s", &Metrics::bytes, Regime::cold},
                                     {"fma float", "fma", "float", "FLOP/s", &Metrics::flops, Regime::warm},
                                     {"fma double", "fma", "double", "FLOP/s", &Metrics::flops, Regime::warm}};

// A ceiling that is a time: what every sample of this kind includes, whatever is launched.
struct Overhead {
  const char* name;
  TimingPlan plan;
  const char* detail;
};
const Overhead overheads[] = {{"launch", {.count = samples_each, .regime = Regime::warm}, "one block, one store; warm"},
                              {"launch cold",
                               {.count = samples_each, .regime = Regime::cold},
                               "one block, one store; after a flush of the caches"},
                              {"launch in batch",
                               {.count = samples_each, .regime = Regime::warm, .batch = launches_in_batch},
                               "one block, one store; 1000 in a row"}};

class Calibration {
 public:
  Calibration(const CalibrationRequest& request, Pool& pool, const std::atomic<int>& stop)
      : request_(request),
        pool_(pool),
        stop_(stop),
        bench_(pool, 0, request.lock_folder, request.note, silent_, stop),
        device_(bench_.device()) {}

  CalibrationResult run() {
    for (const std::string& user : bench_.opened().users) bench_.watch().see_user(user);
    for (const Rate& rate : calibrated_rates)
      subjects_.push_back(calibration_subject(request_.kernels, rate.kernel, rate.type, device_));
    subjects_.push_back(calibration_subject(request_.kernels, "launch", "", device_));
    compile_all(subjects_, pool_, device_, stop_);
    for (std::size_t i = 0; i < std::size(calibrated_rates) && !stopped(); ++i)
      measure_rate(calibrated_rates[i], subjects_[i]);
    if (!stopped()) measure_overheads(subjects_.back());
    if (stopped()) return {};
    return {std::move(ceilings_), fmt::format("{}", fmt::join(bench_.watch().disturbances(), ", "))};
  }

 private:
  bool stopped() const { return stop_.load() > 0; }

  // Takes smaller arrays where other processes leave no room for these.
  void begin(CalibrationSubject& subject, bool may_shrink) {
    for (;;) {
      try {
        const auto compile = [this](const ImageRequest& request) { return pool_.compile(request); };
        bench_.run(Begin{subject.kernel->setup(subject.configurations.front(), compile, seed)});
        return;
      } catch (const OutOfMemory&) {
        Problem problem = subject.kernel->problem();
        const std::int64_t n = may_shrink ? problem.at("n").integer() / 2 : 0;
        if (static_cast<std::uint64_t>(n) * sizeof(std::uint32_t) < least_caches * device_.l2_bytes || n == 0) throw;
        problem.set("n", n);
        subject.kernel = std::make_unique<const KernelSubject>(subject.kernel->spec(), problem, device_);
      }
    }
  }

  // Loads configuration i, which stays loaded, and warms it up.
  void load(const CalibrationSubject& subject, std::size_t i, double warm_up_ms) {
    const auto instance = subject.kernel->prepare(i, subject.configurations[i]);
    const Result result = bench_.run(Load{instance_launch(*instance, subject.images[i]), {.milliseconds = warm_up_ms}});
    if (const Status& status = std::get<TryAnswer>(result.answer).status; !status.ok()) fail(subject, i, status);
  }

  std::vector<double> sample(const CalibrationSubject& subject, std::size_t i, const TimingPlan& plan) {
    Result result = bench_.run(rounds_of(i, plan.count, {.count = 1, .regime = plan.regime, .batch = plan.batch}));
    auto& sampled = std::get<RoundsAnswer>(result.answer);
    if (!sampled.status.ok()) fail(subject, i, sampled.status);
    return std::move(sampled.samples_ns);
  }

  // Takes as many samples as the configuration's time allows; the first one says how long it takes.
  std::vector<double> sample(const CalibrationSubject& subject, std::size_t i, Regime regime) {
    const double first_ns = sample(subject, i, TimingPlan{.regime = regime}).front();
    const double wanted = std::clamp<double>(configuration_ns / first_ns, least_samples, samples_each);
    return sample(subject, i, TimingPlan{.count = static_cast<int>(wanted), .regime = regime});
  }

  void measure_rate(const Rate& rate, CalibrationSubject& subject) {
    const DeviceLock::Turn turn = bench_.take_turn();
    begin(subject, rate.amount == &Metrics::bytes);
    const double amount = amount_of(subject.kernel->spec().metrics.*rate.amount, subject.kernel->problem(), {}).value();
    double best_ns = 0;
    std::size_t best = 0;
    for (std::size_t i = 0; i < subject.configurations.size() && !stopped(); ++i) {
      load(subject, i, i == 0 ? calibration_warm_up_ms : 0);
      const double median_ns = median(sample(subject, i, rate.regime));
      bench_.release(i);
      if (best_ns > 0 && best_ns <= median_ns) continue;
      best_ns = median_ns;
      best = i;
    }
    if (stopped()) return;
    tell(rate.name, amount / (best_ns * 1e-9), rate.unit,
         fmt::format("{}; {}", subject.configurations[best].text(), subject.kernel->problem().text()));
  }

  void measure_overheads(CalibrationSubject& subject) {
    const DeviceLock::Turn turn = bench_.take_turn();
    begin(subject, false);
    load(subject, 0, calibration_warm_up_ms);
    for (const Overhead& overhead : overheads)
      tell(overhead.name, median(sample(subject, 0, overhead.plan)), "ns", overhead.detail);
  }

  void tell(const char* name, double value, const char* unit, std::string detail) {
    ceilings_.push_back({name, value, unit, std::move(detail), device_.driver, library_version, unix_ms()});
    request_.measured(ceilings_.back());
  }

  [[noreturn]] void fail(const CalibrationSubject& subject, std::size_t i, const Status& status) const {
    fail_calibration(subject, subject.configurations[i], device_, status);
  }

  const CalibrationRequest& request_;
  Pool& pool_;
  const std::atomic<int>& stop_;
  Observer silent_;  // what disturbs the device is told at the end
  Bench bench_;
  const DeviceInfo& device_;
  std::vector<CalibrationSubject> subjects_;  // those of calibrated_rates, then the launch
  std::vector<Ceiling> ceilings_;
};

}  // namespace

CalibrationResult calibrate(const CalibrationRequest& request, Pool& pool, const std::atomic<int>& stop) {
  return Calibration(request, pool, stop).run();
}

}  // namespace attune
