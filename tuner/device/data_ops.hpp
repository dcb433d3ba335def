// The element functions of Device::generate() and Device::compare(), one text for the host compiler and for NVRTC. So
// every device makes and checks the same bits. Pure functions of their arguments. No includes, no libm, no
// floating-point contraction: the macros below prevent it, and host files compile with -ffp-contract=off.
//
// Element types: bool, signed char .. unsigned long long, float, double, and Half / Bfloat16. The last two are storage
// only and convert by integer arithmetic, so that no toolkit header is needed. A vector type is `components` elements
// of its component type: index and count then count components. Compare bool as unsigned char: poisoned bytes are no
// bool.
#ifndef ATTUNE_DATA_OPS_HPP  // a guard, not #pragma once: NVRTC may be given this text as its main file
#define ATTUNE_DATA_OPS_HPP

#if defined(__CUDACC__) || defined(__CUDACC_RTC__)
#define ATTUNE_DATA_OPS_FN __device__ inline
#define ATTUNE_DATA_OPS_MULTIPLY(x, y) __dmul_rn((x), (y))
#define ATTUNE_DATA_OPS_ADD(x, y) __dadd_rn((x), (y))
#define ATTUNE_DATA_OPS_DIVIDE(x, y) __ddiv_rn((x), (y))
#else
#define ATTUNE_DATA_OPS_FN inline
#define ATTUNE_DATA_OPS_MULTIPLY(x, y) ((x) * (y))
#define ATTUNE_DATA_OPS_ADD(x, y) ((x) + (y))
#define ATTUNE_DATA_OPS_DIVIDE(x, y) ((x) / (y))
#endif

