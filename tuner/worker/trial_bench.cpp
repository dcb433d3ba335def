#include "worker/trial_bench.hpp"

#include <fmt/format.h>

#include <utility>

#include "attune/error.hpp"

namespace attune {

TrialBench::TrialBench(Device& device, const TrialSetup& setup)
    : device_(device), name_(fmt::format("{} for {}", setup.kernel, setup.problem)), data_(device, setup) {
  data_.reset();
  if (setup.prepare) {
    run_once(*setup.prepare, "[[prepare]]");
    data_.adopt_prepared();
    data_.reset();
  }
  run_once(setup.reference,
           setup.self_checked ? "the default configuration (there is no [[reference]])" : "[[reference]]");
  data_.adopt_expected(setup.self_checked ? "the default configuration" : "the reference");
}

void TrialBench::run_once(const StepsSetup& steps, const std::string& what) {
  PreparedSteps prepared;
  Status status = PreparedSteps::prepare(device_, data_, steps, prepared);
  if (status.ok()) status = prepared.run(device_);
  if (status.ok()) status = data_.check_guards();
  if (!status.ok())
    throw Error(fmt::format("{} of {} fails ({}): {}", what, name_, to_text(status.verdict), status.detail));
}

Status TrialBench::load(CandidateId candidate, const StepsSetup& steps) {
  PreparedSteps made;
  if (Status status = PreparedSteps::prepare(device_, data_, steps, made); !status.ok()) return status;
  candidates_.insert_or_assign(candidate, std::move(made));
  return {};
}

const PreparedSteps& TrialBench::prepared(CandidateId candidate) const {
  const auto found = candidates_.find(candidate);
  if (found == candidates_.end()) throw Error(fmt::format("there is no candidate {} of {}", candidate, name_));
  return found->second;
}

Status TrialBench::check(CandidateId candidate, double& max_error) {
  const PreparedSteps& steps = prepared(candidate);
  data_.reset();
  const Status status = launch_and_check(steps, max_error);
  if (!status.ok()) release(candidate);
  return status;
}

Status TrialBench::launch_and_check(const PreparedSteps& steps, double& max_error) {
  Status status = steps.run(device_);
  if (status.sticky) return status;
  // Whatever else went wrong: the next configuration finds its inputs as they were.
  const Status inputs = data_.restore_inputs();
  if (status.ok()) status = inputs;
  if (status.ok()) status = data_.check(max_error);
  if (status.ok()) status = steps.check_scratch(data_);
  return status;
}

Samples TrialBench::sample(CandidateId candidate, const SamplePlan& plan) {
  Samples samples;
  const PreparedSteps& steps = prepared(candidate);
  while (samples.status.ok() && wants_another_sample(samples.nanoseconds, plan)) take_sample(steps, samples);
  return samples;
}

Samples TrialBench::sample_while(CandidateId candidate, const std::function<bool(std::size_t)>& goes_on) {
  Samples samples;
  const PreparedSteps& steps = prepared(candidate);
  do {
    take_sample(steps, samples);
  } while (samples.status.ok() && goes_on(samples.nanoseconds.size()));
  return samples;
}

void TrialBench::take_sample(const PreparedSteps& steps, Samples& samples) {
  Sample sample = device_.sample(data_.restores(), steps.operations(), true);
  if (sample.status.ok())
    samples.nanoseconds.push_back(sample.nanoseconds);
  else
    samples.status = std::move(sample.status);
}

Status TrialBench::recheck(CandidateId candidate, double& max_error) {
  const PreparedSteps& steps = prepared(candidate);
  if (!steps.has_scratch()) return {};
  data_.reset();
  Status status = launch_and_check(steps, max_error);
  if (!status.ok()) status.detail = "right when launched first, wrong when launched again: " + status.detail;
  return status;
}

void TrialBench::release(CandidateId candidate) { candidates_.erase(candidate); }

Status TrialBench::warm_up(CandidateId candidate, double milliseconds) {
  const PreparedSteps& steps = prepared(candidate);
  const double begin = device_.seconds();
  do {
    if (Status status = steps.run(device_); !status.ok()) return status;
    if (device_.has_own_clock()) break;  // nothing there gets warm
  } while (device_.seconds() - begin < milliseconds * 1e-3);
  return {};
}

}  // namespace attune
