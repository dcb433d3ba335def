// Scalars in the bytes of their types: exactly, or an error.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "attune/error.hpp"
#include "kernel/instantiate.hpp"
#include "support/message_of.hpp"

namespace attune {
namespace {

constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max(),
                       least = std::numeric_limits<std::int64_t>::min();

template <typename T>
T encoded(const Value& value, std::string_view type) {
  const auto bytes = encode_scalar(value, type);
  T result;
  std::memcpy(&result, bytes.data(), sizeof result);
  for (std::size_t i = sizeof result; i < bytes.size(); ++i) EXPECT_EQ(bytes[i], std::byte{0});
  return result;
}

std::uint16_t half(const Value& value) { return encoded<std::uint16_t>(value, "half"); }
std::uint16_t bfloat16(const Value& value) { return encoded<std::uint16_t>(value, "bfloat16"); }

TEST(Scalar, HoldsTheWholeRangeOfItsInteger) {
  EXPECT_EQ(encoded<std::int8_t>(-128, "int8"), -128);
  EXPECT_EQ(encoded<std::int8_t>(127, "int8"), 127);
  EXPECT_EQ(encoded<std::uint8_t>(255, "uint8"), 255);
  EXPECT_EQ(encoded<std::int16_t>(-32768, "int16"), -32768);
  EXPECT_EQ(encoded<std::uint16_t>(65535, "uint16"), 65535);
  EXPECT_EQ(encoded<std::int32_t>(2147483647, "int32"), 2147483647);
  EXPECT_EQ(encoded<std::uint32_t>(4294967295, "uint32"), 4294967295u);
  EXPECT_EQ(encoded<std::int64_t>(most, "int64"), most);
  EXPECT_EQ(encoded<std::int64_t>(least, "int64"), least);
  EXPECT_EQ(encoded<std::uint64_t>(most, "uint64"), static_cast<std::uint64_t>(most));
  EXPECT_EQ(encoded<std::uint64_t>(0x1p63, "uint64"), std::uint64_t{1} << 63);
  EXPECT_EQ(encoded<std::uint8_t>(true, "bool"), 1);
  EXPECT_EQ(encoded<std::uint8_t>(0, "bool"), 0);
  EXPECT_EQ(encoded<std::int32_t>(3.0, "int32"), 3);
  EXPECT_EQ(encoded<std::int32_t>(true, "int32"), 1);
}

TEST(Scalar, ThatDoesNotFitIsAnErrorNeverAWrap) {
  const std::pair<Value, const char*> misfits[] = {
      {128, "int8"},          {-129, "int8"},    {-1, "uint8"},         {256, "uint8"},
      {32768, "int16"},       {65536, "uint16"}, {2147483648, "int32"}, {-2147483649, "int32"},
      {4294967296, "uint32"}, {-1, "uint64"},    {2.5, "int32"},        {0x1p63, "int64"},
      {0x1p64, "uint64"},     {2, "bool"},       {0.5, "bool"},         {1e300, "float"},
      {-1e39, "float"},       {65520, "half"},   {-70000.0, "half"},    {1e39, "bfloat16"}};
  for (const auto& [value, type] : misfits)
    EXPECT_EQ(message_of<Error>([&] { encode_scalar(value, type); }), value.text() + " does not fit " + type);
}

TEST(Scalar, RefusesNamesVectorsAndUnknownTypes) {
  EXPECT_THROW(encode_scalar("float", "float"), Error);
  EXPECT_THROW(encode_scalar(1, "float4"), Error);
  EXPECT_THROW(encode_scalar(1, "flaot"), Error);
}

TEST(Scalar, RoundsToTheNearestFloat) {
  EXPECT_EQ(encoded<float>(0.1, "float"), 0.1f);
  EXPECT_EQ(encoded<float>(16777217, "float"), 16777216.0f);
  EXPECT_EQ(encoded<float>(16777219, "float"), 16777220.0f);
  EXPECT_EQ(encoded<double>(0.1, "double"), 0.1);
  EXPECT_EQ(encoded<double>(most, "double"), 0x1p63);
  EXPECT_EQ(encoded<float>(std::numeric_limits<double>::infinity(), "float"), std::numeric_limits<float>::infinity());
  // Just above the middle of two floats: rounding by way of double would fall on the middle, then to even.
  EXPECT_EQ(encoded<float>((std::int64_t{1} << 54) + (std::int64_t{1} << 30) + 1, "float"), 0x1.000002p54f);
}

TEST(Scalar, RoundsToTheNearestBfloat16) {
  EXPECT_EQ(bfloat16(1), 0x3f80);
  EXPECT_EQ(bfloat16(-3.140625), 0xc049);
  EXPECT_EQ(bfloat16(257), 0x4380);  // a tie, to even
  EXPECT_EQ(bfloat16(259), 0x4382);
  EXPECT_EQ(bfloat16(0x1p-133), 0x0001);
  EXPECT_EQ(bfloat16((std::int64_t{1} << 62) + (std::int64_t{1} << 54) + 1), 0x5e81);  // above a tie by the last bit
}

double value_of_half(std::uint16_t bits) {
  const int exponent = (bits >> 10) & 31, fraction = bits & 1023;
  const double magnitude = exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
  return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

TEST(Scalar, RoundsToTheNearestHalfAndInTheMiddleToTheEvenOne) {
  EXPECT_EQ(half(1), 0x3c00);
  EXPECT_EQ(half(65519.99), 0x7bff);
  EXPECT_EQ(half(std::numeric_limits<double>::infinity()), 0x7c00);
  EXPECT_EQ(half(std::nan("")) & 0x7fff, 0x7e00);
  for (std::uint16_t bits = 0; bits < 0x7c00; ++bits) {
    ASSERT_EQ(half(value_of_half(bits)), bits);
    ASSERT_EQ(half(-value_of_half(bits)), bits | 0x8000);
    if (bits == 0x7bff) continue;
    const double middle = (value_of_half(bits) + value_of_half(static_cast<std::uint16_t>(bits + 1))) / 2;
    ASSERT_EQ(half(middle), bits + (bits & 1));
    ASSERT_EQ(half(std::nextafter(middle, 0.0)), bits);
    ASSERT_EQ(half(std::nextafter(middle, 1e6)), bits + 1);
  }
}

}  // namespace
}  // namespace attune
