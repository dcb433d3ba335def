// Axes: the parameters of a space as a model sees them: numbers between 0 and 1, or names that are alike or not. Plain
// values; any thread.
#pragma once

#include <vector>

#include "attune/search_space.hpp"

namespace attune {

// A parameter of which several values occur.
struct Axis {
  std::size_t parameter = 0;
  bool ordered = true;        // false: names, of which only equality counts
  std::vector<double> place;  // by position of the value: 0 .. 1
  // How far apart two values are, 0 .. 1.
  double distance(std::size_t a, std::size_t b) const;
};

// Sizes that span a factor of four or more are taken by their logarithm: from 32 to 64 is as far as from 128 to 256.
std::vector<Axis> axes_of(const SearchSpace& space);

}  // namespace attune
