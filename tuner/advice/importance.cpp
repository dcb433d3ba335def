#include "advice/importance.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <numeric>
#include <random>

#include "search/model/surface.hpp"
#include "space/tried_parameters.hpp"

namespace attune {
namespace {

// Fewer trials rank parameters by chance.
constexpr std::size_t least_outcomes = 10;
// The cost of predictions is the square of the number of outcomes, times the number of rows. These bounds keep it below
// half a second. On recorded spaces, 1,000 outcomes name the same two parameters as 500.
constexpr std::size_t most_outcomes = 500, most_predicted = 8'000, most_sampled = 5'000;

// Rows of which the model tells the times: random ones, and those that differ from them in one parameter.
struct Crosses {
  // A random row with all that differ from it in this parameter alone, as places in `rows`.
  struct Line {
    std::size_t parameter = 0;
    std::vector<std::size_t> places;
  };
  std::vector<Row> rows;
  std::vector<std::size_t> random;  // places in `rows`
  std::vector<Line> lines;          // of some of the random rows, at least of one; each with two places or more
  std::size_t lined = 0;            // for so many random rows
};

// Returns uniformly drawn rows. As many of them have lines as the bound of predictions allows.
Crosses drawn_crosses(const SearchSpace& space, std::mt19937_64& random) {
  Crosses result;
  std::map<Row, std::size_t> places;
  const auto place_of = [&](RowView row) {
    const auto [known, is_new] = places.try_emplace(Row(row.begin(), row.end()), result.rows.size());
    if (is_new) result.rows.push_back(known->first);
    return known->second;
  };
  Row row(space.parameters().size());
  SampleStream stream(space, random());
  while (result.random.size() < most_sampled) {
    const std::optional<SpaceSize> index = stream.next_index();
    if (!index) break;
    space.at(*index, row);
    result.random.push_back(place_of(row));
    if (result.rows.size() >= most_predicted) continue;
    ++result.lined;
    space.for_each_neighbour(row, Neighbourhood::any_value, [&](RowView near) {
      const auto parameter = static_cast<std::size_t>(std::ranges::mismatch(row, near).in1 - row.begin());
      const bool begins = result.lines.empty() || result.lines.back().parameter != parameter ||
                          result.lines.back().places.front() != result.random.back();
      if (begins) result.lines.push_back({parameter, {result.random.back()}});
      result.lines.back().places.push_back(place_of(near));
      return true;
    });
  }
  return result;
}

// Returns an axis that tells powers of two from other numbers, or nothing where the values have not both kinds. Memory
// and threads come in powers of two, so a kernel may be slow with 48 and 80 and fast with 32, 64 and 128. The order of
// the numbers alone does not show this.
std::optional<Axis> power_of_two_axis(const SearchSpace& space, std::size_t parameter) {
  const std::vector<Value>& values = space.parameters()[parameter].values;
  const std::vector<std::uint16_t>& left = space.values_left(parameter);
  Axis axis{parameter, true, std::vector<double>(values.size())};
  std::size_t powers = 0;
  for (const std::uint16_t i : left) {
    const Value& value = values[i];
    if (value.is_name() || value.is_boolean() || value.is_real()) return {};
    if (value.integer() <= 0 || !std::has_single_bit(static_cast<std::uint64_t>(value.integer()))) continue;
    axis.place[i] = 1;
    ++powers;
  }
  if (powers == 0 || powers == left.size()) return {};
  return axis;
}

std::vector<Axis> axes_for_importance(const SearchSpace& space) {
  std::vector<Axis> axes = axes_of(space);
  for (std::size_t i = 0, plain = axes.size(); i < plain; ++i)
    if (std::optional<Axis> axis = power_of_two_axis(space, axes[i].parameter)) axes.push_back(*std::move(axis));
  return axes;
}

// Returns the logarithms of the times of ok trials in the space, in random order.
Observations outcomes_of(const SearchSpace& space, std::span<const Trial> trials, std::mt19937_64& random) {
  Observations all;
  for (const Trial& trial : trials) {
    if (trial.verdict != Verdict::ok || !(trial.measurement.median_ns > 0)) continue;
    std::optional<Row> row = space.row_of(trial.configuration);
    if (!row || !space.contains(*row)) continue;
    all.rows.push_back(*std::move(row));
    all.values.push_back(std::log(trial.measurement.median_ns));
  }
  for (std::size_t i = all.rows.size(); i > 1; --i) {
    const auto other = static_cast<std::size_t>(uniform_below(i, random));
    std::swap(all.rows[i - 1], all.rows[other]);
    std::swap(all.values[i - 1], all.values[other]);
  }
  const std::size_t taken = std::min(all.rows.size(), most_outcomes);
  all.rows.resize(taken);
  all.values.resize(taken);
  return all;
}

double mean_of(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double variance_of(std::span<const double> values) {
  const double mean = mean_of(values);
  double sum = 0;
  for (const double value : values) sum += (value - mean) * (value - mean);
  return sum / static_cast<double>(values.size());
}

// Makes the surface learn the outcomes. Returns the share of the variance of the second half that the surface foretold:
// each outcome by those before it.
double learn(Surface& surface, const Observations& known) {
  const std::size_t half = known.rows.size() / 2;
  double missed = 0;
  for (std::size_t i = 0; i < known.rows.size(); ++i) {
    const double miss = i < half ? 0 : surface.at(known.rows[i], 0).mean - known.values[i];
    missed += miss * miss;
    surface.observe(known.rows[i], known.values[i]);
  }
  const std::span later = std::span(known.values).subspan(half);
  const double all = variance_of(later) * static_cast<double>(later.size());
  return all > 0 ? std::clamp(1 - missed / all, 0.0, 1.0) : 0;
}

// Returns Var(E[f | x_i]) for values `f` at rows. Few rows for each value make means differ by chance; that much is
// taken off (the correction of the correlation ratio by Kelley, PNAS 21 (1935)).
double variance_between(const Crosses& crosses, const std::vector<double>& f, std::size_t parameter) {
  std::map<std::uint16_t, std::vector<double>> groups;
  for (const std::size_t place : crosses.random) groups[crosses.rows[place][parameter]].push_back(f[place]);
  double within = 0;
  std::vector<double> means;
  for (const auto& [value, group] : groups) {
    within += variance_of(group) * static_cast<double>(group.size());
    means.insert(means.end(), group.size(), mean_of(group));
  }
  const auto count = static_cast<double>(means.size()), kinds = static_cast<double>(groups.size());
  if (count <= kinds) return 0;
  return std::max(0.0, variance_of(means) - (kinds - 1) / (count - kinds) * within / count);
}

std::vector<ValueCount> counts_of(const SearchSpace& space, std::size_t parameter, std::span<const Trial> trials) {
  const Parameter& of = space.parameters()[parameter];
  std::vector<ValueCount> counts;
  for (const std::uint16_t i : space.values_left(parameter)) counts.push_back({of.values[i]});
  for (const Trial& trial : trials) {
    const Value* const value = trial.configuration.find(of.name);
    if (value == nullptr) continue;
    const auto count = std::ranges::find(counts, *value, &ValueCount::value);
    if (count == counts.end()) continue;
    ++count->trials;
    count->ok += trial.verdict == Verdict::ok ? 1 : 0;
  }
  return counts;
}

}  // namespace

std::optional<Importance> importance_of(const SearchSpace& space, std::span<const Trial> trials, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const Observations known = outcomes_of(space, trials, random);
  if (known.rows.size() < least_outcomes || !(variance_of(known.values) > 0)) return {};
  const std::vector<Axis> axes = axes_for_importance(space);
  // The falloff that is a product over the axes: it names the right parameters as often as the likelier one does.
  const auto process = fit(axes, known, GaussianProcess::prior(Falloff::exponential, axes.size())).process;
  const Crosses crosses = drawn_crosses(space, random);
  Surface surface(axes, process, crosses.rows, {}, known.rows.size());
  Importance result{{}, known.rows.size(), crosses.random.size(), learn(surface, known)};

  std::vector<double> f, sampled, last(space.parameters().size());
  for (std::size_t i = 0; i < crosses.rows.size(); ++i) f.push_back(surface.at(i).mean);
  for (const std::size_t place : crosses.random) sampled.push_back(f[place]);
  const double variance = variance_of(sampled);
  if (!(variance > 0)) return {};
  for (const Crosses::Line& line : crosses.lines) {
    std::vector<double> values;
    for (const std::size_t place : line.places) values.push_back(f[place]);
    last[line.parameter] += variance_of(values) / static_cast<double>(crosses.lined);
  }
  for (std::size_t i = 0; i < last.size(); ++i) {
    if (space.values_left(i).size() < 2) continue;
    const double alone = std::min(1.0, variance_between(crosses, f, i) / variance);
    const double remaining = std::min(1.0, last[i] / variance);
    result.parameters.push_back(
        {space.parameters()[i].name, (alone + remaining) / 2, alone, remaining, counts_of(space, i, trials)});
  }
  std::ranges::stable_sort(result.parameters, std::ranges::greater(), &ParameterImportance::share);
  return result;
}

std::optional<Importance> importance_of(std::span<const Trial> trials, std::uint64_t seed) {
  std::vector<Parameter> parameters = tried_parameters(trials);
  if (parameters.empty()) return {};
  return importance_of(SearchSpace(std::move(parameters), std::vector<std::string>()), trials, seed);
}

}  // namespace attune
