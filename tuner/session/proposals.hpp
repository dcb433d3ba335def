// Proposals: what a session tries next: the warm start, then what its strategy asks for, each legal configuration once.
// The strategy is told of all, whoever proposed them. One thread; space and strategy must outlive it.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "attune/strategy.hpp"

namespace attune {

class Proposals {
 public:
  // `name`: what messages call the strategy.
  Proposals(const SearchSpace& space, Strategy& strategy, std::string name)
      : space_(space), strategy_(strategy), name_(std::move(name)) {}

  // Legal rows to try before the strategy is asked. Those tried already are left out. Returns how many are new.
  std::size_t warm_start(const std::vector<Row>& rows);
  // The next to try; it counts as under way until it is told. Nothing: there is none before another outcome is told,
  // or, when none is under way, none at all. Throws Error for a strategy that proposes what is not legal, or what was
  // tried over and over again while something is left.
  std::optional<Row> next();
  // Somebody else's choice is under way.
  void begin(RowView row) { under_way_.emplace(row.begin(), row.end()); }
  // What became of a legal row: a proposal, or one known from elsewhere.
  void tell(RowView row, const Outcome& outcome);
  // Whether nothing is left, to try or under way. Asks the strategy, so it is the last question. Throws nothing of its
  // own.
  bool is_exhausted();

 private:
  enum class Answer { fresh, none, repeats, illegal };
  Answer ask(std::optional<Row>& row);
  bool is_everything_tried() const;

  const SearchSpace& space_;
  Strategy& strategy_;
  const std::string name_;
  std::deque<Row> warm_;
  std::set<Row> under_way_;
  std::map<Row, Outcome> told_;
};

}  // namespace attune
