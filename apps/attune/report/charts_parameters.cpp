// Charts of parameters: which matter, and which pairs of values are good.
#include <algorithm>
#include <map>

#include "measure/statistics.hpp"
#include "report/charts.hpp"

namespace attune::cli {
namespace {

constexpr std::size_t most_paired = 3;  // parameters

// Returns the rank of each trial among those that survived, 0 (fastest) to 100; nothing for the others.
std::vector<std::optional<double>> ranks_of(const std::vector<Trial>& trials) {
  std::vector<double> times;
  for (const Trial& trial : trials)
    if (trial.verdict == Verdict::ok) times.push_back(trial.measurement.median_ns);
  std::ranges::sort(times);
  std::vector<std::optional<double>> ranks;
  for (const Trial& trial : trials) {
    std::optional<double>& rank = ranks.emplace_back();
    if (trial.verdict != Verdict::ok || times.size() < 2) continue;
    const auto below = std::ranges::lower_bound(times, trial.measurement.median_ns) - times.begin();
    rank = 100.0 * static_cast<double>(below) / static_cast<double>(times.size() - 1);
  }
  return ranks;
}

struct Cell {
  const Value *x = nullptr, *y = nullptr;
  std::vector<double> ranks;
};

Json text_or_number(const Value& value) { return value.is_integer() ? Json(value.integer()) : Json(value.text()); }

Json cells_of(const ReportData& data, const std::string& x, const std::string& y) {
  const std::vector<std::optional<double>> ranks = ranks_of(data.trials);
  std::map<std::string, Cell> cells;
  for (std::size_t i = 0; i < data.trials.size(); ++i) {
    const Value *const a = data.trials[i].configuration.find(x), *const b = data.trials[i].configuration.find(y);
    if (!ranks[i] || a == nullptr || b == nullptr) continue;
    Cell& cell = cells[a->text() + "\n" + b->text()];
    cell.x = a;
    cell.y = b;
    cell.ranks.push_back(*ranks[i]);
  }
  Json rows = Json::array();
  for (const auto& [unused, cell] : cells)
    rows.push_back({{"x", text_or_number(*cell.x)},
                    {"y", text_or_number(*cell.y)},
                    {"rank", std::round(median(cell.ranks) * 10) / 10},
                    {"least", std::round(*std::ranges::min_element(cell.ranks) * 10) / 10},
                    {"count", cell.ranks.size()}});
  return rows;
}

Chart rank_chart(const ReportData& data, const std::string& x, const std::string& y, std::size_t position) {
  const auto ordinal = [](const char* column, const std::string& title) {
    return Json{{"field", column},
                {"type", "ordinal"},
                {"title", title},
                {"axis", {{"labelAngle", 0}, {"labelOverlap", "greedy"}, {"labelLimit", 90}}}};
  };
  Json color = with(number("rank", "median rank (%)"),
                    {{"scale", {{"scheme", "viridis"}, {"reverse", true}, {"domain", {0, 100}}}}});
  Json encoding = {{"x", ordinal("x", x)},
                   {"y", ordinal("y", y)},
                   {"color", std::move(color)},
                   {"tooltip", Json::array({{{"field", "x"}, {"title", x}},
                                            {{"field", "y"}, {"title", y}},
                                            {{"field", "rank"}, {"title", "median rank (%)"}},
                                            {{"field", "least"}, {"title", "best rank (%)"}},
                                            {{"field", "count"}, {"title", "trials"}}})}};
  return made_chart("ranks-" + std::to_string(position), x + " and " + y,
                    over_rows(cells_of(data, x, y), {{"type", "rect"}}, std::move(encoding), 240));
}

}  // namespace

std::vector<Chart> rank_charts(const ReportData& data) {
  if (!data.importance) return {};
  std::vector<std::string> names;
  for (const ParameterImportance& one : data.importance->parameters)
    if (names.size() < most_paired && one.share > 0) names.push_back(one.parameter);
  std::vector<Chart> charts;
  for (std::size_t i = 0; i < names.size(); ++i)
    for (std::size_t j = i + 1; j < names.size(); ++j)
      charts.push_back(rank_chart(data, names[i], names[j], charts.size()));
  return charts;
}

Chart importance_chart(const Importance& importance) {
  Json rows = Json::array();
  for (const ParameterImportance& one : importance.parameters)
    rows.push_back({{"parameter", one.parameter}, {"share", std::round(1000 * one.share) / 10}});
  const int height = 30 + 24 * static_cast<int>(rows.size());
  Json encoding = {
      {"y", with(name_of("parameter", "parameter"), {{"sort", nullptr}})},
      {"x", with(number("share", "share of the variance of log time (%)"), {{"scale", {{"zero", true}}}})}};
  return made_chart("importance", "Importance of parameters",
                    over_rows(std::move(rows), {{"type", "bar"}, {"tooltip", true}}, std::move(encoding), height));
}

}  // namespace attune::cli
