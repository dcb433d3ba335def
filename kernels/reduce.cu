/*attune
[kernel]
name = "reduce"
summary = "out[0] = in[0] + in[1] + ... + in[n - 1], or their minimum or maximum"
# Floating-point sums, where blocks add in a fixed order; all else is exact in any order.
deterministic = """OP != 'Op::sum' || T in ['int32', 'int64'] \
  || ALGORITHM in ['Algorithm::published', 'Algorithm::last_block', 'Algorithm::two_pass']"""
[problem]
n = { size = 268435456, host = 1048576 }
T = ["float", "double", "half", "bfloat16", "int32", "int64"]
OP = { choice = ["Op::sum", "Op::min", "Op::max"] }
[parameters]
VARIANT = [6, 0, 1, 2, 3, 4, 5]                # the step of the ladder, below
BLOCK = [512, 128, 256, 1024]
LOAD = ["Load::registers", "Load::bulk"]
ITEMS = [4, 1, 2, 8, 16]                       # accesses in flight per thread
VECTOR = [4, 1, 2, 8]                          # elements per access
CACHE = ["Cache::plain", "Cache::streaming"]
STAGES = [4, 2, 6]                             # launch only: bulk loads in flight per block,
STAGE_KIB = [32, 8, 16, 64]                    # launch only: and their size
WARP = ["Warp::all_shuffle", "Warp::last_shuffle", "Warp::shared"]
ALGORITHM = ["Algorithm::published", "Algorithm::zeroed", "Algorithm::ticketed", "Algorithm::last_block",
             "Algorithm::two_pass", "Algorithm::atomic"]
BLOCKS_PER_SM = [4, 0, 1, 2, 8, 16, 32]        # launch only; 0: one tile per block, as many blocks as tiles
[values]
tile = "LOAD == 'Load::bulk' ? STAGE_KIB * 1024 / sizeof(T) : BLOCK * ITEMS * VECTOR"
blocks = "min(ceil_div(n, tile), BLOCKS_PER_SM > 0 ? BLOCKS_PER_SM * device.multiprocessors : n)"
in_flight = "BLOCKS_PER_SM * STAGES * STAGE_KIB"  # KiB of bulk loads per multiprocessor
[restrictions]
rules = [
    # Steps 0 to 5 choose no more than the originals: one element per thread, then two.
    "VARIANT == 6 || ITEMS == (VARIANT < 3 ? 1 : 2)",
    "VARIANT == 6 || (VECTOR == 1 && LOAD == 'Load::registers' && CACHE == 'Cache::plain' && BLOCKS_PER_SM == 0)",
    "VARIANT == 6 || WARP == 'Warp::shared' || (VARIANT >= 4 && WARP == 'Warp::last_shuffle')",
    "VECTOR * sizeof(T) <= 16",                # the widest access
    "VARIANT < 6 || LOAD == 'Load::bulk' || (ITEMS * VECTOR * sizeof(T)) in [16, 32, 64, 128]",  # in flight per thread
    "LOAD == 'Load::bulk' || (STAGES == 4 && STAGE_KIB == 32)",
    # Bulk loads: shared memory is read by 16 bytes, and 96 to 192 KiB are in flight per multiprocessor.
    "LOAD == 'Load::registers' || device.compute_capability >= 90 || device.kind == 'host'",
    "LOAD == 'Load::registers' || (ITEMS == 4 && VECTOR * sizeof(T) == 16 && CACHE == 'Cache::plain')",
    "LOAD == 'Load::registers' || WARP == 'Warp::all_shuffle'",
    "LOAD == 'Load::registers' || in_flight in [96, 128, 192]",
    "LOAD == 'Load::registers' || (in_flight + 2 * BLOCKS_PER_SM) * 1024 <= device.shared_per_multiprocessor",
    "BLOCKS_PER_SM == 0 || (BLOCKS_PER_SM * BLOCK >= 512 && BLOCKS_PER_SM * BLOCK <= 8192)",
    # What is added in one word, or waited for by one block, comes from few blocks.
    "BLOCKS_PER_SM > 0 || ALGORITHM in ['Algorithm::last_block', 'Algorithm::two_pass']",
    "ALGORITHM not in ['Algorithm::zeroed', 'Algorithm::atomic'] || (OP == 'Op::sum' && T not in ['half', 'bfloat16'])",
]
[[launch]]
memset = "out"
value = 0
when = "ALGORITHM == 'Algorithm::atomic'"
[[launch]]
entry = "reduce<T, OP, VARIANT, BLOCK, LOAD, ITEMS, VECTOR, CACHE, WARP, ALGORITHM>"
grid = ["blocks"]
block = ["BLOCK"]
shared = "LOAD == 'Load::bulk' ? STAGES * STAGE_KIB * 1024 : 0"
arguments = ["out", "in", "n", "words", "ticket", "stages", "stage_bytes"]
[[launch]]
entry = "reduce_words<T, OP>"
when = "ALGORITHM == 'Algorithm::two_pass'"
grid = ["1"]
block = ["1024"]
arguments = ["out", "words", "count"]
[arguments]
out = { type = "T", size = "1", role = "out" }
in = { type = "T", size = "n", role = "in" }   # integers over their full range: sums wrap
n = { type = "int64" }
# 8 bytes for the value of each block, whatever its type, or 16; and how many of them step two reads
words = { type = "uint64", size = "blocks * (ALGORITHM == 'Algorithm::published' ? 2 : 1)", role = "scratch" }
count = { type = "int64", value = "blocks" }
ticket = { type = "uint32", size = "1", role = "scratch" }
stages = { type = "int32", value = "STAGES" }
stage_bytes = { type = "int32", value = "STAGE_KIB * 1024" }
reference_partials = { type = "uint64", size = "16384", role = "scratch" }
[[reference]]
entry = "reduce_reference<T, OP>"
grid = ["64"]
block = ["256"]
arguments = ["reference_partials", "in", "n"]
[[reference]]
entry = "reduce_reference_total<T, OP>"
grid = ["1"]
block = ["1"]
arguments = ["out", "reference_partials"]
[check]
# Minimum, maximum and integers are exact.
# A serial chain of k additions in a sum of n numbers out of uniform(-1, 1) ends up with a rounding error of standard
# deviation 0.12 epsilon sqrt(n k), as partial sums walk like sqrt(i / 3) and each is rounded. The chains: a thread's
# tiles (n / 4096 on the smallest device), the blocks' atomics (n / 512, at most 32 on 256 multiprocessors). Six
# deviations, and 8 for the trees: 0.007 at n = 2^20, 0.5 at 2^28, where a lost element makes 0.58.
absolute = """OP != 'Op::sum' || T in ['int32', 'int64'] ? 0 : (T == 'double' ? epsilon(double) : epsilon(float)) \
  * sqrt(n) * (8 + sqrt(n / 4096 + min(n / 512, 8192)))"""
relative = "OP == 'Op::sum' && T in ['half', 'bfloat16'] ? epsilon(T) : 0"  # they add in float: rounded once, at the end
[metrics]
bytes = "n * sizeof(T)"
flops = "n"
[[ladder]]
name = "harris"
source = "M. Harris, Optimizing Parallel Reduction in CUDA (2007): 2^22 integers on a GeForce 8800 GTX"
problems = ["n=2**22 T=int32"]
steps = [
    { name = "interleaved, divergent", published = "8.054 ms", configuration = """VARIANT=0 BLOCK=128 ITEMS=1 VECTOR=1 \
      WARP=Warp::shared CACHE=Cache::plain ALGORITHM=Algorithm::two_pass BLOCKS_PER_SM=0""" },
    { name = "interleaved, bank conflicts", published = "3.456 ms", configuration = """VARIANT=1 BLOCK=128 ITEMS=1 \
      VECTOR=1 WARP=Warp::shared CACHE=Cache::plain ALGORITHM=Algorithm::two_pass BLOCKS_PER_SM=0""" },
    { name = "sequential", published = "1.722 ms", configuration = """VARIANT=2 BLOCK=128 ITEMS=1 VECTOR=1 \
      WARP=Warp::shared CACHE=Cache::plain ALGORITHM=Algorithm::two_pass BLOCKS_PER_SM=0""" },
    { name = "first add while loading", published = "0.965 ms", configuration = """VARIANT=3 BLOCK=128 ITEMS=2 VECTOR=1 \
      WARP=Warp::shared CACHE=Cache::plain ALGORITHM=Algorithm::two_pass BLOCKS_PER_SM=0""" },
    { name = "last warp unrolled", published = "0.536 ms", configuration = """VARIANT=4 BLOCK=128 ITEMS=2 VECTOR=1 \
      WARP=Warp::shared CACHE=Cache::plain ALGORITHM=Algorithm::two_pass BLOCKS_PER_SM=0""" },
    { name = "tree unrolled", published = "0.381 ms", configuration = """VARIANT=5 BLOCK=128 ITEMS=2 VECTOR=1 \
      WARP=Warp::shared CACHE=Cache::plain ALGORITHM=Algorithm::two_pass BLOCKS_PER_SM=0""" },
    { name = "many elements per thread", published = "0.268 ms", configuration = """VARIANT=6 BLOCK=128 ITEMS=8 VECTOR=1 \
      WARP=Warp::shared CACHE=Cache::plain ALGORITHM=Algorithm::two_pass BLOCKS_PER_SM=8""" },
]
*/
#include "attune.cuh"
#include "attune_access.cuh"
#include "attune_bulk.cuh"
#include "attune_combine.cuh"
#include "attune_operators.cuh"

