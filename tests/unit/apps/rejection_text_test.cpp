// How rejections and the compiler's remarks are shown.
#include "apps/attune/rejection_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "apps/attune/console.hpp"
#include "apps/attune/text.hpp"

namespace attune::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TEST(TextOfOthers, NoLineIsLongerThanATerminalAndEachIsIndented) {
  std::string words;
  for (int i = 0; i < 60; ++i) words += "word" + std::to_string(i) + " ";
  std::istringstream lines(std::string(7, ' ') + in_lines(words, 7));
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    EXPECT_LE(line.size(), 80u);
    EXPECT_EQ(line.find_first_not_of(' '), 7u) << line;
  }
  EXPECT_GT(count, 4);
  EXPECT_EQ(in_lines("a  b\n\tc", 2), "a b c");
  EXPECT_EQ(in_lines("", 2), "");
  EXPECT_EQ(in_lines("a " + std::string(100, 'x') + " b", 1), "a\n " + std::string(100, 'x') + "\n b");
  EXPECT_EQ(in_lines("a\x1b[31mb", 0), "a\\x1b[31mb");
}

TEST(Reason, IsTheFirstErrorOfALogElseItsFirstLine) {
  EXPECT_EQ(reason_of("k.cu(1): warning: unused\nk.cu(3): error: missing\nk.cu(4): error: more\n"),
            "k.cu(3): error: missing");
  EXPECT_EQ(reason_of("\n  \nargument `y`: 1 element differs\nmore"), "argument `y`: 1 element differs");
  EXPECT_EQ(reason_of(""), "");
  EXPECT_LT(reason_of(std::string(5000, 'x')).size(), 400u);
}

TEST(RejectionText, HasFrequentVerdictsAndTheCommandForMore) {
  const std::vector<Rejection> rejections = {{Verdict::wrong_result, 90, {{"BLOCK", 64}}, "argument `y`: 3 differ"},
                                             {Verdict::guard, 9, {{"BLOCK", 96}}, "wrote outside"},
                                             {Verdict::timeout, 1, {{"BLOCK", 128}}, "too long"}};
  const std::string text = rejections_text(rejections, "attune trials scale");
  EXPECT_THAT(text, AllOf(HasSubstr("  90 wrong_result, such as BLOCK=64: argument `y`: 3 differ\n"
                                    "    attune trials scale --verdict wrong_result\n"),
                          HasSubstr("9 guard, such as BLOCK=96"), Not(HasSubstr("timeout"))));
  EXPECT_THAT(rejections_text(rejections, ""), Not(HasSubstr("--verdict")));
  EXPECT_EQ(rejections_text({}, "attune trials scale"), "");
}

TEST(Console, ShowsTheRemarksOfTheCompilerOnDefaultAndBest) {
  const KernelSpec spec;
  SessionResult result;
  result.record.emplace();
  result.record->default_ns = result.record->median_ns = 2e6;
  result.remarks = {"the best spills 96 bytes a thread: its 255 registers do not suffice"};
  testing::internal::CaptureStdout();
  Console(spec).show_result(KernelRequest(), result, "wisdom.db");
  EXPECT_THAT(testing::internal::GetCapturedStdout(), HasSubstr("  note: the best spills 96 bytes a thread"));
}

}  // namespace
}  // namespace attune::cli
