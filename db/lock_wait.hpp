// How long to wait while another process has the wisdom database locked.
#pragma once

namespace attune {

// How long an application waits for a lock: a default serves until the file is free.
constexpr double application_wait_seconds = 0.1;

// Returns ATTUNE_DB_WAIT in seconds, at most an hour; `otherwise` where it is not set. Throws UsageError where it is no
// number of seconds.
double lock_wait_seconds(double otherwise);

}  // namespace attune
