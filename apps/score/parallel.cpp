#include "parallel.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace attune::cli {

void for_each_index(std::size_t count, std::size_t threads, const std::function<void(std::size_t)>& work) {
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;
  std::exception_ptr first;
  const auto run = [&] {
    try {
      for (std::size_t i = next++; i < count; i = next++) work(i);
    } catch (...) {
      next = count;
      const std::lock_guard lock(mutex);
      if (!first) first = std::current_exception();
    }
  };
  {
    const std::size_t others = std::max<std::size_t>(std::min(threads, count), 1) - 1;
    std::vector<std::jthread> pool;
    pool.reserve(others);
    try {
      while (pool.size() < others) pool.emplace_back(run);
    } catch (const std::system_error&) {
      // The system gives no more threads: those that run, at least this one, do the work.
    }
    run();
  }
  if (first) std::rethrow_exception(first);
}

}  // namespace attune::cli
