// Axes: the parameters of a space in the form that a model uses: numbers between 0 and 1, or names that are only equal
// or not. Plain values; any thread.
#pragma once

#include <vector>

#include "attune/search_space.hpp"

namespace attune {

// A parameter of which several values occur.
struct Axis {
  std::size_t parameter = 0;
  bool ordered = true;        // false for names, which are only equal or not
  std::vector<double> place;  // by position of the value: 0 .. 1
  // Returns the distance of two values, 0 .. 1, given by position.
  double distance(std::size_t a, std::size_t b) const;
};

// Returns the axes of a space. Positive numbers that span a factor of four or more are placed by their logarithm: 64 is
// midway between 32 and 128.
std::vector<Axis> axes_of(const SearchSpace& space);

}  // namespace attune
