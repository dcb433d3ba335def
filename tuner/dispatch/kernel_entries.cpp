#include "dispatch/kernel_entries.hpp"

#include <fmt/format.h>

#include <chrono>
#include <new>
#include <vector>

#include "attune/error.hpp"
#include "base/uncancelled.hpp"
#include "dispatch/readers.hpp"
#include "kernel/empty_problem.hpp"
#include "kernel/legality.hpp"
#include "kernel/problem.hpp"

namespace attune {
namespace {

constexpr std::int64_t pause_ns = 1'000'000'000;

std::int64_t after_pause_ns() noexcept {
  return std::chrono::steady_clock::now().time_since_epoch().count() + pause_ns;
}

}  // namespace

// Cold functions are compiled for size: libattune.so is to stay small.
[[gnu::cold]] KernelEntries::KernelEntries(KernelPack pack, EntryServices& services)
    : pack_(std::make_shared<const KernelPack>(std::move(pack))),
      services_(services),
      recipe_(pack_->spec, services.device->info().kind),
      table_(recipe_.size()) {}

[[gnu::hot]] void KernelEntries::launch(Policy policy, StreamHandle stream, std::span<const ProblemValue> values,
                                        std::span<const PlanArgument> arguments) {
  const ProblemKey key = recipe_.read(values, arguments);
  {
    const LaunchSection section;  // keeps alive what is read here
    PlanEntry* const entry = table_.find(key);
    if (entry != nullptr && launch_known(*entry, policy, stream, arguments)) [[likely]]
      return;
  }
  launch_new(key, policy, stream, arguments);
}

// Returns false where the problem must be planned first.
[[gnu::hot]] bool KernelEntries::launch_known(PlanEntry& entry, Policy policy, StreamHandle stream,
                                              std::span<const PlanArgument> arguments) {
  const LaunchBlock* const block = entry.block_for(policy);
  if (block != nullptr && !block->is_captured(stream)) [[likely]] {
    entry.mark();
    block->launch(stream, arguments);
    return true;
  }
  const PublishedPlan* plan = entry.serving(policy);
  if (plan == nullptr && services_.device->is_captured(stream)) plan = entry.serving(Policy::cached_only);
  if (plan == nullptr) return false;
  entry.mark();
  warn_of_misaligned(entry, *plan->parts, launch_plan(plan->parts, stream, arguments));
  return true;
}

[[gnu::cold]] void KernelEntries::warn_of_misaligned(PlanEntry& entry, const PlanParts& parts,
                                                     const std::string* array) {
  if (array != nullptr && entry.may_warn()) parts.warn_of_misaligned(*array);
}

// Launches before the best configuration is prepared, because preparing beside it would slow the launch down.
[[gnu::cold]] void KernelEntries::launch_new(const ProblemKey& key, Policy policy, StreamHandle stream,
                                             std::span<const PlanArgument> arguments) {
  const Uncancelled whole;
  if (services_.device->is_captured(stream)) policy = Policy::cached_only;
  // Refuses values that the kernel does not admit, before an entry is made for them.
  const Problem problem =
      make_problem(pack_->spec, recipe_.problem_of(key), services_.device->info().kind, EmptyProblem::allowed);
  const FreshPlan fresh = make(table_.insert(key), problem, policy);
  try {
    warn_of_misaligned(fresh.entry, *fresh.parts, launch_plan(fresh.parts, stream, arguments));
  } catch (...) {
    finish(fresh);
    throw;
  }
  finish(fresh);
}

PartsPointer KernelEntries::plan(const Problem& given, Policy policy) {
  if (const std::optional<ProblemKey> key = recipe_.find_key(given)) {
    PlanEntry* const entry = table_.find(*key);
    PartsPointer parts = entry != nullptr ? find_parts(*entry, policy) : nullptr;
    if (parts != nullptr) return parts;
  }
  const Problem problem = make_problem(pack_->spec, given, services_.device->info().kind, EmptyProblem::allowed);
  FreshPlan fresh = make(table_.insert(recipe_.key_of(problem)), problem, policy);
  finish(fresh);
  return std::move(fresh.parts);
}

[[gnu::cold]] PartsPointer KernelEntries::plan(const Problem& given, const Configuration& wished) {
  const WarningDelivery delivery{services_.warnings};
  const KernelSpec& spec = pack_->spec;
  const DeviceInfo& device = services_.device->info();
  const Problem problem = make_problem(spec, given, device.kind, EmptyProblem::allowed);
  GradedMatch choice;
  choice.match.rung = Rung::pinned;
  choice.match.why = "the application chose " + wished.text();
  if (!launches_nothing(spec, problem)) {
    auto legal = legal_configuration(spec, problem, device, wished);
    std::string why = legal ? "" : why_illegal(spec, problem, device, wished);
    if (legal && services_.deterministic_only && !is_deterministic(spec, problem, device, *legal))
      why = "it is not deterministic, and deterministic_only is set";
    if (!why.empty())
      throw UsageError(fmt::format("{} of {} is not legal for {} on {}: {}", wished.text(), spec.name, problem.text(),
                                   device.name, why));
    choice.match.configuration = *std::move(legal);
  }
  PartsPointer parts = parts_of_own(services_.plan(pack_, problem, Policy::wait, &choice).parts);
  services_.after_miss();
  return parts;
}

// Returns the parts of the plan that serves, or null.
PartsPointer KernelEntries::find_parts(PlanEntry& entry, Policy policy) const {
  const LaunchSection section;
  if (const LaunchBlock* const best = entry.block_for(Policy::wait)) {
    entry.mark();
    return best->parts().shared_from_this();
  }
  const PublishedPlan* const plan = entry.serving(policy);
  if (plan == nullptr || plan->generation != services_.generation.load(std::memory_order_relaxed)) return nullptr;
  entry.mark();
  return plan->parts;
}

// Equal requests that wait for the best are planned once, one after the other. The others do not wait for those.
[[gnu::cold]] KernelEntries::FreshPlan KernelEntries::make(PlanEntry& entry, const Problem& problem, Policy policy,
                                                           bool is_refresh) {
  const WarningDelivery delivery{services_.warnings};
  if (services_.deterministic_only && policy == Policy::background) policy = Policy::wait;
  std::unique_lock planning(entry, std::defer_lock);
  if (policy == Policy::wait) planning.lock();
  if (PartsPointer parts = is_refresh ? nullptr : find_parts(entry, policy)) return {entry, std::move(parts)};
  const std::uint64_t generation = services_.generation;
  PlannedParts planned = services_.plan(pack_, problem, policy, choose(entry, nullptr));
  if (planned.choice) {
    const GradedMatch* const chosen = choose(entry, &*planned.choice);
    const bool is_another = chosen->match.configuration != planned.choice->match.configuration;
    if (is_another) planned = services_.plan(pack_, problem, policy, chosen);
  }
  return keep(entry, std::move(planned), policy, generation);
}

// Makes `wished` the choice, unless it is null or there is a choice already. Returns the choice, or null.
[[gnu::cold]] const GradedMatch* KernelEntries::choose(PlanEntry& entry, const GradedMatch* wished) {
  const std::lock_guard lock(mutex_);
  if (wished != nullptr && entry.choice() == nullptr) entry.choose(*wished);
  return entry.choice();
}

// Publishes the plan, unless one of newer wisdom or an equally good one is there. Returns the plan that is there then.
[[gnu::cold]] KernelEntries::FreshPlan KernelEntries::keep(PlanEntry& entry, PlannedParts planned, Policy policy,
                                                           std::uint64_t generation) {
  FreshPlan fresh{entry, launchable(entry, std::move(planned.parts))};
  auto next = std::make_unique<PublishedPlan>();
  next->parts = fresh.parts;
  next->generation = generation;
  next->is_best = planned.is_best;
  if (!planned.is_final || (!planned.is_best && policy == Policy::cached_only)) next->ask_again_ns = after_pause_ns();
  {
    const std::lock_guard lock(mutex_);
    if (generation != services_.generation) next->ask_again_ns = 1;  // of wisdom that is old: ask at the next request
    const PublishedPlan* const before = entry.present();
    const bool is_equal = before != nullptr && before->generation == generation && before->is_settled();
    if (before != nullptr && (before->generation > generation || is_equal)) return {entry, before->parts};
    if (before != nullptr && before->parts != next->parts) ++swaps_;
    entry.mark();
    if (auto former = entry.replace(std::move(next))) services_.retired.add(std::move(former));
    fresh.awaits_best = !planned.is_best && policy == Policy::background && !entry.is_awaited();
    if (fresh.awaits_best) entry.set_awaited(true);
    table_.fetch_ahead(entry);
  }
  services_.retired.free();
  return fresh;
}

// Returns parts that the entry may launch: those that it has, if they are the same, or the given ones with a module of
// their own where there are variables.
[[gnu::cold]] PartsPointer KernelEntries::launchable(const PlanEntry& entry, PartsPointer parts) const {
  {
    const LaunchSection section;
    const PublishedPlan* const present = entry.present();
    if (present != nullptr && is_same_plan(*present->parts, *parts)) return present->parts;
  }
  return parts_of_own(std::move(parts));
}

// Prepares the best that is awaited since the plan was made.
[[gnu::cold]] void KernelEntries::finish(const FreshPlan& fresh) {
  if (fresh.awaits_best) {
    PlanEntry& entry = fresh.entry;
    const Problem& problem = fresh.parts->problem;
    try {
      services_.background.add([this, &entry, problem] { prepare_best(entry, problem); });
    } catch (const std::exception& error) {
      give_up(entry, problem, error);
    }
  }
  services_.after_miss();
}

[[gnu::cold]] void KernelEntries::prepare_best(PlanEntry& entry, const Problem& problem) noexcept {
  try {
    make(entry, problem, Policy::wait);
    {
      const std::lock_guard lock(mutex_);
      entry.set_awaited(false);
    }
    services_.after_miss();
  } catch (const std::exception& error) {
    give_up(entry, problem, error);
  }
}

// The present plan serves on. After a pause, a request tries again; without memory to say so, the next request does.
[[gnu::cold]] void KernelEntries::give_up(PlanEntry& entry, const Problem& problem,
                                          const std::exception& error) noexcept try {
  const WarningDelivery delivery{services_.warnings};
  {
    const std::lock_guard lock(mutex_);
    entry.set_awaited(false);
    if (const PublishedPlan* const present = entry.present(); present != nullptr && !present->is_best) {
      auto next = std::make_unique<PublishedPlan>();
      next->parts = present->parts;
      next->generation = present->generation;
      next->ask_again_ns = after_pause_ns();
      next->is_best = false;
      next->has_failed = true;
      services_.retired.add(entry.replace(std::move(next)));
    }
  }
  services_.warnings.warn(
      fmt::format("preparing {} ({}) in the background failed: {}", name(), problem.text(), error.what()));
} catch (const std::bad_alloc&) {
}

[[gnu::cold]] std::optional<Match> KernelEntries::match(const Problem& complete) const {
  const PlanEntry* const entry = table_.find(recipe_.key_of(complete));
  if (entry == nullptr) return std::nullopt;
  const std::lock_guard lock(mutex_);
  const PublishedPlan* const plan = entry->present();
  if (plan != nullptr && plan->is_settled() && plan->generation == services_.generation) return plan->parts->match;
  return entry->choice() != nullptr ? std::optional(entry->choice()->match) : std::nullopt;
}

[[gnu::cold]] std::exception_ptr KernelEntries::refresh() {
  std::vector<PlanEntry*> planned;
  {
    const std::lock_guard lock(mutex_);
    table_.for_each([&](PlanEntry& entry) {
      if (entry.present() != nullptr) planned.push_back(&entry);
    });
  }
  std::exception_ptr first;
  for (PlanEntry* const entry : planned) {
    PartsPointer parts;
    {
      const std::lock_guard lock(mutex_);
      if (entry->present() != nullptr) parts = entry->present()->parts;
    }
    try {
      if (parts != nullptr) make(*entry, parts->problem, Policy::wait, true);
    } catch (const Error&) {
      if (first == nullptr) first = std::current_exception();
    }
  }
  return first;
}

[[gnu::cold]] void KernelEntries::look_at_plans(const std::function<void(const PartsPointer&, bool)>& look) {
  const std::lock_guard lock(mutex_);
  table_.for_each([&](PlanEntry& entry) {
    if (entry.present() != nullptr) look(entry.present()->parts, entry.take_used());
  });
}

[[gnu::cold]] void KernelEntries::drop(const std::unordered_set<const Module*>& modules) {
  const std::lock_guard lock(mutex_);
  table_.for_each([&](PlanEntry& entry) {
    const PublishedPlan* const plan = entry.present();
    if (plan == nullptr || entry.is_used() || !modules.contains(plan->parts->code.module.get())) return;
    services_.retired.add(entry.replace(nullptr));
  });
}

}  // namespace attune
