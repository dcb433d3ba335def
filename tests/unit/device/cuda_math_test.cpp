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
#include <gtest/gtest.h>

#include <limits>
#include <type_traits>

namespace {

constexpr float float_nan = std::numeric_limits<float>::quiet_NaN();
constexpr double quiet_nan = std::numeric_limits<double>::quiet_NaN();
constexpr double positive_infinity = std::numeric_limits<double>::infinity();

template <typename A, typename B>
using MinOf = decltype(min(A(), B()));

}  // namespace

TEST(CudaMath, MinAndMaxConvertAsCudaDoes) {
  static_assert(std::is_same_v<MinOf<int, unsigned>, unsigned> && std::is_same_v<MinOf<float, double>, double>);
  static_assert(std::is_same_v<MinOf<long, unsigned long>, unsigned long> && std::is_same_v<MinOf<short, char>, int>);
  static_assert(min(-1, 2) == -1 && max(-1, 0u) == 0xffffffffu && max(3LL, 4LL) == 4 && min(sizeof(int), 9ul) == 4);
  EXPECT_EQ(max(float_nan, 1.0f), 1.0f);
  EXPECT_EQ(min(1.0f, 2.0), 1.0);
  static_assert(umin(1u, 2u) == 1 && llmax(-1, 2) == 2 && ullmin(1, 2) == 1);
}

TEST(CudaMath, OverloadsKeepFloats) {
  static_assert(std::is_same_v<decltype(sqrt(1.0f)), float> && std::is_same_v<decltype(rsqrt(1.0f)), float>);
  static_assert(std::is_same_v<decltype(abs(-1.0f)), float> && std::is_same_v<decltype(exp10(1.0f)), float>);
  static_assert(std::is_same_v<decltype(fma(1.0f, 1.0f, 1.0f)), float> && std::is_same_v<decltype(floor(1.f)), float>);
  static_assert(std::is_same_v<decltype(isnan(1.0f)), bool>);
  EXPECT_EQ(abs(-3), 3);
  EXPECT_EQ(abs(-3LL), 3);
  EXPECT_EQ(rsqrtf(4), 0.5f);
  EXPECT_EQ(rsqrt(16.0), 0.25);
  EXPECT_EQ(rcbrt(8.0f), 0.5f);
  EXPECT_TRUE(isinf(rsqrtf(0)));
}

TEST(CudaMath, FunctionsOfPiAreExactWhereTheyCanBe) {
  for (double whole = -4; whole <= 4; ++whole) {
    EXPECT_EQ(sinpi(whole), 0) << whole;
    EXPECT_EQ(cospi(whole + 0.5), 0) << whole;
    EXPECT_EQ(cospi(whole), fmod(whole, 2) == 0 ? 1 : -1) << whole;
    EXPECT_EQ(sinpi(whole + 0.5), fmod(whole, 2) == 0 ? 1 : -1) << whole;
  }
  for (double x = -3; x < 3; x += 0.01) {
    EXPECT_NEAR(sinpi(x), sin(M_PI * x), 3e-15) << x;
    EXPECT_NEAR(cospi(x), cos(M_PI * x), 3e-15) << x;
    EXPECT_NEAR(sinpif(static_cast<float>(x)), sin(M_PI * static_cast<float>(x)), 1e-7) << x;
  }
  EXPECT_EQ(cospi(1e15 + 1), -1);
  EXPECT_TRUE(isnan(sinpi(positive_infinity)));
  EXPECT_TRUE(isnan(cospif(float_nan)));
  float sine = 0, cosine = 0;
  sincospi(0.5f, &sine, &cosine);
  EXPECT_EQ(sine, 1);
  EXPECT_EQ(cosine, 0);
  sincos(0.0f, &sine, &cosine);
  EXPECT_EQ(cosine, 1);
  __sincosf(0, &sine, &cosine);
  EXPECT_EQ(sine, 0);
}

