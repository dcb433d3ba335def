// Counters: what NVIDIA's profiler has counted in one launch, and what these counters say. Pure; any thread.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "advice/advice.hpp"

namespace attune {

struct Counters {
  std::string kernel, device;            // as the profiler names them; "": not said
  std::map<std::string, double> values;  // by metric, without prefixes of units: bytes, not Kbyte
  std::vector<std::string> missing;      // of counter_metrics(), in their order: absent, or `n/a`

  std::optional<double> find(const std::string& metric) const;
};

struct CounterMetric {
  std::string_view name;   // as `ncu --metrics` takes it
  std::string_view label;  // for tables
};
// Returns the metrics that are worth counting: those that findings_in() reads, and a few more.
std::span<const CounterMetric> counter_metrics();

// Returns the counters of the first launch in the output of `ncu --csv --page raw`: lines of the profiler and of the
// program, a row of names, a row of units, a row for each launch. Throws UsageError that says what `file` lacks.
Counters read_counters(std::string_view text, const std::string& file);

// Returns what is wrong by these counters: "bank conflicts", "uncoalesced", "spills", "tail", "divergence".
std::vector<Advice> findings_in(const Counters& counters);

}  // namespace attune
