// A session as T4 results, version 1.0.0 of the tuners' common format: docs/formats/tuners.md. Pure.
#pragma once

#include <string>

#include "exports/session_log.hpp"

namespace attune {

// Returns the JSON text, a line for each trial. Equal input gives equal text.
std::string t4_results(const SessionLog& session);

}  // namespace attune
