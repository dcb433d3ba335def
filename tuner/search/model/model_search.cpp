#include "search/model/model_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace attune {
namespace {

// Each of the first configurations is, of this many random ones, the farthest from all others.
constexpr int spread_draws = 200;

// The model is fitted anew when this share of outcomes is new, but at least two of them. Refits then cost less than
// proposals.
constexpr double refit_share = 0.25;

// With a trend, the process models the difference from the trend. A few outcomes do not show this difference, so the
// early process expects a factor of e^0.5 that changes over half of the space. Values near these do as well.
constexpr double early_deviation = 0.5, early_weight = 0.3;
constexpr std::size_t early_until = 10;

// Proposals near one under way are worth little. Only this many of the best proposals are checked for that.
constexpr std::size_t shortlist = 64;

constexpr std::size_t most_peaks = 20;

// If the space is larger than the pool, the pool has the neighbours of this many peaks.
constexpr std::size_t pool_peaks = 8;

// Limits the most observations, for which the model reserves memory, to the size of the space.
ModelSettings within(const SearchSpace& space, ModelSettings settings) {
  settings.most = static_cast<std::size_t>(std::min<SpaceSize>(settings.most, space.size()));
  return settings;
}

double normal_density(double z) { return std::exp(-0.5 * z * z) / std::sqrt(2 * 3.14159265358979323846); }
double normal_share_below(double z) { return 0.5 * std::erfc(-z / std::sqrt(2.0)); }

}  // namespace

ModelSearch::ModelSearch(const SearchSpace& space, std::uint64_t seed, ModelSettings settings)
    : space_(space),
      settings_(within(space, settings)),
      ledger_(space, seed),
      random_(seed),
      axes_(axes_of(space)),
      trend_(space, axes_),
      matern_(GaussianProcess::prior(Falloff::matern, axes_.size())),
      exponential_(GaussianProcess::prior(Falloff::exponential, axes_.size())) {}

bool ModelSearch::learn_from(const Experience& experience) { return trend_.add(experience); }

bool ModelSearch::has_model() const {
  return !peaks_.empty() && (!trend_.empty() || told_.size() >= settings_.initial);
}

std::optional<Row> ModelSearch::ask() {
  std::optional<Row> row;
  const bool begins = told_.size() + waiting_.size() < settings_.initial;
  if (trend_.empty() && (begins || !has_model())) {
    row = claim_spread();
  } else if (settings_.ends_local && told_.size() >= settings_.most) {
    row = claim_near_best();
  } else {
    row = claim_by_model();
  }
  if (!row) row = ledger_.claim_random();
  if (row) waiting_.push_back(*row);
  return row;
}

void ModelSearch::tell(RowView told, const Outcome& outcome) {
  Row row(told.begin(), told.end());
  const bool again = ledger_.outcome(row) != nullptr;
  ledger_.tell(row, outcome);
  std::erase(waiting_, row);
  if (again) return;
  if (outcome.valid) {
    const Peak peak{row, std::log(outcome.objective), false};
    const auto place = std::upper_bound(peaks_.begin(), peaks_.end(), peak,
                                        [](const Peak& a, const Peak& b) { return a.value < b.value; });
    best_is_new_ = best_is_new_ || place == peaks_.begin();
    peaks_.insert(place, peak);
    if (peaks_.size() > most_peaks) peaks_.pop_back();
  }
  if (surface_) observe(row, outcome);
  told_.emplace_back(std::move(row), outcome);
}

void ModelSearch::observe(const Row& row, const Outcome& outcome) {
  if (!outcome.valid) {
    surface_->observe_failure(row);
  } else if (surface_->observations() < settings_.most) {
    surface_->observe(row, std::log(outcome.objective) - trend_.at(row));
  }
}

std::optional<Row> ModelSearch::claim_spread() {
  Row row(space_.parameters().size());
  std::optional<Row> farthest;
  double most = -1;
  const auto far = [&](const Row& other, double& least) {
    double distance = 0;
    for (const Axis& axis : axes_) distance += axis.distance(row[axis.parameter], other[axis.parameter]);
    least = std::min(least, distance);
  };
  for (int draw = 0; draw < spread_draws; ++draw) {
    space_.sample(random_, row);
    if (ledger_.is_claimed(row)) continue;
    double least = std::numeric_limits<double>::max();
    for (const auto& [other, outcome] : told_) far(other, least);
    for (const Row& other : waiting_) far(other, least);
    if (least <= most) continue;
    most = least;
    farthest = row;
  }
  if (farthest) ledger_.claim(*farthest);
  return farthest;
}

