// The headers first, as in front of a kernel.
#include "device/host/include/abi.hpp"
//
#include "device/host/include/cuda_vectors.hpp"
//
#include "device/host/include/cuda_language.hpp"
//
#include "device/host/include/cuda_warps.hpp"
//
#include "device/host/include/cuda_atomics.hpp"
//
#include "device/host/include/cuda_math.hpp"
//
#include "device/host/include/cuda_bf16.h"
#include "device/host/include/cuda_fp16.h"
//
#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <type_traits>

#include "device/data_ops.hpp"
#include "unit/device/fake_runtime.hpp"

namespace {

namespace ops = attune::data_ops;

// The data operations of every device narrow and widen by other code: the two must agree.
template <typename T>
struct Of;
template <>
struct Of<__half> {
  static constexpr int mantissa = 10;
  static __half from_bits(unsigned short bits) { return __ushort_as_half(bits); }
  static unsigned short bits(__half value) { return __half_as_ushort(value); }
};
template <>
struct Of<__nv_bfloat16> {
  static constexpr int mantissa = 7;
  static __nv_bfloat16 from_bits(unsigned short bits) { return __ushort_as_bfloat16(bits); }
  static unsigned short bits(__nv_bfloat16 value) { return __bfloat16_as_ushort(value); }
};

template <typename T>
class CudaHalves : public testing::Test {
 protected:
  static unsigned short bits(T value) { return Of<T>::bits(value); }
  // The nearest, by the data operations; a NaN is 0x7fff.
  static unsigned short expected(double value) {
    return value != value ? 0x7fff : ops::narrow_float<Of<T>::mantissa>(value);
  }
};
using HalfTypes = testing::Types<__half, __nv_bfloat16>;
TYPED_TEST_SUITE(CudaHalves, HalfTypes);

TYPED_TEST(CudaHalves, AreStorage) {
  static_assert(sizeof(TypeParam) == 2 && alignof(TypeParam) == 2);
  static_assert(std::is_trivially_copyable_v<TypeParam> && std::is_trivially_default_constructible_v<TypeParam>);
  static_assert(sizeof(__half2) == 4 && alignof(__half2) == 4 && sizeof(__nv_bfloat162) == 4);
}

TYPED_TEST(CudaHalves, WidenExactly) {
  for (unsigned bits = 0; bits < 0x10000; ++bits) {
    const TypeParam value = Of<TypeParam>::from_bits(static_cast<unsigned short>(bits));
    const double wide = ops::widen_float<Of<TypeParam>::mantissa>(static_cast<unsigned short>(bits));
    if (wide != wide) {
      EXPECT_TRUE(__hisnan(value)) << bits;
      continue;
    }
    ASSERT_EQ(static_cast<double>(value), wide) << bits;
    ASSERT_EQ(this->bits(TypeParam(wide)), bits);
    ASSERT_EQ(this->bits(TypeParam(static_cast<float>(wide))), bits);
  }
}

TYPED_TEST(CudaHalves, NarrowToTheNearestAndTiesToEven) {
  for (unsigned bits = 0; bits < 0x7fff; ++bits) {  // halfway between neighbours, and next to that
    const double lower = Of<TypeParam>::from_bits(static_cast<unsigned short>(bits));
    const double upper = Of<TypeParam>::from_bits(static_cast<unsigned short>(bits + 1));
    const double middle = (lower + upper) / 2;
    if (!std::isfinite(middle)) continue;
    for (const double value : {middle, std::nextafter(middle, 0), std::nextafter(middle, 2 * upper), -middle})
      ASSERT_EQ(this->bits(TypeParam(value)), this->expected(value)) << value;
    const auto single = static_cast<float>(middle);
    ASSERT_EQ(this->bits(TypeParam(single)), this->expected(single)) << single;
  }
  std::mt19937_64 random(1);
  for (int i = 0; i < 200000; ++i) {
    const std::uint64_t word = random();
    double value = 0;
    std::memcpy(&value, &word, sizeof value);
    float single = 0;
    std::memcpy(&single, &word, sizeof single);
    ASSERT_EQ(this->bits(TypeParam(value)), this->expected(value)) << value;
    ASSERT_EQ(this->bits(TypeParam(single)), this->expected(single)) << single;
  }
}

TYPED_TEST(CudaHalves, RoundInEveryDirection) {
  using attune_host::Rounding;
  std::mt19937 random(2);
  for (int i = 0; i < 100000; ++i) {
    float value = 0;
    const auto word = static_cast<std::uint32_t>(random());
    std::memcpy(&value, &word, sizeof value);
    if (!std::isfinite(value)) continue;
    const double down = TypeParam::rounded(value, Rounding::down), up = TypeParam::rounded(value, Rounding::up);
    ASSERT_LE(down, value);
    ASSERT_GE(up, value);
    ASSERT_EQ(down == up, down == value) << value;
    ASSERT_EQ(static_cast<double>(TypeParam::rounded(value, Rounding::zero)), value < 0 ? up : down) << value;
  }
}

TYPED_TEST(CudaHalves, ConvertFromAndToNumbers) {
  const TypeParam three = 3, minus_two = -2.0, quarter = 0.25f;
  EXPECT_EQ(static_cast<int>(three), 3);
  EXPECT_EQ(static_cast<long long>(minus_two), -2);
  EXPECT_EQ(static_cast<unsigned char>(three), 3);
  EXPECT_EQ(static_cast<double>(quarter), 0.25);
  EXPECT_TRUE(three ? true : false);
  EXPECT_FALSE(TypeParam(-0.0f) ? true : false);
  TypeParam x = three;
  x += quarter;
  x *= TypeParam(2);
  EXPECT_EQ(static_cast<float>(x), 6.5f);
  EXPECT_EQ(static_cast<float>(-x / TypeParam(2) - quarter), -3.5f);
  EXPECT_EQ(static_cast<float>(x++) + static_cast<float>(--x), 13.0f);
}

TYPED_TEST(CudaHalves, CompareAsNumbers) {
  const TypeParam one = 1, two = 2, zero = 0, minus_zero = -0.0f, not_a_number = NAN;
  EXPECT_TRUE(one < two && two > one && one <= one && two >= one && one != two && zero == minus_zero);
  EXPECT_FALSE(not_a_number == not_a_number || not_a_number < one || not_a_number > one || one <= not_a_number);
  EXPECT_TRUE(not_a_number != one);
  EXPECT_TRUE(__hlt(one, two) && __hge(two, two) && !__hne(one, not_a_number) && __hisnan(not_a_number));
  EXPECT_EQ(static_cast<float>(__hmax(one, two)), 2.0f);
  EXPECT_EQ(static_cast<float>(__hmin(not_a_number, two)), 2.0f);
  EXPECT_TRUE(__hisnan(__hmin_nan(not_a_number, two)));
  EXPECT_EQ(__hisinf(TypeParam(-INFINITY)), -1);
}

TEST(CudaHalf, HasTheIntrinsicsOfCuda) {
  EXPECT_EQ(__half2float(__float2half(0.1f)), __half2float(__float2half_rn(0.1f)));
  EXPECT_LT(__half2float(__float2half_rd(0.1f)), __half2float(__float2half_ru(0.1f)));
  EXPECT_EQ(__half_as_ushort(__float2half_rz(70000.0f)), 0x7bff);
  EXPECT_EQ(__half_as_ushort(__float2half(70000.0f)), 0x7c00);
  EXPECT_EQ(__half2int_rz(__float2half(-2.75f)), -2);
  EXPECT_EQ(__hadd(5, 8), 6) << "of integers: their mean";
  EXPECT_EQ(__half2float(__hfma(__half(2), __half(3), __half(4))), 10.0f);
  EXPECT_EQ(__half2float(hsqrt(__half(9))), 3.0f);
  const float2 both = __half22float2(__hadd2(__floats2half2_rn(1, 2), __float2half2_rn(0.5f)));
  EXPECT_TRUE(both.x == 1.5f && both.y == 2.5f);
  EXPECT_EQ(__half2float(__low2half(__lowhigh2highlow(make_half2(1, 2)))), 2.0f);
}

TEST(CudaBfloat16, HasTheIntrinsicsOfCuda) {
  EXPECT_EQ(__bfloat162float(__float2bfloat16(1.0f)), 1.0f);
  EXPECT_EQ(__bfloat16_as_ushort(__float2bfloat16_rn(1.00390625f)), 0x3f80) << "a tie";
  EXPECT_EQ(__bfloat16_as_ushort(__double2bfloat16(3.14159265358979)), 0x4049);
  const float2 both = __bfloat1622float2(__floats2bfloat162_rn(1, -2) * __bfloat162bfloat162(__nv_bfloat16(3)));
  EXPECT_TRUE(both.x == 3.0f && both.y == -6.0f);
  EXPECT_EQ(__high2float(__halves2bfloat162(1, 4)), 4.0f);
}

// Shuffles move bits, and atomic additions do not tear.
TEST(CudaHalf, GoesThroughShufflesAndAtomics) {
  attune::test::OneThread thread;
  attune::test::warp.values[7] = __half_as_ushort(__half(5));
  EXPECT_EQ(__half2float(__shfl_sync(~0u, __half(1), 7)), 5.0f);
  const __half2 pair(1, 2);
  std::memcpy(&attune::test::warp.values[1], &pair, sizeof pair);
  EXPECT_EQ(__high2float(__shfl_xor_sync(~0u, __half2(3, 4), 1)), 2.0f);
  __half sums[2] = {1, 100};
  EXPECT_EQ(__half2float(atomicAdd(&sums[0], __half(2))), 1.0f);
  EXPECT_TRUE(sums[0] == __half(3) && sums[1] == __half(100));
  EXPECT_EQ(__half2float(__ldcs(&sums[1])), 100.0f);
}

}  // namespace
