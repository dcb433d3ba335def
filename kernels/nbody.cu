/*attune
[kernel]
name = "nbody"
summary = "accelerations of n bodies by direct summation: a_i = sum of m_j (r_j - r_i) / (|r_j - r_i|^2 + eps^2)^(3/2)"
deterministic = true
[problem]
n = { size = 131072, host = 1024 }
LAYOUT = { choice = ["Layout::aos", "Layout::soa"] }  # x y z m of each body, or all x, all y, all z, all m
T = ["float", "double"]
[parameters]
PAIRS = ["Pairs::each", "Pairs::once"]         # is the pull of i on j computed apart from that of j on i?
# Where the bodies that pull come from.
SOURCE = ["Source::ahead", "Source::shared", "Source::async", "Source::cache", "Source::constant"]
BLOCK = [128, 64, 256, 512]
ITEMS = [8, 1, 2, 4, 6]                        # bodies per thread that are pulled
UNROLL = [8, 4, 16, 32]                        # bodies that pull, per turn of the inner loop
RESIDENT = [512, 384, 768, 1024]               # threads per multiprocessor that the registers are shared among
BLOCKS_PER_SM = [4, 0, 1, 2, 3, 6, 8, 16, 32]  # launch only; 0: a block for each row, and no second step
[values]
rows = "ceil_div(n, BLOCK * ITEMS)"            # blocks' bodies,
tiles = "PAIRS == 'Pairs::once' ? ITEMS * (1 + rows / 2) : ceil_div(n, BLOCK)"  # and tiles of bodies that pull them
others = "PAIRS == 'Pairs::once' ? (rows - 1) / 2 : 0"  # rows that a row's bodies pull in their turn
registers = "sizeof(T) / 4 * (33 + ITEMS * (PAIRS == 'Pairs::once' ? 8 : 7))"  # at least
blocks = "BLOCKS_PER_SM > 0 ? min(BLOCKS_PER_SM * device.multiprocessors, rows * tiles) : rows"
gathered = "SOURCE == 'Source::constant' ? 4 * round_up(n, BLOCK) : 1"
[restrictions]
rules = [
    "n <= 2**30",
    "BLOCKS_PER_SM > 0 || n <= 2**26",         # shares are counted in 64 bits
    "UNROLL * ITEMS <= 128",                   # instructions of the loop: 13 each, of 16 bytes
    "ITEMS <= 2 || BLOCK <= 256",
    "ITEMS <= 4 || SOURCE != 'Source::cache'", # addresses of 64 bits, one for each of x y z m
    "T == 'float' || (ITEMS <= 4 && UNROLL <= 8)",  # a square root in double is a dozen instructions
    "BLOCKS_PER_SM == 0 || (BLOCKS_PER_SM * BLOCK >= 128 && BLOCKS_PER_SM * BLOCK <= 4096)",
    # Sums of the turned pull, three for each pair of a body and a row, are kept until all are added.
    "PAIRS == 'Pairs::each' || (SOURCE == 'Source::ahead' && BLOCKS_PER_SM > 0 && UNROLL * ITEMS <= 64)",
    "PAIRS == 'Pairs::each' || BLOCK * sizeof(T) <= 1024",  # shared memory for such sums of each warp
    "PAIRS == 'Pairs::each' || 3 * sizeof(T) * others * rows * BLOCK * ITEMS <= min(2**32, device.memory_bytes / 4)",
    "RESIDENT % BLOCK == 0 && registers * RESIDENT <= 65536",
    "SOURCE != 'Source::async' || device.compute_capability >= 80 || device.kind == 'host'",
    "SOURCE != 'Source::constant' || (PAIRS == 'Pairs::each' && gathered * sizeof(T) <= 65536)",
]
[[launch]]
entry = "nbody_gather<T, LAYOUT>"
when = "SOURCE == 'Source::constant'"
grid = ["ceil_div(n, BLOCK)"]
block = ["BLOCK"]
arguments = ["source", "bodies", "n"]
[[launch]]
entry = "nbody<T, LAYOUT, PAIRS, SOURCE, BLOCK, ITEMS, UNROLL, RESIDENT>"
grid = ["blocks"]
block = ["BLOCK"]
arguments = ["out", "partials", "turned", "bodies", "eps", "n", "split"]
[[launch]]
entry = "nbody_sum<T, LAYOUT>"
when = "BLOCKS_PER_SM > 0"
grid = ["ceil_div(n, 128)"]
block = ["128"]
arguments = ["out", "partials", "turned", "n", "row_bodies", "row_tiles", "block_count", "other_rows"]
overlap = true
[arguments]
out = { type = "T", size = "(LAYOUT == 'Layout::aos' ? 4 : 3) * n", role = "out" }  # aos: the fourth is 0
bodies = { type = "T", size = "4 * n", role = "in" }  # while tuning in a cube of side 2, with masses of either sign
eps = { type = "T", fill = "0.1" }             # softening: neither eps^2 underflows nor eps^-3 overflows
n = { type = "int64" }
# A block leaves its sums for a row in the slot of its number plus the row's, which no other pair shares.
partials = { type = "T", size = "BLOCKS_PER_SM > 0 ? 3 * (blocks + rows) * BLOCK * ITEMS : 1", role = "scratch" }
source = { type = "T", size = "gathered", role = "scratch", symbol = "constants::source<0>" }
turned = { type = "T", size = "max(1, 3 * others * rows * BLOCK * ITEMS)", role = "scratch" }
split = { type = "int32", value = "BLOCKS_PER_SM > 0 ? 1 : 0" }
row_bodies = { type = "int32", value = "BLOCK * ITEMS" }
row_tiles = { type = "int64", value = "tiles" }
block_count = { type = "int64", value = "blocks" }
other_rows = { type = "int64", value = "others" }
[[reference]]
entry = "nbody_reference<T, LAYOUT>"
grid = ["ceil_div(n, 64)"]
block = ["64"]
arguments = ["out", "bodies", "eps", "n"]
[check]
# Masses of either sign make the sums walk: after k bodies a component is near s sqrt(k). The density is n / 8, the mean
# of mass^2 1 / 3, a component has 1 / 3 of r^2, and r^2 / (r^2 + eps^2)^3 makes 3 pi^2 / (4 eps) over all space: s = 1.
# (1) An addition rounds by 0.21 epsilon of the sum in the mean: n of them by 0.21 epsilon n / sqrt(2), if the sums are
# as usual. One launch in a thousand has a body whose sums and roundings are both extreme: 0.21 * 13 = 2.7 epsilon n.
# (2) A term is off by 9 epsilon at most: three times the unit's 2^-22.9, and 14 roundings of half an epsilon, of which
# those before the power of -3/2 count one and a half times. In the mean it is 2 epsilon. n such terms, six deviations,
# and twice that for bodies with close neighbours: 26 epsilon sqrt(n).
# (3) A single term has at most 0.385 / eps^2 = 39, so 9 epsilon of it are 350 epsilon.
# That is 0.0005 for n = 1000 and 0.05 for 2^17. A body left out makes 0.17 in the mean, and more for its neighbours.
# In double the reference rounds as well.
absolute = "(T == 'double' ? 2 * epsilon(double) : epsilon(float)) * (350 + 26 * sqrt(n) + 3 * n)"
[metrics]
# As usual: 9 additions, 9 multiplications, a root and a reciprocal. Of two pulls together, 27.
flops = "n * n * (PAIRS == 'Pairs::once' ? 13.5 : 20)"
items = "n * n"
unit = "interactions"
[[ladder]]
name = "nbody"
source = "the order of L. Nyland, M. Harris, J. Prins, Fast N-Body Simulation with CUDA, GPU Gems 3 (2007), ch. 31"
problems = ["n=2**17 T=float"]
steps = [
    { name = "naive", configuration = """SOURCE=Source::cache BLOCK=256 ITEMS=1 UNROLL=16 \
      RESIDENT=1024 BLOCKS_PER_SM=0""" },
    { name = "a tile in shared memory", configuration = """SOURCE=Source::shared BLOCK=256 ITEMS=1 UNROLL=4 \
      RESIDENT=1024 BLOCKS_PER_SM=0""" },
    { name = "unrolled", configuration = """SOURCE=Source::shared BLOCK=256 ITEMS=1 \
      UNROLL=32 RESIDENT=1024 BLOCKS_PER_SM=0""" },
    { name = "two bodies per thread", configuration = """SOURCE=Source::shared BLOCK=256 ITEMS=2 UNROLL=32 \
      RESIDENT=1024 BLOCKS_PER_SM=0""" },
    { name = "even shares of all pairs", configuration = """SOURCE=Source::shared BLOCK=256 ITEMS=2 \
      UNROLL=32 RESIDENT=1024 BLOCKS_PER_SM=4""" },
    { name = "eight bodies per thread", configuration = """SOURCE=Source::shared BLOCK=128 ITEMS=8 UNROLL=8 \
      BLOCKS_PER_SM=4""" },
    { name = "the next tile ahead", configuration = """SOURCE=Source::ahead BLOCK=128 ITEMS=8 UNROLL=8 \
      BLOCKS_PER_SM=4""" },
    { name = "each pair once", configuration = "PAIRS=Pairs::once BLOCK=128 ITEMS=8 UNROLL=8 BLOCKS_PER_SM=4" },
]
[[ladder]]
name = "structure of arrays"
problems = ["n=2**17 T=float LAYOUT=Layout::soa"]
steps = [
    { name = "naive", configuration = """SOURCE=Source::cache BLOCK=256 ITEMS=1 UNROLL=16 \
      RESIDENT=1024 BLOCKS_PER_SM=0""" },
    { name = "a tile in shared memory", configuration = """SOURCE=Source::shared BLOCK=256 ITEMS=1 \
      UNROLL=32 RESIDENT=1024 BLOCKS_PER_SM=0""" },
    { name = "eight bodies per thread", configuration = """SOURCE=Source::ahead BLOCK=128 ITEMS=8 UNROLL=8 \
      BLOCKS_PER_SM=4""" },
]
*/
#include "attune.cuh"
#include "attune_access.cuh"
#include "attune_async.cuh"
#include "attune_launch.cuh"

