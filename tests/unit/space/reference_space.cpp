#include "unit/space/reference_space.hpp"

#include <algorithm>

namespace attune {

ReferenceSpace::ReferenceSpace(const RandomSpace& random) : holds(random.rules.size()) {
  const auto& parameters = random.parameters;
  for (const auto& parameter : parameters) widths_.push_back(parameter.values.size());
  std::size_t count = 1;
  for (const std::size_t width : widths_) count *= width;
  combinations.resize(count, Row(parameters.size()));
  for (std::size_t number = 0; number < combinations.size(); ++number) {
    Configuration configuration;
    for (std::size_t i = parameters.size(), rest = number; i-- > 0; rest /= widths_[i])
      combinations[number][i] = static_cast<std::uint16_t>(rest % widths_[i]);
    for (std::size_t i = 0; i < parameters.size(); ++i)
      configuration.set(parameters[i].name, parameters[i].values[combinations[number][i]]);
    bool all = true;
    for (std::size_t rule = 0; rule < random.rules.size(); ++rule) {
      holds[rule].push_back(random.rules[rule].expression.holds({&random.problem, &configuration, &random.device}));
      all = all && holds[rule].back();
    }
    legal.push_back(all);
    if (all) rows.push_back(combinations[number]);
  }
}

std::size_t ReferenceSpace::number_of(RowView row) const {
  std::size_t number = 0;
  for (std::size_t i = 0; i < row.size(); ++i) number = number * widths_[i] + row[i];
  return number;
}

std::vector<std::uint16_t> ReferenceSpace::occurring(std::size_t parameter) const {
  std::vector<std::uint16_t> positions;
  for (const Row& row : rows) positions.push_back(row[parameter]);
  std::sort(positions.begin(), positions.end());
  positions.erase(std::unique(positions.begin(), positions.end()), positions.end());
  return positions;
}

}  // namespace attune
