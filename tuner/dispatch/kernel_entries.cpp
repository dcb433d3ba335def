#include "dispatch/kernel_entries.hpp"

#include <fmt/format.h>

#include <chrono>

#include "attune/error.hpp"
#include "dispatch/plan_parts.hpp"
#include "dispatch/readers.hpp"
#include "kernel/problem.hpp"

namespace attune {
namespace {

constexpr std::int64_t ask_again_after_ns = 1'000'000'000;

std::int64_t now_ns() noexcept { return std::chrono::steady_clock::now().time_since_epoch().count(); }

}  // namespace

[[gnu::cold]] KernelEntries::KernelEntries(const KernelPack& pack, const EntryServices& services)
    : pack_(pack), services_(services), recipe_(pack.spec), table_(recipe_.size()) {}

[[gnu::hot]] void KernelEntries::launch(Policy policy, StreamHandle stream, std::span<const ProblemValue> values,
                                        std::span<const PlanArgument> arguments) {
  const ProblemKey key = recipe_.read(values, arguments);
  {
    const LaunchSection section;  // keeps alive what is read here
    Entry* const entry = table_.find(key);
    if (entry != nullptr && launch_known(*entry, stream, arguments)) [[likely]]
      return;
  }
  launch_made(make(key, policy, stream), stream, arguments);
}

// Launches before the best configuration is prepared, because preparing beside it would slow the launch down.
[[gnu::cold]] void KernelEntries::launch_made(const FreshPlan& made, StreamHandle stream,
                                              std::span<const PlanArgument> arguments) {
  try {
    warn_of_misaligned(made.entry, *made.parts, launch_plan(made.parts, stream, arguments));
  } catch (...) {
    if (made.awaits_best) await_best(made.entry);
    throw;
  }
  if (made.awaits_best) await_best(made.entry);
}

// Returns false where the problem must be prepared first.
[[gnu::hot]] bool KernelEntries::launch_known(Entry& entry, StreamHandle stream,
                                              std::span<const PlanArgument> arguments) {
  const LaunchBlock* const block = entry.block.load(std::memory_order_acquire);
  if (block != nullptr && !block->is_captured(stream)) [[likely]] {
    entry.used.mark(services_.holdings->epoch());
    block->launch(stream, arguments);
    return true;
  }
  const Present* const present = entry.present.load(std::memory_order_acquire);
  if (present == nullptr || (present->ask_again_ns != 0 && now_ns() >= present->ask_again_ns)) return false;
  entry.used.mark(services_.holdings->epoch());
  warn_of_misaligned(entry, *present->parts, launch_plan(present->parts, stream, arguments));
  return true;
}

[[gnu::cold]] void KernelEntries::warn_of_misaligned(Entry& entry, const PlanParts& parts, const std::string* array) {
  if (array != nullptr && !entry.warned.exchange(true)) parts.warn_of_misaligned(*array);
}

// Cold functions are compiled for size: libattune.so is to stay small.
[[gnu::cold]] KernelEntries::FreshPlan KernelEntries::make(const ProblemKey& key, Policy policy, StreamHandle stream) {
  if (services_.device->is_captured(stream)) policy = Policy::cached_only;
  // Refuses values that the kernel does not admit, before an entry is made for them.
  const Problem problem =
      make_problem(pack_.spec, recipe_.problem_of(key), services_.device->info().kind, EmptyProblem::allowed);
  PlannedParts planned = services_.plan(pack_, problem, policy);
  Entry& entry = table_.insert(key, [](const ProblemKey& of) { return std::make_unique<Entry>(of); });
  const bool awaits_best = !planned.is_best && policy == Policy::background;
  return {entry, set(entry, std::move(planned)), awaits_best};
}

// Makes the better of the present plan and the new one the present one, and returns it.
[[gnu::cold]] std::shared_ptr<const PlanParts> KernelEntries::set(Entry& entry, PlannedParts planned) {
  auto made = std::make_shared<Present>();
  made->parts = parts_of_own(std::move(planned.parts));
  made->is_best = planned.is_best;
  if (!planned.is_final) made->ask_again_ns = now_ns() + ask_again_after_ns;
  const std::lock_guard lock(entry.mutex);
  entry.used.mark(services_.holdings->epoch());
  const Present* const before = entry.present.load(std::memory_order_relaxed);
  if (before != nullptr && before->is_best && !made->is_best) return before->parts;
  if (before != nullptr) ++swaps_;
  entry.present.store(made.get(), std::memory_order_release);
  entry.block.store(made->ask_again_ns == 0 ? made->parts->block.get() : nullptr, std::memory_order_release);
  table_.fetch_ahead(entry);
  entry.kept.push_back(made);
  return made->parts;
}

[[gnu::cold]] void KernelEntries::await_best(Entry& entry) {
  if (entry.is_awaited.exchange(true)) return;
  const auto fails = [this, &entry](const std::exception& error) {
    services_.warn(fmt::format("preparing {} ({}) in the background failed: {}", name(),
                               recipe_.problem_of(entry.key).text(), error.what()));
  };
  const auto prepare_best = [this, &entry, fails] {
    try {
      set(entry, services_.plan(pack_, recipe_.problem_of(entry.key), Policy::wait));
    } catch (const std::exception& error) {
      fails(error);
    }
    entry.is_awaited = false;
  };
  try {
    services_.background->add(prepare_best);
  } catch (const Error& error) {  // is_awaited stays set: no further try, the present plan serves
    fails(error);
  }
}

[[gnu::cold]] bool KernelEntries::is_best(const ProblemKey& key) const {
  const LaunchSection section;
  const Entry* const entry = table_.find(key);
  const Present* const present = entry != nullptr ? entry->present.load(std::memory_order_acquire) : nullptr;
  return present != nullptr && present->is_best;
}

[[gnu::cold]] void KernelEntries::prepare(const Problem& given) {
  const Problem problem = make_problem(pack_.spec, given, services_.device->info().kind, EmptyProblem::allowed);
  const ProblemKey key = recipe_.key_of(problem);
  if (is_best(key)) return;
  PlannedParts planned = services_.plan(pack_, problem, Policy::wait);
  set(table_.insert(key, [](const ProblemKey& of) { return std::make_unique<Entry>(of); }), std::move(planned));
}

[[gnu::cold]] void KernelEntries::refresh() {
  std::vector<Entry*> entries;
  table_.for_each([&](Entry& entry) {
    if (entry.present.load(std::memory_order_relaxed) != nullptr) entries.push_back(&entry);
  });
  for (Entry* const entry : entries) set(*entry, services_.plan(pack_, recipe_.problem_of(entry->key), Policy::wait));
}

[[gnu::cold]] void KernelEntries::survey(Survey& survey) const {
  table_.for_each([&](const Entry& entry) {
    const std::lock_guard lock(entry.mutex);
    const Present* const present = entry.present.load(std::memory_order_relaxed);
    for (const auto& one : entry.kept) survey.add(one->parts, one.get() == present ? entry.used.epoch() : 0);
  });
}

[[gnu::cold]] void KernelEntries::drop(const ModuleSet& doomed, Garbage& dropped) {
  table_.for_each([&](Entry& entry) {
    const std::lock_guard lock(entry.mutex);
    const Present* const present = entry.present.load(std::memory_order_relaxed);
    std::erase_if(entry.kept, [&](std::shared_ptr<const Present>& one) {
      if (one.get() == present && !is_of(*one->parts, doomed)) return false;
      if (one.get() == present) {
        entry.present.store(nullptr, std::memory_order_relaxed);
        entry.block.store(nullptr, std::memory_order_relaxed);
      }
      dropped.push_back(std::move(one));
      return true;
    });
  });
}

[[gnu::cold]] std::uint64_t KernelEntries::size() const {
  std::uint64_t count = 0;
  table_.for_each([&](const Entry&) { ++count; });
  return count;
}

}  // namespace attune
