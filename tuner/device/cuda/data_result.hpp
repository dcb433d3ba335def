// The result of the kernels in data_kernels.cu that inspect memory: one layout for the host compiler and for NVRTC. It
// begins as zeros.
#pragma once

namespace attune {

struct InspectionResult {
  unsigned long long count;           // of elements or bytes; or the checksum
  unsigned long long first_inverted;  // all bits of the first one's place inverted, so that the largest is the first
  // Of doubles that are not negative: their bits are ordered like integers.
  unsigned long long max_absolute_bits;
  unsigned long long max_relative_bits;
  unsigned long long max_share_bits;
  unsigned long long max_ulp;
  unsigned long long nonfinite_expected;
  double actual_at_first;
  double expected_at_first;
};

}  // namespace attune
