// Planner: makes the parts of a plan for a kernel and a complete problem. It goes through the candidates of the
// request's ladder, and takes the first that the policy admits and that can be used. Owned by a Dispatcher; any thread.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "attune/match.hpp"
#include "attune/policy.hpp"
#include "bundle/kernel_pack.hpp"
#include "core/regime.hpp"
#include "device/device.hpp"
#include "dispatch/images.hpp"
#include "dispatch/misses.hpp"
#include "dispatch/plan_parts.hpp"
#include "dispatch/request_ladder.hpp"
#include "dispatch/warnings.hpp"
#include "dispatch/wisdom.hpp"
#include "kernel/ladder.hpp"

namespace attune {

struct PlannedParts {
  std::shared_ptr<const PlanParts> parts;
  bool is_best = true;   // false: a better configuration is known, but its image is not loaded or cached
  bool is_final = true;  // false: the wisdom could not be read, and a later plan() of the problem may find more
  // The candidate that the parts are of, where only deterministic configurations are used.
  std::optional<GradedMatch> choice = {};
};

// The folders of images, as DispatcherOptions name them.
struct CacheFolders {
  std::filesystem::path own, site;
};

class Planner {
 public:
  // `bundles`, `warnings` and the kernels that are passed must outlive it.
  // `misses`: the file to which plan() appends problems without a record of their own; "": none. `held` counts the code
  // and scratch memory of the plans.
  Planner(std::shared_ptr<Device> device, WisdomSources sources, const AddedBundles& bundles,
          const CacheFolders& caches, Regime regime, std::string objective, Warnings& warnings,
          const std::filesystem::path& misses = {}, std::shared_ptr<HeldMemory> held = std::make_shared<HeldMemory>());

  // Restricts the planner to deterministic configurations. Call this before the first plan().
  void use_deterministic_only() noexcept { deterministic_only_ = true; }

  // Makes the parts of the plan that the policy asks for; for a problem that launches nothing, parts without steps.
  // Throws Error when no configuration can be used: neither a recorded one nor a fall-back. Throws NotPrepared as the
  // policy says. With use_deterministic_only(), the configuration depends on device, wisdom and compiler, but not on
  // what is loaded or cached. A failure that may pass, such as a locked database, is an Error then. `choice`: the
  // candidate that the problem was planned with before, and the only one to be used; null: all are.
  PlannedParts plan(const std::shared_ptr<const KernelPack>& kernel, const Problem& problem, Policy policy,
                    const GradedMatch* choice = nullptr);
  // Returns what plan() would use first, without compiling or loading. Throws Error when no configuration is legal.
  Match match(const KernelPack& kernel, const Problem& problem);
  // Adds to a bundle the records of these kernels for devices of this kind, and the images that are loaded. Throws
  // Error where the wisdom cannot be read.
  void add_to(BundleWriter& bundle, const std::vector<const KernelPack*>& kernels);

  // Returns the device as it is looked up: with what its alias says.
  const DeviceInfo& device_info() { return wisdom_.known_as(device_->info()); }
  // Returns Wisdom::digest().
  std::string wisdom_digest() const { return wisdom_.digest(); }

  struct Counts {
    std::array<std::uint64_t, 9> plans{};  // by Rung
    std::uint64_t waited = 0;              // times that Policy::background waited, because no image was ready
    Images::Counts images;
  };
  Counts counts() const;

 private:
  WantedImage wanted_image(const MatchRequest& request, const Configuration& configuration);
  // A request whose plan keeps the kernel.
  struct PlanRequest : MatchRequest {
    std::shared_ptr<const KernelSpec> kernel;
  };
  // Throws Error where only deterministic configurations are used, and the kernel promises none.
  MatchRequest request_for(const KernelPack& kernel, const Problem& problem);
  RequestLadder ladder_of(const MatchRequest& request, RequestLadder::Order order);
  void log_miss(const MatchRequest& request, RequestLadder& ladder);
  // What became of one candidate. No parts and an ok status: its image would have to be compiled.
  struct Attempt {
    std::shared_ptr<const PlanParts> parts;
    Status status;
    std::exception_ptr error = nullptr;  // of the environment, such as no compiler; its text is in `status`
  };
  Attempt attempt(const PlanRequest& request, const GradedMatch& candidate, bool may_compile);
  std::shared_ptr<const PlanParts> build(const PlanRequest& request, GradedMatch candidate, bool may_compile,
                                         Status& status);
  // Which candidates are tried, and how.
  struct Pass {
    std::function<bool(const GradedMatch& candidate, bool is_first)> admits;
    bool may_compile = false;
    // Called for each candidate that cannot be used. A pass with a report finds the best; one without finds what
    // serves.
    std::function<void(const GradedMatch& candidate, const Attempt& attempt)> report = {};
  };
  // Returns the plan of the first candidate that the pass admits and that can be used, or nothing.
  std::optional<PlannedParts> first_of(RequestLadder& ladder, const PlanRequest& request, const Pass& pass);
  PlannedParts best_of(RequestLadder& ladder, const PlanRequest& request, Policy policy);

  std::shared_ptr<Device> device_;
  Wisdom wisdom_;
  const Regime regime_;
  const std::string objective_;
  Warnings& warnings_;
  Misses misses_;
  bool deterministic_only_ = false;
  const std::shared_ptr<const PlanContext> context_;
  Images images_;
  std::mutex source_keys_mutex_;
  std::map<const KernelSpec*, SourceKey> source_keys_;
  std::array<std::atomic<std::uint64_t>, 9> plans_{};  // by rung
  std::atomic<std::uint64_t> waited_ = 0;
};

}  // namespace attune
