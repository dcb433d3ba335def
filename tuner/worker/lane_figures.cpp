#include "worker/lane_figures.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

#include "worker/answer_check.hpp"

namespace attune {
namespace {

constexpr double most_seconds = 1e12;  // a clock that is beyond this, or goes back, is not believed

int batch_of(const Job& job) {
  if (const auto* tried = std::get_if<Try>(&job)) return tried->plan.batch;
  if (const auto* rounds = std::get_if<Rounds>(&job)) return rounds->plan.batch;
  return 1;
}

}  // namespace

void LaneFigures::add(Reply& reply, const Job& job) {
  const std::lock_guard lock(mutex_);
  if (const auto* opened = std::get_if<DeviceOpened>(&reply.answer)) own_clock_ = opened->own_clock;
  if (reply.seconds >= clock_ && reply.seconds < most_seconds) clock_ = reply.seconds;
  if (reply.worked_seconds >= 0 && reply.worked_seconds < most_seconds) busy_seconds_ += reply.worked_seconds;
  const auto* tried = std::get_if<Tried>(&reply.answer);
  const auto* sampled = std::get_if<RoundsSampled>(&reply.answer);
  if (tried != nullptr || sampled != nullptr)
    for (const double nanoseconds : tried != nullptr ? tried->samples_ns : sampled->samples_ns)
      if (is_time(nanoseconds)) timed_seconds_ += nanoseconds * batch_of(job) * 1e-9;
  std::move(reply.watched.states.begin(), reply.watched.states.end(), std::back_inserter(watched_.states));
  std::move(reply.watched.users.begin(), reply.watched.users.end(), std::back_inserter(watched_.users));
}

void LaneFigures::add_replaced() {
  const std::lock_guard lock(mutex_);
  ++replaced_;
  clock_before_ += std::exchange(clock_, 0);
}

int LaneFigures::replaced() const {
  const std::lock_guard lock(mutex_);
  return replaced_;
}

double LaneFigures::busy_seconds() const {
  const std::lock_guard lock(mutex_);
  return busy_seconds_;
}

double LaneFigures::timed_seconds() const {
  const std::lock_guard lock(mutex_);
  return timed_seconds_;
}

double LaneFigures::seconds() const {
  const std::lock_guard lock(mutex_);
  if (own_clock_) return clock_before_ + clock_;
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

Watched LaneFigures::take_watched() {
  const std::lock_guard lock(mutex_);
  return std::exchange(watched_, {});
}

}  // namespace attune
