// Fraction of the optimum, by number of evaluations. The fraction is 1 once the best configuration of the recording is
// found, and 0 before the first valid one. Pure functions.
#pragma once

#include <array>
#include <vector>

#include "score/simulate.hpp"

namespace attune {

inline constexpr std::array<std::size_t, 6> fraction_evaluations = {5, 25, 50, 100, 200, 400};

// Returns the objectives of the valid trials, ascending. Throws UsageError naming the file if no trial is valid.
std::vector<double> valid_objectives(const RecordedSpace& recorded);

// Returns optimum / best after `evaluations` visits, or after the last visit if there are fewer.
double fraction_of_optimum(const Visits& visits, double optimum, std::size_t evaluations);
// Returns the mean of fraction_of_optimum() over `repeats`, which must not be empty.
double mean_fraction(const std::vector<Visits>& repeats, double optimum, std::size_t evaluations);

// Returns the exact expectation of the fraction for k = `evaluations` draws without replacement from `rows` rows. The
// valid rows have the objectives `ascending`; failed rows rank last. The expectation is the sum over i of P_i * optimum
// / ascending[i]. P_i = C(rows - i - 1, k - 1) / C(rows, k) is the probability that the best row drawn has rank i.
double random_fraction(const std::vector<double>& ascending, std::size_t rows, std::size_t evaluations);

}  // namespace attune
