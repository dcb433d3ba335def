/*attune
[kernel]
name = "axpy"
summary = "y[i] = a * x[i] + y[i]"
deterministic = true
[problem]
n = { size = 268435456, host = 1048576 }
T = ["float", "double", "half", "bfloat16", "int32", "int64"]
[parameters]
BLOCK = [256, 128, 512, 1024]
VECTOR = [1, 2, 4, 8]                          # elements per access
ITEMS = [1, 2, 4, 8]                           # accesses in flight per thread, for each of x and y
CACHE = ["Cache::plain", "Cache::streaming"]
BLOCKS_PER_SM = [0, 2, 4, 8, 16, 32]           # launch only; 0: one tile per block, as many blocks as tiles
[restrictions]
rules = [
    "VECTOR * sizeof(T) <= 16",                # the widest access
    "VECTOR * ITEMS * sizeof(T) <= 64",        # x and y wait in registers: twice this
    "BLOCKS_PER_SM == 0 || (BLOCKS_PER_SM * BLOCK) in [1024, 2048, 4096]",  # half a wave of resident threads to two
]
[[launch]]
entry = "axpy<T, BLOCK, VECTOR, ITEMS, CACHE>"
grid = ["min(ceil_div(n, BLOCK * VECTOR * ITEMS), BLOCKS_PER_SM > 0 ? BLOCKS_PER_SM * device.multiprocessors : n)"]
block = ["BLOCK"]
arguments = ["y", "x", "a", "n"]
[arguments]
y = { type = "T", size = "n", role = "inout" }
x = { type = "T", size = "n", role = "in" }
a = { type = "T", fill = "3" }                 # exact in every T
n = { type = "int64" }
[[reference]]
entry = "axpy_reference<T>"
grid = ["min(ceil_div(n, 256), 2147483647)"]
block = ["256"]
arguments = ["y", "x", "a", "n"]
[check]
# |a x| <= 3 is rounded, by at most epsilon, where the compiler does not contract to a fused multiply-add; the sum, at
# most 4, is rounded in either case, and so is the reference's.
absolute = "T in ['int32', 'int64'] ? 0 : 4 * epsilon(T)"
relative = "T in ['int32', 'int64'] ? 0 : epsilon(T)"
[metrics]
bytes = "3 * n * sizeof(T)"
flops = "2 * n"
[[ladder]]
name = "in flight"
source = "V. Volkov, Better Performance at Lower Occupancy (2010): more accesses a thread instead of more threads"
problems = ["n=2**28 T=float"]
steps = [
    { name = "one element a thread", configuration = "BLOCK=256 VECTOR=1 ITEMS=1" },
    { name = "two elements", configuration = "BLOCK=256 VECTOR=1 ITEMS=2" },
    { name = "two vectors of two", configuration = "BLOCK=256 VECTOR=2 ITEMS=2" },
    { name = "blocks that stay", configuration = "BLOCK=256 VECTOR=4 ITEMS=2 BLOCKS_PER_SM=8" },
]
*/
#include "attune.cuh"

using attune::Accumulator;
using attune::Cache;
using attune::Pack;
using attune::Wide;

// Two streams are read, one is written, and a multiplication with an addition for every 12 bytes (float) is nothing:
// memory bounds it (S. Williams, A. Waterman and D. Patterson, Roofline, 2009). What counts is bytes in flight. By
// Little's law they are latency times rate, some 48 KiB per multiprocessor of an H200. A thread with one access in
// flight for each array leaves memory idle: 0.74 of the rate there.

template <typename T>
__device__ __forceinline__ T scaled_sum(T a, T x, T y) {
  using A = Accumulator<T>;
  return static_cast<T>(static_cast<A>(a) * static_cast<A>(x) + static_cast<A>(y));
}

// A block takes tiles of BLOCK * ITEMS packs, a grid's width apart. All loads of a tile are issued before the first
// store. A store that might alias the next load would stop the compiler from moving that load up. There is no
// __restrict__ here: x may be y itself.
template <typename T, int BLOCK, int VECTOR, int ITEMS, Cache CACHE>
__global__ void __launch_bounds__(BLOCK) axpy(T* y, const T* x, T a, long long n) {
  using P = Pack<T, VECTOR>;
  constexpr int TILE = BLOCK * VECTOR * ITEMS;
  const bool vectors = attune::aligned<P>(x) && attune::aligned<P>(y);

  for (long long start = static_cast<long long>(blockIdx.x) * TILE; start < n;
       start += static_cast<long long>(gridDim.x) * TILE) {
    if (vectors && n - start >= TILE) {
      const P* x_packs = reinterpret_cast<const P*>(x + start) + threadIdx.x;
      P* y_packs = reinterpret_cast<P*>(y + start) + threadIdx.x;
      P x_values[ITEMS], y_values[ITEMS];
#pragma unroll
      for (int item = 0; item < ITEMS; ++item) {
        x_values[item] = attune::load<CACHE>(x_packs + item * BLOCK);
        y_values[item] = attune::load<CACHE>(static_cast<const P*>(y_packs) + item * BLOCK);
      }
#pragma unroll
      for (int item = 0; item < ITEMS; ++item) {
#pragma unroll
        for (int k = 0; k < VECTOR; ++k) {
          y_values[item].element[k] = scaled_sum(a, x_values[item].element[k], y_values[item].element[k]);
        }
        attune::store<CACHE>(y_packs + item * BLOCK, y_values[item]);
      }
    } else {
      // The last tile, or pointers that an application has offset: element by element, still coalesced.
      const int left = static_cast<int>(n - start < TILE ? n - start : TILE);
      for (int i = static_cast<int>(threadIdx.x); i < left; i += BLOCK)
        y[start + i] = scaled_sum(a, x[start + i], y[start + i]);
    }
  }
}

template <typename T>
__global__ void axpy_reference(T* y, const T* x, T a, long long n) {
  using A = Accumulator<T>;  // the way from T to Wide<T>: half knows no double
  using W = Wide<T>;
  const long long stride = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += stride) {
    y[i] = static_cast<T>(W(A(a)) * W(A(x[i])) + W(A(y[i])));
  }
}
