// CUDA's mathematical functions and number intrinsics for the host device. Functions of C's <math.h> come from there,
// with its accuracy; the rest is defined here. Precedes every kernel source, after cuda_atomics.hpp.
//
// Names that the C library declares now or later (rsqrt, sinpi, __expf ...) are defined extern "C" and noexcept. So the
// declaration is the same, and the definition is this object's own, hidden one.
#ifndef ATTUNE_HOST_CUDA_MATH_HPP
#define ATTUNE_HOST_CUDA_MATH_HPP

#include <fenv.h>
#include <math.h>

// ---- Minimum and maximum: CUDA's list of overloads ----

#define ATTUNE_HOST_MIN_MAX(RESULT, A, B)                                                                     \
  constexpr __forceinline__ RESULT min(A a, B b) {                                                            \
    return static_cast<RESULT>(a) < static_cast<RESULT>(b) ? static_cast<RESULT>(a) : static_cast<RESULT>(b); \
  }                                                                                                           \
  constexpr __forceinline__ RESULT max(A a, B b) {                                                            \
    return static_cast<RESULT>(a) < static_cast<RESULT>(b) ? static_cast<RESULT>(b) : static_cast<RESULT>(a); \
  }
#define ATTUNE_HOST_MIN_MAX_INTEGER(SIGNED, UNSIGNED) \
  ATTUNE_HOST_MIN_MAX(SIGNED, SIGNED, SIGNED)         \
  ATTUNE_HOST_MIN_MAX(UNSIGNED, UNSIGNED, UNSIGNED)   \
  ATTUNE_HOST_MIN_MAX(UNSIGNED, SIGNED, UNSIGNED)     \
  ATTUNE_HOST_MIN_MAX(UNSIGNED, UNSIGNED, SIGNED)
ATTUNE_HOST_MIN_MAX_INTEGER(int, unsigned int)
ATTUNE_HOST_MIN_MAX_INTEGER(long, unsigned long)
ATTUNE_HOST_MIN_MAX_INTEGER(long long, unsigned long long)
#undef ATTUNE_HOST_MIN_MAX_INTEGER
#undef ATTUNE_HOST_MIN_MAX

// A NaN loses against a number.
__forceinline__ float min(float a, float b) { return __builtin_fminf(a, b); }
__forceinline__ float max(float a, float b) { return __builtin_fmaxf(a, b); }
__forceinline__ double min(double a, double b) { return __builtin_fmin(a, b); }
__forceinline__ double max(double a, double b) { return __builtin_fmax(a, b); }
__forceinline__ double min(float a, double b) { return __builtin_fmin(a, b); }
__forceinline__ double max(float a, double b) { return __builtin_fmax(a, b); }
__forceinline__ double min(double a, float b) { return __builtin_fmin(a, b); }
__forceinline__ double max(double a, float b) { return __builtin_fmax(a, b); }

constexpr __forceinline__ unsigned int umin(unsigned int a, unsigned int b) { return min(a, b); }
constexpr __forceinline__ unsigned int umax(unsigned int a, unsigned int b) { return max(a, b); }
constexpr __forceinline__ long long llmin(long long a, long long b) { return min(a, b); }
constexpr __forceinline__ long long llmax(long long a, long long b) { return max(a, b); }
constexpr __forceinline__ unsigned long long ullmin(unsigned long long a, unsigned long long b) { return min(a, b); }
constexpr __forceinline__ unsigned long long ullmax(unsigned long long a, unsigned long long b) { return max(a, b); }

// ---- CUDA's functions beyond C ----

namespace attune_host {

// sin and cos of pi x: exact at multiples of one half. Large x keep full accuracy, since the reduction is exact. For
// float both are computed in double.
inline double sine_of_pi(double x) {
  if (!isfinite(x)) return NAN;
  const double turns = fmod(fabs(x), 2.0), folded = turns > 1.0 ? turns - 1.0 : turns;
  const double distance = folded > 0.5 ? 1.0 - folded : folded;  // from the nearest zero, at most one half
  const double size = distance > 0.25 ? cos(M_PI * (0.5 - distance)) : sin(M_PI * distance);
  return copysign(1.0, x) * (turns > 1.0 ? -size : size);
}

inline double cosine_of_pi(double x) {
  if (!isfinite(x)) return NAN;
  const double turns = fmod(fabs(x), 2.0), folded = turns > 1.0 ? 2.0 - turns : turns;
  if (folded <= 0.25) return cos(M_PI * folded);
  if (folded >= 0.75) return -cos(M_PI * (1.0 - folded));
  return sin(M_PI * (0.5 - folded));
}

// Norms without overflow of intermediate values: scaled by the largest component.
inline double scaled_norm(const double* components, int count) {
  double largest = 0;
  for (int i = 0; i < count; ++i) {
    if (isinf(components[i])) return INFINITY;
    largest = fabs(components[i]) <= largest ? largest : fabs(components[i]);  // a NaN stays
  }
  if (largest == 0 || isnan(largest)) return largest;
  double sum = 0;
  for (int i = 0; i < count; ++i) sum += (components[i] / largest) * (components[i] / largest);
  return largest * sqrt(sum);
}

}  // namespace attune_host

