#include "search/model/gaussian_process.hpp"

#include <Eigen/Dense>
#include <cmath>
#include <limits>

namespace attune {
namespace {

// The prior: the logarithms of the weights are normally distributed around these numbers. Correlation then reaches
// further than the unit cube's size, because most parameters matter a little. The numbers were chosen on recorded
// spaces of four kernels; docs/results/search.md has other kernels.
constexpr double prior_log_weight_matern = -2.5;
constexpr double prior_log_weight_exponential = -1;
constexpr double prior_spread = 1;

constexpr double least_weight = 1e-3, most_weight = 1e3;
constexpr double least_noise = 1e-5, most_noise = 0.3;

// The climb makes this many passes over all weights. For each weight it tries a factor e^step up and down.
constexpr int passes = 3;
constexpr double first_step = 1, step_shrinks = 0.6;

// The most observations that are fitted. More of them fit no better, and the cost is their third power.
constexpr std::size_t most_fitted = 128;

double prior_log_weight(Falloff falloff) {
  return falloff == Falloff::matern ? prior_log_weight_matern : prior_log_weight_exponential;
}

// The likelihood of some of the observations, evenly chosen, as a function of hyperparameters.
class Likelihood {
 public:
  Likelihood(const std::vector<Axis>& axes, const Observations& observations, Falloff falloff)
      : falloff_(falloff), axes_(axes.size()), count_(std::min(observations.rows.size(), most_fitted)) {
    values_.resize(static_cast<Eigen::Index>(count_));
    const auto at = [&](std::size_t i) { return i * observations.rows.size() / count_; };
    for (std::size_t i = 0; i < count_; ++i) {
      values_[static_cast<Eigen::Index>(i)] = observations.values[at(i)];
      for (std::size_t j = 0; j < i; ++j) {
        for (const Axis& axis : axes) {
          const Row& a = observations.rows[at(i)];
          const Row& b = observations.rows[at(j)];
          terms_.push_back(static_cast<float>(along(falloff, axis.distance(a[axis.parameter], b[axis.parameter]))));
        }
      }
    }
  }

  // Returns minus the logarithm of the likelihood, up to a constant. Sets mean and variance to the likeliest values.
  double operator()(GaussianProcess& process) {
    const auto n = static_cast<Eigen::Index>(count_);
    covariance_.resize(n, n);
    const float* term = terms_.data();
    for (Eigen::Index i = 0; i < n; ++i) {
      for (Eigen::Index j = 0; j < i; ++j) {
        float sum = 0;
        for (std::size_t axis = 0; axis < axes_; ++axis) sum += static_cast<float>(process.weights[axis]) * *term++;
        covariance_(i, j) = correlation(falloff_, sum);
      }
      covariance_(i, i) = 1 + process.noise;
    }
    const Eigen::LLT<Eigen::Ref<Eigen::MatrixXd>> factor(covariance_);  // in place
    if (factor.info() != Eigen::Success) return std::numeric_limits<double>::infinity();
    Eigen::VectorXd ones = Eigen::VectorXd::Ones(n), values = values_;
    factor.matrixL().solveInPlace(ones);
    factor.matrixL().solveInPlace(values);
    process.mean = ones.dot(values) / ones.squaredNorm();
    process.variance = (values - process.mean * ones).squaredNorm() / static_cast<double>(n) + 1e-12;
    double prior = 0;
    for (const double weight : process.weights) {
      const double off = (std::log(weight) - prior_log_weight(falloff_)) / prior_spread;
      prior += 0.5 * off * off;
    }
    return 0.5 * static_cast<double>(n) * std::log(process.variance) + covariance_.diagonal().array().log().sum() +
           prior;
  }

 private:
  Falloff falloff_;
  std::size_t axes_, count_;
  Eigen::VectorXd values_;
  std::vector<float> terms_;  // of pairs i > j, by axis: distances
  Eigen::MatrixXd covariance_;
};

// Improves one FittedProcess by trials.
class Climb {
 public:
  Climb(Likelihood& likelihood, const GaussianProcess& start) : likelihood_(likelihood), best_{start, 0} {
    best_.fit = likelihood_(best_.process);
  }

  // Keeps a change if the observations are likelier with it. Returns whether they are.
  template <typename Change>
  bool attempt(const Change& change) {
    GaussianProcess tried = best_.process;
    if (!change(tried)) return false;
    const double fit = likelihood_(tried);
    if (!(fit < best_.fit)) return false;
    best_ = {tried, fit};
    return true;
  }

  void pass(double step) {
    for (std::size_t axis = 0; axis < best_.process.weights.size(); ++axis) {
      for (const double factor : {std::exp(step), std::exp(-step)}) {
        const bool better = attempt([&](GaussianProcess& process) {
          process.weights[axis] *= factor;
          return process.weights[axis] >= least_weight && process.weights[axis] <= most_weight;
        });
        if (better) break;
      }
    }
    for (const double factor : {4.0, 0.25}) {
      const bool better = attempt([&](GaussianProcess& process) {
        process.noise *= factor;
        return process.noise >= least_noise && process.noise <= most_noise;
      });
      if (better) break;
    }
    for (const double factor : {std::exp(step), std::exp(-step)}) {
      const bool better = attempt([&](GaussianProcess& process) {
        for (double& weight : process.weights) weight *= factor;
        return true;
      });
      if (better) break;
    }
  }

  const FittedProcess& best() const { return best_; }

 private:
  Likelihood& likelihood_;
  FittedProcess best_;
};

}  // namespace

GaussianProcess GaussianProcess::prior(Falloff falloff, std::size_t axes) {
  GaussianProcess process;
  process.falloff = falloff;
  process.weights.assign(axes, std::exp(prior_log_weight(falloff)));
  return process;
}

double along(Falloff falloff, double distance) { return falloff == Falloff::matern ? distance * distance : distance; }

float correlation(Falloff falloff, float sum) {
  if (falloff == Falloff::exponential) return std::exp(-sum);
  const float scaled = std::sqrt(3 * sum);
  return (1 + scaled) * std::exp(-scaled);
}

FittedProcess fit(const std::vector<Axis>& axes, const Observations& observations, const GaussianProcess& start) {
  Likelihood likelihood(axes, observations, start.falloff);
  Climb climb(likelihood, start);
  double step = first_step;
  for (int pass = 0; pass < passes; ++pass, step *= step_shrinks) climb.pass(step);
  return climb.best();
}

}  // namespace attune
