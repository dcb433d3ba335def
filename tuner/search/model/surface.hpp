// Surface: the predictions of a Gaussian process for many rows at once, updated with each observation. An observation
// costs (observations so far) x (rows). Belongs to one strategy and one thread.
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
  // `trend`, by row, is added to the process: a guess of its values from elsewhere; empty for none. `capacity`: the
  // most observations. `axes` must outlive it.
  Surface(const std::vector<Axis>& axes, GaussianProcess process, std::vector<Row> rows, std::vector<double> trend,
          std::size_t capacity);

  // Adds `value` less the trend at that row. At most `capacity` calls.
  void observe(const Row& row, double value);
  // Adds a failure. Failures do not count towards `capacity` and change no predicted value.
  void observe_failure(const Row& row);
  std::size_t observations() const { return observed_.size(); }
  const std::vector<Row>& rows() const { return rows_; }
  Prediction at(std::size_t row) const;
  // Returns the prediction of any row; `trend` is the trend at it. Costs the square of the observations.
  Prediction at(const Row& row, double trend) const;
  // Returns the chance that a configuration does not fail, from its likeness to valid and failed ones.
  double chance(std::size_t row) const;
  float alike(const Row& a, const Row& b) const;  // correlation

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
