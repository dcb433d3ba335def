#include "worker/answer_check.hpp"

#include <algorithm>
#include <string>

#include "attune/error.hpp"

namespace attune {
namespace {

constexpr double most_joules = 1e9, most_energy_error = 1;  // larger values are not the energy of a launch

void distrust_samples(const std::vector<double>& samples_ns, Status& status) {
  if (!status.ok()) return;
  const auto wrong = std::find_if_not(samples_ns.begin(), samples_ns.end(), is_time);
  if (wrong != samples_ns.end())
    status = {Verdict::unstable, "the device's clock gave " + std::to_string(*wrong) + " ns", false};
}

void distrust(const Job& job, Answer& answer) {
  if (auto* tried = std::get_if<TryAnswer>(&answer)) {
    distrust_samples(tried->samples_ns, tried->status);
    const bool wants_samples = std::holds_alternative<Try>(job);
    if (wants_samples && tried->status.ok() && tried->samples_ns.empty())
      tried->status = {Verdict::unstable, "the device worker gave no sample", false};
  }
  if (auto* sampled = std::get_if<RoundsAnswer>(&answer)) {
    distrust_samples(sampled->samples_ns, sampled->status);
    const std::size_t wanted = std::get<Rounds>(job).slots.size(), count = sampled->samples_ns.size();
    if (sampled->status.ok() && count != wanted)
      sampled->status = {
          Verdict::unstable,
          "the device worker gave " + std::to_string(count) + " samples instead of " + std::to_string(wanted), false};
  }
  if (auto* metered = std::get_if<MeterAnswer>(&answer); metered != nullptr && metered->energy) {
    const LaunchEnergy& energy = *metered->energy;
    const bool is_energy =
        energy.joules > 0 && energy.joules < most_joules && energy.error >= 0 && energy.error < most_energy_error;
    if (metered->status.ok() && !is_energy)
      *metered = {
          {Verdict::unstable, "the device's energy counter gave " + std::to_string(energy.joules) + " J", false}, {}};
  }
}

}  // namespace

// The bounds exist so that no configuration wins by the times of a broken clock.
bool is_time(double nanoseconds) { return nanoseconds > 0 && nanoseconds < 1e18; }

void check_answer(const Job& job, Answer& answer) {
  const bool is_answer = std::visit(
      [&answer](const auto& held) {
        return std::holds_alternative<typename std::remove_cvref_t<decltype(held)>::AnswerType>(answer);
      },
      job);
  if (!is_answer && !std::holds_alternative<Failure>(answer))
    throw Error("a worker gave another answer than the job asks for; coordinator and worker must be the same build");
  distrust(job, answer);
}

}  // namespace attune
