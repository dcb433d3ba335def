// How long to wait while another process has the wisdom database locked.
#pragma once

namespace attune {

// How long an application waits for a lock. It is short, because a default configuration serves until the file is free.
constexpr double application_wait_seconds = 0.1;

// Returns ATTUNE_DB_WAIT in seconds, at most an hour, or `otherwise` if it is not set. Throws UsageError if it is not a
// number of seconds.
double lock_wait_seconds(double otherwise);

}  // namespace attune
