#include "spec/fill.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "kernel/fill_values.hpp"
#include "support/cases.hpp"
#include "support/message_of.hpp"

namespace attune::tests {
namespace {

FillValues values(const char* text, bool scalar = false) { return fill_values(parse_fill(text, scalar), {}); }

TEST(Fill, ReadsEveryForm) {
  EXPECT_EQ(parse_fill("uniform(-1, 1)", false).kind, FillKind::uniform);
  EXPECT_EQ(values(" normal( 0 , 2 ** 3 ) ").b, 8);
  EXPECT_EQ(values("constant(-2.5)").a, -2.5);
  EXPECT_EQ(parse_fill("iota", false).kind, FillKind::iota);
  EXPECT_EQ(parse_fill("permutation", false).kind, FillKind::permutation);
  EXPECT_EQ(parse_fill("zipf(1, 256)", false).kind, FillKind::zipf);
  EXPECT_EQ(parse_fill("seed", true).kind, FillKind::seed);
  EXPECT_EQ(values("2.5", true).a, 2.5);
  EXPECT_EQ(values("-(1 << 4)", true).integer_a, -16);
  EXPECT_EQ(values("constant(3)", true).integer_a, 3);
  EXPECT_EQ(values("true", true).integer_a, 1);
  EXPECT_EQ(values("uniform(min(1, 2), max(3, 4))").b, 4);
}

TEST(Fill, NumbersMayNameTheProblem) {
  const Problem problem{{"bins", 256}, {"T", "int32"}};
  const Scope scope{&problem, nullptr, nullptr};
  const Fill fill = parse_fill("uniform(0, bins - 1)", false);
  EXPECT_FALSE(is_constant(fill));
  EXPECT_EQ(fill_values(fill, scope).integer_b, 255);
  EXPECT_EQ(fill_values(parse_fill("zipf(1.5, bins)", false), scope).integer_b, 256);
  EXPECT_EQ(fill_values(parse_fill("bins / 2", true), scope).a, 128);
  const auto refused = [&](const char* text) {
    return message_of<ExpressionError>([&] { fill_values(parse_fill(text, false), scope); });
  };
  EXPECT_EQ(refused("uniform(bins, 0)"), "`0` is below `bins`, which is 256,: no value lies between");
  EXPECT_THAT(refused("normal(0, 1 - bins)"),
              testing::HasSubstr("the deviation `1 - bins`, which is -255, is negative"));
  EXPECT_THAT(refused("zipf(1, bins - 256)"),
              testing::HasSubstr("the count `bins - 256`, which is 0, is no integer from"));
  EXPECT_THAT(refused("zipf(0 - bins, 4)"), testing::HasSubstr("the exponent"));
  EXPECT_THAT(refused("uniform(0, 1 / (bins - 256))"), testing::HasSubstr("zero"));
  EXPECT_THAT(refused("constant(T)"), testing::HasSubstr("no finite number"));
}

TEST(Fill, KeepsIntegersExactlyAndRoundsRealBoundsInwards) {
  const auto bounds = [](const char* text) {
    const FillValues fill = values(text);
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
      normal(0, -1) => 10 => negative  ;;  zipf(1, 0) => 8 => count
      zipf(-1, 4) => 5 => negative  ;;  zipf(1, 2 ** 21) => 8 => count  ;;  n => 0 => neither a fill nor a number
      seed => 0 => an array is filled by  ;;  constant(device.warp_size) => 9 => depends on the device  ;;  constant(1 / 0) => 9 => zero
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
      EXPECT_NE(misfit(values(std::string(item.at(0)).c_str()), type_named(item.at(1))).has_value(), expected)
          << item[0];
  };
  expect_fits(true, R"(
      uniform(-128, 127) => int8  ;;  constant(255) => uint8  ;;  constant(9223372036854775807) => int64
      constant(2.0) => int32  ;;  uniform(0, 4294967295) => uint4  ;;  constant(65504) => half
      uniform(-1e39, 0) => double  ;;  constant(true) => bool  ;;  permutation => int32  ;;  zipf(1, 256) => uint8)");
  expect_fits(false, R"(
      uniform(-129, 127) => int8  ;;  uniform(-128, 128) => int8  ;;  uniform(-1, 1) => uint8  ;;  constant(256) => uint8
      constant(1e19) => int64  ;;  constant(0.5) => int32  ;;  uniform(0, 4294967296) => uint4
      constant(65505) => half  ;;  uniform(-1e39, 0) => float2  ;;  uniform(0, 2) => bool  ;;  normal(0, 1) => bool
      iota => bool  ;;  zipf(1, 257) => uint8  ;;  zipf(1, 2) => bool)");
}

}  // namespace
}  // namespace attune::tests
