// What the search saw: all trials, its progress, its cost, what was rejected, and the other problems.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>

#include "base/counted.hpp"
#include "configuration_text.hpp"
#include "record_text.hpp"
#include "rejection_text.hpp"
#include "report/report_sections.hpp"
#include "text.hpp"

namespace attune::cli {
namespace {

VerdictCounts verdicts_of(const std::vector<Trial>& trials) {
  VerdictCounts counts;
  for (const Trial& trial : trials) ++counts[trial.verdict];
  return counts;
}

// Returns "1.83x [1.81, 1.85]", or "" where it is not known.
std::string short_gain(const Record& record) {
  if (has_default_failed(record) || record.default_ns <= 0) return "";
  return fmt::format("{:.2f}x [{:.2f}, {:.2f}]", record.speedup, record.speedup_low, record.speedup_high);
}

constexpr std::size_t most_reasons = 20, most_log = 4000;  // rows; bytes of a log

// Why configurations failed: a verdict and a line of the log, with the first trial that failed so.
struct Reason {
  std::string text;
  const Trial* example = nullptr;
  std::size_t count = 0;
};

// Returns the most frequent first.
std::vector<Reason> reasons_of(const std::vector<Trial>& trials) {
  std::map<std::pair<Verdict, std::string>, Reason> found;
  for (const Trial& trial : trials) {
    if (trial.verdict == Verdict::ok) continue;
    const std::string text = reason_of(trial.detail);
    Reason& reason = found[{trial.verdict, text}];
    if (reason.count++ == 0) reason.text = text, reason.example = &trial;
  }
  std::vector<Reason> all;
  for (auto& [unused, reason] : found) all.push_back(std::move(reason));
  std::ranges::stable_sort(all, std::greater(), &Reason::count);
  return all;
}

bool has_survivors(const ReportData& data) { return data.best() != nullptr; }

}  // namespace

ReportSection trials_section(const ReportData& data) {
  ReportSection section{.id = "trials", .heading = "All trials"};
  section.sentences.push_back(
      fmt::format("{}: {}.", counted(data.trials.size(), "trial"), verdicts_text(verdicts_of(data.trials))));
  if (std::ranges::any_of(data.trials, [](const Trial& trial) { return trial.verdict != Verdict::ok; }))
    section.sentences.push_back("A trial that failed has no time. Other axes show it too.");
  section.charts.push_back(trials_chart(data));
  return section;
}

ReportSection progress_section(const ReportData& data) {
  ReportSection section{.id = "progress", .heading = "Best so far"};
  if (!has_survivors(data)) return section;
  section.sentences.push_back(
      "These are times of single trials, as the search saw them. The final comparison alone decides.");
  section.charts = {progress_chart(data, false), progress_chart(data, true)};
  return section;
}

ReportSection timeline_section(const ReportData& data) {
  ReportSection section{.id = "timeline", .heading = "Compilers and device over time"};
  double compiling = 0, launches = 0;
  for (const Trial& trial : data.trials) {
    compiling += 1e-3 * trial.compile_ms;
    for (const double sample : trial.measurement.samples_ns) launches += 1e-9 * sample * trial.batch;
  }
  if (data.seconds.back() <= 0) return section;
  section.sentences.push_back(
      fmt::format("Compilers worked {:.4g} s, timed launches took {:.4g} s, of {:.4g} s of searching.", compiling,
                  launches, data.seconds.back()));
  section.sentences.push_back(
      "A compile counts where its trial had its verdict. Warming up and checking are not shown.");
  section.charts = timeline_charts(data);
  return section;
}

ReportSection rejected_section(const ReportData& data) {
  ReportSection section{.id = "rejected", .heading = "Rejected configurations"};
  const std::vector<Reason> reasons = reasons_of(data.trials);
  if (reasons.empty()) return section;
  section.table.push_back({"verdict, and the reason", "count"});
  std::size_t more = 0;
  for (const Reason& one : reasons) {
    if (section.table.size() > most_reasons) {
      more += one.count;
      continue;
    }
    section.table.push_back({std::string(to_text(one.example->verdict)) + (one.text.empty() ? "" : ": " + one.text),
                             std::to_string(one.count)});
    if (one.example->detail.empty()) continue;
    std::string log = one.example->detail.substr(0, most_log);
    if (log.size() < one.example->detail.size())
      log += fmt::format("\n... {} bytes more", one.example->detail.size() - log.size());
    section.details.push_back(
        {fmt::format("{}: {}", to_text(one.example->verdict), whole_text(one.example->configuration)), std::move(log)});
  }
  if (more > 0) section.table.push_back({"for rarer reasons", std::to_string(more)});
  section.charts.push_back(rejected_chart(data));
  return section;
}

ReportSection records_section(const ReportData& data) {
  ReportSection section{.id = "records", .heading = "Problems and devices"};
  if (data.records.empty()) return section;
  section.table.push_back({"problem, device, configuration", "time", "gain", "found"});
  for (const Record& record : data.records) {
    const RecordKey& key = record.key;
    const std::string where = fmt::format("{}{}{}, {}, {}: {}", key.problem.text(), key.problem.empty() ? "" : " on ",
                                          record.device_name, key.regime, key.objective, record.configuration.text());
    section.table.push_back({where + marks_text(record), time_text(record.median_ns), short_gain(record),
                             utc_text(record.made_ms).substr(0, std::string_view("2026-01-31").size())});
  }
  return section;
}

}  // namespace attune::cli
