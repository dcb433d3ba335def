// attune tune --misses: the log of an application, tuned.
#include <sys/stat.h>

#include <fstream>

#include "cli/workbench.hpp"

namespace attune::test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

// The log of apps/examples/own_kernel, and lines that were made of it.
class Misses : public Workbench {
 protected:
  void SetUp() override {
    Workbench::SetUp();
    const CommandResult result = run("own_kernel", {}, {.environment = {{"ATTUNE_LOG_MISSES", log()}}});
    ASSERT_EQ(result.code, 0) << result.err;
    const std::vector<std::string> lines = lines_of(content_of(log()));
    ASSERT_EQ(lines.size(), 1u);
    missed_ = Json::parse(lines[0]);
    missed_["problem"] = "n=1000 T=float";  // as it would be of a smaller array
  }
  std::string log() const { return (folder_ / "misses").string(); }
  static std::string smooth() { return ATTUNE_SOURCE_DIR "/apps/examples/own_kernel/smooth.cu"; }
  Json missed_with(const std::string& member, const Json& value) const {
    Json line = missed_;
    line[member] = value;
    return line;
  }
  std::string write_log(const std::vector<Json>& lines, const std::string& before = {}) const {
    std::string text = before;
    for (const Json& line : lines) text += line.dump() + "\n";
    return write("made", text);
  }
  Json missed_;
};

TEST_F(Misses, AreTunedAndTheApplicationFindsThem) {
  EXPECT_THAT(
      output_of({"tune", "--misses", log(), smooth(), "--trials", "2", "--patience", "1", "--time-limit", "2s"}),
      AllOf(HasSubstr("tuning smooth for n=1048576 T=float")));
  const CommandResult again =
      run("own_kernel", {}, {.environment = {{"ATTUNE_LOG_MISSES", (folder_ / "new").string()}}});
  EXPECT_THAT(again.out, HasSubstr("smooth was tuned for this problem on"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "new")) << "nothing is missed any more";
}

TEST_F(Misses, EachHasItsRegimeObjectiveAndBudgetAndIsNotTunedTwice) {
  const std::string made = write_log({missed_, missed_, missed_with("tune_target", "elsewhere/smooth.cu"),
                                      missed_with("regime", "warm"), missed_with("objective", "time * time")});
  const std::vector<std::string> command = {"tune", "--misses", made, smooth(), "--trials", "2", "--patience", "1"};
  const auto events = events_of(command);
  const auto records = of_type(events, "record");
  ASSERT_EQ(records.size(), 3u);
  EXPECT_EQ(records[0].at("regime"), "cold");
  EXPECT_EQ(records[1].at("regime"), "warm");
  EXPECT_EQ(records[2].at("objective"), "time * time");
  for (const Json& best : of_type(events, "best")) EXPECT_LE(best.at("trials"), 2);
}

TEST_F(Misses, ADryRunListsWhatWouldBeTunedAndWhatIsKnownMeanwhile) {
  const std::string made = write_log({missed_, missed_with("problem", "n=2000 T=double")});
  output_of({"tune", smooth(), "--problem", "n=1000", "--effort", "measure", "--patience", "1"});
  const std::string before = content_of(database());
  EXPECT_EQ(output_of({"tune", "--misses", made, smooth(), "--dry-run"}),
            "known  smooth for n=1000 T=float\ntune   smooth for n=2000 T=double\n");
  const auto misses = of_type(events_of({"tune", "--misses", made, smooth(), "--dry-run"}), "miss");
  ASSERT_EQ(misses.size(), 2u);
  EXPECT_EQ(misses[1].at("problem").at("n"), 2000);
  EXPECT_EQ(misses[1].at("known"), false);
  EXPECT_EQ(content_of(database()), before);
  EXPECT_THAT(output_of({"tune", "--misses", made, smooth(), "--trials", "1"}), HasSubstr("is tuned already"));
}

TEST_F(Misses, AnObjectiveThatDoesNotExistHereLeavesTheOthers) {
  const std::string made = write_log({missed_with("objective", "time * registers"), missed_});  // 0 on the host
  const CommandResult result =
      expect_failure(1, {"tune", "--misses", made, smooth(), "--trials", "1"}, {"it must be greater than 0"});
  EXPECT_THAT(result.out, HasSubstr("miss 2 of 2: smooth for n=1000 T=float\ntuning smooth"));
}

TEST_F(Misses, ADryRunMakesNoDatabase) {
  EXPECT_EQ(output_of({"tune", "--misses", log(), smooth(), "--dry-run"}), "tune   smooth for n=1048576 T=float\n");
  EXPECT_FALSE(std::filesystem::exists(database()));
}

