// What keeps a worker's kernels from stopping their coordinator as a debugger does.
#pragma once

#include <sys/types.h>

namespace attune {

// Forbids this process, and all that it starts, to attach to `process`: ptrace() fails with EPERM, also for root. A
// system without seccomp forbids nothing. Call it while this process has one thread.
void forbid_tracing(pid_t process) noexcept;

}  // namespace attune
