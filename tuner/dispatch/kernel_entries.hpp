// KernelEntries: the plans of one kernel by problem, which plan(), launches of Kernel and prepare() share. A launch of
// a known problem takes no lock. Any thread. Owned by a Dispatcher.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <unordered_set>

#include "attune/kernel.hpp"
#include "attune/policy.hpp"
#include "bundle/kernel_pack.hpp"
#include "device/device.hpp"
#include "dispatch/background.hpp"
#include "dispatch/entry_table.hpp"
#include "dispatch/plan_entry.hpp"
#include "dispatch/planner.hpp"
#include "dispatch/problem_key.hpp"
#include "dispatch/retired_plans.hpp"
#include "dispatch/warnings.hpp"

namespace attune {

// What the entries of all kernels share. It must outlive them.
struct EntryServices {
  std::shared_ptr<Device> device;
  std::function<PlannedParts(const std::shared_ptr<const KernelPack>&, const Problem&, Policy,
                             const GradedMatch* choice)>
      plan;
  Warnings& warnings;
  Background& background;
  RetiredPlans& retired;
  std::function<void()> after_miss;           // is called after each miss, where nothing is locked
  bool deterministic_only = false;            // each problem keeps the configuration that it was planned with first
  std::atomic<std::uint64_t> generation = 0;  // of the wisdom: grows with each refresh()
};

class KernelEntries {
 public:
  // `services` must outlive it.
  KernelEntries(KernelPack pack, EntryServices& services);

  // Returns the plan of a problem, as Dispatcher::plan() says.
  PartsPointer plan(const Problem& given, Policy policy);
  // Makes a plan of this configuration, as Dispatcher::plan() says. It becomes no entry.
  PartsPointer plan(const Problem& given, const Configuration& wished);
  // Launches as Kernel::launch() says. The kernel must have no more names in [problem] than a key.
  void launch(Policy policy, StreamHandle stream, std::span<const ProblemValue> values,
              std::span<const PlanArgument> arguments);
  // Returns the match of a problem's plan or choice; nothing where plan() would ask the wisdom.
  std::optional<Match> match(const Problem& complete) const;
  // Plans again every problem that has a plan, because the generation of the wisdom has grown. Launches use the plans
  // that they have meanwhile. Returns the first Error, or null; other problems are planned all the same.
  std::exception_ptr refresh();

  // Calls look(parts, was_used) for each plan that is held here; `was_used`: since the last call.
  void look_at_plans(const std::function<void(const PartsPointer& parts, bool was_used)>& look);
  // Retires the plans whose code is in these modules, unless they were used since look_at_plans(). The next request for
  // such a problem plans it again.
  void drop(const std::unordered_set<const Module*>& modules);

  const KernelPack& pack() const noexcept { return *pack_; }
  const std::string& name() const noexcept { return pack_->spec.name; }
  const KeyRecipe& recipe() const noexcept { return recipe_; }
  std::uint64_t size() const { return table_.size(); }  // problems
  std::uint64_t swaps() const noexcept { return swaps_; }

 private:
  // A plan that was found or made for a caller, who holds it.
  struct FreshPlan {
    PlanEntry& entry;
    PartsPointer parts;
    bool awaits_best = false;  // finish() must begin to prepare the best, as the entry says already
  };
  PartsPointer find_parts(PlanEntry& entry, Policy policy) const;
  FreshPlan make(PlanEntry& entry, const Problem& problem, Policy policy, bool is_refresh = false);
  const GradedMatch* choose(PlanEntry& entry, const GradedMatch* wished);
  FreshPlan keep(PlanEntry& entry, PlannedParts planned, Policy policy, std::uint64_t generation);
  PartsPointer launchable(const PlanEntry& entry, PartsPointer parts) const;
  void finish(const FreshPlan& fresh);
  void prepare_best(PlanEntry& entry, const Problem& problem) noexcept;
  void give_up(PlanEntry& entry, const Problem& problem, const std::exception& error) noexcept;
  bool launch_known(PlanEntry& entry, Policy policy, StreamHandle stream, std::span<const PlanArgument> arguments);
  void launch_new(const ProblemKey& key, Policy policy, StreamHandle stream, std::span<const PlanArgument> arguments);
  static void warn_of_misaligned(PlanEntry& entry, const PlanParts& parts, const std::string* array);

  const std::shared_ptr<const KernelPack> pack_;  // plans keep it, which may outlive this object
  EntryServices& services_;
  const KeyRecipe recipe_;
  EntryTable<PlanEntry> table_;
  mutable std::mutex mutex_;  // of who publishes plans; taken before that of the table
  std::atomic<std::uint64_t> swaps_ = 0;
};

}  // namespace attune
