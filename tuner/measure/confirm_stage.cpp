#include "measure/confirm_stage.hpp"

#include <algorithm>
#include <numeric>

#include "measure/statistics.hpp"

namespace attune {
namespace {

constexpr int least_visits = 2;
constexpr int uncounted = 2;  // launches whose times do not count: the check, and the first sample after it

}  // namespace

std::vector<std::size_t> to_confirm(std::span<const double> screen_scores, std::span<const double> sample_ns,
                                    const Protocol& protocol) {
  std::vector<std::size_t> order(screen_scores.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return screen_scores[a] < screen_scores[b]; });
  const auto limit = [&](std::size_t i) { return screen_scores[i] > protocol.confirm_ratio * screen_scores[order[0]]; };
  order.erase(std::find_if(order.begin(), order.end(), limit), order.end());
  if (order.size() > static_cast<std::size_t>(protocol.confirm_most))
    order.resize(static_cast<std::size_t>(protocol.confirm_most));
  // The best by screening is sampled once with each group. Each visit is half as long as the one before, so that all
  // visits together last twice as long as the first.
  const double launches = 2 * (uncounted + protocol.confirm_samples * (1 + 1.0 / protocol.confirm_group));
  double seconds = 0;
  const auto too_late = [&](std::size_t i) {
    seconds += launches * sample_ns[i] * 1e-9;
    return seconds > protocol.confirm_seconds;
  };
  order.erase(std::find_if(order.begin(), order.end(), too_late), order.end());
  if (order.size() <= static_cast<std::size_t>(protocol.finalists)) order.clear();
  return order;
}

std::vector<std::size_t> by_confirmation(const Confirmations& ratios) {
  std::vector<std::size_t> order;
  std::vector<double> medians(ratios.size());
  for (std::size_t i = 0; i < ratios.size(); ++i) {
    if (ratios[i].empty()) continue;
    medians[i] = median(ratios[i]);
    order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return medians[a] < medians[b]; });
  return order;
}

std::size_t next_visit(int visit, std::size_t visited, const Protocol& protocol) {
  const auto finalists = static_cast<std::size_t>(protocol.finalists);
  const std::size_t next = std::min(visited, std::max(visited / 2, finalists));
  return visit + 1 >= least_visits && next <= finalists ? 0 : next;
}

}  // namespace attune
