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

Status TrialBench::load(const StepsSetup& steps) {
  loaded_.reset();  // its memory first
  PreparedSteps prepared;
  if (Status status = PreparedSteps::prepare(device_, data_, steps, prepared); !status.ok()) return status;
  data_.reset();
  loaded_ = std::move(prepared);
  return {};
}

TrialBench::Checked TrialBench::check_loaded() {
  if (!loaded_) throw Error("no configuration of " + name_ + " was loaded to be checked");
  PreparedSteps prepared = *std::exchange(loaded_, std::nullopt);
  Checked checked;
  checked.status = launch_and_check(prepared, checked.max_error);
  if (!checked.status.ok()) return checked;
  checked.candidate = next_++;
  candidates_.emplace(*checked.candidate, std::move(prepared));
  return checked;
}

Status TrialBench::launch_and_check(const PreparedSteps& prepared, double& max_error) {
  Status status = prepared.run(device_);
  if (status.sticky) return status;
  // Whatever else went wrong: the next configuration finds its inputs as they were.
  const Status inputs = data_.restore_inputs();
  if (status.ok()) status = inputs;
  if (status.ok()) status = data_.check(max_error);
  if (status.ok()) status = prepared.check_scratch(data_);
  return status;
}

// What was loaded for a check finds the data spoilt then.
const PreparedSteps& TrialBench::about_to_run(CandidateId candidate) {
  loaded_.reset();
  const auto found = candidates_.find(candidate);
  if (found == candidates_.end()) throw Error(fmt::format("there is no candidate {} of {}", candidate, name_));
  return found->second;
}

Sample TrialBench::sample(CandidateId candidate) {
  return device_.sample(data_.restores(), about_to_run(candidate).operations(), true);
}

Status TrialBench::recheck(CandidateId candidate, double& max_error) {
  const PreparedSteps& prepared = about_to_run(candidate);
  if (!prepared.has_scratch()) return {};
  data_.reset();
  Status status = launch_and_check(prepared, max_error);
  if (!status.ok()) status.detail = "right when launched first, wrong when launched again: " + status.detail;
  return status;
}

void TrialBench::release(CandidateId candidate) { candidates_.erase(candidate); }

Status TrialBench::warm_up(CandidateId candidate, double milliseconds) {
  const PreparedSteps& prepared = about_to_run(candidate);
  const double begin = device_.seconds();
  do {
    if (Status status = prepared.run(device_); !status.ok()) return status;
    if (device_.has_own_clock()) break;  // nothing there gets warm
  } while (device_.seconds() - begin < milliseconds * 1e-3);
  return {};
}

}  // namespace attune
