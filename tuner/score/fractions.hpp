// Fraction of the optimum, by number of evaluations: 1 where the best configuration of the recording has been found,
// 0 before the first valid one. Pure functions.
#pragma once

#include <array>
#include <vector>

#include "score/simulate.hpp"

namespace attune {

inline constexpr std::array<std::size_t, 6> fraction_evaluations = {5, 25, 50, 100, 200, 400};

// Objectives of the valid trials, ascending. Throws UsageError naming the file where there is none.
std::vector<double> valid_objectives(const RecordedSpace& recorded);

// optimum / best after `evaluations` visits, or after the last where there are fewer.
double fraction_of_optimum(const Visits& visits, double optimum, std::size_t evaluations);
// Mean over repeats; there is at least one.
double mean_fraction(const std::vector<Visits>& repeats, double optimum, std::size_t evaluations);

// The exact expectation for `evaluations` draws without replacement from `rows` rows, of which those with `ascending`
// objectives are valid: sum over i of P(the best drawn has rank i) * optimum / v_i, where
// P = C(rows - i - 1, k - 1) / C(rows, k), failed rows ranked last.
double random_fraction(const std::vector<double>& ascending, std::size_t rows, std::size_t evaluations);

}  // namespace attune