TEST(CudaMath, NormsDoNotOverflowOnTheWay) {
  EXPECT_DOUBLE_EQ(norm3d(3e300, 4e300, 0), 5e300);
  EXPECT_DOUBLE_EQ(norm4d(1e-310, 0, 0, 0), 1e-310);
  EXPECT_EQ(norm3df(2, 3, 6), 7);
  EXPECT_EQ(rnorm4d(1, 1, 1, 1), 0.5);
  EXPECT_TRUE(isnan(norm3d(1, quiet_nan, 1)));
  EXPECT_TRUE(isinf(norm3d(quiet_nan, 1, -positive_infinity)));
  const double all[] = {2, 3, 6};
  EXPECT_DOUBLE_EQ(norm(3, all), 7);
  const float floats[] = {3e30f, 4e30f};
  EXPECT_FLOAT_EQ(norm(2, floats), 5e30f);
  EXPECT_FLOAT_EQ(rhypotf(3, 4), 0.2f);
  EXPECT_DOUBLE_EQ(normcdf(0.0), 0.5);
}

TEST(CudaMath, FastFunctionsAreTheExactOnes) {
  EXPECT_EQ(__expf(1), expf(1));
  EXPECT_EQ(__logf(3), logf(3));
  EXPECT_EQ(__powf(2, 10), 1024);
  EXPECT_EQ(__fdividef(1, 4), 0.25f);
  EXPECT_EQ(__saturatef(2), 1);
  EXPECT_EQ(__saturatef(-2), 0);
  EXPECT_EQ(__saturatef(float_nan), 0);
}

TEST(CudaMath, ArithmeticRoundsAsItsNameSays) {
  const float above = nextafterf(1, 2), below = nextafterf(1, 0);
  EXPECT_EQ(__fadd_rn(1, 1e-10f), 1);
  EXPECT_EQ(__fadd_ru(1, 1e-10f), above);
  EXPECT_EQ(__fadd_rd(1, 1e-10f), 1);
  EXPECT_EQ(__fadd_rz(1, -1e-10f), below);
  EXPECT_EQ(__fsub_rd(1, 1e-10f), below);
  EXPECT_EQ(__fmul_ru(above, above), nextafterf(nextafterf(above, 2), 2));
  EXPECT_EQ(__fmul_rn(above, above), nextafterf(above, 2));
  EXPECT_EQ(__fmaf_ru(1, 1, 1e-10f), above);
  EXPECT_EQ(__fma_rd(1, 1, -1e-20), nextafter(1.0, 0.0));
  EXPECT_EQ(__dadd_ru(1, 1e-20), nextafter(1.0, 2.0));
  EXPECT_EQ(nextafterf(__frcp_rd(3), 1), __frcp_ru(3));
  EXPECT_EQ(nextafter(__ddiv_rd(1, 3), 1.0), __ddiv_ru(1, 3));
  EXPECT_EQ(nextafter(__dsqrt_rd(2), 2.0), __dsqrt_ru(2));
  EXPECT_EQ(nextafterf(__fsqrt_rz(2), 2), __fsqrt_ru(2));
  EXPECT_EQ(__frsqrt_rn(4), 0.5f);
  EXPECT_EQ(fegetround(), FE_TONEAREST) << "the mode is put back";
}

TEST(CudaMath, ConversionsRoundAndSaturate) {
  EXPECT_EQ(__float2int_rn(2.5f), 2);
  EXPECT_EQ(__float2int_rn(3.5f), 4);
  EXPECT_EQ(__float2int_rz(-2.9f), -2);
  EXPECT_EQ(__float2int_ru(2.1f), 3);
  EXPECT_EQ(__float2int_rd(-2.1f), -3);
  EXPECT_EQ(__float2int_rz(1e20f), std::numeric_limits<int>::max());
  EXPECT_EQ(__float2int_rz(-1e20f), std::numeric_limits<int>::min());
  EXPECT_EQ(__float2uint_rz(-1), 0u);
  EXPECT_EQ(__float2uint_rz(4294967040.0f), 4294967040u);
  EXPECT_EQ(__double2uint_rn(5e9), 0xffffffffu);
  EXPECT_EQ(__double2ll_rz(1e300), std::numeric_limits<long long>::max());
  EXPECT_EQ(__double2ll_rn(-0x1p63), std::numeric_limits<long long>::min());
  EXPECT_EQ(__double2ull_rz(0x1p63), 0x8000000000000000ull);
  EXPECT_EQ(__double2ull_rz(1e300), ~0ull);
  EXPECT_EQ(__float2int_rz(float_nan), 0);
  EXPECT_EQ(__double2int_rz(quiet_nan), std::numeric_limits<int>::min());
  EXPECT_EQ(__float2ll_rn(float_nan), std::numeric_limits<long long>::min());
  EXPECT_EQ(__ll2float_rn(std::numeric_limits<long long>::max()), 0x1p63f);
  EXPECT_EQ(__ll2float_rz(std::numeric_limits<long long>::max()), nextafterf(0x1p63f, 0));
  EXPECT_EQ(__ull2double_ru((1ull << 53) + 1), 0x1p53 + 2);
  EXPECT_EQ(__uint2float_rd(0xffffffffu), nextafterf(0x1p32f, 0));
  EXPECT_EQ(__double2float_ru(1e-300), std::numeric_limits<float>::denorm_min());
  EXPECT_EQ(__double2float_rz(1e300), std::numeric_limits<float>::max());
  EXPECT_EQ(__int2double_rn(-3), -3.0);
}

