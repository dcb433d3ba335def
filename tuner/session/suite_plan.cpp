#include "session/suite_plan.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>

namespace attune {
namespace {

// Less would not time the default.
constexpr double least_slice_seconds = 1;

// Of the share of one problem: what confirming may take, and comparing.
constexpr double confirm_share = 1.0 / 3, final_share = 2.0 / 3;
constexpr double least_stage_seconds = 1;

// A slice of a search without a limit of time, on several benches: the long problems of a suite then go on side by
// side, and none is left for one bench at the end. A slice costs a second of data and warm-up.
constexpr double unlimited_slice_seconds = 60;

// The slices of an average problem.
constexpr int slices_of_share = 2;

}  // namespace

std::optional<double> share_of_effort(const EffortPlan& plan, const Budget& limits, std::size_t problems) {
  if (!plan.budget.seconds) return std::nullopt;
  const double whole = std::max(*plan.budget.seconds, limits.seconds.value_or(0));
  return whole / static_cast<double>(std::min(problems, problems_per_effort));
}

Protocol suite_protocol(const EffortPlan& plan, const Budget& limits, std::optional<double> share) {
  Protocol protocol{depth_within(plan, limits.seconds)};
  if (!share) return protocol;
  const auto at_most = [&](double& seconds, double part) {
    seconds = std::min(seconds, std::max(part * *share, least_stage_seconds));
  };
  at_most(protocol.confirm_seconds, confirm_share);
  at_most(protocol.final_seconds, final_share);
  return protocol;
}

double expected_gain(const SearchSoFar& search) {
  const double growth =
      std::log(static_cast<double>(search.trials) / static_cast<double>(std::max<std::int64_t>(search.before, 1)));
  const double gain = growth > 0 ? search.log_gain / growth : 0;
  return std::max(gain, Improvement::least_gain) / std::max(search.seconds, least_slice_seconds);
}

std::optional<std::size_t> next_problem(std::span<const SearchSoFar> searches) {
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < searches.size(); ++i) {
    if (searches[i].is_over) continue;
    if (searches[i].slices == 0) return i;
    if (!best || expected_gain(searches[i]) > expected_gain(searches[*best])) best = i;
  }
  return best;
}

Budget slice_of(const SuiteBudget& whole, const SuiteBudget& left, std::size_t problems) {
  Budget slice;
  const double slices = slices_of_share * static_cast<double>(problems);
  if (whole.seconds) {
    const double share = *whole.seconds / static_cast<double>(problems);
    const double seconds = std::max(share / slices_of_share, std::min(share, least_slice_seconds));
    slice.seconds = std::clamp(*left.seconds, 0.0, seconds);
  }
  if (whole.trials) {
    const auto each = static_cast<std::int64_t>(std::ceil(static_cast<double>(*whole.trials) / slices));
    slice.trials = std::min(each, *left.trials);
  }
  return slice;
}

SuiteLimits::SuiteLimits(const EffortPlan& plan, const Budget& limits, std::size_t problems, std::size_t open,
                         std::size_t benches, double used)
    : open_(open), benches_(benches), trials_left_(limits.trials) {
  Budget of_all = limits;
  if (of_all.seconds && benches > 1) *of_all.seconds *= static_cast<double>(std::min(benches, open));
  if (benches > 1) wall_seconds_ = limits.seconds;
  seconds_left_ = of_all.seconds;
  whole_ = {seconds_left_, trials_left_};
  const std::optional<double> share = share_of_effort(plan, of_all, problems);
  if (!share) return;
  const double of_effort = *share * static_cast<double>(open);
  effort_left_ = of_effort - used;
  whole_.seconds = std::min(of_effort, seconds_left_.value_or(of_effort));
}

std::optional<double> SuiteLimits::seconds_each() const {
  if (!whole_.seconds || open_ == 0) return whole_.seconds;
  return *whole_.seconds / static_cast<double>(open_);
}

SuiteBudget SuiteLimits::left(double now) const {
  SuiteBudget left{effort_left_, trials_left_};
  if (seconds_left_) left.seconds = std::min(*seconds_left_, left.seconds.value_or(*seconds_left_));
  if (left.seconds) *left.seconds -= seconds_given_;
  if (wall_seconds_) left.seconds = std::min(*left.seconds, *wall_seconds_ - now);
  if (left.trials) *left.trials -= trials_given_;
  return left;
}

Budget SuiteLimits::give_slice(double now) {
  Budget slice = slice_of(whole_, left(now), open_);
  if (benches_ > 1 && !slice.seconds) slice.seconds = unlimited_slice_seconds;
  seconds_given_ += slice.seconds.value_or(0);
  trials_given_ += slice.trials.value_or(0);
  return slice;
}

void SuiteLimits::end_slice(const Budget& given, double seconds, std::int64_t trials) {
  seconds_given_ -= given.seconds.value_or(0);
  trials_given_ -= given.trials.value_or(0);
  if (effort_left_) *effort_left_ -= seconds;
  if (seconds_left_) *seconds_left_ -= seconds;
  if (trials_left_) *trials_left_ -= trials;
}

bool SuiteLimits::is_spent(double now) const {
  const SuiteBudget spent{effort_left_, trials_left_};
  return spent.is_spent() || (seconds_left_ && *seconds_left_ <= 0) || (wall_seconds_ && *wall_seconds_ <= now);
}

Ending SuiteLimits::reason() const {
  if (effort_left_ && *effort_left_ <= 0) return Ending::effort_spent;
  return trials_left_ && *trials_left_ <= 0 ? Ending::trials : Ending::time;
}

std::vector<Configuration> most_frequent(const std::vector<Configuration>& all) {
  std::map<std::string, std::pair<std::size_t, const Configuration*>> counts;
  for (const Configuration& one : all) {
    auto& [count, where] = counts[one.text()];
    ++count;
    where = &one;
  }
  std::vector<std::pair<std::size_t, const Configuration*>> order;
  for (const auto& [text, entry] : counts) order.push_back(entry);
  std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<Configuration> chosen;
  for (std::size_t i = 0; i < std::min(order.size(), most_winners); ++i) chosen.push_back(*order[i].second);
  return chosen;
}

void make_short(Protocol& protocol) {
  protocol.final_seconds = std::min(protocol.final_seconds, 1.0);
  protocol.confirm_seconds = 0;  // one visit
  protocol.confirm_most = std::min(protocol.confirm_most, protocol.finalists);
}

void add_use(const SessionResult& before, SessionResult& result) {
  result.run_trials += before.run_trials;
  result.seconds += before.seconds;
  result.device_busy_seconds += before.device_busy_seconds;
  result.compile_wait_seconds += before.compile_wait_seconds;
  result.timed_seconds += before.timed_seconds;
  result.workers_replaced += before.workers_replaced;
}

}  // namespace attune
