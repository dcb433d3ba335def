// The kernel that a recording becomes, and how soon.
#include "device/replay/replay_kernel.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>

#include "attune/error.hpp"
#include "device/replay/replay.hpp"
#include "recordings/recording_file.hpp"
#include "support/bowl.hpp"

namespace attune {
namespace {

std::string text_of(const SearchSpace& space) {
  std::vector<std::string> texts;
  for (SpaceSize i = 0; i < space.size(); ++i) texts.push_back(space.at(i).text() + "\n");
  std::sort(texts.begin(), texts.end());
  std::string all;
  for (const std::string& text : texts) all += text;
  return all;
}

TEST(ReplayKernel, OneSpaceWrittenInAnotherOrderHasTheSameFingerprint) {
  const Recording recording = bowl();
  Recording other = recording;
  other.device = "another GPU";
  std::reverse(other.trials.begin(), other.trials.end());
  std::swap(other.trials[3], other.trials[17]);
  const Fingerprints of_rows = replay_kernel(other).fingerprints;
  EXPECT_EQ(of_rows.space, replay_kernel(recording).fingerprints.space);
  EXPECT_EQ(of_rows.code, replay_kernel(recording).fingerprints.code);
  // Values in another order too: positions in rows follow.
  auto& values = other.parameters[0].values;
  std::reverse(values.begin(), values.end());
  for (RecordedTrial& trial : other.trials) trial.row[0] = static_cast<std::uint16_t>(values.size() - 1 - trial.row[0]);
  ASSERT_EQ(text_of(space_of(other)), text_of(space_of(recording)));
  EXPECT_EQ(replay_kernel(other).fingerprints.space, replay_kernel(recording).fingerprints.space);
}

TEST(ReplayKernel, AnotherSpaceHasAnotherFingerprint) {
  const Recording recording = bowl();
  Recording fewer = recording;
  fewer.trials.pop_back();
  EXPECT_NE(replay_kernel(fewer).fingerprints.space, replay_kernel(recording).fingerprints.space);
  Recording renamed = recording;
  renamed.parameters[0].name = "OTHER";
  EXPECT_NE(replay_kernel(renamed).fingerprints.space, replay_kernel(recording).fingerprints.space);
}

// Seconds until kernel, device and search space are there.
double seconds_to_begin(const Recording& recording) {
  const auto begin = std::chrono::steady_clock::now();
  const Replay replay(recording);
  make_replay_compiler(recording);
  const SearchSpace space = make_space(replay_kernel(recording), {}, replay.info());
  EXPECT_EQ(space.size(), SpaceSize{recording.trials.size()});
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

Recording recording_of(std::size_t parameters, std::size_t values, std::size_t rows) {
  Recording recording;
  recording.source = "wide.json";
  recording.kernel = "wide";
  recording.device = "gpu";
  for (std::size_t i = 0; i < parameters; ++i) {
    recording.parameters.push_back({"P" + std::to_string(i), {}});
    for (std::size_t k = 0; k < values; ++k) recording.parameters[i].values.emplace_back(static_cast<int>(k));
  }
  for (std::size_t i = 0; i < rows; ++i) {
    RecordedTrial trial;
    trial.median_ns = 1e6;
    for (std::size_t k = 0; k < parameters; ++k)
      trial.row.push_back(static_cast<std::uint16_t>(k == 0 ? i % values : (i / values + i * k) % values));
    recording.trials.push_back(std::move(trial));
  }
  return recording;
}

// Searching each value or name in its list would take minutes.
TEST(ReplayKernel, WideRecordingsBeginSoon) {
  EXPECT_LT(seconds_to_begin(recording_of(1, 65'535, 65'535)), 20);
  EXPECT_LT(seconds_to_begin(recording_of(3000, 30, 30)), 20);
}

// 65,535 nodes with 65,535 values each.
TEST(ReplayKernel, RowsBeyondAnyMemoryAreRefused) {
  Recording recording = recording_of(2, 65'535, 65'535);
  for (RecordedTrial& trial : recording.trials) trial.row[1] = trial.row[0];
  const Replay replay(recording);
  EXPECT_THROW(make_space(replay_kernel(recording), {}, replay.info()), UsageError);
}

}  // namespace
}  // namespace attune