Observations ModelSearch::observations() const {
  // All valid ones. If they exceed the model's limit: half as many as the limit are the best, and others are spread
  // over the rest.
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < told_.size(); ++i) {
    if (told_[i].second.valid) order.push_back(i);
  }
  if (order.size() > settings_.most) {
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return told_[a].second.objective < told_[b].second.objective;
    });
    const std::size_t best = settings_.most / 2, others = settings_.most - best, rest = order.size() - best;
    for (std::size_t i = 0; i < others; ++i) order[best + i] = order[best + i * rest / others];
    order.resize(settings_.most);
  }
  Observations known;
  for (const std::size_t i : order) {
    known.rows.push_back(told_[i].first);
    known.values.push_back(std::log(told_[i].second.objective) - trend_.at(told_[i].first));
  }
  return known;
}

GaussianProcess ModelSearch::early_process(const Observations& known) const {
  GaussianProcess process = GaussianProcess::prior(Falloff::matern, axes_.size());
  std::fill(process.weights.begin(), process.weights.end(), early_weight);
  process.variance = early_deviation * early_deviation;
  for (const double value : known.values) process.mean += value / static_cast<double>(known.values.size());
  return process;
}

GaussianProcess ModelSearch::fitted_process(const Observations& known) {
  using FalloffChoice = ModelSettings::FalloffChoice;
  if (known.rows.size() < (trend_.empty() ? 2 : early_until)) return early_process(known);
  const bool smooth_only = settings_.falloff == FalloffChoice::likelier && known.rows.size() < settings_.smooth_until;
  if (settings_.falloff == FalloffChoice::matern || smooth_only) return matern_ = fit(axes_, known, matern_).process;
  const FittedProcess rough = fit(axes_, known, exponential_);
  exponential_ = rough.process;
  if (settings_.falloff == FalloffChoice::exponential) return exponential_;
  const FittedProcess smooth = fit(axes_, known, matern_);
  matern_ = smooth.process;
  return smooth.fit < rough.fit ? matern_ : exponential_;
}

std::vector<Row> ModelSearch::pool() {
  const std::size_t columns = space_.parameters().size();
  std::vector<Row> rows;
  if (pool_is_all()) {
    space_.for_each([&](RowView row) {
      rows.emplace_back(row.begin(), row.end());
      return true;
    });
    return rows;
  }
  std::unordered_map<std::uint64_t, bool> met;
  const auto add = [&](RowView row) {
    const auto index = space_.index_of(row);
    if (index && met.try_emplace(static_cast<std::uint64_t>(*index), true).second)
      rows.emplace_back(row.begin(), row.end());
    return rows.size() < settings_.pool;
  };
  for (std::size_t i = 0; i < std::min(pool_peaks, peaks_.size()); ++i)
    space_.for_each_neighbour(peaks_[i].row, Neighbourhood::any_value, add);
  Row row(columns);
  for (std::size_t draw = 0; draw < settings_.pool && rows.size() < settings_.pool; ++draw) {
    space_.sample(random_, row);
    add(row);
  }
  return rows;
}

void ModelSearch::refit() {
  const Observations known = observations();
  const GaussianProcess process = fitted_process(known);
  std::vector<Row> rows = surface_ && pool_is_all() ? surface_->rows() : pool();
  std::vector<double> trend;
  if (!trend_.empty()) {
    for (const Row& row : rows) trend.push_back(trend_.at(row));
  }
  surface_ = std::make_unique<Surface>(axes_, process, std::move(rows), std::move(trend), settings_.most);
  for (std::size_t i = 0; i < known.rows.size(); ++i) surface_->observe(known.rows[i], known.values[i]);
  for (const auto& [row, outcome] : told_) {
    if (!outcome.valid) surface_->observe_failure(row);
  }
  used_.assign(surface_->rows().size(), 0);
  for (std::size_t i = 0; i < used_.size(); ++i) used_[i] = ledger_.is_claimed(surface_->rows()[i]) ? 1 : 0;
  best_is_new_ = false;
  const auto more = static_cast<std::size_t>(refit_share * static_cast<double>(told_.size()));
  const bool is_early = !trend_.empty() && told_.size() < early_until;
  next_fit_ = told_.size() + (is_early ? 1 : std::max<std::size_t>(2, more));
}

