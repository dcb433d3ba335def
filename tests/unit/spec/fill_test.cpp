#include "spec/fill.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace attune::tests {
namespace {

constexpr auto least_int64 = std::numeric_limits<std::int64_t>::min();
constexpr auto greatest_int64 = std::numeric_limits<std::int64_t>::max();

TEST(Fill, ReadsEveryForm) {
  EXPECT_EQ(parse_fill("uniform(-1, 1)", false).kind, FillKind::uniform);
  EXPECT_EQ(parse_fill(" normal( 0 , 2 ** 3 ) ", false).b, 8);
  EXPECT_EQ(parse_fill("constant(-2.5)", false).a, -2.5);
  EXPECT_EQ(parse_fill("iota", false).kind, FillKind::iota);
  EXPECT_EQ(parse_fill("permutation", false).kind, FillKind::permutation);
  EXPECT_EQ(parse_fill("2.5", true).a, 2.5);
  EXPECT_EQ(parse_fill("-(1 << 4)", true).integer_a, -16);
  EXPECT_EQ(parse_fill("constant(3)", true).integer_a, 3);
  EXPECT_EQ(parse_fill("true", true).integer_a, 1);
  EXPECT_EQ(parse_fill("uniform(min(1, 2), max(3, 4))", false).b, 4);
}

TEST(Fill, KeepsIntegersExactlyWhereADoubleWouldNot) {
  const auto fill = parse_fill("uniform(-9007199254740993, 9223372036854775807)", false);
  EXPECT_EQ(fill.integer_a, -9007199254740993);
  EXPECT_EQ(fill.integer_b, greatest_int64);
}

TEST(Fill, RoundsRealBoundsInwardsForIntegers) {
  const auto fill = parse_fill("uniform(-1.5, 1.5)", false);
  EXPECT_EQ(fill.integer_a, -1);
  EXPECT_EQ(fill.integer_b, 1);
  EXPECT_EQ(parse_fill("uniform(-1e30, 1e30)", false).integer_a, least_int64);
  EXPECT_EQ(parse_fill("uniform(-1e30, 1e30)", false).integer_b, greatest_int64);
}

struct Refused {
  std::string text;
  bool scalar;
  std::size_t offset;
  std::string words;
};

TEST(Fill, IsRefusedWhereItIsWrong) {
  const Refused table[] = {
      {"", true, 0, "missing"},
      {"uniform", false, 7, "uniform(least, greatest)"},
      {"uniform(1)", false, 7, "uniform(least, greatest)"},
      {"uniform(1, 2, 3)", false, 7, "uniform(least, greatest)"},
      {"uniform(1, 2", false, 7, "uniform(least, greatest)"},
      {"uniform(1, )", false, 11, "missing"},
      {"uniform(2, 1)", false, 11, "below"},
      {"uniform(1, 1 +)", false, 14, "expected"},
      {"normal(0, -1)", false, 10, "negative"},
      {"constant(n)", false, 9, "no constant"},
      {"constant(device.warp_size)", false, 9, "no constant"},
      {"constant(1 / 0)", false, 9, "zero"},
      {"constant('a')", false, 9, "no finite number"},
      {"iota(3)", false, 4, "nothing follows"},
      {"ramdom", false, 0, "neither a fill nor a number"},
      {"permutatoin", false, 0, "did you mean `permutation`"},
      {"3", false, 0, "constant(3)"},
      {"uniform(0, 1)", true, 0, "one number"},
  };
  for (const auto& [text, scalar, offset, words] : table) {
    try {
      parse_fill(text, scalar);
      ADD_FAILURE() << "`" << text << "` was read";
    } catch (const ExpressionError& error) {
      EXPECT_EQ(error.offset, offset) << text << ": " << error.what();
      EXPECT_THAT(error.what(), testing::HasSubstr(words)) << text;
    }
  }
}

bool fits(std::string_view fill, std::string_view type) {
  return !misfit(parse_fill(fill, false), type_named(type)).has_value();
}

TEST(Fill, MustFitItsType) {
  EXPECT_TRUE(fits("uniform(-128, 127)", "int8"));
  EXPECT_FALSE(fits("uniform(-129, 127)", "int8"));
  EXPECT_FALSE(fits("uniform(-128, 128)", "int8"));
  EXPECT_FALSE(fits("uniform(-1, 1)", "uint8"));
  EXPECT_TRUE(fits("constant(255)", "uint8"));
  EXPECT_FALSE(fits("constant(256)", "uint8"));
  EXPECT_TRUE(fits("constant(9223372036854775807)", "int64"));
  EXPECT_FALSE(fits("constant(1e19)", "int64"));
  EXPECT_FALSE(fits("constant(0.5)", "int32"));
  EXPECT_TRUE(fits("constant(2.0)", "int32"));
  EXPECT_TRUE(fits("uniform(0, 4294967295)", "uint4"));
  EXPECT_FALSE(fits("uniform(0, 4294967296)", "uint4"));
  EXPECT_TRUE(fits("constant(65504)", "half"));
  EXPECT_FALSE(fits("constant(65505)", "half"));
  EXPECT_FALSE(fits("uniform(-1e39, 0)", "float2"));
  EXPECT_TRUE(fits("uniform(-1e39, 0)", "double"));
  EXPECT_TRUE(fits("constant(true)", "bool"));
  EXPECT_FALSE(fits("uniform(0, 2)", "bool"));
  EXPECT_FALSE(fits("normal(0, 1)", "bool"));
  EXPECT_FALSE(fits("iota", "bool"));
  EXPECT_TRUE(fits("permutation", "int32"));
}

}  // namespace
}  // namespace attune::tests