using attune::Pack;

// Each pair costs 6 multiply-adds, 3 subtractions, 3 multiplications and a reciprocal root: 13 instructions, where a
// multiprocessor issues 4 warps' instructions per cycle. Nothing else may stand in the inner loop. A body that pulls is
// one load of 16 bytes from shared memory, and serves ITEMS bodies of the thread: 13 + 1 / ITEMS instructions per pair.
// The shape of the loop is that of L. Nyland, M. Harris and J. Prins (2007): tiles of bodies that all threads read.
//
// All pairs are a matrix: rows of BLOCK * ITEMS bodies that are pulled, in each row tiles of BLOCK bodies that pull.
// The tiles of all rows, one row after the other, are shared out evenly among the blocks. So all multiprocessors end
// together, whatever n is. A block leaves the sums of its part of a row in scratch memory; a second step adds the parts
// of a row in their order.
//
// The pull of j on i and that of i on j have all but 8 instructions in common. Computed together, both cost 17, where
// apart they cost 26. A row then meets only half of the others, those that follow it in a ring of rows. A warp's lanes
// hold 32 bodies that pull, and hand the sums of these on from lane to lane until each has met all bodies of the warp.

/// How the bodies of the caller lie in memory: as structures x y z m, or as arrays x, y, z and m.
enum class Layout { aos, soa };

