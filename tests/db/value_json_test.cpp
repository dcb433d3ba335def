#include "db/value_json.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "db/field_values.hpp"

namespace attune {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

TEST(NumbersJson, ReadsBackEverySampleExactlyAndWhatIsNotFiniteAsNan) {
  test::RandomFields random(2);
  for (int round = 0; round < 500; ++round) {
    std::vector<double> samples;
    random("", samples);
    std::erase_if(samples, [](double sample) { return std::isnan(sample); });
    ASSERT_EQ(numbers_from_json(numbers_json(samples)), samples) << numbers_json(samples);
  }
  const auto back = numbers_from_json(numbers_json({infinite, std::nan(""), 2.0}));
  ASSERT_TRUE(back.has_value() && back->size() == 3);
  EXPECT_TRUE(std::isnan((*back)[0]) && std::isnan((*back)[1]));
  EXPECT_EQ((*back)[2], 2.0);
  for (const char* text : {"", "{}", "[1", R"(["1"])", "[[1]]"})
    EXPECT_FALSE(numbers_from_json(text).has_value()) << text;
}

TEST(BoardsJson, ReadsBackWhatItWroteAndNothingElse) {
  test::RandomFields random(3);
  for (int round = 0; round < 200; ++round) {
    std::vector<BoardResult> boards;
    random("", boards);
    ASSERT_EQ(boards_from_json(boards_json(boards)), boards) << boards_json(boards);
  }
  for (const char* text : {"", "{}", "[1]", R"([{"uuid":"a","rounds":1,"median_ns":1}])",
                           R"([{"uuid":1,"rounds":1,"median_ns":1,"speedup":1}])",
                           R"([{"uuid":"a","rounds":1,"median_ns":null,"speedup":1}])",
                           R"([{"uuid":"a","rounds":-1,"median_ns":1,"speedup":1}])"})
    EXPECT_FALSE(boards_from_json(text).has_value()) << text;
}

}  // namespace
}  // namespace attune
