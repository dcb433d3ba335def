// Survey: counts who owns each plan and module of a dispatcher, to find modules that only the dispatcher holds. It
// shows the state at one moment. One thread.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "dispatch/holdings.hpp"
#include "dispatch/plan_parts.hpp"

namespace attune {

// Modules that are to be dropped.
using ModuleSet = std::unordered_set<const Module*>;

// Plans and modules that no launch can find any more. They are freed when no launch reads them.
using Garbage = std::vector<std::shared_ptr<const void>>;

// Returns whether the code of these parts is doomed.
inline bool is_of(const PlanParts& parts, const ModuleSet& doomed) {
  return doomed.contains(parts.steps->module().get());
}

class Survey {
 public:
  // Each call counts one owner, which is one shared_ptr of the dispatcher. `used`: the epoch of the last use through
  // this owner; 0: it records none.
  void add(const std::shared_ptr<Module>& module);
  void add(const std::shared_ptr<const PlanParts>& parts, Epoch used);

  // Returns modules that were not used for two epochs and that only the surveyed owners hold, the least recently used
  // first. It stops once their code has `bytes` together.
  std::vector<std::shared_ptr<Module>> unused(const Holdings& holdings, std::uint64_t bytes) const;

 private:
  struct OfModule {
    std::weak_ptr<Module> module;
    long owners = 0;
    Epoch used = 0;
  };
  struct OfParts {
    std::weak_ptr<const PlanParts> parts;
    long owners = 0;
    const Module* module = nullptr;
  };
  OfModule& of(const std::shared_ptr<Module>& module);
  std::unordered_map<const Module*, OfModule> modules_;
  std::unordered_map<const PlanParts*, OfParts> parts_;
};

}  // namespace attune