using attune::Algorithm;
using attune::Cache;
using attune::Op;
using attune::Operator;
using attune::Pack;
using attune::Wide;

// Mark Harris's ladder, "Optimizing parallel reduction in CUDA", made legal on GPUs whose warps do not run in lockstep
// (Volta and later): __syncwarp or shuffles where the original relied on volatile.
//   0  interleaved pairs, chosen by tid % (2 s): every warp diverges
//   1  interleaved pairs, chosen by index: no divergence, but bank conflicts
//   2  sequential addressing: no conflicts either
//   3  two elements per thread, added while loading: no thread idles from the start
//   4  the last warp unrolled, with no block-wide barriers
//   5  the whole tree unrolled
//   6  many elements per thread, and as many blocks as fill the device
//
// An addition for every 4 bytes (float) is nothing, so reading bounds a sum (S. Williams, A. Waterman and D. Patterson,
// Roofline, 2009). Large arrays are read at the memory's rate by any of several configurations. Small ones are bound by
// what comes before and after: 3.4 us of a launch, and 1 us until all blocks' sums are together.

/// How the last 32 values of a block are combined: by shared memory with __syncwarp, or by shuffles. With all_shuffle every warp
/// combines its own values by shuffles first, and there is no tree in shared memory at all.
enum class Warp { shared, last_shuffle, all_shuffle };

