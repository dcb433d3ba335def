/*attune
[kernel]
name = "copy"
summary = "out[i] = in[i]: what memory moves when as much is written as is read"
[problem]
n = { size = 268435456, host = 1048576 }
[parameters]
BLOCK = [1024, 512]
VECTOR = [4, 2]  # elements per access
ITEMS = [2, 4]   # accesses in flight per thread
[[launch]]
entry = "copy_words<BLOCK, VECTOR, ITEMS>"
grid = ["ceil_div(n, BLOCK * VECTOR * ITEMS)"]
block = ["BLOCK"]
arguments = ["out", "in", "n"]
[arguments]
out = { type = "uint32", size = "n", role = "out" }
in = { type = "uint32", size = "n", role = "in" }
n = { type = "int64" }
[[reference]]
entry = "copy_reference"
grid = ["ceil_div(n, 256)"]
block = ["256"]
arguments = ["out", "in", "n"]
[metrics]
bytes = "2 * n * sizeof(uint32)"
*/
#include "attune.cuh"

template <int BLOCK, int VECTOR, int ITEMS>
__global__ void __launch_bounds__(BLOCK) copy_words(unsigned* out, const unsigned* in, long long n) {
  using P = attune::Pack<unsigned, VECTOR>;
  constexpr int TILE = BLOCK * VECTOR * ITEMS;
  const long long start = static_cast<long long>(blockIdx.x) * TILE;
  if (n - start >= TILE && attune::aligned<P>(in) && attune::aligned<P>(out)) {
    const P* const from = reinterpret_cast<const P*>(in + start) + threadIdx.x;
    P* const to = reinterpret_cast<P*>(out + start) + threadIdx.x;
    P values[ITEMS];
#pragma unroll
    for (int item = 0; item < ITEMS; ++item) values[item] = attune::load<attune::Cache::plain>(from + item * BLOCK);
#pragma unroll
    for (int item = 0; item < ITEMS; ++item) attune::store<attune::Cache::plain>(to + item * BLOCK, values[item]);
  } else {
    const int left = static_cast<int>(n - start < TILE ? n - start : TILE);
    for (int i = static_cast<int>(threadIdx.x); i < left; i += BLOCK) out[start + i] = in[start + i];
  }
}

__global__ void copy_reference(unsigned* out, const unsigned* in, long long n) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i];
}