/// Which pulls are computed together: none, or that of j on i and that of i on j.
enum class Pairs { each, once };

/// Where threads read the bodies that pull:
///   ahead     a tile in shared memory, while the next one is on its way to registers
///   shared    a tile in shared memory, one after the other
///   async     a tile in shared memory, while the next one is copied beside the threads
///   cache     each where the caller has it: all threads read the same address
///   constant  as many as fit into constant memory, where a step before has put them
enum class Source { ahead, shared, async, cache, constant };

template <typename T>
struct alignas(16) Body {
  T x, y, z, mass;
};

template <typename T>
struct Vector {
  T x, y, z;
};

// All that a module may have, once for all types. A template is there only where it is used.
namespace constants {
template <int>
__constant__ int4 source[4096];
}

// One instruction, without the care for subnormal numbers that rsqrtf() takes: an approximation to 2^-22.9.
__device__ __forceinline__ float reciprocal_root(float x) {
#ifdef __CUDA_ARCH__
  float result;
  asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
  return result;
#else
  return 1.0f / sqrtf(x);
#endif
}
__device__ __forceinline__ double reciprocal_root(double x) { return rsqrt(x); }

template <typename T>
__device__ __forceinline__ void pull(Vector<T>& sum, const Vector<T>& at, const Body<T>& by, T eps2) {
  const T x = by.x - at.x, y = by.y - at.y, z = by.z - at.z;
  const T reciprocal = reciprocal_root(fma(z, z, fma(y, y, fma(x, x, eps2))));
  const T strength = by.mass * reciprocal * (reciprocal * reciprocal);
  sum.x = fma(x, strength, sum.x);
  sum.y = fma(y, strength, sum.y);
  sum.z = fma(z, strength, sum.z);
}

