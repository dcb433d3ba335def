#include "faults/faulty_testbed.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <utility>

#include "device/cuda/cuda_status.hpp"
#include "faults/fault_log.hpp"
#include "faults/fault_script.hpp"
#include "worker/sampling_loops.hpp"

namespace attune::test {
namespace {

constexpr double clock_mhz = 2000;
constexpr double energy_step_j = 5;  // of the counter

const cuda::DriverApi no_names;  // a driver that names no errors: the numbers must do

struct TriedLaunch {
  std::string configuration = "reference";
  int attempt = 1;
};

// Returns " bench-2" on the second of several benches of a recording, else "".
std::string bench_word(const DeviceInfo& device) { return device.uuid.starts_with("bench-") ? " " + device.uuid : ""; }

// Returns the file that says that the device of a bench has vanished.
std::string gone_file(const std::string& script, const std::string& bench) {
  return script + ".gone" + (bench.empty() ? "" : "." + bench.substr(1));
}

// What goes wrong, and what has: of all problems of one worker.
class Faults {
 public:
  Faults(const std::string& script, const DeviceInfo& device)
      : file_(script),
        bench_(bench_word(device)),
        script_(script),
        log_(script + ".log"),
        worker_(log_.count("worker device")) {}

  const FaultScript& script() const { return script_; }
  const FaultLog& log() const { return log_; }
  std::optional<Fault> at(Phase phase, const TriedLaunch& tried, int samples = 0) const {
    return script_.find(phase, tried.configuration + bench_, tried.attempt, worker_, samples);
  }
  Status strike_by(const std::optional<Fault>& fault) {
    if (Status status = poisoned(); !status.ok()) return status;
    if (!fault) return {};
    strike(*fault);
    if (fault->kind == "leak") leaked_ += static_cast<std::uint64_t>(fault->argument * 1024 * 1024);
    if (fault->kind == "later") later_ = fault->number();
    if (fault->kind == "far") wrote_far_ = true;
    if (fault->kind == "vanish") std::ofstream(gone_file(file_, bench_)) << "gone";
    if (fault->kind == "alone") be_alone(fault->argument);
    const int number = fault->kind == "vanish" ? cuda::result_no_device : fault->kind == "error" ? fault->number() : 0;
    Status status = cuda::status_of(no_names, number, "the call");
    if (status.sticky) poison_ = number;
    return status;
  }
  // Of a launch, and of the wait for its end.
  Status strike_launch(const TriedLaunch& tried) {
    if (Status status = strike_by(at(Phase::launch, tried)); !status.ok()) return status;
    if (later_ != 0) poison_ = std::exchange(later_, 0);
    return strike_by(at(Phase::synchronize, tried));
  }
  void require() const { cuda::check(no_names, poison_, "a call"); }
  bool takes_far_write() { return std::exchange(wrote_far_, false); }
  std::uint64_t leaked() const { return leaked_; }
  int& samples_taken(const std::string& configuration) { return samples_taken_[configuration]; }

  std::atomic<double> dropped = 0;  // share of the clock, since the last reading
  std::atomic<double> energy_j = 0;

 private:
  Status poisoned() const { return poison_ == 0 ? Status{} : cuda::status_of(no_names, poison_, "the next call"); }
  void be_alone(double milliseconds) const {
    const std::filesystem::path busy = file_ + ".busy";
    const bool first = std::filesystem::create_directory(busy);
    if (!first) log_.add("together");
    strike({"sleep", milliseconds});
    if (first) std::filesystem::remove(busy);
  }

  const std::string file_, bench_;
  const FaultScript script_;
  const FaultLog log_;
  const int worker_;
  cuda::DriverResult poison_ = 0, later_ = 0;
  bool wrote_far_ = false;
  std::map<std::string, int> samples_taken_;  // by configuration
  std::uint64_t leaked_ = 0;
};

class FaultyInstruments final : public Instruments {
 public:
  FaultyInstruments(Instruments& instruments, Faults& faults) : instruments_(instruments), faults_(faults) {}
  double seconds() const override { return instruments_.seconds(); }
  bool has_own_clock() const noexcept override { return instruments_.has_own_clock(); }
  std::vector<std::string> other_users() override {
    std::vector<std::string> users = instruments_.other_users();
    const std::optional<Fault> user = faults_.at(Phase::state, {});
    if (user && user->kind == "user") users.push_back("python3 (" + std::to_string(user->number()) + ")");
    return users;
  }
  DeviceState state() override {
    DeviceState state = instruments_.state();
    if (faults_.script().has("drop")) {
      const double dropped = faults_.dropped.exchange(0);
      state.sm_clock_mhz = clock_mhz * (1 - dropped);
      state.throttle = dropped > 0 ? std::uint32_t{throttle_hardware_thermal} : 0;
    }
    if (faults_.script().has("energy")) state.energy_j = energy_step_j * std::floor(faults_.energy_j / energy_step_j);
    return state;
  }

 private:
  Instruments& instruments_;
  Faults& faults_;
};

class FaultyRunner final : public Runner {
 public:
  FaultyRunner(std::unique_ptr<Runner> runner, Faults& faults) : runner_(std::move(runner)), faults_(faults) {}

