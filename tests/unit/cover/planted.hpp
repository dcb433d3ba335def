// Matrices with known answers.
#pragma once

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "cover/matrix.hpp"

namespace attune {

inline Problem problem_of_size(std::int64_t n) { return Problem({{"n", n}}); }

// A matrix of configurations C=0, C=1, ... with exact speed-ups.
inline CoverMatrix planted_matrix(const std::vector<Problem>& problems, int configurations,
                                  const std::function<double(const Problem&, int)>& speedup) {
  CoverMatrix matrix{problems, {}, {}};
  for (int one = 0; one < configurations; ++one) matrix.configurations.push_back(Configuration({{"C", one}}));
  for (const Problem& problem : problems) {
    auto& row = matrix.rows.emplace_back();
    for (int one = 0; one < configurations; ++one) {
      const double value = speedup(problem, one);
      row.push_back({value, value * 0.995, value * 1.005});
    }
  }
  return matrix;
}

}  // namespace attune
