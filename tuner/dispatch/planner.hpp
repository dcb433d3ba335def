// Planner: makes the parts of a plan for a kernel and a complete problem: record, configuration, image, launch shapes.
// It goes down the match ladder when a record cannot be used. Owned by a Dispatcher; any thread.
#pragma once

#include <atomic>
#include <chrono>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "attune/match.hpp"
#include "core/regime.hpp"
#include "device/device.hpp"
#include "dispatch/images.hpp"
#include "dispatch/kernel_table.hpp"
#include "dispatch/plan_parts.hpp"
#include "dispatch/warnings.hpp"
#include "kernel/ladder.hpp"

namespace attune {

struct Planned {
  std::shared_ptr<const PlanParts> parts;
  bool is_final = true;  // false: the database was locked, and the next plan() of the problem may find more
};

// The folders of images, as DispatcherOptions name them.
struct CacheFolders {
  std::filesystem::path own, site;
};

class Planner {
 public:
  // Without a database there is no wisdom. `warnings` must outlive it.
  Planner(std::shared_ptr<Device> device, std::optional<std::filesystem::path> database, const CacheFolders& caches,
          Regime regime, std::string objective, Warnings& warnings);

  // Throws Error when not even the default configuration can be used.
  Planned plan(KnownKernel& kernel, const Problem& problem);
  // Returns what plan() would use first, without compiling or loading. Throws Error when no configuration is legal.
  Match match(KnownKernel& kernel, const Problem& problem);

 private:
  MatchRequest request_for(const KnownKernel& kernel, const Problem& problem) const;
  using Clock = std::chrono::steady_clock;
  // `is_final`: could the wisdom be read?
  std::vector<GradedMatch> ladder(KnownKernel& kernel, const MatchRequest& request, bool& is_final);
  GradedMatch last_rung(const MatchRequest& request) const;
  std::shared_ptr<const PlanParts> build(const MatchRequest& request, GradedMatch graded, Status& status);
  std::shared_ptr<const PlanParts> build_or_warn(const MatchRequest& request, const GradedMatch& graded);

  std::shared_ptr<Device> device_;
  std::optional<std::filesystem::path> database_;
  const Regime regime_;
  const std::string objective_;
  Warnings& warnings_;
  Images images_;
  std::atomic<Clock::time_point> ask_again_ = Clock::time_point::min();
  std::mutex functions_;  // Module does not promise thread-safety
};

}  // namespace attune
