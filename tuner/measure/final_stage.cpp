#include "measure/final_stage.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <tuple>

namespace attune {
namespace {

// After this many looks the distance between looks doubles, and after twice as many it doubles again, because each look
// sorts all rounds.
constexpr int rounds_to_look_less = 40;

// Returns whether the finalist is a configuration in use, which stays unless it is surely beaten.
bool wins_ties(const Finalist& finalist) {
  return finalist.is_default || (finalist.is_record && !finalist.is_doubtful);
}

// Returns how close to the fastest a finalist must be to win over it, as a ratio less 1. For a configuration in use the
// limit is a tie. For a leaner one the limit is lower, so that it costs at most a tie together with the scatter of a
// median.
double tie_limit(const Finalist& finalist, const Protocol& protocol) {
  return wins_ties(finalist) ? protocol.tie_ratio : protocol.lean_tie_ratio;
}

// Returns whether the finalist is surely slower than the fastest by more than tie_limit(). `ratios` has log(its time /
// the fastest's) of each round.
bool is_behind(const Strata& ratios, const Finalist& finalist, const Protocol& protocol) {
  const Interval interval = median_interval(ratios, sure_confidence);
  return interval.low > std::log1p(tie_limit(finalist, protocol));
}

// Returns whether the fastest surely beats a configuration in use.
bool is_beaten(const Blocks& rounds, std::size_t in_use, std::size_t fastest, const Protocol& protocol) {
  if (in_use == fastest) return false;
  const Strata ratios = paired_log_ratios(rounds, in_use, fastest);
  return median(ratios) >= std::log1p(protocol.tie_ratio) && !median_interval(ratios).contains(0);
}

// Returns whether another finalist is as fast as the fastest, by its median.
bool is_as_fast(const Blocks& rounds, std::size_t other, std::size_t fastest, const Protocol& protocol) {
  return median(paired_log_ratios(rounds, other, fastest)) < std::log1p(protocol.lean_tie_ratio);
}

// Returns whether two finalists look different without being surely so.
bool is_open(const Blocks& rounds, std::size_t one, std::size_t other, const Protocol& protocol) {
  const Strata ratios = paired_log_ratios(rounds, one, other);
  return std::abs(median(ratios)) >= std::log1p(protocol.tie_ratio) && median_interval(ratios).contains(0);
}

// Sets the winner, the fastest and the choice from the objective's values.
void choose(const std::vector<Finalist>& finalists, const Blocks& values, const Protocol& protocol,
            FinalDecision& decision) {
  const std::size_t fastest = by_median(values).front();
  decision.fastest = decision.winner = fastest;
  const auto stays = [&](bool Finalist::*in_use) {
    for (std::size_t f = 0; f < finalists.size(); ++f) {
      if (!(finalists[f].*in_use) || !wins_ties(finalists[f]) || is_beaten(values, f, fastest, protocol)) continue;
      decision.winner = f;
      return true;
    }
    return false;
  };
  const bool is_kept = stays(&Finalist::is_record);
  if (is_kept || stays(&Finalist::is_default)) {
    if (decision.winner != fastest) decision.choice = is_kept ? Choice::record_stays : Choice::default_stays;
    return;
  }
  const auto leanness = [&](std::size_t f) {
    return std::make_tuple(finalists[f].resource_cost, std::string_view(finalists[f].configuration));
  };
  for (std::size_t f = 0; f < finalists.size(); ++f)
    if (leanness(f) < leanness(decision.winner) && is_as_fast(values, f, fastest, protocol)) decision.winner = f;
  if (decision.winner != fastest) decision.choice = Choice::leaner;
}

// Has the best worst case win where the winner depends on the bench.
void choose_for_all(const Blocks& values, const Protocol& protocol, FinalDecision& decision) {
  std::vector<std::size_t> others = by_median(values);
  std::erase(others, decision.winner);
  if (others.empty() || !do_benches_differ(values, decision.winner, others.front(), protocol)) return;
  decision.boards_differ = true;
  decision.winner = decision.fastest = best_worst_case(values);
  decision.choice = Choice::fastest;
}

void fill_speedup(std::size_t by_default, const Blocks& values, FinalDecision& decision) {
  if (by_default == decision.winner) return;
  const Strata ratios = paired_log_ratios(values, by_default, decision.winner);
  const Interval interval = median_interval(ratios);
  decision.speedup = std::exp(median(ratios));
  decision.speedup_interval = {std::exp(interval.low), std::exp(interval.high)};
}

// Fills the results of each bench, if there are several.
void fill_boards(std::optional<std::size_t> by_default, const FinalRounds& rounds, FinalDecision& decision) {
  std::map<std::size_t, std::vector<std::size_t>> used;
  for (const std::size_t bench : rounds.benches) used[bench];
  if (used.size() < 2) return;
  for (const std::size_t r : decision.used) used[rounds.benches[r]].push_back(r);
  for (const auto& [bench, own] : used) {
    BoardResult& board = decision.boards.emplace_back();
    board.rounds = static_cast<std::int64_t>(own.size());
    if (own.empty()) continue;
    board.median_ns = median(column(rounds.times_ns, decision.winner, own));
    const RoundTimes values = chosen(rounds.values, own);
    if (by_default) board.speedup = std::exp(median(paired_log_ratios({values, {}}, *by_default, decision.winner)));
  }
}

// Divides a finalist's times in the rounds `of` by their median, as far as it took part.
void divide_by_median(std::vector<double>& times, const std::vector<std::size_t>& of) {
  std::vector<double> some;
  for (const std::size_t r : of)
    if (r < times.size()) some.push_back(times[r]);
  if (some.empty()) return;
  const double typical = median(some);
  for (const std::size_t r : of)
    if (r < times.size()) times[r] /= typical;
}

bool is_off(const std::vector<std::vector<double>>& relative, std::size_t round, const Protocol& protocol) {
  std::vector<double> took_part;
  for (const std::vector<double>& times : relative)
    if (round < times.size()) took_part.push_back(times[round]);
  if (took_part.size() < 2) return false;
  return quantile(took_part, 0.25) > 1 + protocol.round_drift || quantile(took_part, 0.75) < 1 - protocol.round_drift;
}

}  // namespace

std::vector<double> column(const RoundTimes& rounds, std::size_t finalist, const std::vector<std::size_t>& of) {
  return column(chosen(rounds, of), finalist);
}

std::vector<bool> throttled_rounds(const std::vector<ReadingCounts>& seen, const std::vector<bool>& readings) {
  std::vector<bool> throttled;
  for (const ReadingCounts& round : seen) {
    const std::size_t first = std::min(std::max<std::size_t>(round.before, 1) - 1, readings.size());
    const std::size_t end = std::min(round.after + 1, readings.size());
    const auto at = [&](std::size_t reading) { return readings.begin() + static_cast<std::ptrdiff_t>(reading); };
    throttled.push_back(std::find(at(first), at(end), true) != at(end));
  }
  return throttled;
}

std::vector<std::size_t> steady_rounds(const FinalRounds& rounds, const Protocol& protocol) {
  std::vector<std::size_t> steady;
  const auto is_free = [&](std::size_t r) { return r >= rounds.throttled.size() || !rounds.throttled[r]; };
  for (std::size_t r = 0; r < rounds.times_ns.size(); ++r)
    if (is_free(r)) steady.push_back(r);
  if (steady.empty()) return steady;
  std::vector<std::vector<double>> of_finalists = rounds.left_ns;
  for (std::size_t f = 0; f < rounds.times_ns.front().size(); ++f) of_finalists.push_back(column(rounds.times_ns, f));
  std::map<std::size_t, std::vector<std::size_t>> by_bench;
  for (const std::size_t r : steady) by_bench[rounds.benches.empty() ? 0 : rounds.benches[r]].push_back(r);
  for (std::vector<double>& times : of_finalists)
    for (const auto& [bench, own] : by_bench) divide_by_median(times, own);
  std::erase_if(steady, [&](std::size_t r) { return is_off(of_finalists, r, protocol); });
  return steady;
}

bool is_looked_at(std::size_t rounds, const Protocol& protocol, std::size_t added) {
  if (added > 1 && is_looked_at(rounds - 1, protocol, added - 1)) return true;
  const int done = static_cast<int>(rounds);
  int every = protocol.look_every;
  while (done >= rounds_to_look_less * every) every *= 2;
  return done >= protocol.final_rounds_min && done % every == 0;
}

std::size_t rounds_ahead(std::size_t done, double seconds, const Protocol& protocol) {
  if (done == 0) return 1;
  const double each = seconds / static_cast<double>(done);
  const auto is_last = [&](std::size_t rounds) {
    return is_looked_at(rounds, protocol) || static_cast<int>(rounds) >= protocol.final_rounds_max;
  };
  std::size_t ahead = 1;
  while (!is_last(done + ahead) && static_cast<double>(ahead + 1) * each <= protocol.ahead_seconds) ++ahead;
  return ahead;
}

bool needs_another_round(std::size_t rounds, double seconds, const Protocol& protocol,
                         const std::function<double()>& half_width, std::size_t added) {
  if (rounds == 0) return true;
  if (static_cast<int>(rounds) >= protocol.final_rounds_max || seconds >= protocol.final_seconds) return false;
  return !is_looked_at(rounds, protocol, added) || half_width() > protocol.settled_log_ratio;
}

bool is_settled(std::size_t rounds, double half_width, const Protocol& protocol) {
  return static_cast<int>(rounds) >= protocol.final_rounds_min && half_width <= protocol.settled_log_ratio;
}

double typical_half_width(const std::vector<Finalist>& finalists, const RoundTimes& values, const Protocol& protocol,
                          const Benches& benches) {
  const std::size_t fastest = by_median({values, benches}).front();
  std::vector<double> widths;
  for (std::size_t f = 0; f < finalists.size(); ++f) {
    if (f == fastest) continue;
    const Strata ratios = paired_log_ratios({values, benches}, f, fastest);
    if (!is_behind(ratios, finalists[f], protocol)) widths.push_back(expected_half_width(ratios));
  }
  return widths.empty() ? 0 : median(widths);
}

double widest_half_width(const RoundTimes& values, const Benches& benches) {
  double widest = 0;
  for (std::size_t f = 1; f < values.front().size(); ++f)
    widest = std::max(widest, expected_half_width(paired_log_ratios({values, benches}, f, 0)));
  return widest;
}

std::vector<std::size_t> beaten(const std::vector<Finalist>& finalists, const RoundTimes& values,
                                const Protocol& protocol, const Benches& benches) {
  std::vector<std::size_t> behind;
  const std::size_t fastest = by_median({values, benches}).front();
  for (std::size_t f = 0; f < finalists.size(); ++f) {
    const bool stays = f == fastest || finalists[f].is_default || finalists[f].is_record;
    if (!stays && is_behind(paired_log_ratios({values, benches}, f, fastest), finalists[f], protocol))
      behind.push_back(f);
  }
  return behind;
}

FinalDecision decide(const std::vector<Finalist>& finalists, const FinalRounds& rounds, const Protocol& protocol) {
  const auto found = std::find_if(finalists.begin(), finalists.end(), [](const Finalist& f) { return f.is_default; });
  const std::size_t all = rounds.times_ns.size();

  FinalDecision decision;
  decision.used = steady_rounds(rounds, protocol);
  decision.rounds_dropped = all - decision.used.size();
  decision.rounds_throttled =
      static_cast<std::size_t>(std::count(rounds.throttled.begin(), rounds.throttled.end(), true));
  if (static_cast<double>(decision.rounds_dropped) > protocol.dropped_rounds_max * static_cast<double>(all)) {
    decision.unstable = true;
    decision.used.resize(all);  // which rounds are steady is unsure, so all count, and the record is marked
    std::iota(decision.used.begin(), decision.used.end(), std::size_t{0});
  }
  if (decision.used.size() < least_rounds) decision.unstable = true;

  const RoundTimes used_values = chosen(rounds.values, decision.used);
  const Benches benches = chosen(rounds.benches, decision.used);
  const Blocks values{used_values, benches};
  const auto typical = [&](const RoundTimes& times, std::size_t finalist) {
    return median(by_bench(column(times, finalist), benches));
  };
  choose(finalists, values, protocol, decision);
  if (!benches.empty()) choose_for_all(values, protocol, decision);
  decision.half_width = typical_half_width(finalists, rounds.values, protocol, rounds.benches);
  decision.is_settled = finalists.size() < 2 || is_settled(all, decision.half_width, protocol);
  for (std::size_t f = 0; f < finalists.size(); ++f)
    if (f != decision.winner && is_open(values, f, decision.winner, protocol)) decision.is_settled = false;
  const RoundTimes times = chosen(rounds.times_ns, decision.used);
  decision.median_ns = typical(times, decision.winner);
  decision.value = typical(used_values, decision.winner);
  std::optional<std::size_t> by_default;
  if (found != finalists.end()) by_default = static_cast<std::size_t>(found - finalists.begin());
  fill_boards(by_default, rounds, decision);
  if (!by_default) return decision;
  decision.default_ns = typical(times, *by_default);
  decision.default_value = typical(used_values, *by_default);
  fill_speedup(*by_default, values, decision);
  return decision;
}

}  // namespace attune
