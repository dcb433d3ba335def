#include "attune/search_space.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>

#include "attune/error.hpp"
#include "core/space_enumeration.hpp"

namespace attune {
namespace {

// Positions are kept in 16 bits.
constexpr std::size_t max_values = 65536;
constexpr std::size_t not_given = static_cast<std::size_t>(-1), not_listed = static_cast<std::size_t>(-2);

std::vector<Rule> rules_from(const std::vector<std::string>& texts) {
  std::vector<Rule> rules;
  for (const auto& text : texts) rules.push_back({Expression(text), false});
  return rules;
}

void check_parameters(const std::vector<Parameter>& parameters, const Bindings& problem) {
  std::set<std::string_view> names;
  for (const auto& [name, values] : parameters) {
    if (!names.insert(name).second) throw UsageError(fmt::format("parameter `{}` is defined twice", name));
    if (problem.find(name) != nullptr)
      throw UsageError(fmt::format("`{}` is both a parameter and a problem name", name));
    if (values.empty()) throw UsageError(fmt::format("parameter `{}` has no value", name));
    if (values.size() > max_values) {
      throw UsageError(fmt::format("parameter `{}` has {} values; the most is {}", name, values.size(), max_values));
    }
  }
}

// Where the value of `parameter` stands in `bindings`: its position, not_given or not_listed.
std::size_t position_of(const Parameter& parameter, const Bindings& bindings) {
  const Value* const wished = bindings.find(parameter.name);
  if (wished == nullptr) return not_given;
  const auto found = std::find(parameter.values.begin(), parameter.values.end(), *wished);
  return found == parameter.values.end() ? not_listed : static_cast<std::size_t>(found - parameter.values.begin());
}

// 0 <= result < count, without bias, by rejection: std::uniform_int_distribution differs between libraries.
std::uint64_t below(std::uint64_t count, std::mt19937_64& random) {
  const std::uint64_t uneven = (0 - count) % count;  // 2^64 mod count
  std::uint64_t drawn = random();
  while (drawn < uneven) drawn = random();
  return drawn % count;
}

// How far a legal row is from what was wished: parameters off, then steps between positions.
struct Distance {
  std::size_t parameters = std::numeric_limits<std::size_t>::max();
  std::size_t steps = 0;
  friend auto operator<=>(const Distance&, const Distance&) = default;
};

Distance distance(std::span<const std::uint16_t> row, const std::vector<std::size_t>& wished) {
  Distance result{0, 0};
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (wished[i] == not_given || wished[i] == row[i]) continue;
    ++result.parameters;
    if (wished[i] != not_listed) result.steps += wished[i] < row[i] ? row[i] - wished[i] : wished[i] - row[i];
  }
  return result;
}

}  // namespace

std::string to_text(SpaceSize size) {
  std::string text;
  do {
    text.insert(text.begin(), static_cast<char>('0' + static_cast<int>(size % 10)));
    size /= 10;
  } while (size != 0);
  return text;
}

SearchSpace::SearchSpace(std::vector<Parameter> parameters, std::vector<Rule> rules, const Bindings* problem,
                         const DeviceInfo* device)
    : parameters_(std::move(parameters)), rules_(std::move(rules)) {
  if (problem != nullptr) problem_ = *problem;
  if (device != nullptr) device_ = *device;
  check_parameters(parameters_, problem_);
  auto found = legal_rows(parameters_, rules_, problem_, device_ ? &*device_ : nullptr);
  legal_ = std::move(found.positions);
  legal_.shrink_to_fit();
  count_ = found.count;
}

SearchSpace::SearchSpace(std::vector<Parameter> parameters, const std::vector<std::string>& rules)
    : SearchSpace(std::move(parameters), rules_from(rules)) {}

SpaceSize SearchSpace::cartesian_size() const noexcept {
  constexpr SpaceSize most = ~SpaceSize{0};
  SpaceSize size = 1;
  for (const auto& parameter : parameters_) {
    if (size > most / parameter.values.size()) return most;
    size *= parameter.values.size();
  }
  return size;
}

Configuration SearchSpace::configuration_of(Row row) const {
  std::vector<Binding> bindings;
  bindings.reserve(row.size());
  for (std::size_t i = 0; i < row.size(); ++i) bindings.push_back({parameters_[i].name, parameters_[i].values[row[i]]});
  return Configuration(std::move(bindings));
}

Configuration SearchSpace::at(SpaceSize index) const {
  if (index >= count_) {
    throw UsageError(fmt::format("no configuration {}: the search space has {}", to_text(index), count_));
  }
  return configuration_of(row(static_cast<std::size_t>(index)));
}

std::optional<SpaceSize> SearchSpace::index_of(const Bindings& configuration) const {
  if (configuration.size() != parameters_.size()) return std::nullopt;
  std::vector<std::uint16_t> wanted;
  for (const auto& parameter : parameters_) {
    const std::size_t position = position_of(parameter, configuration);
    if (position == not_given || position == not_listed) return std::nullopt;
    wanted.push_back(static_cast<std::uint16_t>(position));
  }
  std::size_t low = 0, high = count_;
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    const Row at = row(middle);
    if (std::lexicographical_compare(at.begin(), at.end(), wanted.begin(), wanted.end())) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  if (low == count_ || !std::equal(wanted.begin(), wanted.end(), row(low).begin())) return std::nullopt;
  return low;
}

Configuration SearchSpace::sample(std::mt19937_64& random) const {
  if (empty()) throw UsageError("the search space is empty: there is no configuration to draw");
  return configuration_of(row(below(count_, random)));
}

std::optional<Configuration> SearchSpace::nearest(const Bindings& wished) const {
  std::vector<std::size_t> positions;
  for (const auto& parameter : parameters_) positions.push_back(position_of(parameter, wished));
  Distance least;
  std::size_t best = 0;
  for (std::size_t i = 0; i < count_; ++i) {
    const Distance here = distance(row(i), positions);
    if (here >= least) continue;
    least = here;
    best = i;
  }
  if (empty()) return std::nullopt;
  return configuration_of(row(best));
}

}  // namespace attune
