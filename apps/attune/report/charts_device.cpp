// Charts of the finalists, and of what the device allows.
#include <algorithm>
#include <cmath>

#include "kernel/roofline.hpp"
#include "report/charts.hpp"
#include "report/device_use.hpp"

namespace attune::cli {

Chart finalists_chart(const ReportData& data) {
  Json rows = Json::array();
  const auto best = best_finalist(data);
  for (std::size_t i = 0; i < data.finalists.size(); ++i) {
    const FinalistResult& finalist = data.finalists[i];
    if (const auto ratio = ratio_to(finalist, *best))
      rows.push_back(
          {{"finalist", std::to_string(i + 1)}, {"ratio", ratio->ratio}, {"low", ratio->low}, {"high", ratio->high}});
  }
  const Json y = with(name_of("finalist", "finalist"), {{"sort", nullptr}});
  const Json x = number("ratio", "time over that of the best");
  const int height = 30 + 22 * static_cast<int>(rows.size());
  Chart chart = made_chart("finalists", "Finalists", {});
  chart.spec = over_rows(std::move(rows), {}, {}, height);
  chart.spec.erase("mark");
  chart.spec.erase("encoding");
  chart.spec["layer"] =
      Json::array({{{"mark", {{"type", "rule"}}},
                    {"encoding", {{"y", y}, {"x", with(x, {{"field", "low"}})}, {"x2", {{"field", "high"}}}}}},
                   {{"mark", {{"type", "point"}, {"filled", true}, {"size", 60}, {"tooltip", {{"content", "data"}}}}},
                    {"encoding", {{"y", y}, {"x", x}}}}});
  return chart;
}

namespace {

// Returns bars of the rates beside the one ceiling that is known.
Chart ceiling_chart(const Roofline& roofline) {
  const bool is_bytes = roofline.bytes != nullptr;
  const Ceiling& ceiling = is_bytes ? *roofline.bytes : *roofline.operations;
  Json rows = Json::array({{{"what", ceiling.name + " ceiling"}, {"rate", 1e-9 * ceiling.value}}});
  for (const RooflinePoint& point : roofline.points)
    if (point.name != "finalist")
      rows.push_back(
          {{"what", point.name}, {"rate", 1e-9 * (is_bytes ? point.bytes_per_second : point.operations_per_second)}});
  const Json x = with(number("rate", is_bytes ? "GB/s" : "GFLOP/s"), {{"scale", {{"zero", true}}}});
  return made_chart("roofline", "Rates and the measured ceiling",
                    over_rows(std::move(rows), {{"type", "bar"}, {"tooltip", true}},
                              {{"y", with(name_of("what", ""), {{"sort", nullptr}})}, {"x", x}}, 110));
}

Json roof_rows(const Roofline& roofline) {
  const double ridge = roofline.operations->value / roofline.bytes->value;
  double least = ridge, most = ridge;
  for (const RooflinePoint& point : roofline.points) {
    least = std::min(least, point.intensity());
    most = std::max(most, point.intensity());
  }
  Json rows = Json::array();
  for (const double i : {least / 4, ridge, most * 4})
    rows.push_back({{"i", i}, {"f", 1e-9 * std::min(i * roofline.bytes->value, roofline.operations->value)}});
  return rows;
}

}  // namespace

Chart roofline_chart(const ReportData& data) {
  const Roofline roofline = *roofline_of(data);
  if (!roofline.has_intensity()) return ceiling_chart(roofline);
  Json points = Json::array();
  for (const RooflinePoint& point : roofline.points)
    points.push_back({{"i", point.intensity()}, {"f", 1e-9 * point.operations_per_second}, {"what", point.name}});
  const Json x = logarithm("i", "operations per byte"), y = logarithm("f", "GFLOP/s");
  Chart chart = made_chart("roofline", "Roofline", {{"width", "container"}, {"height", 280}});
  chart.spec["layer"] = Json::array(
      {{{"data", {{"values", roof_rows(roofline)}}}, {"mark", {{"type", "line"}}}, {"encoding", {{"x", x}, {"y", y}}}},
       {{"data", {{"values", std::move(points)}}},
        {"mark", {{"type", "point"}, {"filled", true}, {"size", 70}, {"tooltip", {{"content", "data"}}}}},
        {"encoding", {{"x", x}, {"y", y}, {"color", name_of("what", "configuration")}}}}});
  return chart;
}

Chart occupancy_chart(const ReportData& data) {
  const TimeUnit unit = shown_unit(data);
  Json encoding = {{"x", with(number("o", "occupancy (%)"), {{"scale", {{"domain", {0, 100}}}}})},
                   {"y", logarithm("t", "time (" + unit.name + ")")},
                   {"tooltip", Json::array({{{"field", "n"}, {"title", "trial"}},
                                            {{"field", "o"}, {"title", "occupancy (%)"}},
                                            {{"field", "t"}, {"title", "time (" + unit.name + ")"}},
                                            {{"field", "r"}, {"title", "registers per thread"}},
                                            {{"field", "b"}, {"title", "threads per block"}}})}};
  Chart chart = made_chart("occupancy", "Occupancy and time", {});
  chart.spec =
      over_trials({{"type", "point"}, {"filled", true}, {"opacity", 0.6}, {"size", 22}}, std::move(encoding), 260);
  chart.spec["transform"] = Json::array({{{"filter", "isValid(datum.o) && isValid(datum.t)"}}});
  return chart;
}

}  // namespace attune::cli
