// attune ladder: the steps of a kernel's table, measured in their order.
#include "cli/workbench.hpp"

namespace attune::test {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr const char* const steps =
    "[[ladder]]\nname = \"blocks\"\nsource = \"a talk\"\nproblems = [\"n=3000\", \"n=4000\"]\n"
    "steps = [{ name = \"small\", configuration = \"BLOCK=32\", published = \"8 ms\" },\n"
    "  { name = \"large\", configuration = \"BLOCK=64 ITEMS=2\" }]\n[metrics]";

class LadderCommand : public Workbench {
 protected:
  // scale.cu with these ladders.
  std::string with(const std::string& ladders) const { return scale_with("[metrics]", ladders); }
};

TEST_F(LadderCommand, MeasuresItsStepsTheDefaultTheRecordAndACopy) {
  const std::string file = with(steps);
  output_of({"tune", file, "--parameters", "BLOCK=128 ITEMS=1", "--problem", "n=3000"});
  const std::string text = output_of({"ladder", file, "--rounds", "5"});
  EXPECT_THAT(
      text, AllOf(HasSubstr("scale: blocks, n=3000 T=float on "), HasSubstr("scale: blocks, n=4000 T=float"),
                  HasSubstr("its times mean little"), ContainsRegex("step +time +rate +gain +total +published"),
                  ContainsRegex("\nsmall +[0-9.]+ [mu]s +[0-9.]+ [GM]B/s +1\\.00x +8 ms\n"),
                  ContainsRegex("\ntuned +[0-9.]+ "), ContainsRegex("\ncopy +[0-9.]+ "), HasSubstr("published: a talk"),
                  HasSubstr("there is no record; to make one:\n        attune tune /")));
  EXPECT_THAT(text, HasSubstr("  small: BLOCK=32 ITEMS=1\n  large: BLOCK=64 ITEMS=2\n")) << "all of it differs";
  EXPECT_THAT(text, HasSubstr("  default: ITEMS=1\n  tuned: BLOCK=128\n")) << "beside the one above";
  EXPECT_EQ(count_of(text, "\ntuned "), 1u) << "of n=3000";
  expect_to_fit(text);
  EXPECT_THAT(output_of({"ladder", file, "--rounds", "2", "--problem", "n=3000", "--verbose"}),
              HasSubstr("  default: BLOCK=64 ITEMS=1\n  tuned: BLOCK=128 ITEMS=1\n"));
}

TEST_F(LadderCommand, JsonHasSpeedupsOverTheStepBeforeAndTheFirst) {
  const std::vector<Json> events = events_of({"ladder", with(steps), "--problem", "n=5000", "--rounds", "5"});
  EXPECT_EQ(of_type(events, "ladder").size(), 1u);
  EXPECT_EQ(of_type(events, "ladder")[0]["source"], "a talk");
  const std::vector<Json> rows = of_type(events, "row");
  std::vector<std::string> names;
  for (const Json& row : rows) names.push_back(row["name"]);
  EXPECT_THAT(names, ElementsAre("small", "large", "default", "copy"));
  EXPECT_EQ(rows[0]["published"], "8 ms");
  EXPECT_FALSE(rows[0].contains("over_last"));
  EXPECT_EQ(rows[0]["in_all"], 1);
  const double ratio = rows[0]["median_ns"].get<double>() / rows[1]["median_ns"].get<double>();
  EXPECT_DOUBLE_EQ(rows[1]["over_last"].get<double>(), ratio);
  EXPECT_DOUBLE_EQ(rows[1]["in_all"].get<double>(), ratio);
  EXPECT_FALSE(rows[2].contains("over_last")) << "the default is no step";
  EXPECT_FALSE(std::filesystem::exists(database()));
}

TEST_F(LadderCommand, SweepsASizeOfTheProblem) {
  const std::string file = with("[[ladder]]\nname = \"sizes\"\nsweep = \"n=100..102\"\n[metrics]");
  EXPECT_THAT(output_of({"ladder", file, "--rounds", "3"}),
              AllOf(ContainsRegex("\nn +default\n100 +[0-9.]+ [mu]s, [0-9.]+ [GMk]B/s\n"), HasSubstr("\n102  "),
                    Not(HasSubstr("\n103 "))));
  const std::vector<Json> rows = of_type(events_of({"ladder", file, "--rounds", "3"}), "row");
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[1]["problem"]["n"], 101);
}

