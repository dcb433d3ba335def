#include "space/stages/order.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>

namespace attune::space {
namespace {

constexpr std::size_t most_compared = 8;     // variables: below, all orders are compared, with 2^8 estimates in about
                                             // 0.1 ms
constexpr std::size_t most_estimates = 300;  // of greedy walks, about 0.1 ms; there is always one walk
constexpr std::size_t most_cheap_estimates = 4000;  // the same where only tables are estimated
constexpr double infinite = std::numeric_limits<double>::infinity();

struct CostedOrder {
  std::vector<std::uint32_t> order;
  double cost = 0;  // states of all steps, times values
};

VariableSet only(std::size_t variable) { return VariableSet{1} << variable; }

// Estimates the combinations of those bound variables that some rule still needs, less the share that rules among these
// variables forbid.
double open_combinations(VariableSet bound, const std::vector<std::size_t>& widths, const std::vector<Tie>& ties) {
  VariableSet open = 0;
  for (const Tie& tie : ties) {
    if ((tie.members & ~bound) != 0) open |= tie.members & bound;
  }
  double states = 1;
  for (VariableSet rest = open; rest != 0; rest &= rest - 1)
    states *= static_cast<double>(widths[static_cast<std::size_t>(std::countr_zero(rest))]);
  for (const Tie& tie : ties) {
    if ((tie.members & ~open) == 0) states *= tie.density;
  }
  return std::min(states, most_states);
}

// Takes, at each step, the variable that leaves the fewest states; among equal ones the first.
CostedOrder greedy_from(std::uint32_t first, const std::vector<std::size_t>& widths, const StateEstimate& estimate,
                        double most) {
  CostedOrder walk;
  VariableSet bound = 0;
  double states = 1;
  std::uint32_t next = first;
  for (std::size_t step = 0; step < widths.size() && (walk.cost < most || most == infinite); ++step) {
    double least = infinite;
    for (std::uint32_t v = 0; step > 0 && v < widths.size(); ++v) {
      const double behind = (bound & only(v)) != 0 ? infinite : estimate(bound | only(v));
      if (behind >= least) continue;
      least = behind;
      next = v;
    }
    bound |= only(next);
    walk.order.push_back(next);
    walk.cost += states * static_cast<double>(widths[next]);
    states = step > 0 ? least : estimate(bound);
  }
  return walk;
}

// Returns the best of the walks from each of the first `starts` variables.
std::vector<std::uint32_t> greedy(const std::vector<std::size_t>& widths, const StateEstimate& estimate,
                                  std::size_t starts) {
  CostedOrder best;
  best.cost = infinite;
  for (std::uint32_t first = 0; first < std::min(starts, widths.size()); ++first) {
    CostedOrder walk = greedy_from(first, widths, estimate, best.cost);
    if (best.order.empty() || walk.cost < best.cost) best = std::move(walk);
  }
  return best.order;
}

// Computes the least cost of binding each set of variables, smaller sets first, then goes back along the least costs.
std::vector<std::uint32_t> best_of_all(const std::vector<std::size_t>& widths, const StateEstimate& estimate) {
  const std::size_t count = widths.size(), sets = std::size_t{1} << count;
  std::vector<double> cost(sets, infinite);
  std::vector<std::uint8_t> last(sets);
  cost[0] = 0;
  for (VariableSet bound = 0; bound + 1 < sets; ++bound) {
    const double states = bound == 0 ? 1 : estimate(bound);
    for (std::size_t v = 0; v < count; ++v) {
      if ((bound & only(v)) != 0) continue;
      const double now = cost[bound] + states * static_cast<double>(widths[v]);
      if (now >= cost[bound | only(v)]) continue;
      cost[bound | only(v)] = now;
      last[bound | only(v)] = static_cast<std::uint8_t>(v);
    }
  }
  std::vector<std::uint32_t> order;
  for (VariableSet bound = sets - 1; bound != 0; bound &= ~only(order.back())) order.push_back(last[bound]);
  std::reverse(order.begin(), order.end());
  return order;
}

// A greedy walk over n variables makes about n^2 / 2 estimates.
std::size_t starts_for(std::size_t variables, std::size_t estimates) {
  return std::max<std::size_t>(1, estimates / (variables * variables));
}

std::vector<std::uint32_t> as_they_are(std::size_t count) {
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0u);
  return order;
}

}  // namespace

std::vector<std::uint32_t> choose_order(const std::vector<std::size_t>& widths, const std::vector<Tie>& ties) {
  if (widths.size() > most_ordered || widths.size() <= 2) return as_they_are(widths.size());
  const auto estimate = [&](VariableSet bound) { return open_combinations(bound, widths, ties); };
  return greedy(widths, estimate, starts_for(widths.size(), most_cheap_estimates));
}

std::vector<std::uint32_t> choose_order(const std::vector<std::size_t>& widths, const StateEstimate& states) {
  if (widths.size() > most_ordered || widths.size() <= 1) return as_they_are(widths.size());
  return widths.size() <= most_compared ? best_of_all(widths, states)
                                        : greedy(widths, states, starts_for(widths.size(), most_estimates));
}

}  // namespace attune::space
