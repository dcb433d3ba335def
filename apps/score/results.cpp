#include "results.hpp"

#include <algorithm>
#include <numeric>

#include "parallel.hpp"

namespace attune::cli {
namespace {

// A strategy on a space, before means are taken.
struct Cell {
  Curve performance;  // empty without a span
  Fractions fractions;
  double evaluations = 0;
};

bool within_budget(const ScoreRequest& request, std::size_t evaluations) {
  return !request.most_evaluations || evaluations <= *request.most_evaluations;
}

Cell cell_of(const ScoreRequest& request, const Space& space, const std::vector<Visits>& repeats) {
  Cell cell;
  if (repeats.empty()) return cell;
  if (space.statistics.span) {
    const Curve curve = strategy_curve(space.statistics, repeats, Bag{request.seed});
    cell.performance = performance(space.statistics, curve, space.random);
  }
  for (std::size_t i = 0; i < fraction_evaluations.size(); ++i) {
    if (within_budget(request, fraction_evaluations[i]))
      cell.fractions[i] = mean_fraction(repeats, space.statistics.optimum(), fraction_evaluations[i]);
  }
  for (const Visits& visits : repeats) cell.evaluations += static_cast<double>(visits.size());
  cell.evaluations /= static_cast<double>(repeats.size());
  return cell;
}

// Adds one of `count` parts to a mean; a mean is missing if one of its parts is.
void add_part(Fractions& mean, const Fractions& part, std::size_t count) {
  for (std::size_t i = 0; i < mean.size(); ++i) {
    if (!part[i]) mean[i].reset();
    if (mean[i]) *mean[i] += *part[i] / static_cast<double>(count);
  }
}

Fractions zeros() {
  Fractions fractions;
  fractions.fill(0.0);
  return fractions;
}

StrategyResult mean_result(const std::vector<Cell>& cells, const std::vector<std::size_t>& spaces) {
  StrategyResult result;
  result.fractions = zeros();
  std::vector<Curve> performances;
  for (const std::size_t i : spaces) {
    add_part(result.fractions, cells[i].fractions, spaces.size());
    result.evaluations += cells[i].evaluations / static_cast<double>(spaces.size());
    if (!cells[i].performance.empty()) performances.push_back(cells[i].performance);
  }
  if (performances.size() == spaces.size()) result.score = score(performances);
  return result;
}

class ScoreTable {
 public:
  ScoreTable(const ScoreRequest& request, const Spaces& spaces, const std::vector<Searches>& searches)
      : spaces_(spaces), cells_(searches.size(), std::vector<Cell>(spaces.size())), random_(spaces.size()) {
    for_each_index(searches.size() * spaces.size(), request.threads, [&](std::size_t i) {
      const std::size_t strategy = i / spaces.size(), space = i % spaces.size();
      cells_[strategy][space] = cell_of(request, *spaces[space], searches[strategy].by_space[space]);
    });
    for (std::size_t i = 0; i < spaces.size(); ++i) {
      const SpaceStatistics& space = spaces[i]->statistics;
      for (std::size_t j = 0; j < fraction_evaluations.size(); ++j) {
        if (within_budget(request, fraction_evaluations[j]))
          random_[i][j] = random_fraction(space.ascending, space.rows, fraction_evaluations[j]);
      }
    }
  }

  ResultRow row(std::string name, std::vector<std::size_t> spaces) const {
    ResultRow row{std::move(name), std::move(spaces), zeros(), {}};
    for (const std::size_t i : row.spaces) add_part(row.random, random_[i], row.spaces.size());
    for (const std::vector<Cell>& cells : cells_) row.results.push_back(mean_result(cells, row.spaces));
    return row;
  }

  std::vector<ResultRow> kernels() const {
    std::vector<std::string> names;
    std::vector<std::vector<std::size_t>> members;
    for (std::size_t i = 0; i < spaces_.size(); ++i) {
      const std::string& kernel = spaces_[i]->recording.kernel;
      const auto place = static_cast<std::size_t>(std::find(names.begin(), names.end(), kernel) - names.begin());
      if (place == names.size()) {
        names.push_back(kernel);
        members.emplace_back();
      }
      members[place].push_back(i);
    }
    std::vector<ResultRow> rows;
    for (std::size_t i = 0; i < names.size(); ++i) rows.push_back(row(names[i], members[i]));
    return rows;
  }

 private:
  const Spaces& spaces_;
  std::vector<std::vector<Cell>> cells_;  // by strategy, by space
  std::vector<Fractions> random_;         // by space
};

}  // namespace

Report make_report(const ScoreRequest& request, const Spaces& spaces, const std::vector<Searches>& searches) {
  const ScoreTable table(request, spaces, searches);
  Report report;
  for (const Searches& one : searches) report.strategies.push_back(one.strategy);
  for (std::size_t i = 0; i < spaces.size(); ++i) report.files.push_back(table.row(spaces[i]->name, {i}));
  if (request.group_by_kernel) report.kernels = table.kernels();
  std::vector<std::size_t> all(spaces.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  report.total = table.row("total", std::move(all));
  return report;
}

}  // namespace attune::cli
