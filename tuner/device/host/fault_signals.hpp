// Turns SIGSEGV, SIGBUS, SIGFPE and SIGILL of a kernel into a return to its launch, which ends as a fault. Other
// signals go to the previous handler. Damage done before the signal remains: this protects a session from ordinary
// mistakes, but does not isolate it.
#pragma once

#include <csetjmp>
#include <csignal>
#include <cstddef>
#include <string>

namespace attune {

// Where an OS thread continues after a fault while it executes kernels.
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

// A stack for signal handlers of the calling thread, because after an overflow a fiber's stack has no room for them.
// The same thread must destroy it; the destructor restores the thread's former signal stack.
class SignalStack {
 public:
  SignalStack();
  ~SignalStack();
  SignalStack(const SignalStack&) = delete;
  SignalStack& operator=(const SignalStack&) = delete;

 private:
  stack_t before_{};
};

// Sets where the calling thread continues after a fault. Null: its signals are not those of a kernel.
void set_fault_target(FaultTarget* target) noexcept;

std::string signal_text(int signal, const void* address);

}  // namespace attune