  Status load(const InstanceLaunch& launch) override {
    Holding& made = loaded_[launch.instance] = {{launch.configuration, launch.attempt}};
    faults_.log().add("try " + text_of(made.tried));
    const int samples = faults_.samples_taken(launch.configuration);
    if (Status status = faults_.strike_by(faults_.at(Phase::load, made.tried, samples)); !status.ok()) return status;
    return runner_->load(launch);
  }
  Status check(InstanceId instance, Numerics& numerics) override {
    Status status = strike_launch(instance);
    if (status.ok()) return runner_->check(instance, numerics);
    release(instance);
    return status;
  }
  Status check_again(InstanceId instance, Numerics& numerics) override {
    Status status = strike_launch(instance);
    return status.ok() ? runner_->check_again(instance, numerics) : status;
  }
  bool has_scratch(InstanceId instance) override { return runner_->has_scratch(instance); }
  Status repeat(InstanceId instance, std::optional<bool>& deterministic) override {
    Status status = strike_launch(instance);
    return status.ok() ? runner_->repeat(instance, deterministic) : status;
  }
  Status warm_up(InstanceId instance, double milliseconds) override {
    Status status = strike_launch(instance);
    return status.ok() ? runner_->warm_up(instance, milliseconds) : status;
  }

  DeviceTimes sample(InstanceId instance, const TimingPlan& plan) override {
    return sample_by_plan(plan, 1, [&](int count, int) {
      TimingPlan some = plan;
      some.count = some.most = count;
      some.stop_above_ns = 0;
      return take(instance, count, [&] { return runner_->sample(instance, some); });
    });
  }
  DeviceTimes sample_in_turn(std::span<const InstanceId> slots, const TimingPlan& plan) override {
    DeviceTimes samples;
    for (std::size_t i = 0; i < slots.size() && samples.status.ok(); ++i) {
      const auto one = [&] { return runner_->sample_in_turn(slots.subspan(i, 1), plan); };
      append(slots[i] == device_copy ? one() : take(slots[i], 1, one), samples);
    }
    return samples;
  }
  Status launch_for(InstanceId instance, const TimingPlan& plan, double seconds,
                    const std::function<void(const LaunchCount&)>& tell) override {
    const TriedLaunch& tried = loaded_.at(instance).tried;
    const std::optional<Fault> watts = faults_.at(Phase::state, tried);
    Status status;
    std::optional<double> before;
    const auto tell_more = [&](const LaunchCount& launched) {
      if (before && watts && watts->kind == "energy")
        faults_.energy_j = faults_.energy_j + watts->argument * (launched.seconds - *before);
      if (before && status.ok())
        status = faults_.strike_by(faults_.at(Phase::sample, tried, ++faults_.samples_taken(tried.configuration)));
      before = launched.seconds;
      tell(launched);
    };
    Status done = runner_->launch_for(instance, plan, seconds, tell_more);
    return status.ok() ? done : status;
  }

  Status check_own() override {
    faults_.require();
    if (faults_.takes_far_write()) return {Verdict::guard, "wrote far outside its arrays, as the test says", true};
    return runner_->check_own();
  }
  void release(InstanceId instance) override { runner_->release(instance); }
  std::uint64_t free_bytes() override {
    faults_.require();
    constexpr std::uint64_t all = std::uint64_t{1} << 30;
    return faults_.script().has("leak") ? all - std::min(all, faults_.leaked()) : runner_->free_bytes();
  }

 private:
  struct Holding {
    TriedLaunch tried;
    bool is_launched = false;
  };
  static std::string text_of(const TriedLaunch& tried) {
    return std::to_string(tried.attempt) + " " + tried.configuration;
  }

  Status strike_launch(InstanceId instance) {
    Holding& launched = loaded_.at(instance);
    if (!std::exchange(launched.is_launched, true)) faults_.log().add("launch " + text_of(launched.tried));
    return faults_.strike_launch(launched.tried);
  }

  DeviceTimes take(InstanceId instance, int count, const std::function<DeviceTimes()>& take_samples) {
    const TriedLaunch& tried = loaded_.at(instance).tried;
    const std::optional<Fault> fault =
        faults_.at(Phase::sample, tried, faults_.samples_taken(tried.configuration) += count);
    if (fault && fault->kind == "time")
      return {{}, std::vector<double>(static_cast<std::size_t>(count), fault->argument)};
    if (Status status = faults_.strike_by(fault); !status.ok()) return {status, {}};
    DeviceTimes samples = take_samples();
    const bool drops = fault && fault->kind == "drop";
    const double slower = drops || (fault && fault->kind == "slow") ? fault->argument / 100 : 0;
    if (drops) faults_.dropped = slower;
    for (double& nanoseconds : samples.nanoseconds) nanoseconds /= 1 - slower;
    return samples;
  }

  const std::unique_ptr<Runner> runner_;
  Faults& faults_;
  std::map<InstanceId, Holding> loaded_;
};

class FaultyTestbed final : public Testbed {
 public:
  FaultyTestbed(std::unique_ptr<Testbed> testbed, const std::string& script)
      : testbed_(std::move(testbed)),
        faults_(script, testbed_->info()),
        instruments_(testbed_->instruments(), faults_) {}
  const DeviceInfo& info() const noexcept override { return testbed_->info(); }
  Instruments& instruments() noexcept override { return instruments_; }
  std::unique_ptr<Runner> begin(const TrialSetup& setup, const std::function<void()>& reference_begins) override {
    const auto begins = [&] {
      if (reference_begins) reference_begins();
      const Status status = faults_.strike_launch({});
      if (!status.ok()) throw StepsFailure("[[reference]] fails: " + status.detail, status.verdict);
    };
    return std::make_unique<FaultyRunner>(testbed_->begin(setup, begins), faults_);
  }

 private:
  const std::unique_ptr<Testbed> testbed_;
  Faults faults_;
  FaultyInstruments instruments_;
};

}  // namespace

std::unique_ptr<Testbed> make_faulty_testbed(std::unique_ptr<Testbed> testbed, const std::string& script) {
  if (std::filesystem::exists(gone_file(script, bench_word(testbed->info()))))
    throw Error(cuda::explain_driver_failure(no_names, cuda::result_no_device));
  return std::make_unique<FaultyTestbed>(std::move(testbed), script);
}

}  // namespace attune::test
