// Scans of arrays that an application has offset, on any device.
#pragma once

#include <string>
#include <vector>

namespace attune::test {

// Scans by `scan` from arrays that begin some elements past the begin of a buffer, to others that begin elsewhere, by
// each algorithm. Returns what is wrong, a line each.
std::vector<std::string> wrong_scans_of_offset_arrays(const std::string& device);

}  // namespace attune::test
