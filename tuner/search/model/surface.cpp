#include "search/model/surface.hpp"

#include <algorithm>
#include <cmath>

namespace attune {
namespace {

constexpr double least_pivot = 1e-8;     // squared: two equal observations must not cause a division by zero
constexpr float least_variance = 1e-9F;  // standardised

}  // namespace

Surface::Surface(const std::vector<Axis>& axes, GaussianProcess process, std::vector<Row> rows,
                 std::vector<double> trend, std::size_t capacity)
    : axes_(axes), process_(std::move(process)), rows_(std::move(rows)), trend_(std::move(trend)) {
  const auto n = static_cast<Eigen::Index>(capacity), m = static_cast<Eigen::Index>(rows_.size());
  for (const Axis& axis : axes_) {
    auto& column = columns_.emplace_back(rows_.size());
    for (std::size_t i = 0; i < rows_.size(); ++i) column[i] = rows_[i][axis.parameter];
  }
  factor_.setZero(n, n);
  weights_.setZero(n);
  solved_.resize(n, m);
  mean_.setZero(m);
  variance_.setOnes(m);
  valid_.setZero(m);
  failed_.setZero(m);
}

float Surface::alike(const Row& a, const Row& b) const {
  float sum = 0;
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    const double distance = axes_[i].distance(a[axes_[i].parameter], b[axes_[i].parameter]);
    sum += static_cast<float>(process_.weights[i] * along(process_.falloff, distance));
  }
  return correlation(process_.falloff, sum);
}

// Returns the inverse factor times the correlations of a row with the observed rows.
Eigen::VectorXd Surface::factor_row(const Row& row) const {
  const auto n = static_cast<Eigen::Index>(observed_.size());
  Eigen::VectorXd result(n);
  for (Eigen::Index i = 0; i < n; ++i) result[i] = alike(row, observed_[static_cast<std::size_t>(i)]);
  if (n > 0) factor_.topLeftCorner(n, n).triangularView<Eigen::Lower>().solveInPlace(result);
  return result;
}

Eigen::RowVectorXf Surface::correlations_with(const Row& row) const {
  Eigen::RowVectorXf sums = Eigen::RowVectorXf::Zero(mean_.size());
  std::vector<float> terms;
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    const Axis& axis = axes_[i];
    terms.resize(axis.place.size());
    for (std::size_t value = 0; value < terms.size(); ++value) {
      const double distance = axis.distance(value, row[axis.parameter]);
      terms[value] = static_cast<float>(process_.weights[i] * along(process_.falloff, distance));
    }
    for (std::size_t k = 0; k < rows_.size(); ++k) sums[static_cast<Eigen::Index>(k)] += terms[columns_[i][k]];
  }
  for (float& sum : sums) sum = correlation(process_.falloff, sum);
  return sums;
}

void Surface::observe(const Row& row, double value) {
  const auto n = static_cast<Eigen::Index>(observed_.size());
  const Eigen::VectorXd left = factor_row(row);
  const double pivot = std::sqrt(std::max(least_pivot, 1 + process_.noise - left.squaredNorm()));
  factor_.row(n).head(n) = left.transpose();
  factor_(n, n) = pivot;
  const double standardised = (value - process_.mean) / std::sqrt(process_.variance);
  weights_[n] = (standardised - left.dot(weights_.head(n))) / pivot;
  Eigen::RowVectorXf solved = correlations_with(row);
  valid_ += solved.cwiseAbs2();
  if (n > 0) solved.noalias() -= left.cast<float>().transpose() * solved_.topRows(n);
  solved /= static_cast<float>(pivot);
  mean_ += solved * static_cast<float>(weights_[n]);
  variance_ -= solved.cwiseAbs2();
  solved_.row(n) = solved;
  observed_.push_back(row);
}

void Surface::observe_failure(const Row& row) { failed_ += correlations_with(row).cwiseAbs2(); }

double Surface::chance(std::size_t row) const {
  const auto i = static_cast<Eigen::Index>(row);
  // Counts as if one equal row had not failed, because a row unlike all known rows is worth trying.
  return (1 + static_cast<double>(valid_[i])) / (1 + static_cast<double>(valid_[i]) + static_cast<double>(failed_[i]));
}

Prediction Surface::at(std::size_t row) const {
  const auto i = static_cast<Eigen::Index>(row);
  const double scale = std::sqrt(process_.variance);
  return {process_.mean + scale * static_cast<double>(mean_[i]) + (trend_.empty() ? 0 : trend_[row]),
          scale * static_cast<double>(std::sqrt(std::max(variance_[i], least_variance)))};
}

Prediction Surface::at(const Row& row, double trend) const {
  const Eigen::VectorXd left = factor_row(row);
  const double scale = std::sqrt(process_.variance);
  const double variance = std::max<double>(1 - left.squaredNorm(), least_variance);
  return {process_.mean + scale * left.dot(weights_.head(left.size())) + trend, scale * std::sqrt(variance)};
}

}  // namespace attune
