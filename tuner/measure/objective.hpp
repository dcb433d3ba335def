// Objectives: the formulas to minimise, for example "time" (the default), "energy", "time * energy" or "registers".
// Commas separate several formulas. Immutable; any thread may read it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "attune/expression.hpp"

namespace attune {

// What the names in an objective stand for, for one configuration. The names are `time`, `energy`, `power` (energy over
// time), `registers`, `shared`, `bytes`, `flops` and device properties.
struct ObjectiveFacts {
  double time_ns = 0;
  std::optional<double> energy_j;      // of one launch
  std::int64_t registers = 0;          // per thread
  std::int64_t shared_bytes = 0;       // per block, static and dynamic
  std::optional<double> bytes, flops;  // of [metrics], for the problem
  const DeviceInfo* device = nullptr;  // must outlive the call
};

class Objectives {
 public:
  // Throws UsageError if a formula is missing or malformed, uses another name, or uses none of them.
  explicit Objectives(std::string_view text = "time");

  // Returns the canonical text, which is part of a record's key: the formulas as written, trimmed, with ", " between
  // them.
  const std::string& text() const noexcept { return text_; }
  std::size_t size() const noexcept { return formulas_.size(); }
  const std::string& name(std::size_t which) const { return formulas_[which].text(); }
  // Returns whether the time is the only objective.
  bool is_time() const noexcept { return text_ == "time"; }
  bool needs_energy(std::size_t which) const;
  bool needs_energy() const;
  // Returns "bytes" or "flops" if a formula uses it and the kernel lacks it, else "".
  std::string missing_metric(bool has_bytes, bool has_flops) const;

  // Returns the value of objective `which`. Throws Error when the value does not exist or is not greater than 0,
  // because objectives are compared by ratios.
  double value(std::size_t which, const ObjectiveFacts& facts) const;

 private:
  std::vector<Expression> formulas_;
  std::string text_;
};

// Returns which configurations are on the Pareto front: no other one is as good in all objectives and better in one.
// values[c][o] is objective o of configuration c; less is better.
std::vector<bool> pareto_front(const std::vector<std::vector<double>>& values);

}  // namespace attune
