#include "cover/split.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "attune/expression.hpp"

namespace attune {
namespace {

Problem matrix_of(std::int64_t width, std::int64_t height, const char* type = "float") {
  return Problem({{"width", width}, {"height", height}, {"T", type}});
}

std::vector<std::string> texts_of(const std::vector<Problem>& problems, SplitFamily family) {
  std::vector<const Problem*> pointers;
  for (const Problem& problem : problems) pointers.push_back(&problem);
  std::vector<std::string> texts;
  for (const CoverSplit& split : splits_of(pointers, family)) texts.push_back(split.text());
  return texts;
}

TEST(CoverSplit, BoundsLieBetweenNeighboursAndArePowersOfTwoWhereOneIsBetween) {
  EXPECT_EQ(texts_of({Problem({{"n", 1000}}), Problem({{"n", 70000}}), Problem({{"n", 70002}})}, SplitFamily::sizes),
            (std::vector<std::string>{"n <= 8192", "n <= 70000"}));
}

TEST(CoverSplit, AFamilyAsksNoMoreThanItsKinds) {
  const std::vector<Problem> problems = {matrix_of(64, 4096), matrix_of(4096, 64), matrix_of(1001, 2000, "double")};
  for (const std::string& text : texts_of(problems, SplitFamily::sizes))
    EXPECT_TRUE(text.starts_with("T == ") || text.find('*') == std::string::npos) << text;
  const auto shapes = texts_of(problems, SplitFamily::shapes);
  EXPECT_NE(std::ranges::find(shapes, "8 * width <= height"), shapes.end()) << ::testing::PrintToString(shapes);
  EXPECT_EQ(std::ranges::find(shapes, "width % 16 == 0"), shapes.end());
  const auto multiples = texts_of(problems, SplitFamily::multiples);
  EXPECT_NE(std::ranges::find(multiples, "width % 16 == 0"), multiples.end());
  EXPECT_EQ(std::ranges::find(multiples, "height % 16 == 0"), multiples.end()) << "all heights are multiples of 16";
}

TEST(CoverSplit, EveryQuestionIsAnsweredAsTheEvaluatorAnswersItsText) {
  std::vector<Problem> problems;
  for (const std::int64_t width : {1, 3, 64, 777, 4096, 131072})
    for (const std::int64_t height : {1, 5, 100, 2048, 99999})
      problems.push_back(matrix_of(width, height, width % 2 == 0 ? "float" : "int32"));
  std::vector<const Problem*> pointers;
  for (const Problem& problem : problems) pointers.push_back(&problem);
  for (const SplitFamily family :
       {SplitFamily::sizes, SplitFamily::multiples, SplitFamily::products, SplitFamily::shapes}) {
    const auto splits = splits_of(pointers, family);
    EXPECT_GE(splits.size(), 11U);
    for (const CoverSplit& split : splits) {
      const Expression expression(split.text());
      for (const Problem& problem : problems)
        EXPECT_EQ(expression.holds(Scope{.problem = &problem}), split.holds(problem))
            << split.text() << " for " << problem.text();
    }
  }
}

}  // namespace
}  // namespace attune
