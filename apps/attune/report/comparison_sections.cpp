#include "report/comparison_sections.hpp"

#include <fmt/format.h>

#include <map>
#include <tuple>

#include "record_text.hpp"
#include "text.hpp"

namespace attune::cli {
namespace {

// What records of two sides have in common: problem, regime and objective.
using CommonKey = std::tuple<std::string, std::string, std::string>;
struct Pair {
  std::vector<const Record*> first, second;
};
using Pairs = std::map<CommonKey, Pair>;

std::string quartiles_text(const Record& record) {
  return record.q1_ns > 0 ? time_text(record.median_ns, record.q1_ns, record.q3_ns) : time_text(record.median_ns);
}

std::string verdict_text(const Record& first, const Record& second, const ComparedSide& a, const ComparedSide& b) {
  if (first.q1_ns <= 0 || second.q1_ns <= 0) return "not known: no quartiles";
  if (first.q3_ns < second.q1_ns) return a.name + " is faster";
  if (second.q3_ns < first.q1_ns) return b.name + " is faster";
  return "no clear difference";
}

// Returns the record of the other side to compare with: of the same class of devices, or the only one of each side.
const Record* partner_of(const Record& record, const std::vector<const Record*>& own,
                         const std::vector<const Record*>& other) {
  for (const Record* const one : other)
    if (one->key.device_class == record.key.device_class) return one;
  return own.size() == 1 && other.size() == 1 ? other.front() : nullptr;
}

void add_rows(ReportSection& section, const CommonKey& key, const Pair& pair, const ComparedSide& a,
              const ComparedSide& b, Json& points) {
  for (const Record* const first : pair.first) {
    const Record* const second = partner_of(*first, pair.first, pair.second);
    if (second == nullptr) continue;
    const double ratio = first->median_ns / second->median_ns;
    const std::string devices = first->device_name == second->device_name
                                    ? first->device_name
                                    : first->device_name + " / " + second->device_name;
    const std::string configurations = first->configuration == second->configuration
                                           ? first->configuration.text()
                                           : first->configuration.text() + " / " + second->configuration.text();
    const bool is_same_text = first->key.code == second->key.code && first->key.contract == second->key.contract;
    section.table.push_back(
        {fmt::format("{}: {}: {} on {}, {}, {}: {}{}{}{}", section.table.size(), verdict_text(*first, *second, a, b),
                     std::get<0>(key), devices, std::get<1>(key), std::get<2>(key), configurations,
                     is_same_text ? "" : "; of different texts of the kernel", marks_text(*first), marks_text(*second)),
         quartiles_text(*first), quartiles_text(*second), fmt::format("{:.3f}", ratio)});
    points.push_back(
        {{"row", std::to_string(section.table.size() - 1)}, {"problem", std::get<0>(key)}, {"ratio", ratio}});
  }
}

void add_alone(ReportSection& alone, const std::string& kernel, const CommonKey& key,
               const std::vector<const Record*>& own, const std::vector<const Record*>& other,
               const std::string& side) {
  for (const Record* const record : own)
    if (partner_of(*record, own, other) == nullptr)
      alone.table.push_back({fmt::format("{} {} on {}, {}, {}", kernel, std::get<0>(key), record->device_name,
                                         std::get<1>(key), std::get<2>(key)),
                             side});
}

ReportSection kernel_section(const std::string& kernel, const Pairs& pairs, const ComparedSide& a,
                             const ComparedSide& b, std::size_t number) {
  ReportSection section{.id = "compared-" + std::to_string(number), .heading = kernel};
  section.table.push_back({"verdict, problem, device, configuration", a.name, b.name, "ratio"});
  Json points = Json::array();
  for (const auto& [key, pair] : pairs)
    if (!pair.first.empty() && !pair.second.empty()) add_rows(section, key, pair, a, b, points);
  if (section.table.size() == 1) return {};
  const int height = 30 + 22 * static_cast<int>(points.size());
  Chart chart = made_chart(section.id, kernel, {});
  chart.spec = over_rows(std::move(points),
                         {{"type", "point"}, {"filled", true}, {"size", 60}, {"tooltip", {{"content", "data"}}}},
                         {{"y", with(name_of("row", "row of the table"), {{"sort", nullptr}})},
                          {"x", logarithm("ratio", "time of " + a.name + " over time of " + b.name)}},
                         height);
  section.charts.push_back(std::move(chart));
  section.sentences.push_back(
      "Times are medians with quartiles, of runs that were not made in turns. A difference counts only where the "
      "quartiles do not overlap.");
  return section;
}

}  // namespace

std::vector<ReportSection> compared_sections(const ComparedSide& first, const ComparedSide& second) {
  std::map<std::string, Pairs> kernels;
  const auto sort = [&](const ComparedSide& side, std::vector<const Record*> Pair::*member) {
    for (const Record& record : side.records)
      (kernels[record.key.kernel][{record.key.problem.text(), record.key.regime, record.key.objective}].*member)
          .push_back(&record);
  };
  sort(first, &Pair::first);
  sort(second, &Pair::second);
  std::vector<ReportSection> sections;
  ReportSection alone{.id = "alone", .heading = "On one side only"};
  alone.table.push_back({"record", "side"});
  for (const auto& [kernel, pairs] : kernels) {
    ReportSection section = kernel_section(kernel, pairs, first, second, sections.size());
    if (!section.table.empty()) sections.push_back(std::move(section));
    for (const auto& [key, pair] : pairs) {
      add_alone(alone, kernel, key, pair.first, pair.second, first.name);
      add_alone(alone, kernel, key, pair.second, pair.first, second.name);
    }
  }
  if (alone.table.size() > 1) sections.push_back(std::move(alone));
  return sections;
}

}  // namespace attune::cli
