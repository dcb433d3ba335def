// What is said of the devices of a search.
#pragma once

#include <string>
#include <vector>

#include "attune/device_info.hpp"

namespace attune::cli {

// Prints the notes, and which devices the search uses if there are several.
void tell_boards(const std::vector<DeviceInfo>& used, std::vector<std::string> notes, bool json);

}  // namespace attune::cli
