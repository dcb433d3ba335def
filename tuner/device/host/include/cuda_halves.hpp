// What half and bfloat16 share on the host device: storage of two bytes, conversions that round once, arithmetic
// through float. Included by cuda_fp16.h and cuda_bf16.h, which stand for the toolkit's headers of these names.
#ifndef ATTUNE_HOST_CUDA_HALVES_HPP
#define ATTUNE_HOST_CUDA_HALVES_HPP

namespace attune_host {

enum class Rounding { nearest, zero, up, down };

// One more unit in the last place? `rest` is what was cut off, `half` the weight of one half of that place.
inline bool rounds_away(Rounding rounding, bool negative, bool is_odd, unsigned long long rest,
                        unsigned long long half) {
  if (rounding == Rounding::up) return !negative && rest != 0;
  if (rounding == Rounding::down) return negative && rest != 0;
  return rounding == Rounding::nearest && (rest > half || (rest == half && is_odd));
}

// Returns the 16-bit floating-point number with so many bits of mantissa. NaN becomes 0x7fff, as on a GPU.
template <int MANTISSA>
unsigned short narrow(double value, Rounding rounding = Rounding::nearest) {
  constexpr int bias = (1 << (14 - MANTISSA)) - 1;
  constexpr unsigned infinity = 0x7fffu & ~((1u << MANTISSA) - 1);
  const unsigned long long bits = bits_to<unsigned long long>(value), magnitude = bits & ~(1ULL << 63);
  const unsigned sign = static_cast<unsigned>(bits >> 48) & 0x8000u;
  if (magnitude > 0x7ff0000000000000ULL) return 0x7fff;
  if (magnitude == 0x7ff0000000000000ULL) return static_cast<unsigned short>(sign | infinity);
  if (magnitude == 0) return static_cast<unsigned short>(sign);
  const int exponent = static_cast<int>(magnitude >> 52) - 1023;
  unsigned long long rest = 1, half = 2, kept = 0;  // less than half of the smallest number
  if (exponent > bias) {
    kept = infinity - 1, rest = 2, half = 1;  // beyond the greatest: between it and infinity
  } else if (const int dropped = 52 - MANTISSA + (exponent < 1 - bias ? 1 - bias - exponent : 0); dropped < 54) {
    const unsigned long long significand = (magnitude & ((1ULL << 52) - 1)) | 1ULL << 52;
    rest = significand & ((1ULL << dropped) - 1), half = 1ULL << (dropped - 1);
    // The leading bit of `kept` adds one to the exponent; a subnormal number has none.
    kept = (significand >> dropped) +
           (exponent < 1 - bias ? 0ULL : static_cast<unsigned>(exponent + bias - 1) << MANTISSA);
  }
  kept += rounds_away(rounding, sign != 0, kept & 1, rest, half);
  return static_cast<unsigned short>(sign | static_cast<unsigned>(kept));
}

struct HalfFormat {
  static unsigned short from(float value) { return narrow<10>(value); }
  static unsigned short from(double value, Rounding rounding = Rounding::nearest) {
    return narrow<10>(value, rounding);
  }
  static float to_float(unsigned short bits) {
    const unsigned sign = static_cast<unsigned>(bits & 0x8000) << 16, exponent = bits >> 10 & 31,
                   mantissa = bits & 1023;
    if (exponent == 31) return bits_to<float>(sign | 0x7f800000u | mantissa << 13);
    if (exponent != 0) return bits_to<float>(sign | (exponent + 112) << 23 | mantissa << 13);
    const float size = static_cast<float>(mantissa) * (1.0f / 16777216.0f);
    return sign != 0 ? -size : size;
  }
};

struct Bfloat16Format {
  static unsigned short from(float value) {
    const unsigned bits = bits_to<unsigned>(value);
    if (value != value) return 0x7fff;
    return static_cast<unsigned short>((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
  }
  static unsigned short from(double value, Rounding rounding = Rounding::nearest) { return narrow<7>(value, rounding); }
  static float to_float(unsigned short bits) { return bits_to<float>(static_cast<unsigned>(bits) << 16); }
};

// The numbers that a 16-bit type converts from and to, beside float and double.
#define ATTUNE_HOST_INTEGERS(X) \
  X(signed char)                \
  X(unsigned char)              \
  X(char) X(short) X(unsigned short) X(int) X(unsigned int) X(long) X(unsigned long) X(long long) X(unsigned long long)

// Self is __half or __nv_bfloat16. Arithmetic in float and one rounding give the nearest result of + - * /.
template <class Self, class Format>
struct SmallFloat {
  SmallFloat() = default;
  SmallFloat(float value) : attune_bits(Format::from(value)) {}
  SmallFloat(double value) : attune_bits(Format::from(value)) {}
  operator float() const { return Format::to_float(attune_bits); }
  operator bool() const { return (attune_bits & 0x7fff) != 0; }
#define ATTUNE_HOST_CONVERSION(T)                                                \
  SmallFloat(T value) : attune_bits(Format::from(static_cast<double>(value))) {} \
  operator T() const { return static_cast<T>(Format::to_float(attune_bits)); }
  ATTUNE_HOST_INTEGERS(ATTUNE_HOST_CONVERSION)
#undef ATTUNE_HOST_CONVERSION

#define ATTUNE_HOST_OPERATOR(SIGN)                                                                             \
  friend Self operator SIGN(Self a, Self b) { return Self(static_cast<float>(a) SIGN static_cast<float>(b)); } \
  friend Self& operator SIGN##=(Self& a, Self b) { return a = a SIGN b; }
  ATTUNE_HOST_OPERATOR(+)
  ATTUNE_HOST_OPERATOR(-)
  ATTUNE_HOST_OPERATOR(*)
  ATTUNE_HOST_OPERATOR(/)
#undef ATTUNE_HOST_OPERATOR
#define ATTUNE_HOST_COMPARISON(SIGN) \
  friend bool operator SIGN(Self a, Self b) { return static_cast<float>(a) SIGN static_cast<float>(b); }
  ATTUNE_HOST_COMPARISON(==)
  ATTUNE_HOST_COMPARISON(!=)
  ATTUNE_HOST_COMPARISON(<)
  ATTUNE_HOST_COMPARISON(<=)
  ATTUNE_HOST_COMPARISON(>)
  ATTUNE_HOST_COMPARISON(>=)
#undef ATTUNE_HOST_COMPARISON
  friend Self operator+(Self a) { return a; }
  friend Self operator-(Self a) { return of_bits<Self>(static_cast<unsigned short>(a.attune_bits ^ 0x8000)); }
  friend Self& operator++(Self& a) { return a += Self(1.0f); }
  friend Self& operator--(Self& a) { return a -= Self(1.0f); }
  friend Self operator++(Self& a, int) {
    const Self before = a;
    ++a;
    return before;
  }
  friend Self operator--(Self& a, int) {
    const Self before = a;
    --a;
    return before;
  }

  template <class T>
  static T of_bits(unsigned short bits) {
    T value;
    value.attune_bits = bits;
    return value;
  }
  unsigned short attune_bits;
};

// Two of them, which move as one word.
template <class Self, class T>
struct SmallFloatPair {
#define ATTUNE_HOST_OPERATOR(SIGN)                                                       \
  friend Self operator SIGN(Self a, Self b) { return Self{a.x SIGN b.x, a.y SIGN b.y}; } \
  friend Self& operator SIGN##=(Self& a, Self b) { return a = a SIGN b; }
  ATTUNE_HOST_OPERATOR(+)
  ATTUNE_HOST_OPERATOR(-)
  ATTUNE_HOST_OPERATOR(*)
  ATTUNE_HOST_OPERATOR(/)
#undef ATTUNE_HOST_OPERATOR
  friend Self operator-(Self a) { return Self{-a.x, -a.y}; }
  friend bool operator==(Self a, Self b) { return a.x == b.x && a.y == b.y; }
  friend bool operator!=(Self a, Self b) { return a.x != b.x && a.y != b.y; }
};

template <class T>
T small_of_bits(unsigned short bits) {
  return bits_to<T>(bits);
}
template <class T>
unsigned short bits_of_small(T value) {
  return bits_to<unsigned short>(value);
}
template <class T>
bool is_small_nan(T value) {
  return static_cast<float>(value) != static_cast<float>(value);
}
// One rounding, but for results that lie next to the middle of two numbers by less than a double resolves.
template <class T>
T small_fma(T a, T b, T c) {
  return T(__builtin_fma(static_cast<double>(a), static_cast<double>(b), static_cast<double>(c)));
}
// The greater (sign 1) or the lesser (-1) of two; a NaN loses against a number.
template <class T>
T small_extreme(T a, T b, float sign) {
  if (is_small_nan(a)) return b;
  return sign * static_cast<float>(b) > sign * static_cast<float>(a) ? b : a;
}

}  // namespace attune_host

// Functions of the two types that have the same names: T, its pair, and CUDA's names for both.
#define ATTUNE_HOST_SMALL_FLOAT(T, PAIR, NAME, PAIR_NAME)                                                            \
  inline T __float2##NAME(float x) { return T(x); }                                                                  \
  inline T __float2##NAME##_rn(float x) { return T(x); }                                                             \
  inline T __float2##NAME##_rz(float x) { return T::rounded(x, attune_host::Rounding::zero); }                       \
  inline T __float2##NAME##_ru(float x) { return T::rounded(x, attune_host::Rounding::up); }                         \
  inline T __float2##NAME##_rd(float x) { return T::rounded(x, attune_host::Rounding::down); }                       \
  inline T __double2##NAME(double x) { return T(x); }                                                                \
  inline float __##NAME##2float(T x) { return x; }                                                                   \
  inline T __int2##NAME##_rn(int x) { return T(x); }                                                                 \
  inline T __uint2##NAME##_rn(unsigned int x) { return T(x); }                                                       \
  inline T __ll2##NAME##_rn(long long x) { return T(x); }                                                            \
  inline int __##NAME##2int_rz(T x) { return __float2int_rz(x); }                                                    \
  inline int __##NAME##2int_rn(T x) { return __float2int_rn(x); }                                                    \
  inline unsigned short __##NAME##_as_ushort(T x) { return attune_host::bits_of_small(x); }                          \
  inline short __##NAME##_as_short(T x) { return static_cast<short>(attune_host::bits_of_small(x)); }                \
  inline T __ushort_as_##NAME(unsigned short x) { return attune_host::small_of_bits<T>(x); }                         \
  inline T __short_as_##NAME(short x) { return attune_host::small_of_bits<T>(static_cast<unsigned short>(x)); }      \
  inline T __hadd(T a, T b) { return a + b; }                                                                        \
  inline T __hsub(T a, T b) { return a - b; }                                                                        \
  inline T __hmul(T a, T b) { return a * b; }                                                                        \
  inline T __hdiv(T a, T b) { return a / b; }                                                                        \
  inline T __hadd_rn(T a, T b) { return a + b; }                                                                     \
  inline T __hsub_rn(T a, T b) { return a - b; }                                                                     \
  inline T __hmul_rn(T a, T b) { return a * b; }                                                                     \
  inline T __hfma(T a, T b, T c) { return attune_host::small_fma(a, b, c); }                                         \
  inline T __hneg(T a) { return -a; }                                                                                \
  inline T __habs(T a) { return __ushort_as_##NAME(static_cast<unsigned short>(__##NAME##_as_ushort(a) & 0x7fff)); } \
  inline T __hmax(T a, T b) { return attune_host::small_extreme(a, b, 1.0f); }                                       \
  inline T __hmin(T a, T b) { return attune_host::small_extreme(a, b, -1.0f); }                                      \
  inline T __hmax_nan(T a, T b) { return a != a || b != b ? __ushort_as_##NAME(0x7fff) : __hmax(a, b); }             \
  inline T __hmin_nan(T a, T b) { return a != a || b != b ? __ushort_as_##NAME(0x7fff) : __hmin(a, b); }             \
  inline bool __heq(T a, T b) { return a == b; }                                                                     \
  inline bool __hne(T a, T b) { return a != b && a == a && b == b; }                                                 \
  inline bool __hlt(T a, T b) { return a < b; }                                                                      \
  inline bool __hle(T a, T b) { return a <= b; }                                                                     \
  inline bool __hgt(T a, T b) { return a > b; }                                                                      \
  inline bool __hge(T a, T b) { return a >= b; }                                                                     \
  inline bool __hisnan(T a) { return attune_host::is_small_nan(a); }                                                 \
  inline int __hisinf(T a) { return isinf(static_cast<float>(a)) ? (a < T(0.0f) ? -1 : 1) : 0; }                     \
  inline T hsqrt(T a) { return T(sqrtf(a)); }                                                                        \
  inline T hrsqrt(T a) { return T(rsqrt(static_cast<double>(a))); }                                                  \
  inline T hrcp(T a) { return T(1.0f) / a; }                                                                         \
  inline T hexp(T a) { return T(exp(static_cast<double>(a))); }                                                      \
  inline T hexp2(T a) { return T(exp2(static_cast<double>(a))); }                                                    \
  inline T hlog(T a) { return T(log(static_cast<double>(a))); }                                                      \
  inline T hlog2(T a) { return T(log2(static_cast<double>(a))); }                                                    \
  inline T hsin(T a) { return T(sin(static_cast<double>(a))); }                                                      \
  inline T hcos(T a) { return T(cos(static_cast<double>(a))); }                                                      \
  inline T htanh(T a) { return T(tanh(static_cast<double>(a))); }                                                    \
  inline T hceil(T a) { return T(ceilf(a)); }                                                                        \
  inline T hfloor(T a) { return T(floorf(a)); }                                                                      \
  inline T hrint(T a) { return T(rintf(a)); }                                                                        \
  inline T htrunc(T a) { return T(truncf(a)); }                                                                      \
  inline PAIR __float2##PAIR_NAME##_rn(float x) { return {T(x), T(x)}; }                                             \
  inline PAIR __floats2##PAIR_NAME##_rn(float x, float y) { return {T(x), T(y)}; }                                   \
  inline PAIR __float22##PAIR_NAME##_rn(float2 x) { return {T(x.x), T(x.y)}; }                                       \
  inline float2 __##PAIR_NAME##2float2(PAIR a) { return {a.x, a.y}; }                                                \
  inline PAIR __##NAME##2##PAIR_NAME(T x) { return {x, x}; }                                                         \
  inline PAIR __halves2##PAIR_NAME(T x, T y) { return {x, y}; }                                                      \
  inline PAIR make_##PAIR_NAME(T x, T y) { return {x, y}; }                                                          \
  inline T __low2##NAME(PAIR a) { return a.x; }                                                                      \
  inline T __high2##NAME(PAIR a) { return a.y; }                                                                     \
  inline float __low2float(PAIR a) { return a.x; }                                                                   \
  inline float __high2float(PAIR a) { return a.y; }                                                                  \
  inline PAIR __lowhigh2highlow(PAIR a) { return {a.y, a.x}; }                                                       \
  inline PAIR __hadd2(PAIR a, PAIR b) { return a + b; }                                                              \
  inline PAIR __hsub2(PAIR a, PAIR b) { return a - b; }                                                              \
  inline PAIR __hmul2(PAIR a, PAIR b) { return a * b; }                                                              \
  inline PAIR __h2div(PAIR a, PAIR b) { return a / b; }                                                              \
  inline PAIR __hneg2(PAIR a) { return -a; }                                                                         \
  inline PAIR __habs2(PAIR a) { return {__habs(a.x), __habs(a.y)}; }                                                 \
  inline PAIR __hfma2(PAIR a, PAIR b, PAIR c) { return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)}; }             \
  inline PAIR __hmax2(PAIR a, PAIR b) { return {__hmax(a.x, b.x), __hmax(a.y, b.y)}; }                               \
  inline PAIR __hmin2(PAIR a, PAIR b) { return {__hmin(a.x, b.x), __hmin(a.y, b.y)}; }                               \
  ATTUNE_HOST_SMALL_SHUFFLE(T)                                                                                       \
  ATTUNE_HOST_SMALL_SHUFFLE(PAIR)                                                                                    \
  inline T atomicAdd(T* address, T value) {                                                                          \
    return attune_host::atomic_update(address, [value](T old) { return old + value; });                              \
  }                                                                                                                  \
  inline PAIR atomicAdd(PAIR* address, PAIR value) {                                                                 \
    return attune_host::atomic_update(address, [value](PAIR old) { return old + value; });                           \
  }

#define ATTUNE_HOST_SMALL_SHUFFLE(T)                                                                                  \
  template <>                                                                                                         \
  inline constexpr bool attune_host::is_number<T> = true;                                                             \
  inline T __shfl_sync(unsigned mask, T value, int source, int width = 32) {                                          \
    return attune_host::shuffle(attune_host::Shuffle::index, mask, value, static_cast<unsigned>(source), width,       \
                                "__shfl_sync");                                                                       \
  }                                                                                                                   \
  inline T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32) {                                   \
    return attune_host::shuffle(attune_host::Shuffle::up, mask, value, delta, width, "__shfl_up_sync");               \
  }                                                                                                                   \
  inline T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32) {                                 \
    return attune_host::shuffle(attune_host::Shuffle::down, mask, value, delta, width, "__shfl_down_sync");           \
  }                                                                                                                   \
  inline T __shfl_xor_sync(unsigned mask, T value, int lanes, int width = 32) {                                       \
    return attune_host::shuffle(attune_host::Shuffle::exclusive_or, mask, value, static_cast<unsigned>(lanes), width, \
                                "__shfl_xor_sync");                                                                   \
  }

#endif  // ATTUNE_HOST_CUDA_HALVES_HPP
