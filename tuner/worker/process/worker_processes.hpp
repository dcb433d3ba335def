// The processes that a worker started: found by its session, and by a mark in their environment. A process that starts
// a session of its own keeps the mark.
#pragma once

#include <sys/types.h>

#include <string>

namespace attune {

// The environment variable that holds the mark: a text that no other worker has.
inline constexpr const char* worker_mark = "ATTUNE_WORKER";

// Sends SIGKILL to all processes of this session, and to all that were started with this mark. Spares the caller. An
// empty mark is none. Returns when there are none left, or after a moment.
void kill_processes_of(pid_t session, const std::string& mark) noexcept;

}  // namespace attune