TEST_F(Misses, AnotherCodeOrContractIsRefusedAndTheOthersGoOn) {
  const std::string code(64, 'a'), contract(64, 'b');
  const std::string made = write_log({missed_with("code", code), missed_with("contract", contract), missed_});
  const CommandResult result =
      expect_failure(1, {"tune", "--misses", made, smooth(), "--trials", "1"},
                     {made + ":1: the application's kernel smooth is not that of " + smooth() + ": code " + code +
                          ", here " + missed_.at("code").get<std::string>(),
                      made + ":2: ", "contract " + contract + ", here " + missed_.at("contract").get<std::string>(),
                      "1 to tune, 2 refused, 0 of other devices"});
  EXPECT_THAT(result.out, HasSubstr("tuning smooth for n=1000 T=float"));
}

TEST_F(Misses, TheFileWithTheApplicationsCodeIsTakenOfSeveral) {
  std::string other = content_of(smooth());
  other += "// another code\n";
  EXPECT_EQ(output_of({"tune", "--misses", log(), write("other.cu", other), smooth(), "--dry-run"}),
            "tune   smooth for n=1048576 T=float\n");
}

TEST_F(Misses, BuiltInKernelsAreFoundByName) {
  const CommandResult result = run("quickstart", {}, {.environment = {{"ATTUNE_LOG_MISSES", log()}}});
  ASSERT_EQ(result.code, 0) << result.err;
  expect_failure(1, {"tune", "--misses", log(), "--dry-run"},
                 {log() + ":1: there is no built-in kernel `smooth`; give its file", "from smooth.cu"});
  EXPECT_EQ(attune({"tune", "--misses", log(), "--dry-run"}).out,
            "tune   transpose for width=1024 height=1024 T=float\n");
}

TEST_F(Misses, LinesOfOtherDevicesAreSkippedWithOneNoteForEachClass) {
  const std::string made =
      write_log({missed_with("device_class", "cuda|NVIDIA H200|cc90|..."), missed_,
                 missed_with("device_class", "cuda|NVIDIA H200|cc90|...")
                     .patch(Json::parse(R"([{"op": "replace", "path": "/problem", "value": "n=7 T=float"}])"))});
  const CommandResult result = attune({"tune", "--misses", made, smooth(), "--dry-run"});
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.out, "tune   smooth for n=1000 T=float\n");
  EXPECT_THAT(result.err,
              AllOf(HasSubstr(made + ":1 (and 1 more): skipped: it is of the device class cuda|NVIDIA H200"),
                    HasSubstr("2 of other devices")));
}

TEST_F(Misses, DamagedLinesAreNotedByTheirNumbers) {
  const std::string before = "{\"miss\":1,\"kern\n\n[1]\n{\"miss\":2}\n{\"miss\":1,\"kernel\":7}\n";
  const std::string made = write_log({missed_}, before);
  const CommandResult result = attune({"tune", "--misses", made, smooth(), "--dry-run"});
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.out, "tune   smooth for n=1000 T=float\n");
  EXPECT_THAT(result.err, AllOf(HasSubstr(made + ":1: left out: it is damaged: no JSON"), Not(HasSubstr(made + ":2:")),
                                HasSubstr(made + ":3: left out: it is no miss"),
                                HasSubstr(made + ":4: left out: it is of version 2"),
                                HasSubstr(made + ":5: left out: it is damaged: `kernel` is no text")));
}

TEST_F(Misses, WhatCannotBeTunedIsRefusedByLine) {
  const std::string made = write_log({missed_with("problem", "n=0 T=float"), missed_with("regime", "lukewarm"),
                                      missed_with("objective", "time *"), missed_with("problem", "m=3")});
  expect_failure(1, {"tune", "--misses", made, smooth()},
                 {made + ":1: ", made + ":2: unknown regime `lukewarm`", made + ":3: ", made + ":4: ", "4 refused"});
  EXPECT_FALSE(std::filesystem::exists(database()));
}

TEST_F(Misses, ALogThatIsTooLargeIsRefusedBeforeItsLinesAreWhole) {
  const std::string made = write_log({missed_});
  std::filesystem::resize_file(made, std::uintmax_t{1} << 40);  // one line of a terabyte
  expect_failure(1, {"tune", "--misses", made, smooth()}, {made + ": it has more than 67108864 bytes"});
}

TEST_F(Misses, TakeNoOptionsThatTheLinesSay) {
  for (const char* const option : {"--problem", "--regime", "--objective", "--parameters"})
    expect_failure(2, {"tune", "--misses", log(), smooth(), option, "n=1"}, {"each line of the log says its own"});
  expect_failure(2, {"tune", "--misses", log(), "--effort", "wisdom_only"}, {"does not search"});
  expect_failure(2, {"tune", "--misses", log(), "reduce"}, {"takes kernel files, not `reduce`"});
  expect_failure(2, {"tune", scale(), "--dry-run"}, {"--dry-run is of --misses"});
  expect_failure(2, {"tune", scale(), scale()}, {"too many arguments"});
  ASSERT_EQ(mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  for (const std::string& endless : {(folder_ / "pipe").string(), std::string("/dev/zero")})
    expect_failure(1, {"tune", "--misses", endless}, {endless + ": it is no regular file"});
  expect_failure(1, {"tune", "--misses", (folder_ / "none").string()}, {"none: there is no such file"});
}

}  // namespace
}  // namespace attune::test
