// The built-in `histogram` as an application uses it, on data that tuning never makes.
#pragma once

#include <string>
#include <vector>

namespace attune::test {

// Counts bytes and 32-bit integers, also negative and too large ones, in arrays that begin some elements past the begin
// of a buffer. Each width of accesses is the default once. Returns what is wrong, a line each.
std::vector<std::string> wrong_histograms_of_offset_arrays(const std::string& device);

}  // namespace attune::test
