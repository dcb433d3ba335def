// The results of the kernels in data_kernels.cu: one layout for the host compiler and for NVRTC.
#pragma once

namespace attune {

struct ComparisonResult {
  unsigned long long mismatches;
  unsigned long long first;  // all ones: none
  // Of doubles that are not negative: their bits are ordered like integers.
  unsigned long long max_absolute_bits;
  unsigned long long max_relative_bits;
  unsigned long long max_ulp;
  unsigned long long nonfinite_expected;
  double actual_at_first;
  double expected_at_first;
};

struct ByteCountResult {
  unsigned long long others;
  unsigned long long first;  // all ones: none
};

}  // namespace attune
