// Empties the L2 cache of what kernels use, and writes nothing: what it held makes room for clean lines.
//
// Lines that loads asked to be evicted last outlive plain reads (docs/results/measurement.md). Only lines of the same
// kind push them out, and only where the cache has no others. So the flush fills the cache with its own lines of that
// kind, makes these plain, and then reads all else.
namespace attune {

template <bool EVICTED_LAST>
__device__ uint4 read(const uint4* from) {
#if __CUDA_ARCH__ >= 800  // below, no line of the L2 cache outlives others
  if constexpr (EVICTED_LAST) {
    unsigned long long policy;
    asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
    uint4 words;
    asm volatile("ld.global.cg.L2::cache_hint.v4.u32 {%0, %1, %2, %3}, [%4], %5;"
                 : "=r"(words.x), "=r"(words.y), "=r"(words.z), "=r"(words.w)
                 : "l"(from), "l"(policy));
    return words;
  }
#endif
  return __ldcg(from);
}

template <bool EVICTED_LAST>
__global__ void read_all(const uint4* memory, unsigned long long chunks, unsigned never_found, unsigned* found) {
  const unsigned long long first = static_cast<unsigned long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  const unsigned long long stride = static_cast<unsigned long long>(gridDim.x) * blockDim.x;
  unsigned bits = 0;
#pragma unroll 8
  for (unsigned long long i = first; i < chunks; i += stride) {
    const uint4 words = read<EVICTED_LAST>(memory + i);
    bits |= words.x | words.y | words.z | words.w;
  }
  if (bits == never_found) *found = bits;  // so that the reads are not left out
}

// Lines of 128 bytes.
__global__ void make_plain(const char* memory, unsigned long long lines) {
#if __CUDA_ARCH__ >= 800
  const unsigned long long first = static_cast<unsigned long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  const unsigned long long stride = static_cast<unsigned long long>(gridDim.x) * blockDim.x;
  for (unsigned long long i = first; i < lines; i += stride)
    asm volatile("applypriority.global.L2::evict_normal [%0], 128;" ::"l"(memory + i * 128) : "memory");
#endif
}

}  // namespace attune
