/*attune
[kernel]
name = "dot"
summary = "out[0] = x[0] * y[0] + x[1] * y[1] + ... + x[n - 1] * y[n - 1]"
# Floating-point sums, where blocks add in a fixed order; integers are exact in any order.
deterministic = """T in ['int32', 'int64'] \
  || ALGORITHM in ['Algorithm::published', 'Algorithm::last_block', 'Algorithm::two_pass']"""
[problem]
n = { size = 268435456, host = 1048576 }
T = ["float", "double", "half", "bfloat16", "int32", "int64"]
[parameters]
BLOCK = [512, 128, 256, 1024]
LOAD = ["Load::registers", "Load::bulk"]
ITEMS = [2, 1, 4, 8]                           # accesses in flight per thread, for each of x and y
VECTOR = [4, 1, 2, 8]                          # elements per access
CACHE = ["Cache::plain", "Cache::streaming"]
STAGES = [4, 2, 6]                             # launch only: bulk loads in flight per block and array,
STAGE_KIB = [16, 4, 8, 32]                     # launch only: and their size
ALGORITHM = ["Algorithm::published", "Algorithm::zeroed", "Algorithm::ticketed", "Algorithm::last_block",
             "Algorithm::two_pass"]
BLOCKS_PER_SM = [4, 0, 1, 2, 8, 16, 32]        # launch only; 0: one tile per block, as many blocks as tiles
[values]
tile = "LOAD == 'Load::bulk' ? STAGE_KIB * 1024 / sizeof(T) : BLOCK * ITEMS * VECTOR"
blocks = "min(ceil_div(n, tile), BLOCKS_PER_SM > 0 ? BLOCKS_PER_SM * device.multiprocessors : n)"
in_flight = "2 * BLOCKS_PER_SM * STAGES * STAGE_KIB"  # KiB of bulk loads per multiprocessor
[restrictions]
rules = [
    "VECTOR * sizeof(T) <= 16",                # the widest access
    "LOAD == 'Load::bulk' || (ITEMS * VECTOR * sizeof(T)) in [16, 32, 64]",  # bytes in flight per thread and array
    "LOAD == 'Load::bulk' || BLOCK < 1024 || ITEMS * VECTOR * sizeof(T) <= 32",  # such a block has 64 registers a thread
    "LOAD == 'Load::bulk' || (STAGES == 4 && STAGE_KIB == 16)",
    # Bulk loads: shared memory is read by 16 bytes, and 96 to 192 KiB are in flight per multiprocessor.
    "LOAD == 'Load::registers' || device.compute_capability >= 90 || device.kind == 'host'",
    "LOAD == 'Load::registers' || (ITEMS == 2 && VECTOR * sizeof(T) == 16 && CACHE == 'Cache::plain')",
    "LOAD == 'Load::registers' || in_flight in [96, 128, 192]",
    "LOAD == 'Load::registers' || (in_flight + 2 * BLOCKS_PER_SM) * 1024 <= device.shared_per_multiprocessor",
    "BLOCKS_PER_SM == 0 || (BLOCKS_PER_SM * BLOCK >= 512 && BLOCKS_PER_SM * BLOCK <= 8192)",
    # What is added in one word, or waited for by one block, comes from few blocks.
    "BLOCKS_PER_SM > 0 || ALGORITHM in ['Algorithm::last_block', 'Algorithm::two_pass']",
    "ALGORITHM != 'Algorithm::zeroed' || T not in ['half', 'bfloat16']",
]
[[launch]]
entry = "dot<T, BLOCK, LOAD, ITEMS, VECTOR, CACHE, ALGORITHM>"
grid = ["blocks"]
block = ["BLOCK"]
shared = "LOAD == 'Load::bulk' ? 2 * STAGES * STAGE_KIB * 1024 : 0"
arguments = ["out", "x", "y", "n", "words", "ticket", "stages", "stage_bytes"]
[[launch]]
entry = "dot_words<T>"
when = "ALGORITHM == 'Algorithm::two_pass'"
grid = ["1"]
block = ["1024"]
arguments = ["out", "words", "count"]
[arguments]
out = { type = "T", size = "1", role = "out" }
x = { type = "T", size = "n", role = "in" }    # integers over their full range: products and sums wrap
y = { type = "T", size = "n", role = "in" }
n = { type = "int64" }
# 8 bytes for the sum of each block, whatever its type, or 16; and how many of them step two reads
words = { type = "uint64", size = "blocks * (ALGORITHM == 'Algorithm::published' ? 2 : 1)", role = "scratch" }
count = { type = "int64", value = "blocks" }
ticket = { type = "uint32", size = "1", role = "scratch" }
stages = { type = "int32", value = "STAGES" }
stage_bytes = { type = "int32", value = "STAGE_KIB * 1024" }
reference_partials = { type = "uint64", size = "16384", role = "scratch" }
[[reference]]
entry = "dot_reference<T>"
grid = ["64"]
block = ["256"]
arguments = ["reference_partials", "x", "y", "n"]
[[reference]]
entry = "dot_reference_total<T>"
grid = ["1"]
block = ["1"]
arguments = ["out", "reference_partials"]
[check]
# As in reduce.cu. Products of two out of uniform(-1, 1) have a deviation of 1 / 3, so partial sums walk like sqrt(i) / 3
# and a chain of k additions ends up with 0.07 epsilon sqrt(n k). Six deviations, and 8 for the trees and the rounding
# of products: 0.004 at n = 2^20, 0.29 at 2^28, where a lost element makes 0.25.
absolute = """T in ['int32', 'int64'] ? 0 : (T == 'double' ? epsilon(double) : epsilon(float)) \
  * sqrt(n / 3.0) * (8 + sqrt(n / 4096 + min(n / 512, 8192)))"""
relative = "T in ['half', 'bfloat16'] ? epsilon(T) : 0"  # they add in float and are rounded once, at the end
[metrics]
bytes = "2 * n * sizeof(T)"
flops = "2 * n"
[[ladder]]
name = "in flight"
source = "the order of M. Harris, Optimizing Parallel Reduction in CUDA (2007), for two arrays"
problems = ["n=2**24 T=float", "n=2**28 T=float"]
steps = [
    { name = "four elements a thread", configuration = """BLOCK=256 LOAD=Load::registers ITEMS=4 VECTOR=1 \
      ALGORITHM=Algorithm::two_pass BLOCKS_PER_SM=0""" },
    { name = "as one vector", configuration = """BLOCK=256 LOAD=Load::registers ITEMS=1 VECTOR=4 \
      ALGORITHM=Algorithm::two_pass BLOCKS_PER_SM=0""" },
    { name = "blocks that stay", configuration = """BLOCK=256 LOAD=Load::registers ITEMS=1 VECTOR=4 \
      ALGORITHM=Algorithm::two_pass BLOCKS_PER_SM=8""" },
    { name = "two vectors in flight", configuration = """BLOCK=512 LOAD=Load::registers ITEMS=2 VECTOR=4 \
      ALGORITHM=Algorithm::two_pass BLOCKS_PER_SM=4""" },
    { name = "one launch", configuration = """BLOCK=512 LOAD=Load::registers ITEMS=2 VECTOR=4 \
      ALGORITHM=Algorithm::published BLOCKS_PER_SM=4""" },
]
*/
#include "attune.cuh"
#include "attune_access.cuh"
#include "attune_bulk.cuh"
#include "attune_combine.cuh"
#include "attune_operators.cuh"

