// Surface: the predictions of a Gaussian process for many rows at once, updated with each observation. Adding an
// observation costs (observations so far) x (rows). Belongs to one strategy and one thread.
#pragma once

#include <Eigen/Dense>
#include <vector>

#include "search/model/gaussian_process.hpp"

namespace attune {

struct Prediction {
  double mean = 0, deviation = 0;
};

class Surface {
 public:
  // `trend` has a guess of each row's value from elsewhere, which is added to the process; empty if there is none.
  // `capacity` is the most observations. `axes` must outlive the surface.
  Surface(const std::vector<Axis>& axes, GaussianProcess process, std::vector<Row> rows, std::vector<double> trend,
          std::size_t capacity);

  // Adds an observation: `value` is the observed value less the trend at this row. May be called at most `capacity`
  // times.
  void observe(const Row& row, double value);
  // Adds a failed row. Failures do not count towards `capacity` and change chance() only.
  void observe_failure(const Row& row);
  std::size_t observations() const { return observed_.size(); }
  const std::vector<Row>& rows() const { return rows_; }
  Prediction at(std::size_t row) const;
  // Returns the prediction for any row, at which the trend is `trend`. Costs the square of the number of observations.
  Prediction at(const Row& row, double trend) const;
  // Returns the chance, 0 .. 1, that a row does not fail, from its likeness to valid and failed rows.
  double chance(std::size_t row) const;
  float alike(const Row& a, const Row& b) const;  // correlation of two rows

 private:
  Eigen::VectorXd factor_row(const Row& row) const;
  Eigen::RowVectorXf correlations_with(const Row& row) const;

  const std::vector<Axis>& axes_;
  GaussianProcess process_;
  std::vector<Row> rows_;
  std::vector<double> trend_;
  std::vector<std::vector<std::uint16_t>> columns_;  // rows_ by axis
  std::vector<Row> observed_;
  Eigen::MatrixXd factor_;   // Cholesky factor of the observations' covariance
  Eigen::VectorXd weights_;  // inverse factor times their standardised values
  Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> solved_;  // inverse factor times covariances
  Eigen::RowVectorXf mean_, variance_;                                            // by row, standardised
  Eigen::RowVectorXf valid_, failed_;  // by row: sums of squared correlations with valid and failed rows
};

}  // namespace attune
