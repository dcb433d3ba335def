#include "spec/fill.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "support/cases.hpp"

namespace attune::tests {
namespace {

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

TEST(Fill, KeepsIntegersExactlyAndRoundsRealBoundsInwards) {
  const auto bounds = [](const char* text) {
    const auto fill = parse_fill(text, false);
    return std::pair<std::int64_t, std::int64_t>(fill.integer_a, fill.integer_b);
  };
  using Limits = std::numeric_limits<std::int64_t>;
  EXPECT_EQ(bounds("uniform(-9007199254740993, 9223372036854775807)"), std::pair(-9007199254740993, Limits::max()));
  EXPECT_EQ(bounds("uniform(-1.5, 1.5)"), (std::pair<std::int64_t, std::int64_t>(-1, 1)));
  EXPECT_EQ(bounds("uniform(-1e30, 1e30)"), std::pair(Limits::min(), Limits::max()));
}

TEST(Fill, IsRefusedWhereItIsWrong) {
  auto table = cases(R"(
      uniform => 7 => uniform(least, greatest)  ;;  uniform(1) => 7 => uniform(least, greatest)
      uniform(1, 2, 3) => 7 => uniform(least, greatest)  ;;  uniform(1, 2 => 7 => uniform(least, greatest)
      uniform(1, ) => 11 => missing  ;;  uniform(2, 1) => 11 => below  ;;  uniform(1, 1 +) => 14 => expected
      normal(0, -1) => 10 => negative  ;;  constant(n) => 9 => no constant
      constant(device.warp_size) => 9 => no constant  ;;  constant(1 / 0) => 9 => zero
      constant('a') => 9 => no finite number  ;;  iota(3) => 4 => nothing follows  ;;  3 => 0 => constant(3)
      ramdom => 0 => neither a fill nor a number  ;;  permutatoin => 0 => did you mean `permutation`
      uniform(0, 1) => 0 => one number => scalar)");
  table.push_back({"", "0", "missing", "scalar"});
  for (const auto& item : table) {
    try {
      parse_fill(item.at(0), item.back() == "scalar");
      ADD_FAILURE() << "`" << item[0] << "` was read";
    } catch (const ExpressionError& error) {
      EXPECT_EQ(std::to_string(error.offset), item.at(1)) << item[0] << ": " << error.what();
      EXPECT_THAT(error.what(), testing::HasSubstr(item.at(2))) << item[0];
    }
  }
}

TEST(Fill, MustFitItsType) {
  const auto expect_fits = [](bool expected, std::string_view table) {
    for (const auto& item : cases(table))
      EXPECT_NE(misfit(parse_fill(item.at(0), false), type_named(item.at(1))).has_value(), expected) << item[0];
  };
  expect_fits(true, R"(
      uniform(-128, 127) => int8  ;;  constant(255) => uint8  ;;  constant(9223372036854775807) => int64
      constant(2.0) => int32  ;;  uniform(0, 4294967295) => uint4  ;;  constant(65504) => half
      uniform(-1e39, 0) => double  ;;  constant(true) => bool  ;;  permutation => int32)");
  expect_fits(false, R"(
      uniform(-129, 127) => int8  ;;  uniform(-128, 128) => int8  ;;  uniform(-1, 1) => uint8  ;;  constant(256) => uint8
      constant(1e19) => int64  ;;  constant(0.5) => int32  ;;  uniform(0, 4294967296) => uint4
      constant(65505) => half  ;;  uniform(-1e39, 0) => float2  ;;  uniform(0, 2) => bool  ;;  normal(0, 1) => bool
      iota => bool)");
}

}  // namespace
}  // namespace attune::tests