extern "C" {
__forceinline__ double rsqrt(double x) noexcept { return 1.0 / sqrt(x); }
__forceinline__ float rsqrtf(float x) noexcept { return static_cast<float>(1.0 / sqrt(static_cast<double>(x))); }
inline double rcbrt(double x) noexcept { return 1.0 / cbrt(x); }
inline float rcbrtf(float x) noexcept { return static_cast<float>(1.0 / cbrt(static_cast<double>(x))); }
inline double sinpi(double x) noexcept { return attune_host::sine_of_pi(x); }
inline float sinpif(float x) noexcept { return static_cast<float>(attune_host::sine_of_pi(x)); }
inline double cospi(double x) noexcept { return attune_host::cosine_of_pi(x); }
inline float cospif(float x) noexcept { return static_cast<float>(attune_host::cosine_of_pi(x)); }
inline void sincospi(double x, double* sine, double* cosine) noexcept { *sine = sinpi(x), *cosine = cospi(x); }
inline void sincospif(float x, float* sine, float* cosine) noexcept { *sine = sinpif(x), *cosine = cospif(x); }
inline double normcdf(double x) noexcept { return 0.5 * erfc(-x * M_SQRT1_2); }
inline float normcdff(float x) noexcept { return static_cast<float>(normcdf(static_cast<double>(x))); }
inline double rhypot(double x, double y) noexcept { return 1.0 / hypot(x, y); }
inline float rhypotf(float x, float y) noexcept {
  return static_cast<float>(1.0 / hypot(static_cast<double>(x), static_cast<double>(y)));
}
inline double norm(int count, const double* components) noexcept { return attune_host::scaled_norm(components, count); }
inline double norm3d(double a, double b, double c) noexcept {
  const double all[] = {a, b, c};
  return attune_host::scaled_norm(all, 3);
}
inline double norm4d(double a, double b, double c, double d) noexcept {
  const double all[] = {a, b, c, d};
  return attune_host::scaled_norm(all, 4);
}
inline double rnorm3d(double a, double b, double c) noexcept { return 1.0 / norm3d(a, b, c); }
inline double rnorm4d(double a, double b, double c, double d) noexcept { return 1.0 / norm4d(a, b, c, d); }
inline float norm3df(float a, float b, float c) noexcept { return static_cast<float>(norm3d(a, b, c)); }
inline float norm4df(float a, float b, float c, float d) noexcept { return static_cast<float>(norm4d(a, b, c, d)); }
inline float rnorm3df(float a, float b, float c) noexcept { return static_cast<float>(1.0 / norm3d(a, b, c)); }
inline float rnorm4df(float a, float b, float c, float d) noexcept {
  return static_cast<float>(1.0 / norm4d(a, b, c, d));
}
__forceinline__ double fdivide(double x, double y) noexcept { return x / y; }
__forceinline__ float fdividef(float x, float y) noexcept { return x / y; }

// The fast functions: as accurate here as the others.
__forceinline__ float __sinf(float x) noexcept { return sinf(x); }
__forceinline__ float __cosf(float x) noexcept { return cosf(x); }
__forceinline__ float __tanf(float x) noexcept { return tanf(x); }
__forceinline__ float __tanhf(float x) noexcept { return tanhf(x); }
inline void __sincosf(float x, float* sine, float* cosine) noexcept { *sine = sinf(x), *cosine = cosf(x); }
__forceinline__ float __expf(float x) noexcept { return expf(x); }
__forceinline__ float __exp10f(float x) noexcept { return exp10f(x); }
__forceinline__ float __logf(float x) noexcept { return logf(x); }
__forceinline__ float __log2f(float x) noexcept { return log2f(x); }
__forceinline__ float __log10f(float x) noexcept { return log10f(x); }
__forceinline__ float __powf(float x, float y) noexcept { return powf(x, y); }
__forceinline__ float __fdividef(float x, float y) noexcept { return x / y; }
}