// In thread 0: the result over the first warp, which alone calls this. `cell` has room for two warps.
template <typename O, Warp WARP, typename V>
__device__ __forceinline__ V combine_last_warp(V value, V* cell) {
  if constexpr (WARP == Warp::last_shuffle) {
    return attune::combine_warp<O>(value);
  } else {
#pragma unroll
    for (int s = 16; s > 0; s /= 2) {
      cell[threadIdx.x] = value;
      __syncwarp();
      value = O::combine(value, cell[threadIdx.x + s]);  // what lanes from s on make is not used
      __syncwarp();
    }
    return value;
  }
}

// In thread 0: the result over the block, by a tree. `cell`, in shared memory, holds one value per thread.
template <typename O, int VARIANT, int BLOCK, Warp WARP, typename V>
__device__ __forceinline__ V combine_by_tree(V value, V* cell) {
  const int tid = static_cast<int>(threadIdx.x);
  cell[tid] = value;
  __syncthreads();
  if constexpr (VARIANT <= 1) {
#pragma unroll 1
    for (int s = 1; s < BLOCK; s *= 2) {
      const int index = VARIANT == 0 ? tid : 2 * s * tid;
      if (VARIANT == 0 ? tid % (2 * s) == 0 : index < BLOCK) cell[index] = O::combine(cell[index], cell[index + s]);
      __syncthreads();
    }
  } else {
    constexpr int LAST = VARIANT >= 4 ? 32 : 0;  // this stride, and those below it, are left to the last warp
#pragma unroll(VARIANT >= 5 ? 8 : 1)
    for (int s = BLOCK / 2; s > LAST; s /= 2) {
      if (tid < s) cell[tid] = O::combine(cell[tid], cell[tid + s]);
      __syncthreads();
    }
    if constexpr (LAST > 0)
      return tid < LAST ? combine_last_warp<O, WARP>(O::combine(cell[tid], cell[tid + LAST]), cell) : value;
  }
  return cell[0];
}

