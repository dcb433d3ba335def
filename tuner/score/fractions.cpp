#include "score/fractions.hpp"

#include <algorithm>

#include "attune/error.hpp"

namespace attune {

std::vector<double> valid_objectives(const RecordedSpace& recorded) {
  std::vector<double> values;
  for (std::size_t i = 0; i < recorded.recording().trials.size(); ++i) {
    const Outcome outcome = recorded.outcome(i);
    if (outcome.valid) values.push_back(outcome.objective);
  }
  if (values.empty())
    throw UsageError(recorded.recording().source +
                     ": every recorded configuration failed, so there is nothing to find");
  std::sort(values.begin(), values.end());
  return values;
}

double fraction_of_optimum(const Visits& visits, double optimum, std::size_t evaluations) {
  const std::size_t last = std::min(evaluations, visits.size());
  if (last == 0 || visits[last - 1].best == 0) return 0;
  return optimum / visits[last - 1].best;
}

double mean_fraction(const std::vector<Visits>& repeats, double optimum, std::size_t evaluations) {
  double sum = 0;
  for (const Visits& visits : repeats) sum += fraction_of_optimum(visits, optimum, evaluations);
  return sum / static_cast<double>(repeats.size());
}

double random_fraction(const std::vector<double>& ascending, std::size_t rows, std::size_t evaluations) {
  const std::size_t draws = std::min(evaluations, rows);
  double probability = static_cast<double>(draws) / static_cast<double>(rows);  // of rank 0
  double sum = 0;
  for (std::size_t i = 0; i < ascending.size() && probability > 0; ++i) {
    sum += probability * ascending.front() / ascending[i];
    const std::size_t behind = rows - i - 1;  // rows ranked after this one
    if (behind < draws) break;                // too few rows are left for the other draws
    probability *= static_cast<double>(behind - draws + 1) / static_cast<double>(behind);
  }
  return sum;
}

}  // namespace attune
