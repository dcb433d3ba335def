// LaterStop: counts the requests to stop that come after its making, for a stage that follows an earlier request.
#pragma once

#include <atomic>
#include <chrono>
#include <stop_token>
#include <thread>

namespace attune {

class LaterStop {
 public:
  // `stop` must outlive it.
  explicit LaterStop(const std::atomic<int>& stop)
      : watch_([this, &stop, before = stop.load()](const std::stop_token& end) {
          for (; !end.stop_requested(); std::this_thread::sleep_for(between_looks)) later_ = stop.load() - before;
        }) {}
  const std::atomic<int>& count() const noexcept { return later_; }

 private:
  static constexpr std::chrono::milliseconds between_looks{10};
  std::atomic<int> later_{0};
  std::jthread watch_;
};

}  // namespace attune