// In thread 0: the result over the block, by a tree or by shuffles alone.
template <typename O, int VARIANT, int BLOCK, Warp WARP, typename V>
__device__ __forceinline__ V combine_threads(V value, V* cell) {
  if constexpr (WARP == Warp::all_shuffle) {
    return attune::combine_block<O, BLOCK>(value, cell);
  } else {
    return combine_by_tree<O, VARIANT, BLOCK, WARP>(value, cell);
  }
}

/// How a block reads: by threads, each with ITEMS accesses in flight; or by copies of kilobytes into shared memory,
/// which one thread issues ahead (sm_90).
enum class Load { registers, bulk };

// Block 0 combines the elements before the first whole pack. `in` and `n` become those of the rest.
template <typename O, int VECTOR, typename T>
__device__ __forceinline__ typename O::Value combine_head(const T*& in, long long& n) {
  const int head = attune::length_of_head<VECTOR>(in, n);
  const bool is_mine = blockIdx.x == 0 && static_cast<int>(threadIdx.x) < head;
  const auto value = is_mine ? O::from(in[threadIdx.x]) : O::identity();
  in += head;
  n -= head;
  return value;
}

template <typename O, typename T, int N>
__device__ __forceinline__ typename O::Value combine_pack(const Pack<T, N>& pack) {
  typename O::Value value = O::from(pack.element[0]);
#pragma unroll
  for (int i = 1; i < N; ++i) value = O::combine(value, O::from(pack.element[i]));
  return value;
}

// Combines the tiles of this block, as far as this thread loads them. Steps 0 to 5 are given one tile per block.
template <typename O, int BLOCK, int ITEMS, int VECTOR, Cache CACHE, typename T>
__device__ __forceinline__ typename O::Value combine_by_registers(const T* in, long long n) {
  using P = Pack<T, VECTOR>;
  constexpr int TILE = BLOCK * ITEMS * VECTOR;
  auto value = combine_head<O, VECTOR>(in, n);
  for (long long start = static_cast<long long>(blockIdx.x) * TILE; start < n;
       start += static_cast<long long>(gridDim.x) * TILE) {
    const int left = static_cast<int>(n - start < TILE ? n - start : TILE), tid = static_cast<int>(threadIdx.x);
    const P* packs = reinterpret_cast<const P*>(in + start) + threadIdx.x;
    P items[ITEMS];  // all loads are under way before the first is waited for
#pragma unroll
    for (int item = 0; item < ITEMS; ++item)
      if (left == TILE || tid + item * BLOCK < left / VECTOR) items[item] = attune::load<CACHE>(packs + item * BLOCK);
    if (tid < left % VECTOR) value = O::combine(value, O::from(in[n - left % VECTOR + tid]));
    auto of_tile = O::identity();  // apart from `value`: shorter chains of roundings
#pragma unroll
    for (int item = 0; item < ITEMS; ++item)
      if (left == TILE || tid + item * BLOCK < left / VECTOR)
        of_tile = O::combine(of_tile, combine_pack<O>(items[item]));
    value = O::combine(value, of_tile);
  }
  return value;
}

// The last few elements, less than a pack, are block 0's.
template <typename O, int BLOCK, typename T>
__device__ __forceinline__ typename O::Value combine_by_bulk(const T* in, long long n, int stages, int stage_bytes) {
  constexpr int VECTOR = 16 / sizeof(T);
  auto value = combine_head<O, VECTOR>(in, n);
  const int tid = static_cast<int>(threadIdx.x);
  if (blockIdx.x == 0 && tid < n % VECTOR) value = O::combine(value, O::from(in[n / VECTOR * VECTOR + tid]));
  const int4* const arrays[] = {reinterpret_cast<const int4*>(in)};
  attune::for_each_bulk_tile(arrays, n / VECTOR, stages, stage_bytes, [&](const int4* tile, int, int count) {
    const auto* const items = reinterpret_cast<const Pack<T, VECTOR>*>(tile);
    auto of_tile = O::identity();
#pragma unroll 4
    for (int i = tid; i < count; i += BLOCK) of_tile = O::combine(of_tile, combine_pack<O>(items[i]));
    value = O::combine(value, of_tile);
  });
  return value;
}

