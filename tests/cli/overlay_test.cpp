// Tuned files, sites and aliases by the command line, on the host device.
#include <filesystem>
#include <fstream>

#include "cli/workbench.hpp"

namespace attune::test {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class OverlayCommands : public Workbench {
 protected:
  void SetUp() override {
    Workbench::SetUp();
    const CommandResult tuned = attune({"tune", scale(), "--problem", "n=1000", "--trials", "3"});
    ASSERT_EQ(tuned.code, 0) << tuned.err;
  }
  // Without the user's database, as another user has it.
  CommandResult plan_elsewhere(std::vector<std::string> more) const {
    std::vector<std::string> arguments = {
        "plan", scale(), "--problem", "n=1000", "--json", "--db", (folder_ / "none.db").string()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return attune(arguments);
  }
  std::string tuned() const { return (folder_ / "tuned").string(); }
  fs::path only_file() const { return fs::directory_iterator(tuned())->path(); }
};

TEST_F(OverlayCommands, AFolderIsWrittenAgainWithoutAChangeAndServesByPlan) {
  const CommandResult written = attune({"export", "--format", "tuned", tuned()});
  ASSERT_EQ(written.code, 0) << written.err;
  EXPECT_THAT(written.err, HasSubstr("1 file written"));
  const std::string text = content_of(only_file());
  EXPECT_THAT(only_file().filename().string(), testing::MatchesRegex("scale\\..*-[0-9a-f]{8}\\.tuned"));
  write("tuned/other.tuned", "attune tuned 1\n");
  ASSERT_EQ(attune({"export", "--format", "tuned", tuned(), scale()}).code, 0);
  EXPECT_TRUE(fs::exists(fs::path(tuned()) / "other.tuned"));
  fs::remove(fs::path(tuned()) / "other.tuned");
  EXPECT_EQ(content_of(only_file()), text);

  const Json none = events_in(plan_elsewhere({}).out).at(0);
  EXPECT_EQ(none["rung"], "none");
  EXPECT_EQ(none["wisdom_digest"], "");
  for (const std::string option : {"--wisdom", "--site"}) {
    const Json found = events_in(plan_elsewhere({option, tuned()}).out).at(0);
    EXPECT_EQ(found["rung"], "exact") << found;
    EXPECT_THAT(found["source"].get<std::string>(), HasSubstr(tuned()));
    EXPECT_EQ(found["wisdom_digest"].get<std::string>().size(), 64u);
    EXPECT_EQ(plan_elsewhere({option, tuned(), "--agree", found["wisdom_digest"]}).code, 0);
    const CommandResult other = plan_elsewhere({option, tuned(), "--agree", std::string(64, '0')});
    EXPECT_EQ(other.code, 1);
    EXPECT_THAT(other.err, AllOf(HasSubstr(found["wisdom_digest"]), HasSubstr(std::string(64, '0'))));
  }
}

TEST_F(OverlayCommands, PlanNamesTheDatabaseAndTheDigest) {
  ASSERT_EQ(attune({"export", "--format", "tuned", tuned()}).code, 0);
  EXPECT_THAT(output_of({"plan", scale(), "--problem", "n=1000"}),
              AllOf(HasSubstr("from"), HasSubstr("the database"), Not(HasSubstr("wisdom  "))));
  EXPECT_THAT(output_of({"plan", scale(), "--problem", "n=1000", "--site", tuned()}), HasSubstr("  wisdom"));
}

TEST_F(OverlayCommands, AFolderHasToBeNamed) {
  expect_failure(2, {"export", "--format", "tuned"}, {"takes a folder"});
  expect_failure(2, {"export", "--format", "tuned", scale()}, {"takes a folder"});
  expect_failure(1, {"export", "--format", "tuned", database()},
                 {"cannot make the folder " + database(), "name another"});
  expect_failure(2, {"export", "--format", "tuned", tuned(), "--templates"}, {"--templates is not for --format tuned"});
}

TEST_F(OverlayCommands, TheOverrideFileGoesBeforeTheDatabase) {
  ASSERT_EQ(attune({"export", "--format", "tuned", tuned()}).code, 0);
  const CommandResult found =
      attune({"plan", scale(), "--problem", "n=1000", "--json"}, {.environment = {{"ATTUNE_OVERRIDE", tuned()}}});
  EXPECT_EQ(events_in(found.out).at(0)["rung"], "pinned") << found.out << found.err;
}

TEST_F(OverlayCommands, AnOverrideFileThatCannotServeIsToldOnceWithTheNextStep) {
  for (const std::string text : {"{\"format\": \"attune-wisdom\"}\n", "attune tuned 2\n"}) {
    const std::string file = write("wisdom.json", text);
    const CommandResult found =
        attune({"plan", scale(), "--problem", "n=1000", "--why"}, {.environment = {{"ATTUNE_OVERRIDE", file}}});
    EXPECT_EQ(found.code, 0);
    EXPECT_THAT(on_one_line(found.err),
                AllOf(testing::StartsWith("attune: no wisdom is read from " + file + ": "),
                      HasSubstr("its first line is not `attune tuned 1`"), HasSubstr("attune export --format tuned"),
                      Not(testing::ContainsRegex("no wisdom.*no wisdom"))));
    EXPECT_THAT(on_one_line(found.out), AllOf(HasSubstr("exact"), HasSubstr("numbers say in which order")));
  }
}

TEST_F(OverlayCommands, AnEmbeddedKernelHasTheRecordsOfItsFolder) {
  ASSERT_EQ(attune({"export", "--format", "tuned", tuned()}).code, 0);
  const std::string plain = (folder_ / "plain.bundle").string(), full = (folder_ / "full.bundle").string(),
                    rule = (folder_ / "full.d").string();
  ASSERT_EQ(run("attune-embed", {scale(), "--output", plain}).code, 0);
  const CommandResult made = run("attune-embed", {scale(), "--output", full, "--wisdom", tuned(), "--depfile", rule});
  ASSERT_EQ(made.code, 0) << made.err;
  EXPECT_EQ(made.err, "");
  EXPECT_GT(fs::file_size(full), fs::file_size(plain) + 50);
  EXPECT_THAT(content_of(rule), AllOf(HasSubstr(tuned()), HasSubstr(only_file().filename().string())));

  const std::string changed = scale_with("T(3) * x[first + i]", "x[first + i] * T(3)");
  const CommandResult other = run("attune-embed", {changed, "--output", plain, "--wisdom", tuned()});
  EXPECT_EQ(other.code, 0) << other.err;
  EXPECT_THAT(other.err, HasSubstr("1 records of scale are of another text"));
  std::ofstream(only_file(), std::ios::app) << "record nonsense\n";
  const CommandResult damaged = run("attune-embed", {scale(), "--output", full, "--wisdom", tuned()});
  EXPECT_EQ(damaged.code, 1);
  EXPECT_THAT(damaged.err, HasSubstr(only_file().string() + ":"));
}

TEST_F(OverlayCommands, AnAliasIsKeptListedUsedAndRemoved) {
  const Json device = events_in(output_of({"plan", scale(), "--problem", "n=1000", "--json"})).at(0)["device"];
  const std::string name = device["name"], own = device["class"];
  const std::string other = "host|Another processor|" + own.substr(own.find("|cc") + 1);
  EXPECT_EQ(output_of({"alias"}), "no device counts as another one\n");
  expect_failure(2, {"alias", "", other}, {"`` is no name of a device"});
  expect_failure(2, {"alias", name, "two\nlines"}, {"is no name of a device"});
  expect_failure(2, {"alias", name, "cuda|nothing"}, {"is no device class"});
  expect_failure(2, {"alias", own, "cuda|NVIDIA H200|cc90|sm132|mem141G|bus6144|l2-60M|mig-"}, {"cannot count as"});
  ASSERT_EQ(attune({"alias", name, other}).code, 0);
  EXPECT_EQ(output_of({"alias"}), name + " counts as " + other + "\n");
  EXPECT_EQ(events_in(output_of({"plan", scale(), "--problem", "n=1000", "--json"})).at(0)["rung"], "sibling device");
  ASSERT_EQ(attune({"tune", scale(), "--problem", "n=2000", "--trials", "3"}).code, 0);
  EXPECT_THAT(output_of({"export", "--format", "csv"}), HasSubstr(other));
  EXPECT_EQ(events_in(output_of({"plan", scale(), "--problem", "n=2000", "--json"})).at(0)["rung"], "exact");
  EXPECT_THAT(output_of({"tune", scale(), "--revalidate", "--all", "--dry-run"}), HasSubstr("n=2000"));
  const std::string table = write("times.csv", "BLOCK,ITEMS,time_us\n64,1,2\n");
  EXPECT_THAT(output_of({"import", table, "--kernel", scale(), "--problem", "n=2000", "--device-class", "host"}),
              HasSubstr(other));
  ASSERT_EQ(attune({"pin", scale(), "--problem", "n=3000", "-c", "BLOCK=64 ITEMS=1"}).code, 0);
  EXPECT_EQ(events_in(output_of({"plan", scale(), "--problem", "n=3000", "--json"})).at(0)["rung"], "pinned");
  expect_failure(2, {"alias", "Another processor", "A third one"}, {name + " counts as", "followed once", "--remove"});
  expect_failure(2, {"alias", "A third one", name}, {name + " counts as", "followed once", "--remove"});
  EXPECT_EQ(output_of({"alias", name, other}), name + " counts as " + other + "\n") << "the same once more";
  EXPECT_EQ(output_of({"alias", "--remove", name}), name + " counts as itself\n");
  expect_failure(2, {"alias", "--remove", name}, {"there is no alias"});
  EXPECT_EQ(events_in(output_of({"plan", scale(), "--problem", "n=1000", "--json"})).at(0)["rung"], "exact");
  ASSERT_EQ(attune({"alias", name, "Another processor"}).code, 0);  // of which the database knows one class
  EXPECT_EQ(output_of({"alias"}), name + " counts as " + other + "\n");
}

}  // namespace
}  // namespace attune::test
