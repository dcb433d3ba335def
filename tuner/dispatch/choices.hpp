// Choices: the configurations that a dispatcher with `deterministic_only` has used, by kernel and problem. A choice is
// made once and stays, whatever is tuned, dropped or asked for again later. Owned by a Planner; any thread.
#pragma once

#include <mutex>
#include <optional>
#include <unordered_map>

#include "dispatch/plan_request.hpp"
#include "kernel/ladder.hpp"

namespace attune {

class Choices {
 public:
  std::optional<GradedMatch> find(const PlanRequest& request) const {
    const std::lock_guard lock(mutex_);
    const auto place = made_.find(request);
    return place == made_.end() ? std::nullopt : std::optional(place->second);
  }

  // Makes `wished` the choice, unless there is a choice already. Returns the choice.
  GradedMatch keep(const PlanRequest& request, const GradedMatch& wished) {
    const std::lock_guard lock(mutex_);
    return made_.try_emplace(request, wished).first->second;
  }

 private:
  mutable std::mutex mutex_;
  std::unordered_map<PlanRequest, GradedMatch, PlanRequestHash, PlanRequestEqual> made_;  // by complete problem
};

}  // namespace attune
