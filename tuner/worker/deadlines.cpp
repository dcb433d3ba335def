#include "worker/deadlines.hpp"

#include <algorithm>

namespace attune {
namespace {

// Returns the time for loading an image: PTX takes long, because the driver compiles it.
double load_seconds(const InstanceLaunch& launch) {
  const bool is_ptx = launch.steps.image.architecture.starts_with("compute_");
  return is_ptx ? compile_limit_seconds().value_or(default_compile_limit_seconds) : 0;
}

constexpr int launches_to_repeat = 3;  // one to check, two to compare

}  // namespace

double Deadlines::of(const Job& job) const {
  return std::visit([this](const auto& held) { return of_job(held); }, job);
}

TimeLimit Deadlines::limit(const Job& job) const {
  const bool launches = launch_of(job) != nullptr || !instances_of(job).empty() || std::holds_alternative<Rounds>(job);
  return {of(job), launches ? on_host && !user_seconds : true};
}

TimeLimit Deadlines::limit_of_reference(const Job& job) const {
  const auto* const begin = std::get_if<Begin>(&job);
  if (begin == nullptr || !begin->setup.self_checked) return limit(job);
  return {launches(2) + checks(2) + keep_seconds, on_host && !user_seconds};  // two runs: the outputs are filled twice
}

double Deadlines::launches(int count) const {
  if (user_seconds) return count * *user_seconds;
  return anchor_seconds > 0 ? std::max(least_seconds, count * factor * anchor_seconds) : first_seconds;
}

double Deadlines::checks(int count) const { return count * (data_seconds + data_factor * begin_seconds); }

double Deadlines::of_job(const Load& job) const {
  return load_seconds(job.launch) + launches(1) + checks(1) +
         std::max(job.warm_up.milliseconds, job.warm_up.most_milliseconds) * 1e-3;
}

// Only configurations that are less than twice as slow as the best get more samples than the least. Such configurations
// do not hang, so the expected time of these samples is enough.
double Deadlines::of_job(const Try& job) const {
  const int more = std::max(job.plan.most - job.plan.count, 0);
  const double expected = more * job.plan.batch * Protocol{}.reject_ratio * anchor_seconds;
  return load_seconds(job.launch) + launches(2 + job.plan.count * job.plan.batch) + checks(2) + expected +
         (job.plan.count + more) * beside_sample_seconds;
}

// The anchor's time gives the expected time of all samples. The time of one launch that may hang comes on top.
double Deadlines::of_job(const Rounds& job) const {
  const int count = static_cast<int>(job.slots.size()) * job.plan.batch;
  const double seconds = anchor_seconds > 0 ? launches(1) + factor * count * anchor_seconds : launches(count);
  return seconds + checks(1) + static_cast<double>(job.slots.size()) * beside_sample_seconds;
}

double Deadlines::of_job(const CheckAgain& job) const {
  const int count = job.repeats ? launches_to_repeat : 1;
  return launches(count) + checks(count);
}

double Deadlines::of_job(const Meter& job) const {
  return launches(2 * job.plan.batch) + job.warm_seconds + job.seconds + meter_slack_seconds;
}

}  // namespace attune
