// What the trials say: parameters, finalists, and what the device allows.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/counted.hpp"
#include "configuration_text.hpp"
#include "rates.hpp"
#include "report/device_use.hpp"
#include "report/report_sections.hpp"
#include "text.hpp"

namespace attune::cli {
namespace {

std::string counts_text(const ParameterImportance& parameter) {
  std::string text;
  for (const ValueCount& one : parameter.counts)
    text += fmt::format("{}{} of {}", text.empty() ? "" : ", ", one.trials, one.value.text());
  return text;
}

// Returns "75 % (6 blocks of 256 threads), limited by registers; ... 40 registers, 64 shared bytes; blocks that fit by
// threads 8, blocks 32, registers 6, shared memory 202".
std::string occupancy_line(const ReportData& data, const Trial& trial) {
  const BlockUse use = *block_use_of(data, trial);
  const Occupancy occupancy = attune::occupancy_of(use, *data.limits);
  std::string text = fmt::format("{}. {} registers, {} bytes of shared memory. Blocks that fit by",
                                 occupancy_text(use, *data.limits), use.registers, use.shared_bytes);
  for (const Limiter limiter : {Limiter::threads, Limiter::blocks, Limiter::registers, Limiter::shared})
    if (occupancy.by(limiter) != std::numeric_limits<int>::max())
      text += fmt::format("{} {} {}", limiter == Limiter::threads ? "" : ",", to_text(limiter), occupancy.by(limiter));
  return text + ".";
}

}  // namespace

ReportSection ranks_section(const ReportData& data) {
  ReportSection section{.id = "ranks", .heading = "Pairs of parameters"};
  section.charts = rank_charts(data);
  if (!section.charts.empty())
    section.sentences.push_back(
        "A cell has the median rank of its trials by time: 0 % is the fastest, 100 % the slowest. Where a cell is "
        "missing, "
        "nothing was tried.");
  return section;
}

ReportSection importance_section(const ReportData& data) {
  ReportSection section{.id = "importance", .heading = "Which parameters matter"};
  if (!data.importance) return section;
  const Importance& importance = *data.importance;
  section.sentences.push_back(
      fmt::format("A model of {} gives the times of {} drawn uniformly{}. So what the search preferred does not count.",
                  counted(importance.trials, "trial"), counted(importance.sampled, "configuration"),
                  data.legal ? " from the space" : " from the trials: the kernel's text is not at hand"));
  section.sentences.push_back(fmt::format("The model explains {:.0f} % of the variance of trials that it did not see.",
                                          100 * importance.explained));
  constexpr double least_trusted = 0.5;
  if (importance.explained < least_trusted)
    section.sentences.push_back("That is too little to trust the shares below.");
  section.table.push_back({"parameter, and trials by value", "importance"});
  for (const ParameterImportance& one : importance.parameters)
    section.table.push_back({one.parameter + ": " + counts_text(one), fmt::format("{:.1f} %", 100 * one.share)});
  section.charts.push_back(importance_chart(importance));
  return section;
}

ReportSection finalists_section(const ReportData& data) {
  ReportSection section{.id = "finalists", .heading = "Finalists"};
  const FinalistResult* const best = best_finalist(data);
  if (best == nullptr) return section;
  section.sentences.push_back(
      "All finalists were launched in turns, in random order. An interval has 95 %; around 1 it tells no difference.");
  if (data.record->key.objective != "time")
    section.sentences.push_back("Ratios are of the time, and the objective is another.");
  section.table.push_back(
      {"finalist, by what differs from the best", "time", "over the best's", "registers", "shared"});
  std::size_t number = 0;
  for (const FinalistResult& finalist : data.finalists) {
    const auto ratio = ratio_to(finalist, *best);
    const std::string over = &finalist == best ? "1"
                             : ratio ? fmt::format("{:.3f} [{:.3f}, {:.3f}]{}", ratio->ratio, ratio->low, ratio->high,
                                                   is_tied(*ratio) ? ", tied" : "")
                                     : "left early";
    section.table.push_back(
        {fmt::format("{}: {}", ++number, difference_text(finalist.configuration, best->configuration, "the best")),
         time_text(finalist.measurement.median_ns), over,
         finalist.registers == 0 ? "" : std::to_string(finalist.registers),
         finalist.shared_bytes == 0 ? "" : std::to_string(finalist.shared_bytes)});
  }
  section.charts.push_back(finalists_chart(data));
  return section;
}

ReportSection roofline_section(const ReportData& data) {
  ReportSection section{.id = "roofline", .heading = "Roofline"};
  const auto roofline = roofline_of(data);
  if (!roofline) return section;
  for (const Ceiling* const ceiling : {roofline->bytes, roofline->operations})
    if (ceiling != nullptr)
      section.sentences.push_back(
          fmt::format("The measured {} ceiling is {}.", ceiling->name, quantity_text(ceiling->value, ceiling->unit)));
  if (!roofline->has_intensity())
    section.sentences.push_back(
        "The other ceiling, or the line of [metrics] for it, is missing: so there is no place under a roof.");
  section.charts.push_back(roofline_chart(data));
  return section;
}

ReportSection occupancy_section(const ReportData& data) {
  ReportSection section{.id = "occupancy", .heading = "Occupancy"};
  const Trial *const best = data.best(), *const by_default = data.find(data.default_configuration);
  if (best == nullptr || !occupancy_of(data, *best)) return section;
  if (by_default != nullptr && by_default != best && block_use_of(data, *by_default))
    section.facts.push_back({"default", occupancy_line(data, *by_default)});
  section.facts.push_back({"best", occupancy_line(data, *best)});
  section.charts.push_back(occupancy_chart(data));
  return section;
}

std::vector<ReportSection> sections_of(const ReportData& data) {
  std::vector<ReportSection> all;
  for (const auto make : {verdict_section, trials_section, progress_section, ranks_section, importance_section,
                          finalists_section, roofline_section, occupancy_section, advice_section, timeline_section,
                          rejected_section, records_section, next_section}) {
    ReportSection section = make(data);
    if (!section.facts.empty() || !section.sentences.empty() || !section.table.empty() || !section.charts.empty())
      all.push_back(std::move(section));
  }
  return all;
}

}  // namespace attune::cli
