// CompileLanes: the compile workers of a Pool. Each lane is a thread with sequential, blocking code that drives one
// worker. Images are compiled in batches of the compiler's preferred size. A compiler that hangs, crashes or takes all
// memory costs one image. After a death, a fresh worker compiles a known-good image, then every image of the batch
// alone. Two deaths of one image are its verdict. The death of a program that the worker started counts as well.
// Thread-safe.
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
  // Opens one worker, to read its toolchain. Throws Error when the compiler is missing or the worker does not start.
  // `start` makes the transport to one worker. The lanes' threads call `deliver`, which must not call the lanes.
  CompileLanes(Start start, std::function<void(Result)> deliver);
  // Drops images whose compile has not begun, and abandons the compiles under way.
  ~CompileLanes();
  CompileLanes(const CompileLanes&) = delete;
  CompileLanes& operator=(const CompileLanes&) = delete;

  const CompilerFacts& opened() const noexcept { return opened_; }
  // Sets how many workers compile at the same time, at most; 0 counts as 1.
  void set_most(unsigned lanes);
  // Starts all workers now, so that they load the compiler before the first images come.
  void start_all();
  // Takes an image to compile. Its result goes to `deliver`.
  void submit(Ticket ticket, ImageRequest request);
  // Drops all images that have no result yet; they get none.
  void cancel() noexcept;

 private:
  struct QueuedImage {
    Ticket ticket;
    ImageRequest request;
  };
  struct Lane {
    std::unique_ptr<Transport> worker;
    bool is_busy = true, is_interrupted = false;
    bool opens_first = false;
    std::thread thread;
  };
  struct LaneOutcome {
    CompileOutcome compiled;
    int deaths = 0;
  };
  void add_lane(bool opens_first);
  void run(Lane& lane);
  std::vector<QueuedImage> take_batch(Lane& lane, std::uint64_t& epoch);
  std::vector<LaneOutcome> compile(Transport& worker, const std::vector<ImageRequest>& requests, std::uint64_t epoch);
  LaneOutcome compile_alone(Transport& worker, const ImageRequest& request, int deaths, std::uint64_t epoch);
  Receipt ask(Transport& worker, const std::vector<ImageRequest>& requests, int attempt, std::uint64_t epoch);
  void restart_and_check(Transport& worker, const std::string& why, std::uint64_t epoch);
  void learn(const std::vector<ImageRequest>& requests, const std::vector<CompileOutcome>& outcomes);
  TimeLimit deadline(std::size_t images) const;
  bool was_interrupted(Lane& lane);
  bool is_abandoned(std::uint64_t epoch) const;
  void deliver(const QueuedImage& waiting, LaneOutcome outcome, std::uint64_t epoch);

  const Start start_;
  const std::function<void(Result)> deliver_;
  const std::optional<double> user_seconds_;  // for one image
  CompilerFacts opened_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<QueuedImage> waiting_;
  std::deque<Lane> lanes_;  // its elements never move
  std::unique_ptr<Transport> spare_;
  std::size_t most_ = 1, idle_ = 0;
  std::uint64_t epoch_ = 0;                 // counts calls of cancel()
  std::vector<double> seconds_;             // how long images took to compile, for the deadline
  std::optional<ImageRequest> known_good_;  // an image that compiled before
  bool ends_ = false;
};

}  // namespace attune
