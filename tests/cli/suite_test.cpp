// attune tune --problems: many problems as one session.
#include <set>

#include "cli/workbench.hpp"
#include "db/wisdom_store.hpp"

namespace attune::test {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

class Suite : public Workbench {
 protected:
  static std::string only_note(const std::vector<Json>& events) {
    const auto notes = of_type(events, "note");
    return notes.empty() ? "" : notes.front().at("text").get<std::string>();
  }
};

TEST_F(Suite, ARangeIsTunedAsOneSessionWithARecordForEachProblem) {
  const auto events = events_of({"tune", scale(), "--problems", "n=1000..4000 times 2 T=float", "--trials", "9"});
  // A problem has a second record where a winner of another problem proves better.
  std::set<int> recorded;
  for (const Json& record : of_type(events, "record")) recorded.insert(record.at("problem").at("n").get<int>());
  EXPECT_THAT(recorded, testing::ElementsAre(1000, 2000, 4000));
  const Json suite = of_type(events, "suite").at(0);
  EXPECT_EQ(suite.at("problems"), 3);
  EXPECT_EQ(suite.at("records"), 3);
  EXPECT_EQ(suite.at("end"), "partial") << "a limit cut it short";
  EXPECT_LE(suite.at("images_compiled"), 2 + 1) << "ITEMS alone is compiled for; and the reference";
  for (const char* const type : {"session", "trial", "best"})
    for (const Json& event : of_type(events, type)) EXPECT_TRUE(event.contains("problem")) << event.dump();
  EXPECT_THAT(output_of({"plan", scale(), "--problem", "n=2000"}), HasSubstr("exact"));
}

TEST_F(Suite, TextHasALineForEachProblemAndATable) {
  const std::string out = output_of({"tune", scale(), "--problems", "n=1000..4000 times 2", "--trials", "6"});
  expect_to_fit(out);
  EXPECT_THAT(out, AllOf(HasSubstr("tuning scale for 3 problems"), ContainsRegex("1/3  n=1000 T=float: [0-9.]+ .s, "),
                         ContainsRegex("3/3  n=4000 T=float: "), ContainsRegex("problem +default +best +gain +trials"),
                         HasSubstr("winners, by what differs from the default"), HasSubstr("the same command goes on"),
                         Not(HasSubstr("continuing after"))));
}

TEST_F(Suite, AFileOfProblemsIsTunedAndTheSameAgainIsKnown) {
  const std::string list = write("sizes", "# two sizes\nn=1000\nn=3000 T=int32\n");
  const std::vector<std::string> command = {"tune", scale_of_many(), "--problems", list, "--patience",
                                            "4",    "--time-limit",  "8s"};
  const Json first = of_type(events_of(command), "suite").at(0);
  EXPECT_EQ(first.at("end"), "finished");
  EXPECT_EQ(first.at("known"), 0);
  const Json again = of_type(events_of(command), "suite").at(0);
  EXPECT_EQ(again.at("known"), 2);
  EXPECT_EQ(again.at("run_trials"), 0);
  EXPECT_THAT(output_of(command), HasSubstr("n=3000 T=int32: is tuned already"));
  const auto alone = events_of({"tune", scale_of_many(), "--problem", "n=1000"});
  EXPECT_EQ(of_type(alone, "best").at(0).at("end"), "known");
}

TEST_F(Suite, EveryWinnerIsMeasuredForEveryProblem) {
  events_of({"tune", scale_of_many(), "--problems", "n=500..8000 times 4", "--trials", "12", "--time-limit", "6s"});
  WisdomStore store(database(), WisdomStore::Access::read_only);
  const std::vector<Record> records = store.records("scale");
  ASSERT_EQ(records.size(), 3u);
  for (const Record& winner : records)
    for (const Record& other : records) {
      const std::vector<Trial> trials = store.known_trials(other.key, other.space);
      EXPECT_TRUE(std::any_of(trials.begin(), trials.end(),
                              [&](const Trial& trial) { return trial.configuration == winner.configuration; }))
          << winner.configuration.text() << " for " << other.key.problem.text();
    }
}

TEST_F(Suite, AnInterruptKeepsTheBestOfEachAndTheSameCommandGoesOn) {
  // No machine measures all values within the limit.
  const std::string kernel = scale_of_many({{"BLOCK * ITEMS <= 128", "BLOCK <= 1024"}}, 1024);
  const std::vector<std::string> command = {"tune",         kernel, "--problems", "n=1000..4000 times 2",
                                            "--time-limit", "6s",   "--json"};
  CommandOptions options;
  // In the search of the last problem.
  options.signal_when = [](const std::string& out) { return count_of(out, "\"type\":\"session\"") >= 3 ? SIGINT : 0; };
  const CommandResult cut = attune(command, options);
  EXPECT_EQ(cut.code, 130) << cut.err;
  const auto records = of_type(events_in(cut.out), "record");
  ASSERT_GE(records.size(), 2u) << cut.out;
  for (const Json& record : records) EXPECT_EQ(record.at("partial"), true) << cut.out;
  EXPECT_EQ(of_type(events_in(cut.out), "suite").at(0).at("end"), "interrupted");
  std::vector<std::string> further = command;
  further.insert(further.end(), {"--patience", "2"});
  const CommandResult rest = attune(further);
  EXPECT_EQ(rest.code, 0) << rest.err;
  const auto sessions = of_type(events_in(rest.out), "session");
  ASSERT_FALSE(sessions.empty());
  EXPECT_GT(sessions[0].at("trials_before"), 0);
}

TEST_F(Suite, AKilledOneGoesOn) {
  const std::vector<std::string> command = {
      "tune", scale_of_many(), "--problems", "n=1000..2000 times 2", "--time-limit", "8s", "--json"};
  CommandOptions options;
  options.signal_when = [](const std::string& out) { return count_of(out, "\"type\":\"trial\"") >= 4 ? SIGKILL : 0; };
  EXPECT_EQ(attune(command, options).code, 128 + SIGKILL);
  std::vector<std::string> further = command;
  further.insert(further.end(), {"--patience", "2"});
  const CommandResult rest = attune(further);
  EXPECT_EQ(rest.code, 0) << rest.err;
  EXPECT_GT(of_type(events_in(rest.out), "session").at(0).at("trials_before"), 0);
  EXPECT_GE(of_type(events_in(rest.out), "record").size(), 2u);
}

TEST_F(Suite, WhatIsWrongIsNamed) {
  expect_failure(2, {"tune", scale(), "--problems", "n=1..8"}, {"`n=1..8`", "needs its step"});
  expect_failure(2, {"tune", scale(), "--problems", "no_such_file"}, {"no_such_file", "no such file"});
  expect_failure(2, {"tune", scale(), "--problems", "n=1..8 times 2", "--problem", "n=3"},
                 {"--problem and --problems"});
  expect_failure(2, {"tune", scale(), "--problems", "n=1..8 times 2", "--trials", "3"},
                 {"--trials 3", "of the 4 problems\n"});
  expect_failure(2, {"tune", "--misses", "log", "--problems", "n=1..8 times 2"}, {"--misses and --problems"});
}

TEST_F(Suite, OfTwoKernelsOnTwoBenchesHasARecordForEachProblem) {
  std::string source = test::content_of(scale());
  const std::string other = write("other.cu", source.replace(source.find("\"scale\""), 7, "\"other\""));
  const std::vector<std::string> command = {
      "tune",     scale(),          other,        "--problems", "n=1000..2000 times 2", "--problems", "n=3000 T=float",
      "--device", "host,benches=2", "--patience", "2"};
  const auto events = events_of(command);
  std::multiset<std::string> recorded;
  for (const Json& best : of_type(events, "best"))
    if (best.at("configuration").is_object()) recorded.insert(best.at("kernel"));
  EXPECT_EQ(recorded.count("other") > 0, true);
  EXPECT_GE(recorded.count("scale"), 2u);
  const Json suite = of_type(events, "suite").at(0);
  EXPECT_EQ(suite.at("problems"), 3);
  EXPECT_EQ(suite.at("records"), 3);
  EXPECT_GT(suite.at("wall_seconds"), 0);
  EXPECT_THAT(only_note(events), HasSubstr("the search uses 2 devices: host ("));
  const std::string out = output_of(command);  // of what is known by now
  expect_to_fit(out);
  EXPECT_THAT(
      out, AllOf(HasSubstr("tuning scale, other for 3 problems"), HasSubstr("  other n=3000 T=float: is tuned already"),
                 HasSubstr("\nother\n"), HasSubstr(" s on 2 devices\n")));
  expect_failure(2, {"tune", scale(), other, "--problems", "n=1000"},
                 {"--problems is given 1 time for 2 kernels: give one list for each kernel"});
}

}  // namespace
}  // namespace attune::test
