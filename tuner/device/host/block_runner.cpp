#include "device/host/block_runner.hpp"

#include <fmt/format.h>

#include <exception>
#include <utility>

#include "device/host/dynamic_shared.hpp"
#include "device/host/runner_of_thread.hpp"

namespace attune {

void BlockRunner::Queue::push(Fiber& fiber) {
  fiber.next = nullptr;
  (first == nullptr ? first : last->next) = &fiber;
  last = &fiber;
}

BlockRunner::Fiber* BlockRunner::Queue::pop() {
  Fiber* const taken = first;
  if (taken != nullptr) first = taken->next;
  return taken;
}

void BlockRunner::Queue::append(Queue& other) {
  if (other.first == nullptr) return;
  (first == nullptr ? first : last->next) = other.first;
  last = other.last;
  other.first = nullptr;
}

// ---- Blocks ----

void BlockRunner::begin(const KernelCall& call, const std::atomic<bool>& stop, GridBarrier& barrier) {
  call_ = call;
  stop_ = &stop;
  grid_ = &barrier;
  main_ = FiberContext();  // several threads may use a device in turn
  current_ = call.current_slot();
  const auto& grid = call.shape.grid;
  const auto& block = call.shape.block;
  threads_ = call.threads();
  next_.block_size = {block[0], block[1], block[2]};
  next_.grid_size = {grid[0], grid[1], grid[2]};
  next_.cooperative = call.shape.cooperative;
  next_.dynamic_shared = dynamic_shared_of_thread();
  arm_dynamic_shared(call.shape.shared_bytes);
}

std::optional<std::string> BlockRunner::run(std::uint64_t block) {
  fault_.reset();
  set_runner_of_thread(this);
  if (sigsetjmp(fault_target_.place, 0) == 0) {
    set_fault_target(&fault_target_);
    run_block(block);
  } else {
    recover();
  }
  set_fault_target(nullptr);
  set_runner_of_thread(nullptr);
  return std::exchange(fault_, std::nullopt);
}

void BlockRunner::run_block(std::uint64_t block) {
  const auto& grid = call_.shape.grid;
  next_.block_index = {static_cast<unsigned>(block % grid[0]), static_cast<unsigned>(block / grid[0] % grid[1]),
                       static_cast<unsigned>(block / grid[0] / grid[1])};
  next_.thread_index = {0, 0, 0};
  live_ = threads_;
  started_ = 0;
  arrived_ = 0;
  held_ = 0;
  const unsigned warps = (threads_ + warp_lanes - 1) / warp_lanes;
  for (unsigned w = 0; w < warps; ++w) {
    const unsigned lanes = threads_ - w * warp_lanes;
    warps_[w] = {lanes >= warp_lanes ? ~0U : (1U << lanes) - 1, 0, 0, 0};
  }
  Fiber* const first = next_runnable();
  running_ = first;
  if (first != nullptr) {
    *current_ = &first->state;
    main_.switch_to(*first);
  }
  if (live_ == 0) check_overruns();
  if (live_ > 0 || fault_) restart_all();  // a fault, here or in another block
}

void BlockRunner::check_overruns() {
  if (!dynamic_shared_intact(call_.shape.shared_bytes)) {
    fault_ = fmt::format("{}: wrote beyond the {} bytes of dynamic shared memory of its launch", block_text(),
                         call_.shape.shared_bytes);
    return;
  }
  if (all_guarded_) return;
  for (const auto& fiber : fibers_) {
    if (fiber->stack.intact()) continue;
    fault_ = fmt::format("{}: stack overflow: a CUDA thread has {} KiB for its local variables", block_text(),
                         FiberStack::default_bytes() / 1024);
    return;
  }
}

// Continues after the signal handler: a fiber was cut off in the middle.
void BlockRunner::recover() {
  const void* const address = fault_target_.address;
  std::string what = signal_text(fault_target_.signal, address);
  if (running_ == nullptr) {
    fault_ = fmt::format("{}: {}", block_text(), what);
    return restart_all();
  }
  main_.jumped_back();
  if (running_->stack.guards(address)) {
    what = fmt::format("stack overflow: a CUDA thread has {} KiB for its local variables",
                       FiberStack::default_bytes() / 1024);
  }
  fault_ = fmt::format("{}, {}: {}", block_text(), thread_text(running_->thread), what);
  restart_all();
}

// Drops the work under way: every fiber begins anew.
void BlockRunner::restart_all() {
  idle_ = {};
  ready_ = {};
  at_barrier_ = {};
  ready_count_ = spinning_count_ = active_waiting_ = 0;
  running_ = nullptr;
  arm_dynamic_shared(call_.shape.shared_bytes);
  for (const auto& fiber : fibers_) {
    fiber->restart(fiber->stack, &BlockRunner::fiber_main);
    fiber->wait = FiberWait::none;
    fiber->spinning = false;
    idle_.push(*fiber);
  }
}

// ---- Threads ----

// Keeps no address of a thread_local, because an idle fiber may continue on another OS thread in the next launch.
void BlockRunner::fiber_main(FiberContext& self) {
  auto& fiber = static_cast<Fiber&>(self);
  BlockRunner& runner = *fiber.runner;
  for (;;) {
    while (runner.take_thread(fiber)) {
      runner.call_.entry(runner.call_.parameters);
      runner.exit_thread(fiber);
    }
    runner.rest(fiber);
  }
}

bool BlockRunner::take_thread(Fiber& fiber) {
  if (all_started()) return false;
  fiber.thread = started_++;
  fiber.state = next_;
  fiber.state.lane = fiber.thread % warp_lanes;
  fiber_of_[fiber.thread] = &fiber;
  attune_host::Index3& index = next_.thread_index;
  if (++index.x < next_.block_size.x) return true;
  index.x = 0;
  if (++index.y < next_.block_size.y) return true;
  index.y = 0;
  ++index.z;
  return true;
}

void BlockRunner::exit_thread(Fiber& fiber) {
  Warp& warp = warps_[warp_of(fiber)];
  fiber_of_[fiber.thread] = nullptr;
  warp.exited |= lane_bit(fiber);
  --live_;
  if (arrived_ > 0 && arrived_ == live_) release_barrier();
  if (warp.waiting != 0) lane_exited(warp, warp_of(fiber) * warp_lanes);
}

// Returns a fiber for the next thread to start, else the fiber that is ready longest, else null.
BlockRunner::Fiber* BlockRunner::next_runnable() {
  if (!all_started()) {
    Fiber* const idle = idle_.pop();
    return idle != nullptr ? idle : new_fiber();
  }
  Fiber* const ready = ready_.pop();
  if (ready == nullptr) return nullptr;
  --ready_count_;
  if (ready->spinning) --spinning_count_;
  ready->spinning = false;
  return ready;
}

BlockRunner::Fiber* BlockRunner::new_fiber() {
  try {
    fibers_.push_back(std::make_unique<Fiber>(*this, fibers_.size()));
  } catch (const std::exception& error) {
    fault_ = error.what();
    if (running_ == nullptr) return nullptr;
    leave();  // no exception may pass through the kernel on a fiber
  }
  Fiber& fiber = *fibers_.back();
  all_guarded_ = all_guarded_ && fiber.stack.guarded();
  fiber.restart(fiber.stack, &BlockRunner::fiber_main);
  return &fiber;
}

void BlockRunner::resume(Fiber& from, Fiber& target) {
  if (&from == &target) return;
  running_ = &target;
  *current_ = &target.state;
  from.switch_to(target);
}

// Called when no thread is left to start: continues with a ready thread. Without one, the block is done or in a
// deadlock.
void BlockRunner::rest(Fiber& fiber) {
  if (ready_.first == nullptr && active_waiting_ > 0) release_all_active();
  Fiber* const next = next_runnable();
  if (next == nullptr && live_ > 0) fail(deadlock_text());
  idle_.push(fiber);
  if (next != nullptr) return resume(fiber, *next);
  running_ = nullptr;
  fiber.switch_to(main_);
}

// Returns when the fiber is ready again and its turn has come.
void BlockRunner::park(Fiber& fiber) {
  Fiber* next = next_runnable();
  if (next == nullptr && active_waiting_ > 0) {
    release_all_active();
    next = next_runnable();
  }
  if (next == nullptr) fail(deadlock_text());
  resume(fiber, *next);
}

void BlockRunner::make_ready(Fiber& fiber) {
  fiber.wait = FiberWait::none;
  ready_.push(fiber);
  ++ready_count_;
}

void BlockRunner::fail(std::string text) {
  fault_ = std::move(text);
  leave();
}

void BlockRunner::leave() { running_->leave_to(main_); }

}  // namespace attune
