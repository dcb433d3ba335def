// Strategy: proposes configurations and sees trials (ask / tell). One thread. Deterministic: the same space, seed and
// order of trials give the same proposals. Trials may come back late and in any order.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "attune/search_space.hpp"
#include "core/trial.hpp"

namespace attune {

class Strategy {
 public:
  virtual ~Strategy() = default;
  // The next configuration to try, legal and never proposed before; nothing when none is left, or none can be
  // proposed before more trials have been told.
  virtual std::optional<Configuration> ask() = 0;
  // The outcome of a configuration, proposed by this strategy or known from elsewhere (then it will not be proposed).
  virtual void tell(const Trial& trial) = 0;
};

struct StrategyEntry {
  std::string_view name;
  std::string_view summary;
  std::unique_ptr<Strategy> (*make)(const SearchSpace& space, std::uint64_t seed);  // `space` must outlive it
};

// Every strategy, the registration.
std::span<const StrategyEntry> strategies() noexcept;
// Throws UsageError with the nearest known name.
const StrategyEntry& strategy_named(std::string_view name);

}  // namespace attune
