// FiberContext: a place to continue on a stack, by Boost.Context. Owned by a BlockRunner, used by the one OS thread
// that drives it. A fault may abandon a fiber: its stack is reused from the top, and no destructor runs. Kernels need
// none, because CUDA gives them no exceptions and nothing to release.
#pragma once

#include <boost/context/detail/fcontext.hpp>
#include <cstddef>

#include "device/host/fiber_stack.hpp"

namespace attune {

// A place to continue: of a fiber, or of the OS thread itself (then without a stack of its own).
class FiberContext {
 public:
  using Main = void (*)(FiberContext& self);

  // Prepares to enter `main` on `stack` from its start, whatever ran there before. `main` never returns.
  void restart(FiberStack& stack, Main main);
  // Continues `target`; `*this` is the running context. Returns after a switch back.
  void switch_to(FiberContext& target);
  // Continues `target` without a later switch back to `*this`.
  [[noreturn]] void leave_to(FiberContext& target);
  // Notes that this context runs again, after a jump to it out of a signal handler, without switch_to().
  void jumped_back();

 private:
  static void enter(boost::context::detail::transfer_t from);
  static void arrived(boost::context::detail::transfer_t from);
  void announce(FiberContext& target, bool for_good);
  void landed();

  boost::context::detail::fcontext_t place_ = nullptr;
  Main main_ = nullptr;
  void* sanitizer_stack_ = nullptr;  // AddressSanitizer's own record of this context, while it does not run
  const void* stack_bottom_ = nullptr;
  std::size_t stack_size_ = 0;
  FiberContext* origin_ = nullptr;  // the context that switched here last
};

}  // namespace attune
