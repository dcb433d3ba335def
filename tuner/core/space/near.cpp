// Rows that differ in one parameter, and repair. All adjacent values at once: near_window.cpp.
#include "core/space/near.hpp"

#include <algorithm>
#include <limits>

namespace attune::space {
namespace {

constexpr std::uint64_t one_parameter = std::uint64_t{1} << 32;  // more than any sum of steps

std::uint64_t distance_of(std::uint16_t position, const Wish& wish) {
  if (!wish.given || wish.position == position) return 0;
  if (!wish.position) return one_parameter;
  return one_parameter + static_cast<std::uint64_t>(std::abs(int{*wish.position} - int{position}));
}

}  // namespace

Window window_around(const ComponentLevel& level, std::uint16_t position) {
  const std::uint16_t digit = level.digit_of[position];
  const auto above = std::lower_bound(level.positions.begin(), level.positions.end(), position);
  const auto at = static_cast<std::uint32_t>(above - level.positions.begin());
  const std::uint32_t end = digit == no_digit ? at + 1 : at + 2;
  return {at == 0 ? 0 : at - 1, std::min(end, level.width)};
}

Surroundings::Surroundings(const Constructed& constructed, RowView row, Neighbourhood kind)
    : constructed_(constructed), row_(row), kind_(kind) {
  std::size_t off = 0;
  for (const Fixed& fixed : constructed.fixed) {
    if (row[fixed.parameter] == fixed.position) continue;
    repair_ = fixed;
    ++off;
  }
  const Component* bad = nullptr;
  for (const Component& component : constructed.components) {
    if (component.contains(row)) continue;
    bad = &component;
    ++off;
  }
  if (off > 1 || bad != nullptr || off == 0) repair_.reset();
  // Two parts of the row that are illegal on their own are not mended by one change.
  if (off > 1 || repair_) return;
  if (bad != nullptr) {
    add_component(*bad, false);
    return;
  }
  for (const Component& component : constructed.components) add_component(component, true);
}

void Surroundings::add_component(const Component& component, bool is_legal) {
  NodeOffset node = 0;
  for (std::size_t i = 0; i < component.levels().size(); ++i) {
    const ComponentLevel& level = component.levels()[i];
    const std::uint16_t position = row_[level.parameter], digit = level.digit_of[position];
    Window window{0, level.width};
    if (kind_ != Neighbourhood::any_value) window = window_around(level, position);
    Place place{level.parameter, &component, i, node, digit, window.first, window.end, is_legal};
    if (place.choices() > 0) places_.push_back(place);
    total_ += place.choices();
    if (digit == no_digit) return;
    node = component.child(node, digit);
    if (node == no_node) return;
  }
}

bool Surroundings::legal(const Place& place, std::size_t digit) const {
  const NodeOffset child = place.component->child(place.node, digit);
  if (child == no_node) return false;
  // Below one and the same node everything is alike.
  if (place.row_is_legal && child == place.component->child(place.node, place.digit)) return true;
  return place.component->accepts(place.level + 1, child, row_);
}

void Surroundings::visit(const std::function<bool(RowView)>& visit) const {
  Row near(row_.begin(), row_.end());
  if (repair_) {
    near[repair_->parameter] = repair_->position;
    visit(near);
    return;
  }
  std::vector<const Place*> ordered;
  for (const Place& place : places_) ordered.push_back(&place);
  std::sort(ordered.begin(), ordered.end(), [](const Place* a, const Place* b) { return a->parameter < b->parameter; });
  for (const Place* const place : ordered) {
    for (std::uint32_t digit = place->first; digit < place->end; ++digit) {
      if (digit == place->digit || !legal(*place, digit)) continue;
      near[place->parameter] = place->component->levels()[place->level].positions[digit];
      if (!visit(near)) return;
    }
    near[place->parameter] = row_[place->parameter];
  }
}

bool Surroundings::draw(std::mt19937_64& random, std::span<std::uint16_t> to) const {
  if (repair_) {
    std::copy(row_.begin(), row_.end(), to.begin());
    to[repair_->parameter] = repair_->position;
    return true;
  }
  if (total_ == 0) return false;
  auto drawn = static_cast<std::uint32_t>(uniform_below(total_, random));
  const Place* place = places_.data();
  while (drawn >= place->choices()) drawn -= (place++)->choices();
  std::uint32_t digit = place->first + drawn;
  if (place->digit >= place->first && digit >= place->digit) ++digit;
  if (!legal(*place, digit)) return false;
  std::copy(row_.begin(), row_.end(), to.begin());
  to[place->parameter] = place->component->levels()[place->level].positions[digit];
  return true;
}

std::uint64_t distance(RowView row, const std::vector<Wish>& wishes) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < row.size(); ++i) sum += distance_of(row[i], wishes[i]);
  return sum;
}

namespace {

// From the last level to the root: the least distance that lies below each node; then down again along it.
void nearest_in(const Component& component, const std::vector<Wish>& wishes, std::span<std::uint16_t> row) {
  constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();
  const auto& levels = component.levels();
  std::vector<std::uint64_t> below(component.arcs());  // at a node's offset
  std::vector<std::vector<std::uint64_t>> own(levels.size());
  const auto through = [&](std::size_t level, NodeOffset node, std::size_t digit) {
    const NodeOffset child = component.child(node, digit);
    if (child == no_node) return never;
    return own[level][digit] + (level + 1 < levels.size() ? below[child] : 0);
  };
  for (std::size_t i = levels.size(); i-- > 0;) {
    for (const std::uint16_t position : levels[i].positions)
      own[i].push_back(distance_of(position, wishes[levels[i].parameter]));
    const std::size_t end = i + 1 < levels.size() ? levels[i + 1].begin : component.arcs();
    for (NodeOffset node = levels[i].begin; node < end; node += levels[i].width) {
      below[node] = never;
      for (std::size_t digit = 0; digit < levels[i].width; ++digit)
        below[node] = std::min(below[node], through(i, node, digit));
    }
  }
  NodeOffset node = 0;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    std::size_t digit = 0;
    while (through(i, node, digit) != below[node]) ++digit;
    row[levels[i].parameter] = levels[i].positions[digit];
    node = component.child(node, digit);
  }
}

}  // namespace

void nearest_row(const Constructed& constructed, const std::vector<Wish>& wishes, std::span<std::uint16_t> row) {
  for (const Fixed& fixed : constructed.fixed) row[fixed.parameter] = fixed.position;
  for (const Component& component : constructed.components) nearest_in(component, wishes, row);
}

}  // namespace attune::space
