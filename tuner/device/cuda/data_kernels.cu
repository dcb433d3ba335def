// The kernels of Device::generate() and Device::inspect() on CUDA; results begin as zeros.
// data_ops.hpp has the element functions, which every device shares. One-dimensional blocks of whole warps, grids of any
// size.
#include "data_ops.hpp"
#include "data_result.hpp"

namespace attune {

using data_ops::u64;

__device__ inline u64 first_index() { return static_cast<u64>(blockIdx.x) * blockDim.x + threadIdx.x; }
__device__ inline u64 index_stride() { return static_cast<u64>(gridDim.x) * blockDim.x; }

// The sum over a warp, in its first lane.
__device__ inline u64 warp_sum(u64 value) {
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_down_sync(0xFFFFFFFFu, value, offset);
  return value;
}

// The largest of a warp, in its first lane.
__device__ inline u64 warp_max(u64 value) {
  for (int offset = 16; offset > 0; offset /= 2) {
    const u64 other = __shfl_down_sync(0xFFFFFFFFu, value, offset);
    if (other > value) value = other;
  }
  return value;
}

template <typename T>
__global__ void generate(T* target, u64 count, data_ops::FillPlan plan) {
  for (u64 i = first_index(); i < count; i += index_stride()) target[i] = data_ops::fill_element<T>(plan, i);
}

// `count` elements of so many components each. An element with a wrong component counts once.
template <typename T>
__global__ void compare(const T* actual, const T* expected, u64 count, unsigned components, double absolute,
                        double relative, int allow_nonfinite, InspectionResult* result) {
  u64 mismatches = 0, nonfinite = 0, first = ~0ULL;
  u64 max_absolute = 0, max_relative = 0, max_share = 0, max_ulp = 0;
  for (u64 element = first_index(); element < count; element += index_stride()) {
    bool is_right = true, is_finite = true;
    for (u64 i = element * components; i < (element + 1) * components; ++i) {
      const data_ops::ElementComparison one =
          data_ops::compare_element<T>(actual[i], expected[i], absolute, relative, allow_nonfinite != 0);
      const u64 error = data_ops::bits_of(one.error), relative_error = data_ops::bits_of(one.relative);
      const u64 share = data_ops::bits_of(one.share);
      if (error > max_absolute) max_absolute = error;
      if (relative_error > max_relative) max_relative = relative_error;
      if (share > max_share) max_share = share;
      if (one.ulp > max_ulp) max_ulp = one.ulp;
      if (one.nonfinite_expected) is_finite = false;
      if (!one.mismatch) continue;
      is_right = false;
      if (i < first) first = i;
    }
    if (!is_right) ++mismatches;
    if (!is_finite) ++nonfinite;
  }
  // Few elements are wrong, as a rule: the rare atomics of single threads cost nothing.
  if (mismatches != 0) atomicMax(&result->first_inverted, ~first);
  max_absolute = warp_max(max_absolute);
  max_relative = warp_max(max_relative);
  max_share = warp_max(max_share);
  max_ulp = warp_max(max_ulp);
  mismatches = warp_sum(mismatches);
  nonfinite = warp_sum(nonfinite);
  if (threadIdx.x % 32 != 0) return;
  if (max_absolute != 0) atomicMax(&result->max_absolute_bits, max_absolute);
  if (max_relative != 0) atomicMax(&result->max_relative_bits, max_relative);
  if (max_share != 0) atomicMax(&result->max_share_bits, max_share);
  if (max_ulp != 0) atomicMax(&result->max_ulp, max_ulp);
  if (mismatches != 0) atomicAdd(&result->count, mismatches);
  if (nonfinite != 0) atomicAdd(&result->nonfinite_expected, nonfinite);
}

// The values at the first mismatch; after compare(), by one thread.
template <typename T>
__global__ void report_first(const T* actual, const T* expected, InspectionResult* result) {
  if (result->first_inverted == 0) return;
  const u64 first = ~result->first_inverted;
  result->actual_at_first = data_ops::Element<T>::to_double(actual[first]);
  result->expected_at_first = data_ops::Element<T>::to_double(expected[first]);
}

__global__ void count_other_bytes(const unsigned char* memory, u64 bytes, int value, InspectionResult* result) {
  const unsigned pattern = static_cast<unsigned>(value & 0xFF) * 0x01010101u;
  const bool aligned = reinterpret_cast<u64>(memory) % sizeof(uint4) == 0;
  u64 others = 0, first = ~0ULL;
  const u64 chunks = (bytes + sizeof(uint4) - 1) / sizeof(uint4);
  for (u64 chunk = first_index(); chunk < chunks; chunk += index_stride()) {
    const u64 start = chunk * sizeof(uint4);
    const u64 end = start + sizeof(uint4) < bytes ? start + sizeof(uint4) : bytes;
    if (aligned && end - start == sizeof(uint4)) {
      const uint4 words = *reinterpret_cast<const uint4*>(memory + start);
      if (words.x == pattern && words.y == pattern && words.z == pattern && words.w == pattern) continue;
    }
    for (u64 i = start; i < end; ++i) {
      if (memory[i] == static_cast<unsigned char>(value)) continue;
      ++others;
      if (i < first) first = i;
    }
  }
  if (others == 0) return;
  atomicAdd(&result->count, others);
  atomicMax(&result->first_inverted, ~first);
}

__global__ void count_differences(const unsigned char* a, const unsigned char* b, u64 bytes, InspectionResult* result) {
  const bool aligned = (reinterpret_cast<u64>(a) | reinterpret_cast<u64>(b)) % sizeof(uint4) == 0;
  u64 differences = 0;
  const u64 chunks = (bytes + sizeof(uint4) - 1) / sizeof(uint4);
  for (u64 chunk = first_index(); chunk < chunks; chunk += index_stride()) {
    const u64 start = chunk * sizeof(uint4);
    const u64 end = start + sizeof(uint4) < bytes ? start + sizeof(uint4) : bytes;
    if (aligned && end - start == sizeof(uint4)) {
      const uint4 x = *reinterpret_cast<const uint4*>(a + start), y = *reinterpret_cast<const uint4*>(b + start);
      if (x.x == y.x && x.y == y.y && x.z == y.z && x.w == y.w) continue;
    }
    for (u64 i = start; i < end; ++i) differences += a[i] != b[i] ? 1 : 0;
  }
  differences = warp_sum(differences);
  if (threadIdx.x % 32 == 0 && differences != 0) atomicAdd(&result->count, differences);
}

// `memory` is aligned to 16 bytes. The last word is filled up with zeros.
__global__ void checksum(const unsigned char* memory, u64 bytes, InspectionResult* result) {
  u64 sum = 0;
  const u64 words = (bytes + sizeof(u64) - 1) / sizeof(u64), pairs = bytes / sizeof(ulonglong2);
  for (u64 pair = first_index(); pair < pairs; pair += index_stride()) {
    const ulonglong2 two = reinterpret_cast<const ulonglong2*>(memory)[pair];
    sum += data_ops::checksum_word(two.x, 2 * pair) + data_ops::checksum_word(two.y, 2 * pair + 1);
  }
  for (u64 place = 2 * pairs + first_index(); place < words; place += index_stride()) {
    u64 word = 0;
    for (u64 i = place * sizeof(u64); i < bytes && i < (place + 1) * sizeof(u64); ++i)
      word |= static_cast<u64>(memory[i]) << 8 * (i % sizeof(u64));
    sum += data_ops::checksum_word(word, place);
  }
  sum = warp_sum(sum);
  if (threadIdx.x % 32 == 0) atomicAdd(&result->count, sum);
}

}  // namespace attune
