// Gaussian process over the rows of a space: how alike two rows are, and the hyperparameters of that, fitted to what is
// known. Pure; any thread. Source of the formulas: Rasmussen and Williams, Gaussian Processes for Machine Learning
// (2006), sections 2.2, 4.2 and 5.4.
#pragma once

#include <vector>

#include "search/model/axes.hpp"

namespace attune {

// How correlation falls with distance. `matern`: smooth, of the weighted Euclidean distance (nu = 3/2). `exponential`:
// rough, and a product over the axes: one that matters cannot be outweighed by others that agree.
enum class Falloff { matern, exponential };

struct GaussianProcess {
  Falloff falloff = Falloff::matern;
  std::vector<double> weights;  // by axis: of its squared (matern) or plain distance
  double noise = 1e-3;          // variance of a measurement, over that of the process
  double mean = 0;              // of the process
  double variance = 1;

  // Before anything is known.
  static GaussianProcess prior(Falloff falloff, std::size_t axes);
};

// What an axis adds to the sum that correlation() takes, at this distance along it.
double along(Falloff falloff, double distance);
// 1 for equal rows; `sum`: of weight * along() over the axes.
float correlation(Falloff falloff, float sum);

// Values at rows.
struct Observations {
  std::vector<Row> rows;
  std::vector<double> values;
};

// Climbs from `start` to hyperparameters under which the observations are more likely (marginal likelihood times a
// prior that keeps weights moderate). `fit`: minus the logarithm of that, less is better. Observations: at least two.
struct Fitted {
  GaussianProcess process;
  double fit = 0;
};
Fitted fit(const std::vector<Axis>& axes, const Observations& observations, const GaussianProcess& start);

}  // namespace attune
