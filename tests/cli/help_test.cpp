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
  for (const char* const command : {"tune", "check", "bench", "ladder", "plan", "prepare", "list", "show", "space",
                                    "strategies", "calibrate", "export", "devices"}) {
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

}  // namespace
}  // namespace attune::test
