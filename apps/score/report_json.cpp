#include <nlohmann/json.hpp>

#include "attune/error.hpp"
#include "report.hpp"
#include "score/reference_trace.hpp"

namespace attune::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr double nanoseconds_per_ms = 1e6;
constexpr std::size_t shown_traces = 3;
constexpr std::size_t shown_bags = 10;
// Curves are shown at every 100th point and the last.
constexpr std::size_t shown_step = 100;
constexpr std::size_t reference_evaluations[] = {20, 25, 50, 100, 200, 400};

// File names may be other than UTF-8.
std::string text_of(const Json& root) { return root.dump(2, ' ', true, Json::error_handler_t::replace) + "\n"; }

Json or_null(const std::optional<double>& number) { return number ? Json(*number) : Json(nullptr); }

Json to_json(const Fractions& fractions) {
  Json object;
  for (std::size_t i = 0; i < fractions.size(); ++i)
    object[std::to_string(fraction_evaluations[i])] = or_null(fractions[i]);
  return object;
}

Json results_json(const Report& report, const ResultRow& row) {
  Json list = Json::array();
  for (std::size_t i = 0; i < row.results.size(); ++i) {
    const StrategyResult& result = row.results[i];
    Json object;
    object["strategy"] = report.strategies[i];
    object["score"] = or_null(result.score ? std::optional(result.score->score) : std::nullopt);
    object["error"] = or_null(result.score ? std::optional(result.score->error) : std::nullopt);
    object["fractions"] = to_json(result.fractions);
    object["evaluations"] = result.evaluations;
    list.push_back(std::move(object));
  }
  return list;
}

Json space_json(const Space& space) {
  Json object;
  object["file"] = space.name;
  object["kernel"] = space.recording.kernel;
  object["device"] = space.recording.device;
  object["same_measurements"] = Json::array();
  for (const DuplicateFile& copy : space.copies) object["same_measurements"].push_back(copy.name);
  object["rows"] = space.statistics.rows;
  object["valid"] = space.statistics.ascending.size();
  object["optimum_ns"] = space.statistics.optimum();
  object["has_costs"] = space.recorded.has_costs();
  if (const auto& span = space.statistics.span) {
    object["span"] = {{"start_evaluations", span->start_evaluations},
                      {"end_evaluations", span->end_evaluations},
                      {"start_cost", span->start_cost},
                      {"end_cost", span->end_cost},
                      {"budget", span->budget()}};
  } else {
    object["span"] = nullptr;
  }
  return object;
}

Json curve_json(const Curve& curve) {
  Json list = Json::array();
  for (std::size_t i = 0; i < curve.size(); i += shown_step) list.push_back(curve[i] / nanoseconds_per_ms);
  list.push_back(curve.back() / nanoseconds_per_ms);
  return list;
}

Json trace_json(const Space& space) {
  std::vector<Visits> repeats;
  for (std::size_t r = 0; r < trace_repeats; ++r)
    repeats.push_back(reference_trace(space.recorded, space.statistics, r));
  Json used = Json::array();
  for (std::size_t r = 0; r < shown_traces; ++r) used.push_back(repeats[r].size());
  const Curve curve = strategy_curve(space.statistics, repeats, std::nullopt);
  Json object;
  object["trace_evals_used"] = used;
  object["trace_isotonic_curve_at_points_ms"] = curve_json(curve);
  object["trace_score_single_isotonic"] = score({performance(space.statistics, curve, space.random)}).score;
  Curve scores;  // one for each of ten bags
  for (std::size_t seed = 0; seed < shown_bags; ++seed) {
    const Curve bagged = strategy_curve(space.statistics, repeats, Bag{seed});
    scores.push_back(score({performance(space.statistics, bagged, space.random)}).score);
  }
  const Score over_bags = score({scores});
  object["trace_score_bagged_mean_of_10"] = over_bags.score;
  object["trace_score_bagged_std"] = over_bags.error;
  return object;
}

Json reference_of(const Space& space) {
  const SpaceStatistics& statistics = space.statistics;
  if (!statistics.span || !space.recorded.has_costs())
    throw UsageError(space.name + ": --reference-trace needs a file with costs and unequal objectives");
  Json object;
  object["size"] = statistics.rows;
  object["invalid"] = statistics.rows - statistics.ascending.size();
  object["optimum_ms"] = statistics.optimum() / nanoseconds_per_ms;
  object["median_ms"] = statistics.median / nanoseconds_per_ms;
  object["cutoff_value_ms"] = statistics.cutoff_value / nanoseconds_per_ms;
  object["cutoff_fevals"] = statistics.span->end_evaluations;
  object["start_fevals"] = statistics.span->start_evaluations;
  object["time_median_per_eval_s"] = statistics.median_cost;
  object["time_mean_per_feval_s"] = statistics.mean_cost;
  object["t_start_s"] = statistics.span->start_cost;
  object["t_end_s"] = statistics.span->end_cost;
  object["baseline_at_points_ms"] = curve_json(space.random);
  object.update(trace_json(space));
  for (const std::size_t evaluations : reference_evaluations) {
    object["exact_random_search_mean_fraction_of_optimum"][std::to_string(evaluations)] =
        random_fraction(statistics.ascending, statistics.rows, evaluations);
  }
  return object;
}

}  // namespace

std::string report_json(const ScoreRequest& request, const Spaces& spaces, const Report& report) {
  Json root;
  root["repeats"] = request.repeats;
  root["seed"] = request.seed;
  root["warm"] = request.warm;
  root["files"] = Json::array();
  for (std::size_t i = 0; i < spaces.size(); ++i) {
    Json object = space_json(*spaces[i]);
    object["random"] = to_json(report.files[i].random);
    object["strategies"] = results_json(report, report.files[i]);
    root["files"].push_back(std::move(object));
  }
  for (const ResultRow& row : report.kernels) {
    Json object;
    object["kernel"] = row.name;
    for (const std::size_t i : row.spaces) object["files"].push_back(spaces[i]->name);
    object["random"] = to_json(row.random);
    object["strategies"] = results_json(report, row);
    root["kernels"].push_back(std::move(object));
  }
  root["total"] = {{"random", to_json(report.total.random)}, {"strategies", results_json(report, report.total)}};
  return text_of(root);
}

std::string reference_json(const Spaces& spaces) {
  Json root;
  for (const auto& space : spaces) root["spaces"][space->name] = reference_of(*space);
  return text_of(root);
}

}  // namespace attune::cli
