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
