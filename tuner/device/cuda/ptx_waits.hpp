// Whether an entry waits for the launch before it, seen in its PTX. Pure.
#pragma once

#include <string_view>

namespace attune::cuda {

// Returns whether the entry has `griddepcontrol.wait`, or calls a function while some function of the PTX has it.
bool waits_for_previous(std::string_view ptx, std::string_view symbol);

}  // namespace attune::cuda
