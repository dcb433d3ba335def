/*attune
[kernel]
name = "reduce"
summary = "out[0] = in[0] + in[1] + ... + in[n - 1]"
[problem]
n = { size = 268435456, host = 1048576 }
T = ["float", "double", "half", "int32", "int64"]
[parameters]
VARIANT = [6, 0, 1, 2, 3, 4, 5]                # the step of the ladder, below
BLOCK = [256, 128, 512, 1024]
ITEMS = [8, 1, 2, 4, 16]                       # accesses in flight per thread
VECTOR = [1, 2, 4, 8]                          # elements per access
WARP = ["Warp::shared", "Warp::last_shuffle", "Warp::all_shuffle"]
CACHE = ["Cache::plain", "Cache::streaming"]
ALGORITHM = ["Algorithm::two_pass", "Algorithm::last_block", "Algorithm::atomic"]
BLOCKS_PER_SM = [8, 0, 1, 2, 4, 16, 32]        # launch only; 0: one tile per block, as many blocks as tiles
[restrictions]
rules = [
    "VECTOR * sizeof(T) <= 16",                # the widest access
    # Steps 0 to 5 choose no more than the originals: one element per thread, then two.
    "VARIANT == 6 || ITEMS == (VARIANT < 3 ? 1 : 2)",
    "VARIANT == 6 || (VECTOR == 1 && CACHE == 'Cache::plain' && BLOCKS_PER_SM == 0)",
    "VARIANT == 6 || WARP == 'Warp::shared' || (VARIANT >= 4 && WARP == 'Warp::last_shuffle')",
    "VARIANT < 6 || (ITEMS * VECTOR * sizeof(T)) in [16, 32, 64, 128]",  # bytes in flight per thread
    "BLOCKS_PER_SM == 0 || (BLOCKS_PER_SM * BLOCK >= 512 && BLOCKS_PER_SM * BLOCK <= 8192)",
    # Atomics make a float sum one serial chain of roundings, as long as the grid: keep it short. Half has none.
    "ALGORITHM != 'Algorithm::atomic' || (BLOCKS_PER_SM > 0 && T != 'half')",
]
[[launch]]
memset = "out"
value = 0
when = "ALGORITHM == 'Algorithm::atomic'"
[[launch]]
entry = "reduce<T, VARIANT, BLOCK, ITEMS, VECTOR, WARP, CACHE, ALGORITHM>"
grid = ["min(ceil_div(n, BLOCK * ITEMS * VECTOR), BLOCKS_PER_SM > 0 ? BLOCKS_PER_SM * device.multiprocessors : n)"]
block = ["BLOCK"]
arguments = ["out", "in", "n", "partials", "ticket"]
[[launch]]
entry = "reduce_partials<T>"
when = "ALGORITHM == 'Algorithm::two_pass'"
grid = ["1"]
block = ["1024"]
arguments = ["out", "partials", "blocks"]
[arguments]
out = { type = "T", size = "1", role = "out" }
in = { type = "T", size = "n", role = "in" }   # integers over their full range: sums wrap
n = { type = "int64" }
# 8 bytes for the sum of each block, whatever its type; and how many of them step two reads
partials = { type = "uint64", size = "ceil_div(n, BLOCK * ITEMS * VECTOR)", role = "scratch" }
blocks = { type = "int64", value = """min(ceil_div(n, BLOCK * ITEMS * VECTOR), \
  BLOCKS_PER_SM > 0 ? BLOCKS_PER_SM * device.multiprocessors : n)""" }
ticket = { type = "uint32", size = "1", role = "scratch" }
reference_partials = { type = "uint64", size = "16384", role = "scratch" }
[[reference]]
entry = "reduce_reference<T>"
grid = ["64"]
block = ["256"]
arguments = ["reference_partials", "in", "n"]
[[reference]]
entry = "reduce_reference_total<T>"
grid = ["1"]
block = ["1"]
arguments = ["out", "reference_partials"]
[check]
# A serial chain of k additions in a sum of n numbers out of uniform(-1, 1) ends up with a rounding error of standard
# deviation 0.12 epsilon sqrt(n k), as partial sums walk like sqrt(i / 3) and each is rounded. The chains: a thread's
# tiles (n / 4096 on the smallest device), the blocks' atomics (n / 512, at most 32 on 256 multiprocessors). Six
# deviations, and 8 for the trees: 0.007 at n = 2^20, 0.5 at 2^28, where a lost element makes 0.58.
absolute = """T in ['int32', 'int64'] ? 0 : (T == 'half' ? epsilon(T) / 8192 : epsilon(T)) \
  * sqrt(n) * (8 + sqrt(n / 4096 + min(n / 512, 8192)))"""
relative = "T == 'half' ? epsilon(T) : 0"      # half adds in float and is rounded once, at the end
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

using attune::Accumulator;
using attune::Cache;
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

/// Who adds the last 32 values of a block: shared memory with __syncwarp, or shuffles. With all_shuffle every warp adds
/// its own values by shuffles first, and there is no tree in shared memory at all.
enum class Warp { shared, last_shuffle, all_shuffle };

/// Who adds the blocks' sums: a second kernel; the block that finishes last; or every block, by an atomic addition.
enum class Algorithm { two_pass, last_block, atomic };

// In lane 0: the sum over the warp.
template <typename A>
__device__ __forceinline__ A shuffle_sum(A sum) {
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_down_sync(0xffffffffu, sum, distance);
  return sum;
}

// In thread 0: the sum over the first warp, which alone calls this. `cell` has room for two warps.
template <Warp WARP, typename A>
__device__ __forceinline__ A last_warp_sum(A sum, A* cell) {
  if constexpr (WARP == Warp::last_shuffle) {
    return shuffle_sum(sum);
  } else {
#pragma unroll
    for (int s = 16; s > 0; s /= 2) {
      cell[threadIdx.x] = sum;
      __syncwarp();
      sum += cell[threadIdx.x + s];  // lanes from s on add what nobody uses
      __syncwarp();
    }
    return sum;
  }
}

// In thread 0: the sum over the block, by a tree. `cell`, in shared memory, holds one value per thread.
template <int VARIANT, int BLOCK, Warp WARP, typename A>
__device__ __forceinline__ A tree_sum(A sum, A* cell) {
  const int tid = static_cast<int>(threadIdx.x);
  cell[tid] = sum;
  __syncthreads();
  if constexpr (VARIANT <= 1) {
#pragma unroll 1
    for (int s = 1; s < BLOCK; s *= 2) {
      const int index = VARIANT == 0 ? tid : 2 * s * tid;
      if (VARIANT == 0 ? tid % (2 * s) == 0 : index < BLOCK) cell[index] += cell[index + s];
      __syncthreads();
    }
  } else {
    constexpr int LAST = VARIANT >= 4 ? 32 : 0;  // this stride, and those below it, are left to the last warp
#pragma unroll(VARIANT >= 5 ? 8 : 1)
    for (int s = BLOCK / 2; s > LAST; s /= 2) {
      if (tid < s) cell[tid] += cell[tid + s];
      __syncthreads();
    }
    if constexpr (LAST > 0) return tid < LAST ? last_warp_sum<WARP>(cell[tid] + cell[tid + LAST], cell) : sum;
  }
  return cell[0];
}

// In thread 0: the sum over the block, by a tree or by shuffles alone.
template <int VARIANT, int BLOCK, Warp WARP, typename A>
__device__ __forceinline__ A block_sum(A sum, A* cell) {
  if constexpr (WARP == Warp::all_shuffle) {
    const int tid = static_cast<int>(threadIdx.x);
    sum = shuffle_sum(sum);
    if (tid % 32 == 0) cell[tid / 32] = sum;
    __syncthreads();
    return tid < 32 ? shuffle_sum(tid < BLOCK / 32 ? cell[tid] : A(0)) : sum;
  } else {
    return tree_sum<VARIANT, BLOCK, WARP>(sum, cell);
  }
}

// The sum of the tiles of this block, as far as this thread loads them. Steps 0 to 5 are given one tile per block.
template <int BLOCK, int ITEMS, int VECTOR, Cache CACHE, typename T>
__device__ __forceinline__ Accumulator<T> thread_sum(const T* in, long long n) {
  using A = Accumulator<T>;
  using P = Pack<T, VECTOR>;
  constexpr int TILE = BLOCK * ITEMS * VECTOR;
  A sum = A(0);
  // A pointer that an application has offset: block 0 adds the elements before the first whole pack.
  const int misaligned = static_cast<int>(reinterpret_cast<unsigned long long>(in) / sizeof(T) % VECTOR);
  const int head = static_cast<int>(n < VECTOR ? n : (VECTOR - misaligned) % VECTOR);
  if (blockIdx.x == 0 && static_cast<int>(threadIdx.x) < head) sum = static_cast<A>(in[threadIdx.x]);
  in += head;
  n -= head;
  for (long long start = static_cast<long long>(blockIdx.x) * TILE; start < n;
       start += static_cast<long long>(gridDim.x) * TILE) {
    if (n - start >= TILE) {
      const P* packs = reinterpret_cast<const P*>(in + start) + threadIdx.x;
      P values[ITEMS];  // all loads are under way before the first is waited for
#pragma unroll
      for (int item = 0; item < ITEMS; ++item) values[item] = attune::load<CACHE>(packs + item * BLOCK);
      A tile_sum = A(0);  // apart from `sum`: shorter chains of roundings
#pragma unroll
      for (int i = 0; i < ITEMS * VECTOR; ++i) tile_sum += static_cast<A>(values[i / VECTOR].element[i % VECTOR]);
      sum += tile_sum;
    } else {
      // The last tile, element by element. Unrolled, this loop would cost a third of the compile time.
      const int left = static_cast<int>(n - start);
#pragma unroll 1
      for (int i = static_cast<int>(threadIdx.x); i < left; i += BLOCK) sum += static_cast<A>(in[start + i]);
    }
  }
  return sum;
}

template <int BLOCK, typename A>
__device__ __forceinline__ A partials_sum(const A* partials, long long count) {
  A sum = A(0);
#pragma unroll 4
  for (long long i = threadIdx.x; i < count; i += BLOCK) sum += partials[i];
  return sum;
}

template <typename T, int VARIANT, int BLOCK, int ITEMS, int VECTOR, Warp WARP, Cache CACHE, Algorithm ALGORITHM>
__global__ void __launch_bounds__(BLOCK)
    reduce(T* out, const T* in, long long n, Accumulator<T>* partials, unsigned int* ticket) {
  using A = Accumulator<T>;
  __shared__ A cell[BLOCK];
  A sum = block_sum<VARIANT, BLOCK, WARP>(thread_sum<BLOCK, ITEMS, VECTOR, CACHE>(in, n), cell);

  if constexpr (ALGORITHM == Algorithm::atomic) {
    static_assert(sizeof(T) == sizeof(A), "no atomic addition for this type: use last_block or two_pass");
    if (threadIdx.x == 0) atomicAdd(reinterpret_cast<A*>(out), sum);
  } else if constexpr (ALGORITHM == Algorithm::two_pass) {
    if (threadIdx.x == 0) partials[blockIdx.x] = sum;
  } else {
    bool is_last = false;
    if (threadIdx.x == 0) {
      partials[blockIdx.x] = sum;
      __threadfence();  // the sum is visible before the ticket says so
      is_last = atomicAdd(ticket, 1u) == gridDim.x - 1;
    }
    if (!__syncthreads_or(is_last)) return;
    __threadfence();
    sum = block_sum<VARIANT, BLOCK, WARP>(partials_sum<BLOCK>(partials, gridDim.x), cell);
    if (threadIdx.x == 0) {
      out[0] = static_cast<T>(sum);
      *ticket = 0;  // scratch is zeroed once: leave it so for the next launch
    }
  }
}

template <typename T>
__global__ void __launch_bounds__(1024) reduce_partials(T* out, const Accumulator<T>* partials, long long count) {
  __shared__ Accumulator<T> cell[32];
  const Accumulator<T> sum = block_sum<6, 1024, Warp::all_shuffle>(partials_sum<1024>(partials, count), cell);
  if (threadIdx.x == 0) out[0] = static_cast<T>(sum);
}

// The reference: 16384 threads add a strided share each, then one thread adds the shares. No barrier, nothing shared.
template <typename T>
__global__ void reduce_reference(Wide<T>* partials, const T* in, long long n) {
  Wide<T> sum = 0;
  for (long long i = blockIdx.x * 256 + threadIdx.x; i < n; i += 16384) sum += static_cast<Accumulator<T>>(in[i]);
  partials[blockIdx.x * 256 + threadIdx.x] = sum;
}

template <typename T>
__global__ void reduce_reference_total(T* out, const Wide<T>* partials) {
  Wide<T> sum = 0;
  for (int i = 0; i < 16384; ++i) sum += partials[i];
  out[0] = static_cast<T>(sum);
}
