#include "dispatch/kernel_table.hpp"

#include <fmt/format.h>

#include "attune/error.hpp"
#include "base/near_name.hpp"

namespace attune {

bool KernelTable::is_there(const KernelPack& pack) const {
  const auto place = known_.find(pack.spec.name);
  if (place == known_.end()) return false;
  const Fingerprints &own = pack.spec.fingerprints, &present = place->second->pack().spec.fingerprints;
  if (present.code == own.code && present.contract == own.contract && present.space == own.space) return true;
  throw UsageError(fmt::format("{}: there is another kernel `{}` already; give [kernel] another name", pack.tune_target,
                               pack.spec.name));
}

void KernelTable::add(std::vector<KernelPack> packs, const std::function<void()>& before) {
  const std::unique_lock lock(mutex_);
  std::erase_if(packs, [this](const KernelPack& pack) { return is_there(pack); });
  before();
  for (KernelPack& pack : packs) {
    const std::string name = pack.spec.name;
    known_.emplace(name, std::make_unique<KernelEntries>(std::move(pack), services_));
  }
}

KernelEntries& KernelTable::find(std::string_view name) const {
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
