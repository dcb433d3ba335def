#include "dispatch/kernel_table.hpp"

#include <fmt/format.h>

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
  const KernelSpec &own = pack.spec, &present = place->second->spec;
  const Fingerprints &a = own.fingerprints, &b = present.fingerprints;
  if (a.code == b.code && a.contract == b.contract && a.space == b.space && promise_of(own) == promise_of(present))
    return true;
  throw UsageError(fmt::format("{}: there is another kernel `{}` already; give [kernel] another name", pack.tune_target,
                               pack.spec.name));
}

void KernelTable::add(std::vector<KernelPack> packs) {
  const std::lock_guard lock(mutex_);
  std::erase_if(packs, [this](const KernelPack& pack) { return is_there(pack); });
  for (KernelPack& pack : packs) {
    std::string name = pack.spec.name;
    known_.emplace(std::move(name), std::make_unique<const KernelPack>(std::move(pack)));
  }
}

const KernelPack& KernelTable::find(std::string_view name) const {
  const std::lock_guard lock(mutex_);
  if (const auto place = known_.find(name); place != known_.end()) return *place->second;
  std::vector<std::string> names;
  for (const auto& [known, pack] : known_) names.push_back(known);
  throw UsageError(
      fmt::format("unknown kernel `{}`{} (a dispatcher knows what was added to it: gpu.add(...); the "
                  "built-in kernels are in attune/builtin.hpp)",
                  name, suggestion(name, names)));
}

std::vector<const KernelPack*> KernelTable::all() const {
  const std::lock_guard lock(mutex_);
  std::vector<const KernelPack*> packs;
  for (const auto& [name, pack] : known_) packs.push_back(pack.get());
  return packs;
}

std::vector<std::string> KernelTable::names() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> names;
  for (const auto& [name, pack] : known_) names.push_back(name);
  return names;
}

}  // namespace attune
