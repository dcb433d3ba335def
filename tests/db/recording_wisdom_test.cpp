// The trial log of attune as recordings: docs/formats/recordings.md.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "attune/error.hpp"
#include "attune/expression.hpp"
#include "db/recording_file.hpp"
#include "db/scratch.hpp"
#include "db/wisdom_store.hpp"

namespace attune {
namespace {

using testing::ElementsAre;

const RecordedTrial& trial_of(const Recording& recording, const std::string& configuration) {
  const SearchSpace space = space_of(recording);
  for (const RecordedTrial& trial : recording.trials)
    if (space.configuration(trial.row).text() == configuration) return trial;
  throw std::runtime_error("no trial of " + configuration);
}

// A log of two sessions on one kernel, and one of another problem.
TEST(WisdomDatabase, GivesTheNewestTrialOfEachConfiguration) {
  const test::Scratch scratch;
  const std::filesystem::path file = scratch.path() / "wisdom.db";
  {
    WisdomStore store(file);
    DeviceInfo device;
    device.name = "NVIDIA Test";
    const auto session = [&](const std::string& problem) {
      SessionRow row;
      row.key.record = {.kernel = "scale",
                        .code = "c",
                        .contract = "t",
                        .device_class = device.class_key(),
                        .problem = Problem(parse_bindings(problem))};
      row.key.strategy = "random";
      return store.begin_session(row, device);
    };
    const auto trial = [](int tile, Verdict verdict, double median_ns) {
      Trial made;
      made.configuration = Configuration{{"TILE", tile}, {"T", "float"}};
      made.verdict = verdict;
      made.compile_ms = 250;
      if (verdict == Verdict::ok)
        made.measurement = {{median_ns, median_ns}, median_ns, median_ns, median_ns, median_ns};
      return made;
    };
    const std::int64_t first = session("n=10");
    store.add_trial(first, trial(32, Verdict::ok, 1000));
    store.add_trial(first, trial(16, Verdict::wrong_result, 0));
    store.add_trial(session("n=20"), trial(8, Verdict::ok, 500));
    store.add_trial(session("n=10"), trial(32, Verdict::ok, 2000));
  }
  const std::vector<Recording> recordings = load_recordings(file);
  ASSERT_EQ(recordings.size(), 2u);
  const Recording& recording = recordings[0];
  EXPECT_EQ(recording.kernel, "scale");
  EXPECT_EQ(recording.problem, "n=10");
  EXPECT_EQ(recording.device, "NVIDIA Test");
  EXPECT_THAT(recording.parameters, ElementsAre(Parameter{"TILE", {16, 32}}, Parameter{"T", {"float"}}));
  ASSERT_EQ(recording.trials.size(), 2u);
  EXPECT_EQ(trial_of(recording, "TILE=16 T=float").verdict, Verdict::wrong_result);
  const RecordedTrial& newest = trial_of(recording, "TILE=32 T=float");
  EXPECT_DOUBLE_EQ(newest.median_ns, 2000);
  EXPECT_DOUBLE_EQ(newest.compile_s, 0.25);
  EXPECT_DOUBLE_EQ(newest.launches_s, 4e-6);
  EXPECT_EQ(recordings[1].problem, "n=20");
}

TEST(WisdomDatabase, WithoutTrialsIsNoRecording) {
  const test::Scratch scratch;
  const std::filesystem::path file = scratch.path() / "wisdom.db";
  { WisdomStore store(file); }
  EXPECT_THROW(load_recordings(file), UsageError);
}

}  // namespace
}  // namespace attune