// The caller's bodies. Only their elements need be aligned.
template <typename T, Layout LAYOUT>
struct Bodies {
  static constexpr int PER_ACCESS = 16 / static_cast<int>(sizeof(T));
  using P = Pack<T, PER_ACCESS>;
  const T* first;
  long long n;
  bool packs;  // structures may be read by accesses of 16 bytes

  __device__ Bodies(const T* bodies, long long count)
      : first(bodies), n(count), packs(LAYOUT == Layout::aos && attune::aligned<P>(bodies)) {}

  __device__ __forceinline__ const T* element(long long i, int part) const {
    return LAYOUT == Layout::aos ? first + 4 * i + part : first + part * n + i;
  }
  template <bool PACKS>
  __device__ __forceinline__ Body<T> get(long long i) const {
    Body<T> body;
    if constexpr (PACKS) {
#pragma unroll
      for (int k = 0; k < 4 / PER_ACCESS; ++k)
        reinterpret_cast<P*>(&body)[k] = attune::load_read_only(reinterpret_cast<const P*>(first + 4 * i) + k);
    } else {
      body = {__ldg(element(i, 0)), __ldg(element(i, 1)), __ldg(element(i, 2)), __ldg(element(i, 3))};
    }
    return body;
  }
  // Beyond the last body: one without mass, which pulls nobody.
  __device__ __forceinline__ Body<T> operator[](long long i) const {
    if (i >= n) return {0, 0, 0, 0};
    return packs ? get<true>(i) : get<false>(i);
  }
  // Done after wait_for_copies() and a barrier.
  __device__ __forceinline__ void copy(Body<T>* to, long long i) const {
    if (i >= n) {
      *to = {0, 0, 0, 0};
    } else if (packs) {
#pragma unroll
      for (int k = 0; k < 4 / PER_ACCESS; ++k)
        attune::copy_async<16>(reinterpret_cast<P*>(to) + k, reinterpret_cast<const P*>(first + 4 * i) + k);
    } else {
      attune::copy_async<sizeof(T)>(&to->x, element(i, 0));
      attune::copy_async<sizeof(T)>(&to->y, element(i, 1));
      attune::copy_async<sizeof(T)>(&to->z, element(i, 2));
      attune::copy_async<sizeof(T)>(&to->mass, element(i, 3));
    }
  }
};

