// The model behind `auto` and `bayesian`: axes, Gaussian process, surface, trend, and the search that they make.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <memory>
#include <set>

#include "search/model/model_search.hpp"
#include "unit/search/driven.hpp"

namespace attune {
namespace {

SearchSpace grid() {
  return SearchSpace(
      {{"A", {1, 2, 4, 8, 16, 32}}, {"B", {10, 20, 30, 40}}, {"C", {"red", "green", "blue"}}, {"D", {7}}},
      {"A * B <= 640"});
}

std::vector<Row> rows_of(const SearchSpace& space) {
  const std::set<Row> rows = all_rows(space);
  return {rows.begin(), rows.end()};
}

double smooth(const Row& row) {
  return std::exp(0.3 * std::abs(row[0] - 3.0) + 0.2 * std::abs(row[1] - 1.0) + 0.1 * row[2]);
}

TEST(Axes, TakeSizesByTheirLogarithmNamesByEqualityAndOnlyValuesThatOccur) {
  const SearchSpace space(
      {{"A", {1, 2, 4, 8, 16, 32, 1024}}, {"B", {10, 20, 30, 40}}, {"C", {"red", "green", "blue"}}, {"D", {7}}},
      {"A < 100"});
  const std::vector<Axis> axes = axes_of(space);
  ASSERT_EQ(axes.size(), 3u);  // D has one value
  EXPECT_NEAR(axes[0].distance(0, 1), 0.2, 1e-12);
  EXPECT_NEAR(axes[0].distance(4, 5), 0.2, 1e-12);
  EXPECT_NEAR(axes[1].distance(0, 3), 1, 1e-12);
  EXPECT_EQ(axes[2].distance(0, 2), 1);
  EXPECT_EQ(axes[2].distance(1, 1), 0);
}

// The posterior by the formula, all at once: k K^-1 y and 1 - k K^-1 k.
TEST(Surface, AgreesWithTheFormula) {
  const SearchSpace space = grid();
  const std::vector<Axis> axes = axes_of(space);
  const std::vector<Row> rows = rows_of(space);
  for (const Falloff falloff : {Falloff::matern, Falloff::exponential}) {
    GaussianProcess process = GaussianProcess::prior(falloff, axes.size());
    process.weights = {2, 0.5, 0.1};
    process.mean = 0.4;
    process.variance = 2;
    process.noise = 0.01;
    Surface surface(axes, process, rows, {}, 12);
    Eigen::MatrixXd covariance(12, 12);
    Eigen::VectorXd values(12);
    const auto correlated = [&](const Row& a, const Row& b) {
      double sum = 0;
      for (std::size_t i = 0; i < axes.size(); ++i)
        sum += process.weights[i] * along(falloff, axes[i].distance(a[axes[i].parameter], b[axes[i].parameter]));
      return falloff == Falloff::exponential ? std::exp(-sum)
                                             : (1 + std::sqrt(3 * sum)) * std::exp(-std::sqrt(3 * sum));
    };
    std::vector<Row> seen;
    for (int i = 0; i < 12; ++i) {
      seen.push_back(rows[static_cast<std::size_t>(i * 4)]);
      values[i] = std::log(smooth(seen.back()));
      surface.observe(seen.back(), values[i]);
    }
    for (int i = 0; i < 12; ++i) {
      for (int j = 0; j < 12; ++j)
        covariance(i, j) =
            correlated(seen[static_cast<std::size_t>(i)], seen[static_cast<std::size_t>(j)]) + (i == j ? 0.01 : 0);
    }
    for (std::size_t r = 0; r < rows.size(); ++r) {
      Eigen::VectorXd to(12);
      for (int i = 0; i < 12; ++i) to[i] = correlated(rows[r], seen[static_cast<std::size_t>(i)]);
      const Eigen::VectorXd solved = covariance.ldlt().solve(to);
      const double mean = 0.4 + solved.dot(Eigen::VectorXd((values.array() - 0.4).matrix()));
      const double deviation = std::sqrt(2 * std::max(1e-9, 1 - solved.dot(to)));
      EXPECT_NEAR(surface.at(r).mean, mean, 1e-4);
      EXPECT_NEAR(surface.at(r).deviation, deviation, 2e-3);
      EXPECT_NEAR(surface.at(rows[r], 0.25).mean, mean + 0.25, 1e-4);
    }
  }
}

TEST(GaussianProcess, FittingFindsTheParameterThatMatters) {
  const SearchSpace space = grid();
  const std::vector<Axis> axes = axes_of(space);
  Observations known;
  for (const Row& row : rows_of(space)) {
    known.rows.push_back(row);
    known.values.push_back(std::sin(1.5 * row[0]));
  }
  const GaussianProcess start = GaussianProcess::prior(Falloff::matern, axes.size());
  const FittedProcess fitted = fit(axes, known, start);
  EXPECT_GT(fitted.process.weights[0], 10 * fitted.process.weights[1]);
  EXPECT_GT(fitted.process.weights[0], 10 * fitted.process.weights[2]);
}

TEST(Trend, IsTheMeanOfWhatSourcesKnowAndGuessesTheRest) {
  const SearchSpace space = grid();
  const std::vector<Axis> axes = axes_of(space);
  const std::vector<Row> rows = rows_of(space);
  Trend trend(space, axes);
  EXPECT_TRUE(trend.empty());
  EXPECT_EQ(trend.at(rows[0]), 0);
  trend.add({"nothing valid", {{rows[0], {false, 0, 1}}}});
  EXPECT_TRUE(trend.empty());
  trend.add({"a", {{rows[0], {true, 10, 1}}, {rows[1], {true, 20, 1}}, {rows[2], {false, 0, 1}}}});
  trend.add({"b", {{rows[0], {true, 300, 1}}, {rows[1], {true, 100, 1}}, {rows[2], {true, 1e9, 1}}}});
  EXPECT_NEAR(trend.at(rows[0]), (0 + std::log(3.0)) / 2, 1e-12);
  EXPECT_NEAR(trend.at(rows[1]), (std::log(2.0) + 0) / 2, 1e-12);
  EXPECT_NEAR(trend.at(rows[2]), 3, 1e-12);
  for (const Row& row : rows) {
    EXPECT_GE(trend.at(row), 0);
    EXPECT_LE(trend.at(row), 3);
  }
}

ModelSettings settings_of_auto() {
  ModelSettings settings;
  settings.ends_local = true;
  return settings;
}

// Evaluations until the optimum of a space of 20,000 configurations, one row in 50 failing; at most `most`.
int evaluations_needed(ModelSettings settings, std::uint64_t seed, int most) {
  std::vector<Value> values;
  for (int i = 1; i <= 12; ++i) values.emplace_back(i);
  const SearchSpace space({{"A", values}, {"B", values}, {"C", values}, {"D", values}}, {"A + B + C + D <= 46"});
  ModelSearch search(space, seed, settings);
  for (int n = 1; n <= most; ++n) {
    const auto row = search.ask();
    if (!row) return most;
    const auto off = [&](std::size_t i, double best) { return (*row)[i] - best; };
    const double distance =
        off(0, 3) * off(0, 3) + off(1, 8) * off(1, 8) + off(2, 5) * off(2, 5) + 0.3 * off(3, 2) * off(3, 2);
    if (distance == 0) return n;
    const bool fails = ((*row)[0] * 7 + (*row)[1] * 5 + (*row)[2] * 3 + (*row)[3]) % 50 == 0;
    search.tell(*row, {!fails, fails ? 0 : 1e6 * (1 + 0.05 * distance), 1});
  }
  return most;
}

TEST(ModelSearch, FindsTheOptimumOfASmoothSpaceInAFewDozenSteps) {
  ModelSettings small_pool;
  small_pool.pool = 300;
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    EXPECT_LE(evaluations_needed({}, seed, 400), 80) << seed;
    EXPECT_LE(evaluations_needed(small_pool, seed, 400), 120) << seed;
  }
}

TEST(ModelSearch, GoesOnWhenTheModelIsFull) {
  ModelSettings settings = settings_of_auto();
  settings.most = 12;
  for (std::uint64_t seed = 0; seed < 3; ++seed) EXPECT_LT(evaluations_needed(settings, seed, 3000), 3000) << seed;
}

// Room for a million observations would be 8 TB.
TEST(ModelSearch, KeepsRoomForNoMoreThanTheSpaceHas) {
  const SearchSpace space = grid();
  ModelSettings settings;
  settings.most = 1'000'000;
  ModelSearch search(space, 1, settings);
  std::set<Row> proposed;
  while (const auto row = search.ask()) {
    proposed.insert(*row);
    search.tell(*row, {true, smooth(*row), 1});
  }
  EXPECT_EQ(SpaceSize{proposed.size()}, space.size());
}

std::unique_ptr<ModelSearch> experienced(const SearchSpace& space, double (*objective)(const Row&)) {
  Experience experience{"elsewhere", {}};
  for (const Row& row : rows_of(space)) experience.trials.push_back({row, {true, objective(row), 1}});
  auto search = std::make_unique<ModelSearch>(space, 1, settings_of_auto());
  search->learn_from(experience);
  return search;
}

TEST(ModelSearch, BeginsWithTheBestOfElsewhere) {
  const SearchSpace space = grid();
  const auto first = experienced(space, smooth)->ask();
  ASSERT_TRUE(first);
  for (const Row& row : rows_of(space)) EXPECT_GE(smooth(row), smooth(*first));
}

// Experience that is all wrong costs little: the model learns that it is.
TEST(ModelSearch, SurvivesMisleadingExperience) {
  const SearchSpace space = grid();
  const auto search = experienced(space, [](const Row& row) { return 1 / smooth(row); });
  int needed = 0;
  for (double best = 1e300; best > 1; ++needed) {
    const auto row = search->ask();
    ASSERT_TRUE(row);
    best = std::min(best, smooth(*row));
    search->tell(*row, {true, smooth(*row), 1});
  }
  EXPECT_LT(needed, 30);  // of 60 configurations
}

}  // namespace
}  // namespace attune
