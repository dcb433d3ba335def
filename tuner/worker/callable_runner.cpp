#include "worker/callable_runner.hpp"

#include <fmt/format.h>

#include <cmath>
#include <new>

#include "attune/error.hpp"
#include "worker/callable_spec.hpp"
#include "worker/plain_runner.hpp"

namespace attune {
namespace {

// Makes what the work throws a status of its configuration.
template <typename Call>
Status status_of_call(Call call) try {
  return call();
} catch (const std::bad_alloc&) {
  return {Verdict::out_of_memory, "it found no memory (std::bad_alloc)", false};
} catch (const OutOfMemory& error) {
  return {Verdict::out_of_memory, error.what(), false};
} catch (const BrokenProcess& error) {
  return {Verdict::fault, fmt::format("it threw: {}", error.what()), true};
} catch (const std::exception& error) {
  return {Verdict::fault, fmt::format("it threw: {}", error.what()), false};
} catch (...) {
  return {Verdict::fault, "it threw what is no std::exception", false};
}

class CallableRunner final : public PlainRunner<Configuration> {
 public:
  CallableRunner(const Tunable& tunable, const Problem& problem, const Instruments& instruments)
      : PlainRunner(tunable.name, instruments), work_(tunable.make(problem)) {
    for (const Parameter& parameter : tunable.parameters) first_.set(parameter.name, parameter.values.front());
  }

  Status load(const InstanceLaunch& launch) override {
    keep(launch.instance, Configuration(decoded(launch.configuration, first_)));
    return {};
  }
  // The results of a callable are its own.
  Status repeat(InstanceId instance, std::optional<bool>&) override { return launch(loaded(instance)); }

 private:
  Status launch(const Configuration& configuration) override {
    return status_of_call([&]() -> Status {
      work_.run(configuration);
      std::string wrong = work_.check(configuration);
      if (!wrong.empty()) return {Verdict::wrong_result, std::move(wrong), false};
      return {};
    });
  }

  SingleTime time(const Configuration& configuration, int launches) override {
    double sum = 0;
    Status status = status_of_call([&]() -> Status {
      for (int i = 0; i < launches; ++i) {
        const double taken = work_.run(configuration).count();
        if (!(taken > 0) || !std::isfinite(taken))
          return {Verdict::fault, fmt::format("its clock says that it took {} ns", taken), false};
        sum += taken;
      }
      return {};
    });
    return {std::move(status), sum / launches};
  }

  const Work work_;
  Bindings first_;  // the first value of each parameter
};

class CallableTestbed final : public Testbed {
 public:
  explicit CallableTestbed(const Tunable& tunable) : tunable_(tunable), info_(callable_device(tunable)) {}
  const DeviceInfo& info() const noexcept override { return info_; }
  Instruments& instruments() noexcept override { return clock_; }
  std::unique_ptr<Runner> begin(const TrialSetup& setup, const std::function<void()>& reference_begins) override {
    auto runner = std::make_unique<CallableRunner>(tunable_, Problem(decoded(setup.problem, tunable_.problem)), clock_);
    if (reference_begins) reference_begins();
    return runner;
  }

 private:
  const Tunable tunable_;
  const DeviceInfo info_;
  Instruments clock_;
};

}  // namespace

std::unique_ptr<Testbed> callable_testbed(const Tunable& tunable) { return std::make_unique<CallableTestbed>(tunable); }

}  // namespace attune