// The overloads for float of functions that exist for double only.
__forceinline__ float rsqrt(float x) { return rsqrtf(x); }
inline float rcbrt(float x) { return rcbrtf(x); }
inline float sinpi(float x) { return sinpif(x); }
inline float cospi(float x) { return cospif(x); }
inline void sincospi(float x, float* sine, float* cosine) { sincospif(x, sine, cosine); }
inline void sincos(float x, float* sine, float* cosine) { *sine = sinf(x), *cosine = cosf(x); }
inline float exp10(float x) { return exp10f(x); }
inline float normcdf(float x) { return normcdff(x); }
inline float rhypot(float x, float y) { return rhypotf(x, y); }
__forceinline__ float fdivide(float x, float y) { return x / y; }
inline float j0(float x) { return j0f(x); }
inline float j1(float x) { return j1f(x); }
inline float jn(int n, float x) { return jnf(n, x); }
inline float y0(float x) { return y0f(x); }
inline float y1(float x) { return y1f(x); }
inline float yn(int n, float x) { return ynf(n, x); }
inline float normf(int count, const float* components) {
  double sum = 0;  // squares of floats neither overflow nor underflow in double
  for (int i = 0; i < count; ++i) sum += static_cast<double>(components[i]) * components[i];
  return static_cast<float>(sqrt(sum));
}
inline float norm(int count, const float* components) { return normf(count, components); }

// In [0, 1]; NaN gives 0.
__forceinline__ float __saturatef(float x) { return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f; }

// ---- Arithmetic with a rounding mode ----

namespace attune_host {

// compute(values...) in a rounding mode. All values are volatile objects: compilers ignore rounding modes and would
// move or fold the operation.
template <int MODE, class Result, class Compute, class... Values>
__attribute__((noinline)) Result rounded(Compute compute, Values... values) {
  const int before = fegetround();
  fesetround(MODE);
  const volatile Result result = compute(static_cast<const volatile Values&>(values)...);
  fesetround(before);
  return result;
}

}  // namespace attune_host

