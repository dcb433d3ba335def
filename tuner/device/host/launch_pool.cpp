#include "device/host/launch_pool.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>

#include "attune/error.hpp"
#include "device/host/fault_signals.hpp"

namespace attune {
namespace {

// Each may hold 64 MiB of stacks in address space, and memory as far as kernels use them.
constexpr int max_host_threads = 256;

// Blocks taken at a time: few enough to balance, enough to relieve the counter.
constexpr std::uint64_t blocks_at_once = 8;

}  // namespace

int host_thread_count() {
  const int cores = std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 1, max_host_threads);
  const char* const wanted = std::getenv("ATTUNE_HOST_THREADS");
  if (wanted == nullptr || *wanted == '\0') return cores;
  int count = 0;
  const char* const end = wanted + std::strlen(wanted);
  const auto [stop, failed] = std::from_chars(wanted, end, count);
  if (failed != std::errc() || stop != end || count < 1 || count > max_host_threads)
    throw UsageError("ATTUNE_HOST_THREADS is `" + std::string(wanted) + "`; expected a number from 1 to " +
                     std::to_string(max_host_threads));
  return count;
}

LaunchPool::LaunchPool(int threads) {
  for (int i = 1; i < threads; ++i) helpers_.emplace_back([this] { work(); });
}

LaunchPool::~LaunchPool() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  for (std::thread& helper : helpers_) helper.join();
}

std::optional<std::string> LaunchPool::run(const KernelCall& call) {
  const std::lock_guard turn(turn_);
  // With so few blocks, waking others costs more than they save.
  const bool alone = call.blocks() == 1 || helpers_.empty();
  {
    const std::lock_guard lock(mutex_);
    call_ = call;
    next_block_ = 0;
    faulted_ = false;
    fault_.reset();
    if (!alone) {
      ++launch_;
      busy_ = static_cast<int>(helpers_.size());
    }
  }
  if (!alone) changed_.notify_all();
  run_blocks(own_);
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return busy_ == 0; });
  return fault_;
}

void LaunchPool::work() {
  BlockRunner runner;
  std::uint64_t seen = 0;
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return stopping_ || launch_ != seen; });
      if (stopping_) return;
      seen = launch_;
    }
    run_blocks(runner);
    {
      const std::lock_guard lock(mutex_);
      --busy_;
    }
    changed_.notify_all();
  }
}

void LaunchPool::run_blocks(BlockRunner& runner) {
  const FaultSignals signals;
  const SignalStack stack;
  try {
    runner.begin(call_, faulted_);
  } catch (const Error& error) {
    return report(error.what());
  }
  const std::uint64_t blocks = call_.blocks();
  const std::uint64_t chunk = std::clamp<std::uint64_t>(blocks / (4 * (helpers_.size() + 1)), 1, blocks_at_once);
  while (!faulted_) {
    const std::uint64_t first = next_block_.fetch_add(chunk);
    if (first >= blocks) return;
    for (std::uint64_t block = first; block < std::min(first + chunk, blocks) && !faulted_; ++block)
      if (const std::optional<std::string> fault = runner.run(block)) return report(*fault);
  }
}

void LaunchPool::report(const std::string& fault) {
  const std::lock_guard lock(mutex_);
  if (!fault_) fault_ = fault;
  faulted_ = true;
}

}  // namespace attune
