// Keeps a worker's kernels from stopping their coordinator or looking into it, as a debugger can.
#pragma once

#include <sys/types.h>

namespace attune {

// Forbids this process, and all that it starts, to look into other processes, `process` among them. This also holds for
// root. Landlock forbids all ways, and only Landlock forbids those by /proc/PID/mem. Seccomp forbids the system calls:
// ptrace() to attach, process_vm_readv() and the like fail with EPERM. On a system with neither nothing is forbidden.
// Call it while this process has one thread.
void forbid_tracing(pid_t process) noexcept;

}  // namespace attune