using attune::Accumulator;
using attune::Algorithm;
using attune::Cache;
using attune::Op;
using attune::Pack;
using attune::Wide;

// A sum of products does one multiplication and one addition for every 8 bytes (float) that it reads. That is three
// orders of magnitude below what a GPU could compute in that time (S. Williams, A. Waterman and D. Patterson, Roofline,
// 2009). So only reading counts. By Little's law the bytes in flight are latency times rate: some 48 KiB per
// multiprocessor of an H200. With two arrays each thread needs but half as many accesses per array.

/// How a block reads: by threads, each with ITEMS accesses in flight per array; or by copies of kilobytes into shared
/// memory, which one thread issues ahead (sm_90).
enum class Load { registers, bulk };

template <typename T>
__device__ __forceinline__ Accumulator<T> product(T x, T y) {
  return static_cast<Accumulator<T>>(x) * static_cast<Accumulator<T>>(y);
}

template <typename T, int N>
__device__ __forceinline__ Accumulator<T> pack_sum(const Pack<T, N>& x, const Pack<T, N>& y) {
  Accumulator<T> sum = product(x.element[0], y.element[0]);
#pragma unroll
  for (int i = 1; i < N; ++i) sum += product(x.element[i], y.element[i]);
  return sum;
}

// The products of `count` elements, one by one. Unrolled, this loop would cost a third of the compile time.
template <int BLOCK, typename T>
__device__ __forceinline__ Accumulator<T> sum_of_elements(const T* x, const T* y, int count) {
  Accumulator<T> sum = 0;
#pragma unroll 1
  for (int i = static_cast<int>(threadIdx.x); i < count; i += BLOCK) sum += product(x[i], y[i]);
  return sum;
}

