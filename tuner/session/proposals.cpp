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
    if (!is_added && !told_.contains(row) && !under_way_.contains(row)) warm_.push_back(row);
  }
  return warm_.size() - before;
}

std::optional<Row> Proposals::next() {
  while (!warm_.empty()) {
    Row row = std::move(warm_.front());
    warm_.pop_front();
    if (!told_.contains(row) && under_way_.insert(row).second) return row;
  }
  std::optional<Row> row;
  switch (ask(row)) {
    case Answer::fresh:
      under_way_.insert(*row);
      return row;
    case Answer::none:
      return std::nullopt;
    case Answer::repeats:
      throw Error(
          fmt::format("strategy `{}` proposed known configurations {} times in a row; it must propose other ones, or "
                      "nothing when it has none left",
                      name_, most_repeats));
    case Answer::illegal:
      break;
  }
  throw Error(
      fmt::format("strategy `{}` proposed a configuration that is not legal; it must ask the space "
                  "(SearchSpace::contains) first",
                  name_));
}

Proposals::Answer Proposals::ask(std::optional<Row>& row) {
  for (int repeats = 0; repeats < most_repeats; ++repeats) {
    row = strategy_.ask();
    if (!row) return Answer::none;
    if (!is_legal(space_, *row)) return Answer::illegal;
    // Such a row usually comes from the warm start. A strategy that waits for its outcome would propose nothing else.
    if (under_way_.contains(*row)) return Answer::none;
    const auto known = told_.find(*row);
    if (known == told_.end()) return Answer::fresh;
    strategy_.tell(*row, known->second);  // the strategy may wait for just this outcome
  }
  return is_everything_tried() ? Answer::none : Answer::repeats;
}

void Proposals::tell(RowView row, const Outcome& outcome) {
  const Row told(row.begin(), row.end());
  under_way_.erase(told);
  told_.insert_or_assign(told, outcome);
  strategy_.tell(row, outcome);
}

bool Proposals::is_everything_tried() const {
  return space_.exact() && !space_.size_saturated() && told_.size() + under_way_.size() >= space_.size();
}

bool Proposals::is_exhausted() {
  if (!under_way_.empty()) return false;
  if (is_everything_tried()) return true;
  for (const Row& row : warm_) {
    if (!told_.contains(row)) return false;
  }
  std::optional<Row> row;
  return ask(row) == Answer::none;
}

}  // namespace attune
