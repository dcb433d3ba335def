// Ledger: a strategy's proposals and their outcomes, by configuration. A strategy uses it to propose nothing twice.
// Rows must be legal: a row without an index in the space throws Error. One thread; the space must outlive the ledger.
#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "attune/strategy.hpp"

namespace attune {

// A configuration with a valid outcome.
struct RatedRow {
  Row row;
  double objective = 0;
};

class Ledger {
 public:
  Ledger(const SearchSpace& space, std::uint64_t seed) : space_(space), fresh_(space, seed) {}

  // Marks a row as proposed. Returns false if the row was proposed or told before.
  bool claim(RowView row);
  bool is_claimed(RowView row) const;
  // Draws a row uniformly among those that are neither proposed nor told yet, and marks it as proposed. Returns nothing
  // when none is left.
  std::optional<Row> claim_random();

  void tell(RowView row, const Outcome& outcome);
  // Returns the outcome of a row, or null if there is none.
  const Outcome* outcome(RowView row) const;

  std::size_t proposed() const { return entries_.size(); }  // and told without a proposal
  std::size_t told() const { return told_; }
  std::size_t waiting() const { return entries_.size() - told_; }  // proposed, but not told yet
  const std::optional<RatedRow>& best() const { return best_; }    // valid ones only; the first among equals

 private:
  struct Hash {
    std::size_t operator()(SpaceSize index) const noexcept;
  };
  struct ToldRow {
    bool is_told = false;
    Outcome outcome;
  };
  SpaceSize index_of(RowView row) const;

  const SearchSpace& space_;
  SampleStream fresh_;
  std::unordered_map<SpaceSize, ToldRow, Hash> entries_;
  std::size_t told_ = 0;
  std::optional<RatedRow> best_;
};

}  // namespace attune
