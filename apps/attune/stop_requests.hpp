// Ctrl-C and its like, for commands that measure: the first request ends measuring with what there is.
#pragma once

#include <atomic>

namespace attune::cli {

// Counts the signals since catch_signals().
extern std::atomic<int> stop_requests;

// Counts SIGINT, SIGTERM and SIGHUP from here on. The first one ends a session with the best so far, the second ends
// its comparison after a round. The third leaves at once: trials are already committed. A signal that is ignored, as by
// nohup, stays ignored.
void catch_signals();

// Sets the handler of SIGINT, SIGTERM and SIGHUP, except of those that are ignored.
void catch_unless_ignored(void (*handler)(int));

}  // namespace attune::cli
