// A genetic algorithm over legal configurations. A child of two good configurations is repaired to the nearest legal
// one; mutation moves to a legal neighbour. A generation ends after a number of outcomes, whichever they are, so that
// late outcomes delay nothing.
#include "search/moves.hpp"
#include "search/table.hpp"

namespace attune {
namespace {

enum Crossover : std::size_t { uniform, single_point, two_point };

class Genetic final : public Strategy {
 public:
  Genetic(const SearchSpace& space, std::uint64_t seed, const StrategyOptions& options)
      : space_(space),
        ledger_(space, seed),
        random_(~seed),
        size_(options.count("population")),
        children_per_generation_(options.count("children")),
        elite_(options.count("elite")),
        tournament_(options.count("tournament")),
        crossover_(options.count("crossover")),
        mutation_(options.number("mutation")) {}

  std::optional<Row> ask() override {
    if (ledger_.proposed() < size_ || parents_.empty()) return ledger_.claim_random();
    const Row& mother = parent();
    Row child = crossed(mother, parent());
    child = repaired(space_, child, mother, random_);
    if (chance(mutation_, random_)) space_.random_neighbour(Row(child), Neighbourhood::any_value, random_, child);
    if (ledger_.claim(child)) return child;
    return claim_near(ledger_, space_, child, random_);
  }

  void tell(RowView row, const Outcome& outcome) override {
    ledger_.tell(row, outcome);
    if (outcome.valid) children_.push_back({Row(row.begin(), row.end()), outcome.objective});
    ++told_;
    if (told_ < (parents_.empty() ? size_ : children_per_generation_) || children_.empty()) return;
    next_generation();
  }

 private:
  void next_generation() {
    parents_.resize(std::min(parents_.size(), elite_));  // they are sorted
    parents_.insert(parents_.end(), children_.begin(), children_.end());
    std::stable_sort(parents_.begin(), parents_.end(),
                     [](const RatedRow& a, const RatedRow& b) { return a.objective < b.objective; });
    parents_.resize(std::min(parents_.size(), size_));
    children_.clear();
    told_ = 0;
  }

  const Row& parent() {
    std::size_t best = below(parents_.size(), random_);
    for (std::size_t i = 1; i < tournament_; ++i) best = std::min(best, below(parents_.size(), random_));
    return parents_[best].row;
  }

  Row crossed(const Row& mother, const Row& father) {
    Row child = mother;
    std::size_t from = 0, to = child.size();
    if (crossover_ == uniform) {
      for (std::size_t i = 0; i < child.size(); ++i) child[i] = (random_() >> 63) != 0 ? father[i] : mother[i];
      return child;
    }
    from = below(child.size() + 1, random_);
    if (crossover_ == two_point) to = below(child.size() + 1, random_);
    if (from > to) std::swap(from, to);
    for (std::size_t i = from; i < to; ++i) child[i] = father[i];
    return child;
  }

  const SearchSpace& space_;
  Ledger ledger_;
  std::mt19937_64 random_;
  const std::size_t size_, children_per_generation_, elite_, tournament_, crossover_;
  const double mutation_;
  std::vector<RatedRow> parents_;   // best first
  std::vector<RatedRow> children_;  // valid outcomes since the generation began
  std::size_t told_ = 0;            // invalid ones included
};

}  // namespace

StrategyEntry genetic_strategy() {
  return {"genetic",
          "genetic algorithm; illegal children are repaired to the nearest legal configuration",
          {{"population", "configurations that may become parents", 40, 2, 1e5, true, {}},
           {"children", "trials per generation", 20, 1, 1e5, true, {}},
           {"elite", "parents that live on where their children are worse", 20, 0, 1e5, true, {}},
           {"tournament", "parents are the best of so many random ones", 3, 1, 100, true, {}},
           {"crossover", "how a child mixes its parents", 0, 0, 2, true, {"uniform", "single_point", "two_point"}},
           {"mutation", "share of children that move to a neighbour", 0.2, 0, 1, false, {}}},
          [](const SearchSpace& space, std::uint64_t seed, const StrategyOptions& options) {
            return std::make_unique<Genetic>(space, seed, options);
          }};
}

}  // namespace attune