template <Layout LAYOUT, typename T>
__device__ __forceinline__ void put(T* out, long long n, long long i, const Vector<T>& sum) {
  if constexpr (LAYOUT == Layout::aos) {
    constexpr int PER_ACCESS = 16 / static_cast<int>(sizeof(T));
    using P = Pack<T, PER_ACCESS>;
    const Body<T> value = {sum.x, sum.y, sum.z, 0};
    if (attune::aligned<P>(out)) {
#pragma unroll
      for (int k = 0; k < 4 / PER_ACCESS; ++k)
        attune::store_whole<attune::Cache::plain>(reinterpret_cast<P*>(out + 4 * i) + k,
                                                  reinterpret_cast<const P*>(&value)[k]);
    } else {
      out[4 * i] = sum.x;
      out[4 * i + 1] = sum.y;
      out[4 * i + 2] = sum.z;
      out[4 * i + 3] = 0;
    }
  } else {
    out[i] = sum.x;
    out[n + i] = sum.y;
    out[2 * n + i] = sum.z;
  }
}

template <typename T, int ITEMS, int COUNT, int UNROLL>
__device__ __forceinline__ void pull_by_tile(Vector<T> (&sums)[ITEMS], const Vector<T> (&at)[ITEMS],
                                             const Body<T>* tile, T eps2) {
#pragma unroll UNROLL
  for (int j = 0; j < COUNT; ++j) {
    const Body<T> by = tile[j];
#pragma unroll
    for (int k = 0; k < ITEMS; ++k) pull(sums[k], at[k], by, eps2);
  }
}

template <bool PACKS, int UNROLL, typename T, Layout LAYOUT, int ITEMS>
__device__ __forceinline__ void pull_from_memory(Vector<T> (&sums)[ITEMS], const Vector<T> (&at)[ITEMS],
                                                 const Bodies<T, LAYOUT>& bodies, long long j, long long end, T eps2) {
#pragma unroll UNROLL
  for (; j < end; ++j) {
    const Body<T> by = bodies.template get<PACKS>(j);
#pragma unroll
    for (int k = 0; k < ITEMS; ++k) pull(sums[k], at[k], by, eps2);
  }
}

// Adds the pull of the bodies of tiles `tile` to `end` - 1. Each thread brings one body of a tile.
template <Source SOURCE, int BLOCK, int UNROLL, typename T, Layout LAYOUT, int ITEMS>
__device__ __forceinline__ void pull_by_tiles(Vector<T> (&sums)[ITEMS], const Vector<T> (&at)[ITEMS],
                                              const Bodies<T, LAYOUT>& bodies, unsigned tile, unsigned end, T eps2) {
  const long long first = static_cast<long long>(tile) * BLOCK;
  if constexpr (SOURCE == Source::cache) {
    const long long whole = static_cast<long long>(end) * BLOCK, last = whole < bodies.n ? whole : bodies.n;
    if (LAYOUT == Layout::soa || !bodies.packs) {
      pull_from_memory<false, LAYOUT == Layout::soa ? UNROLL : 1>(sums, at, bodies, first, last, eps2);
    } else {
      pull_from_memory<true, UNROLL>(sums, at, bodies, first, last, eps2);
    }
  } else if constexpr (SOURCE == Source::constant) {
#pragma unroll 1
    for (; tile < end; ++tile)
      pull_by_tile<T, ITEMS, BLOCK, UNROLL>(
          sums, at, reinterpret_cast<const Body<T>*>(constants::source<0>) + tile * BLOCK, eps2);
  } else {
    __shared__ Body<T> shared[SOURCE == Source::shared ? 1 : 2][BLOCK];
    long long j = first + threadIdx.x;
    __syncthreads();  // the last row's tiles have been read
    [[maybe_unused]] Body<T> next;
    if constexpr (SOURCE == Source::async) {
      bodies.copy(&shared[0][threadIdx.x], j);
      attune::commit_copies();
    } else {
      next = bodies[j];
    }
    // With two tiles in turn one barrier is enough: behind it, all have read the tile before.
    unsigned turn = 0;
#pragma unroll 1
    for (; tile < end; ++tile) {
      j += BLOCK;
      if constexpr (SOURCE == Source::async) {
        attune::wait_for_copies<0>();
        __syncthreads();
        if (tile + 1 < end) bodies.copy(&shared[turn ^ 1][threadIdx.x], j);
        attune::commit_copies();
      } else {
        shared[turn][threadIdx.x] = next;
        __syncthreads();
        if (SOURCE == Source::ahead && tile + 1 < end) next = bodies[j];
      }
      pull_by_tile<T, ITEMS, BLOCK, UNROLL>(sums, at, shared[turn], eps2);
      if constexpr (SOURCE == Source::shared) {
        __syncthreads();
        if (tile + 1 < end) next = bodies[j];
      } else {
        turn ^= 1;
      }
    }
  }
}

