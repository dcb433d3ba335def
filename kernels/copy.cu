/*attune
[kernel]
name = "copy"
summary = "out[i] = in[offset + stride * i]"
deterministic = true
[problem]
n = { size = 268435456, host = 1048576 }
offset = { integer = 0 }
stride = { size = 1 }
SOURCE = { choice = ["Source::device", "Source::mapped"] }  # where `in` lies; mapped: in host memory
T = ["float", "double", "half", "bfloat16", "int32", "int64", "uint8"]
[parameters]
BLOCK = [128, 64, 256, 512, 1024]
VECTOR = [4, 1, 2, 8, 16]                      # elements per access
ITEMS = [1, 2, 4, 8]                           # accesses in flight per thread
LOAD = ["Load::plain", "Load::read_only", "Load::streaming", "Load::in_l2", "Load::async", "Load::bulk"]
STORE = ["Store::plain", "Store::streaming", "Store::in_l2", "Store::bulk"]
BLOCKS_PER_SM = [0, 2, 4, 8, 16]               # launch only; 0: one tile per block, as many blocks as tiles
[restrictions]
rules = [
    "offset >= 0",
    "stride == 1 || VECTOR == 1",              # neighbours are no pack, and no bulk
    "VECTOR * sizeof(T) <= 16",                # the widest access
    "VECTOR * ITEMS * sizeof(T) <= 128",       # a thread's tile waits in registers, or in shared memory,
    "BLOCK * VECTOR * ITEMS * sizeof(T) <= 32768",       # and so does the block's
    "LOAD != 'Load::async' || VECTOR * sizeof(T) in [4, 8, 16]",
    "LOAD != 'Load::async' || device.compute_capability >= 80 || device.kind == 'host'",
    # A bulk copy is one thread's: what goes on in the others is nothing.
    "(LOAD == 'Load::bulk') == (STORE == 'Store::bulk')",
    "LOAD != 'Load::bulk' || (stride == 1 && BLOCK <= 256 && ITEMS * VECTOR * sizeof(T) in [16, 32, 64, 128])",
    "LOAD != 'Load::bulk' || BLOCK * ITEMS * VECTOR * sizeof(T) <= 16384",  # two tiles at a time
    "LOAD != 'Load::bulk' || ITEMS == 1 || VECTOR * sizeof(T) == 16",       # their product alone counts
    "LOAD != 'Load::bulk' || device.compute_capability >= 90 || device.kind == 'host'",
    "BLOCKS_PER_SM == 0 || (BLOCKS_PER_SM * BLOCK >= 512 && BLOCKS_PER_SM * BLOCK <= 4096)",
]
[[launch]]
entry = "copy<T, BLOCK, VECTOR, ITEMS, LOAD, STORE>"
grid = ["min(ceil_div(n, BLOCK * VECTOR * ITEMS), BLOCKS_PER_SM > 0 ? BLOCKS_PER_SM * device.multiprocessors : n)"]
block = ["BLOCK"]
arguments = ["out", "in", "n", "offset", "stride"]
[arguments]
out = { type = "T", size = "n", role = "out" }
in = { type = "T", size = "offset + stride * (n - 1) + 1", role = "in", place = "mapped if SOURCE == 'Source::mapped'" }
n = { type = "int64" }
offset = { type = "int64" }
stride = { type = "int64" }
[[reference]]
entry = "copy_reference<T>"
grid = ["min(ceil_div(n, 256), 2147483647)"]
block = ["256"]
arguments = ["out", "in", "n", "offset", "stride"]
[check]
absolute = 0
relative = 0
[metrics]
bytes = "2 * n * sizeof(T)"                    # what is used of what moves
[[ladder]]
name = "offset"
source = "the curve of G. Ruetsch's talks on CUDA (2008, 2009): what a misaligned read costs, plain and by texture"
problems = ["n=2**24 T=float"]
sweep = "offset=0..32"
steps = [
    { name = "plain", configuration = """BLOCK=256 VECTOR=1 ITEMS=1 LOAD=Load::plain STORE=Store::plain \
      BLOCKS_PER_SM=0""" },
    { name = "read-only path", configuration = """BLOCK=256 VECTOR=1 ITEMS=1 LOAD=Load::read_only STORE=Store::plain \
      BLOCKS_PER_SM=0""" },
]
[[ladder]]
name = "stride"
source = "the curve of G. Ruetsch's talks on CUDA (2008, 2009): what a strided read costs, plain and by texture"
problems = ["n=2**24 T=float"]
sweep = "stride=1..32"
steps = [
    { name = "plain", configuration = """BLOCK=256 VECTOR=1 ITEMS=1 LOAD=Load::plain STORE=Store::plain \
      BLOCKS_PER_SM=0""" },
    { name = "read-only path", configuration = """BLOCK=256 VECTOR=1 ITEMS=1 LOAD=Load::read_only STORE=Store::plain \
      BLOCKS_PER_SM=0""" },
]
[[ladder]]
name = "mapped"
source = "what the device reads out of host memory by itself, over the bus"
problems = ["n=2**24 SOURCE=Source::mapped T=float"]
steps = [
    { name = "an element a thread", configuration = """BLOCK=256 VECTOR=1 ITEMS=1 LOAD=Load::plain STORE=Store::plain \
      BLOCKS_PER_SM=0""" },
    { name = "vectors", configuration = """BLOCK=256 VECTOR=4 ITEMS=1 LOAD=Load::plain STORE=Store::plain \
      BLOCKS_PER_SM=0""" },
    { name = "bulk", configuration = """BLOCK=128 VECTOR=4 ITEMS=4 LOAD=Load::bulk STORE=Store::bulk \
      BLOCKS_PER_SM=0""" },
]
*/
#include "attune.cuh"
#include "attune_access.cuh"
#include "attune_async.cuh"

