// Steps of stencil3d as an application takes them: arrays that begin anywhere, and the next field in place of the last.
#pragma once

#include <string>
#include <vector>

namespace attune::test {

// A step of a grid whose arrays begin some elements past the begin of buffers, into an array of its own and in place.
// Returns what differs from the same step in double, a line each.
std::vector<std::string> wrong_steps_of_offset_grids(const std::string& device);

}  // namespace attune::test
