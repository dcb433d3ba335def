// Checks steps of stencil3d as an application takes them: with arrays that begin anywhere, and with the next field in
// place of the previous one.
#pragma once

#include <string>
#include <vector>

namespace attune::test {

// Takes a step of a grid whose arrays begin some elements past the begin of buffers, into an array of its own and in
// place. Returns where it differs from the same step in double, a line each.
std::vector<std::string> wrong_steps_of_offset_grids(const std::string& device);

}  // namespace attune::test
