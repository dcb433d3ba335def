#include "device/host/fiber_context.hpp"

#include <utility>

#include "device/host/sanitizer.hpp"

namespace attune {

namespace detail = boost::context::detail;

namespace {
const FiberAnnotations sanitizer = fiber_annotations();
}  // namespace

void FiberContext::restart(FiberStack& stack, Main main) {
  allow_access(stack.bottom(), stack.size());  // abandoned frames
  main_ = main;
  stack_bottom_ = stack.bottom();
  stack_size_ = stack.size();
  sanitizer_stack_ = nullptr;
  place_ = detail::make_fcontext(stack.top(), stack.size(), &FiberContext::enter);
}

void FiberContext::switch_to(FiberContext& target) {
  announce(target, false);
  target.origin_ = this;
  const detail::fcontext_t place = std::exchange(target.place_, nullptr);
  const detail::transfer_t from = detail::jump_fcontext(place, &target);
  arrived(from);
}

void FiberContext::leave_to(FiberContext& target) {
  announce(target, true);
  target.origin_ = this;
  const detail::fcontext_t place = std::exchange(target.place_, nullptr);
  detail::jump_fcontext(place, &target);
  __builtin_unreachable();
}

void FiberContext::enter(detail::transfer_t from) {
  arrived(from);
  auto& self = *static_cast<FiberContext*>(from.data);
  self.main_(self);
  __builtin_unreachable();
}

// Runs first on the stack of the entered context: notes where the context that was left will continue.
void FiberContext::arrived(detail::transfer_t from) {
  auto& self = *static_cast<FiberContext*>(from.data);
  self.origin_->place_ = from.fctx;
  self.landed();
}

void FiberContext::announce(FiberContext& target, bool for_good) {
  if (sanitizer.start_switch == nullptr) return;
  sanitizer.start_switch(for_good ? nullptr : &sanitizer_stack_, target.stack_bottom_, target.stack_size_);
}

void FiberContext::landed() {
  if (sanitizer.finish_switch == nullptr) return;
  const void* bottom = nullptr;
  std::size_t size = 0;
  sanitizer.finish_switch(sanitizer_stack_, &bottom, &size);
  // The first switch away from an OS thread reports the thread's stack.
  if (origin_->stack_bottom_ == nullptr) {
    origin_->stack_bottom_ = bottom;
    origin_->stack_size_ = size;
  }
}

void FiberContext::jumped_back() {
  if (sanitizer.start_switch == nullptr) return;
  sanitizer.start_switch(nullptr, stack_bottom_, stack_size_);
  sanitizer.finish_switch(sanitizer_stack_, nullptr, nullptr);
}

}  // namespace attune
