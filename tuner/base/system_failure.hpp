// Why a call of the system failed, in words that say what helps.
#pragma once

namespace attune {

// Returns a text such as "the disk is full; make room", or the system's own words if there is no remedy to name.
// `error` is an errno.
const char* system_failure(int error) noexcept;

}  // namespace attune
