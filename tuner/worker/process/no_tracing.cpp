#include "worker/process/no_tracing.hpp"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#if __has_include(<linux/landlock.h>)
#include <linux/landlock.h>
#endif
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <iterator>

namespace attune {
namespace {

// The architecture of the system calls that the filter allows. Both architectures are little-endian, so the low half of
// an argument comes first.
#if defined(__x86_64__)
constexpr std::uint32_t this_architecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t this_architecture = AUDIT_ARCH_AARCH64;
#endif

constexpr std::uint32_t first_of_x32 = 0x40000000;  // x86-64's second set of numbers; no other system has so many

// LeakSanitizer attaches to the threads of its own process, so PTRACE_ATTACH is not refused with it.
#if defined(__SANITIZE_ADDRESS__)
constexpr std::uint32_t refused_requests[] = {PTRACE_SEIZE, PTRACE_SEIZE};
#else
constexpr std::uint32_t refused_requests[] = {PTRACE_SEIZE, PTRACE_ATTACH};
#endif

#ifdef SYS_pidfd_getfd
constexpr std::uint32_t get_descriptor = SYS_pidfd_getfd;
#else
constexpr std::uint32_t get_descriptor = 438;
#endif

// Puts this process, and all that it starts, into a Landlock domain. Processes of a domain may not look into processes
// outside it. A domain must also forbid something for files; here that is to make block devices.
void enter_domain() noexcept {
#if defined(LANDLOCK_ACCESS_FS_MAKE_BLOCK) && defined(SYS_landlock_restrict_self)
  const std::uint64_t rules = LANDLOCK_ACCESS_FS_MAKE_BLOCK;  // the first member, and the only one in version 1
  const long domain = syscall(SYS_landlock_create_ruleset, &rules, sizeof rules, 0);
  if (domain < 0) return;
  syscall(SYS_landlock_restrict_self, domain, 0);
  close(static_cast<int>(domain));
#endif
}

// Refuses the system calls that look into other processes, and all calls by other architectures' or x32's numbers.
void filter_calls(pid_t process) noexcept {
#if defined(__x86_64__) || defined(__aarch64__)
  constexpr std::size_t second_argument = offsetof(seccomp_data, args) + sizeof(std::uint64_t);
  sock_filter steps[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, arch)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, this_architecture, 0, 11),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, first_of_x32, 9, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 8, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_writev, 7, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, get_descriptor, 6, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ptrace, 0, 6),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, refused_requests[0], 3, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, refused_requests[1], 2, 0),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, second_argument),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(process), 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog filter{static_cast<unsigned short>(std::size(steps)), steps};
  // Without this flag, older systems slow a filtered process down to protect it against speculation.
  syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW, &filter);
#else
  static_cast<void>(process);
#endif
}

}  // namespace

void forbid_tracing(pid_t process) noexcept {
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return;
  enter_domain();
  filter_calls(process);
}

}  // namespace attune
