#include "search/ledger.hpp"

#include "attune/error.hpp"

namespace attune {

std::size_t Ledger::Hash::operator()(SpaceSize index) const noexcept {
  auto state = static_cast<std::uint64_t>(index) ^ static_cast<std::uint64_t>(index >> 64) * 0x9e3779b97f4a7c15;
  state = (state ^ (state >> 32)) * 0xbf58476d1ce4e5b9;
  return static_cast<std::size_t>(state ^ (state >> 29));
}

SpaceSize Ledger::index_of(RowView row) const {
  const auto index = space_.index_of(row);
  if (!index) throw Error("a strategy was given a configuration that is not legal");
  return *index;
}

bool Ledger::claim(RowView row) { return entries_.try_emplace(index_of(row)).second; }

bool Ledger::is_claimed(RowView row) const { return entries_.contains(index_of(row)); }

std::optional<Row> Ledger::claim_random() {
  while (const auto index = fresh_.next_index()) {
    if (!entries_.try_emplace(*index).second) continue;
    Row row(space_.parameters().size());
    space_.at(*index, row);
    return row;
  }
  return std::nullopt;
}

void Ledger::tell(RowView row, const Outcome& outcome) {
  ToldRow& entry = entries_[index_of(row)];
  if (!entry.is_told) ++told_;
  entry = {true, outcome};
  if (outcome.valid && (!best_ || outcome.objective < best_->objective))
    best_ = RatedRow{Row(row.begin(), row.end()), outcome.objective};
}

const Outcome* Ledger::outcome(RowView row) const {
  const auto found = entries_.find(index_of(row));
  return found == entries_.end() || !found->second.is_told ? nullptr : &found->second.outcome;
}

}  // namespace attune
