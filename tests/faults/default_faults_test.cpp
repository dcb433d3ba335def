// The kernel's own default: what a session compares with, whatever it is narrowed to, and what becomes of one that
// fails. Through the real program on the host device.
#include <SQLiteCpp/Database.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "faults/fault_bench.hpp"

namespace attune::test {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

class DefaultFaults : public FaultBench {
 protected:
  // faulty.cu with these values of FAULT, the first one the default.
  std::string faulty(const std::string& values, bool has_reference = true) const {
    std::ifstream in(ATTUNE_SOURCE_DIR "/tests/faults/faulty.cu");
    std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    const auto replace = [&](const std::string& from, const std::string& to, const std::string& by) {
      const std::size_t begin = text.find(from);
      text.replace(begin, text.find(to, begin) - begin, by);
    };
    replace("FAULT = [", "[[launch]]", "FAULT = [" + values + "]\n");
    if (!has_reference) replace("[[reference]]", "[check]", "");
    const std::string file = (folder_ / (has_reference ? "faulty.cu" : "unreferenced.cu")).string();
    std::ofstream(file) << text;
    return file;
  }
  Record record() const { return WisdomStore(database()).records().at(0); }
  std::vector<std::string> finalists() const {
    WisdomStore store(database());
    std::vector<std::string> texts;
    for (const FinalistResult& one : store.finalists(store.records().at(0).uuid))
      texts.push_back(one.configuration.text());
    return texts;
  }
};

TEST_F(DefaultFaults, ANarrowedSessionComparesWithTheKernelsOwnDefault) {
  const TuneRun run = tune({scale(), "--parameters", "BLOCK=32", "--db", database()});
  ASSERT_EQ(run.command.code, 0) << run.command.err;
  EXPECT_THAT(finalists(), Contains("BLOCK=64 ITEMS=1"));
  EXPECT_TRUE(record().narrowed);
  EXPECT_EQ(record().default_verdict, Verdict::ok);
  EXPECT_GT(record().default_ns, 0);
  EXPECT_EQ(run.trials.front().at("configuration"), (nlohmann::json{{"BLOCK", 64}, {"ITEMS", 1}}));
  EXPECT_THAT(attune({"show", "scale", "--db", database()}).out, HasSubstr("narrowed:"));
}

TEST_F(DefaultFaults, OfADefaultThatFailsNoSpeedUpIsTold) {
  const TuneRun run = tune({faulty(R"("Fault::traps", "Fault::fine", "Fault::none")"), "--db", database()});
  ASSERT_EQ(run.command.code, 0) << run.command.err;
  EXPECT_EQ(record().default_verdict, Verdict::fault);
  EXPECT_EQ(record().default_ns, 0);
  EXPECT_EQ(record().speedup, 1);
  EXPECT_THAT(run.notes, Contains(AllOf(HasSubstr("the default configuration FAULT=Fault::traps fails (fault:"),
                                        HasSubstr("no speed-up"))));
  EXPECT_THAT(attune({"show", "faulty", "--db", database()}).out,
              AllOf(HasSubstr("default configuration failed (fault)"), Not(HasSubstr("1.00x"))));
}

// No record is near: an application would get an error, though what was found elsewhere is legal.
TEST_F(DefaultFaults, OneThatFailedGivesWayToWhatIsKnownOfOtherSizes) {
  const std::string file = faulty(R"("Fault::traps", "Fault::fine", "Fault::none")");
  ASSERT_EQ(tune({file, "--db", database()}).command.code, 0);
  const CommandResult far = attune({"plan", file, "--problem", "n=900000", "--device", "host", "--db", database()});
  EXPECT_EQ(far.code, 0) << far.err;
  EXPECT_THAT(far.out, AllOf(HasSubstr(record().configuration.text()), HasSubstr("n=1000"),
                             HasSubstr("the default configuration failed (fault)"), Not(HasSubstr("1.00x"))));
  const CommandResult own = attune({"plan", file, "--device", "host", "--db", database()});
  EXPECT_THAT(own.out,
              AllOf(HasSubstr("the default configuration failed (fault)"), Not(HasSubstr("over the default"))));
}

TEST_F(DefaultFaults, WhereTheDefaultFailsTheFirstValuesLeftAreTheAnchorOfANarrowedSession) {
  const TuneRun run = tune({faulty(R"("Fault::traps", "Fault::fine", "Fault::none")"), "--parameters",
                            "FAULT=Fault::fine,Fault::none", "--db", database()});
  ASSERT_EQ(run.command.code, 0) << run.command.err;
  EXPECT_EQ(record().default_verdict, Verdict::fault);
  EXPECT_EQ(record().default_ns, 0);
  EXPECT_EQ(trials().at("FAULT=Fault::traps").verdict, Verdict::fault);
  EXPECT_GT(trials().at("FAULT=Fault::none").anchor_ns, 0) << "the times are relative to the first values left";
}

// Values were left out so that results repeat bit for bit: a default that does not would be no answer.
TEST_F(DefaultFaults, OneThatIsNotDeterministicIsNoAnchorWhereAllThatIsLeftIs) {
  std::ifstream in(scale());
  std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  text.replace(text.find("[problem]"), 0, "deterministic = \"ITEMS == 2\"\n");
  const std::string file = write("repeats.cu", text);
  const TuneRun run = tune({file, "--parameters", "ITEMS=2", "--db", database()});
  ASSERT_EQ(run.command.code, 0) << run.command.err;
  EXPECT_EQ(run.trials.front().at("configuration"), (nlohmann::json{{"BLOCK", 64}, {"ITEMS", 2}}));
  EXPECT_EQ(record().default_verdict, Verdict::restricted);
  EXPECT_EQ(record().default_ns, 0);
  EXPECT_THAT(finalists(), Not(Contains("BLOCK=64 ITEMS=1")));
  EXPECT_THAT(run.notes, Contains(HasSubstr("no speed-up is told")));
}

TEST_F(DefaultFaults, AreNamedWithTheirRemediesWhereThereIsNoReference) {
  const std::string file = faulty(R"("Fault::traps", "Fault::fine", "Fault::none")", false);
  const TuneRun run = tune({file, "--db", database()});
  EXPECT_EQ(run.command.code, 3);
  EXPECT_THAT(run.command.err, AllOf(HasSubstr("the default configuration is FAULT=Fault::traps"),
                                     HasSubstr("put values first that run here"), HasSubstr("[[reference]]")));
  const TuneRun narrowed = tune({file, "--parameters", "FAULT=Fault::fine,Fault::none", "--db", database()});
  EXPECT_EQ(narrowed.command.code, 0) << narrowed.command.err;
  EXPECT_THAT(narrowed.notes, Contains(HasSubstr("results are compared with those of FAULT=Fault::fine")));
}

// Without a reference it hangs while the data are made, which have a quarter of an hour.
TEST_F(DefaultFaults, OneThatHangsIsToldAsSuchWithinTheLimitOfLaunches) {
  CommandOptions options;
  options.environment["ATTUNE_LAUNCH_LIMIT"] = "0.5";
  const TuneRun alone =
      tune({faulty(R"("Fault::hangs", "Fault::fine", "Fault::none")", false), "--db", database()}, options);
  EXPECT_EQ(alone.command.code, 3);
  EXPECT_THAT(alone.command.err,
              AllOf(HasSubstr("did not end"), HasSubstr("the default configuration is FAULT=Fault::hangs")));
  const TuneRun run = tune({faulty(R"("Fault::hangs", "Fault::fine", "Fault::none")"), "--db", database()}, options);
  EXPECT_EQ(run.command.code, 0) << run.command.err;
  EXPECT_THAT(run.notes,
              Contains(HasSubstr("the default configuration FAULT=Fault::hangs fails (timeout: did not end")));
  EXPECT_EQ(record().default_verdict, Verdict::timeout);
}

// Its compiler takes a minute for the default.
TEST_F(DefaultFaults, OneThatIsNotCompiledInTimeEndsTheSessionWithItsLimit) {
  const std::string compiler = (folder_ / "compiler").string();
  std::ofstream(compiler) << "#!/bin/sh\ncase \"$*\" in *-dump*) exec g++ \"$@\";; esac\n"
                             "if grep -q 'faulty<float, Fault::none>' kernel.cpp; then exec sleep 60; fi\n"
                             "exec g++ \"$@\"\n";
  std::filesystem::permissions(compiler, std::filesystem::perms::owner_all);
  CommandOptions options;
  options.environment["ATTUNE_HOST_CXX"] = compiler;
  for (const bool has_reference : {true, false}) {
    const TuneRun run = tune(
        {faulty(R"("Fault::none", "Fault::fine")", has_reference), "--time-limit", "1s", "--db", database()}, options);
    EXPECT_EQ(run.command.code, 3);
    EXPECT_THAT(run.command.err, AllOf(HasSubstr("the default configuration of faulty was not compiled within 10 s"),
                                       HasSubstr("--time-limit"), HasSubstr("attune check")));
    EXPECT_EQ(count_of_verdict(Verdict::compile_timeout), 0);
  }
}

// Its budget is spent, and what it has found is a record.
TEST_F(DefaultFaults, StoredSurvivorsEndInARecordWhateverIsLeftOfTheTime) {
  ASSERT_EQ(tune({scale(), "--trials", "3", "--db", database()}).command.code, 0);
  SQLite::Database changed(database(), SQLite::OPEN_READWRITE);
  changed.exec("PRAGMA foreign_keys = ON; DELETE FROM record; UPDATE session SET used_seconds = 500, state = 1");
  const CommandResult again = attune({"tune", scale(), "--db", database()});
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_THAT(again.out, HasSubstr("ended by the effort's own budget; a greater --effort searches on"));
  EXPECT_EQ(WisdomStore(database()).records().size(), 1u);
  EXPECT_EQ(trials().size(), 3u) << "nothing was tried any more";
}

// The reference of a busy machine: longer than the search may take.
TEST_F(DefaultFaults, DataAndReferenceHaveATimeOfTheirOwn) {
  const std::string file = faulty(R"("Fault::none", "Fault::fine")");
  std::ifstream in(file);
  std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  const std::string place = "if (i < n) y[i] = T(3) * x[i];";
  text.replace(
      text.find(place), place.size(),
      "if (i == 0) { const long long from = clock64(); while (clock64() - from < 40000000000ll) continue; }\n  " +
          place);
  std::ofstream(file) << text;
  const TuneRun run = tune({file, "--time-limit", "1s", "--db", database()});
  EXPECT_EQ(run.command.code, 0) << run.command.err;
  EXPECT_EQ(record().default_verdict, Verdict::ok);
}

}  // namespace
}  // namespace attune::test
