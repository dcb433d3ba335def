#include "advice/advice.hpp"

#include <gmock/gmock.h>

#include <algorithm>

namespace attune {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;

struct Launch {
  std::uint32_t grid = 0, block = 0;
  std::uint64_t shared = 0;
  int registers = 32;
  double microseconds = 100;
};

Trial trial_of(std::int64_t x, const Launch& launch) {
  Trial trial;
  trial.configuration = {{"X", Value(x)}};
  trial.measurement.median_ns = launch.microseconds * 1e3;
  trial.usage.registers = launch.registers;
  trial.usage.shared_static = launch.shared;
  LaunchShape shape;
  shape.grid[0] = launch.grid;
  shape.block[0] = launch.block;
  trial.shapes = {shape};
  return trial;
}

// A session on a GPU with 132 multiprocessors; its fastest trial is the best.
class AdviceOnASession : public testing::Test {
 protected:
  AdviceOnASession() {
    facts_.device = device_limits("sm_90");
    facts_.device.multiprocessors = 132;
  }
  std::vector<Advice> advice() {
    facts_.trials = trials_;
    facts_.best = trials_.empty() ? nullptr : &*std::ranges::min_element(trials_, {}, [](const Trial& trial) {
      return trial.measurement.median_ns;
    });
    return advice_on(facts_);
  }
  // The advice about one thing.
  std::vector<Advice> about(const std::string& what) {
    std::vector<Advice> all = advice();
    std::erase_if(all, [&](const Advice& one) { return one.about != what; });
    return all;
  }

