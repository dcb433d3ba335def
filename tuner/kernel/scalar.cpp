// Scalars in the bytes of their types.
#include <fmt/format.h>

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstring>
#include <limits>

#include "attune/error.hpp"
#include "core/type_table.hpp"
#include "kernel/instantiate.hpp"

namespace attune {
namespace {

static_assert(LDBL_MANT_DIG >= 64, "every int64 and every double must be exact in a long double");

[[noreturn]] void does_not_fit(const Value& value, std::string_view type) {
  throw Error(fmt::format("{} does not fit {}", value.text(), type));
}

long double exact(const Value& value) {
  if (value.is_boolean()) return value.boolean() ? 1 : 0;
  return value.is_integer() ? static_cast<long double>(value.integer()) : static_cast<long double>(value.real());
}

// A binary floating-point format that is smaller than a double.
struct FloatFormat {
  int fraction_bits;
  int exponent_bits;
};

// Returns the bits of `value`, rounded to nearest even; nothing when the result is infinite. NaN becomes a quiet NaN.
std::optional<std::uint32_t> encode_float(long double value, FloatFormat format) {
  const int bias = (1 << (format.exponent_bits - 1)) - 1;
  const auto sign = static_cast<std::uint32_t>(std::signbit(value)) << (format.fraction_bits + format.exponent_bits);
  const std::uint32_t infinity = ((1u << format.exponent_bits) - 1) << format.fraction_bits;
  if (std::isnan(value)) return sign | infinity | (1u << (format.fraction_bits - 1));
  if (std::isinf(value)) return sign | infinity;
  if (value == 0) return sign;
  int exponent = 0;
  std::frexp(value, &exponent);  // in [0.5, 1) * 2^exponent
  const int least = 2 - bias;    // of normal numbers; below it the spacing stays
  const int spacing = std::max(exponent, least) - 1 - format.fraction_bits;
  // Scaling by a power of two is exact, so this is the only rounding.
  const auto steps = static_cast<std::uint32_t>(std::nearbyint(std::ldexp(std::fabs(value), -spacing)));
  // 2^fraction_bits steps and more carry into the exponent, as the formats intend.
  const auto bits = steps + (static_cast<std::uint32_t>(std::max(exponent, least) - least) << format.fraction_bits);
  if (bits >= infinity) return std::nullopt;
  return sign | bits;
}

constexpr FloatFormat half_format{10, 5}, bfloat16_format{7, 8};

template <typename Stored>
void store(std::array<std::byte, 16>& bytes, Stored stored) {
  static_assert(sizeof(Stored) <= 16);
  std::memcpy(bytes.data(), &stored, sizeof stored);
}

template <typename Integer>
void store_integer(std::array<std::byte, 16>& bytes, const Value& value, std::string_view type) {
  const long double number = exact(value);
  const bool fits = number == std::floor(number) &&
                    number >= static_cast<long double>(std::numeric_limits<Integer>::min()) &&
                    number <= static_cast<long double>(std::numeric_limits<Integer>::max());
  if (!fits) does_not_fit(value, type);
  store(bytes, static_cast<Integer>(number));
}

void store_bool(std::array<std::byte, 16>& bytes, const Value& value, std::string_view type) {
  const long double number = exact(value);
  if (number != 0 && number != 1) does_not_fit(value, type);
  store(bytes, static_cast<std::uint8_t>(number));
}

template <typename Float>
void store_float(std::array<std::byte, 16>& bytes, const Value& value, std::string_view type) {
  const long double number = exact(value);
  const Float rounded = static_cast<Float>(number);
  if (std::isinf(rounded) && !std::isinf(number)) does_not_fit(value, type);
  store(bytes, rounded);
}

template <const FloatFormat& Format>
void store_small_float(std::array<std::byte, 16>& bytes, const Value& value, std::string_view type) {
  const auto bits = encode_float(exact(value), Format);
  if (!bits) does_not_fit(value, type);
  store(bytes, static_cast<std::uint16_t>(*bits));
}

struct Encoder {
  std::string_view type;
  void (*store)(std::array<std::byte, 16>&, const Value&, std::string_view);
};

constexpr Encoder encoders[] = {
    {"bool", store_bool},
    {"int8", store_integer<std::int8_t>},
    {"int16", store_integer<std::int16_t>},
    {"int32", store_integer<std::int32_t>},
    {"int64", store_integer<std::int64_t>},
    {"uint8", store_integer<std::uint8_t>},
    {"uint16", store_integer<std::uint16_t>},
    {"uint32", store_integer<std::uint32_t>},
    {"uint64", store_integer<std::uint64_t>},
    {"float", store_float<float>},
    {"double", store_float<double>},
    {"half", store_small_float<half_format>},
    {"bfloat16", store_small_float<bfloat16_format>},
};

}  // namespace

std::array<std::byte, 16> encode_scalar(const Value& value, std::string_view type) {
  if (value.is_name())
    throw Error(fmt::format("`{}` is a name; a scalar of type {} needs a number", value.name(), type));
  for (const auto& encoder : encoders) {
    if (encoder.type != type) continue;
    std::array<std::byte, 16> bytes{};
    encoder.store(bytes, value, type);
    return bytes;
  }
  type_named(type);  // throws for an unknown type
  throw Error(fmt::format("{} cannot stand for a vector: no scalar argument may be of type {}", value.text(), type));
}

}  // namespace attune