// Both pulls of a pair. `sum` is of the body `at`, `other_sum` of the body `by`.
template <typename T>
__device__ __forceinline__ void pull_both(Vector<T>& sum, const Vector<T>& at, T mass, Vector<T>& other_sum,
                                          const Body<T>& by, T eps2) {
  const T x = by.x - at.x, y = by.y - at.y, z = by.z - at.z;
  const T reciprocal = reciprocal_root(fma(z, z, fma(y, y, fma(x, x, eps2))));
  const T cube = reciprocal * reciprocal * reciprocal;
  const T strength = by.mass * cube, other_strength = mass * cube;
  sum.x = fma(x, strength, sum.x);
  sum.y = fma(y, strength, sum.y);
  sum.z = fma(z, strength, sum.z);
  other_sum.x = fma(-x, other_strength, other_sum.x);
  other_sum.y = fma(-y, other_strength, other_sum.y);
  other_sum.z = fma(-z, other_strength, other_sum.z);
}

// A tile in pieces of 32 bodies, each piece twice, so that a lane which goes round in it need not turn back.
template <typename T, int BLOCK>
struct RoundTile {
  Body<T> bodies[BLOCK / 32][64];
  __device__ __forceinline__ void put(const Body<T>& body) {
    bodies[threadIdx.x / 32][threadIdx.x % 32] = body;
    bodies[threadIdx.x / 32][32 + threadIdx.x % 32] = body;
  }
};

