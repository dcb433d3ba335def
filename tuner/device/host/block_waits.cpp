// Where CUDA threads wait for each other: barriers, warp intrinsics, __activemask, turns given away.
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

// So many turns given away by one OS thread before it offers its core to another one: a block may wait for a block that
// runs there.
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
    release_barrier();  // and this thread goes on: one switch less
    return barrier_result_;
  }
  self.wait = Wait::barrier;
  at_barrier_.push(self);
  park(self);
  return barrier_result_;
}

// All are here. The result stays until the next barrier is complete, for which all must have read it.
void BlockRunner::release_barrier() {
  const bool all = held_ == arrived_, any = held_ > 0;
  barrier_result_ = vote_ == BlockVote::count ? static_cast<int>(held_) : vote_ == BlockVote::all ? all : any;
  for (Fiber* fiber = at_barrier_.first; fiber != nullptr; fiber = fiber->next) {
    fiber->wait = Wait::none;
    ++ready_count_;
  }
  ready_.append(at_barrier_);
  arrived_ = 0;
  held_ = 0;
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
  self.mask = mask & warp.existing;  // a block of 48 threads may say 0xffffffff in its second warp too
  self.value = value;
  self.values = values;
  warp.waiting |= lane_bit(self);
  if (complete_warp(warp, self)) {
    // A lane by itself may be polling what another one is to write.
    if (self.lanes == lane_bit(self)) yield();
    return self.lanes;
  }
  self.wait = Wait::warp;
  park(self);
  return self.lanes;
}

// If all lanes of the mask of `last` that have not exited wait at the same intrinsic with the same mask: gives each
// what they brought, and makes the others ready.
bool BlockRunner::complete_warp(Warp& warp, const Fiber& last) {
  const unsigned lanes = last.mask & ~warp.exited, first = last.thread / warp_lanes * warp_lanes;
  if ((warp.waiting & lanes) != lanes) return false;
  for (unsigned left = lanes; left != 0; left &= left - 1) {
    const Fiber& fiber = *fiber_of_[first + lowest(left)];
    if (fiber.mask != last.mask || !same_name(fiber.intrinsic, last.intrinsic)) return false;
  }
  // Copied to each, because one lane may come back with another mask before the next has read.
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

// Somebody may have waited for nobody but the lane that has exited now.
void BlockRunner::lane_exited(Warp& warp, unsigned first_thread) {
  for (unsigned left = warp.waiting; left != 0; left &= left - 1) {
    if ((warp.waiting >> lowest(left) & 1) != 0) complete_warp(warp, *fiber_of_[first_thread + lowest(left)]);
  }
}

// ---- __activemask: lanes that get there while all others wait or have exited are together, as on a GPU ----

unsigned BlockRunner::active_mask(const void* place) {
  Fiber& self = *running_;
  Warp& warp = warps_[warp_of(self)];
  self.place = place;
  self.wait = Wait::active;
  warp.active |= lane_bit(self);
  ++active_waiting_;
  if ((warp.active | warp.exited) == warp.existing) release_active(warp_of(self));
  park(self);
  return self.lanes;
}

// Makes every lane of the warp that waits there ready, those of one place together.
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
  if (stop_->load(std::memory_order_relaxed)) leave();  // what it waits for may never come
  if (++yields_ % turns_per_slice == 0) std::this_thread::yield();
  if (all_started() && ready_count_ == 0 && active_waiting_ == 0) return;
  Fiber& self = *running_;
  make_ready(self);
  self.spinning = true;
  ++spinning_count_;
  // Lanes that spin do not arrive anywhere: those at __activemask() are all that will come.
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