// A step that is legal for some values alone has a column of its own, empty for the others.
TEST_F(LadderCommand, ASweepKeepsTheColumnsOfItsSteps) {
  const std::string sweep =
      "[[ladder]]\nname = \"sizes\"\nsweep = \"n=3000..3001\"\nsteps = [{ name = \"small\", configuration = \"BLOCK=32 "
      "ITEMS=1\" }, { name = \"large\", configuration = \"BLOCK=128 ITEMS=1\" }]\n[metrics]";
  const std::string file = scale_with({{"[metrics]", sweep},
                                       {"rules = [", "rules = [\"BLOCK != 32 || n > 3000\", "},
                                       {"T(3) *", "T(blockDim.x == 32 ? 4 : 3) *"}});
  const CommandResult result = attune({"ladder", file, "--rounds", "2"});
  EXPECT_EQ(result.code, 3) << "one is wrong, so that its column is known";
  EXPECT_THAT(result.out, ContainsRegex("\nn +large +small\n"));
  EXPECT_THAT(result.out, ContainsRegex("\n3000 +[0-9.]+ us, [0-9.]+ [GM]B/s\n")) << "small is not legal";
  EXPECT_THAT(result.out, ContainsRegex("\n3001 +[0-9.]+ us, [0-9.]+ [GM]B/s +wrong_result\n"));
  EXPECT_THAT(result.out, HasSubstr("\n  large: BLOCK=128 ITEMS=1\n  small: BLOCK=32\n"));
}

TEST_F(LadderCommand, LeavesOutWhatIsNotLegalAndShowsWhatFails) {
  const std::string file = scale_with({{"[metrics]", steps}, {"rules = [", "rules = [\"BLOCK != 32 || n < 3500\", "}});
  const std::string text = output_of({"ladder", file, "--rounds", "3"});
  EXPECT_EQ(count_of(text, "\nsmall "), 1u) << text;
  EXPECT_THAT(on_one_line(text), HasSubstr("`small` is left out: BLOCK=32 ITEMS=1 breaks BLOCK != 32 || n < 3500"));
  const CommandResult failed = attune({"ladder", scale_with({{"[metrics]", steps}, {"T(3) *", "T(ITEMS + 2) *"}}),
                                       "--problem", "n=3000", "--rounds", "3"});
  EXPECT_EQ(failed.code, 3);
  EXPECT_THAT(failed.out, AllOf(HasSubstr("large: wrong_result"), HasSubstr("\nsmall ")));
}

TEST_F(LadderCommand, BadInputIsNamed) {
  expect_failure(2, {"ladder", scale()},
                 {"scale has no [[ladder]]; these kernels have one: ", "histogram", "reduce", "transpose"});
  expect_failure(2, {"ladder", with(steps), "--ladder", "bricks"}, {"no ladder `bricks`; it has: blocks"});
  expect_failure(2, {"ladder", with(steps), "--device", "sm_90"}, {"nothing runs on `sm_90`"});
  const auto refused = [this](const std::string& ladder, const std::string& word) {
    expect_failure(1, {"ladder", with("[[ladder]]\n" + ladder + "\n[metrics]")}, {word});
  };
  refused("steps = [{ name = \"a\" }]", "[[ladder]] needs `name`");
  refused("name = \"a\"", "needs `steps`, or a `sweep`");
  refused("name = \"a\"\nsteps = [{ configuration = \"BLOCK=32\" }]", "needs `name`");
  refused("name = \"a\"\nsteps = [{ name = \"b\", configuration = \"BLOKC=32\" }]", "BLOCK");
  refused("name = \"a\"\nsteps = [{ name = \"b\", configuration = \"BLOCK=33\" }]", "33");
  refused("name = \"a\"\nsteps = [{ name = \"b\" }, { name = \"b\" }]", "named twice");
  refused("name = \"a\"\nsteps = [{ name = \"b\" }]\nproblems = [\"m=3\"]", "`m`");
  refused("name = \"a\"\nsweep = \"n\"", "is no sweep");
  refused("name = \"a\"\nsweep = \"n=5..2\"", "has no values");
  refused("name = \"a\"\nsweep = \"n=0..2\"", "is no size");
  refused("name = \"a\"\nsweep = \"T=1..2\"", "no size or integer");
  refused("name = \"a\"\nsweep = \"n=1..1001\"", "more than 1000 values");
  refused("name = \"a\"\nsweep = \"n=1..9223372036854775807\"", "more than 1000 values");
  refused("name = \"a\"\nsweep = \"n=1..9223372036854775808\"", "is no sweep");
}

TEST_F(LadderCommand, OfTheBuiltInKernelsIsRight) {
  for (const auto& [kernel, problem] :
       {std::pair("reduce", "n=4096 T=int32"), std::pair("transpose", "width=64 height=64"),
        std::pair("histogram", "n=4097 bins=100")}) {
    const std::string text = output_of({"ladder", kernel, "--problem", problem, "--rounds", "2"});
    EXPECT_THAT(text, Not(HasSubstr("is left out")));
    EXPECT_THAT(text, HasSubstr("\ndefault "));
  }
}

}  // namespace
}  // namespace attune::test
