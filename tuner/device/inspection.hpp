// What DataTools find out about a device's memory without copying it to the host. Plain values.
#pragma once

#include <cstdint>
#include <string_view>
#include <variant>

namespace attune {

// The result of comparing two arrays: the elements beyond the tolerance, and the largest differences, tolerated or not.
// Equal infinities, and any two NaN, have a difference of 0. Any other value that is not finite is infinitely far from
// its counterpart.
struct Comparison {
  std::uint64_t mismatches = 0;  // wrong elements; an element of a vector type counts once
  std::uint64_t first = 0;       // index of the first wrong component
  double actual_at_first = 0;
  double expected_at_first = 0;
  double max_absolute = 0;    // |actual - expected|
  double max_relative = 0;    // |actual - expected| / |expected|, without expected zeros whose actual is finite
  double max_share = 0;       // |actual - expected| / the tolerated difference; infinite if none is tolerated
  std::uint64_t max_ulp = 0;  // in units in the last place of the element type; integers: max_absolute, exactly
  std::uint64_t nonfinite_expected = 0;
};

struct Tolerance {
  double absolute = 0;
  double relative = 0;
  bool allow_nonfinite = false;  // equal infinities match, NaN matches NaN
  std::uint64_t differing = 0;   // elements that may be further away
};

// Compares `count` elements of a type, by its name.
struct CompareElements {
  const void* actual = nullptr;
  const void* expected = nullptr;
  std::string_view type;
  std::uint64_t count = 0;
  Tolerance tolerance;
};

// Counts the bytes that differ between two arrays: 0 when they are equal bit for bit, NaN or not.
struct CountDifferences {
  const void* a = nullptr;
  const void* b = nullptr;
  std::uint64_t bytes = 0;
};

// Counts the bytes other than `value`, and finds the first.
struct CountOtherBytes {
  const void* memory = nullptr;
  std::uint64_t bytes = 0;
  int value = 0;
};

// Computes a checksum (data_ops.hpp): equal bytes have the same sum on every device, a changed byte gives another sum,
// and no bytes give 0. `memory` is an address of Device::allocate().
struct Checksum {
  const void* memory = nullptr;
  std::uint64_t bytes = 0;
};

using Inspection = std::variant<CompareElements, CountDifferences, CountOtherBytes, Checksum>;

// The answer to an inspection.
struct InspectionFinding {
  Comparison comparison;    // of CompareElements
  std::uint64_t count = 0;  // of CountDifferences and CountOtherBytes
  std::uint64_t first = 0;  // of CountOtherBytes: the offset of the first other byte; 0 if there is none
  std::uint64_t sum = 0;    // of Checksum
};

}  // namespace attune
