#include "worker/lane_figures.hpp"

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
  if (const auto* opened = std::get_if<DeviceFacts>(&reply.answer)) own_clock = opened->own_clock;
  if (reply.seconds >= clock && reply.seconds < most_seconds) clock = reply.seconds;
  if (reply.worked_seconds >= 0 && reply.worked_seconds < most_seconds) busy_seconds += reply.worked_seconds;
  const auto* tried = std::get_if<TryAnswer>(&reply.answer);
  const auto* sampled = std::get_if<RoundsAnswer>(&reply.answer);
  if (tried != nullptr || sampled != nullptr)
    for (const double nanoseconds : tried != nullptr ? tried->samples_ns : sampled->samples_ns)
      if (is_time(nanoseconds)) timed_seconds += nanoseconds * batch_of(job) * 1e-9;
  std::move(reply.watched.states.begin(), reply.watched.states.end(), std::back_inserter(watched.states));
  std::move(reply.watched.users.begin(), reply.watched.users.end(), std::back_inserter(watched.users));
}

void LaneFigures::add_replaced() {
  ++replaced;
  clock_before += std::exchange(clock, 0);
}

}  // namespace attune
