#include <fmt/format.h>

#include <algorithm>

#include "report.hpp"

namespace attune::cli {
namespace {

constexpr int score_width = 8, width_of_figures = 7;  // of columns: a score may have a sign

std::string number_text(const std::optional<double>& number, int width) {
  return number ? fmt::format("{:>{}.3f}", *number, width) : fmt::format("{:>{}}", "-", width);
}

// Prints three digits, and always all digits before the point.
std::string seconds_text(double seconds) {
  return seconds < 100 ? fmt::format("{:.3g}", seconds) : fmt::format("{:.0f}", seconds);
}

std::string line(std::string_view name, std::size_t width, const std::optional<Score>& score,
                 const Fractions& fractions, const std::string& evaluations) {
  std::string text = fmt::format("  {:<{}}", name, width);
  text += number_text(score ? std::optional(score->score) : std::nullopt, score_width);
  text += number_text(score ? std::optional(score->error) : std::nullopt, width_of_figures);
  for (const auto& fraction : fractions) text += number_text(fraction, width_of_figures);
  return text + fmt::format("{:>{}}", evaluations, score_width) + "\n";
}

std::string rows_text(const Report& report, const ResultRow& row) {
  std::size_t width = std::string_view("random, exact").size();
  for (const std::string& strategy : report.strategies) width = std::max(width, strategy.size());
  std::string text =
      fmt::format("  {:<{}}{:>{}}{:>{}}", "strategy", width, "score", score_width, "error", width_of_figures);
  for (const std::size_t evaluations : fraction_evaluations)
    text += fmt::format("{:>{}}", evaluations, width_of_figures);
  text += fmt::format("{:>{}}\n", "tried", score_width) + line("random, exact", width, std::nullopt, row.random, "");
  for (std::size_t i = 0; i < row.results.size(); ++i) {
    const StrategyResult& result = row.results[i];
    text +=
        line(report.strategies[i], width, result.score, result.fractions, fmt::format("{:.1f}", result.evaluations));
  }
  return text;
}

std::string head(const Space& space) {
  const SpaceStatistics& statistics = space.statistics;
  std::string text =
      fmt::format("{}: {} configurations, {} valid", space.name, statistics.rows, statistics.ascending.size());
  if (!statistics.span) {
    text += "; no score: all are equally good, or too few to search";
  } else if (space.recorded.has_costs()) {
    text += fmt::format("; {} to {} evaluations, {} to {} s", statistics.span->start_evaluations,
                        statistics.span->end_evaluations, seconds_text(statistics.span->start_cost),
                        seconds_text(statistics.span->end_cost));
  } else {
    text += fmt::format("; {} to {} evaluations; no costs recorded: each counts as 1",
                        statistics.span->start_evaluations, statistics.span->end_evaluations);
  }
  text += "\n";
  for (const DuplicateFile& copy : space.copies)
    text += fmt::format("  the same measurements as {}, counted once\n", copy.name);
  return text;
}

std::string files_text(std::size_t count) { return fmt::format("{} file{}", count, count == 1 ? "" : "s"); }

}  // namespace

std::string report_text(const ScoreRequest& request, const Spaces& spaces, const Report& report) {
  std::string text;
  if (!request.strategies.empty())
    text +=
        fmt::format("{} repeats, seed {}; columns 5 to 400: mean optimum / best found after so many evaluations\n\n",
                    request.repeats, request.seed);
  for (std::size_t i = 0; i < spaces.size(); ++i) text += head(*spaces[i]) + rows_text(report, report.files[i]) + "\n";
  for (const ResultRow& row : report.kernels)
    text += fmt::format("kernel {}: mean over {}\n", row.name, files_text(row.spaces.size())) + rows_text(report, row) +
            "\n";
  return text + fmt::format("total: mean over {}\n", files_text(spaces.size())) + rows_text(report, report.total);
}

}  // namespace attune::cli
