#include "session/trial_queue.hpp"

#include <algorithm>

namespace attune {
namespace {

std::size_t counted_of(const std::list<QueuedTrial>& queue, const auto& counts) {
  return static_cast<std::size_t>(std::count_if(queue.begin(), queue.end(), counts));
}

}  // namespace

TrialQueue::Position TrialQueue::find(Ticket ticket) {
  return std::find_if(queue_.begin(), queue_.end(),
                      [&](const QueuedTrial& one) { return one.bench != nullptr && one.ticket == ticket; });
}

std::size_t TrialQueue::trials() const {
  return counted_of(queue_, [](const QueuedTrial& one) { return one.instance != nullptr; });
}

std::size_t TrialQueue::under_way() const {
  return counted_of(queue_, [](const QueuedTrial& one) { return one.bench != nullptr && !one.result; });
}

std::size_t TrialQueue::under_way(const TrialBench& bench) const {
  return counted_of(queue_, [&](const QueuedTrial& one) { return one.bench == &bench && !one.result; });
}

}  // namespace attune
