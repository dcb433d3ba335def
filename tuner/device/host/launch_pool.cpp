#include "device/host/launch_pool.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <system_error>

#include "attune/error.hpp"
#include "base/await.hpp"
#include "device/host/fault_signals.hpp"

namespace attune {
namespace {

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

LaunchPool::LaunchPool(int threads) : usual_(static_cast<std::size_t>(threads - 1)) {}

LaunchPool::~LaunchPool() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  begun_.notify_all();
  begun_more_.notify_all();
  for (std::thread& helper : helpers_) helper.join();
}

// Returns how many helpers work on the call, and starts those that are missing.
std::size_t LaunchPool::helpers_for(const KernelCall& call) {
  // For a single block, waking a helper would only cost time.
  if (call.blocks() == 1) return 0;
  const std::size_t count = call.shape.cooperative ? static_cast<std::size_t>(call.blocks() - 1) : usual_;
  try {
    while (helpers_.size() < count) helpers_.emplace_back([this, number = helpers_.size()] { work(number); });
  } catch (const std::system_error&) {
    if (call.shape.cooperative) throw;
    const std::lock_guard lock(mutex_);
    usual_ = helpers_.size();  // the system gives no more threads: those that are there do the work
    return usual_;
  }
  return count;
}

std::optional<std::string> LaunchPool::run(const KernelCall& call) {
  const std::lock_guard turn(turn_);
  const std::size_t helpers = helpers_for(call);
  {
    const std::lock_guard lock(mutex_);
    call_ = call;
    next_block_ = 0;
    faulted_ = false;
    fault_.reset();
    grid_.begin(call.blocks());
    wanted_ = busy_ = helpers;
    if (helpers > 0) ++launch_;
  }
  if (helpers > 0) begun_.notify_all();
  if (helpers > usual_) begun_more_.notify_all();
  run_blocks(own_);
  std::unique_lock lock(mutex_);
  await(ended_, lock, [this] { return busy_ == 0; });
  return fault_;
}

void LaunchPool::work(std::size_t number) {
  BlockRunner runner;
  std::uint64_t seen = 0;
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      await(number < usual_ ? begun_ : begun_more_, lock,
            [&] { return stopping_ || (launch_ != seen && number < wanted_); });
      if (stopping_) return;
      seen = launch_;
    }
    run_blocks(runner);
    bool is_last = false;
    {
      const std::lock_guard lock(mutex_);
      is_last = --busy_ == 0;
    }
    if (is_last) ended_.notify_all();
  }
}

void LaunchPool::run_blocks(BlockRunner& runner) {
  const FaultSignals signals;
  const SignalStack stack;
  try {
    runner.begin(call_, faulted_, grid_);
  } catch (const Error& error) {
    return report(error.what());
  }
  const std::uint64_t blocks = call_.blocks();
  const std::uint64_t chunk = std::clamp<std::uint64_t>(blocks / (4 * (wanted_ + 1)), 1, blocks_at_once);
  while (!faulted_) {
    const std::uint64_t first = next_block_.fetch_add(chunk);
    if (first >= blocks) return;
    for (std::uint64_t block = first; block < std::min(first + chunk, blocks) && !faulted_; ++block) {
      if (const std::optional<std::string> fault = runner.run(block)) return report(*fault);
      if (call_.shape.cooperative) grid_.end_block();
    }
  }
}

void LaunchPool::report(const std::string& fault) {
  const std::lock_guard lock(mutex_);
  if (!fault_) fault_ = fault;
  faulted_ = true;
  grid_.stop();
}

}  // namespace attune
