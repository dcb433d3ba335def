// Data made and judged on the GPU, against the same functions on the host.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "core/type_table.hpp"
#include "device/data_ops.hpp"
#include "device/host/host_data.hpp"
#include "support/gpu.hpp"

namespace attune {
namespace {

using test::TestMemory;

class CudaData : public test::GpuTest {};

template <typename T>
std::vector<unsigned char> host_bytes(const data_ops::FillPlan& plan) {
  std::vector<unsigned char> bytes(plan.count * sizeof(T));
  for (data_ops::u64 i = 0; i < plan.count; ++i) {
    const T value = data_ops::fill_element<T>(plan, i);
    std::memcpy(bytes.data() + i * sizeof(T), &value, sizeof(T));
  }
  return bytes;
}

struct ElementCase {
  std::string_view type;
  std::vector<unsigned char> (*make)(const data_ops::FillPlan& plan);
};

const ElementCase element_cases[] = {
    {"bool", host_bytes<bool>},
    {"int8", host_bytes<signed char>},
    {"int16", host_bytes<short>},
    {"int32", host_bytes<int>},
    {"int64", host_bytes<long long>},
    {"uint8", host_bytes<unsigned char>},
    {"uint16", host_bytes<unsigned short>},
    {"uint32", host_bytes<unsigned>},
    {"uint64", host_bytes<unsigned long long>},
    {"float", host_bytes<float>},
    {"double", host_bytes<double>},
    {"half", host_bytes<data_ops::Half>},
    {"bfloat16", host_bytes<data_ops::Bfloat16>},
};

Fill fill_of(FillKind kind, double a, double b, std::int64_t integer_a, std::int64_t integer_b,
             bool full_range = false) {
  Fill fill;
  fill.kind = kind;
  fill.a = a;
  fill.b = b;
  fill.integer_a = integer_a;
  fill.integer_b = integer_b;
  fill.full_range = full_range;
  return fill;
}

TEST_F(CudaData, IsTheSameBitForBitAsOnTheHostForEveryTypeAndFill) {
  const Fill fills[] = {fill_of(FillKind::uniform, -1, 1, -5, 17),
                        fill_of(FillKind::uniform, -1e30, 3e38, std::numeric_limits<std::int64_t>::min(),
                                std::numeric_limits<std::int64_t>::max()),
                        fill_of(FillKind::uniform, 0, 1, 0, 0, true),
                        fill_of(FillKind::normal, 0.25, 3, 0, 0),
                        fill_of(FillKind::constant, 2.5, 0, 3, 0),
                        fill_of(FillKind::iota, 0, 0, 0, 0),
                        fill_of(FillKind::permutation, 0, 0, 0, 0)};
  constexpr std::uint64_t count = 10007, seed = 0x123456789ABCDEFULL;
  for (const TypeInfo& type : type_table()) {
    for (const Fill& fill : fills) {
      TestMemory memory(device(), count * type.size);
      device().generate(memory.data(), type.name, count, fill, seed);
      const data_ops::FillPlan plan{
          static_cast<int>(fill.kind), fill.full_range ? 1 : 0, fill.a, fill.b, fill.integer_a, fill.integer_b, seed,
          count * type.components};
      bool known = false;
      for (const ElementCase& one : element_cases) {
        if (one.type != type.element) continue;
        known = true;
        EXPECT_TRUE(memory.read<unsigned char>(count * type.size) == one.make(plan))
            << type.name << ", fill " << static_cast<int>(fill.kind);
      }
      EXPECT_TRUE(known) << "no host function for " << type.name;
    }
  }
}

TEST_F(CudaData, ComparesWithinTolerancesAndFindsTheFirstMismatch) {
  constexpr std::size_t count = 100003;
  std::vector<float> expected(count), actual;
  for (std::size_t i = 0; i < count; ++i) expected[i] = static_cast<float>(i % 1000);
  actual = expected;
  actual[77777] += 0.5f;
  actual[99999] += 2.0f;
  actual[500] += 0.001f;
  TestMemory a(device(), count * 4), e(device(), count * 4);
  a.write(actual);
  e.write(expected);
  const Comparison comparison = device().compare(a.data(), e.data(), "float", count, {0.01, 0, false});
  EXPECT_EQ(comparison.mismatches, 2u);
  EXPECT_EQ(comparison.first, 77777u);
  EXPECT_EQ(comparison.actual_at_first, 777.5);
  EXPECT_EQ(comparison.expected_at_first, 777.0);
  EXPECT_EQ(comparison.max_absolute, 2.0);
  EXPECT_EQ(comparison.max_relative, 2.0 / 999.0);
  EXPECT_EQ(comparison.max_ulp, 32768u);
  EXPECT_EQ(comparison.nonfinite_expected, 0u);
  EXPECT_EQ(device().compare(a.data(), e.data(), "float", count, {2.0, 0, false}).mismatches, 0u);
  EXPECT_EQ(device().compare(a.data(), e.data(), "float4", count / 4, {0.01, 0, false}).first, 77777u)
      << "vector types count components";
  EXPECT_EQ(device().compare(a.data(), e.data(), "float", 0, {}).mismatches, 0u);
}

TEST_F(CudaData, ComparesIntegersExactlyAtTheEndsOfTheirRange) {
  const std::vector<std::int64_t> expected{std::numeric_limits<std::int64_t>::max(),
                                           std::numeric_limits<std::int64_t>::min(), 0};
  std::vector<std::int64_t> actual = expected;
  actual[0] -= 1;
  TestMemory a(device(), 24), e(device(), 24);
  a.write(actual);
  e.write(expected);
  const Comparison comparison = device().compare(a.data(), e.data(), "int64", 3, {});
  EXPECT_EQ(comparison.mismatches, 1u);
  EXPECT_EQ(comparison.first, 0u);
  EXPECT_EQ(comparison.max_absolute, 1.0);
}

TEST_F(CudaData, TreatsWhatIsNotFiniteAsTheToleranceSays) {
  const double infinity = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  TestMemory a(device(), 32), e(device(), 32);
  a.write(std::vector<double>{infinity, nan, 1, -infinity});
  e.write(std::vector<double>{infinity, nan, 1, infinity});
  const Comparison strict = device().compare(a.data(), e.data(), "double", 4, {1, 1, false});
  EXPECT_EQ(strict.mismatches, 3u);
  EXPECT_EQ(strict.nonfinite_expected, 3u);
  const Comparison lenient = device().compare(a.data(), e.data(), "double", 4, {1, 1, true});
  EXPECT_EQ(lenient.mismatches, 1u);
  EXPECT_EQ(lenient.first, 3u);
  EXPECT_TRUE(std::isinf(lenient.max_absolute));
}

TEST_F(CudaData, ComparesAsTheHostDoesBitForBitForEveryType) {
  constexpr std::uint64_t count = 50'021;
  for (const TypeInfo& type : type_table()) {
    const std::size_t bytes = count * type.size;
    for (const bool any_bits : {false, true}) {  // also what is not finite, subnormal, or no bool
      TestMemory a(device(), bytes), e(device(), bytes);
      const Fill random = fill_of(FillKind::uniform, -1, 1, -5, 17, any_bits);
      device().generate(a.data(), any_bits ? "uint8" : type.name, any_bits ? bytes : count, random, 1);
      device().generate(e.data(), any_bits ? "uint8" : type.name, any_bits ? bytes : count, random, 2);
      for (const Tolerance& tolerance : {Tolerance{0, 0, false}, Tolerance{0.5, 0.25, true}}) {
        const Comparison here = device().compare(a.data(), e.data(), type.name, count, tolerance);
        const auto actual = a.read<unsigned char>(bytes), expected = e.read<unsigned char>(bytes);
        const Comparison there = compare_on_host(actual.data(), expected.data(), type.name, count, tolerance);
        const auto bits = [](double value) { return data_ops::bits_of(value); };
        const auto same = [&](double x, double y) { return bits(x) == bits(y) || (std::isnan(x) && std::isnan(y)); };
        EXPECT_EQ(here.mismatches, there.mismatches) << type.name;
        EXPECT_EQ(here.first, there.first) << type.name;
        EXPECT_TRUE(same(here.actual_at_first, there.actual_at_first)) << type.name;
        EXPECT_TRUE(same(here.expected_at_first, there.expected_at_first)) << type.name;
        EXPECT_EQ(bits(here.max_absolute), bits(there.max_absolute)) << type.name;
        EXPECT_EQ(bits(here.max_relative), bits(there.max_relative)) << type.name;
        EXPECT_EQ(here.max_ulp, there.max_ulp) << type.name;
        EXPECT_EQ(here.nonfinite_expected, there.nonfinite_expected) << type.name;
      }
    }
  }
}

TEST_F(CudaData, TellsHowFarFloatsAreApart) {
  TestMemory a(device(), 64), e(device(), 64);
  a.write(std::vector<float>{1.0f, 0.0f, 1e-45f, 7.0f});
  e.write(std::vector<float>{std::nextafter(1.0f, 2.0f), -0.0f, -1e-45f, 0.0f});
  const Comparison apart = device().compare(a.data(), e.data(), "float", 3, {1, 0, false});
  EXPECT_EQ(apart.max_ulp, 2u);
  EXPECT_EQ(apart.max_relative, 2.0) << "subnormal numbers are not flushed";
  EXPECT_EQ(device().compare(a.data(), e.data(), "float", 4, {9, 0, false}).max_relative, 2.0) << "7 against 0";
}

TEST_F(CudaData, CountsTheBytesThatDifferBetweenTwoArrays) {
  constexpr std::size_t bytes = (1 << 20) + 5;
  TestMemory a(device(), bytes), b(device(), bytes);
  std::vector<unsigned char> host(bytes, 0xFF);  // NaN in every floating type
  a.write(host);
  b.write(host);
  EXPECT_EQ(device().count_differences(a.data(), b.data(), bytes), 0u);
  for (const std::size_t place : {std::size_t{3}, std::size_t{4097}, std::size_t{4098}, bytes - 1}) host[place] = 1;
  b.write(host);
  EXPECT_EQ(device().count_differences(a.data(), b.data(), bytes), 4u);
  EXPECT_EQ(device().count_differences(a.data(), b.data(), bytes - 1), 3u);
  EXPECT_EQ(device().count_differences(a.data(), b.data(), 3), 0u);
  EXPECT_EQ(device().count_differences(a.data(), b.data(), 0), 0u);
  const auto* const shifted = static_cast<const unsigned char*>(b.data()) + 1;  // neither aligned nor alike
  EXPECT_EQ(device().count_differences(a.data(), shifted, bytes - 1), 4u);
  TestMemory zeros(device(), bytes);
  zeros.write(std::vector<unsigned char>(bytes, 0));
  EXPECT_EQ(device().count_differences(a.data(), zeros.data(), bytes), bytes);
}

TEST_F(CudaData, CountsTheBytesThatDiffer) {
  constexpr std::size_t bytes = 1 << 20;
  TestMemory memory(device(), bytes);
  std::vector<unsigned char> host(bytes, 0xFF);
  memory.write(host);
  std::uint64_t first = 99;
  EXPECT_EQ(device().count_other_bytes(memory.data(), bytes, 0xFF, first), 0u);
  host[4097] = 0;
  host[1000001] = 0xFE;
  memory.write(host);
  EXPECT_EQ(device().count_other_bytes(memory.data(), bytes, 0xFF, first), 2u);
  EXPECT_EQ(first, 4097u);
  const auto* inside =
      static_cast<const unsigned char*>(memory.data()) + 3;  // neither aligned nor a multiple of 16 long
  EXPECT_EQ(device().count_other_bytes(inside, 4095, 0xFF, first), 1u);
  EXPECT_EQ(first, 4094u);
  EXPECT_EQ(device().count_other_bytes(inside, 4094, 0xFF, first), 0u);
  EXPECT_EQ(device().count_other_bytes(inside, 0, 0xFF, first), 0u);
}

TEST_F(CudaData, CountsPast32Bits) {
  constexpr std::uint64_t count = (1ULL << 32) + 12345;
  if (device().free_memory() < 2 * count + (1ULL << 30)) GTEST_SKIP() << "needs 9 GiB of device memory";
  TestMemory a(device(), count), e(device(), count);
  const Fill fill = fill_of(FillKind::uniform, 0, 0, 0, 0, true);
  device().generate(a.data(), "uint8", count, fill, 1);
  device().generate(e.data(), "uint8", count, fill, 1);
  EXPECT_EQ(device().compare(a.data(), e.data(), "uint8", count, {}).mismatches, 0u);
  unsigned char last = 0;
  auto* end = static_cast<unsigned char*>(a.data()) + count - 1;
  device().copy_out(&last, end, 1, nullptr);
  last = static_cast<unsigned char>(last + 1);
  device().copy_in(end, &last, 1, nullptr);
  const Comparison comparison = device().compare(a.data(), e.data(), "uint8", count, {});
  EXPECT_EQ(comparison.mismatches, 1u);
  EXPECT_EQ(comparison.first, count - 1);
}

}  // namespace
}  // namespace attune
