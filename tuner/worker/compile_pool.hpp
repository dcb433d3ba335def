// CompilePool: compiles requests in the background, in batches of the size that the compiler likes. Owned and called by
// one thread; threads of its own do the compiling. Jobs and results are plain values, so that processes may take the
// place of the threads.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "core/image.hpp"
#include "device/device.hpp"

namespace attune {

struct CompileJob {
  std::uint64_t id = 0;  // the caller's
  ImageRequest request;
};

struct CompileResult {
  std::uint64_t id = 0;
  CompileOutcome outcome;
};

class CompilePool {
 public:
  // `threads` >= 1 compile at once.
  CompilePool(std::shared_ptr<Compiler> compiler, unsigned threads);
  // Drops jobs that have not begun; waits for those that have.
  ~CompilePool();
  CompilePool(const CompilePool&) = delete;
  CompilePool& operator=(const CompilePool&) = delete;

  void submit(CompileJob job);
  // The next result, in order of completion; waits for it, or until `stop` is not 0: then there is none. There must be
  // a job submitted and not returned. Throws Error when the compiler itself is missing or broken.
  std::optional<CompileResult> next(const std::atomic<int>& stop);
  // Whether a result is there.
  bool is_ready();
  // Drops jobs that have not begun, and has the compiler abandon the others.
  void cancel();

 private:
  void work();
  void run_batch(std::vector<CompileJob> batch);

  std::shared_ptr<Compiler> compiler_;
  const std::size_t batch_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<CompileJob> waiting_;
  std::deque<CompileResult> done_;
  std::exception_ptr broken_;
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace attune
