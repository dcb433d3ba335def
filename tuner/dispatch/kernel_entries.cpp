#include "dispatch/kernel_entries.hpp"

#include <fmt/format.h>

#include <chrono>

#include "attune/error.hpp"
#include "dispatch/plan_parts.hpp"
#include "kernel/problem.hpp"

namespace attune {
namespace {

constexpr std::int64_t ask_again_after_ns = 1'000'000'000;

std::int64_t now_ns() noexcept { return std::chrono::steady_clock::now().time_since_epoch().count(); }

}  // namespace

KernelEntries::KernelEntries(const KernelPack& pack, const EntryServices& services)
    : pack_(pack), services_(services), recipe_(pack.spec) {}

void KernelEntries::launch(Policy policy, StreamHandle stream, std::span<const ProblemValue> values,
                           std::span<const PlanArgument> arguments) {
  const ProblemKey key = recipe_.read(values, arguments);
  Entry* const entry = table_.find(key);
  if (entry != nullptr) LaunchBlock::prefetch(entry->block.load(std::memory_order_relaxed));
  const Present* present = entry != nullptr ? entry->present.load(std::memory_order_acquire) : nullptr;
  if (present == nullptr || (present->ask_again_ns != 0 && now_ns() >= present->ask_again_ns)) [[unlikely]]
    present = &make(key, policy, stream);
  if (present->block != nullptr && !present->block->is_captured(stream))
    return launch_block(*present->parts, *present->block, stream, arguments);
  const std::string* const misaligned = launch_plan(present->parts, stream, arguments);
  if (misaligned == nullptr) [[likely]]
    return;
  if (Entry* const known = table_.find(key); !known->warned.exchange(true)) present->parts->warn_of_misaligned(*misaligned);
}

const KernelEntries::Present& KernelEntries::make(const ProblemKey& key, Policy policy, StreamHandle stream) {
  if (services_.device->is_captured(stream)) policy = Policy::cached_only;
  // Values that the kernel does not admit are refused before an entry is made of them.
  const Problem problem = make_problem(pack_.spec, recipe_.problem_of(key), services_.device->info().kind);
  Planned planned = services_.plan(pack_, problem, policy);
  Entry& entry = table_.insert(key, [](const ProblemKey& of) { return std::make_unique<Entry>(of); });
  const bool is_best = planned.is_best;
  const Present& present = set(entry, std::move(planned));
  if (!is_best && policy == Policy::background) await_best(entry);
  return present;
}

// The better of the present one and the new one is launched from now on.
const KernelEntries::Present& KernelEntries::set(Entry& entry, Planned planned) {
  auto made = std::make_unique<Present>();
  made->parts = parts_of_own(std::move(planned.parts));
  made->block = made->parts->block.get();
  made->is_best = planned.is_best;
  if (!planned.is_final) made->ask_again_ns = now_ns() + ask_again_after_ns;
  const std::lock_guard lock(entry.mutex);
  const Present* const before = entry.present.load(std::memory_order_relaxed);
  if (before != nullptr && before->is_best && !made->is_best) return *before;
  if (before != nullptr) ++swaps_;
  entry.present.store(made.get(), std::memory_order_release);
  entry.block.store(made->block, std::memory_order_relaxed);
  return *entry.kept.emplace_back(std::move(made));
}

void KernelEntries::await_best(Entry& entry) {
  if (entry.is_awaited.exchange(true)) return;
  services_.background->add([this, &entry] {
    try {
      set(entry, services_.plan(pack_, recipe_.problem_of(entry.key), Policy::wait));
    } catch (const std::exception& error) {
      services_.warn(fmt::format("preparing {} ({}) in the background failed: {}", name(),
                                 recipe_.problem_of(entry.key).text(), error.what()));
    }
    entry.is_awaited = false;
  });
}

void KernelEntries::prepare(const Problem& given) {
  const Problem problem = make_problem(pack_.spec, given, services_.device->info().kind);
  Entry* const present = table_.find(recipe_.key_of(problem));
  if (present != nullptr)
    if (const Present* const known = present->present.load(); known != nullptr && known->is_best) return;
  Planned planned = services_.plan(pack_, problem, Policy::wait);
  set(table_.insert(recipe_.key_of(problem), [](const ProblemKey& of) { return std::make_unique<Entry>(of); }),
      std::move(planned));
}

void KernelEntries::refresh() {
  std::vector<Entry*> entries;
  table_.for_each([&](Entry& entry) { entries.push_back(&entry); });
  for (Entry* const entry : entries) set(*entry, services_.plan(pack_, recipe_.problem_of(entry->key), Policy::wait));
}

std::uint64_t KernelEntries::size() const {
  std::uint64_t count = 0;
  table_.for_each([&](const Entry&) { ++count; });
  return count;
}

std::uint64_t KernelEntries::scratch_bytes() const {
  std::uint64_t bytes = 0;
  table_.for_each([&](const Entry& entry) {
    if (const Present* const present = entry.present.load()) bytes += present->parts->scratch_bytes();
  });
  return bytes;
}

}  // namespace attune
