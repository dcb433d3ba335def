// Gaussian process over the rows of a space: the correlation of rows, with hyperparameters fitted to outcomes. Pure;
// any thread. Source of the formulas: Rasmussen and Williams, Gaussian Processes for Machine Learning (2006), sections
// 2.2, 4.2 and 5.4.
#pragma once

#include <vector>

#include "search/model/axes.hpp"

namespace attune {

// How correlation falls with distance. `matern`: smooth, of the weighted Euclidean distance (nu = 3/2). `exponential`:
// rough, a product over the axes: agreement on other axes cannot outweigh one axis.
enum class Falloff { matern, exponential };

struct GaussianProcess {
  Falloff falloff = Falloff::matern;
  std::vector<double> weights;  // by axis: of its squared (matern) or plain distance
  double noise = 1e-3;          // variance of a measurement, over the process's
  double mean = 0;              // of the process
  double variance = 1;

  // Returns the process before any outcome.
  static GaussianProcess prior(Falloff falloff, std::size_t axes);
};

// Returns an axis's part of the sum for correlation(), at this distance along it.
double along(Falloff falloff, double distance);
// Returns the correlation, 1 for equal rows. `sum`: of weight * along() over the axes.
float correlation(Falloff falloff, float sum);

// Values at rows.
struct Observations {
  std::vector<Row> rows;
  std::vector<double> values;
};

// Climbs from `start` to hyperparameters under which the observations are more likely. The measure is marginal
// likelihood times a prior that keeps weights moderate. `fit`: minus its logarithm, less is better. Needs at least two
// observations.
struct Fitted {
  GaussianProcess process;
  double fit = 0;
};
Fitted fit(const std::vector<Axis>& axes, const Observations& observations, const GaussianProcess& start);

}  // namespace attune
