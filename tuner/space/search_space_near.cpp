// Neighbours of a configuration, and the nearest legal configuration to anything.
#include <algorithm>
#include <limits>
#include <map>

#include "attune/error.hpp"
#include "attune/search_space.hpp"
#include "space/stages/contents.hpp"
#include "space/stages/near.hpp"

namespace attune {
namespace {

constexpr int draws_before_listing = 64;  // before the neighbours are listed
constexpr int repair_draws = 1000;        // where rules were left out

}  // namespace

void SearchSpace::for_each_neighbour(RowView row, Neighbourhood kind, const std::function<bool(RowView)>& visit) const {
  if (empty()) return;
  const auto legal = [&](RowView near) { return exact() || built_->allowed_by_left_out(near) ? visit(near) : true; };
  if (kind == Neighbourhood::adjacent_all) return space::visit_adjacent_rows(built_->diagram(), row, legal);
  space::Surroundings(built_->diagram(), row).visit(kind, legal);
}

std::vector<Row> SearchSpace::neighbours(RowView row, Neighbourhood kind) const {
  std::vector<Row> all;
  for_each_neighbour(row, kind, [&](RowView near) {
    all.emplace_back(near.begin(), near.end());
    return true;
  });
  return all;
}

bool SearchSpace::random_neighbour(RowView row, Neighbourhood kind, std::mt19937_64& random,
                                   std::span<std::uint16_t> to) const {
  if (empty()) return false;
  if (kind == Neighbourhood::any_value) {
    const space::Surroundings surroundings(built_->diagram(), row);
    const auto draw = [&](std::span<std::uint16_t> at, const auto& allowed) {
      return surroundings.draw(draws_before_listing, random, at, allowed);
    };
    if (exact()) {
      if (draw(to, [](RowView) { return true; })) return true;
    } else {
      Row drawn(to.size());
      if (draw(drawn, [&](RowView near) { return built_->allowed_by_left_out(near); })) {
        std::copy(drawn.begin(), drawn.end(), to.begin());
        return true;
      }
    }
  } else if (kind == Neighbourhood::adjacent_all && exact()) {
    return space::draw_adjacent_row(built_->diagram(), row, random, to);
  }
  const auto all = neighbours(row, kind);
  if (all.empty()) return false;
  const Row& chosen = all[static_cast<std::size_t>(uniform_below(all.size(), random))];
  std::copy(chosen.begin(), chosen.end(), to.begin());
  return true;
}

std::vector<Configuration> SearchSpace::neighbours(const Bindings& configuration_, Neighbourhood kind) const {
  std::vector<Configuration> all;
  const auto row = row_of(configuration_);
  if (!row) throw UsageError("neighbours of `" + configuration_.text() + "`: not one listed value per parameter");
  for_each_neighbour(*row, kind, [&](RowView near) {
    all.push_back(configuration(near));
    return true;
  });
  return all;
}

std::optional<Configuration> SearchSpace::random_neighbour(const Bindings& configuration_, Neighbourhood kind,
                                                           std::mt19937_64& random) const {
  const auto row = row_of(configuration_);
  if (!row) throw UsageError("neighbours of `" + configuration_.text() + "`: not one listed value per parameter");
  Row to(row->size());
  if (!random_neighbour(*row, kind, random, to)) return std::nullopt;
  return configuration(to);
}

std::optional<Configuration> SearchSpace::nearest(const Bindings& wished) const {
  if (empty()) return std::nullopt;
  std::vector<space::Wish> wishes;
  for (std::size_t i = 0; i < parameters().size(); ++i) {
    const Value* const value = wished.find(parameters()[i].name);
    const auto position = value == nullptr ? std::nullopt : built_->values[i].position_of(*value);
    wishes.push_back({value != nullptr, position});
  }
  Row best(parameters().size());
  space::nearest_row(built_->diagram(), wishes, best);
  if (exact() || built_->allowed_by_left_out(best)) return configuration(best);
  std::mt19937_64 random(0);  // any fixed seed: the same answer each time
  std::optional<Row> met;
  Row row(best.size());
  try {
    for (int draw = 0; draw < repair_draws; ++draw) {
      sample(random, row);
      if (!met || space::distance(row, wishes) < space::distance(*met, wishes)) met = row;
    }
  } catch (const UsageError&) {
    throw;
  } catch (const Error&) {
    if (!met) return std::nullopt;
  }
  return configuration(*met);
}

}  // namespace attune
