#include "advice/advice.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "advice/advice_parts.hpp"

namespace attune {
namespace {

// Kernels that only copy reach nine tenths of their ceiling and more; from eight tenths on, work on anything but what
// limits gains less than noise and luck do.
constexpr double near_ceiling = 0.8;
// Below half of every ceiling no unit of the device is busy most of the time.
constexpr double far_from_ceilings = 0.5;
// A launch that does nothing takes the ceiling `launch`; up to twice that, most of the time is not the kernel's.
constexpr double launches_of_nothing = 2;

}  // namespace

std::vector<Advice> advice_on(const AdviceFacts& facts) {
  std::vector<Advice> list;
  if (facts.best == nullptr) return list;
  if (multiprocessor_limits(facts.device))
    for (const auto advise : {advise_limiter, advise_spills, advise_tail, advise_blocks, advise_bytes_in_flight,
                              advise_occupancy, advise_bank_stride})
      advise(facts, list);
  advise_leading_parameter(facts, list);
  return list;
}

void advise_limiter(const AdviceFacts& facts, std::vector<Advice>& list) {
  const double time = facts.best->measurement.median_ns;
  if (const Ceiling* const launch = ceiling_named(facts.ceilings, facts.best->batch > 1 ? "launch in batch" : "launch");
      launch != nullptr && time <= launches_of_nothing * launch->value) {
    list.push_back(
        {"limiter", "launching limits: more work per launch gains, or a graph of launches; other code hardly does",
         fmt::format("at most {:g} times a launch that does nothing", launches_of_nothing),
         fmt::format("it takes {:.2f} us, a launch that does nothing {:.2f} us", time * 1e-3, launch->value * 1e-3)});
    return;
  }
  if (!facts.bound) return;
  const double fraction = facts.bound->fraction;
  const std::string unit = facts.bound->ceiling.starts_with("fma") ? "arithmetic" : "memory";
  const std::string evidence =
      fmt::format("it reaches {:.0f} % of the measured {} ceiling", 100 * fraction, facts.bound->ceiling);
  if (fraction >= near_ceiling)
    list.push_back(
        {"limiter",
         fmt::format("{} limits: {} gains, other code at most {:.2f}x", unit,
                     unit == "memory" ? "moving fewer bytes" : "doing fewer operations", std::max(1.0, 1 / fraction)),
         fmt::format("{:.0f} % of a measured ceiling", 100 * near_ceiling), evidence});
  else if (fraction < far_from_ceilings)
    list.push_back({"limiter",
                    "none of the ceilings that [metrics] name is near: threads wait, or something else limits, such as "
                    "shared memory; more independent work per thread, or more threads, may gain",
                    fmt::format("less than {:.0f} % of the nearest of these ceilings", 100 * far_from_ceilings),
                    evidence});
}

void advise_spills(const AdviceFacts& facts, std::vector<Advice>& list) {
  const Trial& best = *facts.best;
  if (best.usage.spill_bytes == 0) return;
  const Trial* without = nullptr;
  for (const Trial& trial : facts.trials)
    if (trial.verdict == Verdict::ok && trial.usage.spill_bytes == 0 &&
        (without == nullptr || trial.measurement.median_ns < without->measurement.median_ns))
      without = &trial;
  std::string evidence =
      fmt::format("{} bytes per thread, at {} registers", best.usage.spill_bytes, best.usage.registers);
  evidence += without == nullptr ? "; every configuration of this session spills"
                                 : fmt::format("; the fastest that does not takes {:.2f} times as long",
                                               without->measurement.median_ns / best.measurement.median_ns);
  list.push_back({"spills",
                  "registers are spilled to memory: fewer values per thread, smaller blocks, or values of "
                  "__launch_bounds__ that leave more registers may gain",
                  "any spilled byte", std::move(evidence)});
}

}  // namespace attune
