// Why configurations were rejected: after a search, in `attune show`, and in `attune trials`.
#include <algorithm>
#include <regex>

#include "cli/workbench.hpp"

namespace attune::test {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::Each;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

class Trials : public Workbench {
 protected:
  // ITEMS=2 is wrong in its last element; BLOCK=32 does not compile.
  std::string partly_wrong() const {
    return scale_with(
        {{"scale<T, ITEMS>", "scale<T, ITEMS, BLOCK>"},
         {"template <typename T, int ITEMS>", "template <typename T, int ITEMS, int BLOCK>"},
         {"const long long first", "static_assert(BLOCK != 32, \"\\x1b[31mno such block\");\n  const long long first"},
         {"T(3) * x[first + i];", "T(3) * x[first + i] + (ITEMS == 2 && first + i == n - 1 ? 1 : 0);"},
         {"[metrics]", "[check]\nabsolute = 0.25\n[metrics]"}});
  }
  std::string tuned() const { return output_of({"tune", partly_wrong(), "--seed", "1"}); }
  std::vector<std::string> words_of(const std::string& text, const std::string& word) const {
    std::vector<std::string> found;
    for (const std::string& line : lines_of(text))
      if (line.find(word) != std::string::npos) found.push_back(line);
    return found;
  }
};

// Returns how many trials are shown.
std::size_t rows_of(const std::string& text) {
  const std::regex row(" +([0-9.]+ [mu]s|[a-z_]+)  [A-Z]+=.*");
  const std::vector<std::string> lines = lines_of(text);
  return static_cast<std::size_t>(
      std::count_if(lines.begin(), lines.end(), [&](const std::string& line) { return std::regex_match(line, row); }));
}

constexpr const char* wrong = "differs; first at [4999]: ";

TEST_F(Trials, ASearchSaysWhyConfigurationsFailed) {
  const std::string text = tuned();
  EXPECT_THAT(text, AllOf(HasSubstr("wrong_result, such as "), HasSubstr("compile_error, such as BLOCK=32 "),
                          HasSubstr("no such block"), HasSubstr("attune trials scale --problem \"n=5000 T=float\""),
                          HasSubstr(" --verdict wrong_result\n"), HasSubstr("tolerance 0.25 +")));
  EXPECT_THAT(text, HasSubstr("the answer is of few: 2 of 5 configurations that were tried are right"));
  for (const std::string& line : words_of(text, "differs")) EXPECT_LE(line.size(), 80u) << line;
}

TEST_F(Trials, TheJsonOfASearchHasThem) {
  const auto best = of_type(events_of({"tune", partly_wrong(), "--seed", "1"}), "best").at(0);
  ASSERT_THAT(best.at("rejections"), SizeIs(2));
  EXPECT_EQ(best.at("few_survived"), true);
  const Json& first = best.at("rejections").at(0);
  EXPECT_EQ(first.at("verdict"), "compile_error");
  EXPECT_EQ(first.at("count"), 2);
  EXPECT_EQ(first.at("configuration").at("BLOCK"), 32);
}

TEST_F(Trials, ShowHasThemToo) {
  tuned();
  EXPECT_THAT(output_of({"show", "scale"}),
              AllOf(HasSubstr("  tried          5 configurations: 2 right"), HasSubstr("wrong_result, such as "),
                    HasSubstr("the answer is of few")));
}

TEST_F(Trials, AreListedWithVerdictAndReasonInEightyColumns) {
  tuned();
  const std::string text = output_of({"trials", "scale"});
  EXPECT_THAT(text, AllOf(HasSubstr("scale n=5000 T=float"), ContainsRegex("  wrong_result  [BI][A-Z]+="),
                          HasSubstr("  compile_error  BLOCK=32"), Not(HasSubstr("\x1b"))));
  EXPECT_THAT(text, ContainsRegex("[mu]s  BLOCK=[0-9]+ ITEMS=[0-9]\n")) << "the first is whole";
  EXPECT_THAT(text, HasSubstr("\n  the first whole, of the others what differs from it\n"));
  EXPECT_EQ(count_of(output_of({"trials", "scale", "--verbose"}), "  BLOCK="), 5u) << "all are whole";
  expect_to_fit(text);
  const auto shown = [this](std::vector<std::string> more) {
    more.insert(more.begin(), "trials");
    return rows_of(output_of(more));
  };
  EXPECT_EQ(shown({"scale", "--verdict", "compile_error"}), 2u);
  EXPECT_EQ(shown({partly_wrong(), "--verdict", "failed"}), 3u);
  EXPECT_EQ(shown({"scale", "--verdict", "ok,wrong_result", "--sort", "order"}), 3u);
  EXPECT_THAT(output_of({"trials", "scale", "--limit", "1"}), HasSubstr("4 more: --limit 5 shows them"));
  EXPECT_THAT(output_of({"trials", "scale", "--problem", "n=7"}), HasSubstr("no such trials of scale"));
  EXPECT_THAT(output_of({"trials", "scale", "--problem", "n=5*1000"}), HasSubstr("wrong_result"));
  EXPECT_THAT(output_of({"trials", "scale", "--device", "cuda"}), HasSubstr("no such trials of scale"));
}

TEST_F(Trials, AreJsonAndCsvByTheirFields) {
  tuned();
  const std::vector<Json> events = events_of({"trials", "scale", "--verdict", "wrong_result"});
  ASSERT_THAT(events, SizeIs(1));
  EXPECT_EQ(events[0].at("type"), "trial");
  EXPECT_EQ(events[0].at("verdict"), "wrong_result");
  EXPECT_EQ(events[0].at("kernel"), "scale");
  EXPECT_EQ(events[0].at("problem").at("n"), 5000);
  EXPECT_EQ(events[0].at("configuration").at("ITEMS"), 2);
  EXPECT_EQ(events[0].at("max_share"), 4);
  EXPECT_THAT(events[0].at("detail").get<std::string>(), HasSubstr(wrong));
  const std::vector<std::string> lines = lines_of(output_of({"trials", "scale", "--csv", "--verdict", "ok"}));
  ASSERT_THAT(lines, SizeIs(3));
  EXPECT_THAT(lines[0], AllOf(HasSubstr("kernel,"), HasSubstr(",verdict,"), HasSubstr(",max_share,")));
  EXPECT_THAT(lines[1], HasSubstr(",ok,"));
}

TEST_F(Trials, BadRequestsAreNamed) {
  expect_failure(2, {"trials", "scale", "--verdict", "wrong_results"},
                 {"unknown verdict `wrong_results`", "wrong_result"});
  expect_failure(2, {"trials", "scale", "--sort", "tme"}, {"unknown order `tme`", "time"});
  expect_failure(2, {"trials", "scale", "--json", "--csv"}, {"one of both"});
  expect_failure(2, {"trials", "transpos"}, {"transpose"});
}

// What the kinds of unwritten output are: of the kernel, and of both the kernel and its reference.
class Unwritten : public Workbench {};

TEST_F(Unwritten, AnElementThatShouldBeWhatThePoisonIsMustBeWritten) {
  // Half of the expected result is -1, and the kernel writes only the other half.
  const std::string kernel = scale_with({{"[\"float\", \"int32\"]", "[\"int32\"]"},
                                         {"if (first + i < n) y", "if (first + i < n / 2) y"},
                                         {"y[i] = x[i] + x[i] + x[i]", "y[i] = i < n / 2 ? x[i] + x[i] + x[i] : -1"}});
  const CommandResult result = attune({"check", kernel});
  EXPECT_EQ(result.code, 3);
  EXPECT_THAT(result.out, AllOf(HasSubstr("verdict: wrong_result"), HasSubstr("first at [2500]"),
                                HasSubstr("`y` is poisoned before each launch (bytes 0x5A)")));
}

TEST_F(Unwritten, ATypeWhoseValuesAllOccurIsCheckedTwice) {
  // Each of the 256 values is expected somewhere. The kernel leaves those out that are 255.
  const Replacements bytes = {{"[\"float\", \"int32\"]", "[\"uint8\"]"},
                              {"fill = \"uniform(-9, 9)\"", "fill = \"iota\""},
                              {"y[i] = x[i] + x[i] + x[i]", "y[i] = x[i]"}};
  Replacements right = bytes, lacking = bytes;
  right.emplace_back("y[first + i] = T(3) * x[first + i]", "y[first + i] = x[first + i]");
  lacking.emplace_back("if (first + i < n) y[first + i] = T(3) * x[first + i]",
                       "if (first + i < n && x[first + i] != 255) y[first + i] = x[first + i]");
  EXPECT_THAT(output_of({"check", scale_with(right)}), HasSubstr("verdict: ok"));
  EXPECT_THAT(attune({"check", scale_with(lacking)}).out,
              AllOf(HasSubstr("verdict: wrong_result"), HasSubstr("first at [255]: 0, expected 255")));
}

TEST_F(Unwritten, WhatTheReferenceDoesNotWriteIsItsFault) {
  const Replacements halves = {{"[\"float\", \"int32\"]", "[\"int32\"]"},
                               {"if (first + i < n) y", "if (first + i < n / 2) y"},
                               {"if (i < n) y", "if (i < n / 2) y"}};
  for (const char* command : {"check", "tune"})
    expect_failure(1, {command, scale_with(halves)},
                   {"the reference of scale leaves 2500 of 5000 elements of `y` unwritten", "memset"});
}

class Notes : public Workbench {};

TEST_F(Notes, IntegersWithoutAFillAreNamedWhereTheDefaultFaults) {
  // An index that may be anything.
  const Replacements indexed = {
      {"n = { type = \"int64\" }", "n = { type = \"int64\" }\nat = { type = \"int64\", size = \"n\", role = \"in\" }"},
      {"arguments = [\"y\", \"x\", \"n\"]", "arguments = [\"y\", \"x\", \"n\", \"at\"]"},
      {"(T* y, const T* x, long long n)", "(T* y, const T* x, long long n, const long long* at)"},
      {"T(3) * x[first + i]", "T(3) * x[at[first + i]]"}};
  const std::string kernel = scale_with(indexed);
  const char* const note = "`at` (int64): without a `fill` in [arguments]";
  const CommandResult checked = attune({"check", kernel}), tuned = attune({"tune", kernel, "--trials", "2"});
  EXPECT_THAT(checked.out,
              AllOf(HasSubstr("verdict: fault"), HasSubstr(note), HasSubstr("fill = \"uniform(0, n - 1)\"")));
  EXPECT_THAT(tuned.out, HasSubstr(note));
  EXPECT_THAT(output_of({"check", scale()}), Not(HasSubstr("without a `fill`")));
}

TEST_F(Notes, AParameterThatChangesNothingIsNamed) {
  const std::string kernel = scale_with("ITEMS = [1, 2]", "ITEMS = [1, 2]\nEXTRA = [1, 2]");
  const char* const note = "note: parameter `EXTRA` changes nothing";
  EXPECT_THAT(output_of({"check", kernel}), HasSubstr(note));
  EXPECT_THAT(output_of({"tune", kernel, "--trials", "2"}), HasSubstr(note));
  EXPECT_THAT(output_of({"check", scale()}), Not(HasSubstr("changes nothing")));
}

TEST_F(Notes, LongCompilesSayHowManyConfigurationsWillBeTried) {
  const std::string compiler = write("slow_compiler",
                                     "#!/bin/sh\ncase \"$*\" in *--version*|*-v*) ;; *) sleep 1.5 ;; esac\n"
                                     "exec " ATTUNE_TEST_CXX " \"$@\"\n");
  std::filesystem::permissions(compiler, std::filesystem::perms::owner_all);
  const std::string kernel = scale_with("BLOCK = [64, 32, 128]", "BLOCK = [64, 32, 128, 16, 8, 4, 2, 1]");
  const CommandResult result =
      attune({"tune", kernel, "--time-limit", "2s"}, {.environment = {{"ATTUNE_HOST_CXX", compiler}}});
  EXPECT_THAT(result.out, AllOf(HasSubstr("note: one image takes "), HasSubstr(" of 15 configurations")));
  EXPECT_THAT(output_of({"tune", scale(), "--trials", "2"}), Not(HasSubstr("one image takes")));
}

TEST_F(Notes, TheLargestErrorIsAShareOfTheTolerance) {
  const std::string kernel = scale_with(
      {{"T(3) * x[first + i]", "T(3) * x[first + i] + T(0.5)"}, {"[metrics]", "[check]\nabsolute = 2\n[metrics]"}});
  EXPECT_THAT(output_of({"check", kernel}), HasSubstr("largest error 0.5, 0.25 of the tolerance"));
  EXPECT_NEAR(events_of({"check", kernel}).at(0).at("max_share").get<double>(), 0.25, 0.001);
  EXPECT_THAT(output_of({"check", scale()}), Not(HasSubstr("of the tolerance")));
}

}  // namespace
}  // namespace attune::test
