// Construction and properties of a space. Access to its configurations: search_space_access.cpp.
#include "attune/search_space.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "attune/error.hpp"
#include "space/stages/contents.hpp"
#include "space/stages/listed.hpp"

namespace attune {
namespace {

// Positions are kept in 16 bits, and the last one stands for "none".
constexpr std::size_t max_values = 65535;

std::vector<Rule> rules_from(const std::vector<std::string>& texts) {
  std::vector<Rule> rules;
  rules.reserve(texts.size());
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
    for (const Value& value : values) {
      if (value.kind() != values[0].kind()) {
        throw UsageError(fmt::format("parameter `{}` mixes kinds of values, {} and {}: make them all of one kind", name,
                                     values[0].text(), value.text()));
      }
      if (value.is_real() && !std::isfinite(value.real()))
        throw UsageError(fmt::format("parameter `{}` has the value {}, which is no number", name, value.text()));
    }
  }
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

SpaceSize uniform_below(SpaceSize limit, std::mt19937_64& random) {
  if (limit <= ~std::uint64_t{0}) {
    // The upper half of a product with 64 random bits; rejects by its lower half. Source: Lemire, Fast Random Integer
    // Generation in an Interval, ACM TOMACS 29 (2019), algorithm 5.
    const auto small = static_cast<std::uint64_t>(limit);
    SpaceSize drawn = SpaceSize{random()} * small;
    if (static_cast<std::uint64_t>(drawn) < small) {
      const std::uint64_t uneven = (0 - small) % small;
      while (static_cast<std::uint64_t>(drawn) < uneven) drawn = SpaceSize{random()} * small;
    }
    return drawn >> 64;
  }
  // Rejects the first 2^128 mod limit of all numbers.
  const SpaceSize uneven = (SpaceSize{0} - limit) % limit;
  for (;;) {
    const SpaceSize high = random();
    const SpaceSize drawn = (high << 64) | random();
    if (drawn >= uneven) return drawn % limit;
  }
}

void SearchSpace::Contents::index_values() {
  check_parameters(parameters, problem);
  for (const Parameter& parameter : parameters) {
    values.emplace_back(parameter.values);
    if (const Value* const twice = values.back().repeated())
      throw UsageError(fmt::format("parameter `{}` has the value {} twice", parameter.name, twice->text()));
  }
}

void SearchSpace::Contents::find_values_left() {
  values_left.resize(parameters.size());
  for (const auto& level : diagram().levels()) {
    const auto left = diagram().positions(level);
    values_left[level.parameter].assign(left.begin(), left.end());
  }
  for (const auto& fixed : diagram().fixed()) values_left[fixed.parameter] = {fixed.position};
}

std::shared_ptr<const SearchSpace::Contents> SearchSpace::build(std::vector<Parameter> parameters,
                                                                std::vector<Rule> rules, const Bindings* problem,
                                                                const DeviceInfo* device, SpaceBudget budget,
                                                                bool relax) {
  auto built = std::make_shared<Contents>();
  built->parameters = std::move(parameters);
  built->rules = std::move(rules);
  built->budget = budget;
  if (problem != nullptr) built->problem = *problem;
  if (device != nullptr) built->device = *device;
  built->index_values();
  built->constructed = space::construct(built->parameters, built->rules, built->problem,
                                        built->device ? &*built->device : nullptr, budget, relax);
  for (const std::size_t rule : built->constructed.left_out) {
    auto& names = built->left_out_names.emplace_back();
    for (const auto& name : built->rules[rule].expression.names()) {
      const auto parameter = std::find_if(built->parameters.begin(), built->parameters.end(),
                                          [&](const Parameter& item) { return item.name == name; });
      const bool is_parameter = parameter != built->parameters.end();
      names.push_back({static_cast<std::size_t>(parameter - built->parameters.begin()),
                       is_parameter ? nullptr : built->problem.find(name)});
    }
  }
  built->find_values_left();
  return built;
}

SearchSpace::SearchSpace(std::vector<Parameter> parameters, std::vector<Rule> rules, const Bindings* problem,
                         const DeviceInfo* device, SpaceBudget budget)
    : SearchSpace(build(std::move(parameters), std::move(rules), problem, device, budget, false)) {}

SearchSpace::SearchSpace(std::vector<Parameter> parameters, const std::vector<std::string>& rules)
    : SearchSpace(std::move(parameters), rules_from(rules)) {}

SearchSpace SearchSpace::relaxed(std::vector<Parameter> parameters, std::vector<Rule> rules, const Bindings* problem,
                                 const DeviceInfo* device, SpaceBudget budget) {
  return SearchSpace(build(std::move(parameters), std::move(rules), problem, device, budget, true));
}

SearchSpace SearchSpace::listed(std::vector<Parameter> parameters, const std::vector<Row>& rows) {
  auto built = std::make_shared<Contents>();
  built->parameters = std::move(parameters);
  built->index_values();
  std::set<RowView, bool (*)(RowView, RowView)> met(
      [](RowView a, RowView b) { return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end()); });
  for (const Row& row : rows) {
    bool is_row = row.size() == built->parameters.size();
    for (std::size_t i = 0; is_row && i < row.size(); ++i) is_row = row[i] < built->parameters[i].values.size();
    const auto number = static_cast<std::size_t>(&row - rows.data());
    if (!is_row) throw UsageError(fmt::format("row {} of a listed space is not one position per parameter", number));
    if (!met.insert(row).second) throw UsageError(fmt::format("row {} of a listed space occurs twice", number));
  }
  built->constructed = space::construct_listed(built->parameters, rows);
  built->find_values_left();
  return SearchSpace(std::move(built));
}

SearchSpace SearchSpace::with_rules(const std::vector<std::size_t>& which) const {
  std::vector<Rule> some;
  for (const std::size_t rule : which) some.push_back(built_->rules.at(rule));
  return relaxed(built_->parameters, std::move(some), &built_->problem, device(), built_->budget);
}

const std::vector<Parameter>& SearchSpace::parameters() const noexcept { return built_->parameters; }
const std::vector<Rule>& SearchSpace::rules() const noexcept { return built_->rules; }
const Bindings& SearchSpace::problem() const noexcept { return built_->problem; }
const DeviceInfo* SearchSpace::device() const noexcept { return built_->device ? &*built_->device : nullptr; }
bool SearchSpace::exact() const noexcept { return built_->constructed.left_out.empty(); }
const std::vector<std::size_t>& SearchSpace::left_out() const noexcept { return built_->constructed.left_out; }
SpaceSize SearchSpace::size() const noexcept { return built_->diagram().size(); }
bool SearchSpace::size_saturated() const noexcept { return built_->diagram().saturated(); }
SpaceFigures SearchSpace::figures() const noexcept { return built_->constructed.figures; }

SpaceSize SearchSpace::cartesian_size() const noexcept {
  constexpr SpaceSize most = ~SpaceSize{0};
  SpaceSize size = 1;
  for (const auto& parameter : built_->parameters) {
    if (size > most / parameter.values.size()) return most;
    size *= parameter.values.size();
  }
  return size;
}

const std::vector<std::uint16_t>& SearchSpace::values_left(std::size_t parameter) const {
  return built_->values_left.at(parameter);
}

}  // namespace attune
