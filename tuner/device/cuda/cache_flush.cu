// Reads memory through the L2 cache and writes nothing: what the cache held before makes room for clean lines.
namespace attune {

__global__ void read_all(const uint4* memory, unsigned long long chunks, unsigned never_found, unsigned* found) {
  const unsigned long long first = static_cast<unsigned long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  const unsigned long long stride = static_cast<unsigned long long>(gridDim.x) * blockDim.x;
  unsigned bits = 0;
#pragma unroll 8
  for (unsigned long long i = first; i < chunks; i += stride) {
    const uint4 words = __ldcg(memory + i);
    bits |= words.x | words.y | words.z | words.w;
  }
  if (bits == never_found) *found = bits;  // so that the reads are not left out
}

}  // namespace attune
