#include "dispatch/survey.hpp"

#include <algorithm>

namespace attune {

Survey::OfModule& Survey::of(const std::shared_ptr<Module>& module) {
  OfModule& of = modules_[module.get()];
  of.module = module;
  return of;
}

void Survey::add(const std::shared_ptr<Module>& module) { ++of(module).owners; }

void Survey::add(const std::shared_ptr<const PlanParts>& parts, Epoch used) {
  const std::shared_ptr<Module>& module = parts->steps->module();
  if (module == nullptr) return;
  OfModule& code = of(module);
  code.used = std::max(code.used, used);
  OfParts& known = parts_[parts.get()];
  if (known.owners++ == 0) {
    known.parts = parts;
    known.module = module.get();
    ++code.owners;  // its steps
  }
}

std::vector<std::shared_ptr<Module>> Survey::unused(const Holdings& holdings, std::uint64_t bytes) const {
  std::unordered_set<const Module*> shared;
  for (const auto& [address, parts] : parts_)
    if (parts.parts.use_count() > parts.owners) shared.insert(parts.module);
  struct DropCandidate {
    std::shared_ptr<Module> module;
    Epoch used;
    std::uint64_t bytes;
  };
  std::vector<DropCandidate> found;
  for (const auto& [address, code] : modules_) {
    const bool is_shared = code.module.use_count() > code.owners || shared.contains(address);
    std::shared_ptr<Module> module = code.module.lock();
    if (module == nullptr || is_shared) continue;
    const Holdings::Code held = holdings.code(*module);
    const Epoch used = std::max(code.used, held.used);
    if (is_unused(used, holdings.epoch())) found.push_back({std::move(module), used, held.bytes});
  }
  std::ranges::sort(found, {}, &DropCandidate::used);
  std::vector<std::shared_ptr<Module>> unused;
  std::uint64_t sum = 0;
  for (DropCandidate& one : found) {
    if (sum >= bytes) break;
    sum += one.bytes;
    unused.push_back(std::move(one.module));
  }
  return unused;
}

}  // namespace attune
