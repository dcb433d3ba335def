// What a device does wrong with one configuration, through the real worker processes: its verdict, the workers that
// were replaced, what the database holds, and that all others are tried.
#include <filesystem>

#include "faults/fault_bench.hpp"

namespace attune::test {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

class DeviceFaults : public FaultBench {
 protected:
  TuneRun run_with(const std::string& rule, CommandOptions options = {}) const {
    faults(std::string("A=5&B=4 ") + rule + "\n");
    return tune_recording({}, std::move(options));
  }
};

TEST_F(DeviceFaults, NothingGoesWrongWithoutAFault) {
  const TuneRun run = tune_recording();
  EXPECT_EQ(run.command.code, 0) << run.command.err;
  EXPECT_EQ(count_of_verdict(Verdict::ok), all);
  EXPECT_EQ(run.workers_replaced(), 0);
  EXPECT_EQ(log().count("worker device"), 1);
}

struct Fault {
  const char* rule;
  Verdict verdict;
  const char* detail;
  bool kills = true;  // its worker, so that a fresh one tries it once more
};

const Fault device_faults[] = {
    {"launch * error 701", Verdict::resources, "701", false},
    {"load * error 2", Verdict::out_of_memory, "CUDA error 2", false},
    {"launch * error 700", Verdict::fault, "700"},
    {"sample * error 716", Verdict::fault, "716"},
    {"launch * later 719", Verdict::fault, "719"},
    {"launch * hang", Verdict::timeout, "no answer within"},
    {"sample * stubborn", Verdict::timeout, "no answer within"},
    {"launch * exit 3", Verdict::fault, "exited with code 3"},
    {"synchronize * signal 11", Verdict::fault, "killed by signal 11"},
    {"launch * half", Verdict::fault, "exited with code 0"},
    {"launch * garbage", Verdict::fault, "sent a damaged message"},
    {"launch * far", Verdict::guard, "wrote far outside"},
    // Times that no clock can show make no winner.
    {"sample * time 0", Verdict::unstable, "clock gave", false},
    {"sample * time -5", Verdict::unstable, "clock gave", false},
    {"sample * time nan", Verdict::unstable, "clock gave", false},
    {"sample * time inf", Verdict::unstable, "clock gave", false},
};

// Each fault has a configuration of its own, all in one session: A is 1, 2, 4 or 5, and the best has 3.
TEST_F(DeviceFaults, AreTheirConfigurationsVerdict) {
  const auto configuration = [](std::size_t i, const char* between) {
    return "A=" + std::to_string(i < 5 ? 1 : i < 10 ? 4 : i < 15 ? 5 : 2) + between + "B=" + std::to_string(i % 5);
  };
  std::string rules;
  for (std::size_t i = 0; i < std::size(device_faults); ++i)
    rules += configuration(i, "&") + " " + device_faults[i].rule + "\n";
  faults(rules);
  CommandOptions options;
  options.environment["ATTUNE_LAUNCH_LIMIT"] = "0.3";
  const TuneRun run = tune_recording({}, std::move(options));
  EXPECT_EQ(run.command.code, 0) << run.command.err;
  EXPECT_LT(run.seconds, 60);
  EXPECT_EQ(run.best.at("configuration").at("A"), 3);
  EXPECT_THAT(attempts(), IsEmpty());
  const std::map<std::string, Trial> found = trials();
  std::size_t killers = 0;
  for (std::size_t i = 0; i < std::size(device_faults); ++i) {
    const Fault& fault = device_faults[i];
    const std::string name = configuration(i, " ");
    const Trial& trial = found.at(name);
    EXPECT_EQ(to_text(trial.verdict), to_text(fault.verdict)) << fault.rule << ": " << trial.detail;
    EXPECT_THAT(trial.detail, HasSubstr(fault.detail)) << fault.rule;
    EXPECT_EQ(trial.attempts, fault.kills ? 2 : 1) << fault.rule;
    EXPECT_EQ(log().count("try 2 " + name), fault.kills ? 1 : 0) << fault.rule;
    killers += fault.kills;
  }
  EXPECT_EQ(count_of_verdict(Verdict::ok), all - static_cast<int>(std::size(device_faults)));
  EXPECT_EQ(run.workers_replaced(), 2 * static_cast<int>(killers));
  EXPECT_EQ(quarantined().size(), killers);
  EXPECT_EQ(run.notes.size(), 2 * killers) << "tried once more, quarantined";
}

TEST_F(DeviceFaults, OneDeathIsForgivenWhenTheSecondAttemptPasses) {
  const TuneRun run = run_with("launch 1 signal 9");
  EXPECT_EQ(run.command.code, 0) << run.command.err;
  EXPECT_EQ(count_of_verdict(Verdict::ok), all);
  EXPECT_EQ(trials().at(bad).attempts, 2);
  EXPECT_EQ(run.workers_replaced(), 1);
  EXPECT_THAT(quarantined(), IsEmpty());
  EXPECT_THAT(attempts(), IsEmpty());
}

// The best of all dies once while it is sampled: the candidates that live on in the final stage are loaded anew.
TEST_F(DeviceFaults, ADefaultThatDiesOnceIsStillTheAnchor) {
  faults("A=0&B=0 sample 1 signal 11\n");
  const TuneRun run = tune_recording();
  EXPECT_EQ(trials().at("A=0 B=0").verdict, Verdict::ok) << trials().at("A=0 B=0").detail;
  EXPECT_EQ(trials().at("A=0 B=0").attempts, 2);
  EXPECT_THAT(quarantined(), IsEmpty());
  EXPECT_EQ(run.best.at("configuration").at("A"), 3) << run.command.err;
}

TEST_F(DeviceFaults, ADefaultThatKillsIsNoAnchorAndTheSearchGoesOn) {
  faults("A=0&B=0 launch * error 700\n");
  const TuneRun run = tune_recording();
  EXPECT_EQ(run.command.code, 0) << run.command.err;
  EXPECT_EQ(trials().at("A=0 B=0").verdict, Verdict::fault);
  EXPECT_EQ(count_of_verdict(Verdict::ok), all - 1);
  EXPECT_EQ(run.best.at("configuration").at("A"), 3);
}

TEST_F(DeviceFaults, AWorkerThatLeaksIsReplacedBeforeItFails) {
  faults("* launch * leak 40\n");
  const TuneRun run = tune_recording();
  EXPECT_EQ(run.command.code, 0) << run.command.err;
  EXPECT_EQ(count_of_verdict(Verdict::ok), all);
  EXPECT_GE(run.workers_replaced(), 1);  // of 1 GiB 40 MiB are gone for each launch; one of eight trials looks
  EXPECT_THAT(quarantined(), IsEmpty());
}

// Samples of finalists are enqueued together: a death among them blames none, until they are sampled one at a time.
TEST_F(DeviceFaults, AFinalistThatKillsAmongOthersIsFoundAndTheOthersGoOn) {
  for (const char* fault : {"signal 9", "error 700", "error 701"}) {
    faults(std::string("A=3&B=2 sample n>30 ") + fault + "\n");
    std::filesystem::remove(database());
    const TuneRun run = tune_recording({"--device", "replay:" + recording(6, 5, 0.05) + ",workers"});
    EXPECT_EQ(run.command.code, 0) << run.command.err;
    EXPECT_THAT(run.notes,
                Contains(AllOf(HasSubstr("one of several that were sampled together"),
                               HasSubstr("sampled one at a time from here: "), HasSubstr(best), HasSubstr("A=0 B=0"))));
    const std::map<std::string, Trial> found = trials();
    const bool is_sticky = fault != std::string("error 701");
    EXPECT_EQ(to_text(found.at(best).verdict), to_text(is_sticky ? Verdict::fault : Verdict::resources)) << fault;
    EXPECT_EQ(count_of_verdict(Verdict::ok), all - 1);
    EXPECT_NE(run.best.at("configuration"), (nlohmann::json{{"A", 3}, {"B", 2}}));
    EXPECT_EQ(run.workers_replaced(), is_sticky ? 2 : 0);
    if (fault != std::string("signal 9")) continue;
    EXPECT_THAT(quarantined(), testing::IsEmpty()) << "killed from outside perhaps";
    faults("");
    const TuneRun next = tune_recording({"--device", "replay:" + recording(6, 5, 0.05) + ",workers"});
    EXPECT_EQ(to_text(trials().at(best).verdict), "ok") << next.command.err;
  }
}

// It hangs among others, then alone: longer than finalists may be compared, by the clock of a real device. Both times
// in the first 30 rounds, from which no finalist leaves. Times without scatter: it is screened and confirmed by few
// samples.
TEST_F(DeviceFaults, AFinalistThatHangsAmongOthersTakesNoTimeOfTheirs) {
  faults("BLOCK=512 sample n>12 hang\n* sample * time 1000000\n");
  CommandOptions options;
  options.environment["ATTUNE_LAUNCH_LIMIT"] = "9";
  const TuneRun run =
      tune({"axpy", "--device", "host", "--problem", "n=65536 T=float", "--parameters",
            "BLOCK=256,128,512 VECTOR=1 ITEMS=1 CACHE=Cache::plain BLOCKS_PER_SM=0", "--db", database()},
           options);
  EXPECT_EQ(run.command.code, 0) << run.command.err;
  EXPECT_THAT(run.notes, Contains(HasSubstr("one of several that were sampled together")));
  EXPECT_EQ(count_of_verdict(Verdict::timeout), 1);
  EXPECT_EQ(run.best.at("survivors"), 2);
  EXPECT_EQ(run.workers_replaced(), 2);
  const Record record = WisdomStore(database(), WisdomStore::Access::read_only).records().at(0);
  EXPECT_GE(record.rounds + record.rounds_dropped, 30) << "as many as when nobody hangs";
}

}  // namespace
}  // namespace attune::test
