// CoverMatrix: what was measured of each configuration on each problem. Plain values.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "attune/bindings.hpp"

namespace attune {

// A configuration on a problem.
struct CoverCell {
  double speedup = 0;        // over the problem's default, measured beside it; 0: not measured
  double low = 0, high = 0;  // 95 % interval of the speed-up
  bool is_usable = true;     // false: it is not legal there, or it failed there, and the default takes its place
};

struct CoverMatrix {
  std::vector<Problem> problems;              // complete, with the same names
  std::vector<Configuration> configurations;  // without the default
  std::vector<std::vector<CoverCell>> rows;   // rows[problem][configuration]
};

// Tells how much slower a configuration is on a problem than the best that was measured there. Columns are positions in
// `configurations`; one more stands for the default.
class CoverLosses {
 public:
  // `matrix` must outlive it. A configuration that is not usable for a problem counts as the default. One that was not
  // measured there counts as fast, over the default, as it was where it was slowest.
  explicit CoverLosses(const CoverMatrix& matrix);
  // Returns losses by which to choose: each with `share` times the column's mean loss over `problems`, because a column
  // that is good on most of them is good between them as well.
  CoverLosses leaning_to_mean(double share, std::span<const std::size_t> problems) const;

  std::size_t problems() const noexcept { return losses_.size(); }
  std::size_t default_column() const noexcept { return matrix_.configurations.size(); }
  // Returns 0.02 for a time that is 2 % above that of the best.
  double loss(std::size_t problem, std::size_t column) const { return losses_[problem][column]; }
  // Return whether the interval says that the column is faster, or slower, than the default.
  bool is_faster(std::size_t problem, std::size_t column) const;
  bool is_slower(std::size_t problem, std::size_t column) const;
  const CoverMatrix& matrix() const noexcept { return matrix_; }

 private:
  const CoverCell* measured(std::size_t problem, std::size_t column) const;
  const CoverMatrix& matrix_;
  std::vector<std::vector<double>> losses_;
};

// Losses over some problems. The less worst loss counts first where it exceeds what is allowed, then the less mean.
struct LossSummary {
  double mean = 0, worst = 0;
};
LossSummary summary_of(std::span<const double> losses);
bool is_better(const LossSummary& a, const LossSummary& b, double allowed_worst);

}  // namespace attune
