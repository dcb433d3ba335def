// What a device does wrong with one configuration, through the real worker processes: its verdict, the workers that
// were replaced, what the database holds, and that all others are tried.
#include <filesystem>

#include "faults/fault_bench.hpp"

namespace attune::test {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class DeviceFaults : public FaultBench {
 protected:
  // One configuration gets `verdict`, with `detail` in its words, and nothing else happens.
  void expect_verdict(const TuneRun& run, Verdict verdict, const std::string& detail) const {
    EXPECT_EQ(run.command.code, 0) << run.command.err;
    const std::map<std::string, Trial> found = trials();
    ASSERT_EQ(found.size(), static_cast<std::size_t>(all));
    EXPECT_EQ(to_text(found.at(bad).verdict), to_text(verdict)) << found.at(bad).detail;
    EXPECT_THAT(found.at(bad).detail, HasSubstr(detail));
    EXPECT_EQ(count_of_verdict(Verdict::ok), all - 1);
    EXPECT_THAT(attempts(), IsEmpty());
    EXPECT_EQ(run.best.at("configuration").at("A"), 3);
  }
  // The worker died of it twice.
  void expect_quarantined(const TuneRun& run, Verdict verdict, const std::string& detail) const {
    expect_verdict(run, verdict, detail);
    EXPECT_EQ(run.workers_replaced(), 2);
    EXPECT_EQ(trials().at(bad).attempts, 2);
    EXPECT_THAT(quarantined(), ElementsAre(AllOf(HasSubstr("5"), HasSubstr("4"))));
    EXPECT_THAT(run.notes, ElementsAre(HasSubstr("tried once more"), HasSubstr("quarantined after two deaths")));
    EXPECT_EQ(log().count("try 1 A=5 B=4"), 1);
    EXPECT_EQ(log().count("try 2 A=5 B=4"), 1);
  }
  // Its own affair: no worker died.
  void expect_harmless(const TuneRun& run, Verdict verdict, const std::string& detail) const {
    expect_verdict(run, verdict, detail);
    EXPECT_EQ(run.workers_replaced(), 0);
    EXPECT_EQ(trials().at(bad).attempts, 1);
    EXPECT_THAT(quarantined(), IsEmpty());
  }
  TuneRun run_with(const std::string& rule, CommandOptions options = {}) const {
    faults(std::string("A=5&B=4 ") + rule + "\n");
    return tune_recording({}, std::move(options));
  }
  static CommandOptions short_launches() {
    CommandOptions options;
    options.environment["ATTUNE_LAUNCH_LIMIT"] = "0.3";
    return options;
  }
};

TEST_F(DeviceFaults, NothingGoesWrongWithoutAFault) {
  const TuneRun run = tune_recording();
  EXPECT_EQ(run.command.code, 0) << run.command.err;
  EXPECT_EQ(count_of_verdict(Verdict::ok), all);
  EXPECT_EQ(run.workers_replaced(), 0);
  EXPECT_EQ(log().count("worker device"), 1);
}

struct Case {
  const char* name;
  const char* rule;
  Verdict verdict;
  const char* detail;
  bool kills = true;  // its worker, so that a fresh one tries it once more
  bool is_late = false;
};
void PrintTo(const Case& one, std::ostream* out) { *out << one.name; }

class DeviceFaultsOf : public DeviceFaults, public testing::WithParamInterface<Case> {};

TEST_P(DeviceFaultsOf, AreTheirConfigurationsVerdict) {
  const Case& one = GetParam();
  const TuneRun run = run_with(one.rule, one.is_late ? short_launches() : CommandOptions{});
  one.kills ? expect_quarantined(run, one.verdict, one.detail) : expect_harmless(run, one.verdict, one.detail);
  if (one.is_late) {
    EXPECT_LT(run.seconds, 30);
  }
}

const Case cases[] = {
    {"OutOfResources", "launch * error 701", Verdict::resources, "701", false},
    {"OutOfMemory", "load * error 2", Verdict::out_of_memory, "CUDA error 2", false},
    {"StickyError", "launch * error 700", Verdict::fault, "700"},
    {"StickyErrorOfASample", "sample * error 716", Verdict::fault, "716"},
    {"ErrorThatALaterSynchronisationTells", "launch * later 719", Verdict::fault, "719"},
    {"Hang", "launch * hang", Verdict::timeout, "no answer within", true, true},
    {"HangThatSurvivesSigterm", "sample * stubborn", Verdict::timeout, "no answer within", true, true},
    {"ExitWithoutAReply", "launch * exit 3", Verdict::fault, "exited with code 3"},
    {"WriteFarOutsideItsArrays", "launch * far", Verdict::guard, "wrote far outside"},
    {"Crash", "synchronize * signal 11", Verdict::fault, "killed by signal 11"},
    {"HalfAMessage", "launch * half", Verdict::fault, "exited with code 0"},
    {"SomethingElseThanAMessage", "launch * garbage", Verdict::fault, "sent a damaged message"},
    // Times that no clock can show make no winner.
    {"TimeOfZero", "sample * time 0", Verdict::unstable, "clock gave", false},
    {"NegativeTime", "sample * time -5", Verdict::unstable, "clock gave", false},
    {"TimeThatIsNoNumber", "sample * time nan", Verdict::unstable, "clock gave", false},
    {"InfiniteTime", "sample * time inf", Verdict::unstable, "clock gave", false},
};

INSTANTIATE_TEST_SUITE_P(, DeviceFaultsOf, testing::ValuesIn(cases), [](const auto& one) { return one.param.name; });

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
