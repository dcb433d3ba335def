// TrialQueue: what one bench was given and has not finished, in order: trials, and timings of its anchor. Results
// arrive at any time and are taken in that order, so that what a strategy knows does not depend on speed. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>

#include "core/image.hpp"
#include "subject/instance.hpp"
#include "worker/result.hpp"

namespace attune {

struct QueuedTrial {
  Ticket ticket{};
  std::shared_ptr<const Instance> instance;  // null for a timing of the anchor
  CompileOutcome outcome = {};
  bool is_alone = false, has_attempt = false;
  std::uint64_t order = 0;  // among what all benches of the session were given
};

class TrialQueue {
 public:
  void push(QueuedTrial queued) { queue_.push_back(std::move(queued)); }
  QueuedTrial pop();
  const QueuedTrial& front() const { return queue_.front(); }
  bool empty() const noexcept { return queue_.empty(); }
  std::size_t size() const noexcept { return queue_.size(); }
  const std::deque<QueuedTrial>& all() const noexcept { return queue_; }
  void clear() noexcept;

  // Takes a result if it is of this queue. Returns whether it is.
  bool arrive(Result& result);
  bool has_arrived() const { return !queue_.empty() && arrived_.contains(queue_.front().ticket); }  // of the first
  // Returns the result of the first, if it has arrived.
  std::optional<Result> take_arrived();
  // Returns whether the bench has nothing to do: all of its results have arrived.
  bool is_idle() const noexcept { return arrived_.size() >= queue_.size(); }

 private:
  std::deque<QueuedTrial> queue_;
  std::map<Ticket, Result> arrived_;
};

}  // namespace attune
