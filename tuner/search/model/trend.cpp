#include "search/model/trend.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace attune {
namespace {

// Rows slower than the best by a factor of e^3, and failed rows, are equally bad.
constexpr double worst = 3;

// Unknown rows are guessed from the nearest of these landmarks: the best rows, and others spread over the rest.
constexpr std::size_t best_landmarks = 128, other_landmarks = 128;
constexpr std::size_t nearest_counted = 4;

}  // namespace

bool Trend::add(const Experience& experience) {
  double best = std::numeric_limits<double>::infinity();
  for (const auto& [row, outcome] : experience.trials) {
    if (outcome.valid && outcome.objective > 0) best = std::min(best, outcome.objective);
  }
  if (!std::isfinite(best)) return false;
  TrendSource source;
  std::vector<std::pair<Row, double>> legal;
  for (const auto& [row, outcome] : experience.trials) {
    if (row.size() != space_.parameters().size()) continue;
    const auto index = space_.index_of(RowView(row));
    if (!index) continue;
    const bool usable = outcome.valid && outcome.objective > 0;
    const double value = usable ? std::min(worst, std::log(outcome.objective / best)) : worst;
    source.known.insert_or_assign(static_cast<std::uint64_t>(*index), value);
    legal.emplace_back(row, value);
  }
  if (legal.empty()) return false;
  std::stable_sort(legal.begin(), legal.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  const std::size_t first = std::min(best_landmarks, legal.size()), rest = legal.size() - first;
  source.landmarks.assign(legal.begin(), legal.begin() + static_cast<std::ptrdiff_t>(first));
  for (std::size_t i = 0; i < std::min(other_landmarks, rest); ++i)
    source.landmarks.push_back(legal[first + i * rest / std::min(other_landmarks, rest)]);
  sources_.push_back(std::move(source));
  return true;
}

// Returns the mean of the nearest rows, weighted by the inverse of their distances.
double Trend::guess(const TrendSource& source, const Row& row) const {
  std::vector<std::pair<double, double>> near;
  for (const auto& [landmark, value] : source.landmarks) {
    double distance = 0;
    for (const Axis& axis : axes_) distance += axis.distance(landmark[axis.parameter], row[axis.parameter]);
    near.emplace_back(distance, value);
  }
  const std::size_t counted = std::min(nearest_counted, near.size());
  std::partial_sort(near.begin(), near.begin() + static_cast<std::ptrdiff_t>(counted), near.end());
  double sum = 0, weights = 0;
  for (std::size_t i = 0; i < counted; ++i) {
    const double weight = 1 / (near[i].first + 1e-3);
    sum += weight * near[i].second;
    weights += weight;
  }
  return sum / weights;
}

double Trend::at(const Row& row) const {
  if (sources_.empty()) return 0;
  const auto index = space_.index_of(RowView(row));
  double sum = 0;
  for (const TrendSource& source : sources_) {
    const auto known = index ? source.known.find(static_cast<std::uint64_t>(*index)) : source.known.end();
    sum += known == source.known.end() ? guess(source, row) : known->second;
  }
  return sum / static_cast<double>(sources_.size());
}

}  // namespace attune