TEST(CudaMath, NumbersAndTheirBits) {
  EXPECT_EQ(__float_as_int(1), 0x3f800000);
  EXPECT_EQ(__uint_as_float(0xbf800000u), -1.0f);
  EXPECT_EQ(__longlong_as_double(__double_as_longlong(-3.5)), -3.5);
  EXPECT_EQ(__hiloint2double(0x3ff00000, 0), 1.0);
  EXPECT_EQ(__double2loint(__hiloint2double(1, -1)), -1);
  EXPECT_EQ(__double2hiint(-2.0), static_cast<int>(0xc0000000u));
}

TEST(CudaMath, CountsAndTurnsBits) {
  EXPECT_EQ(__popc(0xf0f0u), 8);
  EXPECT_EQ(__popcll(~0ull), 64);
  EXPECT_EQ(__clz(0), 32);
  EXPECT_EQ(__clz(-1), 0);
  EXPECT_EQ(__clzll(0), 64);
  EXPECT_EQ(__clzll(1), 63);
  EXPECT_EQ(__ffs(0), 0);
  EXPECT_EQ(__ffsll(1LL << 40), 41);
  EXPECT_EQ(__brev(0x12345678u), 0x1e6a2c48u);
  EXPECT_EQ(__brevll(2), 0x4000000000000000ull);
  EXPECT_EQ(__byte_perm(0x33221100u, 0x77665544u, 0x7410), 0x77441100u);
  EXPECT_EQ(__byte_perm(0x33221180u, 0x77665544u, 0x0018), 0x808011ffu)
      << "the highest bit of a selector spreads signs";
  EXPECT_EQ(__funnelshift_l(0x80000000u, 1, 1), 3u);
  EXPECT_EQ(__funnelshift_r(0, 1, 1), 0x80000000u);
  EXPECT_EQ(__funnelshift_l(5, 6, 32), 6u);
  EXPECT_EQ(__funnelshift_r(5, 6, 32), 5u);
  EXPECT_EQ(__funnelshift_lc(5, 6, 33), 5u);
  EXPECT_EQ(__funnelshift_rc(5, 6, 33), 6u);
}

TEST(CudaMath, IntegerProductsAndAverages) {
  EXPECT_EQ(__mul24(0x00ffffff, 2), -2) << "24 bits with a sign";
  EXPECT_EQ(__umul24(0xff000003u, 2), 6u);
  EXPECT_EQ(__mulhi(-1, 1), -1);
  EXPECT_EQ(__umulhi(0x80000000u, 4), 2u);
  EXPECT_EQ(__mul64hi(-1, 1), -1);
  EXPECT_EQ(__umul64hi(1ull << 63, 4), 2ull);
  EXPECT_EQ(__sad(-3, 4, 1), 8u);
  EXPECT_EQ(__sad(std::numeric_limits<int>::min(), std::numeric_limits<int>::max(), 0), 0xffffffffu);
  EXPECT_EQ(__usad(3, 4, 1), 2u);
  EXPECT_EQ(__hadd(-1, -2), -2);
  EXPECT_EQ(__rhadd(-1, -2), -1);
  EXPECT_EQ(__uhadd(~0u, ~0u), ~0u);
  EXPECT_EQ(__urhadd(~0u, ~0u - 1), ~0u);
  EXPECT_EQ(__dp4a(0x01020304, 0x01ff0101, 1), 1 + 1 - 2 + 3 + 4);
  EXPECT_EQ(__dp4a(0x01020304u, 0x01ff0101u, 1u), 1u + 1 + 2 * 255 + 3 + 4);
  EXPECT_EQ(__dp4a(make_char4(1, -2, 3, 4), make_char4(1, 1, 1, -1), 0), -2);
}
