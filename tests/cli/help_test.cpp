// Pages of help and lists, as a terminal of 80 columns shows them.
#include "cli/workbench.hpp"

namespace attune::test {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

constexpr const char* unnamed = "--[a-z-]+( \\])? arg[^a-z]";

class Help : public Workbench {};

TEST_F(Help, PagesFitEightyColumnsAndNameWhatOptionsTake) {
  for (const char* const command : {"new", "tune", "check", "occupancy", "bench", "ladder", "plan", "prepare", "list",
                                    "show", "space", "strategies", "calibrate", "export", "devices", "alias"}) {
    const std::string page = output_of({command, "--help"});
    expect_to_fit(page);
    EXPECT_THAT(page, AllOf(Not(ContainsRegex(unnamed)), HasSubstr("-h, --help")));
  }
  expect_to_fit(output_of({"--help"}));
  EXPECT_THAT(output_of({"tune", "--help"}), AllOf(HasSubstr("-p, --problem PROBLEM"), HasSubstr("--misses LOG"),
                                                   HasSubstr(" replay:FILE[,noise][,disturbed][,seed=N][,workers]:")));
  const CommandResult score = run("attune-score", {"--help"});
  EXPECT_EQ(score.code, 0);
  expect_to_fit(score.out);
  EXPECT_THAT(score.out, AllOf(Not(ContainsRegex(unnamed)), HasSubstr("--repeats N")));
}

TEST_F(Help, TheEmbedderHasAPageToo) {
  const CommandResult page = run("attune-embed", {"--help"});
  EXPECT_EQ(page.code, 0) << page.err;
  expect_to_fit(page.out);
  EXPECT_THAT(page.out, AllOf(HasSubstr("usage: attune-embed FILE.cu --output FILE"), HasSubstr("--depfile FILE"),
                              HasSubstr("examples"), Not(ContainsRegex(unnamed))));
  const CommandResult without = run("attune-embed", {scale()});
  EXPECT_EQ(without.code, 1);
  EXPECT_THAT(without.err, AllOf(HasSubstr("--output FILE is missing"), HasSubstr("attune-embed --help")));
}

TEST_F(Help, AListFitsEightyColumns) {
  expect_to_fit(output_of({"list"}));
  output_of({"tune", scale_with("name = \"scale\"", "name = \"a_kernel_with_a_rather_long_name\""), "--trials", "1"});
  expect_to_fit(output_of({"list"}));
}

// Long names of parameters, values, steps and arguments.
TEST_F(Help, WhatCommandsPrintFitsEightyColumns) {
  const std::string steps =
      "[[ladder]]\nname = \"a ladder with quite a long name\"\nsteps = [{ name = \"a step whose name says in "
      "many words what it does to the kernel\", configuration = \"BLOCK=32 ITEMS=1\" }, { name = \"another\" }]\n"
      "[[ladder]]\nname = \"sizes\"\nsweep = \"n=3000..3001\"\n"
      "steps = [{ name = \"small blocks\", configuration = \"BLOCK=32 ITEMS=1\" }, { name = \"default\" }]\n[metrics]";
  const std::string kernel = scale_with({{"[metrics]", steps},
                                         {"[restrictions]",
                                          "A_PARAMETER_WITH_A_LONG_NAME = [1000000000, 2000000000]\n"
                                          "ANOTHER_PARAMETER_WITH_A_LONG_NAME = [1, 2, 3, 4]\n[restrictions]"},
                                         {"bytes = ", "items = \"1000 * n\"\nunit = \"interactions\"\nbytes = "}});
  const auto printed = [&](std::vector<std::string> arguments) {
    const std::string command = arguments.front();
    const CommandResult result = attune(std::move(arguments));
    EXPECT_EQ(result.code, 0) << command << ": " << result.err;
    EXPECT_THAT(result.out, HasSubstr("\n")) << command;
    SCOPED_TRACE(command);
    expect_to_fit(result.out);
  };
  for (const char* const view : {"--verbose", "--fresh"}) printed({"tune", kernel, "--trials", "6", view});
  printed({"tune", kernel, "--trials", "6", "--objective", "time, shared + 1"});
  printed({"show", kernel});
  printed({"show", kernel, "--verbose"});
  printed({"report", kernel, "--text"});
  printed({"trials", "scale"});
  printed({"explain", kernel});
  printed({"plan", kernel});
  printed({"plan", kernel, "--problem", "n=6000"});
  printed({"check", kernel});
  for (const char* const view : {"--verbose", "--steps"})
    printed({"bench", kernel, "-c", "BLOCK=32", "--rounds", "2", "--regime", "all", view});
  printed({"ladder", kernel, "--rounds", "2"});
  printed({"ladder", kernel, "--rounds", "2", "--verbose"});
  printed({"space", kernel});
  printed({"space", kernel, "--audit"});
  for (const char* const asked : {"BLOCK=64 ITEMS=1", "BLOCK=32 ITEMS=2"}) printed({"space", kernel, "--why", asked});
  printed({"prepare", kernel});
  for (const char* const command : {"devices", "strategies", "calibrate"}) printed({command});
}

}  // namespace
}  // namespace attune::test
