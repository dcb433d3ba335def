// The charts of a report, as Vega-Lite specifications with their data. No axis is drawn by hand. Pure.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "report/page.hpp"
#include "report/report_data.hpp"

namespace attune::cli {

using Json = nlohmann::ordered_json;

// The name of the data that several charts share: a row for each trial.
inline constexpr std::string_view trials_dataset = "trials";

// Returns the rows of all trials. A row has `n` (1, 2, ... in the order of verdicts), `s` (seconds of searching), `t`
// (time in the unit of shown_unit(); missing unless ok), `v` (verdict), `g` (gain over the default), `k` (seconds of
// compiling), `b` (threads per block), `r` (registers), `m` (shared bytes), `l` (spilled bytes), `o` (occupancy in
// percent), and the parameters as `p0`, `p1`, ...
Json trial_rows(const ReportData& data);
// Returns the columns that a reader may choose as axes, as colours and for filters.
std::vector<ChartField> trial_fields(const ReportData& data);

// The unit in which all times of a report's charts are: "us".
struct TimeUnit {
  double nanoseconds = 1;
  std::string name;
};
TimeUnit shown_unit(const ReportData& data);

// Returns an encoding of a column of numbers, from least to greatest value and not from 0, or of names.
Json number(std::string_view column, std::string_view title);
Json logarithm(std::string_view column, std::string_view title);
Json name_of(std::string_view column, std::string_view title);
// Returns the encoding with further properties: {"aggregate": "mean"}.
Json with(Json encoding, const Json& more);
// Returns a specification over the trials, or over rows of its own, as wide as its place.
Json over_trials(Json mark, Json encoding, int height = 260);
Json over_rows(Json rows, Json mark, Json encoding, int height = 260);

Chart made_chart(std::string id, std::string title, Json spec);

Chart trials_chart(const ReportData& data);
Chart progress_chart(const ReportData& data, bool over_seconds);
// Returns the pairs of the parameters that matter most, three at most.
std::vector<Chart> rank_charts(const ReportData& data);
Chart importance_chart(const Importance& importance);
Chart finalists_chart(const ReportData& data);
Chart roofline_chart(const ReportData& data);
Chart occupancy_chart(const ReportData& data);
// Returns how many compilers, and how many devices in timed launches, worked at once.
std::vector<Chart> timeline_charts(const ReportData& data);
Chart rejected_chart(const ReportData& data);

}  // namespace attune::cli
