// What the trials say about the kernel, each piece with its threshold and its evidence.
#include "advice/advice.hpp"

#include <fmt/format.h>

#include "kernel/roofline.hpp"
#include "report/device_use.hpp"
#include "report/report_sections.hpp"

namespace attune::cli {

AdviceFacts advice_facts_of(const ReportData& data) {
  AdviceFacts facts{.device = data.device.value_or(DeviceInfo{.kind = "replay"}),
                    .trials = data.trials,
                    .best = data.best(),
                    .ceilings = data.ceilings};
  const Problem& problem = data.session.key.record.problem;
  if (data.spec && facts.best != nullptr) {
    const Configuration& best = facts.best->configuration;
    const double time = data.record ? data.record->median_ns : facts.best->measurement.median_ns;
    facts.bound = bound_of(*data.spec, problem, best, time, data.ceilings);
    facts.bytes = amount_of(data.spec->metrics.bytes, problem, best);
    facts.memory = memory_ceiling(*data.spec, problem);
  }
  if (data.importance && !data.importance->parameters.empty()) {
    const ParameterImportance& first = data.importance->parameters.front();
    facts.leading = {first.parameter, first.share, data.importance->explained, data.importance->trials};
  }
  return facts;
}

ReportSection advice_section(const ReportData& data) {
  ReportSection section{.id = "advice", .heading = "What the trials say"};
  if (data.best() == nullptr) return section;
  for (const Advice& one : advice_on(advice_facts_of(data)))
    section.facts.push_back({one.about, fmt::format("{} {} (said {})", one.text, one.evidence, one.threshold)});
  return section;
}

}  // namespace attune::cli