// Row `row` of a ring of `rows`. Its tiles `tile` to `end` - 1 are those of the rows that follow it, itself first.
// Itself, and a row that stands opposite, it only lets pull: that row does the same.
template <int BLOCK, int UNROLL, typename T, Layout LAYOUT, int ITEMS>
__device__ __forceinline__ void pull_round(Vector<T> (&sums)[ITEMS], const Vector<T> (&at)[ITEMS],
                                           const T (&masses)[ITEMS], const Bodies<T, LAYOUT>& bodies, unsigned row,
                                           unsigned rows, unsigned tile, unsigned end, T eps2, T* turned) {
  constexpr int WARPS = BLOCK / 32;
  __shared__ RoundTile<T, BLOCK> tiles[2];
  __shared__ T other[WARPS][3][BLOCK];
  const unsigned lane = threadIdx.x % 32, next_lane = (lane + 1) % 32, warp = threadIdx.x / 32;
  const unsigned others = (rows - 1) / 2;
  const auto body_of = [&](unsigned t) {
    const unsigned place = row + t / ITEMS, column = place < rows ? place : place - rows;
    return bodies[(static_cast<long long>(column) * ITEMS + t % ITEMS) * BLOCK + threadIdx.x];
  };
  __syncthreads();  // the last row's tiles have been read
  Body<T> next = body_of(tile);
  unsigned turn = 0;
#pragma unroll 1
  for (; tile < end; ++tile, turn ^= 1) {
    tiles[turn].put(next);
    __syncthreads();
    if (tile + 1 < end) next = body_of(tile + 1);
    const unsigned distance = tile / ITEMS;
    if (distance == 0 || distance * 2 == rows) {
#pragma unroll 1
      for (int piece = 0; piece < WARPS; ++piece)
        pull_by_tile<T, ITEMS, 32, 4>(sums, at, tiles[turn].bodies[piece], eps2);
      continue;
    }
#pragma unroll 1
    for (int piece = 0; piece < WARPS; ++piece) {
      const Body<T>* const by = tiles[turn].bodies[piece] + lane;
      Vector<T> sum = {0, 0, 0};
#pragma unroll UNROLL
      for (int j = 0; j < 32; ++j) {
        const Body<T> body = by[j];
#pragma unroll
        for (int k = 0; k < ITEMS; ++k) pull_both(sums[k], at[k], masses[k], sum, body, eps2);
        sum.x = __shfl_sync(0xffffffff, sum.x, next_lane);
        sum.y = __shfl_sync(0xffffffff, sum.y, next_lane);
        sum.z = __shfl_sync(0xffffffff, sum.z, next_lane);
      }
      other[warp][0][piece * 32 + lane] = sum.x;
      other[warp][1][piece * 32 + lane] = sum.y;
      other[warp][2][piece * 32 + lane] = sum.z;
    }
    __syncthreads();
    T* const slot = turned + (static_cast<long long>(row) * others + distance - 1) * (3 * BLOCK * ITEMS) +
                    tile % ITEMS * BLOCK + threadIdx.x;
#pragma unroll
    for (int part = 0; part < 3; ++part) {
      T sum = other[0][part][threadIdx.x];
#pragma unroll
      for (int w = 1; w < WARPS; ++w) sum += other[w][part][threadIdx.x];
      slot[part * BLOCK * ITEMS] = sum;
    }
  }
}

// Puts the bodies into constant memory, and behind them bodies without mass to the end of the last tile.
template <typename T, Layout LAYOUT>
__global__ void nbody_gather(Body<T>* source, const T* bodies, long long n) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  source[i] = Bodies<T, LAYOUT>(bodies, n)[i];
}

template <typename T, Layout LAYOUT, Pairs PAIRS, Source SOURCE, int BLOCK, int ITEMS, int UNROLL, int RESIDENT>
__global__ void __launch_bounds__(BLOCK, RESIDENT / BLOCK)
    nbody(T* out, T* partials, T* turned, const T* bodies_of_caller, T eps, long long n, int split) {
  attune::allow_next();
  const Bodies<T, LAYOUT> bodies(bodies_of_caller, n);
  const unsigned rows = static_cast<unsigned>((n + BLOCK * ITEMS - 1) / (BLOCK * ITEMS));
  const unsigned tiles = PAIRS == Pairs::once ? ITEMS * (1 + rows / 2) : static_cast<unsigned>((n + BLOCK - 1) / BLOCK);
  const unsigned long long all = static_cast<unsigned long long>(rows) * tiles;
  const unsigned long long first = blockIdx.x * all / gridDim.x;
  unsigned long long left = (blockIdx.x + 1ull) * all / gridDim.x - first;
  unsigned row = static_cast<unsigned>(first / tiles), tile = static_cast<unsigned>(first % tiles);
#pragma unroll 1
  for (; left > 0; ++row, tile = 0) {
    const unsigned end = left < tiles - tile ? tile + static_cast<unsigned>(left) : tiles;
    left -= end - tile;
    const long long i = static_cast<long long>(row) * BLOCK * ITEMS + threadIdx.x;
    Vector<T> at[ITEMS], sums[ITEMS];
    [[maybe_unused]] T masses[ITEMS];
#pragma unroll
    for (int k = 0; k < ITEMS; ++k) {
      const Body<T> body = bodies[i + k * BLOCK];
      at[k] = {body.x, body.y, body.z};
      masses[k] = body.mass;
      sums[k] = {0, 0, 0};
    }
    if constexpr (PAIRS == Pairs::once) {
      pull_round<BLOCK, UNROLL>(sums, at, masses, bodies, row, rows, tile, end, eps * eps, turned);
    } else {
      pull_by_tiles<SOURCE, BLOCK, UNROLL>(sums, at, bodies, tile, end, eps * eps);
    }
    T* const slot = partials + (static_cast<long long>(blockIdx.x) + row) * (3 * BLOCK * ITEMS) + threadIdx.x;
#pragma unroll
    for (int k = 0; k < ITEMS; ++k) {
      if (split == 0) {
        if (i + k * BLOCK < n) put<LAYOUT>(out, n, i + k * BLOCK, sums[k]);
      } else {
        slot[k * BLOCK] = sums[k].x;
        slot[(ITEMS + k) * BLOCK] = sums[k].y;
        slot[(2 * ITEMS + k) * BLOCK] = sums[k].z;
      }
    }
  }
}

