// Advice that compares the trials of a session with each other.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "advice/advice_parts.hpp"
#include "base/counted.hpp"

namespace attune {
namespace {

// Occupancy made no difference if it explains less than a tenth of the order of the times, and decided if it explains
// more than a quarter of that order; at the nearer end of the 95 % interval of their rank correlation.
constexpr double no_correlation = 0.3, strong_correlation = 0.5;
constexpr double two_sided_95 = 1.96;
// With fewer trials the interval alone is wider than that.
constexpr std::size_t least_trials = 20;

// A padded row is longer by one element or one pack: 1 of 32 to 4 of 32.
constexpr double most_padding = 0.125;
// Pairs that differ by padding alone are measured a few percent apart; less than this may be alignment or noise.
constexpr double notable_gain = 1.1;

// A model that foretells less than half of what other trials vary says little about its parameters.
constexpr double trusted_model = 0.5;
// A parameter with a smaller share does not decide alone.
constexpr double notable_share = 0.3;

// Returns the ranks, from 1; equal values share the mean of theirs.
std::vector<double> ranks_of(const std::vector<double>& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return values[i]; });
  std::vector<double> ranks(values.size());
  for (std::size_t first = 0, end = 0; first < order.size(); first = end) {
    for (end = first; end < order.size() && values[order[end]] == values[order[first]];) ++end;
    for (std::size_t i = first; i < end; ++i) ranks[order[i]] = 0.5 * static_cast<double>(first + end + 1);
  }
  return ranks;
}

// Returns Spearman's rank correlation; nothing where one of both does not vary.
std::optional<double> rank_correlation(const std::vector<double>& a, const std::vector<double>& b) {
  const std::vector<double> x = ranks_of(a), y = ranks_of(b);
  const double mean = 0.5 * static_cast<double>(a.size() + 1);
  double xy = 0, xx = 0, yy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xy += (x[i] - mean) * (y[i] - mean);
    xx += (x[i] - mean) * (x[i] - mean);
    yy += (y[i] - mean) * (y[i] - mean);
  }
  if (xx == 0 || yy == 0) return std::nullopt;
  return xy / std::sqrt(xx * yy);
}

struct Shared {
  std::uint64_t bytes;
  double time;
  std::string value;
};

// The ratios of the times of neighbours in one parameter, of which one has a little more shared memory.
struct PaddingPairs {
  std::vector<double> gains;
  std::string padded, plain;  // values of the last pair
};

void add_pairs(std::vector<Shared>& neighbours, PaddingPairs& pairs) {
  std::ranges::sort(neighbours, {}, &Shared::bytes);
  for (std::size_t i = 1; i < neighbours.size(); ++i) {
    const Shared &plain = neighbours[i - 1], &padded = neighbours[i];
    const double growth = static_cast<double>(padded.bytes - plain.bytes) / static_cast<double>(plain.bytes);
    if (growth <= 0 || growth > most_padding) continue;
    pairs.gains.push_back(plain.time / padded.time);
    pairs.padded = padded.value;
    pairs.plain = plain.value;
  }
}

PaddingPairs padding_pairs(const AdviceFacts& facts, const std::string& parameter) {
  std::map<std::string, std::vector<Shared>> neighbours;
  for (const Trial& trial : facts.trials) {
    const Value* const value = trial.configuration.find(parameter);
    const std::optional<BlockUse> use = block_use_of(trial, facts.has_verify_steps);
    if (trial.verdict != Verdict::ok || !use || use->shared_bytes == 0 || value == nullptr) continue;
    const std::uint64_t bytes = use->shared_bytes;
    const LaunchShape& shape = trial.shapes.front();
    std::string key = fmt::format("{},{},{}/{},{},{}", shape.grid[0], shape.grid[1], shape.grid[2], shape.block[0],
                                  shape.block[1], shape.block[2]);
    for (const Binding& one : trial.configuration)
      if (one.name != parameter) key += "\n" + one.value.text();
    neighbours[key].push_back({bytes, trial.measurement.median_ns, value->text()});
  }
  PaddingPairs pairs;
  for (auto& [unused, of_key] : neighbours) add_pairs(of_key, pairs);
  std::ranges::sort(pairs.gains);
  return pairs;
}

}  // namespace