using attune::Pack;

// A copy is bound by memory alone. By Little's law the bytes in flight are latency times rate: some 48 KiB per
// multiprocessor of an H200 (NVIDIA's CUB keeps that number per architecture). A thread's share is VECTOR * ITEMS
// elements. Beyond that, the ways differ in what they occupy: registers (plain loads), shared memory (async and bulk
// copies), and the threads that issue them (bulk copies: one a block).
// On an H200, 2^28 floats: tiles of 2 KiB, one a block, are best (4.30 TB/s, 1.002 of the driver's copy). All ways are
// within 0.6 % there. As many blocks as fit, each with many tiles, lose 5 %. Reads that leave the caches first lose 2 %,
// by ld.cs as by a policy for the second cache. Writes that stay in it gain nothing.
//
// Memory moves in sectors of 32 bytes. An offset makes a warp read one sector more. A stride makes it read more of them
// until each element has a sector of its own, from 8 floats on. (G. Ruetsch's talks on CUDA show both curves for the
// first GPUs, plain and by texture.)

/// How elements are read: plainly; through the read-only path, as textures are (ld.global.nc); evicted first; past the
/// first cache; into shared memory by each thread (cp.async); into shared memory by one thread for all.
enum class Load { plain, read_only, streaming, in_l2, async, bulk };

/// How they are written: plainly; evicted first; past the first cache; from shared memory by one thread.
enum class Store { plain, streaming, in_l2, bulk };

template <Load LOAD, typename P>
__device__ __forceinline__ P read(const P* from) {
  using Word = typename attune::detail::WordOf<sizeof(P)>::type;
  const Word* const word = reinterpret_cast<const Word*>(from);
  P value;
  if constexpr (LOAD == Load::read_only) {
    value = attune::load_read_only(from);
  } else if constexpr (LOAD == Load::streaming) {
    reinterpret_cast<Word&>(value) = __ldcs(word);
  } else if constexpr (LOAD == Load::in_l2) {
    reinterpret_cast<Word&>(value) = __ldcg(word);
  } else {
    reinterpret_cast<Word&>(value) = *word;
  }
  return value;
}

template <Store STORE, typename P>
__device__ __forceinline__ void write(P* to, const P& value) {
  using Word = typename attune::detail::WordOf<sizeof(P)>::type;
  Word* const word = reinterpret_cast<Word*>(to);
  if constexpr (STORE == Store::streaming) {
    __stcs(word, reinterpret_cast<const Word&>(value));
  } else if constexpr (STORE == Store::in_l2) {
    __stcg(word, reinterpret_cast<const Word&>(value));
  } else {
    *word = reinterpret_cast<const Word&>(value);
  }
}

// A whole tile of neighbours, by packs. All loads are under way before the first store waits for one.
template <int BLOCK, int ITEMS, Load LOAD, Store STORE, typename P>
__device__ __forceinline__ void copy_packs(P* to, const P* from, P* held_for_all) {
  if constexpr (LOAD == Load::async) {
    P* const held = held_for_all + threadIdx.x;
#pragma unroll
    for (int item = 0; item < ITEMS; ++item) attune::copy_async<sizeof(P)>(held + item * BLOCK, from + item * BLOCK);
    attune::commit_copies();
    attune::wait_for_copies<0>();  // a thread reads what it has copied itself: no barrier
#pragma unroll
    for (int item = 0; item < ITEMS; ++item) write<STORE>(to + item * BLOCK, held[item * BLOCK]);
  } else {
    P held[ITEMS];
#pragma unroll
    for (int item = 0; item < ITEMS; ++item) held[item] = read<LOAD>(from + item * BLOCK);
#pragma unroll
    for (int item = 0; item < ITEMS; ++item) write<STORE>(to + item * BLOCK, held[item]);
  }
}

