// GaussianProcess: a Gaussian process over the rows of a space, with hyperparameters fitted to outcomes. Pure; any
// thread. Source of the formulas: Rasmussen and Williams, Gaussian Processes for Machine Learning (2006), sections 2.2,
// 4.2 and 5.4.
#pragma once

#include <vector>

#include "search/model/axes.hpp"

namespace attune {

// How correlation falls with distance. `matern` (nu = 3/2) is smooth and depends on the weighted Euclidean distance.
// `exponential` is rough and a product over the axes, so that agreement on other axes cannot make up for one axis.
enum class Falloff { matern, exponential };

struct GaussianProcess {
  Falloff falloff = Falloff::matern;
  std::vector<double> weights;  // by axis: weight of its squared (matern) or plain distance
  double noise = 1e-3;          // variance of a measurement, relative to `variance`
  double mean = 0;              // mean of the process
  double variance = 1;

  // Returns the process that is assumed before any outcome.
  static GaussianProcess prior(Falloff falloff, std::size_t axes);
};

// Returns the contribution of one axis, before weighting, to the sum that correlation() takes. `distance` is that along
// the axis.
double along(Falloff falloff, double distance);
// Returns the correlation of two rows, 1 for equal rows. `sum` is the sum of weight * along() over the axes.
float correlation(Falloff falloff, float sum);

// Values at rows.
struct Observations {
  std::vector<Row> rows;
  std::vector<double> values;
};

// A process fitted to observations. Its `fit` is minus the logarithm of the marginal likelihood times a prior that
// keeps weights moderate; less is better.
struct FittedProcess {
  GaussianProcess process;
  double fit = 0;
};
// Climbs from `start` to hyperparameters under which the observations are more likely. Needs at least two observations.
FittedProcess fit(const std::vector<Axis>& axes, const Observations& observations, const GaussianProcess& start);

}  // namespace attune
