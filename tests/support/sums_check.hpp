// Checks what kernels that combine all elements into one promise to applications, whatever the configuration. Each
// function returns what is wrong, a line each.
#pragma once

#include <string>
#include <vector>

namespace attune::test {

// Checks `reduce` and `dot` over arrays that begin some elements past the begin of a buffer, with each way of reading.
std::vector<std::string> wrong_sums_of_offset_arrays(const std::string& device);

// Launches often the sums of `float` by `reduce` and `dot`, with the algorithms that their files call deterministic.
// Returns those whose bits differ.
std::vector<std::string> sums_that_change(const std::string& device);

// Checks minima and maxima of numbers with infinities and a NaN among them, with each algorithm.
std::vector<std::string> wrong_extremes(const std::string& device);

}  // namespace attune::test
