#include "worker/compile_pool.hpp"

#include <algorithm>
#include <chrono>

namespace attune {
namespace {

constexpr std::chrono::milliseconds kStopInterval{50};

}  // namespace

CompilePool::CompilePool(std::shared_ptr<Compiler> compiler, unsigned threads)
    : compiler_(std::move(compiler)), batch_(std::max<std::size_t>(1, compiler_->preferred_batch())) {
  for (unsigned i = 0; i < std::max(1u, threads); ++i) threads_.emplace_back([this] { work(); });
}

CompilePool::~CompilePool() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    waiting_.clear();
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void CompilePool::submit(CompileJob job) {
  {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(std::move(job));
  }
  changed_.notify_all();
}

std::optional<CompileResult> CompilePool::next(const std::atomic<int>& stop) {
  std::unique_lock lock(mutex_);
  const auto ready = [this] { return broken_ || !done_.empty(); };
  while (!changed_.wait_for(lock, kStopInterval, ready))  // a signal's handler can wake nobody
    if (stop.load() > 0) return std::nullopt;
  if (broken_) std::rethrow_exception(broken_);
  CompileResult result = std::move(done_.front());
  done_.pop_front();
  return result;
}

bool CompilePool::is_ready() {
  const std::lock_guard lock(mutex_);
  return !broken_ && !done_.empty();
}

void CompilePool::cancel() {
  {
    const std::lock_guard lock(mutex_);
    waiting_.clear();
  }
  compiler_->abandon();
}

void CompilePool::work() {
  for (;;) {
    std::vector<CompileJob> batch;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return stopping_ || !waiting_.empty(); });
      if (stopping_) return;
      // An even share for every thread, so that none takes a whole batch while others idle.
      const std::size_t share = (waiting_.size() + threads_.size() - 1) / threads_.size();
      const std::size_t count = std::clamp<std::size_t>(share, 1, batch_);
      while (batch.size() < count && !waiting_.empty()) {
        batch.push_back(std::move(waiting_.front()));
        waiting_.pop_front();
      }
    }
    run_batch(std::move(batch));
    changed_.notify_all();
  }
}

void CompilePool::run_batch(std::vector<CompileJob> batch) {
  std::vector<ImageRequest> requests;
  for (const CompileJob& job : batch) requests.push_back(job.request);
  std::vector<CompileOutcome> outcomes;
  std::exception_ptr failure;
  try {
    outcomes = compiler_->compile(requests);
  } catch (const std::exception&) {
    failure = std::current_exception();
  }
  const std::lock_guard lock(mutex_);
  if (failure) {
    broken_ = failure;
    return;
  }
  for (std::size_t i = 0; i < batch.size(); ++i) done_.push_back({batch[i].id, std::move(outcomes[i])});
}

}  // namespace attune
