// Why a call of the system failed, in words that say what helps.
#pragma once

namespace attune {

// Returns "the disk is full; make room", or the system's own words where there is no remedy to name. `error`: an errno.
const char* system_failure(int error) noexcept;

}  // namespace attune