// The tiles of this block, as far as this thread loads them. Both arrays' loads are under way before the first is
// waited for.
template <int BLOCK, int ITEMS, int VECTOR, Cache CACHE, typename T>
__device__ __forceinline__ Accumulator<T> sum_by_registers(const T* x, const T* y, long long n) {
  using P = Pack<T, VECTOR>;
  constexpr int TILE = BLOCK * ITEMS * VECTOR;
  const bool by_packs = attune::aligned<P>(y);
  Accumulator<T> sum = 0;
  for (long long start = static_cast<long long>(blockIdx.x) * TILE; start < n;
       start += static_cast<long long>(gridDim.x) * TILE) {
    if (by_packs && n - start >= TILE) {
      const P* const of_x = reinterpret_cast<const P*>(x + start) + threadIdx.x;
      const P* const of_y = reinterpret_cast<const P*>(y + start) + threadIdx.x;
      P xs[ITEMS], ys[ITEMS];
#pragma unroll
      for (int item = 0; item < ITEMS; ++item) {
        xs[item] = attune::load<CACHE>(of_x + item * BLOCK);
        ys[item] = attune::load<CACHE>(of_y + item * BLOCK);
      }
      Accumulator<T> of_tile = pack_sum(xs[0], ys[0]);  // apart from `sum`: shorter chains of roundings
#pragma unroll
      for (int item = 1; item < ITEMS; ++item) of_tile += pack_sum(xs[item], ys[item]);
      sum += of_tile;
    } else {
      sum += sum_of_elements<BLOCK>(x + start, y + start, static_cast<int>(n - start < TILE ? n - start : TILE));
    }
  }
  return sum;
}

// Both arrays begin at a multiple of 16 bytes; n is a multiple of a pack.
template <int BLOCK, typename T>
__device__ __forceinline__ Accumulator<T> sum_by_bulk(const T* x, const T* y, long long n, int stages,
                                                      int stage_bytes) {
  constexpr int VECTOR = 16 / sizeof(T);
  const int4* const arrays[] = {reinterpret_cast<const int4*>(x), reinterpret_cast<const int4*>(y)};
  Accumulator<T> sum = 0;
  attune::for_each_bulk_tile(arrays, n / VECTOR, stages, stage_bytes,
                                    [&](const int4* tile, int stride, int count) {
                                      const auto* const xs = reinterpret_cast<const Pack<T, VECTOR>*>(tile);
                                      Accumulator<T> of_tile = 0;
#pragma unroll 4
                                      for (int i = static_cast<int>(threadIdx.x); i < count; i += BLOCK)
                                        of_tile += pack_sum(xs[i], xs[stride + i]);
                                      sum += of_tile;
                                    });
  return sum;
}

