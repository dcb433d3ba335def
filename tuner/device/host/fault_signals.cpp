#include "device/host/fault_signals.hpp"

#include <fmt/format.h>

#include <array>
#include <memory>
#include <mutex>

#include "device/host/sanitizer.hpp"

namespace attune {
namespace {

struct HandledSignal {
  int number;
  const char* text;
  bool has_address;
};
constexpr std::array<HandledSignal, 4> signals = {{
    {SIGSEGV, "illegal memory access", true},
    {SIGBUS, "illegal memory access (bus error)", true},
    {SIGFPE, "integer division by zero or overflow", false},
    {SIGILL, "illegal instruction", false},
}};

std::mutex installing;
int installed = 0;
std::array<struct sigaction, signals.size()> before;

thread_local FaultTarget* fault_target = nullptr;

void pass_on(int number, siginfo_t* info, void* context, const struct sigaction& previous) {
  if ((previous.sa_flags & SA_SIGINFO) != 0) return previous.sa_sigaction(number, info, context);
  if (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN) return previous.sa_handler(number);
  // After the return the instruction runs again, or the signal that was sent comes again, and now ends the process.
  struct sigaction fatal {};
  fatal.sa_handler = SIG_DFL;
  sigaction(number, &fatal, nullptr);
  raise(number);
}

void on_signal(int number, siginfo_t* info, void* context) {
  FaultTarget* const target = fault_target;
  if (target != nullptr && info->si_code > 0) {  // the kernel's own fault; kill() has a code of 0 or less
    fault_target = nullptr;
    target->signal = number;
    target->address = info->si_addr;
    siglongjmp(target->place, 1);
  }
  for (std::size_t i = 0; i < signals.size(); ++i) {
    if (signals[i].number == number) pass_on(number, info, context, before[i]);
  }
}

// Enough for the handler above and for a handler of the application.
constexpr std::size_t signal_stack_bytes = 64 * 1024;
// For a sanitizer's report of a stack overflow.
constexpr std::size_t sanitized_signal_stack_bytes = 1024 * 1024;

}  // namespace

FaultSignals::FaultSignals() {
  if (sanitizers().address) return;  // AddressSanitizer's own handlers know the line
  const std::lock_guard lock(installing);
  if (installed++ > 0) return;
  struct sigaction action {};
  action.sa_sigaction = on_signal;
  // SA_NODEFER: the handler is left by a jump, so nothing would unblock the signal.
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  sigemptyset(&action.sa_mask);
  for (std::size_t i = 0; i < signals.size(); ++i) sigaction(signals[i].number, &action, &before[i]);
}

FaultSignals::~FaultSignals() {
  if (sanitizers().address) return;
  const std::lock_guard lock(installing);
  if (--installed > 0) return;
  for (std::size_t i = 0; i < signals.size(); ++i) sigaction(signals[i].number, &before[i], nullptr);
}

SignalStack::SignalStack() {
  const std::size_t bytes = sanitizers().any() ? sanitized_signal_stack_bytes : signal_stack_bytes;
  thread_local const auto memory = std::make_unique<std::byte[]>(bytes);
  stack_t stack{};
  stack.ss_sp = memory.get();
  stack.ss_size = bytes;
  sigaltstack(&stack, &before_);
}

SignalStack::~SignalStack() { sigaltstack(&before_, nullptr); }

void set_fault_target(FaultTarget* target) noexcept { fault_target = target; }

std::string signal_text(int signal, const void* address) {
  for (const HandledSignal& known : signals) {
    if (known.number != signal) continue;
    return known.has_address ? fmt::format("{} at address {}", known.text, fmt::ptr(address)) : known.text;
  }
  return fmt::format("signal {}", signal);
}

}  // namespace attune
