#include "cover/matrix.hpp"

#include <algorithm>
#include <numeric>

namespace attune {
namespace {

// Returns the least speed-up that was measured of a configuration, or 1 if none was.
double least_speedup(const CoverMatrix& matrix, std::size_t column) {
  double least = 0;
  for (const auto& row : matrix.rows)
    if (row[column].speedup > 0 && (least == 0 || row[column].speedup < least)) least = row[column].speedup;
  return least > 0 ? least : 1;
}

}  // namespace

CoverLosses::CoverLosses(const CoverMatrix& matrix) : matrix_(matrix) {
  for (const auto& row : matrix.rows) {
    std::vector<double> speedups;
    double best = 1;
    for (std::size_t column = 0; column < row.size(); ++column) {
      const CoverCell& cell = row[column];
      if (cell.is_usable && cell.speedup > 0) best = std::max(best, cell.speedup);
      speedups.push_back(!cell.is_usable ? 1 : cell.speedup > 0 ? cell.speedup : least_speedup(matrix, column));
    }
    speedups.push_back(1);
    std::vector<double>& losses = losses_.emplace_back();
    for (const double speedup : speedups) losses.push_back(std::max(best / speedup - 1, 0.0));
  }
}

CoverLosses CoverLosses::leaning_to_mean(double share, std::span<const std::size_t> problems) const {
  CoverLosses leaning = *this;
  for (std::size_t column = 0; column <= default_column(); ++column) {
    double sum = 0;
    for (const std::size_t problem : problems) sum += losses_[problem][column];
    for (std::vector<double>& row : leaning.losses_) row[column] += share * sum / static_cast<double>(problems.size());
  }
  return leaning;
}

const CoverCell* CoverLosses::measured(std::size_t problem, std::size_t column) const {
  if (column == default_column()) return nullptr;
  const CoverCell& cell = matrix_.rows[problem][column];
  return cell.is_usable && cell.speedup > 0 ? &cell : nullptr;
}

bool CoverLosses::is_faster(std::size_t problem, std::size_t column) const {
  const CoverCell* const cell = measured(problem, column);
  return cell != nullptr && cell->low > 1;
}

bool CoverLosses::is_slower(std::size_t problem, std::size_t column) const {
  const CoverCell* const cell = measured(problem, column);
  return cell != nullptr && cell->high < 1;
}

LossSummary summary_of(std::span<const double> losses) {
  if (losses.empty()) return {};
  return {std::accumulate(losses.begin(), losses.end(), 0.0) / static_cast<double>(losses.size()),
          *std::ranges::max_element(losses)};
}

bool is_better(const LossSummary& a, const LossSummary& b, double allowed_worst) {
  const double excess_a = std::max(a.worst, allowed_worst), excess_b = std::max(b.worst, allowed_worst);
  return excess_a != excess_b ? excess_a < excess_b : a.mean < b.mean;
}

}  // namespace attune