// Four functions, STEM_rn to STEM_rd. rn is the mode of kernels: plain arithmetic, never contracted to fused
// multiply-adds.
#define ATTUNE_HOST_ROUNDED_1(STEM, RESULT, A, EXPRESSION)                          \
  __forceinline__ RESULT STEM##_rn(A x) { return static_cast<RESULT>(EXPRESSION); } \
  ATTUNE_HOST_DIRECTED_1(STEM##_rz, FE_TOWARDZERO, RESULT, A, EXPRESSION)           \
  ATTUNE_HOST_DIRECTED_1(STEM##_ru, FE_UPWARD, RESULT, A, EXPRESSION)               \
  ATTUNE_HOST_DIRECTED_1(STEM##_rd, FE_DOWNWARD, RESULT, A, EXPRESSION)
#define ATTUNE_HOST_DIRECTED_1(NAME, MODE, RESULT, A, EXPRESSION)                                                      \
  inline RESULT NAME(A a) {                                                                                            \
    return attune_host::rounded<MODE, RESULT>([](const volatile A& x) { return static_cast<RESULT>(EXPRESSION); }, a); \
  }
#define ATTUNE_HOST_ROUNDED_2(STEM, T, EXPRESSION)                \
  __forceinline__ T STEM##_rn(T x, T y) { return EXPRESSION; }    \
  ATTUNE_HOST_DIRECTED_2(STEM##_rz, FE_TOWARDZERO, T, EXPRESSION) \
  ATTUNE_HOST_DIRECTED_2(STEM##_ru, FE_UPWARD, T, EXPRESSION)     \
  ATTUNE_HOST_DIRECTED_2(STEM##_rd, FE_DOWNWARD, T, EXPRESSION)
#define ATTUNE_HOST_DIRECTED_2(NAME, MODE, T, EXPRESSION)                                                            \
  inline T NAME(T a, T b) {                                                                                          \
    return attune_host::rounded<MODE, T>([](const volatile T& x, const volatile T& y) { return EXPRESSION; }, a, b); \
  }
#define ATTUNE_HOST_ROUNDED_3(STEM, T, EXPRESSION)                  \
  __forceinline__ T STEM##_rn(T x, T y, T z) { return EXPRESSION; } \
  ATTUNE_HOST_DIRECTED_3(STEM##_rz, FE_TOWARDZERO, T, EXPRESSION)   \
  ATTUNE_HOST_DIRECTED_3(STEM##_ru, FE_UPWARD, T, EXPRESSION)       \
  ATTUNE_HOST_DIRECTED_3(STEM##_rd, FE_DOWNWARD, T, EXPRESSION)
#define ATTUNE_HOST_DIRECTED_3(NAME, MODE, T, EXPRESSION)                                                   \
  inline T NAME(T a, T b, T c) {                                                                            \
    return attune_host::rounded<MODE, T>(                                                                   \
        [](const volatile T& x, const volatile T& y, const volatile T& z) { return EXPRESSION; }, a, b, c); \
  }

ATTUNE_HOST_ROUNDED_2(__fadd, float, x + y)
ATTUNE_HOST_ROUNDED_2(__fsub, float, x - y)
ATTUNE_HOST_ROUNDED_2(__fmul, float, x* y)
ATTUNE_HOST_ROUNDED_2(__fdiv, float, x / y)
ATTUNE_HOST_ROUNDED_1(__frcp, float, float, 1.0f / x)
ATTUNE_HOST_ROUNDED_1(__fsqrt, float, float, sqrtf(x))
ATTUNE_HOST_ROUNDED_3(__fmaf, float, fmaf(x, y, z))
ATTUNE_HOST_ROUNDED_2(__dadd, double, x + y)
ATTUNE_HOST_ROUNDED_2(__dsub, double, x - y)
ATTUNE_HOST_ROUNDED_2(__dmul, double, x* y)
ATTUNE_HOST_ROUNDED_2(__ddiv, double, x / y)
ATTUNE_HOST_ROUNDED_1(__drcp, double, double, 1.0 / x)
ATTUNE_HOST_ROUNDED_1(__dsqrt, double, double, sqrt(x))
ATTUNE_HOST_ROUNDED_3(__fma, double, fma(x, y, z))
__forceinline__ float __frsqrt_rn(float x) { return rsqrtf(x); }

// ---- Conversions with a rounding mode ----

ATTUNE_HOST_ROUNDED_1(__int2float, float, int, x)
ATTUNE_HOST_ROUNDED_1(__uint2float, float, unsigned int, x)
ATTUNE_HOST_ROUNDED_1(__ll2float, float, long long, x)
ATTUNE_HOST_ROUNDED_1(__ull2float, float, unsigned long long, x)
ATTUNE_HOST_ROUNDED_1(__ll2double, double, long long, x)
ATTUNE_HOST_ROUNDED_1(__ull2double, double, unsigned long long, x)
ATTUNE_HOST_ROUNDED_1(__double2float, float, double, x)
__forceinline__ double __int2double_rn(int x) { return x; }
__forceinline__ double __uint2double_rn(unsigned int x) { return x; }

#undef ATTUNE_HOST_ROUNDED_1
#undef ATTUNE_HOST_ROUNDED_2
#undef ATTUNE_HOST_ROUNDED_3
#undef ATTUNE_HOST_DIRECTED_1
#undef ATTUNE_HOST_DIRECTED_2
#undef ATTUNE_HOST_DIRECTED_3

namespace attune_host {

// Returns an integer from a whole number, clamped to the type. `for_nan` is CUDA's answer to NaN. The bounds are 2^n,
// exact in double; the greatest integer itself may not be.
template <class T>
T saturated(double whole, double lowest, double beyond, T for_nan) {
  if (whole != whole) return for_nan;
  const bool is_signed = lowest < 0;
  const T least = is_signed ? static_cast<T>(T{1} << (sizeof(T) * 8 - 1)) : T{0};
  if (whole <= lowest) return least;
  if (whole >= beyond) return static_cast<T>(~least);
  return static_cast<T>(whole);
}

}  // namespace attune_host

#define ATTUNE_HOST_TO_INTEGER(STEM, FROM, T, LOWEST, BEYOND, NAN_VALUE)                                        \
  inline T STEM##_rn(FROM x) { return attune_host::saturated<T>(rint(double{x}), LOWEST, BEYOND, NAN_VALUE); }  \
  inline T STEM##_rz(FROM x) { return attune_host::saturated<T>(trunc(double{x}), LOWEST, BEYOND, NAN_VALUE); } \
  inline T STEM##_ru(FROM x) { return attune_host::saturated<T>(ceil(double{x}), LOWEST, BEYOND, NAN_VALUE); }  \
  inline T STEM##_rd(FROM x) { return attune_host::saturated<T>(floor(double{x}), LOWEST, BEYOND, NAN_VALUE); }
ATTUNE_HOST_TO_INTEGER(__float2int, float, int, -0x1p31, 0x1p31, 0)
ATTUNE_HOST_TO_INTEGER(__float2uint, float, unsigned int, 0, 0x1p32, 0u)
ATTUNE_HOST_TO_INTEGER(__float2ll, float, long long, -0x1p63, 0x1p63, -0x7fffffffffffffffLL - 1)
ATTUNE_HOST_TO_INTEGER(__float2ull, float, unsigned long long, 0, 0x1p64, 0x8000000000000000ULL)
ATTUNE_HOST_TO_INTEGER(__double2int, double, int, -0x1p31, 0x1p31, -0x7fffffff - 1)
ATTUNE_HOST_TO_INTEGER(__double2uint, double, unsigned int, 0, 0x1p32, 0x80000000u)
ATTUNE_HOST_TO_INTEGER(__double2ll, double, long long, -0x1p63, 0x1p63, -0x7fffffffffffffffLL - 1)
ATTUNE_HOST_TO_INTEGER(__double2ull, double, unsigned long long, 0, 0x1p64, 0x8000000000000000ULL)
#undef ATTUNE_HOST_TO_INTEGER

// ---- Bits of numbers ----

__forceinline__ int __float_as_int(float x) { return attune_host::bits_to<int>(x); }
__forceinline__ unsigned int __float_as_uint(float x) { return attune_host::bits_to<unsigned int>(x); }
__forceinline__ float __int_as_float(int x) { return attune_host::bits_to<float>(x); }
__forceinline__ float __uint_as_float(unsigned int x) { return attune_host::bits_to<float>(x); }
__forceinline__ long long __double_as_longlong(double x) { return attune_host::bits_to<long long>(x); }
__forceinline__ double __longlong_as_double(long long x) { return attune_host::bits_to<double>(x); }
__forceinline__ int __double2hiint(double x) { return static_cast<int>(__double_as_longlong(x) >> 32); }
__forceinline__ int __double2loint(double x) { return static_cast<int>(__double_as_longlong(x)); }
__forceinline__ double __hiloint2double(int high, int low) {
  return __longlong_as_double((static_cast<long long>(high) << 32) | static_cast<unsigned int>(low));
}

// ---- Integers ----

__forceinline__ int __popc(unsigned int x) { return __builtin_popcount(x); }
__forceinline__ int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
__forceinline__ int __clz(int x) { return x == 0 ? 32 : __builtin_clz(static_cast<unsigned int>(x)); }
__forceinline__ int __clzll(long long x) { return x == 0 ? 64 : __builtin_clzll(static_cast<unsigned long long>(x)); }
__forceinline__ int __ffs(int x) { return __builtin_ffs(x); }
__forceinline__ int __ffsll(long long x) { return __builtin_ffsll(x); }

__forceinline__ unsigned int __brev(unsigned int x) {
  x = (x & 0x55555555u) << 1 | (x >> 1 & 0x55555555u);
  x = (x & 0x33333333u) << 2 | (x >> 2 & 0x33333333u);
  x = (x & 0x0f0f0f0fu) << 4 | (x >> 4 & 0x0f0f0f0fu);
  return __builtin_bswap32(x);
}
__forceinline__ unsigned long long __brevll(unsigned long long x) {
  return static_cast<unsigned long long>(__brev(static_cast<unsigned int>(x))) << 32 |
         __brev(static_cast<unsigned int>(x >> 32));
}

// Each selector is a nibble: a byte of the pair y:x. With its highest bit set, it gives that byte's sign in all eight
// bits.
__forceinline__ unsigned int __byte_perm(unsigned int x, unsigned int y, unsigned int selectors) {
  const unsigned long long bytes = static_cast<unsigned long long>(y) << 32 | x;
  unsigned int result = 0;
  for (unsigned int i = 0; i < 4; ++i) {
    const unsigned int selector = selectors >> (4 * i) & 0xfu;
    const unsigned int byte = static_cast<unsigned int>(bytes >> (8 * (selector & 7u))) & 0xffu;
    result |= (selector & 8u ? (byte & 0x80u ? 0xffu : 0u) : byte) << (8 * i);
  }
  return result;
}

// The low 32 bits of the product of the low 24 bits.
__forceinline__ int __mul24(int x, int y) {
  const auto low = [](int v) { return static_cast<int>(static_cast<unsigned int>(v) << 8) >> 8; };
  return static_cast<int>(static_cast<long long>(low(x)) * low(y));
}
__forceinline__ unsigned int __umul24(unsigned int x, unsigned int y) { return (x & 0xffffffu) * (y & 0xffffffu); }
__forceinline__ int __mulhi(int x, int y) { return static_cast<int>(static_cast<long long>(x) * y >> 32); }
__forceinline__ unsigned int __umulhi(unsigned int x, unsigned int y) {
  return static_cast<unsigned int>(static_cast<unsigned long long>(x) * y >> 32);
}
__forceinline__ long long __mul64hi(long long x, long long y) {
  return static_cast<long long>(static_cast<__int128>(x) * y >> 64);
}
__forceinline__ unsigned long long __umul64hi(unsigned long long x, unsigned long long y) {
  return static_cast<unsigned long long>(static_cast<unsigned __int128>(x) * y >> 64);
}

__forceinline__ unsigned int __usad(unsigned int x, unsigned int y, unsigned int z) {
  return (x < y ? y - x : x - y) + z;
}
__forceinline__ unsigned int __sad(int x, int y, unsigned int z) {
  const unsigned int a = static_cast<unsigned int>(x), b = static_cast<unsigned int>(y);
  return (x < y ? b - a : a - b) + z;
}

// Averages without overflow; the r rounds up.
__forceinline__ int __hadd(int x, int y) { return static_cast<int>((static_cast<long long>(x) + y) >> 1); }
__forceinline__ int __rhadd(int x, int y) { return static_cast<int>((static_cast<long long>(x) + y + 1) >> 1); }
__forceinline__ unsigned int __uhadd(unsigned int x, unsigned int y) { return (x & y) + ((x ^ y) >> 1); }
__forceinline__ unsigned int __urhadd(unsigned int x, unsigned int y) { return (x | y) - ((x ^ y) >> 1); }

// Shifts of the pair high:low. The c variants clamp the distance to 32; the others take it modulo 32.
__forceinline__ unsigned int __funnelshift_l(unsigned int low, unsigned int high, unsigned int shift) {
  return static_cast<unsigned int>((static_cast<unsigned long long>(high) << 32 | low) << (shift & 31u) >> 32);
}
__forceinline__ unsigned int __funnelshift_r(unsigned int low, unsigned int high, unsigned int shift) {
  return static_cast<unsigned int>((static_cast<unsigned long long>(high) << 32 | low) >> (shift & 31u));
}
__forceinline__ unsigned int __funnelshift_lc(unsigned int low, unsigned int high, unsigned int shift) {
  return shift >= 32u ? low : __funnelshift_l(low, high, shift);
}
__forceinline__ unsigned int __funnelshift_rc(unsigned int low, unsigned int high, unsigned int shift) {
  return shift >= 32u ? high : __funnelshift_r(low, high, shift);
}

// Dot products of the four bytes of a word, added to c.
__forceinline__ int __dp4a(int a, int b, int c) {
  unsigned int sum = static_cast<unsigned int>(c);
  for (int i = 0; i < 32; i += 8) {
    sum += static_cast<unsigned int>(static_cast<signed char>(a >> i) * static_cast<signed char>(b >> i));
  }
  return static_cast<int>(sum);
}
__forceinline__ unsigned int __dp4a(unsigned int a, unsigned int b, unsigned int c) {
  for (int i = 0; i < 32; i += 8) c += (a >> i & 0xffu) * (b >> i & 0xffu);
  return c;
}
__forceinline__ int __dp4a(char4 a, char4 b, int c) {
  return __dp4a(attune_host::bits_to<int>(a), attune_host::bits_to<int>(b), c);
}
__forceinline__ unsigned int __dp4a(uchar4 a, uchar4 b, unsigned int c) {
  return __dp4a(attune_host::bits_to<unsigned int>(a), attune_host::bits_to<unsigned int>(b), c);
}

#endif  // ATTUNE_HOST_CUDA_MATH_HPP
