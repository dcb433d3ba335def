/*attune
[kernel]
name = "read"
summary = "the sum of each 4096 elements: what memory delivers when next to nothing is written"
[problem]
n = { size = 268435456, host = 1048576 }
[parameters]
BLOCK = [1024, 256]
VECTOR = [4, 2]  # elements per access
ITEMS = [8, 4]   # accesses in flight per thread
[[launch]]
entry = "read_words<BLOCK, VECTOR, ITEMS>"
grid = ["ceil_div(ceil_div(n, 4096) * 32, BLOCK)"]
block = ["BLOCK"]
arguments = ["out", "in", "n"]
[arguments]
out = { type = "uint32", size = "ceil_div(n, 4096)", role = "out" }
in = { type = "uint32", size = "n", role = "in" }
n = { type = "int64" }
[[reference]]
entry = "read_reference"
grid = ["ceil_div(ceil_div(n, 4096), 64)"]
block = ["64"]
arguments = ["out", "in", "n"]
[metrics]
bytes = "n * sizeof(uint32)"
*/
#include "attune.cuh"

constexpr int CHUNK = 4096;  // elements that one warp adds up: their order does not matter, as the sum wraps
constexpr int WARP = 32;

template <int BLOCK, int VECTOR, int ITEMS>
__global__ void __launch_bounds__(BLOCK) read_words(unsigned* out, const unsigned* in, long long n) {
  using P = attune::Pack<unsigned, VECTOR>;
  const long long chunk = (static_cast<long long>(blockIdx.x) * BLOCK + threadIdx.x) / WARP;
  const long long start = chunk * CHUNK;
  if (start >= n) return;
  const int lane = static_cast<int>(threadIdx.x) % WARP;
  unsigned sum = 0;
  if (n - start >= CHUNK && attune::aligned<P>(in)) {
    const P* const from = reinterpret_cast<const P*>(in + start) + lane;
    for (int round = 0; round < CHUNK / (WARP * VECTOR * ITEMS); ++round) {
      P values[ITEMS];
#pragma unroll
      for (int item = 0; item < ITEMS; ++item)
        values[item] = attune::load<attune::Cache::plain>(from + (round * ITEMS + item) * WARP);
#pragma unroll
      for (int item = 0; item < ITEMS; ++item) {
#pragma unroll
        for (int k = 0; k < VECTOR; ++k) sum += values[item].element[k];
      }
    }
  } else {
    const int left = static_cast<int>(n - start < CHUNK ? n - start : CHUNK);
    for (int i = lane; i < left; i += WARP) sum += in[start + i];
  }
  for (int apart = WARP / 2; apart > 0; apart /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, apart);
  if (lane == 0) out[chunk] = sum;
}

__global__ void read_reference(unsigned* out, const unsigned* in, long long n) {
  const long long chunk = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (chunk * CHUNK >= n) return;
  unsigned sum = 0;
  for (long long i = chunk * CHUNK; i < n && i < (chunk + 1) * CHUNK; ++i) sum += in[i];
  out[chunk] = sum;
}
