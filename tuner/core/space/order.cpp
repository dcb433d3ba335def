#include "core/space/order.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace attune::space {
namespace {

using Set = std::uint64_t;  // of variables
constexpr std::size_t most_variables = 64;

struct TieSet {
  Set members;
  double density;
};

// How many nodes there may be behind a set of bound variables: combinations of those among them that a rule still looks
// at, less what the rules within them forbid.
double frontier(Set bound, const std::vector<double>& widths, const std::vector<TieSet>& ties) {
  Set live = 0;
  for (const TieSet& tie : ties) {
    if ((tie.members & ~bound) != 0) live |= tie.members & bound;
  }
  double nodes = 1;
  for (Set rest = live; rest != 0; rest &= rest - 1) nodes *= widths[static_cast<std::size_t>(__builtin_ctzll(rest))];
  for (const TieSet& tie : ties) {
    if ((tie.members & ~live) == 0) nodes *= tie.density;
  }
  return nodes;
}

struct Walk {
  std::vector<std::uint32_t> order;
  double cost = 0;  // nodes of all layers, times values
};

// Always the variable behind which there are the fewest nodes; of equal ones the first.
Walk greedy_from(std::uint32_t first, const std::vector<double>& widths, const std::vector<TieSet>& ties,
                 double bound_cost) {
  Walk walk;
  Set bound = 0;
  double nodes = 1;
  std::uint32_t next = first;
  for (std::size_t step = 0; step < widths.size(); ++step) {
    if (step > 0) {
      double least = std::numeric_limits<double>::infinity();
      for (std::uint32_t v = 0; v < widths.size(); ++v) {
        if ((bound >> v & 1) != 0) continue;
        const double behind = frontier(bound | Set{1} << v, widths, ties);
        if (behind >= least) continue;
        least = behind;
        next = v;
      }
    }
    bound |= Set{1} << next;
    walk.order.push_back(next);
    walk.cost += nodes * widths[next];
    nodes = frontier(bound, widths, ties);
    if (walk.cost >= bound_cost) break;
  }
  return walk;
}

}  // namespace

std::vector<std::uint32_t> choose_order(const std::vector<std::size_t>& widths, const std::vector<Tie>& ties) {
  std::vector<std::uint32_t> definition(widths.size());
  std::iota(definition.begin(), definition.end(), 0u);
  if (widths.size() > most_variables || widths.size() <= 2) return definition;
  std::vector<TieSet> sets;
  for (const Tie& tie : ties) {
    TieSet set{0, tie.density};
    for (const std::uint32_t member : tie.members) set.members |= Set{1} << member;
    sets.push_back(set);
  }
  const std::vector<double> real_widths(widths.begin(), widths.end());
  Walk best;
  best.cost = std::numeric_limits<double>::infinity();
  for (std::uint32_t first = 0; first < widths.size(); ++first) {
    Walk walk = greedy_from(first, real_widths, sets, best.cost);
    if (walk.cost < best.cost) best = std::move(walk);
  }
  return best.order;
}

}  // namespace attune::space
