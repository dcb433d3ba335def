// The commands that only look: help, version, devices, space, check, plan, list, show, export.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <set>
#include <sstream>

#include "cli/workbench.hpp"

namespace attune::test {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class Look : public Workbench {};

TEST_F(Look, HelpTeachesByExample) {
  for (const char* command :
       {"tune", "check", "plan", "list", "show", "space", "strategies", "calibrate", "export", "devices"})
    EXPECT_THAT(output_of({command, "--help"}),
                AllOf(HasSubstr("usage: attune " + std::string(command)), HasSubstr("examples")));
  EXPECT_THAT(output_of({"--help"}), AllOf(HasSubstr("tune"), HasSubstr("examples")));
}

TEST_F(Look, WithoutNvrtcTheHostDeviceTunes) {
  EXPECT_THAT(output_of({"--version"}),
              AllOf(HasSubstr("attune 0.1.0"), HasSubstr("NVRTC"), HasSubstr("driver"), HasSubstr("SQLite  3.")));
  const CommandOptions options{.environment = {{"ATTUNE_NVRTC", "none"}}};
  EXPECT_THAT(attune({"--version"}, options).out, HasSubstr("NVRTC   none"));
  const CommandResult result = attune({"tune", scale(), "--trials", "2"}, options);
  EXPECT_EQ(result.code, 0) << result.err;
  const CommandResult check = attune({"check", scale(), "--device", "sm_90"}, options);
  EXPECT_EQ(check.code, 1);
  EXPECT_THAT(check.err, HasSubstr("NVRTC"));
}

TEST_F(Look, DevicesListsTheHost) {
  EXPECT_THAT(output_of({"devices"}), HasSubstr("host"));
  bool host = false;
  for (const Json& device : events_of({"devices"})) host |= device.at("kind") == "host";
  EXPECT_TRUE(host);
}

TEST_F(Look, SpaceCountsAndListsWithoutAGpu) {
  EXPECT_EQ(output_of({"space", scale(), "--device", "sm_90", "--count"}), "5\n");
  EXPECT_EQ(output_of({"space", scale(), "--device", "sm_75", "--list", "2"}), "BLOCK=64 ITEMS=1\nBLOCK=64 ITEMS=2\n");
  EXPECT_THAT(output_of({"space", scale()}), AllOf(HasSubstr("5 legal"), HasSubstr("16.67 %  BLOCK * ITEMS <= 128")));
  EXPECT_GE(std::stoll(output_of({"space", "transpose", "--device", "sm_90", "--count"})), 200);
  EXPECT_GE(std::stoll(output_of({"space", "reduce", "--device", "sm_90", "--count"})), 1000);
}

TEST_F(Look, PlanSaysWhichRungAndWhy) {
  EXPECT_THAT(output_of({"plan", scale()}), AllOf(HasSubstr("rung           none"), HasSubstr("attune tune")));
  output_of({"tune", scale()});
  EXPECT_THAT(output_of({"plan", scale()}), HasSubstr("rung           exact"));
  EXPECT_THAT(output_of({"plan", scale(), "--problem", "n=6000"}), HasSubstr("rung           near problem"));
  EXPECT_THAT(output_of({"plan", scale(), "--problem", "n=60000"}), HasSubstr("rung           none"));
  EXPECT_THAT(output_of({"plan", ATTUNE_SOURCE_DIR "/kernels/transpose.cu"}), HasSubstr("transpose for width=1024"))
      << "a file that is named as a built-in kernel";
}

TEST_F(Look, WhatWasLearnedIsListedShownAndExported) {
  EXPECT_THAT(output_of({"list"}),
              AllOf(HasSubstr("axpy"), HasSubstr("transpose"), HasSubstr("reduce"), Not(HasSubstr("record"))));
  EXPECT_THAT(output_of({"show", "transpose"}), HasSubstr("no records of transpose yet"));
  output_of({"tune", scale()});
  EXPECT_THAT(output_of({"list"}), AllOf(HasSubstr("scale"), HasSubstr("1 record")));
  EXPECT_THAT(output_of({"show", "scale"}),
              AllOf(HasSubstr("scale n=5000 T=float"), HasSubstr("over the default"), HasSubstr("effort measure")));
  const std::string file = write("out.json", "old"), beside = write("out.json.part", "mine");
  EXPECT_EQ(attune({"export", "-o", file}, {.file_size_limit = 16}).code, 1) << "a full disk";
  EXPECT_EQ(content_of(file), "old");
  output_of({"export", "--format", "json", "-o", file});
  EXPECT_EQ(content_of(beside), "mine");
  const Json exported = Json::parse(content_of(file));
  EXPECT_EQ(exported.at("format"), "attune-wisdom");
  ASSERT_EQ(exported.at("records").size(), 1u);
  EXPECT_EQ(Json::parse(output_of({"export", "--format", "json"})), exported);
}

TEST_F(Look, ShowMarksRecordsOfOtherCode) {
  output_of({"tune", scale(), "--trials", "1"});
  const auto shown = [&](const std::string& kernel) { return output_of({"show", kernel}); };
  const auto mark = [&](const std::string& kernel) {
    return of_type(events_of({"show", kernel}), "record").at(0).value("of_other_code", Json());
  };
  EXPECT_THAT(shown(scale()), Not(HasSubstr("of other code")));
  EXPECT_THAT(shown("scale"), Not(HasSubstr("of other code"))) << "no text to compare with";
  EXPECT_EQ(mark(scale()), false);
  EXPECT_EQ(mark("scale"), Json());
  const std::string licensed = scale_with({{"/*attune", "// A licence\n/*attune"}, {"  const long", "\tconst  long"}});
  EXPECT_THAT(shown(licensed), Not(HasSubstr("of other code")));
  EXPECT_THAT(output_of({"plan", licensed}), HasSubstr("rung           exact"));
  const std::string other = scale_with("T(3)", "T(4)");
  EXPECT_THAT(shown(other), HasSubstr("\n  of other code  it does not apply to " + other + ": the code differs\n"));
  EXPECT_EQ(mark(other), true);
  const std::string launched = scale_with("block = [\"BLOCK\"]", "block = [\"BLOCK * 1\"]");
  EXPECT_THAT(shown(launched), HasSubstr("scale.cu: [problem], [[launch]] or [arguments] differ\n"));
  EXPECT_EQ(mark(launched), true);
  output_of({"tune", scale_with("name = \"scale\"", "name = \"transpose\""), "--trials", "1"});
  EXPECT_THAT(shown("transpose"), HasSubstr("it does not apply to the built-in transpose: the code differs\n"));
}

TEST_F(Look, AnExportCarriesNeitherCodeNorOptionsNorPaths) {
  const std::string kernel = scale_with(
      {{"[[reference]]", "[compile]\noptions = [\"-DSECRET_OPTION={ITEMS}\"]\n[[reference]]"},
       {"  const long long first", "  static_assert(ITEMS == 1, \"SECRET_CODE\");\n  const long long first"}});
  const std::string trials = output_of({"tune", kernel, "--json"});
  EXPECT_THAT(trials, HasSubstr("SECRET_CODE")) << "the log of what failed";
  const std::string exported = output_of({"export", "--format", "json"});
  EXPECT_EQ(Json::parse(exported).at("records").size(), 1u);
  EXPECT_THAT(exported, Not(HasSubstr("SECRET")));
  EXPECT_THAT(exported, Not(HasSubstr(folder_.string())));
  EXPECT_THAT(exported, Not(HasSubstr("scale.cu")));
}

TEST_F(Look, AnUnknownKernelIsNoKernelWithoutRecords) {
  expect_failure(2, {"show", "nope"}, {"there is no kernel `nope`"});
  output_of({"tune", scale(), "--trials", "1"});
  expect_failure(2, {"show", "nope"}, {"there is no kernel `nope`"});
  expect_failure(2, {"show", "skale"}, {"did you mean `scale`?"});
  output_of({"pin", "reduce", "--configuration", "BLOCK=128"});
  expect_failure(2, {"show", "nothing of the kind"}, {"softmax, spmv, stencil3d, transpose, scale (a kernel file"});
  expect_failure(2, {"export", "--kernel", "skale"}, {"did you mean `scale`?"});
  expect_failure(2, {"show", "transpoze"}, {"did you mean `transpose`?"});
  EXPECT_THAT(output_of({"show", "transpose"}), HasSubstr("no records of transpose yet (try: attune tune transpose)"));
  const std::string failing = scale_with({{"name = \"scale\"", "name = \"failing\""}, {"T(3)", "three"}});
  EXPECT_EQ(attune({"tune", failing}).code, 3);
  EXPECT_THAT(output_of({"show", "failing"}), HasSubstr("no records of failing yet (try: attune tune FILE.cu)"));
}

// A database has records of a kernel by its name, and not its text.
TEST_F(Look, AKernelWhoseRecordsAreThereGoesByItsFile) {
  output_of({"tune", scale(), "--trials", "1"});
  const std::vector<std::vector<std::string>> commands = {
      {"export", "scale", "--format", "header"},
      {"export", "scale", "--format", "bundle", "--architecture", "host"},
      {"plan", "scale"},
      {"tune", "scale"},
      {"check", "scale"},
      {"prepare", "scale"}};
  for (const std::vector<std::string>& command : commands)
    expect_failure(2, command, {"1 record, 1 trial in 1 session of `scale`", database(), "name its file", "scale.cu"});
  EXPECT_EQ(attune({"export", "scale"}).code, 0) << "records need no text";
  expect_failure(2, {"plan", "skale"}, {"there is no kernel `skale`"});
}

TEST_F(Look, WhatHasNoLegalConfigurationNamesTheCommandThatShowsWhy) {
  const std::string kernel = scale_with("BLOCK * ITEMS <= 128", "BLOCK * ITEMS <= n / 1000");
  const std::string shown = "attune space " + kernel + " --problem \"n=5 T=float\" --device host";
  EXPECT_THAT(attune({"check", kernel, "--problem", "n=5"}).out, HasSubstr("see: " + shown));
  expect_failure(1, {"bench", kernel, "--problem", "n=5"}, {"see: " + shown});
  EXPECT_THAT(output_of({"space", kernel, "--problem", "n=5 T=float", "--device", "host"}), HasSubstr("n=5 T=float"));
}

TEST_F(Look, AListKeepsItsColumnsWhateverNamesAre) {
  output_of({"tune", scale_with("name = \"scale\"", "name = \"a_kernel_with_a_rather_long_name\""), "--trials", "1"});
  std::set<std::size_t> columns;  // of the summaries
  for (const std::string& line : lines_of(output_of({"list"})))
    columns.insert(line.find_first_not_of(' ', line.find("  ")));
  EXPECT_EQ(columns.size(), 1u) << testing::PrintToString(columns);
}

TEST_F(Look, ListAndShowHaveCountsAndFinalists) {
  output_of({"tune", scale()});
  EXPECT_THAT(output_of({"list"}), HasSubstr("1 record, 5 trials in 1 session"));
  const std::string shown = output_of({"show", "scale"});
  EXPECT_THAT(shown, HasSubstr("scale: 1 record, 5 trials in 1 session"));
  EXPECT_THAT(shown,
              testing::AllOf(testing::ContainsRegex("  finalists +time  what differs from the best\n"),
                             testing::ContainsRegex("\n +[0-9.]+ [um]?s  the best\n")));  // not the first after a tie
  expect_to_fit(shown);
  const auto lines = events_of({"show", "scale"});
  ASSERT_EQ(of_type(lines, "record").size(), 1u);
  EXPECT_EQ(of_type(lines, "record").at(0).at("problem").at("n"), 5000);
  EXPECT_EQ(of_type(lines, "finalist").size() + of_type(lines, "trial").size(),
            count_of(output_of({"show", "scale", "--verbose"}), "s  BLOCK="));
  const Json totals = {{"type", "kernel"}, {"kernel", "scale"}, {"records", 1}, {"trials", 5}, {"sessions", 1}};
  EXPECT_EQ(lines.back(), totals);
  const auto listed = events_of({"list"});
  EXPECT_EQ(listed.at(0).at("kernel"), "add");
  EXPECT_EQ(listed.at(0).at("builtin"), true);
  EXPECT_EQ(listed.at(0).at("records"), 0);
  EXPECT_EQ(listed.back().at("kernel"), "scale");
  EXPECT_EQ(listed.back().at("trials"), 5);
}

TEST_F(Look, PlanHasOneJsonObject) {
  const auto before = events_of({"plan", scale()});
  ASSERT_EQ(before.size(), 1u);
  EXPECT_EQ(before.at(0).at("type"), "match");
  EXPECT_EQ(before.at(0).at("rung"), "none");
  output_of({"tune", scale()});
  EXPECT_EQ(events_of({"plan", scale()}).at(0).at("rung"), "exact");
}

TEST_F(Look, StrategiesAreACommandToo) {
  EXPECT_EQ(output_of({"strategies"}), output_of({"tune", "--strategy", "help"}));
  EXPECT_THAT(output_of({"strategies"}), HasSubstr("differential_evolution"));
}

TEST_F(Look, AnExportFollowsALinkAndLeavesAPipeAPipe) {
  const fs::path file = write("real.json", "old"), link = folder_ / "link.json", pipe = folder_ / "pipe";
  fs::create_symlink(file, link);
  output_of({"export", "-o", link.string()});
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_GT(fs::file_size(file), 3u);
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const int reader = open(pipe.c_str(), O_RDONLY | O_NONBLOCK);
  output_of({"export", "-o", pipe.string()});
  EXPECT_TRUE(fs::is_fifo(pipe));
  char first = 0;
  EXPECT_EQ(read(reader, &first, 1), 1);
  EXPECT_EQ(first, '{');
  close(reader);
}

TEST_F(Look, AnExportOntoAWisdomDatabaseIsRefused) {
  expect_failure(2, {"export", "-o", database()}, {});
  EXPECT_FALSE(fs::exists(database())) << "in the place of one to come";
  output_of({"tune", scale(), "--trials", "1"});
  const std::string before = content_of(database());
  const std::string link = (folder_ / "link.json").string(), hard_link = (folder_ / "hard.json").string();
  fs::create_symlink(database(), link);
  fs::create_hard_link(database(), hard_link);
  const std::string detour = (folder_ / ".." / folder_.filename() / "wisdom.db").string();
  for (const std::string& output : {database(), detour, link, hard_link, database() + "-journal", database() + "-wal",
                                    database() + "-shm", link + "-journal"}) {
    for (const std::string& used : {database(), link}) {
      expect_failure(2, {"export", "-o", output, "--db", used},
                     {"nothing is written to " + output, "the wisdom database", "name another file"});
      EXPECT_EQ(content_of(database()), before) << output;
      EXPECT_FALSE(output.ends_with("-wal") && fs::exists(output));
    }
  }
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(content_of(hard_link), before);
  const std::string other = write("other.sqlite", before);
  for (const std::string& output : {other, other + "-journal"}) {
    expect_failure(2, {"export", "-o", output}, {"the wisdom database " + other, "name another file"});
    EXPECT_EQ(content_of(other), before);
  }
  EXPECT_THAT(output_of({"list"}), HasSubstr("1 record"));
}

}  // namespace
}  // namespace attune::test
