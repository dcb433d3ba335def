#include "dispatch/trim.hpp"

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "dispatch/readers.hpp"

namespace attune {
namespace {

// The plans of one module.
struct ModulePlans {
  std::uint64_t bytes = 0;
  long of_plans = 0, owners = 0;  // who owns the module: these plans, and all
  bool must_stay = false;         // used, or held by the application
};
using PlansByModule = std::unordered_map<const Module*, ModulePlans>;

void add(PlansByModule& modules, const PartsPointer& parts, bool was_used) {
  const std::shared_ptr<Module>& module = parts->code.module;
  if (module == nullptr) return;
  ModulePlans& of = modules[module.get()];
  of.bytes = parts->code.bytes;
  of.owners = module.use_count();
  of.of_plans += parts->kept_steps != nullptr ? 2 : 1;  // the plan, and its steps
  of.must_stay = of.must_stay || was_used || parts.use_count() > 1;
}

std::uint64_t beyond(const std::atomic<std::uint64_t>& held, std::uint64_t limit) noexcept {
  const std::uint64_t bytes = held;
  return bytes > limit ? bytes - limit : 0;
}

}  // namespace

// Cold functions are compiled for size: libattune.so is to stay small. Freeing scratch memory waits for the device, and
// launches wait with it.
[[gnu::cold]] TrimResult trim_plans(std::span<KernelEntries* const> kernels, const HeldMemory& held,
                                    const MemoryLimits& limits) {
  PlansByModule modules;
  std::vector<ScratchMemory> memory;
  std::uint64_t excess_code = beyond(held.images, limits.images), excess_scratch = beyond(held.scratch, limits.scratch);
  for (KernelEntries* const kernel : kernels)
    kernel->look_at_plans([&](const PartsPointer& parts, bool was_used) {
      add(modules, parts, was_used);
      if (parts->kept_steps != nullptr) parts->kept_steps->scratch.take_unused(excess_scratch, memory);
    });
  TrimResult result;
  for (const ScratchMemory& one : memory) result.scratch += one.arrays();
  std::unordered_set<const Module*> dropped;
  for (const auto& [module, of] : modules) {
    if (of.must_stay || of.owners > of.of_plans || excess_code == 0 || !GracePeriod::can_end()) continue;
    excess_code -= std::min(excess_code, of.bytes);
    dropped.insert(module);
  }
  if (!dropped.empty())
    for (KernelEntries* const kernel : kernels) kernel->drop(dropped);
  result.images = dropped.size();
  return result;
}

}  // namespace attune
