// How a configuration of a recording is known in images: by the expression of the only entry.
#pragma once

#include <string>
#include <string_view>

#include "core/recording.hpp"

namespace attune {

constexpr std::string_view replay_reference = "replay_reference";  // what gives the expected result: takes no time

std::string replay_entry(const Recording& recording);  // "replay<TILE, ROWS>"
Configuration configuration_of(const Recording& recording, const RecordedTrial& trial);

}  // namespace attune
