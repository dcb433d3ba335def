// Proposals: what a session tries next: first the warm start, then the strategy's proposals, each legal configuration
// once. The strategy receives all outcomes, whatever their source. One thread; what the references refer to must
// outlive the object.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "attune/strategy.hpp"
#include "session/candidates.hpp"

namespace attune {

class Proposals {
 public:
  Proposals(const SearchSpace& space, Strategy& strategy, std::string name, Candidates& candidates)
      : space_(space), strategy_(strategy), name_(std::move(name)), candidates_(candidates) {}

  // Adds legal rows to try before the strategy is asked, in the order of the calls. Leaves out rows that were added or
  // tried before. Returns how many rows were added.
  std::size_t warm_start(const std::vector<Row>& rows);
  // Returns the next row to try, which is under way until its outcome comes. Returns nothing if no row can be proposed
  // before another outcome; with no row under way, this means that none is left. Throws Error for a strategy that
  // proposes illegal rows, or only tried rows while others are left.
  std::optional<Row> next();
  // Notes that a row chosen elsewhere is under way.
  void begin(RowView row);
  // Passes on the outcome of a legal row: a proposal, or one known from elsewhere.
  void tell(RowView row, const Outcome& outcome);
  // Returns whether no row is left to try and none is under way. Ask this last, because it asks the strategy for a
  // proposal. Throws only what the strategy throws.
  bool is_exhausted();

 private:
  enum class ProposalKind { fresh, none, repeats, illegal };
  ProposalKind ask(std::optional<Row>& row);
  bool is_everything_tried() const;
  bool is_fresh(RowView row) const;

  const SearchSpace& space_;
  Strategy& strategy_;
  const std::string name_;
  std::deque<Row> warm_;
  Candidates& candidates_;
};

}  // namespace attune