// Returns the expected improvement on the best. Where the improvement is nearly 0, the result falls with the distance
// from the best. Source: Jones, Schonlau and Welch, Efficient Global Optimization of Expensive Black-Box Functions, J.
// Global Optimization 13 (1998), equation 15.
double ModelSearch::improvement(const Prediction& prediction) const {
  if (peaks_.empty()) return -prediction.mean;
  const double z = (peaks_.front().value - prediction.mean) / prediction.deviation;
  constexpr double hopeless = -6;
  if (z < hopeless) return 1e-12 * std::exp(z);
  return prediction.deviation * (z * normal_share_below(z) + normal_density(z));
}

// Returns the share of an improvement that is likely to remain after the outcomes under way.
double ModelSearch::crowding(const Row& row) const {
  double left = 1;
  for (const Row& other : waiting_) {
    const double alike = surface_->alike(row, other);
    left *= 1 - alike * alike;
  }
  return left;
}

double ModelSearch::worth_of(std::size_t in_pool) const {
  const double worth = improvement(surface_->at(in_pool));
  return peaks_.empty() ? worth : worth * surface_->chance(in_pool);
}

// Returns the most promising configurations of the pool, as many as the shortlist.
std::vector<ModelSearch::Prospect> ModelSearch::hopes_in_pool() const {
  std::vector<std::pair<double, std::size_t>> order;
  for (std::size_t i = 0; i < used_.size(); ++i) {
    if (used_[i] == 0) order.emplace_back(-worth_of(i), i);
  }
  const auto few = static_cast<std::ptrdiff_t>(std::min(order.size(), shortlist));
  std::partial_sort(order.begin(), order.begin() + few, order.end());
  order.resize(static_cast<std::size_t>(few));
  std::vector<Prospect> hopes;
  for (const auto& [worth, i] : order) hopes.push_back({-worth, surface_->rows()[i], i});
  return hopes;
}

// Returns the neighbours of a best configuration that was found after the pool was filled.
std::vector<ModelSearch::Prospect> ModelSearch::hopes_near_best() const {
  std::vector<Prospect> hopes;
  space_.for_each_neighbour(peaks_.front().row, Neighbourhood::any_value, [&](RowView near) {
    if (ledger_.is_claimed(near)) return true;
    const Row row(near.begin(), near.end());
    hopes.push_back({improvement(surface_->at(row, trend_.at(row))), row, used_.size()});
    return hopes.size() < shortlist;
  });
  return hopes;
}

std::optional<Row> ModelSearch::claim_by_model() {
  if (!surface_ || told_.size() >= next_fit_) refit();
  for (;;) {
    std::vector<Prospect> hopes = hopes_in_pool();
    const bool was_last = hopes.empty();
    if (best_is_new_ && !pool_is_all()) {
      for (Prospect& hope : hopes_near_best()) hopes.push_back(std::move(hope));
    }
    if (!peaks_.empty()) {
      for (Prospect& hope : hopes) hope.worth *= crowding(hope.row);
    }
    std::stable_sort(hopes.begin(), hopes.end(),
                     [](const Prospect& a, const Prospect& b) { return a.worth > b.worth; });
    if (std::optional<Row> row = claim_first(hopes)) return row;
    if (was_last) return std::nullopt;
  }
}

// Claims the first hope that is still free. Marks the rows of the pool that it meets, so that they are not examined
// again.
std::optional<Row> ModelSearch::claim_first(const std::vector<Prospect>& hopes) {
  for (const Prospect& hope : hopes) {
    if (hope.in_pool < used_.size()) used_[hope.in_pool] = 1;
    if (ledger_.claim(hope.row)) return hope.row;
  }
  return std::nullopt;
}

std::optional<Row> ModelSearch::claim_near_best() {
  for (Peak& peak : peaks_) {
    if (peak.exhausted) continue;
    std::vector<Row> fresh;
    space_.for_each_neighbour(peak.row, Neighbourhood::any_value, [&](RowView row) {
      if (!ledger_.is_claimed(row)) fresh.emplace_back(row.begin(), row.end());
      return true;
    });
    if (fresh.empty()) {
      peak.exhausted = true;
      continue;
    }
    const Row& row = fresh[static_cast<std::size_t>(uniform_below(fresh.size(), random_))];
    ledger_.claim(row);
    return row;
  }
  return std::nullopt;
}

}  // namespace attune
