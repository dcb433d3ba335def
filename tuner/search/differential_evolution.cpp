// Differential evolution on value positions: a member of the population moves along the difference of two others. The
// result is rounded to values and repaired to a legal configuration. The result takes the member's place if it is
// better.
#include <map>

#include "search/moves.hpp"
#include "search/table.hpp"

namespace attune {
namespace {

enum Base : std::size_t { rand, best, current_to_best };

class DifferentialEvolution final : public Strategy {
 public:
  DifferentialEvolution(const SearchSpace& space, std::uint64_t seed, const StrategyOptions& options)
      : space_(space),
        cube_(space),
        ledger_(space, seed),
        random_(~seed),
        members_(options.count("population")),
        base_(options.count("base")),
        factor_(options.number("factor")),
        crossover_(options.number("crossover")) {}

  std::optional<Row> ask() override {
    const std::size_t target = turn_++ % members_.size();
    const auto known = [](const Member& member) { return !member.row.empty(); };
    const auto told = std::count_if(members_.begin(), members_.end(), known);
    std::optional<Row> row;
    if (turn_ <= members_.size() || told < 4 || !known(members_[target])) {
      row = ledger_.claim_random();
    } else {
      Row moved = repaired(space_, cube_.row(mutant(target)), members_[target].row, random_);
      row = ledger_.claim(moved) ? moved : claim_near(ledger_, space_, moved, random_);
    }
    if (row) waiting_[*row] = target;
    return row;
  }

  void tell(RowView row, const Outcome& outcome) override {
    ledger_.tell(row, outcome);
    const auto found = waiting_.find(Row(row.begin(), row.end()));
    std::size_t target = 0;
    if (found != waiting_.end()) {
      target = found->second;
      waiting_.erase(found);
    } else {  // known from elsewhere: the row may replace the worst member
      for (std::size_t i = 1; i < members_.size(); ++i) {
        if (members_[i].cost > members_[target].cost) target = i;
      }
    }
    if (!(cost(outcome) < members_[target].cost)) return;
    members_[target] = {Row(row.begin(), row.end()), cube_.point(row), outcome.objective};
  }

 private:
  struct Member {
    Row row;  // empty until a valid one is known
    std::vector<double> point;
    double cost = never;
  };

  const Member& any() {
    for (;;) {
      const Member& member = members_[below(members_.size(), random_)];
      if (!member.row.empty()) return member;
    }
  }

  const Member& fittest() const {
    return *std::min_element(members_.begin(), members_.end(),
                             [](const Member& a, const Member& b) { return a.cost < b.cost; });
  }

  std::vector<double> mutant(std::size_t target) {
    const Member& here = members_[target];
    const Member& first = any();
    const Member& second = any();
    const Member& origin = base_ == rand ? any() : fittest();
    std::vector<double> point = here.point;
    const std::size_t always = below(point.size(), random_);
    for (std::size_t i = 0; i < point.size(); ++i) {
      if (i != always && !chance(crossover_, random_)) continue;
      double from = origin.point[i];
      if (base_ == current_to_best) from = here.point[i] + factor_ * (origin.point[i] - here.point[i]);
      point[i] = from + factor_ * (first.point[i] - second.point[i]);
    }
    return point;
  }

  const SearchSpace& space_;
  const UnitCube cube_;
  Ledger ledger_;
  std::mt19937_64 random_;
  std::vector<Member> members_;
  const std::size_t base_;
  const double factor_, crossover_;
  std::size_t turn_ = 0;
  std::map<Row, std::size_t> waiting_;  // by proposal: the member that it may replace
};

}  // namespace

StrategyEntry differential_evolution_strategy() {
  return {"differential_evolution",
          "differential evolution on value positions, repaired to legal configurations",
          {{"population", "members", 25, 4, 1e5, true, {}},
           {"base", "the position that a difference is added to", 1, 0, 2, true, {"rand", "best", "current_to_best"}},
           {"factor", "of the difference", 0.8, 0, 2, false, {}},
           {"crossover", "share of the parameters that change", 0.4, 0, 1, false, {}}},
          [](const SearchSpace& space, std::uint64_t seed, const StrategyOptions& options) {
            return std::make_unique<DifferentialEvolution>(space, seed, options);
          }};
}

}  // namespace attune
