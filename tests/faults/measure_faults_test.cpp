// Devices that change while they are measured: clocks that drop, other processes, what energy they take.
#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>

#include "faults/fault_bench.hpp"

namespace attune::test {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr double speedup = 2 / 1.1, scatter = 0.005;  // of samples, 0.1 %, by 0.1 %

class MeasureFaults : public FaultBench {
 protected:
  Record record() const {
    const std::vector<Record> all = WisdomStore(database(), WisdomStore::Access::read_only).records();
    EXPECT_EQ(all.size(), 1u);
    return all.at(0);
  }
  std::vector<FinalistResult> finalists() const {
    return WisdomStore(database(), WisdomStore::Access::read_only).finalists(record().uuid);
  }
};

// What is left of a steady device: the speed-up does not change, whatever clock it was measured at.
TEST_F(MeasureFaults, RoundsInWhichTheHardwareHoldsBackAreDroppedAndCounted) {
  faults("A=3&B=1 sample n30-32 drop 30\n");
  const TuneRun run = tune_recording();
  ASSERT_EQ(run.command.code, 0) << run.command.err;
  EXPECT_THAT(run.notes, Contains(HasSubstr("holds itself back: hardware thermal slowdown")));
  EXPECT_GE(run.best.at("rounds_throttled"), 3);
  EXPECT_LE(run.best.at("rounds_throttled"), 5);
  EXPECT_EQ(record().rounds_dropped, run.best.at("rounds_dropped"));
  EXPECT_GE(record().rounds_dropped, 3);
  EXPECT_EQ(record().rounds + record().rounds_dropped, 60);
  EXPECT_FALSE(record().unstable);
  EXPECT_EQ(record().configuration.text(), best);
  EXPECT_NEAR(record().speedup, speedup, scatter);
  EXPECT_EQ(record().sm_clock_mhz, 2000);
}

// Rounds of a short kernel are asked for up to 20 ms at once: a reading among them is of all of those, and of the next.
TEST_F(MeasureFaults, AReadingIsOfAllRoundsThatWereAskedForAtOnce) {
  faults("A=3&B=2 sample n60-62 drop 30\n");
  const TuneRun run = tune_recording({"--device", "replay:" + recording(6, 5, 0.05) + ",workers"});
  ASSERT_EQ(run.command.code, 0) << run.command.err;
  EXPECT_GE(run.best.at("rounds_throttled"), 15);
  EXPECT_LE(run.best.at("rounds_throttled"), 40);
  EXPECT_EQ(record().rounds_dropped, run.best.at("rounds_dropped"));
  EXPECT_TRUE(record().unstable) << "of 60";
  EXPECT_EQ(record().configuration.text(), best);
  EXPECT_NEAR(record().speedup, speedup, scatter);
}

// In three rounds all but the default and the best by screening, which were sampled more often before.
TEST_F(MeasureFaults, AClockThatDropsAndToldNobodyIsSeenByTheRounds) {
  faults("* sample n40-42 slow 30\n");
  const TuneRun run = tune_recording();
  ASSERT_EQ(run.command.code, 0) << run.command.err;
  EXPECT_EQ(run.best.at("rounds_throttled"), 0);
  EXPECT_EQ(run.best.at("rounds_dropped"), 3);
  EXPECT_FALSE(record().unstable);
  EXPECT_EQ(record().configuration.text(), best);
  EXPECT_NEAR(record().speedup, speedup, scatter);
}

TEST_F(MeasureFaults, ADeviceThatHoldsBackForGoodMakesAnUnstableRecord) {
  faults("A=3&B=1 sample n>28 drop 30\n");
  const TuneRun run = tune_recording();
  ASSERT_EQ(run.command.code, 0) << run.command.err;
  EXPECT_TRUE(record().unstable);
  EXPECT_EQ(record().configuration.text(), best);
  EXPECT_NEAR(record().speedup, speedup, scatter);
  const CommandResult shown = attune({"tune", "--device", "replay:" + recording(6, 5), "--db", database()});
  EXPECT_THAT(shown.out, HasSubstr("unstable: "));
}

TEST_F(MeasureFaults, AnotherProcessOnTheDeviceIsNotedAndMarksTheRecord) {
  faults("* state * user 4711\n");
  const TuneRun run = tune_recording();
  ASSERT_EQ(run.command.code, 0) << run.command.err;
  EXPECT_THAT(run.notes, Contains("another process uses the device: python3 (4711)"));
  EXPECT_TRUE(record().busy);
  EXPECT_EQ(record().configuration.text(), best);
}

// B=2 and B=3 take the same time; the record is found where B=2 is not looked at.
TEST_F(MeasureFaults, ARecordOfABusyDeviceLosesTies) {
  for (const bool busy : {false, true}) {
    std::filesystem::remove(database());
    faults(busy ? "* state * user 4711\n" : "");
    ASSERT_EQ(tune_recording({"--parameters", "B=0,1,3,4"}).command.code, 0);
    ASSERT_EQ(record().configuration.text(), "A=3 B=3");
    faults("");
    ASSERT_EQ(tune_recording().command.code, 0);
    EXPECT_EQ(record().configuration.text(), busy ? best : "A=3 B=3");
    EXPECT_FALSE(record().busy);
  }
}

TEST_F(MeasureFaults, AQuietRecordThatWinsOnABusyDeviceKeepsItsFigures) {
  faults("");
  ASSERT_EQ(tune_recording({"--parameters", "B=0,1,3,4"}).command.code, 0);
  const Record quiet = record();
  faults("* state * user 4711\n");
  ASSERT_EQ(tune_recording({"--fresh"}).command.code, 0);
  EXPECT_EQ(record().configuration.text(), "A=3 B=3");
  EXPECT_FALSE(record().busy);
  EXPECT_EQ(record().made_ms, quiet.made_ms);
  EXPECT_NE(record().space, quiet.space) << "all of it was searched now";
  EXPECT_FALSE(finalists().empty());
  faults("");
  ASSERT_EQ(tune_recording({"--fresh"}).command.code, 0);
  EXPECT_EQ(record().configuration.text(), "A=3 B=3");
}

TEST_F(MeasureFaults, AQuietDeviceLeavesNoMark) {
  faults("");
  ASSERT_EQ(tune_recording().command.code, 0);
  EXPECT_FALSE(record().busy);
  EXPECT_FALSE(record().unstable);
  EXPECT_EQ(record().rounds_dropped, 0);
  EXPECT_EQ(record().batch, 1);
  EXPECT_NEAR(record().anchor_ratio, 1, 1e-9);
}

// The second best takes a third of the power: slower by less than that.
TEST_F(MeasureFaults, EnergyIsMeteredOfFinalistsAndDecides) {
  faults("A=3&B=1 state * energy 100\n* state * energy 300\n");
  const TuneRun run = tune_recording({"--objective", "energy, time"});
  ASSERT_EQ(run.command.code, 0) << run.command.err;
  const Record found = record();
  EXPECT_EQ(found.key.objective, "energy, time");
  EXPECT_EQ(found.configuration.text(), "A=3 B=1");
  EXPECT_NEAR(found.value, 100 * found.median_ns * 1e-9, 0.02 * found.value);
  EXPECT_NEAR(found.default_value, 300 * 2e-3, 0.02 * 0.6);
  EXPECT_NEAR(found.speedup, found.default_value / found.value, 0.01 * found.speedup);
  EXPECT_LT(found.speedup_low, 0.999 * found.speedup) << "no metering is exact";
  EXPECT_GT(found.speedup_high, 1.001 * found.speedup);
  std::vector<std::string> front;
  for (const FinalistResult& result : finalists()) {
    ASSERT_TRUE(result.energy_j);
    EXPECT_GT(result.energy_error, 0);
    EXPECT_LT(result.energy_error, 0.05);
    EXPECT_EQ(result.deterministic, true);
    if (result.pareto) front.push_back(result.configuration.text());
  }
  // B=2 and B=3 take the same, but for what the counter's steps make of it.
  EXPECT_THAT(front,
              testing::AnyOf(testing::ElementsAre("A=3 B=1", best), testing::ElementsAre("A=3 B=1", best, "A=3 B=3")))
      << "less energy, less time";
}

// All is tried and compared; from a finalist's 121st sample on it is metered, which takes seconds.
TEST_F(MeasureFaults, AnInterruptWhileEnergyIsMeteredDecidesNothingAndTheSameCommandGoesOn) {
  const std::string watts = "* state * energy 300\n";
  faults("* sample n>120 sleep 1\n" + watts);
  CommandOptions options;
  options.signal_when = [](const std::string& out) {
    if (count_of(out, "\"type\":\"trial\"") < 30) return 0;
    usleep(1'500'000);
    return SIGINT;
  };
  const TuneRun run = tune_recording({"--objective", "energy"}, options);
  EXPECT_EQ(run.command.code, 130) << run.command.err;
  EXPECT_EQ(run.best.at("end"), "interrupted");
  EXPECT_THAT(std::string(run.best.at("explanation")),
              HasSubstr("interrupted before the energy of finalists was metered"));
  EXPECT_LT(run.seconds, 15) << "one metering was under way, no other was begun";
  EXPECT_THAT(WisdomStore(database(), WisdomStore::Access::read_only).records(), IsEmpty());
  faults(watts);
  const TuneRun next = tune_recording({"--objective", "energy"});
  EXPECT_EQ(next.command.code, 0) << next.command.err;
  EXPECT_EQ(record().configuration.text(), best);
}

TEST_F(MeasureFaults, EnergyThatADeviceDoesNotTellIsNoObjective) {
  faults("");
  const TuneRun run = tune_recording({"--objective", "time * energy"});
  EXPECT_EQ(run.command.code, 2);
  EXPECT_THAT(run.command.err, HasSubstr("the objective `time * energy` needs energy"));
  EXPECT_THAT(run.trials, IsEmpty());
}

// Samples of a busy machine: every interval contains 0. The lesser text is the slower one. Medians are relative to
// their rounds, so that plain ones may come in another order where they are near.
TEST_F(MeasureFaults, UnderNoiseTheLeastMedianWinsAndIsNotSettled) {
  nlohmann::json file = {{"device_name", "Busy CPU"},        {"kernel_name", "noisy"}, {"problem_size", {64, 64}},
                         {"tune_params_keys", {"A"}},        {"objective", "time"},    {"tune_params", {{"A", {0}}}},
                         {"cache", nlohmann::json::object()}};
  for (int a = 0; a < 8; ++a) {
    if (a > 0) file["tune_params"]["A"].push_back(a);
    const double time = a == 0 ? 150 : 40 + 2 * (8 - a);
    std::vector<double> times;
    for (const double factor : {0.6, 0.8, 1.0, 1.3, 1.9}) times.push_back(time * factor);
    file["cache"][std::to_string(a)] = {{"A", a}, {"time", time}, {"times", times}, {"compile_time", 1.0}};
  }
  const std::string recording = write("noisy.json", file.dump());
  int unsettled = 0;
  for (int seed = 1; seed <= 6; ++seed) {
    const std::string own = (folder_ / fmt::format("{}.db", seed)).string();
    const CommandResult run = attune({"tune", "--device", fmt::format("replay:{},noise,seed={}", recording, seed),
                                      "--seed", std::to_string(seed), "--strategy", "exhaustive", "--db", own});
    ASSERT_EQ(run.code, 0) << run.err;
    WisdomStore store(own);
    const Record record = store.records().at(0);
    const std::vector<FinalistResult> finalists = store.finalists(record.uuid);
    for (const FinalistResult& rival : finalists)
      EXPECT_LE(record.median_ns, rival.measurement.median_ns * 1.12)
          << seed << ": " << record.configuration.text() << " beside " << rival.configuration.text();
    unsettled += !record.settled;
    EXPECT_EQ(run.out.find("not settled") != std::string::npos, !record.settled) << run.out;
  }
  EXPECT_GT(unsettled, 0);
}

}  // namespace
}  // namespace attune::test
