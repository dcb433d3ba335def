// CompileLanes: the compile workers of a Pool: for each a thread that runs straight code. Images are compiled in
// batches of the compiler's preferred size. A compiler that hangs, crashes or takes all memory costs one image. After a
// death a fresh worker compiles a known-good image, then every image of the batch alone. Two deaths are a verdict. It
// is a death, too, when a program dies that the worker started. Thread-safe.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "worker/result.hpp"
#include "worker/transport.hpp"

namespace attune {

class CompileLanes {
 public:
  using Start = std::function<std::unique_ptr<Transport>()>;
  // The lanes' threads call `deliver`, which must not call the lanes. Opens one worker, to read its toolchain. Throws
  // Error when the compiler is missing.
  CompileLanes(Start start, std::function<void(Result)> deliver);
  // Drops images that have not begun, and abandons the others.
  ~CompileLanes();
  CompileLanes(const CompileLanes&) = delete;
  CompileLanes& operator=(const CompileLanes&) = delete;

  const CompilerOpened& opened() const noexcept { return opened_; }
  // Sets the most images compiled at once. At least 1.
  void set_most(unsigned lanes);
  // Starts all workers now. They load the compiler while others work.
  void start_all();
  void submit(Ticket ticket, ImageRequest request);
  // Drops all images without a result.
  void cancel() noexcept;

 private:
  struct Waiting {
    Ticket ticket = 0;
    ImageRequest request;
  };
  struct Lane {
    std::unique_ptr<Transport> worker;
    bool is_busy = true, is_interrupted = false;
    bool opens_first = false;
    std::thread thread;
  };
  struct Outcome {
    CompileOutcome compiled;
    int deaths = 0;
  };
  void add_lane(bool opens_first);
  void run(Lane& lane);
  std::vector<Waiting> take_batch(Lane& lane, std::uint64_t& epoch);
  std::vector<Outcome> compile(Transport& worker, const std::vector<ImageRequest>& requests, std::uint64_t epoch);
  Outcome compile_alone(Transport& worker, const ImageRequest& request, int deaths, std::uint64_t epoch);
  Received ask(Transport& worker, const std::vector<ImageRequest>& requests, int attempt, std::uint64_t epoch);
  void restart_and_check(Transport& worker, const std::string& why, std::uint64_t epoch);
  void learn(const std::vector<ImageRequest>& requests, const std::vector<CompileOutcome>& outcomes);
  TimeLimit deadline(std::size_t images) const;
  bool was_interrupted(Lane& lane);
  bool is_abandoned(std::uint64_t epoch) const;
  void deliver(const Waiting& waiting, Outcome outcome, std::uint64_t epoch);

  const Start start_;
  const std::function<void(Result)> deliver_;
  const std::optional<double> user_seconds_;  // for one image
  CompilerOpened opened_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Waiting> waiting_;
  std::deque<Lane> lanes_;  // its elements never move
  std::unique_ptr<Transport> spare_;
  std::size_t most_ = 1, idle_ = 0;
  std::uint64_t epoch_ = 0;                 // counts calls of cancel()
  std::vector<double> seconds_;             // of images, for the deadline
  std::optional<ImageRequest> known_good_;  // an image that compiled before
  bool ends_ = false;
};

}  // namespace attune