// Adds what the blocks have left for each row, in the order of the blocks, and what rows before it in the ring have.
template <typename T, Layout LAYOUT>
__global__ void __launch_bounds__(128) nbody_sum(T* out, const T* partials, const T* turned, long long n,
                                                 int row_bodies, long long row_tiles, long long blocks,
                                                 long long others) {
  attune::wait_for_previous();
  const long long i = static_cast<long long>(blockIdx.x) * 128 + threadIdx.x;
  if (i >= n) return;
  const long long row = i / row_bodies, rows = (n + row_bodies - 1) / row_bodies;
  const unsigned long long all = rows * row_tiles;
  // Block b has the tiles from b * all / blocks on, so tile t belongs to block ((t + 1) * blocks - 1) / all.
  const unsigned long long first = ((row * row_tiles + 1) * blocks - 1) / all;
  const unsigned long long last = ((row + 1) * row_tiles * blocks - 1) / all;
  Vector<T> sum = {0, 0, 0};
  const auto add = [&](const T* slot) {
    sum.x += slot[0];
    sum.y += slot[row_bodies];
    sum.z += slot[2 * row_bodies];
  };
#pragma unroll 4
  for (unsigned long long block = first; block <= last; ++block)
    add(partials + (block + row) * (3 * row_bodies) + i % row_bodies);
#pragma unroll 4
  for (long long k = 1; k <= others; ++k) {
    const long long from = row < k ? row - k + rows : row - k;
    add(turned + (from * others + k - 1) * (3 * row_bodies) + i % row_bodies);
  }
  put<LAYOUT>(out, n, i, sum);
}

// The reference: a thread for each body.
template <typename T, Layout LAYOUT>
__global__ void nbody_reference(T* out, const T* bodies, T eps, long long n) {
  const long long i = static_cast<long long>(blockIdx.x) * 64 + threadIdx.x;
  if (i >= n) return;
  const auto part = [=](long long k, int which) {
    return static_cast<double>(LAYOUT == Layout::aos ? bodies[4 * k + which] : bodies[which * n + k]);
  };
  const double at_x = part(i, 0), at_y = part(i, 1), at_z = part(i, 2), eps2 = static_cast<double>(eps) * eps;
  double sum_x = 0, sum_y = 0, sum_z = 0;
  for (long long j = 0; j < n; ++j) {
    const double x = part(j, 0) - at_x, y = part(j, 1) - at_y, z = part(j, 2) - at_z;
    const double d2 = x * x + y * y + z * z + eps2;
    const double strength = part(j, 3) / (d2 * sqrt(d2));
    sum_x += x * strength;
    sum_y += y * strength;
    sum_z += z * strength;
  }
  const double sums[] = {sum_x, sum_y, sum_z, 0};
  for (int which = 0; which < (LAYOUT == Layout::aos ? 4 : 3); ++which)
    out[LAYOUT == Layout::aos ? 4 * i + which : which * n + i] = static_cast<T>(sums[which]);
}
