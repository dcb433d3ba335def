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

template <typename T>
u64 ulp_of(T actual, T expected) {
  return compare_element<T>(actual, expected, 0, 0, true).ulp;
}
template <typename T>
double relative_of(T actual, T expected) {
  return compare_element<T>(actual, expected, 0, 0, true).relative;
}

// The definition: how many steps to the next value lead from one to the other.
template <typename T>
u64 steps(T from, T to) {
  u64 count = 0;
  for (; from != to; ++count) from = std::nextafter(from, to);
  return count;
}

TEST(DataOps, CountTheStepsBetweenTwoValues) {
  const float tiny = std::numeric_limits<float>::denorm_min();
  const float pairs[][2] = {{1.0f, 1.00001f},      {0.99999f, 1.00001f},
                            {3 * tiny, -5 * tiny}, {0.0f, 2 * tiny},
                            {-1024.0f, -1024.01f}, {-0.0f, 0.0f},
                            {1.5f, 1.5f},          {std::ldexp(1.0f, -126), std::ldexp(1.0f, -126) - 9 * tiny}};
  for (const auto& [x, y] : pairs) {
    EXPECT_EQ(ulp_of(x, y), steps(x, y)) << x << ' ' << y;
    EXPECT_EQ(ulp_of(y, x), steps(x, y)) << x << ' ' << y;
  }
  EXPECT_EQ(ulp_of(1.0, std::nextafter(1.0, 2.0)), 1u);
  EXPECT_EQ(ulp_of(-1.0, std::nextafter(-1.0, 0.0)), 1u);
  EXPECT_EQ(ulp_of(1.0, 2.0), 1ULL << 52);
  EXPECT_EQ(ulp_of(std::numeric_limits<double>::max(), std::numeric_limits<double>::lowest()),
            2 * ((0x7FFULL << 52) - 1));
}

TEST(DataOps, CountTheStepsBetweenNeighboursOfEvery16BitValue) {
  for (unsigned bits = 0; bits < 0x7BFF; ++bits) {
    const Half lower{static_cast<unsigned short>(bits)}, upper{static_cast<unsigned short>(bits + 1)};
    ASSERT_EQ(ulp_of(lower, upper), 1u);
    ASSERT_EQ(ulp_of(Half{static_cast<unsigned short>(bits | 0x8000)}, upper), 2 * bits + 1);
  }
  for (unsigned bits = 0; bits < 0x7F7F; ++bits) {
    const Bfloat16 lower{static_cast<unsigned short>(bits)}, upper{static_cast<unsigned short>(bits + 1)};
    ASSERT_EQ(ulp_of(upper, lower), 1u);
  }
  EXPECT_EQ(ulp_of(Half{0x0000}, Half{0x8000}), 0u);
  EXPECT_EQ(ulp_of(Bfloat16{0x3F80}, Bfloat16{0x3F85}), 5u);
}

TEST(DataOps, CountTheDifferenceOfIntegersExactly) {
  EXPECT_EQ(ulp_of(3, -4), 7u);
  EXPECT_EQ(ulp_of<unsigned char>(0, 255), 255u);
  EXPECT_EQ(ulp_of<i64>(std::numeric_limits<i64>::min(), std::numeric_limits<i64>::max()), ~0ULL);
  EXPECT_EQ(ulp_of<i64>((1LL << 62) + 1, 1LL << 62), 1u) << "which a double does not tell apart";
  EXPECT_EQ(relative_of(3, -4), 1.75);
  EXPECT_EQ(relative_of(3, 0), 0);
}

TEST(DataOps, RelateAnErrorToWhatIsExpected) {
  EXPECT_EQ(relative_of(1.5f, -1.0f), 2.5);
  EXPECT_EQ(relative_of(2.5, 2.0), 0.25);
  EXPECT_EQ(relative_of(7.0, 0.0), 0) << "nothing to relate it to";
  EXPECT_EQ(relative_of(7.0, -0.0), 0);
  EXPECT_EQ(relative_of(1e308, 1e-308), std::numeric_limits<double>::infinity()) << "overflow";
  EXPECT_EQ(relative_of(Half{0x3C00}, Half{0x4000}), 0.5);
}

TEST(DataOps, WhatIsNotFiniteIsInfinitelyFarFromAllButItself) {
  const float infinity = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  const float pairs[][2] = {{infinity, 1},         {1, infinity},   {nan, 1}, {1, nan},
                            {infinity, -infinity}, {nan, infinity}, {nan, 0}};
  for (const bool allowed : {false, true}) {
    for (const auto& [x, y] : pairs) {
      const ElementComparison one = compare_element<float>(x, y, 1, 1, allowed);
      EXPECT_TRUE(one.mismatch);
      EXPECT_TRUE(std::isinf(one.error) && std::isinf(one.relative)) << x << ' ' << y;
      EXPECT_EQ(one.ulp, ~0ULL) << x << ' ' << y;
    }
    for (const float same : {infinity, -infinity, nan}) {
      const ElementComparison one = compare_element<float>(same, same, 0, 0, allowed);
      EXPECT_EQ(one.mismatch, !allowed);
      EXPECT_EQ(one.error, 0);
      EXPECT_EQ(one.relative, 0);
      EXPECT_EQ(one.ulp, 0u);
    }
  }
}

}  // namespace
}  // namespace attune::data_ops
