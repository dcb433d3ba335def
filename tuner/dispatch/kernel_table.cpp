#include "dispatch/kernel_table.hpp"

#include <fmt/format.h>

#include <functional>

#include "attune/error.hpp"
#include "base/near_name.hpp"

namespace attune {
namespace {

// Which configurations deterministic_only allows. It is in no fingerprint. The fall-backs follow from it and from what
// the fingerprints cover.
std::string promise_of(const KernelSpec& spec) { return spec.deterministic ? spec.deterministic->text() : ""; }

}  // namespace

bool KernelTable::is_there(const KernelPack& pack) const {
  const auto place = known_.find(pack.spec.name);
  if (place == known_.end()) return false;
  const KernelSpec &own = pack.spec, &present = place->second->pack().spec;
  const Fingerprints &a = own.fingerprints, &b = present.fingerprints;
  if (a.code == b.code && a.contract == b.contract && a.space == b.space && promise_of(own) == promise_of(present))
    return true;
  throw UsageError(fmt::format("{}: there is another kernel `{}` already; give [kernel] another name", pack.tune_target,
                               pack.spec.name));
}

void KernelTable::add(std::vector<KernelPack> packs, const std::function<void()>& before) {
  const std::unique_lock lock(mutex_);
  std::erase_if(packs, [this](const KernelPack& pack) { return is_there(pack); });
  before();
  for (KernelPack& pack : packs) {
    const std::string name = pack.spec.name;
    const auto place = known_.emplace(name, std::make_unique<KernelEntries>(std::move(pack), services_)).first;
    KernelEntries* none = nullptr;
    first_of_key_.insert(key_of(name)).kernel.compare_exchange_strong(none, place->second.get());
  }
}

ProblemKey KernelTable::key_of(std::string_view name) noexcept {
  return {std::hash<std::string_view>{}(name), name.size()};
}

KernelEntries& KernelTable::find(std::string_view name) const {
  if (const NamedKernel* const named = first_of_key_.find(key_of(name))) {
    KernelEntries* const kernel = named->kernel.load(std::memory_order_acquire);
    if (kernel != nullptr && kernel->name() == name) return *kernel;
  }
  const std::shared_lock lock(mutex_);
  const auto place = known_.find(name);
  if (place == known_.end()) fail_unknown(name);
  return *place->second;
}

[[gnu::cold]] void KernelTable::fail_unknown(std::string_view name) const {
  std::vector<std::string> names;
  for (const auto& [known, kernel] : known_) names.push_back(known);
  throw UsageError(
      fmt::format("unknown kernel `{}`{} (a dispatcher knows what was added to it: gpu.add(...); the "
                  "built-in kernels are in attune/builtin.hpp)",
                  name, suggestion(name, names)));
}

std::vector<KernelEntries*> KernelTable::all() const {
  const std::shared_lock lock(mutex_);
  std::vector<KernelEntries*> all;
  for (const auto& [name, kernel] : known_) all.push_back(kernel.get());
  return all;
}

}  // namespace attune
