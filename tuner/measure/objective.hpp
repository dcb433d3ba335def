// Objectives: what is minimised. The time of a launch, unless somebody says otherwise: "energy", "time * energy",
// "registers", or several, with commas between. Immutable; safe to use from any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "attune/expression.hpp"

namespace attune {

// What an objective may name, of one configuration: `time`, `energy`, `power` (energy over time), `registers`,
// `shared`, `bytes` and `flops`, and device properties.
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
  // Throws UsageError for what is no formula, or names something else.
  explicit Objectives(std::string_view text = "time");

  // Canonical: the formulas as they were written, without blanks around them, ", " in between. Part of a record's key.
  const std::string& text() const noexcept { return text_; }
  std::size_t size() const noexcept { return formulas_.size(); }
  const std::string& name(std::size_t which) const { return formulas_[which].text(); }
  // Nothing but the time.
  bool is_time() const noexcept { return text_ == "time"; }
  bool needs_energy(std::size_t which) const;
  bool needs_energy() const;
  // The `bytes` or `flops` that it names and the kernel does not have; "" when there are none.
  std::string missing_metric(bool has_bytes, bool has_flops) const;

  // Throws Error when it does not exist, or is not greater than 0: what is minimised is compared by ratios.
  double value(std::size_t which, const ObjectiveFacts& facts) const;

 private:
  std::vector<Expression> formulas_;
  std::string text_;
};

// Which are on the front: none of the others is as good in all and better in one. values[c][objective]; less is better.
std::vector<bool> pareto_front(const std::vector<std::vector<double>>& values);

}  // namespace attune
