// What keeps a worker's kernels from stopping their coordinator as a debugger does.
#pragma once

#include <sys/types.h>

namespace attune {

// Forbids this process, and all that it starts, to look into others, among them `process`, also for root. Landlock
// forbids all ways, and those by /proc/PID/mem it forbids alone; seccomp forbids the system calls: ptrace() to attach,
// process_vm_readv() and the like fail with EPERM. A system with neither forbids nothing. Call it while this process
// has one thread.
void forbid_tracing(pid_t process) noexcept;

}  // namespace attune
