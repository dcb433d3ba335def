#include "session/store_writer.hpp"

#include <utility>

#include "base/await.hpp"
#include "base/start_thread.hpp"

namespace attune {

StoreWriter::StoreWriter(WisdomStore& store) : store_(store) {
  const BlockedSignals blocked;
  thread_ = start_thread<std::thread>([this] { run(); });
}

StoreWriter::~StoreWriter() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

std::uint64_t StoreWriter::push(Write write) {
  std::uint64_t number = 0;
  {
    const std::lock_guard lock(mutex_);
    throw_failure();
    pending_.push_back(std::move(write));
    number = ++pushed_;
  }
  changed_.notify_all();
  return number;
}

void StoreWriter::wait_for_all() {
  std::unique_lock lock(mutex_);
  await(changed_, lock, [this] { return pending_.empty(); });
  throw_failure();
}

void StoreWriter::check() {
  const std::lock_guard lock(mutex_);
  throw_failure();
}

std::uint64_t StoreWriter::done() const {
  const std::lock_guard lock(mutex_);
  return done_;
}

void StoreWriter::wait_for(std::uint64_t number) {
  std::unique_lock lock(mutex_);
  await(changed_, lock, [&] { return failure_ || done_ >= number; });
  throw_failure();
}

void StoreWriter::throw_failure() {
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void StoreWriter::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    await(changed_, lock, [this] { return ends_ || !pending_.empty(); });
    if (pending_.empty()) return;
    const Write& write = pending_.front();  // stays in place while others are pushed behind it
    std::exception_ptr failure;
    lock.unlock();
    try {
      write(store_);
    } catch (...) {
      failure = std::current_exception();
    }
    lock.lock();
    if (failure) {
      failure_ = failure;
      pending_.clear();
      pushed_ = done_;
    } else {
      ++done_;
      pending_.pop_front();
    }
    changed_.notify_all();
  }
}

}  // namespace attune
