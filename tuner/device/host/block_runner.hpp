// BlockRunner: executes the blocks of a kernel one by one on the calling OS thread. Each CUDA thread runs on a fiber.
// Threads start in order of their index; a waiting thread makes room for the next. The fiber of an exited thread takes
// the next thread, so that a kernel without barriers never switches. When every thread of a block waits, none can
// continue. This is a fault, whose text says where threads wait in vain. A LaunchPool owns the BlockRunner, and one OS
// thread at a time uses it. It keeps its fibers from launch to launch.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "device/host/fault_signals.hpp"
#include "device/host/fiber_context.hpp"
#include "device/host/grid_barrier.hpp"
#include "device/host/kernel_call.hpp"

namespace attune {

class BlockRunner {
 public:
  BlockRunner() = default;
  BlockRunner(const BlockRunner&) = delete;
  BlockRunner& operator=(const BlockRunner&) = delete;

  // Prepares the calling OS thread for blocks of a launch. `stop` becomes true when another block faults: a thread that
  // waits in a loop then leaves it. Blocks of a cooperative launch meet at `grid`. Throws OutOfMemory.
  void begin(const KernelCall& call, const std::atomic<bool>& stop, GridBarrier& grid);
  // Runs the block with this linear index. Returns nothing, or the text of the fault. The calling thread needs a
  // SignalStack, and FaultSignals must be in place.
  std::optional<std::string> run(std::uint64_t block);

  // Returns the launch under way, for calls from inside a kernel.
  const KernelCall& call() const noexcept { return call_; }
  std::string running_text() const;  // "block (3,0,0), thread (31,0,0)"

 private:
  friend struct RuntimeTable;

  static constexpr unsigned warp_lanes = 32;
  static constexpr unsigned most_threads = 1024;

  enum class FiberWait : std::uint8_t { none, barrier, warp, active };

  // A fiber and the CUDA thread on it.
  struct Fiber : FiberContext {
    Fiber(BlockRunner& owner, std::size_t number) : runner(&owner), stack(number) {}
    BlockRunner* runner;
    FiberStack stack;
    attune_host::Thread state{};  // visible to the kernel
    unsigned thread = 0;          // linear index in the block
    Fiber* next = nullptr;        // in a Queue
    FiberWait wait = FiberWait::none;
    bool spinning = false;  // ready, but gave up its turn
    // of a warp intrinsic
    const char* intrinsic = nullptr;
    unsigned mask = 0;
    unsigned long long value = 0;
    unsigned long long* values = nullptr;  // the result, 32 values
    unsigned lanes = 0;                    // lanes that took part
    const void* place = nullptr;           // of __activemask(): where it was called
  };

  // First in, first out, through Fiber::next.
  struct Queue {
    Fiber* first = nullptr;
    Fiber* last = nullptr;
    void push(Fiber& fiber);
    Fiber* pop();
    void append(Queue& other);
  };

  struct Warp {
    unsigned existing = 0;  // lanes of the block in this warp
    unsigned exited = 0;
    unsigned waiting = 0;  // at a warp intrinsic
    unsigned active = 0;   // at __activemask()
  };

  // block_runner.cpp
  void run_block(std::uint64_t block);
  void check_overruns();
  void recover();
  void restart_all();
  static void fiber_main(FiberContext& self);
  bool take_thread(Fiber& fiber);
  void exit_thread(Fiber& fiber);
  Fiber* next_runnable();
  Fiber* new_fiber();
  void resume(Fiber& from, Fiber& target);
  void rest(Fiber& fiber);
  void park(Fiber& fiber);
  void make_ready(Fiber& fiber);
  [[noreturn]] void fail(std::string text);
  [[noreturn]] void leave();

  // block_waits.cpp
  int sync_block(attune_host::BlockVote vote, int predicate, const char* name);
  void release_barrier();
  void meet_grid();
  unsigned exchange(unsigned mask, unsigned long long value, unsigned long long* values, const char* name);
  bool complete_warp(Warp& warp, const Fiber& last);
  void lane_exited(Warp& warp, unsigned first_thread);
  unsigned active_mask(const void* place);
  void release_active(unsigned warp_number);
  void release_all_active();
  void yield();
  [[noreturn]] void fault(const char* what);

  // deadlock.cpp
  std::string thread_text(unsigned thread) const;
  std::string block_text() const;
  std::string waits_text(const Fiber& fiber) const;
  std::string deadlock_text() const;

  static unsigned warp_of(const Fiber& fiber) { return fiber.thread / warp_lanes; }
  static unsigned lane_bit(const Fiber& fiber) { return 1U << (fiber.thread % warp_lanes); }
  bool all_started() const { return started_ == threads_; }

  FiberContext main_;  // of the OS thread
  FaultTarget fault_target_;
  std::optional<std::string> fault_;
  std::vector<std::unique_ptr<Fiber>> fibers_;
  bool all_guarded_ = true;  // every stack has a guard page
  Queue idle_;
  Queue ready_;
  unsigned ready_count_ = 0;
  unsigned spinning_count_ = 0;  // ready ones that gave up their turn
  Fiber* running_ = nullptr;
  unsigned yields_ = 0;

  // the launch
  KernelCall call_;
  const std::atomic<bool>* stop_ = nullptr;
  GridBarrier* grid_ = nullptr;
  attune_host::Thread** current_ = nullptr;  // the kernel object's pointer to the running thread

  // the block
  attune_host::Thread next_{};  // the state that thread started_ begins with
  unsigned threads_ = 0;
  unsigned started_ = 0;                         // threads 0 .. started_ - 1 have started
  unsigned live_ = 0;                            // have not exited
  std::array<Fiber*, most_threads> fiber_of_{};  // of the threads that have started and not exited
  std::array<Warp, most_threads / warp_lanes> warps_{};
  Queue at_barrier_;
  unsigned arrived_ = 0;
  unsigned held_ = 0;  // arrived with a predicate other than 0
  attune_host::BlockVote vote_{};
  const char* barrier_ = "__syncthreads";  // the barrier at which threads wait
  int barrier_result_ = 0;
  unsigned active_waiting_ = 0;  // threads at __activemask()
};

}  // namespace attune