// Element by element: a tile that is not whole, packs that are not aligned, or a stride.
template <int BLOCK, Load LOAD, typename T>
__device__ __forceinline__ void copy_elements(T* to, const T* from, int count, long long stride) {
#pragma unroll 1
  for (int i = static_cast<int>(threadIdx.x); i < count; i += BLOCK) to[i] = read<LOAD>(from + i * stride);
}

// A whole tile, each element from a place of its own.
template <int BLOCK, int ITEMS, Load LOAD, Store STORE, typename T>
__device__ __forceinline__ void copy_strided(T* to, const T* from, long long stride) {
  T held[ITEMS];
#pragma unroll
  for (int item = 0; item < ITEMS; ++item) held[item] = read<LOAD>(from + item * BLOCK * stride);
#pragma unroll
  for (int item = 0; item < ITEMS; ++item) write<STORE>(to + item * BLOCK, held[item]);
}

// A tile after the other through shared memory, all by one thread; while one is written the next one is read.
template <int BYTES>
__device__ __forceinline__ void copy_bulk(char* out, const char* in, long long tiles, char (*held)[BYTES],
                                          attune::Barrier* full) {
  const long long step = gridDim.x;
  long long ahead = blockIdx.x;
  for (int stage = 0; stage < 2 && ahead < tiles; ++stage, ahead += step) {
    attune::arrive_expecting(full[stage], BYTES);
    attune::load_bulk(held[stage], in + ahead * BYTES, BYTES, full[stage]);
  }
  unsigned turn = 0;
  for (long long tile = blockIdx.x; tile < tiles; tile += step, ++turn) {
    const unsigned stage = turn % 2;
    attune::wait(full[stage], turn / 2 % 2);
    attune::store_bulk(out + tile * BYTES, held[stage], BYTES);
    attune::commit_stores();
    if (ahead < tiles) {
      attune::wait_for_store_reads<0>();
      attune::arrive_expecting(full[stage], BYTES);
      attune::load_bulk(held[stage], in + ahead * BYTES, BYTES, full[stage]);
      ahead += step;
    }
  }
  attune::wait_for_stores<0>();
}

template <typename T, int BLOCK, int VECTOR, int ITEMS, Load LOAD, Store STORE>
__global__ void __launch_bounds__(BLOCK) copy(T* out, const T* in, long long n, long long offset, long long stride) {
  using P = Pack<T, VECTOR>;
  constexpr int TILE = BLOCK * VECTOR * ITEMS;
  in += offset;
  const bool packs = stride == 1 && attune::aligned<P>(in) && attune::aligned<P>(out);
  long long start = static_cast<long long>(blockIdx.x) * TILE;
  const long long step = static_cast<long long>(gridDim.x) * TILE;

  if constexpr (LOAD == Load::bulk) {
    constexpr int BYTES = TILE * static_cast<int>(sizeof(T));
    __shared__ __align__(128) char held[2][BYTES];
    __shared__ attune::Barrier full[2];
    if (stride == 1 && attune::aligned<int4>(in) && attune::aligned<int4>(out)) {
      if (threadIdx.x == 0) {
        attune::init(full[0], 1);
        attune::init(full[1], 1);
        attune::fence_barriers();
        copy_bulk<BYTES>(reinterpret_cast<char*>(out), reinterpret_cast<const char*>(in), n / TILE, held, full);
      }
      start = n / TILE * TILE;  // what is left
      if (blockIdx.x != gridDim.x - 1) return;
    }
    for (; start < n; start += step)
      copy_elements<BLOCK, Load::plain>(out + start, in + start * stride,
                                        static_cast<int>(n - start < TILE ? n - start : TILE), stride);
  } else {
    __shared__ P held[LOAD == Load::async ? BLOCK * ITEMS : 1];
    for (; start < n; start += step) {
      if (n - start >= TILE && packs) {
        copy_packs<BLOCK, ITEMS, LOAD, STORE>(reinterpret_cast<P*>(out + start) + threadIdx.x,
                                              reinterpret_cast<const P*>(in + start) + threadIdx.x, held);
      } else if (n - start >= TILE && VECTOR == 1) {
        copy_strided<BLOCK, ITEMS, LOAD, STORE>(out + start + threadIdx.x, in + (start + threadIdx.x) * stride, stride);
      } else {
        copy_elements<BLOCK, LOAD>(out + start, in + start * stride,
                                   static_cast<int>(n - start < TILE ? n - start : TILE), stride);
      }
    }
  }
}

template <typename T>
__global__ void copy_reference(T* out, const T* in, long long n, long long offset, long long stride) {
  const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += step)
    out[i] = in[offset + stride * i];
}