void advise_occupancy(const AdviceFacts& facts, std::vector<Advice>& list) {
  std::vector<double> occupancies, times;
  for (const Trial& trial : facts.trials) {
    if (trial.verdict != Verdict::ok) continue;
    const std::optional<Residence> residence = residence_of(trial, facts);
    if (!residence) continue;
    occupancies.push_back(residence->occupancy.share());
    times.push_back(trial.measurement.median_ns);
  }
  const std::optional<Residence> best = residence_of(*facts.best, facts);
  if (!best || times.size() < least_trials) return;
  const std::optional<double> correlation = rank_correlation(occupancies, times);
  if (!correlation) return;
  // Fisher's transformation makes the interval of a correlation.
  const double half = two_sided_95 / std::sqrt(static_cast<double>(times.size() - 3));
  const double centre = std::atanh(std::min(std::abs(*correlation), 0.999));
  const double low = std::tanh(centre - half), high = std::tanh(centre + half);
  std::string evidence =
      fmt::format("rank correlation {:.2f} with the time over {}, which have {:.0f} to {:.0f} % occupancy; this one {}",
                  *correlation, counted(times.size(), "trial"), 100 * *std::ranges::min_element(occupancies),
                  100 * *std::ranges::max_element(occupancies), to_text(best->occupancy));
  if (high < no_correlation) {
    list.push_back({"occupancy",
                    "occupancy made no difference in this session: do not trade registers or shared memory for it",
                    fmt::format("a rank correlation nearer 0 than {:g}, with its 95 % interval", no_correlation),
                    std::move(evidence)});
    return;
  }
  if (*correlation > 0 || low < strong_correlation) return;
  const std::optional<OccupancyStep> step = next_step(best->use, *multiprocessor_limits(facts.device));
  list.push_back({"occupancy",
                  "configurations of higher occupancy were faster in this session" +
                      (step ? "; the next step is " + to_text(*step, best->occupancy) : std::string()),
                  fmt::format("a rank correlation below -{:g}, with its 95 % interval", strong_correlation),
                  std::move(evidence)});
}

void advise_bank_stride(const AdviceFacts& facts, std::vector<Advice>& list) {
  for (const Binding& one : facts.best->configuration) {
    const PaddingPairs pairs = padding_pairs(facts, one.name);
    if (pairs.gains.empty()) continue;
    const double gain = pairs.gains[pairs.gains.size() / 2];
    if (gain < notable_gain) continue;
    list.push_back(
        {"bank stride",
         fmt::format("padding by {} pays, presumably because rows of shared memory are otherwise a multiple of "
                     "its 32 banks apart: keep the padding, also where rows change",
                     one.name),
         fmt::format("{:g}x at the median, by at most {:g} % more shared memory and all else equal", notable_gain,
                     100 * most_padding),
         fmt::format("{:.2f}x in {}, such as {}={} instead of {}", gain, counted(pairs.gains.size(), "pair"), one.name,
                     pairs.padded, pairs.plain)});
  }
}

void advise_leading_parameter(const AdviceFacts& facts, std::vector<Advice>& list) {
  if (facts.importance == nullptr || facts.importance->parameters.empty()) return;
  const Importance& importance = *facts.importance;
  const ParameterImportance& leading = importance.parameters.front();
  if (leading.share < notable_share || importance.explained < trusted_model) return;
  list.push_back({"parameter",
                  leading.parameter + " explains more of the variance of the time than any other parameter",
                  fmt::format("{:.0f} % of the variance, by a model that foretells {:.0f} % of other trials'",
                              100 * notable_share, 100 * trusted_model),
                  fmt::format("{:.0f} %, by a model of {} that foretells {:.0f} %", 100 * leading.share,
                              counted(importance.trials, "trial"), 100 * importance.explained)});
}

}  // namespace attune
