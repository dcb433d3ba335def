// The element functions that all devices share.
#include "device/data_ops.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

namespace attune::data_ops {
namespace {

TEST(DataOps, WidenAndNarrowEveryHalf) {
  for (unsigned bits = 0; bits < 0x10000; ++bits) {
    const auto half = static_cast<unsigned short>(bits);
    const double value = widen_float<10>(half);
    if (is_nan(value)) {
      EXPECT_EQ(bits & 0x7C00, 0x7C00u);
      EXPECT_TRUE(is_nan(widen_float<10>(narrow_float<10>(value))));
    } else {
      ASSERT_EQ(narrow_float<10>(value), half) << bits;
    }
  }
  EXPECT_EQ(widen_float<10>(0x3C00), 1.0);
  EXPECT_EQ(widen_float<10>(0x0001), std::ldexp(1.0, -24));
  EXPECT_EQ(widen_float<10>(0x7BFF), 65504.0);
  EXPECT_EQ(widen_float<10>(0xFC00), -std::numeric_limits<double>::infinity());
}

TEST(DataOps, WidenAndNarrowEveryBfloat16) {
  for (unsigned bits = 0; bits < 0x10000; ++bits) {
    float as_float;
    const unsigned word = bits << 16;
    std::memcpy(&as_float, &word, sizeof word);
    const double value = widen_float<7>(static_cast<unsigned short>(bits));
    if (std::isnan(as_float)) {
      EXPECT_TRUE(is_nan(value));
    } else {
      ASSERT_EQ(value, static_cast<double>(as_float)) << bits;
      ASSERT_EQ(narrow_float<7>(value), bits);
    }
  }
}

TEST(DataOps, NarrowToTheNearestWithTiesToEven) {
  EXPECT_EQ(narrow_float<10>(1.0 + std::ldexp(1.0, -11)), 0x3C00);      // a tie, down to even
  EXPECT_EQ(narrow_float<10>(1.0 + 3 * std::ldexp(1.0, -11)), 0x3C02);  // a tie, up to even
  EXPECT_EQ(narrow_float<10>(1.0 + std::ldexp(1.0, -11) + std::ldexp(1.0, -40)),
            0x3C01);  // what a detour over float loses
  EXPECT_EQ(narrow_float<10>(65519.99), 0x7BFF);
  EXPECT_EQ(narrow_float<10>(65520.0), 0x7C00);
  EXPECT_EQ(narrow_float<10>(std::ldexp(1.0, -25)), 0x0000);
  EXPECT_EQ(narrow_float<10>(std::ldexp(1.0, -25) * 1.0001), 0x0001);
  EXPECT_EQ(narrow_float<10>(-std::ldexp(1.0, -14) * (1 - std::ldexp(1.0, -12))), 0x8400);  // up to the least normal
  EXPECT_EQ(narrow_float<10>(-1e-300), 0x8000);
  EXPECT_EQ(narrow_float<7>(3.5e38), 0x7F80);
}

TEST(DataOps, RoundAndSaturateToIntegers) {
  EXPECT_EQ(Element<signed char>::from_double(127.4), 127);
  EXPECT_EQ(Element<signed char>::from_double(1000), 127);
  EXPECT_EQ(Element<signed char>::from_double(-128.4), -128);
  EXPECT_EQ(Element<signed char>::from_double(-1e300), -128);
  EXPECT_EQ(Element<unsigned char>::from_double(-3), 0);
  EXPECT_EQ(Element<long long>::from_double(1e300), std::numeric_limits<long long>::max());
  EXPECT_EQ(Element<long long>::from_double(-1e300), std::numeric_limits<long long>::min());
  EXPECT_EQ(Element<unsigned long long>::from_double(1e300), std::numeric_limits<unsigned long long>::max());
  EXPECT_EQ(Element<int>::from_double(2.5), 3);
  EXPECT_EQ(Element<int>::from_double(-2.5), -3);
}

TEST(DataOps, FillWithinTheBounds) {
  FillPlan plan{};
  plan.a = -1e308;
  plan.b = 1e308;
  plan.seed = 5;
  plan.count = 1000;
  for (u64 i = 0; i < 1000; ++i) {
    const double value = fill_element<double>(plan, i);
    ASSERT_TRUE(std::isfinite(value));
    ASSERT_LE(std::fabs(value), 1e308);
  }
  plan.integer_a = std::numeric_limits<i64>::min();
  plan.integer_b = std::numeric_limits<i64>::max();
  bool negative = false, positive = false;
  for (u64 i = 0; i < 100; ++i) {
    const i64 value = fill_element<i64>(plan, i);
    negative = negative || value < -(1LL << 62);
    positive = positive || value > 1LL << 62;
  }
  EXPECT_TRUE(negative && positive);
}

TEST(DataOps, PermuteLargeDomainsWithinThem) {
  for (const u64 count : {u64{1} << 40, (u64{1} << 62), (u64{1} << 33) + 1}) {
    for (u64 index = 0; index < 100; ++index) ASSERT_LT(permuted(3, count - 1 - index, count), count);
  }
}

TEST(DataOps, NormalValuesStayWithinSixDeviations) {
  double largest = 0;
  for (u64 i = 0; i < 100'000; ++i) largest = std::max(largest, std::fabs(unit_normal(7, i)));
  EXPECT_LT(largest, 6);
  EXPECT_GT(largest, 3.5);
}

}  // namespace
}  // namespace attune::data_ops
