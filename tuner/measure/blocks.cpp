#include "measure/blocks.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

namespace attune {
namespace {

const Benches one_bench;

std::vector<RoundTimes> split(const Blocks& blocks) {
  if (blocks.benches.empty()) return {blocks.rounds};
  std::map<std::size_t, RoundTimes> found;
  for (std::size_t r = 0; r < blocks.rounds.size(); ++r) found[blocks.benches[r]].push_back(blocks.rounds[r]);
  std::vector<RoundTimes> own;
  for (auto& [bench, rounds] : found) own.push_back(std::move(rounds));
  return own;
}

// Returns whether another finalist surely beats this one by more than a tie.
bool is_surely_beaten(const RoundTimes& rounds, std::size_t finalist, double tie) {
  if (rounds.size() < least_sure_rounds) return false;
  for (std::size_t f = 0; f < rounds.front().size(); ++f) {
    if (f == finalist) continue;
    if (median_interval(paired_log_ratios({rounds, one_bench}, finalist, f), sure_confidence).low > tie) return true;
  }
  return false;
}

}  // namespace

std::vector<double> column(const RoundTimes& rounds, std::size_t finalist) {
  std::vector<double> times;
  times.reserve(rounds.size());
  for (const auto& round : rounds) times.push_back(round[finalist]);
  return times;
}

Strata paired_log_ratios(const Blocks& blocks, std::size_t slower, std::size_t faster) {
  std::vector<double> ratios;
  ratios.reserve(blocks.rounds.size());
  for (const auto& round : blocks.rounds) ratios.push_back(std::log(round[slower] / round[faster]));
  return by_bench(std::move(ratios), blocks.benches);
}

std::vector<std::size_t> by_median(const Blocks& blocks) {
  const RoundTimes& rounds = blocks.rounds;
  std::vector<double> typical, values;
  for (const std::vector<double>& round : rounds) {
    values = round;
    typical.push_back(median_of_moved(values));
  }
  std::vector<double> medians;
  for (std::size_t f = 0; f < rounds.front().size(); ++f) {
    values = column(rounds, f);
    for (std::size_t r = 0; r < rounds.size(); ++r) values[r] /= typical[r];
    medians.push_back(median(by_bench(std::move(values), blocks.benches)));
  }
  std::vector<std::size_t> order(medians.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return medians[a] < medians[b]; });
  return order;
}

bool do_benches_differ(const Blocks& blocks, std::size_t winner, std::size_t runner_up, const Protocol& protocol) {
  const double tie = std::log1p(protocol.tie_ratio);
  double least_high = std::numeric_limits<double>::infinity(), greatest_low = -least_high;
  const std::vector<RoundTimes> benches = split(blocks);
  if (benches.size() < 2) return false;
  for (const RoundTimes& own : benches) {
    if (is_surely_beaten(own, winner, tie)) return true;
    if (own.size() < least_rounds) continue;
    const Interval interval = median_interval(paired_log_ratios({own, one_bench}, winner, runner_up));
    least_high = std::min(least_high, interval.high);
    greatest_low = std::max(greatest_low, interval.low);
  }
  return greatest_low - least_high > tie;
}

std::size_t best_worst_case(const Blocks& blocks) {
  std::vector<double> worst(blocks.rounds.front().size(), 0.0);
  std::vector<RoundTimes> benches = split(blocks);
  const auto has_few = [](const RoundTimes& own) { return own.size() < least_rounds; };
  if (!std::all_of(benches.begin(), benches.end(), has_few)) std::erase_if(benches, has_few);
  for (const RoundTimes& own : benches) {
    const std::size_t fastest = by_median({own, one_bench}).front();
    for (std::size_t f = 0; f < worst.size(); ++f)
      worst[f] = std::max(worst[f], median(paired_log_ratios({own, one_bench}, f, fastest)));
  }
  return static_cast<std::size_t>(std::min_element(worst.begin(), worst.end()) - worst.begin());
}

}  // namespace attune
