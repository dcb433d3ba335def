// Charts of what the search saw, in which order, and what it cost.
#include <algorithm>
#include <array>
#include <cmath>

#include "report/charts.hpp"
#include "session/rejections.hpp"

namespace attune::cli {
namespace {

constexpr std::size_t timeline_bins = 60;

double shown_seconds(double seconds) { return std::round(seconds * 1e4) / 1e4; }

Json best_so_far(const ReportData& data, const TimeUnit& unit) {
  Json rows = Json::array();
  double best = 0;
  for (std::size_t i = 0; i < data.trials.size(); ++i) {
    const Trial& trial = data.trials[i];
    const bool is_last = i + 1 == data.trials.size();
    const bool is_better = trial.verdict == Verdict::ok && (best == 0 || trial.measurement.median_ns < best);
    if (is_better) best = trial.measurement.median_ns;
    if (best > 0 && (is_better || is_last))
      rows.push_back({{"n", i + 1}, {"s", shown_seconds(data.seconds[i])}, {"t", best / unit.nanoseconds}});
  }
  return rows;
}

// Seconds that compilers and the device's timed launches worked, by part of the search.
struct Work {
  std::array<double, timeline_bins> compilers{}, launches{};
  double bin_seconds = 1;
};

Work work_of(const ReportData& data) {
  Work work;
  work.bin_seconds = std::max(data.seconds.back(), 1e-3) / timeline_bins;
  for (std::size_t i = 0; i < data.trials.size(); ++i) {
    const Trial& trial = data.trials[i];
    const auto bin = std::min(static_cast<std::size_t>(data.seconds[i] / work.bin_seconds), timeline_bins - 1);
    work.compilers[bin] += 1e-3 * trial.compile_ms;
    for (const double sample : trial.measurement.samples_ns) work.launches[bin] += 1e-9 * sample * trial.batch;
  }
  return work;
}

// Returns the colour that tells most: the verdict where some failed, else the parameter that matters most.
Json telling_color(const ReportData& data) {
  const bool has_failures =
      std::ranges::any_of(data.trials, [](const Trial& one) { return one.verdict != Verdict::ok; });
  if (has_failures || !data.importance || data.importance->parameters.empty()) return name_of("v", "verdict");
  const std::string& first = data.importance->parameters.front().parameter;
  std::size_t position = 0;
  constexpr std::size_t most_colours = 20;
  if (data.importance->parameters.front().counts.size() > most_colours) return name_of("v", "verdict");
  for (const Binding& one : data.trials.front().configuration) {
    if (one.name == first) return name_of("p" + std::to_string(position), first);
    ++position;
  }
  return name_of("v", "verdict");
}

// Names all columns, which are called p0, p1, ... in the rows.
Json tooltip_of(const std::vector<ChartField>& fields) {
  Json all = Json::array();
  for (const ChartField& field : fields)
    all.push_back(
        {{"field", field.name}, {"title", field.title}, {"type", field.is_number ? "quantitative" : "nominal"}});
  return all;
}

}  // namespace

Chart trials_chart(const ReportData& data) {
  const TimeUnit unit = shown_unit(data);
  Json encoding = {{"x", number("n", "trial")},
                   {"y", logarithm("t", "time (" + unit.name + ")")},
                   {"color", telling_color(data)},
                   {"tooltip", tooltip_of(trial_fields(data))}};
  Chart chart = made_chart("trials", "Trials", {});
  chart.spec =
      over_trials({{"type", "point"}, {"filled", true}, {"opacity", 0.6}, {"size", 22}}, std::move(encoding), 340);
  chart.fields = trial_fields(data);
  return chart;
}

Chart progress_chart(const ReportData& data, bool over_seconds) {
  const TimeUnit unit = shown_unit(data);
  const std::string title = over_seconds ? "seconds of searching" : "trials";
  Json encoding = {{"x", number(over_seconds ? "s" : "n", title)},
                   {"y", logarithm("t", "best so far (" + unit.name + ")")}};
  return made_chart(over_seconds ? "progress-seconds" : "progress-trials", "Best so far over " + title,
                    over_rows(best_so_far(data, unit),
                              {{"type", "line"}, {"interpolate", "step-after"}, {"point", true}, {"tooltip", true}},
                              std::move(encoding), 220));
}

std::vector<Chart> timeline_charts(const ReportData& data) {
  const Work work = work_of(data);
  const auto chart = [&](const char* id, const char* title, const std::array<double, timeline_bins>& seconds) {
    Json rows = Json::array();
    for (std::size_t i = 0; i < timeline_bins; ++i)
      if (seconds[i] > 0)
        rows.push_back({{"from", shown_seconds(static_cast<double>(i) * work.bin_seconds)},
                        {"to", shown_seconds(static_cast<double>(i + 1) * work.bin_seconds)},
                        {"work", shown_seconds(seconds[i] / work.bin_seconds)}});
    Json encoding = {{"x", with(number("from", "seconds of searching"), {{"bin", {{"binned", true}}}})},
                     {"x2", {{"field", "to"}}},
                     {"y", {{"field", "work"}, {"type", "quantitative"}, {"title", "busy at once"}}}};
    return made_chart(id, title,
                      over_rows(std::move(rows), {{"type", "bar"}, {"tooltip", true}}, std::move(encoding), 110));
  };
  std::vector<Chart> charts = {chart("timeline-compilers", "Compilers", work.compilers),
                               chart("timeline-device", "Timed launches on the device", work.launches)};
  std::erase_if(charts, [](const Chart& one) { return one.spec.at("data").at("values").empty(); });
  return charts;
}

Chart rejected_chart(const ReportData& data) {
  Rejections rejections;
  for (const Trial& trial : data.trials) rejections.see(trial);
  Json rows = Json::array();
  for (const Rejection& one : rejections.list()) rows.push_back({{"v", to_text(one.verdict)}, {"count", one.count}});
  const int height = 30 + 26 * static_cast<int>(rows.size());
  Json encoding = {
      {"y", with(name_of("v", "verdict"), {{"sort", nullptr}})},
      {"x", with(number("count", "configurations"), {{"scale", {{"zero", true}}}, {"axis", {{"tickMinStep", 1}}}})}};
  return made_chart("rejected", "Rejected, by verdict",
                    over_rows(std::move(rows), {{"type", "bar"}, {"tooltip", true}}, std::move(encoding), height));
}

}  // namespace attune::cli
