// What the trials say about the kernel, each piece with its threshold and its evidence.
#include <fmt/format.h>

#include "advice/advice.hpp"
#include "kernel/nearness.hpp"
#include "kernel/roofline.hpp"
#include "report/device_use.hpp"
#include "report/report_sections.hpp"

namespace attune::cli {

AdviceFacts advice_facts_of(const ReportData& data, const Trial* best) {
  AdviceFacts facts;
  facts.device.kind = std::string(kind_of(data.session.key.record.device_class));
  if (data.device) facts.device = *data.device;
  facts.trials = data.trials;
  facts.best = best;
  facts.ceilings = data.ceilings;
  if (data.importance) facts.importance = &*data.importance;
  if (!data.spec || best == nullptr) return facts;
  const Problem& problem = data.session.key.record.problem;
  facts.has_verify_steps = !data.spec->verify.empty();
  facts.memory = memory_ceiling(*data.spec, problem);
  facts.bytes = amount_of(data.spec->metrics.bytes, problem, best->configuration);
  if (facts.device.kind == "cuda")
    facts.bound = bound_of(*data.spec, problem, best->configuration, best->measurement.median_ns, data.ceilings);
  return facts;
}

ReportSection advice_section(const ReportData& data) {
  ReportSection section{.id = "advice", .heading = "What the trials say"};
  if (data.best() == nullptr) return section;
  for (const Advice& one : advice_on(advice_facts_of(data, data.best())))
    section.facts.push_back(
        {one.about, fmt::format("{}. Evidence: {}. Named from: {}.", one.text, one.evidence, one.threshold)});
  return section;
}

}  // namespace attune::cli