// The sum over this block, as far as this thread forms it.
template <int BLOCK, Load LOAD, int ITEMS, int VECTOR, Cache CACHE, typename T>
__device__ __forceinline__ Accumulator<T> thread_sum(const T* x, const T* y, long long n, int stages, int stage_bytes) {
  const int head = attune::length_of_head<VECTOR>(x, n);  // where the packs of y lie elsewhere, y is read by elements
  Accumulator<T> sum = blockIdx.x == 0 ? sum_of_elements<BLOCK>(x, y, head) : Accumulator<T>(0);
  x += head;
  y += head;
  n -= head;
  if constexpr (LOAD == Load::bulk) {
    if (attune::aligned<Pack<T, VECTOR>>(y)) {
      const int tail = static_cast<int>(n % VECTOR);
      n -= tail;
      if (blockIdx.x == 0) sum += sum_of_elements<BLOCK>(x + n, y + n, tail);
      return sum + sum_by_bulk<BLOCK>(x, y, n, stages, stage_bytes);
    }
  }
  return sum + sum_by_registers<BLOCK, ITEMS, VECTOR, CACHE>(x, y, n);
}

template <typename T, int BLOCK, Load LOAD, int ITEMS, int VECTOR, Cache CACHE, Algorithm ALGORITHM>
__global__ void __launch_bounds__(BLOCK) dot(T* out, const T* x, const T* y, long long n, unsigned long long* words,
                                             unsigned* ticket, int stages, int stage_bytes) {
  using O = attune::Operator<Op::sum, T>;
  using A = Accumulator<T>;
  __shared__ A cell[32];
  if constexpr (ALGORITHM == Algorithm::zeroed) {
    static_assert(sizeof(T) == sizeof(A), "no atomic addition for this type: use another algorithm");
    attune::zero_output<BLOCK>(reinterpret_cast<A*>(out), ticket);
  }
  A sum = thread_sum<BLOCK, LOAD, ITEMS, VECTOR, CACHE>(x, y, n, stages, stage_bytes);
  if constexpr (ALGORITHM == Algorithm::zeroed) attune::wait_for_zero(ticket);
  sum = attune::combine_block<O, BLOCK>(sum, cell);
  if constexpr (ALGORITHM == Algorithm::zeroed) {
    attune::add_to_output(reinterpret_cast<A*>(out), sum, ticket);
  } else {
    if (attune::combine_grid<ALGORITHM, Op::sum, T, BLOCK>(sum, words, ticket, cell)) out[0] = O::to_element(sum);
  }
}

template <typename T>
__global__ void __launch_bounds__(1024) dot_words(T* out, const unsigned long long* words, long long count) {
  using O = attune::Operator<Op::sum, T>;
  __shared__ Accumulator<T> cell[32];
  const auto sum = attune::combine_words<O, 1024>(words, count, cell);
  if (threadIdx.x == 0) out[0] = O::to_element(sum);
}

// The reference: 16384 threads add a strided share each, then one thread adds the shares. No barrier, nothing shared.
template <typename T>
__global__ void dot_reference(Wide<T>* partials, const T* x, const T* y, long long n) {
  using A = Accumulator<T>;
  Wide<T> sum = 0;
  for (long long i = blockIdx.x * 256 + threadIdx.x; i < n; i += 16384)
    sum += static_cast<Wide<T>>(static_cast<A>(x[i])) * static_cast<Wide<T>>(static_cast<A>(y[i]));
  partials[blockIdx.x * 256 + threadIdx.x] = sum;
}

template <typename T>
__global__ void dot_reference_total(T* out, const Wide<T>* partials) {
  Wide<T> sum = 0;
  for (int i = 0; i < 16384; ++i) sum += partials[i];
  out[0] = static_cast<T>(sum);
}
