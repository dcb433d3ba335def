// What the kernels that combine all elements into one promise to applications, whatever the configuration. Each
// function returns what is wrong, a line each.
#pragma once

#include <string>
#include <vector>

namespace attune::test {

// `reduce` and `dot` over arrays that begin some elements past the begin of a buffer, with each way of reading.
std::vector<std::string> wrong_sums_of_offset_arrays(const std::string& device);

// Sums of `float` by `reduce` and `dot` in the algorithms that their files call deterministic, launched often: those
// with different bits.
std::vector<std::string> sums_that_change(const std::string& device);

// Minima and maxima of numbers that hold infinities and a NaN, with each algorithm.
std::vector<std::string> wrong_extremes(const std::string& device);

}  // namespace attune::test
