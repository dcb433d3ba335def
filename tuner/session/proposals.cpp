#include "session/proposals.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "attune/error.hpp"

namespace attune {
namespace {

// How often in a row a strategy may propose tried configurations. A strategy without memory needs some draws in a small
// space, but one that proposes nothing else must not hang the session.
constexpr int most_repeats = 1000;

// Returns whether a row is legal. The row may be any, even of a wrong length.
bool is_legal(const SearchSpace& space, const Row& row) {
  const auto& parameters = space.parameters();
  if (row.size() != parameters.size()) return false;
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (row[i] >= parameters[i].values.size()) return false;
  }
  return space.contains(row);
}

}  // namespace

std::size_t Proposals::warm_start(const std::vector<Row>& rows) {
  const std::size_t before = warm_.size();
  for (const Row& row : rows) {
    const bool is_added = std::find(warm_.begin(), warm_.end(), row) != warm_.end();
    if (!is_added && is_fresh(row)) warm_.push_back(row);
  }
  return warm_.size() - before;
}

std::optional<Row> Proposals::next() {
  while (!warm_.empty()) {
    Row row = std::move(warm_.front());
    warm_.pop_front();
    if (!is_fresh(row)) continue;
    begin(row);
    return row;
  }
  std::optional<Row> row;
  switch (ask(row)) {
    case ProposalKind::fresh:
      begin(*row);
      return row;
    case ProposalKind::none:
      return std::nullopt;
    case ProposalKind::repeats:
      throw Error(
          fmt::format("strategy `{}` proposed known configurations {} times in a row; it must propose other ones, or "
                      "nothing when it has none left",
                      name_, most_repeats));
    case ProposalKind::illegal:
      break;
  }
  throw Error(
      fmt::format("strategy `{}` proposed a configuration that is not legal; it must ask the space "
                  "(SearchSpace::contains) first",
                  name_));
}

Proposals::ProposalKind Proposals::ask(std::optional<Row>& row) {
  for (int repeats = 0; repeats < most_repeats; ++repeats) {
    row = strategy_.ask();
    if (!row) return ProposalKind::none;
    if (!is_legal(space_, *row)) return ProposalKind::illegal;
    const Candidate* const known = candidates_.find(*row);
    if (known == nullptr || known->is_fresh()) return ProposalKind::fresh;
    // Such a row usually comes from the warm start. A strategy that waits for its outcome would propose nothing else.
    if (known->is_awaited()) return ProposalKind::none;
    strategy_.tell(*row, *known->outcome);  // the strategy may wait for just this outcome
  }
  return is_everything_tried() ? ProposalKind::none : ProposalKind::repeats;
}

bool Proposals::is_fresh(RowView row) const {
  const Candidate* const known = candidates_.find(row);
  return known == nullptr || known->is_fresh();
}

void Proposals::begin(RowView row) {
  Candidate& candidate = candidates_.at(row);
  if (candidate.is_fresh()) candidates_.set(candidate, Candidate::State::proposed);
}

void Proposals::tell(RowView row, const Outcome& outcome) {
  Candidate& candidate = candidates_.at(row);
  candidate.outcome = outcome;
  if (candidate.state == Candidate::State::proposed) candidates_.set(candidate, Candidate::State::met);
  strategy_.tell(row, outcome);
}

bool Proposals::is_everything_tried() const {
  if (!space_.exact() || space_.size_saturated()) return false;
  SpaceSize met = 0;
  candidates_.for_each([&](const Candidate& candidate) { met += candidate.row && !candidate.is_fresh(); });
  return met >= space_.size();
}

bool Proposals::is_exhausted() {
  bool is_awaiting = false;
  candidates_.for_each([&](const Candidate& candidate) { is_awaiting |= candidate.row && candidate.is_awaited(); });
  if (is_awaiting) return false;
  if (is_everything_tried()) return true;
  if (std::any_of(warm_.begin(), warm_.end(), [this](const Row& row) { return is_fresh(row); })) return false;
  std::optional<Row> row;
  return ask(row) == ProposalKind::none;
}

}  // namespace attune
