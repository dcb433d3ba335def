// Scans of arrays that an application has offset, and whether scans repeat, on any device. Each function tries each
// algorithm and returns what is wrong, a line each.
#pragma once

#include <string>
#include <vector>

namespace attune::test {

// Checks `scan` from arrays that begin some elements past the begin of a buffer, to arrays that begin elsewhere.
std::vector<std::string> wrong_scans_of_offset_arrays(const std::string& device);

// Launches again and again sums of floats whose bits depend on the order of the additions.
std::vector<std::string> scans_that_change(const std::string& device);

}  // namespace attune::test
