// Simulated annealing on ratios. A neighbour that is slower by the factor r is accepted with probability
// r^(-1/temperature), whatever the unit. Walking over known configurations costs nothing.
#include <cmath>
#include <map>

#include "search/moves.hpp"
#include "search/table.hpp"

namespace attune {
namespace {

constexpr int free_steps = 30;  // over known configurations at most, for one proposal

class Annealing final : public Strategy {
 public:
  Annealing(const SearchSpace& space, std::uint64_t seed, const StrategyOptions& options)
      : space_(space),
        ledger_(space, seed),
        random_(~seed),
        hottest_(options.number("temperature")),
        coldest_(options.number("end")),
        cooling_(options.number("cooling")),
        far_(options.number("far")),
        patience_(options.count("patience")),
        restarts_anywhere_(options.count("restart") == 0),
        sample_(options.count("sample")),
        temperature_(hottest_) {}

  std::optional<Row> ask() override {
    if (ledger_.proposed() < sample_ || !at_) return remember(ledger_.claim_random());
    Row row(at_->row.size());
    for (int step = 0; step < free_steps; ++step) {
      const auto kind = chance(far_, random_) ? Neighbourhood::any_value : Neighbourhood::adjacent_value;
      if (!space_.random_neighbour(at_->row, kind, random_, row)) continue;
      if (const Outcome* known = ledger_.outcome(row)) {
        if (accepts(cost(*known))) at_ = RatedRow{row, known->objective};
      } else if (ledger_.claim(row)) {
        return remember(row);
      }
    }
    return remember(claim_near(ledger_, space_, at_->row, random_));
  }

  void tell(RowView row, const Outcome& outcome) override {
    ledger_.tell(row, outcome);
    const auto mine = proposed_.extract(Row(row.begin(), row.end()));
    if (mine && mine.mapped() != restarts_) return;  // it would lead back to where the walk was before the restart
    const bool is_mine = !mine.empty();
    const bool is_sample = ledger_.told() <= sample_;
    ++since_better_;
    if (outcome.valid && outcome.objective < least_) {
      least_ = outcome.objective;
      since_better_ = 0;
    }
    const double here = at_ ? at_->objective : never;
    if (cost(outcome) < here || (is_mine && !is_sample && accepts(cost(outcome))))
      at_ = RatedRow{Row(row.begin(), row.end()), outcome.objective};
    if (is_sample) return;
    temperature_ = std::max(temperature_ * cooling_, coldest_);
    if (since_better_ >= patience_) restart();
  }

 private:
  bool accepts(double cost) {
    if (cost == never) return false;
    return cost <= at_->objective || unit_below(random_) < std::pow(at_->objective / cost, 1 / temperature_);
  }

  void restart() {
    ++restarts_;
    since_better_ = 0;
    temperature_ = hottest_;
    at_ = ledger_.best();
    if (!restarts_anywhere_) return;
    least_ = never;  // the best of this run alone
    at_.reset();     // the next proposals are random until an outcome comes
  }

  std::optional<Row> remember(std::optional<Row> row) {
    if (row) proposed_.emplace(*row, restarts_);
    return row;
  }

  const SearchSpace& space_;
  Ledger ledger_;
  std::mt19937_64 random_;
  const double hottest_, coldest_, cooling_, far_;
  const std::size_t patience_;
  const bool restarts_anywhere_;
  const std::size_t sample_;
  double temperature_;
  std::optional<RatedRow> at_;
  std::map<Row, std::size_t> proposed_;  // without an outcome yet: the restarts so far when each was proposed
  std::size_t restarts_ = 0;
  double least_ = never;  // since the last restart from anywhere
  std::size_t since_better_ = 0;
};

}  // namespace

StrategyEntry annealing_strategy() {
  return {
      "annealing",
      "simulated annealing on the ratio of objectives, with restarts",
      {{"temperature", "at the start: 0.1 accepts what is 7 % slower every second time", 0.08, 1e-6, 100, false, {}},
       {"end", "the least temperature", 0.002, 1e-9, 100, false, {}},
       {"cooling", "factor on the temperature per trial", 0.99, 0.01, 1, false, {}},
       {"far",
        "share of proposals that move a parameter to any value; others move it to the next",
        0.5,
        0,
        1,
        false,
        {}},
       {"patience", "trials without a better one before a restart", 50, 1, 1e9, true, {}},
       {"restart", "from anywhere, or from the best so far", 1, 0, 1, true, {"random", "best"}},
       {"sample", "random configurations at the start", 20, 1, 1e6, true, {}}},
      [](const SearchSpace& space, std::uint64_t seed, const StrategyOptions& options) {
        return std::make_unique<Annealing>(space, seed, options);
      }};
}

}  // namespace attune
