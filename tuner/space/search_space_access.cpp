// Access to the configurations of a search space: by index, by value, at random, all of them.
#include <fmt/format.h>

#include <algorithm>

#include "attune/error.hpp"
#include "attune/search_space.hpp"
#include "space/stages/contents.hpp"
#include "space/stages/listing.hpp"

namespace attune {
namespace {

constexpr int max_draws = 1'000'000;  // before giving up on the left-out rules; about 0.3 s

[[noreturn]] void none_met(const SearchSpace& space) {
  throw Error(
      fmt::format("none of {} configurations drawn at random obeys restriction `{}`, which is too large to be "
                  "counted: narrow the parameters that it mentions",
                  max_draws, space.rules()[space.left_out()[0]].expression.text()));
}

}  // namespace

void SearchSpace::at(SpaceSize index, std::span<std::uint16_t> row) const {
  if (index >= size()) {
    throw UsageError(fmt::format("no configuration {}: the search space has {}", to_text(index), to_text(size())));
  }
  built_->diagram().at(index, row);
}

Configuration SearchSpace::at(SpaceSize index) const {
  Row row(parameters().size());
  at(index, row);
  return configuration(row);
}

Configuration SearchSpace::configuration(RowView row) const {
  std::vector<Binding> bindings;
  bindings.reserve(row.size());
  for (std::size_t i = 0; i < row.size(); ++i)
    bindings.push_back({parameters()[i].name, parameters()[i].values[row[i]]});
  return Configuration(std::move(bindings));
}

std::optional<Row> SearchSpace::row_of(const Bindings& configuration) const {
  if (configuration.size() != parameters().size()) return std::nullopt;
  Row row;
  row.reserve(parameters().size());
  for (std::size_t i = 0; i < parameters().size(); ++i) {
    const Value* const value = configuration.find(parameters()[i].name);
    const auto position = value == nullptr ? std::nullopt : built_->values[i].position_of(*value);
    if (!position) return std::nullopt;
    row.push_back(*position);
  }
  return row;
}

bool SearchSpace::Contents::allowed_by_left_out(RowView row) const {
  std::vector<const Value*> seen;
  for (std::size_t i = 0; i < left_out_names.size(); ++i) {
    seen.clear();
    for (const auto& [parameter, constant] : left_out_names[i])
      seen.push_back(constant != nullptr ? constant : &parameters[parameter].values[row[parameter]]);
    if (!rules[constructed.left_out[i]].expression.holds(seen, device ? &*device : nullptr)) return false;
  }
  return true;
}

std::optional<SpaceSize> SearchSpace::index_of(RowView row) const { return built_->diagram().index_of(row); }

std::optional<SpaceSize> SearchSpace::index_of(const Bindings& configuration) const {
  const auto row = row_of(configuration);
  return row ? index_of(*row) : std::nullopt;
}

bool SearchSpace::contains(RowView row) const {
  return built_->diagram().contains(row) && (exact() || built_->allowed_by_left_out(row));
}

bool SearchSpace::contains(const Bindings& configuration) const {
  const auto row = row_of(configuration);
  return row && contains(*row);
}

void SearchSpace::sample(std::mt19937_64& random, std::span<std::uint16_t> row) const {
  if (empty()) throw UsageError("the search space is empty: there is no configuration to draw");
  for (int draw = 0; draw < max_draws; ++draw) {
    built_->diagram().sample(random, row);
    if (exact() || built_->allowed_by_left_out(row)) return;
  }
  none_met(*this);
}

Configuration SearchSpace::sample(std::mt19937_64& random) const {
  Row row(parameters().size());
  sample(random, row);
  return configuration(row);
}

void SearchSpace::for_each(const std::function<bool(RowView)>& visit) const {
  if (!empty()) space::visit_rows(built_->diagram(), parameters().size(), visit);
}

std::vector<std::uint16_t> SearchSpace::rows(SpaceSize most_rows) const {
  if (size() > most_rows) {
    throw UsageError(
        fmt::format("{} configurations are more than the {} that may be listed", to_text(size()), to_text(most_rows)));
  }
  std::vector<std::uint16_t> all;
  if (empty()) return all;
  const std::size_t columns = parameters().size();
  all.resize(static_cast<std::size_t>(size()) * columns);
  space::list_rows(built_->diagram(), columns, all.data());
  return all;
}

std::optional<SpaceSize> SampleStream::next_index() {
  for (int misses = 0; taken_ < space_.size(); ++misses) {
    if (misses == max_draws) none_met(space_);
    const SpaceSize drawn = taken_ + uniform_below(space_.size() - taken_, random_);
    const SpaceSize index = place(drawn);
    moved_[drawn] = place(taken_);
    moved_.erase(taken_++);
    if (space_.exact() || space_.contains(space_.at(index))) return index;
  }
  return std::nullopt;
}

SpaceSize SampleStream::place(SpaceSize index) const {
  const auto found = moved_.find(index);
  return found == moved_.end() ? index : found->second;
}

std::optional<Configuration> SampleStream::next() {
  const auto index = next_index();
  if (!index) return std::nullopt;
  return space_.at(*index);
}

}  // namespace attune
