// What the trials say about the kernel, each piece with its threshold and its evidence.
#include <fmt/format.h>

#include "advice/advice.hpp"
#include "kernel/roofline.hpp"
#include "report/device_use.hpp"
#include "report/report_sections.hpp"

namespace attune::cli {

AdviceFacts advice_facts_of(const ReportData& data) {
  AdviceFacts facts;
  if (data.device)
    facts.device = *data.device;
  else
    facts.device.kind = "replay";  // of whose limits nothing is known
  facts.trials = data.trials;
  facts.best = data.best();
  facts.ceilings = data.ceilings;
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
    section.facts.push_back(
        {one.about, fmt::format("{}. Evidence: {}. Named from: {}.", one.text, one.evidence, one.threshold)});
  return section;
}

}  // namespace attune::cli
