// Planner: makes the parts of a plan for a kernel and a complete problem: record, configuration, image, launch shapes.
// It goes down the match ladder when a record cannot be used. Owned by a Dispatcher; any thread.
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

struct Planned {
  std::shared_ptr<const PlanParts> parts;
  bool is_best = true;   // false: another configuration would be used if its image were there
  bool is_final = true;  // false: the database was locked, and the next plan() of the problem may find more
};

// The folders of images, as DispatcherOptions name them.
struct CacheFolders {
  std::filesystem::path own, site;
};

class Planner {
 public:
  // `database`: null where there is none. `bundles`, `warnings` and the kernels that are passed must outlive it.
  // `misses`: where plan() logs what is not known. `holdings`: where code and scratch memory count.
  Planner(std::shared_ptr<Device> device, std::unique_ptr<const RecordTable> database, const AddedBundles& bundles,
          const CacheFolders& caches, Regime regime, std::string objective, Warnings& warnings,
          const std::filesystem::path& misses = {}, std::shared_ptr<Holdings> holdings = std::make_shared<Holdings>());

  // From here on only deterministic configurations are used. Each problem keeps the first one that it was planned with.
  // Call it before the first plan().
  void use_deterministic_only() noexcept { deterministic_only_ = true; }

  // Throws Error when neither a fall-back configuration nor one that is known of another problem can be used;
  // NotPrepared as the policy says.
  // With deterministic configurations alone: what is used depends on device, wisdom and compiler. It never depends on
  // what is loaded or cached, or fails for the moment: that is an Error.
  Planned plan(const KernelPack& kernel, const Problem& problem, Policy policy = Policy::wait);
  // Returns what plan() would use first, without compiling or loading. Throws Error when no configuration is legal.
  Match match(const KernelPack& kernel, const Problem& problem);
  // Adds to a bundle what is known of kernels, and the images that are loaded. Throws Error where the wisdom cannot be
  // read.
  void add_to(BundleWriter& bundle, const std::vector<const KernelPack*>& kernels);

  struct Counts {
    std::array<std::uint64_t, 7> plans{};  // by Rung
    std::uint64_t waited = 0;              // for a default configuration, by the policy `background`
    Images::Counts images;
  };
  Counts counts() const;
  Images& images() noexcept { return images_; }

 private:
  WantedImage wanted_image(const MatchRequest& request, const Configuration& configuration);
  // What the wisdom says of a request.
  struct Known {
    std::vector<Record> records;
    std::vector<GradedMatch> rungs;
    std::size_t recorded = 0;  // so many of the rungs, the first ones, are of records that fit
    std::string near_miss;     // why no record serves
    bool are_all = true;       // no further look finds more
    bool is_final = true;      // the wisdom could be read
    bool is_complete = false;  // the last rungs are there: fall-backs, and what is known of other problems
  };
  // Throws Error where only deterministic configurations are used, and the kernel promises none.
  MatchRequest request_for(const KernelPack& kernel, const Problem& problem) const;
  Wisdom::Found find(const MatchRequest& request, Reach reach);
  Known known(const MatchRequest& request, Reach reach);
  void complete(const MatchRequest& request, Known& known);
  void log_miss(const MatchRequest& request, const Known& known);
  // Returns null with a status where it cannot be used. With `may_compile` false, null with an ok status means that it
  // would have to be compiled.
  std::shared_ptr<const PlanParts> build(const MatchRequest& request, GradedMatch graded, Status& status,
                                         bool may_compile = true);
  // Returns null where it cannot be used, whatever the reason.
  std::shared_ptr<const PlanParts> try_build(const MatchRequest& request, const GradedMatch& graded,
                                             bool may_compile = true);
  Planned plan_ready(const KernelPack& kernel, const MatchRequest& request, Policy policy);
  std::optional<Planned> find_ready(const MatchRequest& request, const Known& present);
  Planned plan_deterministic(const MatchRequest& request, Policy policy);
  // Returns null with a status where the code itself cannot be used. Throws Error where something else is wrong.
  std::shared_ptr<const PlanParts> build_or_fail(const MatchRequest& request, const GradedMatch& graded, Policy policy,
                                                 Status& status);
  void warn_of(const MatchRequest& request, const Configuration& configuration, const Status& status);
  std::shared_ptr<const PlanParts> build_or_warn(const MatchRequest& request, const GradedMatch& graded);
  std::shared_ptr<const PlanParts> build_last(const MatchRequest& request, const Known& known);

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
