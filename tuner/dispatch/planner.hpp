// Planner: makes the parts of a plan for a kernel and a complete problem. It finds a record, and makes configuration,
// image and launch shapes of it. It goes down the match ladder when a record cannot be used. Owned by a Dispatcher; any
// thread.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <filesystem>
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
#include "dispatch/choices.hpp"
#include "dispatch/images.hpp"
#include "dispatch/misses.hpp"
#include "dispatch/plan_parts.hpp"
#include "dispatch/warnings.hpp"
#include "dispatch/wisdom.hpp"
#include "kernel/ladder.hpp"

namespace attune {

struct PlannedParts {
  std::shared_ptr<const PlanParts> parts;
  bool is_best = true;   // false: a better configuration is known, but its image is not loaded or cached
  bool is_final = true;  // false: the database was locked, and the next plan() of the problem may find more
};

// The folders of images, as DispatcherOptions name them.
struct CacheFolders {
  std::filesystem::path own, site;
};

class Planner {
 public:
  // `database`: null where there is none. `bundles`, `warnings` and the kernels that are passed must outlive it.
  // `misses`: the file to which plan() appends problems without a record of their own; "": none. `holdings` counts the
  // code and scratch memory of the plans.
  Planner(std::shared_ptr<Device> device, std::unique_ptr<const RecordTable> database, const AddedBundles& bundles,
          const CacheFolders& caches, Regime regime, std::string objective, Warnings& warnings,
          const std::filesystem::path& misses = {}, std::shared_ptr<Holdings> holdings = std::make_shared<Holdings>());

  // Restricts the planner to deterministic configurations. Each problem keeps the first one that it was planned with.
  // Call this before the first plan().
  void use_deterministic_only() noexcept { deterministic_only_ = true; }

  // Makes the parts of the plan that the policy asks for; for a problem that launches nothing, parts without steps.
  // Throws Error when no configuration can be used: neither a recorded one nor a fall-back. Throws NotPrepared as the
  // policy says. With use_deterministic_only(), the configuration depends on device, wisdom and compiler, but not on
  // what is loaded or cached. A failure that may pass, such as a locked database, is an Error then.
  PlannedParts plan(const KernelPack& kernel, const Problem& problem, Policy policy = Policy::wait);
  // Returns what plan() would use first, without compiling or loading. Throws Error when no configuration is legal.
  Match match(const KernelPack& kernel, const Problem& problem);
  // Adds to a bundle the records of these kernels for devices of this kind, and the images that are loaded. Throws
  // Error where the wisdom cannot be read.
  void add_to(BundleWriter& bundle, const std::vector<const KernelPack*>& kernels);

  struct Counts {
    std::array<std::uint64_t, 7> plans{};  // by Rung
    std::uint64_t waited = 0;              // times that Policy::background waited, because no image was ready
    Images::Counts images;
  };
  Counts counts() const;
  Images& images() noexcept { return images_; }

 private:
  WantedImage wanted_image(const MatchRequest& request, const Configuration& configuration);
  // What the wisdom says of a request.
  struct WisdomAnswer {
    std::vector<Record> records;
    std::vector<GradedMatch> rungs;
    std::size_t recorded = 0;  // how many of the rungs, the first ones, are of records that fit
    std::string near_miss;     // why no record serves
    bool are_all = true;       // a look with a farther reach finds no more
    bool is_final = true;      // the database was not locked
    bool is_complete = false;  // the last rungs are there: fall-backs, and records of other problems
  };
  // Throws Error where only deterministic configurations are used, and the kernel promises none.
  MatchRequest request_for(const KernelPack& kernel, const Problem& problem) const;
  Wisdom::LookUpResult find(const MatchRequest& request, Reach reach);
  WisdomAnswer known(const MatchRequest& request, Reach reach);
  void complete(const MatchRequest& request, WisdomAnswer& known);
  void log_miss(const MatchRequest& request, const WisdomAnswer& known);
  // Makes the parts for one rung. Returns null where its configuration cannot be used, and says why in `status`.
  // Without `may_compile`, it returns null with an ok status where the image would have to be compiled.
  std::shared_ptr<const PlanParts> build(const MatchRequest& request, GradedMatch graded, Status& status,
                                         bool may_compile = true);
  // As build(), but returns null for every failure, also for one that build() throws.
  std::shared_ptr<const PlanParts> try_build(const MatchRequest& request, const GradedMatch& graded,
                                             bool may_compile = true);
  PlannedParts plan_ready(const KernelPack& kernel, const MatchRequest& request, Policy policy);
  std::optional<PlannedParts> find_ready(const MatchRequest& request, const WisdomAnswer& present);
  PlannedParts plan_deterministic(const MatchRequest& request, Policy policy);
  // As build(), but returns null only where the code itself cannot be used, and throws Error where something else is
  // wrong. Throws NotPrepared as the policy says.
  std::shared_ptr<const PlanParts> build_or_fail(const MatchRequest& request, const GradedMatch& graded, Policy policy,
                                                 Status& status);
  void warn_of(const MatchRequest& request, const Configuration& configuration, const Status& status);
  std::shared_ptr<const PlanParts> build_or_warn(const MatchRequest& request, const GradedMatch& graded);
  std::shared_ptr<const PlanParts> build_last(const MatchRequest& request, const WisdomAnswer& known);

  std::shared_ptr<Device> device_;
  Wisdom wisdom_;
  const Regime regime_;
  const std::string objective_;
  Warnings& warnings_;
  Misses misses_;
  bool deterministic_only_ = false;
  Choices choices_;  // of deterministic configurations
  Images images_;
  const std::shared_ptr<Holdings> holdings_;
  std::mutex functions_;  // Module does not promise thread-safety
  std::mutex source_keys_mutex_;
  std::map<const KernelSpec*, SourceKey> source_keys_;
  std::array<std::atomic<std::uint64_t>, 7> plans_{};  // by rung
  std::atomic<std::uint64_t> waited_ = 0;
};

}  // namespace attune
