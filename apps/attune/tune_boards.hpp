// What is said of the devices of a search.
#pragma once

#include <string>
#include <vector>

#include "attune/device_info.hpp"

namespace attune::cli {

// Returns the note on a device that does not open.
std::string no_part_note(const std::string& why);
// Prints the notes, and which devices the search uses if there are several.
void tell_boards(const std::vector<DeviceInfo>& used, std::vector<std::string> notes, bool json);

}  // namespace attune::cli
