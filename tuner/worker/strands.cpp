#include "worker/strands.hpp"

#include <thread>

#include "base/await.hpp"
#include "base/start_thread.hpp"

namespace attune {

void Strands::run(const std::vector<std::function<void()>>& parts) {
  std::vector<std::thread> threads;
  std::unique_lock lock(mutex_);
  begun_ = 0;
  try {
    for (; threads.size() < parts.size() && parts.size() > 1;)
      threads.push_back(start_thread<std::thread>(
          [this, number = threads.size(), &part = parts[threads.size()]] { run_one(number, part); }));
  } catch (const Error&) {
  }
  count_ = threads.size();
  {
    const Pause pause(*this);
    lock.unlock();
    for (std::thread& thread : threads) thread.join();
    lock.lock();
  }
  lock.unlock();
  for (std::size_t i = threads.size(); i < parts.size(); ++i) parts[i]();
}

void Strands::run_one(std::size_t number, const std::function<void()>& part) {
  std::unique_lock lock(mutex_);
  await(changed_, lock, [&] { return running_ == 0 && begun_ == number; });
  ++begun_;
  ++running_;
  lock.unlock();
  part();
  lock.lock();
  --running_;
  changed_.notify_all();
}

}  // namespace attune
