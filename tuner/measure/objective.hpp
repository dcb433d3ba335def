// Objectives: the formulas to minimise: "time" by default, "energy", "time * energy", "registers". Several stand with
// commas between. Immutable; safe to use from any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "attune/expression.hpp"

namespace attune {

// The names in an objective, for one configuration. They are `time`, `energy`, `power` (energy over time), `registers`,
// `shared`, `bytes`, `flops` and device properties.
struct ObjectiveFacts {
  double time_ns = 0;
  std::optional<double> energy_j;      // of one launch
  std::int64_t registers = 0;          // per thread
  std::int64_t shared_bytes = 0;       // per block, static and dynamic
  std::optional<double> bytes, flops;  // of [metrics], for the problem
  const DeviceInfo* device = nullptr;  // outlives the call
};

class Objectives {
 public:
  // Throws UsageError for text that is no formula, or uses another name.
  explicit Objectives(std::string_view text = "time");

  // Returns the canonical text, a part of a record's key: the formulas as written, trimmed, ", " between them.
  const std::string& text() const noexcept { return text_; }
  std::size_t size() const noexcept { return formulas_.size(); }
  const std::string& name(std::size_t which) const { return formulas_[which].text(); }
  // Returns whether the time is the only objective.
  bool is_time() const noexcept { return text_ == "time"; }
  bool needs_energy(std::size_t which) const;
  bool needs_energy() const;
  // Returns the `bytes` or `flops` that it uses and the kernel lacks; "" when there are none.
  std::string missing_metric(bool has_bytes, bool has_flops) const;

  // Throws Error when the value does not exist or is not greater than 0: objectives are compared by ratios.
  double value(std::size_t which, const ObjectiveFacts& facts) const;

 private:
  std::vector<Expression> formulas_;
  std::string text_;
};

// Returns which are on the front: no other one is as good in all and better in one. values[c][objective]; less is
// better.
std::vector<bool> pareto_front(const std::vector<std::vector<double>>& values);

}  // namespace attune
