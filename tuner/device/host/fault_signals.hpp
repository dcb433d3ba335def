// Turns SIGSEGV, SIGBUS, SIGFPE and SIGILL of a kernel into a return to where its launch can end as a fault. A signal
// that comes from anywhere else goes to whoever handled it before. What a kernel destroyed before the signal stays
// destroyed: this saves a tuning session from an ordinary mistake, it is no fence.
#pragma once

#include <csetjmp>
#include <csignal>
#include <cstddef>
#include <string>

namespace attune {

// Where to go, of one OS thread, while it executes kernels.
struct FaultTarget {
  sigjmp_buf place;
  volatile std::sig_atomic_t signal = 0;
  void* volatile address = nullptr;
};

// The handlers are in place while at least one of these lives. Any thread.
class FaultSignals {
 public:
  FaultSignals();
  ~FaultSignals();
  FaultSignals(const FaultSignals&) = delete;
  FaultSignals& operator=(const FaultSignals&) = delete;
};

// A stack for signal handlers of the calling thread, which has to be the one that destroys it: after an overflow of a
// fiber's stack there is no room on that. Puts the thread's own one back.
class SignalStack {
 public:
  SignalStack();
  ~SignalStack();
  SignalStack(const SignalStack&) = delete;
  SignalStack& operator=(const SignalStack&) = delete;

 private:
  stack_t before_{};
};

// Null: signals of the calling thread are not a kernel's.
void set_fault_target(FaultTarget* target) noexcept;

std::string signal_text(int signal, const void* address);

}  // namespace attune
