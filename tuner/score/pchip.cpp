#include "score/pchip.hpp"

#include <algorithm>
#include <cmath>

namespace attune {
namespace {

bool opposite(double a, double b) { return (a > 0) != (b > 0) || (a < 0) != (b < 0); }

// Returns the slope at an end, from the widths and secants of the two nearest intervals.
double end_slope(double width0, double width1, double secant0, double secant1) {
  const double slope = ((2 * width0 + width1) * secant0 - width0 * secant1) / (width0 + width1);
  if (opposite(slope, secant0)) return 0;
  if (opposite(secant0, secant1) && std::abs(slope) > 3 * std::abs(secant0)) return 3 * secant0;
  return slope;
}

// Returns the slope between two intervals: the weighted harmonic mean of their secants, 0 at an extremum.
double inner_slope(double width0, double width1, double secant0, double secant1) {
  if (secant0 == 0 || secant1 == 0 || opposite(secant0, secant1)) return 0;
  const double weight0 = 2 * width1 + width0, weight1 = width1 + 2 * width0;
  return (weight0 + weight1) / (weight0 / secant0 + weight1 / secant1);
}

}  // namespace

Pchip::Pchip(std::vector<double> x, std::vector<double> y) : x_(std::move(x)), y_(std::move(y)), slopes_(x_.size()) {
  const std::size_t intervals = x_.size() - 1;
  std::vector<double> width(intervals), secant(intervals);
  for (std::size_t i = 0; i < intervals; ++i) {
    width[i] = x_[i + 1] - x_[i];
    secant[i] = (y_[i + 1] - y_[i]) / width[i];
  }
  if (intervals == 1) {
    slopes_.assign(2, secant[0]);
    return;
  }
  slopes_.front() = end_slope(width[0], width[1], secant[0], secant[1]);
  for (std::size_t i = 1; i < intervals; ++i)
    slopes_[i] = inner_slope(width[i - 1], width[i], secant[i - 1], secant[i]);
  const std::size_t last = intervals - 1;
  slopes_.back() = end_slope(width[last], width[last - 1], secant[last], secant[last - 1]);
}

double Pchip::operator()(double x) const {
  const auto above = std::upper_bound(x_.begin() + 1, x_.end() - 1, x);
  const auto i = static_cast<std::size_t>(above - x_.begin()) - 1;
  const double width = x_[i + 1] - x_[i], secant = (y_[i + 1] - y_[i]) / width, s = x - x_[i];
  const double bend = (slopes_[i] + slopes_[i + 1] - 2 * secant) / width;
  return y_[i] + s * (slopes_[i] + s * ((secant - slopes_[i]) / width - bend + s * bend / width));
}

}  // namespace attune