template <typename T, Op OP, int VARIANT, int BLOCK, Load LOAD, int ITEMS, int VECTOR, Cache CACHE, Warp WARP,
          Algorithm ALGORITHM>
__global__ void __launch_bounds__(BLOCK)
    reduce(T* out, const T* in, long long n, unsigned long long* words, unsigned* ticket, int stages, int stage_bytes) {
  using O = Operator<OP, T>;
  using V = typename O::Value;
  __shared__ V cell[WARP == Warp::all_shuffle ? 32 : BLOCK];
  constexpr bool IN_OUTPUT = ALGORITHM == Algorithm::zeroed || ALGORITHM == Algorithm::atomic;
  static_assert(!IN_OUTPUT || (OP == Op::sum && sizeof(T) == sizeof(V)), "nothing else is added to the output");
  if constexpr (ALGORITHM == Algorithm::zeroed) attune::zero_output<BLOCK>(reinterpret_cast<V*>(out), ticket);
  V value;
  if constexpr (LOAD == Load::bulk) {
    value = combine_by_bulk<O, BLOCK>(in, n, stages, stage_bytes);
  } else {
    value = combine_by_registers<O, BLOCK, ITEMS, VECTOR, CACHE>(in, n);
  }
  if constexpr (ALGORITHM == Algorithm::zeroed) attune::wait_for_zero(ticket);
  value = combine_threads<O, VARIANT, BLOCK, WARP>(value, cell);
  if constexpr (ALGORITHM == Algorithm::zeroed) {
    attune::add_to_output(reinterpret_cast<V*>(out), value, ticket);
  } else if constexpr (ALGORITHM == Algorithm::atomic) {
    if (threadIdx.x == 0) atomicAdd(reinterpret_cast<V*>(out), value);
  } else {
    if (attune::combine_grid<ALGORITHM, OP, T, BLOCK>(value, words, ticket, cell)) out[0] = O::to_element(value);
  }
}

template <typename T, Op OP>
__global__ void __launch_bounds__(1024) reduce_words(T* out, const unsigned long long* words, long long count) {
  using O = Operator<OP, T>;
  __shared__ typename O::Value cell[32];
  const auto value = attune::combine_words<O, 1024>(words, count, cell);
  if (threadIdx.x == 0) out[0] = O::to_element(value);
}

// The reference: 16384 threads combine a strided share each, then one thread combines the shares. No barrier, nothing
// shared. Sums are wide; minimum and maximum begin at an element, which may come twice.
template <typename T, Op OP>
struct Reference {
  using R = Wide<T>;
  __device__ static R begin(R) { return 0; }
  __device__ static R combine(R a, R b) { return a + b; }
};
template <typename T>
struct Reference<T, Op::min> {
  using R = typename Operator<Op::min, T>::Value;
  __device__ static R begin(R first) { return first; }
  __device__ static R combine(R a, R b) { return a < b ? a : b; }
};
template <typename T>
struct Reference<T, Op::max> {
  using R = typename Operator<Op::max, T>::Value;
  __device__ static R begin(R first) { return first; }
  __device__ static R combine(R a, R b) { return a > b ? a : b; }
};

template <typename T, Op OP>
__global__ void reduce_reference(typename Reference<T, OP>::R* partials, const T* in, long long n) {
  using O = Operator<OP, T>;
  auto value = Reference<T, OP>::begin(O::from(in[0]));
  for (long long i = blockIdx.x * 256 + threadIdx.x; i < n; i += 16384)
    value = Reference<T, OP>::combine(value, O::from(in[i]));
  partials[blockIdx.x * 256 + threadIdx.x] = value;
}

template <typename T, Op OP>
__global__ void reduce_reference_total(T* out, const typename Reference<T, OP>::R* partials) {
  auto value = Reference<T, OP>::begin(partials[0]);
  for (int i = 0; i < 16384; ++i) value = Reference<T, OP>::combine(value, partials[i]);
  out[0] = static_cast<T>(value);
}
