// --device replay:FILE, from the command line to the record.
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/workbench.hpp"

namespace attune::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

const std::string bowl = std::string("replay:") + ATTUNE_TEST_DATA "/recordings/bowl.json";

class Replay : public Workbench {};

// The lines of a run but for what names the moment and the run.
std::string trials_of(const std::string& out) {
  std::string trials;
  std::istringstream in(out);
  for (std::string line; std::getline(in, line);)
    if (nlohmann::json::parse(line).at("type") == "trial") trials += line + "\n";
  return trials;
}

TEST_F(Replay, TunesARecordingAndLeavesTheDatabaseAlone) {
  const CommandResult result = attune({"tune", "--device", bowl, "--effort", "exhaustive"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out,
              AllOf(HasSubstr("tuning bowl"), HasSubstr("on a recording of Test GPU 100"),
                    HasSubstr("42 legal configurations of 48 combinations"), HasSubstr("TILE=32 ROWS=4 ORDER=rows"),
                    HasSubstr("42 trials, 38 right"), HasSubstr("kept in no database")));
  EXPECT_FALSE(std::filesystem::exists(database()));
}

TEST_F(Replay, TheSameSeedsGiveTheSameTrials) {
  const std::vector<std::string> command = {
      "tune", "--device", bowl + ",noise,seed=5", "--strategy", "random", "--trials", "15", "--seed", "2", "--json"};
  const CommandResult first = attune(command), second = attune(command);
  ASSERT_EQ(first.code, 0) << first.err;
  EXPECT_EQ(count_of(first.out, "\"type\":\"trial\""), 15u);
  EXPECT_EQ(trials_of(first.out), trials_of(second.out));
}

TEST_F(Replay, WorkersGiveTheSameTrials) {
  const auto trials_on = [this](const std::string& device) {
    const CommandResult result =
        attune({"tune", "--device", device, "--effort", "exhaustive", "--seed", "2", "--json"});
    EXPECT_EQ(result.code, 0) << result.err;
    return trials_of(result.out);
  };
  EXPECT_EQ(trials_on(bowl), trials_on(bowl + ",workers"));
}

TEST_F(Replay, AnExplicitDatabaseKeepsTheSession) {
  const std::vector<std::string> command = {"tune", "--device", bowl, "--effort", "exhaustive", "--db", database()};
  ASSERT_EQ(attune(command).code, 0);
  EXPECT_THAT(attune(command).out, HasSubstr("tuned already"));
  // What that session logged is a recording in its turn.
  const CommandResult again = attune({"tune", "--device", "replay:" + database(), "--effort", "exhaustive"});
  ASSERT_EQ(again.code, 0) << again.err;
  EXPECT_THAT(again.out, HasSubstr("TILE=32 ROWS=4 ORDER=rows"));
}

TEST_F(Replay, ItsSpaceCanBeLookedAt) {
  const CommandResult result = attune({"space", "--device", bowl, "--count"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("42"));
  EXPECT_EQ(attune({"space", "bowl", "--device", bowl, "--list", "50", "--json"}).code, 0);
}

TEST_F(Replay, AmongSeveralRecordingsOneIsChosen) {
  for (const char* const n : {"n=100", "n=200"}) ASSERT_EQ(attune({"tune", scale(), "--problem", n}).code, 0);
  const std::string device = "replay:" + database();
  const CommandResult several = attune({"tune", "--device", device});
  EXPECT_EQ(several.code, 2);
  EXPECT_THAT(several.err, AllOf(HasSubstr("several"), HasSubstr("n=100 T=float"), HasSubstr("n=200 T=float")));
  const CommandResult one = attune({"tune", "scale", "--problem", "n=200 T=float", "--device", device});
  EXPECT_EQ(one.code, 0) << one.err;
  EXPECT_EQ(attune({"tune", "other", "--device", device}).code, 2);
}

TEST_F(Replay, BadRequestsAreNamed) {
  EXPECT_THAT(attune({"tune", "--device", "replay:"}).err, HasSubstr("replay:FILE"));
  EXPECT_THAT(attune({"tune", "--device", "replay:/nowhere.json"}).err, HasSubstr("/nowhere.json"));
  EXPECT_THAT(attune({"tune", "--device", bowl + ",seed=x"}).err, HasSubstr("seed=1"));
  EXPECT_THAT(attune({"tune", "--device", bowl, "--effort", "estimate"}).err, HasSubstr("measure"));
  EXPECT_THAT(attune({"check", scale(), "--device", bowl}).err, Not(HasSubstr("did you mean")));
  EXPECT_EQ(attune({"tune", "--device", bowl, "--problem", "a", "--problem", "b"}).code, 2);
}

}  // namespace
}  // namespace attune::test
