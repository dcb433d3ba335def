// Comments in generated texts that tell where records come from. Pure.
#pragma once

#include <string>

#include "core/record.hpp"

namespace attune {

// Returns two `//` lines: device, driver, toolchain, problem, times, speed-up, date, effort.
std::string provenance_comment(const Record& record);
// Returns "2026-01-31T12:00:00Z".
std::string utc_date(std::int64_t unix_ms);

}  // namespace attune
