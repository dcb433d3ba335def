#include "worker/trial_worker.hpp"

#include <fmt/format.h>

#include "attune/error.hpp"

namespace attune {

TrialWorker::TrialWorker(Device& device, Compiler& compiler, const KernelSpec& spec, const Problem& problem,
                         const Configuration& fallback, std::uint64_t seed)
    : device_(device),
      compiler_(compiler),
      spec_(spec),
      problem_(problem),
      fallback_(fallback),
      data_(device, spec, problem_, fallback_, seed),
      self_checked_(spec.reference.empty()) {
  data_.reset();
  if (!spec_.prepare.empty()) {
    run_once(spec_.prepare, "[[prepare]]");
    data_.adopt_prepared();
    data_.reset();
  }
  run_once(self_checked_ ? spec_.launch : spec_.reference,
           self_checked_ ? "the default configuration (there is no [[reference]])" : "[[reference]]");
  data_.adopt_expected(self_checked_ ? "the default configuration" : "the reference");
}

void TrialWorker::run_once(std::span<const Step> steps, const std::string& what) {
  const bool own = steps.data() == spec_.launch.data();
  const Configuration* const configuration = own ? &fallback_ : nullptr;
  const std::string where = fmt::format("{} of {} for {}", what, spec_.name, problem_.text());
  const ImageRequest request = image_request(spec_, steps, problem_, configuration, device_.info());
  const std::vector<CompileOutcome> outcomes = compiler_.compile(std::span(&request, 1));
  if (!outcomes.front().image)
    throw ReferenceDoesNotCompile(fmt::format("{} does not compile:\n{}", where, outcomes.front().log));
  PreparedSteps prepared;
  const std::vector<ResolvedStep> resolved = resolve_steps(spec_, steps, problem_, configuration, device_.info());
  Status status = PreparedSteps::prepare(device_, data_, resolved, fallback_, *outcomes.front().image, prepared);
  if (status.ok()) status = prepared.run(device_);
  if (status.ok()) status = data_.check_guards();
  if (!status.ok()) throw Error(fmt::format("{} fails ({}): {}", where, to_text(status.verdict), status.detail));
}

TrialWorker::Checked TrialWorker::check(const Configuration& configuration, const Image& image) {
  Checked checked;
  PreparedSteps prepared;
  const std::vector<ResolvedStep> steps = resolve_steps(spec_, spec_.launch, problem_, &configuration, device_.info());
  checked.status = PreparedSteps::prepare(device_, data_, steps, configuration, image, prepared);
  if (!checked.status.ok()) return checked;
  checked.status = launch_and_check(prepared, checked.max_error);
  if (!checked.status.ok()) return checked;
  checked.candidate = next_++;
  candidates_.emplace(*checked.candidate, std::move(prepared));
  return checked;
}

Status TrialWorker::launch_and_check(const PreparedSteps& prepared, double& max_error) {
  data_.reset();
  Status status = prepared.run(device_);
  if (status.sticky) return status;
  // Whatever else went wrong: the next configuration finds its inputs as they were.
  const Status inputs = data_.restore_inputs();
  if (status.ok()) status = inputs;
  if (status.ok()) status = data_.check(max_error);
  if (status.ok()) status = prepared.check_scratch(spec_);
  return status;
}

Sample TrialWorker::sample(CandidateId candidate) {
  return device_.sample(data_.restores(), candidates_.at(candidate).operations(), true);
}

Status TrialWorker::recheck(CandidateId candidate, double& max_error) {
  const PreparedSteps& prepared = candidates_.at(candidate);
  if (!prepared.has_scratch()) return {};
  Status status = launch_and_check(prepared, max_error);
  if (!status.ok()) status.detail = "right when launched first, wrong when launched again: " + status.detail;
  return status;
}

void TrialWorker::release(CandidateId candidate) { candidates_.erase(candidate); }

Status TrialWorker::warm_up(CandidateId candidate, double milliseconds) {
  const double begin = device_.seconds();
  do {
    if (Status status = candidates_.at(candidate).run(device_); !status.ok()) return status;
  } while (device_.seconds() - begin < milliseconds * 1e-3);
  return {};
}

}  // namespace attune
