// Tabu search: moves to a better neighbour, else to the best of some neighbours even if it is worse. For a number of
// moves a parameter does not return to a value that it just had, so that the search leaves the valleys that it has
// seen.
#include <set>

#include "search/moves.hpp"
#include "search/table.hpp"

namespace attune {
namespace {

constexpr int free_moves = 10;  // over known configurations at most, for one proposal

class Tabu final : public Strategy {
 public:
  Tabu(const SearchSpace& space, std::uint64_t seed, const StrategyOptions& options)
      : space_(space),
        ledger_(space, seed),
        random_(~seed),
        breadth_(options.count("breadth")),
        tenure_(options.count("tenure")),
        patience_(options.count("patience")),
        kick_(options.count("kick")),
        sample_(options.count("sample")),
        tabu_until_(space.parameters().size()) {
    for (std::size_t i = 0; i < tabu_until_.size(); ++i) tabu_until_[i].resize(space.parameters()[i].values.size());
  }

  std::optional<Row> ask() override {
    if (ledger_.proposed() < sample_ || !ledger_.best()) return remember(ledger_.claim_random());
    if (at_.empty()) move(*ledger_.best());
    for (int i = 0; i < free_moves; ++i) {
      while (next_ < near_.size()) {
        const Row& row = near_[next_++];
        if (ledger_.claim(row)) return remember(row);
      }
      if (!leave()) break;
    }
    return remember(claim_near(ledger_, space_, at_, random_));
  }

  void tell(RowView row, const Outcome& outcome) override {
    const double least = ledger_.best() ? ledger_.best()->objective : never;
    ledger_.tell(row, outcome);
    if (proposed_.erase(Row(row.begin(), row.end())) == 0) return;  // from before a restart, or from elsewhere
    since_better_ = cost(outcome) < least ? 0 : since_better_ + 1;
    if (!at_.empty() && cost(outcome) < cost_) move({Row(row.begin(), row.end()), outcome.objective});
  }

 private:
  // Moves to the best neighbour, or elsewhere. Returns false if outcomes must come first.
  bool leave() {
    std::optional<RatedRow> best;
    for (const Row& row : near_) {
      const Outcome* const known = ledger_.outcome(row);
      if (known == nullptr) return false;
      if (known->valid && (!best || known->objective < best->objective)) best = RatedRow{row, known->objective};
    }
    if (best && since_better_ < patience_) {
      move(*best);
    } else {
      restart();
    }
    return true;
  }

  void move(const RatedRow& to) {
    for (std::size_t i = 0; i < at_.size(); ++i) {
      if (at_[i] != to.row[i]) tabu_until_[i][at_[i]] = moves_ + tenure_;
    }
    ++moves_;
    at_ = to.row;
    cost_ = to.objective;
    near_.clear();
    next_ = 0;
    space_.for_each_neighbour(at_, Neighbourhood::any_value, [&](RowView near) {
      const auto off =
          static_cast<std::size_t>(std::mismatch(near.begin(), near.end(), at_.begin()).first - near.begin());
      if (tabu_until_[off][near[off]] < moves_) near_.emplace_back(near.begin(), near.end());
      return true;
    });
    shuffle(near_, random_);
    near_.resize(std::min(near_.size(), breadth_));
  }

  // Moves some random changes away from the best.
  void restart() {
    since_better_ = 0;
    for (auto& untils : tabu_until_) std::fill(untils.begin(), untils.end(), 0);
    at_ = ledger_.best()->row;
    for (std::size_t i = 0; i < kick_; ++i) space_.random_neighbour(Row(at_), Neighbourhood::any_value, random_, at_);
    cost_ = never;
    near_ = {at_};
    next_ = 0;
    proposed_.clear();  // their late outcomes would lead back
  }

  std::optional<Row> remember(std::optional<Row> row) {
    if (row) proposed_.insert(*row);
    return row;
  }

  const SearchSpace& space_;
  Ledger ledger_;
  std::mt19937_64 random_;
  const std::size_t breadth_, tenure_, patience_, kick_, sample_;
  std::vector<std::vector<std::size_t>> tabu_until_;  // by parameter and position: a number of moves
  std::size_t moves_ = 0, since_better_ = 0;
  Row at_;  // empty before the first move
  double cost_ = never;
  std::vector<Row> near_;  // possible moves
  std::size_t next_ = 0;
  std::set<Row> proposed_;  // since the last restart, without an outcome
};

}  // namespace

StrategyEntry tabu_strategy() {
  return {"tabu",
          "tabu search: to the best neighbour, even a worse one, and not back",
          {{"breadth", "neighbours that are tried before a worse one is taken", 5, 1, 1e6, true, {}},
           {"tenure", "moves for which a parameter does not get its last value back", 5, 0, 1e6, true, {}},
           {"patience", "trials without a better one before a restart", 30, 1, 1e9, true, {}},
           {"kick", "random changes by which a restart is away from the best", 3, 1, 100, true, {}},
           {"sample", "random configurations at the start", 40, 1, 1e6, true, {}}},
          [](const SearchSpace& space, std::uint64_t seed, const StrategyOptions& options) {
            return std::make_unique<Tabu>(space, seed, options);
          }};
}

}  // namespace attune