namespace attune {
namespace data_ops {

using u64 = unsigned long long;
using i64 = long long;

struct Half {
  unsigned short bits;  // IEEE binary16
};
struct Bfloat16 {
  unsigned short bits;  // the upper half of an IEEE binary32
};

// ---- Bits ----------------------------------------------------------------------------------------------------------

ATTUNE_DATA_OPS_FN u64 bits_of(double value) {
#if defined(__CUDACC__) || defined(__CUDACC_RTC__)
  return static_cast<u64>(__double_as_longlong(value));
#else
  u64 bits;
  __builtin_memcpy(&bits, &value, sizeof bits);
  return bits;
#endif
}

ATTUNE_DATA_OPS_FN double double_of(u64 bits) {
#if defined(__CUDACC__) || defined(__CUDACC_RTC__)
  return __longlong_as_double(static_cast<i64>(bits));
#else
  double value;
  __builtin_memcpy(&value, &bits, sizeof value);
  return value;
#endif
}

ATTUNE_DATA_OPS_FN u64 bits_of(float value) {
#if defined(__CUDACC__) || defined(__CUDACC_RTC__)
  return __float_as_uint(value);
#else
  unsigned bits;
  __builtin_memcpy(&bits, &value, sizeof bits);
  return bits;
#endif
}

ATTUNE_DATA_OPS_FN bool is_finite(double value) { return (bits_of(value) >> 52 & 0x7FF) != 0x7FF; }
ATTUNE_DATA_OPS_FN bool is_nan(double value) { return value != value; }
ATTUNE_DATA_OPS_FN double magnitude(double value) { return double_of(bits_of(value) & ~(1ULL << 63)); }

ATTUNE_DATA_OPS_FN u64 multiply_high(u64 x, u64 y) {
#if defined(__CUDACC__) || defined(__CUDACC_RTC__)
  return __umul64hi(x, y);
#else
  __extension__ using u128 = unsigned __int128;
  return static_cast<u64>(static_cast<u128>(x) * y >> 64);
#endif
}

// Returns the nearest value of a 16-bit binary format with MANTISSA stored bits, ties to even. Too large becomes
// infinite. It converts straight from double: by way of float it would round twice.
template <int MANTISSA>
ATTUNE_DATA_OPS_FN unsigned short narrow_float(double value) {
  const int bias = (1 << (14 - MANTISSA)) - 1;
  const u64 infinite = static_cast<u64>(2 * bias + 1) << MANTISSA;
  const u64 bits = bits_of(value);
  const u64 sign = bits >> 63 << 15;
  if (is_nan(value)) return static_cast<unsigned short>(sign | infinite | 1ULL << (MANTISSA - 1));
  const int exponent = static_cast<int>(bits >> 52 & 0x7FF) - 1023;
  if (exponent > bias) return static_cast<unsigned short>(sign | infinite);
  const int below_normal = exponent < 1 - bias ? 1 - bias - exponent : 0;
  const int dropped = 52 - MANTISSA + below_normal;
  if (dropped > 53) return static_cast<unsigned short>(sign);  // less than half of the smallest subnormal
  const u64 significand = (bits & ((1ULL << 52) - 1)) | 1ULL << 52;
  const u64 rest = significand & ((1ULL << dropped) - 1), tie = 1ULL << (dropped - 1);
  u64 kept = significand >> dropped;
  if (rest > tie || (rest == tie && (kept & 1) != 0)) ++kept;
  // A carry out of the significand moves into the exponent, up to infinity.
  if (below_normal == 0) kept += static_cast<u64>(exponent + bias - 1) << MANTISSA;
  return static_cast<unsigned short>(sign | kept);
}

template <int MANTISSA>
ATTUNE_DATA_OPS_FN double widen_float(unsigned short bits) {
  const int bias = (1 << (14 - MANTISSA)) - 1;
  const u64 sign = static_cast<u64>(bits >> 15) << 63;
  const int exponent = (bits & 0x7FFF) >> MANTISSA;
  const u64 mantissa = bits & ((1U << MANTISSA) - 1);
  if (exponent == 2 * bias + 1) return double_of(sign | 0x7FFULL << 52 | mantissa << (52 - MANTISSA));
  if (exponent == 0) {  // subnormal: mantissa * 2^(1 - bias - MANTISSA), exact in double
    const double unit = double_of(static_cast<u64>(1023 + 1 - bias - MANTISSA) << 52);
    const double value = ATTUNE_DATA_OPS_MULTIPLY(static_cast<double>(mantissa), unit);
    return sign != 0 ? -value : value;
  }
  return double_of(sign | static_cast<u64>(exponent - bias + 1023) << 52 | mantissa << (52 - MANTISSA));
}

// ---- Element types -------------------------------------------------------------------------------------------------

template <typename T>
struct Element {  // integers
  static const bool integer = true;
  static constexpr bool is_signed = static_cast<T>(-1) < static_cast<T>(0);
  static constexpr int width = static_cast<int>(sizeof(T)) * 8;
  ATTUNE_DATA_OPS_FN static double lowest() {
    return is_signed ? -double_of(static_cast<u64>(1022 + width) << 52) : 0.0;
  }
  ATTUNE_DATA_OPS_FN static double beyond() {  // 2^digits, the first double that does not fit
    return double_of(static_cast<u64>(1023 + width - (is_signed ? 1 : 0)) << 52);
  }
  // Rounds to nearest, ties away from zero, and saturates.
  ATTUNE_DATA_OPS_FN static T from_double(double value) {
    const double rounded = ATTUNE_DATA_OPS_ADD(value, value < 0 ? -0.5 : 0.5);
    if (rounded >= beyond()) return static_cast<T>(is_signed ? ~0ULL >> (65 - width) : ~0ULL >> (64 - width));
    if (!(rounded > lowest())) return is_signed ? static_cast<T>(1ULL << (width - 1)) : static_cast<T>(0);
    return is_signed ? static_cast<T>(static_cast<i64>(rounded)) : static_cast<T>(static_cast<u64>(rounded));
  }
  ATTUNE_DATA_OPS_FN static T from_bits(u64 bits) { return static_cast<T>(bits); }
  ATTUNE_DATA_OPS_FN static double to_double(T value) { return static_cast<double>(value); }
};

template <>
struct Element<bool> {
  static const bool integer = true;
  ATTUNE_DATA_OPS_FN static bool from_double(double value) { return value >= 0.5; }
  ATTUNE_DATA_OPS_FN static bool from_bits(u64 bits) { return (bits & 1) != 0; }
  ATTUNE_DATA_OPS_FN static double to_double(bool value) { return value ? 1 : 0; }
};

template <>
struct Element<float> {
  static const bool integer = false;
  static const int width = 32;
  ATTUNE_DATA_OPS_FN static float from_double(double value) { return static_cast<float>(value); }
  ATTUNE_DATA_OPS_FN static double to_double(float value) { return static_cast<double>(value); }
  ATTUNE_DATA_OPS_FN static u64 bits(float value) { return bits_of(value); }
};

template <>
struct Element<double> {
  static const bool integer = false;
  static const int width = 64;
  ATTUNE_DATA_OPS_FN static double from_double(double value) { return value; }
  ATTUNE_DATA_OPS_FN static double to_double(double value) { return value; }
  ATTUNE_DATA_OPS_FN static u64 bits(double value) { return bits_of(value); }
};

template <>
struct Element<Half> {
  static const bool integer = false;
  static const int width = 16;
  ATTUNE_DATA_OPS_FN static Half from_double(double value) { return Half{narrow_float<10>(value)}; }
  ATTUNE_DATA_OPS_FN static double to_double(Half value) { return widen_float<10>(value.bits); }
  ATTUNE_DATA_OPS_FN static u64 bits(Half value) { return value.bits; }
};

template <>
struct Element<Bfloat16> {
  static const bool integer = false;
  static const int width = 16;
  ATTUNE_DATA_OPS_FN static Bfloat16 from_double(double value) { return Bfloat16{narrow_float<7>(value)}; }
  ATTUNE_DATA_OPS_FN static double to_double(Bfloat16 value) { return widen_float<7>(value.bits); }
  ATTUNE_DATA_OPS_FN static u64 bits(Bfloat16 value) { return value.bits; }
};

// ---- Random bits ---------------------------------------------------------------------------------------------------

// Returns a bijection of 64 bits: the finaliser of splitmix64 (Steele, Lea, Flood 2014).
ATTUNE_DATA_OPS_FN u64 mix(u64 x) {
  x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9ULL;
  x = (x ^ x >> 27) * 0x94D049BB133111EBULL;
  return x ^ x >> 31;
}

// Returns a word's part of a checksum, which is the sum over all words: in any order, but each word at its place.
ATTUNE_DATA_OPS_FN u64 checksum_word(u64 word, u64 place) { return mix(word + (place + 1) * 0x9E3779B97F4A7C15ULL); }

// Returns 64 random bits for position `index` of the sequence `seed`, by splitmix64 at any position. It starts at
// mix(seed), so that neighbouring seeds have nothing in common.
ATTUNE_DATA_OPS_FN u64 random_bits(u64 seed, u64 index) {
  return mix(mix(seed + 0x9E3779B97F4A7C15ULL) + (index + 1) * 0x9E3779B97F4A7C15ULL);
}

// Returns a uniform number in [0, 1): the upper 53 bits, scaled; exact.
ATTUNE_DATA_OPS_FN double unit_uniform(u64 bits) {
  return ATTUNE_DATA_OPS_MULTIPLY(static_cast<double>(bits >> 11), 1.0 / 9007199254740992.0);
}

// Returns a normal number: the sum of 12 uniforms less 6 (Irwin-Hall), so within -6 .. 6. Mean 0, variance 1. The
// uniforms are 32-bit integers and their sum is exact. No order of additions and no libm changes a bit.
ATTUNE_DATA_OPS_FN double unit_normal(u64 seed, u64 index) {
  i64 sum = -(6LL << 32);
  for (u64 k = 0; k < 6; ++k) {
    const u64 bits = random_bits(seed ^ 0xA5A5A5A5A5A5A5A5ULL, index * 6 + k);
    sum += static_cast<i64>(bits >> 32) + static_cast<i64>(bits & 0xFFFFFFFFULL);
  }
  return ATTUNE_DATA_OPS_MULTIPLY(static_cast<double>(sum), 1.0 / 4294967296.0);
}

// Returns the image of `index` under the permutation of [0, count) that `seed` selects. It is a Feistel network of four
// rounds over the least even number of bits for count - 1. It repeats until the image lands inside: fewer than four
// times on average.
ATTUNE_DATA_OPS_FN u64 permuted(u64 seed, u64 index, u64 count) {
  if (count < 2) return 0;
  int half_width = 1;
  while (half_width < 32 && (count - 1) >> (2 * half_width) != 0) ++half_width;
  const u64 mask = (1ULL << half_width) - 1;
  u64 value = index;
  do {
    u64 left = value >> half_width, right = value & mask;
    for (u64 round = 0; round < 4; ++round) {
      const u64 next = left ^ (random_bits(seed ^ 0x5EEDF00D5EEDF00DULL, right * 4 + round) & mask);
      left = right;
      right = next;
    }
    value = left << half_width | right;
  } while (value >= count);
  return value;
}

// ---- generate ------------------------------------------------------------------------------------------------------

// attune::FillValues in the form for kernels. `kind` numbers FillKind: uniform, normal, constant, iota, permutation,
// zipf.
struct FillPlan {
  int kind;
  int full_range;  // integers: every value of the type, equally likely
  double a, b;
  i64 integer_a, integer_b;
  u64 seed;
  u64 count;              // elements in all: the permutation's domain
  const u64* thresholds;  // zipf: integer_b - 1 of them (kernel/zipf.hpp)
};

template <typename T, bool INTEGER = Element<T>::integer>
struct FillOf {  // integers
  ATTUNE_DATA_OPS_FN static T uniform(const FillPlan& plan, u64 index) {
    const u64 bits = random_bits(plan.seed, index);
    // In mix() no bit is weaker than another: truncation is uniform too.
    if (plan.full_range != 0) return Element<T>::from_bits(bits);
    const u64 range = static_cast<u64>(plan.integer_b) - static_cast<u64>(plan.integer_a) + 1;  // 0: all 2^64
    const u64 offset = range == 0 ? bits : multiply_high(bits, range);
    return Element<T>::from_bits(static_cast<u64>(plan.integer_a) + offset);
  }
  ATTUNE_DATA_OPS_FN static T constant(const FillPlan& plan) {
    return Element<T>::from_bits(static_cast<u64>(plan.integer_a));
  }
  ATTUNE_DATA_OPS_FN static T number(u64 value) { return Element<T>::from_bits(value); }
};

template <typename T>
struct FillOf<T, false> {  // floating point
  ATTUNE_DATA_OPS_FN static T uniform(const FillPlan& plan, u64 index) {
    const double u = unit_uniform(random_bits(plan.seed, index));
    // Weighted, not a + (b - a) * u, whose difference may overflow.
    double value = ATTUNE_DATA_OPS_ADD(ATTUNE_DATA_OPS_MULTIPLY(plan.a, 1.0 - u), ATTUNE_DATA_OPS_MULTIPLY(plan.b, u));
    if (value < plan.a) value = plan.a;
    if (value > plan.b) value = plan.b;
    return Element<T>::from_double(value);
  }
  ATTUNE_DATA_OPS_FN static T constant(const FillPlan& plan) { return Element<T>::from_double(plan.a); }
  ATTUNE_DATA_OPS_FN static T number(u64 value) { return Element<T>::from_double(static_cast<double>(value)); }
};

// Returns how many of the ascending thresholds are at most `bits`.
ATTUNE_DATA_OPS_FN u64 passed_thresholds(const u64* thresholds, u64 count, u64 bits) {
  u64 first = 0;
  while (count > 0) {
    const u64 half = count / 2;
    const bool passed = thresholds[first + half] <= bits;
    first = passed ? first + half + 1 : first;
    count = passed ? count - half - 1 : half;
  }
  return first;
}

// Returns element `index` of an array of plan.count. iota and permutation wrap in integers too narrow for them.
template <typename T>
ATTUNE_DATA_OPS_FN T fill_element(const FillPlan& plan, u64 index) {
  if (plan.kind == 0) return FillOf<T>::uniform(plan, index);
  if (plan.kind == 2) return FillOf<T>::constant(plan);
  if (plan.kind == 3) return FillOf<T>::number(index);
  if (plan.kind == 4) return FillOf<T>::number(permuted(plan.seed, index, plan.count));
  if (plan.kind == 5) {
    const u64 ranks = static_cast<u64>(plan.integer_b);
    return FillOf<T>::number(passed_thresholds(plan.thresholds, ranks - 1, random_bits(plan.seed, index)));
  }
  const double deviation = ATTUNE_DATA_OPS_MULTIPLY(plan.b, unit_normal(plan.seed, index));
  return Element<T>::from_double(ATTUNE_DATA_OPS_ADD(plan.a, deviation));
}

// ---- compare -------------------------------------------------------------------------------------------------------

struct ElementComparison {
  bool mismatch;
  bool nonfinite_expected;
  // The distance, tolerated or not. Equal infinities, and any two NaN, are as close as equal numbers. Otherwise a value
  // that is not finite is infinitely far from all.
  double error;     // |actual - expected|
  double relative;  // error / |expected|; 0 where expected is 0 and actual finite
  double share;     // error / what is tolerated here; infinite for an error where nothing is
  u64 ulp;          // integers: the error, exactly; else one more than the values of the type between them
};

ATTUNE_DATA_OPS_FN double infinity() { return double_of(0x7FFULL << 52); }

ATTUNE_DATA_OPS_FN double relative_error(double error, double expected) {
  return expected == 0 ? 0.0 : ATTUNE_DATA_OPS_DIVIDE(error, magnitude(expected));
}

ATTUNE_DATA_OPS_FN double tolerance_share(double error, double allowed) {
  if (error == 0) return 0.0;
  return allowed > 0 ? ATTUNE_DATA_OPS_DIVIDE(error, allowed) : infinity();
}

// Returns the distance of two finite values in ulp. Bits without the sign are ordered like magnitudes; both zeros are
// one.
template <typename T>
ATTUNE_DATA_OPS_FN u64 ulp_distance(T x, T y) {
  const u64 sign = 1ULL << (Element<T>::width - 1);
  const u64 a = Element<T>::bits(x), b = Element<T>::bits(y);
  const u64 from_zero_a = a & ~sign, from_zero_b = b & ~sign;
  if (((a ^ b) & sign) != 0) return from_zero_a + from_zero_b;  // below 2^64: no magnitude reaches 2^63
  return from_zero_a > from_zero_b ? from_zero_a - from_zero_b : from_zero_b - from_zero_a;
}

template <typename T, bool INTEGER = Element<T>::integer>
struct CompareOf {  // integers: the difference is exact, only the tolerance is a double
  ATTUNE_DATA_OPS_FN static ElementComparison compare(T actual, T expected, double absolute, double relative, bool) {
    if (actual == expected) return ElementComparison{false, false, 0.0, 0.0, 0.0, 0};
    const u64 a = static_cast<u64>(actual), e = static_cast<u64>(expected);
    const u64 distance = actual > expected ? a - e : e - a;
    const double error = static_cast<double>(distance);
    const double scale = magnitude(Element<T>::to_double(expected));
    const double allowed = ATTUNE_DATA_OPS_ADD(absolute, ATTUNE_DATA_OPS_MULTIPLY(relative, scale));
    return ElementComparison{
        !(error <= allowed), false, error, relative_error(error, scale), tolerance_share(error, allowed), distance};
  }
};

template <typename T>
struct CompareOf<T, false> {
  ATTUNE_DATA_OPS_FN static ElementComparison compare(T actual, T expected, double absolute, double relative,
                                                      bool allow_nonfinite) {
    const double a = Element<T>::to_double(actual), e = Element<T>::to_double(expected);
    if (is_finite(a) && is_finite(e)) {
      const double error = magnitude(ATTUNE_DATA_OPS_ADD(a, -e));
      const double allowed = ATTUNE_DATA_OPS_ADD(absolute, ATTUNE_DATA_OPS_MULTIPLY(relative, magnitude(e)));
      return ElementComparison{!(error <= allowed),
                               false,
                               error,
                               relative_error(error, e),
                               tolerance_share(error, allowed),
                               ulp_distance<T>(actual, expected)};
    }
    const bool same = (is_nan(a) && is_nan(e)) || a == e;
    const bool mismatch = !(same && allow_nonfinite);
    if (same) return ElementComparison{mismatch, !is_finite(e), 0.0, 0.0, 0.0, 0};
    return ElementComparison{mismatch, !is_finite(e), infinity(), infinity(), infinity(), ~0ULL};
  }
};

// Checks |actual - expected| <= absolute + relative * |expected|. With allow_nonfinite, equal infinities match and NaN
// matches NaN. Without it, a value that is not finite is a mismatch.
template <typename T>
ATTUNE_DATA_OPS_FN ElementComparison compare_element(T actual, T expected, double absolute, double relative,
                                                     bool allow_nonfinite) {
  return CompareOf<T>::compare(actual, expected, absolute, relative, allow_nonfinite);
}

}  // namespace data_ops
}  // namespace attune

#endif  // ATTUNE_DATA_OPS_HPP
