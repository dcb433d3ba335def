// Kernels that were recorded whole: from 200 random trials, importance names the same two parameters as the recording
// itself does. The recordings are those of this repository, and those in the folder that ATTUNE_RECORDED names.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <map>

#include "advice/importance.hpp"
#include "recordings/recording_file.hpp"

namespace attune {
namespace {

constexpr std::size_t trials_taken = 200;
constexpr int draws = 50, fewest_right = 45;

// Returns Var(E[f | key]) for the keys of equal length.
double variance_between(const std::map<Row, std::vector<double>>& groups, double mean, std::size_t count) {
  double sum = 0;
  for (const auto& [key, values] : groups) {
    double total = 0;
    for (const double value : values) total += value;
    const auto size = static_cast<double>(values.size());
    sum += size * (total / size - mean) * (total / size - mean);
  }
  return sum / static_cast<double>(count);
}

// Returns the share of each parameter by its definition, from all times of the recording.
std::map<std::string, double> true_shares(const Recording& recording) {
  std::vector<const RecordedTrial*> right;
  double mean = 0, variance = 0;
  for (const RecordedTrial& trial : recording.trials)
    if (trial.verdict == Verdict::ok) right.push_back(&trial);
  const auto count = static_cast<double>(right.size());
  for (const RecordedTrial* const trial : right) mean += std::log(trial->median_ns) / count;
  for (const RecordedTrial* const trial : right) variance += std::pow(std::log(trial->median_ns) - mean, 2) / count;
  std::map<std::string, double> shares;
  for (std::size_t i = 0; i < recording.parameters.size(); ++i) {
    std::map<Row, std::vector<double>> by_value, by_others;
    for (const RecordedTrial* const trial : right) {
      Row others = trial->row;
      others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
      by_value[{trial->row[i]}].push_back(std::log(trial->median_ns));
      by_others[others].push_back(std::log(trial->median_ns));
    }
    const double alone = variance_between(by_value, mean, right.size()) / variance;
    const double last = 1 - variance_between(by_others, mean, right.size()) / variance;
    shares[recording.parameters[i].name] = (alone + last) / 2;
  }
  return shares;
}

Trial trial_of(const SearchSpace& space, const RecordedTrial& recorded) {
  Trial trial;
  trial.configuration = space.configuration(recorded.row);
  trial.verdict = recorded.verdict;
  trial.measurement.median_ns = recorded.median_ns;
  return trial;
}

void expect_the_right_two(const Recording& recording) {
  const std::map<std::string, double> truth = true_shares(recording);
  std::vector<double> shares;
  for (const auto& [name, share] : truth) shares.push_back(share);
  std::ranges::sort(shares, std::greater());
  const SearchSpace space = space_of(recording);
  std::map<Row, const RecordedTrial*> by_row;
  for (const RecordedTrial& trial : recording.trials) by_row[trial.row] = &trial;
  int right = 0;
  double explained = 0;
  for (int seed = 0; seed < draws; ++seed) {
    SampleStream stream(space, static_cast<std::uint64_t>(seed));
    std::vector<Trial> trials;
    while (trials.size() < trials_taken)
      trials.push_back(trial_of(space, *by_row.at(*space.row_of(stream.next().value()))));
    const auto importance = importance_of(space, trials, static_cast<std::uint64_t>(seed));
    ASSERT_TRUE(importance && importance->parameters.size() >= 2);
    explained += importance->explained / draws;
    const double lesser = std::min(truth.at(importance->parameters[0].parameter),  //
                                   truth.at(importance->parameters[1].parameter));
    right += lesser >= 0.9 * shares[1] ? 1 : 0;
  }
  std::cout << recording.source << ": the right two in " << right << " of " << draws << ", explained " << explained
            << "\n";
  EXPECT_GE(right, fewest_right) << recording.source;
}

TEST(RecordedImportance, TwoHundredTrialsNameTheTwoMostImportantParameters) {
  std::vector<std::filesystem::path> folders{ATTUNE_TEST_DATA "/recorded"};
  if (const char* const folder = std::getenv("ATTUNE_RECORDED")) folders.emplace_back(folder);
  int recordings = 0;
  for (const std::filesystem::path& folder : folders) {
    for (const auto& file : std::filesystem::directory_iterator(folder)) {
      if (file.path().extension() != ".xz") continue;
      ++recordings;
      for (const Recording& recording : load_recordings(file.path())) expect_the_right_two(recording);
    }
  }
  EXPECT_GE(recordings, 2);
}

}  // namespace
}  // namespace attune
