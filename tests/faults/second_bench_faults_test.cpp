// What goes wrong on the second of several benches, each with worker processes of its own: the session ends with a
// record, every configuration has its verdict, and nothing is lost.
#include "faults/fault_bench.hpp"

namespace attune::test {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

struct SecondBenchFault {
  const char* name;
  const char* rule;
  int benches_lost = 0;
  Verdict verdict = Verdict::ok;  // of what the fault struck
  int attempts = 1;               // the most of a configuration
  int benches = 2;
};

// None of what is blamed is the best, and some of each kind come to the second bench. A trial takes six samples.
const SecondBenchFault second_bench_faults[] = {
    {"KilledOnce", "B=4&bench-2 launch 1 signal 9", 0, Verdict::ok, 2},
    {"Crashes", "B=4&bench-2 launch * signal 11", 0, Verdict::fault, 2},
    {"Hangs", "A=3&B=4&bench-2 launch * hang", 0, Verdict::timeout, 2},
    {"HasAnErrorOfTheDevice", "B=4&bench-2 sample * error 700", 0, Verdict::fault, 2},
    {"IsLostAtBegin", "reference&bench-2 launch * vanish", 1},
    {"IsLostAtItsAnchor", "A=0&B=0&bench-2 load * vanish", 1},
    {"IsLostAtLoad", "A=5&bench-2 load * vanish", 1},
    {"IsLostAtASample", "A=4&bench-2 sample * vanish", 1},
    {"IsLostInConfirming", "bench-2 sample n>6 vanish", 1},
    {"IsLostInTheFinalStage", "bench-2 sample n>15 vanish", 1},
    {"AndTheNextOneAreLost", "A=5&B=4 launch * vanish", 2, Verdict::fault, 2, 3},
};

class SecondBenchFaults : public FaultBench, public testing::WithParamInterface<SecondBenchFault> {};

TEST_P(SecondBenchFaults, LoseNothing) {
  const SecondBenchFault& fault = GetParam();
  faults(std::string(fault.rule) + "\n");
  const std::string device = "replay:" + recording(6, 5) + ",workers,benches=" + std::to_string(fault.benches);
  CommandOptions options;
  if (fault.verdict == Verdict::timeout) options.environment["ATTUNE_LAUNCH_LIMIT"] = "0.1";
  const TuneRun run = tune_recording({"--device", device, "--strategy", "random"}, options);
  EXPECT_EQ(run.command.code, 0) << run.command.err;
  ASSERT_FALSE(run.best.is_null());
  EXPECT_EQ(run.best.at("configuration"), (nlohmann::json{{"A", 3}, {"B", 2}}));
  EXPECT_THAT(attempts(), IsEmpty());
  int struck = 0, most_attempts = 0;
  for (const auto& [configuration, trial] : trials()) {
    struck += trial.verdict != Verdict::ok;
    most_attempts = std::max(most_attempts, trial.attempts);
    EXPECT_TRUE(trial.verdict == Verdict::ok || trial.verdict == fault.verdict) << configuration << " " << trial.detail;
  }
  EXPECT_THAT(trials(), SizeIs(all));
  EXPECT_EQ(struck > 0, fault.verdict != Verdict::ok);
  EXPECT_EQ(most_attempts, fault.attempts);
  EXPECT_THAT(quarantined(), SizeIs(static_cast<std::size_t>(struck)));
  int lost = 0;
  for (const std::string& note : run.notes) lost += note.find("has no part in the session from here: ") != note.npos;
  EXPECT_EQ(lost, fault.benches_lost) << run.command.out;
}

INSTANTIATE_TEST_SUITE_P(Rows, SecondBenchFaults, testing::ValuesIn(second_bench_faults),
                         [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace attune::test
