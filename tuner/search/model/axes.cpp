#include "search/model/axes.hpp"

#include <algorithm>
#include <cmath>

namespace attune {
namespace {

constexpr double wide_span = 4;  // largest over smallest value

double number_of(const Value& value) { return value.is_real() ? value.real() : static_cast<double>(value.integer()); }

Axis axis_of(const SearchSpace& space, std::size_t parameter) {
  const std::vector<Value>& values = space.parameters()[parameter].values;
  const auto& left = space.values_left(parameter);
  Axis axis{parameter, !values[left.front()].is_name(), std::vector<double>(values.size())};
  if (!axis.ordered || values[left.front()].is_boolean()) {
    for (std::size_t i = 0; i < left.size(); ++i)
      axis.place[left[i]] = static_cast<double>(i) / static_cast<double>(left.size() - 1);
    return axis;
  }
  double low = number_of(values[left.front()]), high = low;
  for (const auto i : left) {
    low = std::min(low, number_of(values[i]));
    high = std::max(high, number_of(values[i]));
  }
  const bool by_logarithm = low > 0 && high / low >= wide_span;
  for (const auto i : left) {
    const double value = number_of(values[i]);
    axis.place[i] = by_logarithm ? std::log(value / low) / std::log(high / low) : (value - low) / (high - low);
  }
  return axis;
}

}  // namespace

double Axis::distance(std::size_t a, std::size_t b) const {
  if (!ordered) return a == b ? 0 : 1;
  return std::abs(place[a] - place[b]);
}

std::vector<Axis> axes_of(const SearchSpace& space) {
  std::vector<Axis> axes;
  for (std::size_t i = 0; i < space.parameters().size(); ++i) {
    if (space.values_left(i).size() > 1) axes.push_back(axis_of(space, i));
  }
  return axes;
}

}  // namespace attune
