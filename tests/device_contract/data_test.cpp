// Data that devices make and inspect: the same bits on every device.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <set>

#include "core/type_table.hpp"
#include "device/data_ops.hpp"
#include "device/host/host_data.hpp"
#include "device_contract/contract_test.hpp"
#include "kernel/zipf.hpp"

namespace attune {
namespace {

using test::Array;
using Bytes = std::vector<unsigned char>;
using testing::Each;
using testing::ElementsAre;

class DataContract : public test::ContractTest {
 protected:
  // Returns `count` elements of a type, made from `seed`.
  template <typename T>
  std::vector<T> made(std::string_view type, std::size_t count, const FillValues& fill, std::uint64_t seed) const {
    Array<T> out(device(), count);
    tools().generate(out.data(), type, count, fill, seed);
    return out.values();
  }
  template <typename T>
  Comparison compared(const char* type, const std::vector<T>& actual, const std::vector<T>& expected,
                      const Tolerance& tolerance) const {
    const Array<T> a(device(), actual), e(device(), expected);
    return tools().inspect(CompareElements{a.data(), e.data(), type, actual.size(), tolerance}).comparison;
  }
};

FillValues fill_of(FillKind kind, double a = 0, double b = 0, std::int64_t integer_a = 0, std::int64_t integer_b = 0,
                   bool full_range = false) {
  FillValues fill;
  fill.kind = kind;
  fill.a = a;
  fill.b = b;
  fill.integer_a = integer_a;
  fill.integer_b = integer_b;
  fill.full_range = full_range;
  return fill;
}

template <typename T>
Bytes bytes_of(const data_ops::FillPlan& plan) {
  Bytes bytes(plan.count * sizeof(T));
  for (data_ops::u64 i = 0; i < plan.count; ++i) {
    const T value = data_ops::fill_element<T>(plan, i);
    std::memcpy(bytes.data() + i * sizeof(T), &value, sizeof(T));
  }
  return bytes;
}

const std::pair<std::string_view, Bytes (*)(const data_ops::FillPlan&)> element_types[] = {
    {"bool", bytes_of<bool>},
    {"int8", bytes_of<signed char>},
    {"int16", bytes_of<short>},
    {"int32", bytes_of<int>},
    {"int64", bytes_of<long long>},
    {"uint8", bytes_of<unsigned char>},
    {"uint16", bytes_of<unsigned short>},
    {"uint32", bytes_of<unsigned>},
    {"uint64", bytes_of<unsigned long long>},
    {"float", bytes_of<float>},
    {"double", bytes_of<double>},
    {"half", bytes_of<data_ops::Half>},
    {"bfloat16", bytes_of<data_ops::Bfloat16>},
};

TEST_F(DataContract, IsTheSameBitForBitForEveryTypeAndFill) {
  const FillValues fills[] = {fill_of(FillKind::uniform, -1, 1, -5, 17),
                              fill_of(FillKind::uniform, -1e30, 3e38, std::numeric_limits<std::int64_t>::min(),
                                      std::numeric_limits<std::int64_t>::max()),
                              fill_of(FillKind::uniform, 0, 1, 0, 0, true),
                              fill_of(FillKind::normal, 0.25, 3),
                              fill_of(FillKind::constant, 2.5, 0, 3),
                              fill_of(FillKind::iota),
                              fill_of(FillKind::permutation),
                              fill_of(FillKind::zipf, 1.5, 200, 1, 200)};
  const std::vector<std::uint64_t> made = zipf_thresholds(1.5, 200);
  const std::vector<data_ops::u64> thresholds(made.begin(), made.end());
  constexpr std::uint64_t count = 10007, seed = 0x123456789ABCDEFULL;
  for (const TypeInfo& type : type_table()) {
    const auto* const element = std::find_if(std::begin(element_types), std::end(element_types),
                                             [&](const auto& one) { return one.first == type.element; });
    ASSERT_NE(element, std::end(element_types)) << "no host function for " << type.name;
    for (const FillValues& fill : fills) {
      Array<unsigned char> out(device(), count * type.size);
      tools().generate(out.data(), type.name, count, fill, seed);
      const data_ops::FillPlan plan{
          static_cast<int>(fill.kind), fill.full_range ? 1 : 0, fill.a, fill.b, fill.integer_a, fill.integer_b, seed,
          count * type.components,     thresholds.data()};
      EXPECT_TRUE(out.values() == element->second(plan)) << type.name << ", fill " << static_cast<int>(fill.kind);
    }
  }
}

TEST_F(DataContract, IsUniform) {
  const auto values = made<float>("float", 10000, fill_of(FillKind::uniform, -1, 1), 42);
  double sum = 0;
  for (const float value : values) {
    ASSERT_GE(value, -1);
    ASSERT_LE(value, 1);
    sum += value;
  }
  EXPECT_NEAR(sum / 10000, 0, 0.03);
  EXPECT_GT(std::set<float>(values.begin(), values.end()).size(), 9000u);
  const auto whole = made<int>("int32", 10000, fill_of(FillKind::uniform, 0, 0, -2, 3), 42);
  EXPECT_THAT(std::set<int>(whole.begin(), whole.end()), ElementsAre(-2, -1, 0, 1, 2, 3));
  for (int value = -2; value <= 3; ++value)
    EXPECT_NEAR(std::count(whole.begin(), whole.end(), value), 10000 / 6.0, 200);
}

TEST_F(DataContract, IsNormalConstantCountedOrPermuted) {
  double sum = 0, squares = 0;
  for (const double value : made<double>("double", 20000, fill_of(FillKind::normal, 5, 2), 1)) {
    sum += value;
    squares += (value - 5) * (value - 5);
  }
  EXPECT_NEAR(sum / 20000, 5, 0.06);
  EXPECT_NEAR(std::sqrt(squares / 20000), 2, 0.06);
  EXPECT_THAT(made<double>("double", 20000, fill_of(FillKind::constant, 2.5), 1), Each(2.5));
  EXPECT_EQ(made<double>("double", 20000, fill_of(FillKind::iota), 1)[12345], 12345);
  for (const std::uint64_t count : {1u, 2u, 3u, 16u, 17u, 1000u, 4097u}) {
    auto values = made<unsigned>("uint32", count, fill_of(FillKind::permutation), 9);
    EXPECT_TRUE(count < 100 || !std::is_sorted(values.begin(), values.end()));
    std::sort(values.begin(), values.end());
    for (unsigned i = 0; i < count; ++i) ASSERT_EQ(values[i], i);
  }
}

TEST_F(DataContract, IsZipfsLaw) {
  constexpr std::size_t count = 200000;
  const FillValues fill = fill_of(FillKind::zipf, 1, 4, 1, 4);
  const auto ranks = made<unsigned>("uint32", count, fill, 3);
  const double total = 1 + 1 / 2.0 + 1 / 3.0 + 1 / 4.0;
  for (unsigned rank = 0; rank < 4; ++rank)
    EXPECT_NEAR(std::count(ranks.begin(), ranks.end(), rank), count / total / (rank + 1), 800) << rank;
  EXPECT_THAT(made<float>("float", 10, fill_of(FillKind::zipf, 2, 1, 2, 1), 3), Each(0));
}

TEST_F(DataContract, IsMadeFromItsSeed) {
  const FillValues all = fill_of(FillKind::uniform, 0, 0, 0, 0, true);
  const auto values = made<std::uint64_t>("uint64", 100, all, 1);
  EXPECT_NE(values, made<std::uint64_t>("uint64", 100, all, 2));
  // Stored seeds keep their meaning: a change of these bits is a change of every session's data.
  EXPECT_EQ(values[0], 6791897765849424158ULL);
  EXPECT_EQ(values[99], 8564285428226242266ULL);
}

TEST_F(DataContract, IsComparedWithinTolerances) {
  const std::vector<float> expected{1, 2, 100, -4}, actual{1, 2.5f, 101, -4};
  const Comparison exact = compared("float", actual, expected, {});
  EXPECT_EQ(exact.mismatches, 2u);
  EXPECT_EQ(exact.first, 1u);
  EXPECT_EQ(exact.actual_at_first, 2.5);
  EXPECT_EQ(exact.expected_at_first, 2);
  EXPECT_EQ(exact.max_absolute, 1);
  EXPECT_EQ(exact.max_relative, 0.25);
  EXPECT_EQ(exact.max_ulp, 1u << 21) << "2 and 2.5; 100 and 101 are 1 << 17 apart";
  EXPECT_EQ(exact.nonfinite_expected, 0u);
  EXPECT_TRUE(std::isinf(exact.max_share)) << "nothing is tolerated";
  EXPECT_EQ(compared("float", actual, expected, {0.5, 0.125, false}).max_share, 0.5 / 0.75) << "of each its own";
  EXPECT_EQ(compared("float", actual, expected, {0.25, 0, false}).max_share, 4);
  EXPECT_EQ(compared("float", expected, expected, {}).max_share, 0);
  EXPECT_EQ(compared("float", actual, expected, {1e9, 1e9, false}).max_relative, 0.25) << "whatever is tolerated";
  EXPECT_EQ(compared("float", actual, expected, {0.5, 0, false}).mismatches, 1u);
  EXPECT_EQ(compared("float", actual, expected, {0.5, 0, false}).first, 2u);
  EXPECT_EQ(compared("float", actual, expected, {0, 0.01, false}).mismatches, 1u);
  EXPECT_EQ(compared("float", actual, expected, {0.5, 0.01, false}).mismatches, 0u);
  EXPECT_EQ(compared("float", actual, expected, {1, 0, false}).mismatches, 0u);
}

TEST_F(DataContract, TheFirstMismatchOfManyElementsIsFound) {
  constexpr std::size_t count = 100003;
  std::vector<float> expected(count);
  for (std::size_t i = 0; i < count; ++i) expected[i] = static_cast<float>(i % 1000);
  std::vector<float> actual = expected;
  actual[77777] += 0.5f;
  actual[99999] += 2.0f;
  actual[500] += 0.001f;
  const Comparison comparison = compared("float", actual, expected, {0.01, 0, false});
  EXPECT_EQ(comparison.mismatches, 2u);
  EXPECT_EQ(comparison.first, 77777u);
  EXPECT_EQ(comparison.max_relative, 2.0 / 999.0);
  const Array<float> a(device(), actual), e(device(), expected);
  const Comparison vectors =
      tools().inspect(CompareElements{a.data(), e.data(), "float4", count / 4, {0.01, 0, false}}).comparison;
  EXPECT_EQ(vectors.first, 77777u) << "the place of a component";
  EXPECT_EQ(vectors.mismatches, 2u);
  EXPECT_EQ(tools().inspect(CompareElements{a.data(), e.data(), "float", 0, {}}).comparison.mismatches, 0u);
}

TEST_F(DataContract, WhatIsNotFiniteMatchesItselfWhereThatIsAllowed) {
  constexpr float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> expected{inf, nan, 1, -inf, 2}, other{-inf, 1, nan, -inf, 2};
  EXPECT_EQ(compared("float", expected, expected, {0, 0, true}).mismatches, 0u);
  EXPECT_EQ(compared("float", other, expected, {1e30, 1e30, true}).mismatches, 3u);
  const Comparison strict = compared("float", expected, expected, {1e30, 1e30, false});
  EXPECT_EQ(strict.nonfinite_expected, 3u);
  EXPECT_EQ(strict.mismatches, 3u);
  EXPECT_EQ(strict.max_ulp, 0u);
  const Comparison far = compared("float", other, expected, {0, 0, true});
  EXPECT_TRUE(std::isinf(far.max_absolute) && std::isinf(far.max_relative));
  EXPECT_EQ(far.max_ulp, ~std::uint64_t{0});
}

TEST_F(DataContract, LargeIntegersAndPoisonedBooleansAreComparedExactly) {
  using Limits = std::numeric_limits<std::int64_t>;
  const std::vector<std::int64_t> expected{(1LL << 62) + 1, Limits::min()}, actual{(1LL << 62) + 2, Limits::max()};
  const Comparison exact = compared("int64", actual, expected, {});
  EXPECT_EQ(exact.mismatches, 2u);
  EXPECT_EQ(exact.max_absolute, 18446744073709551615.0);
  EXPECT_EQ(exact.max_ulp, 18446744073709551615u);
  EXPECT_EQ(compared("int64", actual, expected, {1, 0, false}).mismatches, 1u);
  EXPECT_EQ(compared("bool", Bytes(4, 0xFF), Bytes(4, 1), {}).mismatches, 4u);
}

TEST_F(DataContract, SubnormalNumbersAreNotFlushed) {
  const std::vector<float> actual{1.0f, 0.0f, 1e-45f, 7.0f}, expected{std::nextafter(1.0f, 2.0f), -0.0f, -1e-45f, 0.0f};
  const Comparison apart = compared("float", actual, expected, {9, 0, false});
  EXPECT_EQ(apart.max_relative, 2.0) << "of 1e-45; 7 against 0 is related to nothing";
  EXPECT_EQ(compared<float>("float", {1.0f, 0.0f, 1e-45f}, {expected[0], -0.0f, -1e-45f}, {1, 0, false}).max_ulp, 2u);
}

TEST_F(DataContract, IsComparedAlikeBitForBitForEveryType) {
  constexpr std::uint64_t count = 50'021;
  const auto bits = [](double value) { return data_ops::bits_of(value); };
  const auto same = [&](double x, double y) { return bits(x) == bits(y) || (std::isnan(x) && std::isnan(y)); };
  for (const TypeInfo& type : type_table()) {
    SCOPED_TRACE(type.name);
    const std::size_t bytes = count * type.size;
    for (const bool any_bits : {false, true}) {  // also what is not finite, subnormal, or no bool
      Array<unsigned char> a(device(), bytes), e(device(), bytes);
      const FillValues random = fill_of(FillKind::uniform, -1, 1, -5, 17, any_bits);
      tools().generate(a.data(), any_bits ? "uint8" : type.name, any_bits ? bytes : count, random, 1);
      tools().generate(e.data(), any_bits ? "uint8" : type.name, any_bits ? bytes : count, random, 2);
      for (const Tolerance& tolerance : {Tolerance{0, 0, false}, Tolerance{0.5, 0.25, true}}) {
        const Comparison here =
            tools().inspect(CompareElements{a.data(), e.data(), type.name, count, tolerance}).comparison;
        const Bytes actual = a.values(), expected = e.values();
        const Comparison there =
            inspect_on_host(CompareElements{actual.data(), expected.data(), type.name, count, tolerance}).comparison;
        EXPECT_EQ(here.mismatches, there.mismatches);
        EXPECT_EQ(here.first, there.first);
        EXPECT_TRUE(same(here.actual_at_first, there.actual_at_first));
        EXPECT_TRUE(same(here.expected_at_first, there.expected_at_first));
        EXPECT_EQ(bits(here.max_absolute), bits(there.max_absolute));
        EXPECT_EQ(bits(here.max_relative), bits(there.max_relative));
        EXPECT_EQ(bits(here.max_share), bits(there.max_share));
        EXPECT_EQ(here.max_ulp, there.max_ulp);
        EXPECT_EQ(here.nonfinite_expected, there.nonfinite_expected);
      }
    }
  }
}

TEST_F(DataContract, BytesThatDifferBetweenTwoArraysAreCounted) {
  constexpr std::size_t bytes = (1 << 20) + 5;
  Bytes host(bytes, 0xFF);  // NaN in every floating type
  Array<unsigned char> a(device(), host), b(device(), host);
  const auto differences = [&](std::size_t count) {
    return tools().inspect(CountDifferences{a.data(), b.data(), count}).count;
  };
  EXPECT_EQ(differences(bytes), 0u);
  for (const std::size_t place : {std::size_t{3}, std::size_t{4097}, std::size_t{4098}, bytes - 1}) host[place] = 1;
  b.write(host);
  EXPECT_EQ(differences(bytes), 4u);
  EXPECT_EQ(differences(bytes - 1), 3u);
  EXPECT_EQ(differences(3), 0u);
  EXPECT_EQ(differences(0), 0u);
  const auto* const shifted = static_cast<const unsigned char*>(b.data()) + 1;  // neither aligned nor alike
  EXPECT_EQ(tools().inspect(CountDifferences{a.data(), shifted, bytes - 1}).count, 4u);
  b.write(Bytes(bytes, 0));
  EXPECT_EQ(differences(bytes), bytes);
}

TEST_F(DataContract, BytesOtherThanOneValueAreCountedAndTheFirstIsFound) {
  constexpr std::size_t bytes = 1 << 20;
  Bytes host(bytes, 0xFF);
  Array<unsigned char> memory(device(), host);
  std::uint64_t first = 99;
  const auto others = [&](std::size_t from, std::size_t count) {
    const InspectionFinding found =
        tools().inspect(CountOtherBytes{static_cast<unsigned char*>(memory.data()) + from, count, 0xFF});
    first = found.first;
    return found.count;
  };
  EXPECT_EQ(others(0, bytes), 0u);
  host[4097] = 0;
  host[1000001] = 0xFE;
  memory.write(host);
  EXPECT_EQ(others(0, bytes), 2u);
  EXPECT_EQ(first, 4097u);
  EXPECT_EQ(others(3, 4095), 1u) << "neither aligned nor a multiple of 16 long";
  EXPECT_EQ(first, 4094u);
  EXPECT_EQ(others(3, 4094), 0u);
  EXPECT_EQ(others(3, 0), 0u);
}

TEST_F(DataContract, AChecksumIsTheSameEverywhereAndAnotherForAChangedByte) {
  const auto sum_of = [this](const Array<unsigned char>& array, std::size_t bytes) {
    return tools().inspect(Checksum{array.data(), bytes}).sum;
  };
  for (const std::size_t count :
       {std::size_t{1}, std::size_t{7}, std::size_t{8}, std::size_t{29}, std::size_t{100003}}) {
    Bytes bytes(count);
    for (std::size_t i = 0; i < count; ++i) bytes[i] = static_cast<unsigned char>(i * 37 + 11);
    const Array<unsigned char> array(device(), bytes);
    const std::uint64_t sum = sum_of(array, count);
    EXPECT_EQ(sum, inspect_on_host(Checksum{bytes.data(), count}).sum);
    std::set<std::uint64_t> sums{sum};
    std::size_t changes = 1;
    for (std::size_t i = 0; i < count; i += 1 + count / 5, ++changes) {
      Bytes changed = bytes;
      changed[i] ^= 1;
      const Array<unsigned char> other(device(), changed);
      sums.insert(sum_of(other, count));
    }
    EXPECT_EQ(sums.size(), changes) << count;
  }
  const Array<unsigned char> array(device(), Bytes{1, 0, 0, 0, 0, 0, 0, 0, 2}),
      swapped(device(), Bytes{2, 0, 0, 0, 0, 0, 0, 0, 1});
  EXPECT_NE(sum_of(array, 9), sum_of(swapped, 9));
  EXPECT_EQ(sum_of(array, 0), 0u);
}

TEST_F(DataContract, AnElementOfAVectorTypeIsWrongOnceHoweverManyOfItsComponentsAre) {
  const std::vector<float> expected(4000, 1.0f);
  std::vector<float> actual = expected;
  for (const std::size_t i : {5u, 6u, 7u, 2000u, 3999u}) actual[i] = 2;
  EXPECT_EQ(compared("float", actual, expected, {}).mismatches, 5u);
  const Array<float> a(device(), actual), e(device(), expected);
  EXPECT_EQ(tools().inspect(CompareElements{a.data(), e.data(), "float2", 2000, {}}).comparison.mismatches, 4u);
  EXPECT_EQ(tools().inspect(CompareElements{a.data(), e.data(), "float4", 1000, {}}).comparison.mismatches, 3u);
  std::vector<float> infinite = expected;
  for (const std::size_t i : {8u, 9u, 11u}) infinite[i] = std::numeric_limits<float>::infinity();
  const Array<float> never(device(), infinite);
  EXPECT_EQ(tools().inspect(CompareElements{a.data(), never.data(), "float4", 1000, {}}).comparison.nonfinite_expected,
            1u);
}

TEST_F(DataContract, InspectionsMadeAtOnceAreAnsweredInTheirOrderAndNoneTouchesAnother) {
  EXPECT_TRUE(tools().inspect(std::span<const Inspection>()).empty());
  std::vector<float> wrong(1000, 1.0f);
  wrong[7] = wrong[900] = 3;
  const Array<float> ones(device(), std::vector<float>(1000, 1.0f)), others(device(), wrong);
  for (const std::size_t times : {1, 20}) {  // room for results grows
    std::vector<Inspection> inspections;
    for (std::size_t i = 0; i < times; ++i) {
      inspections.emplace_back(CompareElements{others.data(), ones.data(), "float", 1000, {}});
      inspections.emplace_back(CountOtherBytes{ones.data(), 0, 0});
      inspections.emplace_back(CountOtherBytes{ones.data(), 4, 0});
      inspections.emplace_back(CountDifferences{ones.data(), others.data(), 32});
      inspections.emplace_back(Checksum{ones.data(), 0});
      inspections.emplace_back(CompareElements{ones.data(), ones.data(), "float", 1000, {}});
    }
    const std::vector<InspectionFinding> found = tools().inspect(inspections);
    ASSERT_EQ(found.size(), inspections.size());
    for (std::size_t i = 0; i < found.size(); i += 6) {
      EXPECT_EQ(found[i].comparison.mismatches, 2u);
      EXPECT_EQ(found[i].comparison.first, 7u);
      EXPECT_EQ(found[i].comparison.actual_at_first, 3.0);
      EXPECT_EQ(found[i].comparison.max_absolute, 2.0);
      EXPECT_EQ(found[i + 1].count, 0u);
      EXPECT_EQ(found[i + 2].count, 2u);  // of 00 00 80 3F
      EXPECT_EQ(found[i + 2].first, 2u);
      EXPECT_EQ(found[i + 3].count, 2u);  // 3F80 and 4040
      EXPECT_EQ(found[i + 4].sum, 0u);
      EXPECT_EQ(found[i + 5].comparison.mismatches, 0u);
    }
  }
}

}  // namespace
}  // namespace attune
