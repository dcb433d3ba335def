// A session as a cache of Kernel Tuner: docs/formats/tuners.md. Pure.
#pragma once

#include <string>

#include "exports/session_log.hpp"

namespace attune {

// Returns the JSON text of the cache, closed as Kernel Tuner expects. Equal input gives equal text.
std::string kernel_tuner_cache(const SessionLog& session);

}  // namespace attune
