// Greedy local search: walks from the best of a few random configurations to better neighbours while there are some,
// then begins another walk elsewhere. While a walk waits for outcomes, further walks begin, so that there is always a
// proposal.
#include <map>

#include "search/moves.hpp"
#include "search/table.hpp"

namespace attune {
namespace {

struct Change {
  std::uint16_t parameter = 0, position = 0;
  std::size_t group = 0;  // all changes of a group are tried before the best of them is taken
};

struct Walk {
  Row at;
  double cost = never;
  bool is_open = false;  // the outcome of its start is known
  std::vector<Change> changes;
  std::size_t next = 0, waiting = 0;
  std::optional<RatedRow> better;
  bool between_groups() const {
    return next == changes.size() || (next > 0 && changes[next].group != changes[next - 1].group);
  }
  bool is_done() const { return is_open && next == changes.size() && waiting == 0 && !better; }
};

enum Surrounding : std::size_t { hamming, adjacent, coordinate };

class Local final : public Strategy {
 public:
  Local(const SearchSpace& space, std::uint64_t seed, const StrategyOptions& options)
      : space_(space),
        ledger_(space, seed),
        random_(~seed),
        surrounding_(options.count("neighbourhood")),
        takes_first_(options.count("improvement") == 0),
        perturbs_(options.count("restart") == 1),
        sample_(options.count("sample")),
        kick_(options.count("kick")) {}

  std::optional<Row> ask() override {
    if (ledger_.proposed() < sample_) return ledger_.claim_random();
    for (;;) {
      for (auto& [number, walk] : walks_) {
        if (auto row = next_of(number, walk)) return row;
      }
      std::erase_if(walks_, [](const auto& entry) { return entry.second.is_done(); });
      if (walks_begun_ == 0 && ledger_.best()) {
        Walk& first = walks_[walks_begun_++];
        move(first, *ledger_.best());
        continue;
      }
      auto start = perturbs_ && ledger_.best() ? kicked(ledger_.best()->row) : ledger_.claim_random();
      if (!start) return std::nullopt;
      waiting_[*start] = walks_begun_;
      walks_[walks_begun_++].waiting = 1;
      return start;
    }
  }

  void tell(RowView row, const Outcome& outcome) override {
    ledger_.tell(row, outcome);
    const auto found = waiting_.find(Row(row.begin(), row.end()));
    if (found == waiting_.end()) return;
    Walk& walk = walks_[found->second];
    --walk.waiting;
    if (walk.is_open) {
      consider(walk, row, cost(outcome));
    } else if (outcome.valid) {
      move(walk, {found->first, outcome.objective});
    } else {
      walk.is_open = true;  // and the walk ends, because its start is invalid
    }
    waiting_.erase(found);
  }

 private:
  // Returns nothing while the walk must wait, because the best of a group is known only after all its outcomes.
  std::optional<Row> next_of(std::size_t number, Walk& walk) {
    if (!walk.is_open) return std::nullopt;
    for (;;) {
      const bool ends_group = walk.between_groups();
      if (!takes_first_ && ends_group && walk.waiting > 0) return std::nullopt;
      if (walk.better && (takes_first_ || ends_group)) {
        const RatedRow better = *walk.better;
        move(walk, better);
      }
      if (walk.next == walk.changes.size()) return std::nullopt;
      const Change& change = walk.changes[walk.next++];
      Row row = walk.at;
      row[change.parameter] = change.position;
      if (const Outcome* known = ledger_.outcome(row)) {
        consider(walk, row, cost(*known));
      } else if (ledger_.claim(row)) {
        waiting_[row] = number;
        ++walk.waiting;
        return row;
      }
    }
  }

  void consider(Walk& walk, RowView row, double cost) {
    const double least = walk.better ? walk.better->objective : walk.cost;
    if (cost < least) walk.better = RatedRow{Row(row.begin(), row.end()), cost};
  }

  void move(Walk& walk, const RatedRow& to) {
    walk.at = to.row;
    walk.cost = to.objective;
    walk.is_open = true;
    walk.better.reset();
    walk.next = 0;
    walk.changes.clear();
    const auto kind = surrounding_ == adjacent ? Neighbourhood::adjacent_value : Neighbourhood::any_value;
    space_.for_each_neighbour(walk.at, kind, [&](RowView near) {
      const auto off =
          static_cast<std::size_t>(std::mismatch(near.begin(), near.end(), walk.at.begin()).first - near.begin());
      walk.changes.push_back({static_cast<std::uint16_t>(off), near[off], 0});
      return true;
    });
    shuffle(walk.changes, random_);
    if (surrounding_ == coordinate) group_by_parameter(walk.changes);
  }

  void group_by_parameter(std::vector<Change>& changes) {
    std::vector<std::size_t> order(space_.parameters().size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    shuffle(order, random_);
    for (Change& change : changes) change.group = order[change.parameter];
    std::stable_sort(changes.begin(), changes.end(),
                     [](const Change& a, const Change& b) { return a.group < b.group; });
  }

  // Returns a fresh configuration some random changes away.
  std::optional<Row> kicked(const Row& from) {
    Row row = from;
    for (std::size_t i = 0; i < kick_; ++i) space_.random_neighbour(Row(row), Neighbourhood::any_value, random_, row);
    if (ledger_.claim(row)) return row;
    return claim_near(ledger_, space_, row, random_);
  }

  const SearchSpace& space_;
  Ledger ledger_;
  std::mt19937_64 random_;
  const std::size_t surrounding_;
  const bool takes_first_, perturbs_;
  const std::size_t sample_, kick_;
  std::map<std::size_t, Walk> walks_;  // by number
  std::size_t walks_begun_ = 0;
  std::map<Row, std::size_t> waiting_;  // by configuration: the walk that waits for it
};

}  // namespace

StrategyEntry local_strategy() {
  return {
      "local",
      "greedy local search with restarts",
      {{"neighbourhood",
        "one parameter to any value, to the next one, or each parameter in turn",
        2,
        0,
        2,
        true,
        {"hamming", "adjacent", "coordinate"}},
       {"improvement", "move to the first better neighbour, or to the best of all", 1, 0, 1, true, {"first", "best"}},
       {"restart", "from anywhere, or from near the best so far", 1, 0, 1, true, {"random", "perturb"}},
       {"kick", "random changes by which a perturbed restart is away", 3, 1, 100, true, {}},
       {"sample", "random configurations before the first walk", 40, 0, 1e6, true, {}}},
      [](const SearchSpace& space, std::uint64_t seed, const StrategyOptions& options) {
        return std::make_unique<Local>(space, seed, options);
      }};
}

}  // namespace attune
