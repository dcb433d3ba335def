// Ledger: a strategy's proposals and their outcomes, by configuration. With it a strategy proposes nothing twice. One
// thread; the space must outlive it.
#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "attune/strategy.hpp"

namespace attune {

// A configuration with a valid outcome.
struct Known {
  Row row;
  double objective = 0;
};

class Ledger {
 public:
  Ledger(const SearchSpace& space, std::uint64_t seed) : space_(space), fresh_(space, seed) {}

  // Marks a legal row as proposed. Returns false where it was proposed or known before.
  bool claim(RowView row);
  bool is_claimed(RowView row) const;
  // Draws uniformly a row that is not proposed yet, and marks it. Returns nothing when none is left.
  std::optional<Row> claim_random();

  void tell(RowView row, const Outcome& outcome);
  // Returns the outcome of a row; null where there is none.
  const Outcome* outcome(RowView row) const;

  std::size_t proposed() const { return entries_.size(); }  // with outcomes from elsewhere
  std::size_t told() const { return told_; }
  std::size_t waiting() const { return entries_.size() - told_; }  // proposed, without an outcome
  const std::optional<Known>& best() const { return best_; }       // of the valid ones, the first of equals

 private:
  struct Hash {
    std::size_t operator()(SpaceSize index) const noexcept;
  };
  struct Entry {
    bool is_told = false;
    Outcome outcome;
  };
  SpaceSize index_of(RowView row) const;

  const SearchSpace& space_;
  SampleStream fresh_;
  std::unordered_map<SpaceSize, Entry, Hash> entries_;
  std::size_t told_ = 0;
  std::optional<Known> best_;
};

}  // namespace attune
