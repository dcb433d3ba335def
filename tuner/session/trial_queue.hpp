// TrialQueue: what the benches of a session were given and what was not taken since, in order: trials, and timings of
// anchors. Results arrive at any time and are taken in that order, so that what a strategy knows does not depend on
// speed. One thread.
#pragma once

#include <cstddef>
#include <list>
#include <memory>
#include <optional>
#include <string>

#include "core/image.hpp"
#include "subject/instance.hpp"
#include "worker/result.hpp"

namespace attune {

class TrialBench;

struct QueuedTrial {
  std::shared_ptr<const Instance> instance;  // null for a timing of the anchor
  CompileOutcome outcome = {};
  bool is_alone = false, has_attempt = false;
  int attempt = 1;
  TrialBench* bench = nullptr;  // that has it; null: none, because it took one along
  Ticket ticket{};
  std::string lost = {};              // how it took a bench along; "" if it did not
  std::optional<Result> result = {};  // once it has arrived
};

class TrialQueue {
 public:
  using Position = std::list<QueuedTrial>::iterator;

  void push(QueuedTrial queued) { queue_.push_back(std::move(queued)); }
  void erase(Position one) { queue_.erase(one); }
  void clear() noexcept { queue_.clear(); }
  bool empty() const noexcept { return queue_.empty(); }
  std::size_t size() const noexcept { return queue_.size(); }
  Position begin() noexcept { return queue_.begin(); }
  Position end() noexcept { return queue_.end(); }

  // Returns the position of what has this ticket, or the end.
  Position find(Ticket ticket);
  // Returns how many trials there are, timings of anchors not counted.
  std::size_t trials() const;
  // Return how many have no result yet, of all benches and of one.
  std::size_t under_way() const;
  std::size_t under_way(const TrialBench& bench) const;

 private:
  std::list<QueuedTrial> queue_;
};

}  // namespace attune
