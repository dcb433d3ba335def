// Axes: the parameters of a space as numbers between 0 and 1, or as names that are equal or not. A model uses them.
// Plain values; any thread.
#pragma once

#include <vector>

#include "attune/search_space.hpp"

namespace attune {

// A parameter with several values that occur.
struct Axis {
  std::size_t parameter = 0;
  bool ordered = true;        // false: names, which are only equal or not
  std::vector<double> place;  // by position of the value: 0 .. 1
  // Returns the distance of two values, 0 .. 1.
  double distance(std::size_t a, std::size_t b) const;
};

// Returns the axes. Sizes that span a factor of four or more use their logarithm: 64 is midway between 32 and 128.
std::vector<Axis> axes_of(const SearchSpace& space);

}  // namespace attune
