// What a session tells of its trials: why they were rejected, what the compiler warns of, how many will be tried.
#include "session/rejections.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "session/compiler_remarks.hpp"
#include "session/expectation.hpp"

namespace attune {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Trial trial(Verdict verdict, int block, const std::string& detail = "") {
  Trial made;
  made.configuration = {{"BLOCK", block}};
  made.verdict = verdict;
  made.detail = detail;
  return made;
}

Rejections rejections_of(const std::map<Verdict, int>& counts) {
  Rejections rejections;
  for (const auto& [verdict, count] : counts)
    for (int i = 0; i < count; ++i) rejections.see(trial(verdict, i));
  return rejections;
}

TEST(Rejections, TheMostFrequentComesFirstWithItsFirstExample) {
  Rejections rejections;
  rejections.see(trial(Verdict::compile_error, 1, "error: a"));
  rejections.see(trial(Verdict::ok, 2));
  rejections.see(trial(Verdict::wrong_result, 3, "argument `y`: 1 element differs"));
  rejections.see(trial(Verdict::wrong_result, 4, "argument `y`: 2 elements differ"));
  const std::vector<Rejection> list = rejections.list();
  ASSERT_EQ(list.size(), 2u);
  EXPECT_EQ(list[0].verdict, Verdict::wrong_result);
  EXPECT_EQ(list[0].count, 2);
  EXPECT_EQ(list[0].example.text(), "BLOCK=3");
  EXPECT_EQ(list[0].detail, "argument `y`: 1 element differs");
  EXPECT_EQ(list[1].verdict, Verdict::compile_error);
  EXPECT_EQ(rejections.trials(), 4);
  EXPECT_EQ(rejections.survivors(), 1);
}

TEST(Rejections, FewSurviveWhereMostFailedAndTheyAreFewOrAFifth) {
  EXPECT_FALSE(rejections_of({{Verdict::ok, 3}}).few_survive()) << "the whole space is right";
  EXPECT_FALSE(rejections_of({{Verdict::ok, 5}, {Verdict::resources, 5}}).few_survive());
  EXPECT_TRUE(rejections_of({{Verdict::ok, 5}, {Verdict::resources, 6}}).few_survive());
  EXPECT_FALSE(rejections_of({{Verdict::ok, 8}, {Verdict::resources, 32}}).few_survive());
  EXPECT_TRUE(rejections_of({{Verdict::ok, 8}, {Verdict::resources, 33}}).few_survive());
  EXPECT_FALSE(rejections_of({{Verdict::resources, 33}}).few_survive()) << "there is no answer";
}

TEST(CompilerRemarks, AreSpillsAndLostPerformance) {
  const std::string loss =
      "ptxas info    : (C7510) Potential Performance Loss: wgmma.mma_async instructions are serialized due to calls";
  const std::string log =
      "ptxas info    : Used 10 registers\n" + loss + "\n" + loss + "\nptxas info    : Compile time\n";
  EXPECT_EQ(performance_warnings(log), loss);
  EXPECT_EQ(performance_warnings("ptxas info    : Used 10 registers\n"), "");
  Trial right = trial(Verdict::ok, 1, loss);
  right.usage.registers = 255;
  right.usage.spill_bytes = 96;
  EXPECT_THAT(compiler_remarks("the best", right),
              ElementsAre("the best spills 96 bytes a thread: its 255 registers do not suffice",
                          "the best: Potential Performance Loss: wgmma.mma_async instructions are serialized due to "
                          "calls"));
  EXPECT_THAT(compiler_remarks("the default", trial(Verdict::ok, 1)), IsEmpty());
  EXPECT_THAT(compiler_remarks("the default", trial(Verdict::compile_error, 1, loss)), IsEmpty());
}

TEST(Expectation, IsToldWhereImagesTakeLong) {
  EXPECT_EQ(expectation_text({27, 8, 30.0, 682}),
            "one image takes 27 s to compile: about 8 of 682 configurations, 8 at a time, in 30 s");
  EXPECT_EQ(expectation_text({27, 1, 15.0, 682}),
            "one image takes 27 s to compile: about 1 of 682 configurations in 15 s");
  EXPECT_EQ(expectation_text({9, 2, {}, 100}),
            "one image takes 9 s to compile: all 100 configurations, 2 at a time, take about 8 min");
  EXPECT_EQ(expectation_text({0.9, 8, 30.0, 682}), "") << "compiles are short";
  EXPECT_EQ(expectation_text({2, 8, 120.0, 400}), "") << "all are tried";
  EXPECT_EQ(expectation_text({1, 8, 100.0, 1e6}), "") << "many are tried";
}

}  // namespace
}  // namespace attune
