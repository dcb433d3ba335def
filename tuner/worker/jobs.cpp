#include "worker/jobs.hpp"

#include <algorithm>
#include <utility>

#include "attune/error.hpp"

namespace attune {
namespace {

template <typename T>
concept HasStatus = requires(T& answer) {
  answer.status;
};

}  // namespace

const Status* status_of(const Answer& answer) noexcept {
  return std::visit(
      [](const auto& held) -> const Status* {
        if constexpr (HasStatus<decltype(held)>)
          return &held.status;
        else
          return nullptr;
      },
      answer);
}

Answer answer_with(const Job& job, Status status) {
  return std::visit(
      [&status](const auto& held) -> Answer {
        typename std::remove_cvref_t<decltype(held)>::AnswerType answer;
        if constexpr (HasStatus<decltype(answer)>) answer.status = std::move(status);
        return answer;
      },
      job);
}

std::vector<InstanceId> instances_of(const Job& job) {
  if (const auto* rounds = std::get_if<Rounds>(&job)) {
    std::vector<InstanceId> slots = rounds->slots;
    std::erase(slots, device_copy);
    return slots;
  }
  if (const auto* again = std::get_if<CheckAgain>(&job)) return {again->instance};
  if (const auto* meter = std::get_if<Meter>(&job)) return {meter->instance};
  return {};
}

bool samples_several(const Job& job) {
  const auto* const rounds = std::get_if<Rounds>(&job);
  return rounds != nullptr &&
         std::adjacent_find(rounds->slots.begin(), rounds->slots.end(), std::not_equal_to<>()) != rounds->slots.end();
}

InstanceLaunch* launch_of(Job& job) noexcept {
  if (auto* const tried = std::get_if<Try>(&job)) return &tried->launch;
  auto* const load = std::get_if<Load>(&job);
  return load == nullptr ? nullptr : &load->launch;
}

const InstanceLaunch* launch_of(const Job& job) noexcept { return launch_of(const_cast<Job&>(job)); }

void throw_failure(const Failure& failure) {
  if (failure.kind == Failure::Kind::out_of_memory) throw OutOfMemory(failure.text);
  if (failure.kind == Failure::Kind::usage) throw UsageError(failure.text);
  if (failure.kind == Failure::Kind::steps) throw StepsFailure(failure.text, failure.verdict);
  throw Error(failure.text);
}

}  // namespace attune
