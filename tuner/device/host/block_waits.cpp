// Where CUDA threads wait for each other: barriers, warp intrinsics, __activemask, yielded turns.
#include <fmt/format.h>

#include <bit>
#include <cstring>
#include <thread>

#include "device/host/block_runner.hpp"
#include "device/host/runner_of_thread.hpp"
#include "device/host/sanitizer.hpp"

namespace attune {
namespace {

using attune_host::BlockVote;

// After this many yields an OS thread offers its core to another OS thread, because a block may wait for a block there.
constexpr unsigned turns_per_slice = 1024;

bool same_name(const char* left, const char* right) { return left == right || std::strcmp(left, right) == 0; }

unsigned lowest(unsigned lanes) { return static_cast<unsigned>(std::countr_zero(lanes)); }

}  // namespace

// ---- Barriers ----

int BlockRunner::sync_block(BlockVote vote, int predicate, const char* name) {
  Fiber& self = *running_;
  if (arrived_ == 0) {
    vote_ = vote;
    barrier_ = name;
  } else if (vote != vote_) {
    fail(
        fmt::format("{}: {} is at {} while others wait at {}", block_text(), thread_text(self.thread), name, barrier_));
  }
  ++arrived_;
  if (predicate != 0) ++held_;
  if (arrived_ == live_) {
    release_barrier();  // and this thread continues: one switch less
    return barrier_result_;
  }
  self.wait = FiberWait::barrier;
  at_barrier_.push(self);
  park(self);
  return barrier_result_;
}

// Called when all threads have arrived. The result stays until the next barrier is complete; by then all have read it.
void BlockRunner::release_barrier() {
  if (vote_ == BlockVote::grid) meet_grid();
  const bool all = held_ == arrived_, any = held_ > 0;
  barrier_result_ = vote_ == BlockVote::count ? static_cast<int>(held_) : vote_ == BlockVote::all ? all : any;
  for (Fiber* fiber = at_barrier_.first; fiber != nullptr; fiber = fiber->next) {
    fiber->wait = FiberWait::none;
    ++ready_count_;
  }
  ready_.append(at_barrier_);
  arrived_ = 0;
  held_ = 0;
}

// Waits for the other blocks. All threads of this block wait meanwhile.
void BlockRunner::meet_grid() {
  switch (grid_->arrive()) {
    case GridBarrier::BarrierEnd::complete:
      return;
    case GridBarrier::BarrierEnd::stopped:
      leave();
    case GridBarrier::BarrierEnd::in_vain:
      fail(fmt::format("{} waits at {}, but a block has ended that will not arrive; all {} blocks must", block_text(),
                       barrier_, call_.blocks()));
  }
}

// ---- Warps ----

unsigned BlockRunner::exchange(unsigned mask, unsigned long long value, unsigned long long* values, const char* name) {
  Fiber& self = *running_;
  Warp& warp = warps_[warp_of(self)];
  if ((mask & lane_bit(self)) == 0) {
    fail(fmt::format("{}: {} called {} with a mask ({:#010x}) that does not name its own lane {}", block_text(),
                     thread_text(self.thread), name, mask, self.state.lane));
  }
  self.intrinsic = name;
  self.mask = mask & warp.existing;  // a block of 48 threads may pass 0xffffffff in its second warp too
  self.value = value;
  self.values = values;
  warp.waiting |= lane_bit(self);
  if (complete_warp(warp, self)) {
    // A lane alone may be polling what another lane writes.
    if (self.lanes == lane_bit(self)) yield();
    return self.lanes;
  }
  self.wait = FiberWait::warp;
  park(self);
  return self.lanes;
}

// Completes an intrinsic if all lanes of `last`'s mask wait at it with the same mask; exited lanes are ignored. Gives
// each lane all values, and makes the others ready.
bool BlockRunner::complete_warp(Warp& warp, const Fiber& last) {
  const unsigned lanes = last.mask & ~warp.exited, first = last.thread / warp_lanes * warp_lanes;
  if ((warp.waiting & lanes) != lanes) return false;
  for (unsigned left = lanes; left != 0; left &= left - 1) {
    const Fiber& fiber = *fiber_of_[first + lowest(left)];
    if (fiber.mask != last.mask || !same_name(fiber.intrinsic, last.intrinsic)) return false;
  }
  // The values are copied to each lane, because a lane may come back with another mask before the next lane has read
  // them.
  for (unsigned left = lanes; left != 0; left &= left - 1) {
    Fiber& fiber = *fiber_of_[first + lowest(left)];
    fiber.lanes = lanes;
    for (unsigned others = lanes; others != 0; others &= others - 1) {
      fiber.values[lowest(others)] = fiber_of_[first + lowest(others)]->value;
    }
  }
  warp.waiting &= ~lanes;
  for (unsigned left = lanes; left != 0; left &= left - 1) {
    Fiber& fiber = *fiber_of_[first + lowest(left)];
    if (&fiber != running_) make_ready(fiber);
  }
  return true;
}

// The exited lane may have been the last that others waited for.
void BlockRunner::lane_exited(Warp& warp, unsigned first_thread) {
  for (unsigned left = warp.waiting; left != 0; left &= left - 1) {
    if ((warp.waiting >> lowest(left) & 1) != 0) complete_warp(warp, *fiber_of_[first_thread + lowest(left)]);
  }
}

// ---- __activemask: lanes at one call are together once all others wait or have exited, as on a GPU ----

unsigned BlockRunner::active_mask(const void* place) {
  Fiber& self = *running_;
  Warp& warp = warps_[warp_of(self)];
  self.place = place;
  self.wait = FiberWait::active;
  warp.active |= lane_bit(self);
  ++active_waiting_;
  if ((warp.active | warp.exited) == warp.existing) release_active(warp_of(self));
  park(self);
  return self.lanes;
}

// Makes every waiting lane of the warp ready; lanes that wait at the same place get the same mask.
void BlockRunner::release_active(unsigned warp_number) {
  Warp& warp = warps_[warp_number];
  const unsigned first = warp_number * warp_lanes;
  for (unsigned left = warp.active; left != 0;) {
    const void* const place = fiber_of_[first + lowest(left)]->place;
    unsigned together = 0;
    for (unsigned lanes = left; lanes != 0; lanes &= lanes - 1) {
      if (fiber_of_[first + lowest(lanes)]->place == place) together |= 1U << lowest(lanes);
    }
    for (unsigned lanes = together; lanes != 0; lanes &= lanes - 1) {
      Fiber& fiber = *fiber_of_[first + lowest(lanes)];
      fiber.lanes = together;
      make_ready(fiber);
      --active_waiting_;
    }
    left &= ~together;
  }
  warp.active = 0;
}

void BlockRunner::release_all_active() {
  for (unsigned w = 0; w * warp_lanes < threads_; ++w) release_active(w);
}

// ---- Turns ----

void BlockRunner::yield() {
  if (stop_->load(std::memory_order_relaxed)) leave();  // the awaited event may never come
  if (++yields_ % turns_per_slice == 0) std::this_thread::yield();
  if (all_started() && ready_count_ == 0 && active_waiting_ == 0) return;
  Fiber& self = *running_;
  make_ready(self);
  self.spinning = true;
  ++spinning_count_;
  // Spinning lanes arrive nowhere, so no more lanes will come to __activemask().
  if (active_waiting_ > 0 && all_started() && ready_count_ == spinning_count_) release_all_active();
  park(self);
}

void BlockRunner::fault(const char* what) {
  fail(fmt::format("{}, {}: {}", block_text(), thread_text(running_->thread), what));
}

// ---- What kernels call ----

struct RuntimeTable {
  static BlockRunner& current() { return *runner_of_thread(); }
  static int sync_block(BlockVote vote, int predicate, const char* name) {
    return current().sync_block(vote, predicate, name);
  }
  static unsigned exchange(unsigned mask, unsigned long long value, unsigned long long* values, const char* name) {
    return current().exchange(mask, value, values, name);
  }
  static unsigned active_mask(const void* place) { return current().active_mask(place); }
  static void yield() { current().yield(); }
  static void fault(const char* what) { current().fault(what); }
  static void fence(const char* name, void* variable, unsigned long bytes, unsigned long fence) {
    fence_off({Fence::Around::shared_variable, name, variable, bytes, fence, fence});
  }
  static void unfence(void* variable) { remove_fence(variable); }
};

const attune_host::Runtime& host_runtime() noexcept {
  static constexpr attune_host::Runtime table = {
      attune_host::host_abi_version, RuntimeTable::sync_block, RuntimeTable::exchange, RuntimeTable::active_mask,
      RuntimeTable::yield,           RuntimeTable::fault,      RuntimeTable::fence,    RuntimeTable::unfence};
  return table;
}

}  // namespace attune