  AdviceFacts facts_;
  std::vector<Trial> trials_;
};

auto says(const std::string& text, const std::string& evidence) {
  return AllOf(Field(&Advice::text, HasSubstr(text)), Field(&Advice::evidence, HasSubstr(evidence)),
               Field(&Advice::threshold, testing::Not("")));
}

TEST_F(AdviceOnASession, IsNoneWithoutATrialThatWorked) { EXPECT_THAT(advice(), IsEmpty()); }

TEST_F(AdviceOnASession, NamesTheLimiterByTheMeasuredCeilings) {
  trials_ = {trial_of(1, {.grid = 5280, .block = 256})};
  facts_.ceilings = {};
  EXPECT_THAT(about("limiter"), IsEmpty());
  facts_.bound = Bound{"copy", 0.8};
  EXPECT_THAT(about("limiter"), ElementsAre(says("memory limits", "80 % of the measured copy ceiling")));
  EXPECT_THAT(about("limiter"), ElementsAre(says("at most 1.25x", "")));
  facts_.bound = Bound{"fma float", 0.9};
  EXPECT_THAT(about("limiter"), ElementsAre(says("arithmetic limits", "90 % of the measured fma float ceiling")));
  facts_.bound = Bound{"copy", 0.49};
  EXPECT_THAT(about("limiter"), ElementsAre(says("none of the ceilings", "49 %")));
  facts_.bound = Bound{"copy", 0.5};
  EXPECT_THAT(about("limiter"), IsEmpty());
}

TEST_F(AdviceOnASession, NamesLaunchingWhereItTakesHalfOfTheTime) {
  const std::vector<Ceiling> ceilings = {{"launch", 2500, "ns", "", "", ""}};
  facts_.ceilings = ceilings;
  facts_.bound = Bound{"copy", 0.1};
  trials_ = {trial_of(1, {.grid = 1, .block = 256, .microseconds = 5})};
  EXPECT_THAT(about("limiter"), ElementsAre(says("launching limits", "5.00 us, a launch that does nothing 2.50 us")));
  trials_ = {trial_of(1, {.grid = 1, .block = 256, .microseconds = 5.1})};
  EXPECT_THAT(about("limiter"), ElementsAre(says("none of the ceilings", "")));
}

TEST_F(AdviceOnASession, NamesSpillsBesideTheFastestThatSpillsNothing) {
  trials_ = {trial_of(1, {.grid = 528, .block = 256, .microseconds = 100}),
             trial_of(2, {.grid = 528, .block = 256, .microseconds = 130})};
  EXPECT_THAT(about("spills"), IsEmpty());
  trials_[0].usage.spill_bytes = 656;
  EXPECT_THAT(about("spills"), ElementsAre(says("spilled", "656 bytes per thread, at 32 registers")));
  EXPECT_THAT(about("spills"), ElementsAre(says("spilled", "1.30 times as long")));
  trials_[1].usage.spill_bytes = 4;
  EXPECT_THAT(about("spills"), ElementsAre(says("spilled", "every configuration of this session spills")));
}

// Two blocks of 1,024 threads fit on a multiprocessor.
TEST_F(AdviceOnASession, NamesATailWhereTheLastWaveIsNearlyEmpty) {
  trials_ = {trial_of(1, {.grid = 265, .block = 1024})};
  EXPECT_THAT(about("tail"), ElementsAre(says("up to 1.99x", "265 blocks in 1.00 waves of 2 x 132")));
  trials_ = {trial_of(1, {.grid = 264, .block = 1024})};
  EXPECT_THAT(about("tail"), IsEmpty());
  trials_ = {trial_of(1, {.grid = 2641, .block = 1024})};  // the eleventh wave loses 9 %
  EXPECT_THAT(about("tail"), IsEmpty());
  trials_ = {trial_of(1, {.grid = 100, .block = 1024})};  // less than a wave has no last one
  EXPECT_THAT(about("tail"), IsEmpty());
}

TEST_F(AdviceOnASession, ShowsTheHeuristicsOfBlockCountsBesideWhatWasFound) {
  trials_ = {trial_of(1, {.grid = 132, .block = 512, .microseconds = 100}),
             trial_of(2, {.grid = 1056, .block = 256, .microseconds = 110})};
  EXPECT_THAT(about("blocks"), ElementsAre(says("fewer blocks than the heuristics want",
                                                "132 blocks, 1 for each multiprocessor, 0.25 waves; the fastest that "
                                                "meets them takes 1.10 times as long")));
  trials_.pop_back();
  EXPECT_THAT(about("blocks"), ElementsAre(says("no configuration of this session meets the heuristics", "")));
  trials_ = {trial_of(1, {.grid = 264, .block = 512})};
  EXPECT_THAT(about("blocks"), ElementsAre(says("meets the heuristics", "264 blocks, 2 for each multiprocessor")));
}

TEST_F(AdviceOnASession, ComparesBytesInFlightWithWhatMemoryWants) {
  const std::vector<Ceiling> ceilings = {{"copy", 3e12, "B/s", "", "", ""}};  // 33.3 KiB in flight
  facts_.ceilings = ceilings;
  facts_.memory = "copy";
  facts_.bytes = 1e8;
  facts_.bound = Bound{"copy", 0.5};
  trials_ = {trial_of(1, {.grid = 132, .block = 256, .microseconds = 66.7})};
  EXPECT_THAT(about("in flight"), ElementsAre(says("each thread wants 134 bytes in flight", "256 threads")));
  facts_.bytes = 132 * 256 * 8;
  trials_ = {trial_of(1, {.grid = 132, .block = 256, .microseconds = 1})};
  EXPECT_THAT(about("in flight"), ElementsAre(says("too few bytes can be in flight", "move 8 bytes each")));
  facts_.bytes = 1e8;
  trials_ = {trial_of(1, {.grid = 132, .block = 256, .microseconds = 40})};  // 83 % of the ceiling
  EXPECT_THAT(about("in flight"), IsEmpty());
  trials_ = {trial_of(1, {.grid = 13200, .block = 256, .registers = 16, .microseconds = 66.7})};  // 2,048 threads
  facts_.bytes = 1e9;
  EXPECT_THAT(about("in flight"), IsEmpty());
  facts_.bound = Bound{"fma float", 0.6};
  trials_ = {trial_of(1, {.grid = 132, .block = 256, .microseconds = 1000})};
  EXPECT_THAT(about("in flight"), IsEmpty()) << "arithmetic is nearer to its ceiling";
}

// Trials of seven occupancies, by their registers.
std::vector<Trial> session_of(int count, double (*time)(int registers, int i)) {
  std::vector<Trial> trials;
  for (int i = 0; i < count; ++i) {
    const int registers = 32 + 32 * (i % 7);
    trials.push_back(
        trial_of(i, {.grid = 5280, .block = 256, .registers = registers, .microseconds = time(registers, i)}));
  }
  return trials;
}

TEST_F(AdviceOnASession, SaysThatOccupancyMadeNoDifferenceWhereTheTimesDoNotFollowIt) {
  const auto unrelated = [](int, int i) { return 100.0 + (i * 37) % 101; };
  trials_ = session_of(200, unrelated);
  EXPECT_THAT(about("occupancy"), ElementsAre(says("made no difference in this session", "over 200 trials")));
  trials_ = session_of(19, unrelated);
  EXPECT_THAT(about("occupancy"), IsEmpty()) << "too few to tell";
}

// Two occupancies in turn, and rising times: a correlation of 0.087 over 20 trials, and of 0.021 over 80.
TEST_F(AdviceOnASession, RanksOfEqualOccupanciesAreEqualAndFewTrialsTellNothing) {
  for (int i = 0; i < 80; ++i) {
    if (i == 20) {
      EXPECT_THAT(about("occupancy"), IsEmpty());
    }
    trials_.push_back(
        trial_of(i, {.grid = 5280, .block = 256, .registers = i % 2 == 0 ? 64 : 32, .microseconds = 100.0 + i}));
  }
  EXPECT_THAT(about("occupancy"), ElementsAre(says("made no difference", "rank correlation 0.02 ")));
}

TEST_F(AdviceOnASession, NamesTheNextStepWhereOccupancyDecided) {
  trials_ = session_of(200, [](int registers, int i) { return 100.0 + registers + i % 7; });
  for (Trial& trial : trials_)
    if (trial.usage.registers == 32) trial.usage.registers = 40;
  const std::vector<Advice> found = about("occupancy");
  EXPECT_THAT(found, ElementsAre(says("higher occupancy were faster", "over 200 trials")));
  EXPECT_THAT(found, ElementsAre(says("32 registers: 8 blocks instead of 6", "limited by registers")));
  trials_ = session_of(200, [](int registers, int) { return 1000.0 - registers; });
  EXPECT_THAT(about("occupancy"), IsEmpty()) << "lower occupancy was faster: that is said nowhere as a rule";
}

TEST_F(AdviceOnASession, NamesAParameterThatPadsWhereAllElseIsEqual) {
  const auto padded = [](std::int64_t pad, std::uint64_t shared, std::uint32_t grid, double time) {
    Trial trial = trial_of(1, {.grid = grid, .block = 256, .shared = shared, .microseconds = time});
    trial.configuration.set("PAD", Value(pad));
    return trial;
  };
  trials_ = {padded(0, 4096, 5280, 180), padded(1, 4224, 5280, 100)};
  EXPECT_THAT(about("bank stride"),
              ElementsAre(says("padding by PAD pays", "1.80x in 1 pair, such as PAD=1 instead of 0")));
  trials_ = {padded(0, 4096, 5280, 109), padded(1, 4224, 5280, 100)};
  EXPECT_THAT(about("bank stride"), IsEmpty()) << "too little";
  trials_ = {padded(0, 4096, 5280, 180), padded(1, 8192, 5280, 100)};
  EXPECT_THAT(about("bank stride"), IsEmpty()) << "more than padding";
  trials_ = {padded(0, 4096, 5280, 180), padded(1, 4224, 2640, 100)};
  EXPECT_THAT(about("bank stride"), IsEmpty()) << "another grid";
}

TEST_F(AdviceOnASession, NamesTheParameterThatExplainsMost) {
  trials_ = {trial_of(1, {.grid = 528, .block = 256})};
  Importance importance;
  EXPECT_THAT(about("parameter"), IsEmpty());
  facts_.importance = &importance;
  EXPECT_THAT(about("parameter"), IsEmpty());
  importance.parameters = {{"TILE", 0.62, 0.6, 0.64, {}}, {"PAD", 0.3, 0.3, 0.3, {}}};
  importance.trials = 200;
  importance.explained = 0.9;
  EXPECT_THAT(about("parameter"),
              ElementsAre(says("TILE explains more", "62 %, by a model of 200 trials that foretells 90 %")));
  importance.explained = 0.4;
  EXPECT_THAT(about("parameter"), IsEmpty());
  importance.explained = 0.9;
  importance.parameters[0].share = 0.29;
  EXPECT_THAT(about("parameter"), IsEmpty());
}

TEST_F(AdviceOnASession, OfTheHostSaysNothingOfMultiprocessors) {
  facts_.device.kind = "host";
  facts_.device.compute_capability = 0;
  trials_ = session_of(200, [](int, int i) { return 100.0 + (i * 37) % 101; });
  EXPECT_THAT(advice(), IsEmpty());
}

TEST_F(AdviceOnASession, SaysNothingOfALaunchWhoseResourcesAreNotKnown) {
  trials_ = {trial_of(1, {.grid = 265, .block = 1024})};
  ASSERT_THAT(advice(), testing::SizeIs(2)) << "tail and blocks";
  facts_.has_verify_steps = true;
  EXPECT_THAT(advice(), IsEmpty());
  facts_.has_verify_steps = false;
  trials_[0].usage.registers = 0;
  EXPECT_THAT(advice(), IsEmpty()) << "of PTX";
  trials_ = {trial_of(1, {.grid = 265, .block = 1024})};
  trials_[0].shapes.push_back(trials_[0].shapes[0]);
  EXPECT_THAT(advice(), IsEmpty()) << "of two steps";
}

}  // namespace
}  // namespace attune
