// How long to wait while another process has the wisdom database locked.
#pragma once

namespace attune {

// Returns ATTUNE_DB_WAIT in seconds, at most an hour; `otherwise` where it is not set. Throws UsageError where it is no
// number of seconds.
double lock_wait_seconds(double otherwise);

}  // namespace attune
