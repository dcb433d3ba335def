/*attune
[kernel]
name = "gemm_tensor"
summary = "c = a * transposed(b) on tensor cores: half or bfloat16, sums in float, row-major"
deterministic = true
[problem]
m = { size = 4096, host = 128 }
n = { size = 4096, host = 128 }
k = { size = 4096, host = 128 }
T = ["bfloat16", "half"]
[parameters]
# wgmma: sm_90 alone, n and k multiples of 8; mma: every size, sm_80; threads: no tensor cores, before sm_80
UNIT = ["Unit::wgmma", "Unit::mma", "Unit::threads"]
BM = [128, 64, 256]                            # a block's tile: rows of c,
BN = [256, 64, 128, 192]                       # columns of c
BK = [64, 32]                                  # and products added at once
WM = [64, 32]                                  # Unit::mma: a warp's tile
WN = [64, 32]
STAGES = [4, 3, 5, 6, 8, 2]                    # of BK products each, on their way into shared memory
CONSUMERS = [2, 1]                             # Unit::wgmma: warpgroups that multiply; another one loads,
PENDING = [0, 1]                               # stages that are multiplied while the next one is waited for,
WRITTEN = [128, 64, 256]                       # columns of results that are in shared memory at once,
CLUSTER = [2, 1]                               # and blocks, one below the other, that share what they load of b
GROUP = [8, 1, 4, 16]                          # launch only: rows of tiles that run together, for the L2 cache
[values]
by_groups = "UNIT == 'Unit::wgmma'"
by_warps = "UNIT == 'Unit::mma'"
row_tiles = "ceil_div(m, BM * CLUSTER)"
tiles = "row_tiles * ceil_div(n, BN)"          # of clusters
stage = "2 * BK * (BM + BN)"
sums = "BM / CONSUMERS * BN / 128"             # registers of a thread
warps = "BM / WM * (BN / WN)"
registers = "WM * WN / 32 + (WM + WN) / 2 + 48"  # sums, fragments, addresses
[restrictions]
rules = [
    "(BM <= 2 * m || BM == 64) && (BN <= 2 * n || BN == 64)",
    "GROUP == 8 || row_tiles > GROUP || (GROUP == 1 && row_tiles > 1)",
    # Warpgroups.
    "!by_groups || BM % (64 * CONSUMERS) == 0",  # a product has 64 rows
    "!by_groups || (sums <= 128 && sums >= 32)",
    "!by_groups || BN % WRITTEN == 0",
    "!by_groups || STAGES * stage + 2 * BM * WRITTEN + 1024 <= device.shared_per_block - 256",
    "!by_groups || (STAGES > 2 && STAGES * stage >= 96 * 1024)",  # what must be on its way
    "CLUSTER == 1 || ceil_div(m, BM) > 1",
    "!by_groups || (m < 2 ** 31 - 512 && n < 2 ** 31 - 512)",  # coordinates of tiles
    "!by_groups || (BK == 64 && WM == 64 && WN == 64)",
    # Warps.
    "!by_warps || (CONSUMERS == 2 && PENDING == 0 && WRITTEN == 128 && CLUSTER == 1)",
    "!by_warps || device.compute_capability >= 80 || device.kind == 'host'",
    "!by_warps || (warps in [2, 4, 8] && registers * 32 * warps <= 65536)",
    "!by_warps || STAGES <= 5",
    # Threads.
    """UNIT != 'Unit::threads' || (device.compute_capability < 80 && BM == 64 && BN == 64 && BK == 64 && WM == 64 \
      && WN == 64 && STAGES == 4 && CONSUMERS == 2 && PENDING == 0 && WRITTEN == 128 && CLUSTER == 1 && GROUP == 8)""",
    # Where warpgroups can multiply, and have tiles enough, some configurations are for comparison.
    """!by_warps || device.compute_capability != 90 || n % 8 != 0 || k % 8 != 0 || min(m, n) < 128 \
      || m * n < 128 * 128 * device.multiprocessors \
      || (BM > 64 && BN > 64 && WM == WN && GROUP in [1, 8])""",
]
[compile]
requires = "sm_90a if UNIT == 'Unit::wgmma' && device.kind == 'cuda'"
[[launch]]
entry = "gemm_wgmma<T, BM, BN, CONSUMERS, STAGES, PENDING, WRITTEN, CLUSTER>"
when = "by_groups"
grid = ["min(tiles, device.multiprocessors / CLUSTER) * CLUSTER"]
block = ["(CONSUMERS + 1) * 128"]
cluster = ["CLUSTER"]
shared = "STAGES * stage + 2 * BM * WRITTEN + 1024"
arguments = ["c", "a", "b", "a_map", "b_map", "c_map", "m", "n", "k", "group"]
[[launch]]
entry = "gemm_mma<T, BM, BN, BK, WM, WN, STAGES>"
when = "by_warps"
grid = ["tiles"]
block = ["32 * warps"]
shared = "max(STAGES * stage, 2 * BM * BN)"
arguments = ["c", "a", "b", "m", "n", "k", "group"]
[[launch]]
entry = "gemm_threads<T>"
when = "UNIT == 'Unit::threads'"
grid = ["min(ceil_div(m * n, 256), 65535)"]
block = ["256"]
arguments = ["c", "a", "b", "m", "n", "k"]
[arguments]
c = { type = "T", size = "m * n", role = "out" }
a = { type = "T", size = "m * k", role = "in" }
b = { type = "T", size = "n * k", role = "in" }
m = { type = "int64" }
n = { type = "int64" }
k = { type = "int64" }
a_map = { tensor = "a", shape = ["k", "m"], box = ["64", "BM"], swizzle = 128, when = "by_groups" }
b_map = { tensor = "b", shape = ["k", "n"], box = ["64", "BN / CLUSTER"], swizzle = 128, when = "by_groups" }
c_map = { tensor = "c", shape = ["n", "m"], box = ["64", "64"], swizzle = 128, when = "by_groups" }
group = { type = "int32", value = "GROUP" }
[[reference]]
entry = "gemm_tensor_reference<T>"
grid = ["ceil_div(n, 32)", "min(ceil_div(m, 8), 65535)"]
block = ["32", "8"]
arguments = ["c", "a", "b", "m", "n", "k"]
[check]
# The result is rounded once, and so is the reference. Sums in float are as in matmul.cu, but tensor cores cut where
# others round: at most epsilon of a partial sum, for each 16 products, or 8 on sm_80. A sum walks like sqrt(i) / 3:
# sqrt(k) / 3 * k / 8 epsilon in all, if all go the same way.
relative = "epsilon(T)"
absolute = "epsilon(float) * (k + 8 + sqrt(k) * k / 24)"
[metrics]
bytes = "2 * (m * k + n * k + m * n)"
items = "2 * m * n * k"                        # not flops, whose limit is that of threads
unit = "FLOP"
[[ladder]]
name = "tiles"
source = "the order of P. Shah, Fast CUDA Matmul on Hopper (2024)"
problems = ["m=4096 n=4096 k=4096 T=bfloat16", "m=8192 n=8192 k=8192 T=bfloat16"]
steps = [
    { name = "warps multiply", configuration = """UNIT=Unit::mma BM=128 BN=128 BK=32 WM=64 WN=64 STAGES=2 \
      CLUSTER=1 GROUP=1""" },
    { name = "more on its way", configuration = """UNIT=Unit::mma BM=128 BN=256 BK=64 WM=64 WN=64 STAGES=3 \
      CLUSTER=1 GROUP=8""" },
    { name = "one warpgroup multiplies", configuration = "BM=64 BN=128 CONSUMERS=1 STAGES=5 CLUSTER=1 GROUP=1" },
    { name = "a wider tile", configuration = "BM=64 BN=256 CONSUMERS=1 STAGES=4 CLUSTER=1 GROUP=1" },
    { name = "two warpgroups", configuration = "BM=128 BN=256 CONSUMERS=2 STAGES=4 CLUSTER=1 GROUP=1" },
    { name = "an order for the L2 cache", configuration = "BM=128 BN=256 CONSUMERS=2 STAGES=4 CLUSTER=1 GROUP=8" },
    { name = "clusters share b", configuration = "BM=128 BN=256 CONSUMERS=2 STAGES=4 CLUSTER=2 GROUP=8" },
]
*/
#include "attune.cuh"
#include "attune_access.cuh"
#include "attune_async.cuh"
#include "attune_launch.cuh"
#include "attune_mma.cuh"
#include "attune_wgmma.cuh"

/// Who multiplies: warpgroups, with loads by tensor maps (sm_90), warps, with loads by all threads (sm_80 and up), or each
/// thread by itself.
enum class Unit { wgmma, mma, threads };

// Tensor cores multiply so fast that a block must load 32 KiB and more for every 64 products of each sum, in time. So one
// warp does nothing but issue loads, some stages ahead, and hands its registers to the warpgroups that multiply (warp
// specialisation). Blocks stay and take tile after tile: the loads of the next one run while results are written. Blocks
// of a cluster that have the same columns load half of b's tile each, for both.

using attune::Barrier;
using attune::TensorMap;

constexpr int DEPTH = 64;  // products of a stage: rows of 128 bytes, as wide as a swizzle

/// Where the tiles are. Those of a cluster go down `group` rows, then to the next column.
struct Order {
  int rows, columns, group;  // in tiles of a cluster

  __device__ __forceinline__ long long count() const { return static_cast<long long>(rows) * columns; }
  __device__ __forceinline__ void place(long long tile, int& row, int& column) const {
    const long long of_strip = static_cast<long long>(group) * columns, strip = tile / of_strip;
    const int first = static_cast<int>(strip) * group, height = rows - first < group ? rows - first : group;
    const int inside = static_cast<int>(tile - strip * of_strip);
    row = first + inside % height;
    column = inside / height;
  }
};

/// A place in the ring of stages, and the parity of the phase that is waited for there.
template <int STAGES>
struct Place {
  int stage = 0;
  unsigned parity = 0;
  __device__ __forceinline__ void advance() {
    if (++stage == STAGES) {
      stage = 0;
      parity ^= 1;
    }
  }
};

// Two results as they lie together in memory. Called with neighbours of a row.
template <typename T>
__device__ __forceinline__ unsigned pair_of(float first, float second) {
  struct alignas(4) Pair {
    T values[2];
  } pair{{static_cast<T>(first), static_cast<T>(second)}};
  return reinterpret_cast<const unsigned&>(pair);
}

/// The thread that loads: all stages of all tiles of this block.
template <typename T, int BM, int BN, int STAGES, int CLUSTER>
__device__ __forceinline__ void load_tiles(T* stages, Barrier* full, Barrier* empty, const TensorMap& a_map,
                                           const TensorMap& b_map, const Order& order, int steps) {
  constexpr int STAGE = (BM + BN) * DEPTH;
  const int rank = static_cast<int>(attune::cluster_rank());
  Place<STAGES> at;
  for (long long tile = blockIdx.x / CLUSTER; tile < order.count(); tile += gridDim.x / CLUSTER) {
    int row, column;
    order.place(tile, row, column);
    const int row0 = (row * CLUSTER + rank) * BM, column0 = column * BN;
    for (int step = 0; step < steps; ++step, at.advance()) {
      T* const stage = stages + at.stage * STAGE;
      attune::wait(empty[at.stage], at.parity ^ 1);
      attune::arrive_expecting(full[at.stage], STAGE * sizeof(T));
      attune::load_tensor(stage, a_map, full[at.stage], step * DEPTH, row0);
      if constexpr (CLUSTER == 1) {
        attune::load_tensor(stage + BM * DEPTH, b_map, full[at.stage], step * DEPTH, column0);
      } else {
        constexpr int SHARE = BN / CLUSTER;
        attune::load_tensor_to_all(stage + (BM + rank * SHARE) * DEPTH, b_map, full[at.stage], (1u << CLUSTER) - 1,
                                   step * DEPTH, column0 + rank * SHARE);
      }
    }
  }
}

/// A warpgroup that multiplies: ROWS rows of each tile, from row `first` on.
template <typename T, int BM, int BN, int ROWS, int STAGES, int PENDING, int WRITTEN, int CLUSTER>
__device__ __forceinline__ void multiply_tiles(const T* stages, T* results, Barrier* full, Barrier* empty, Barrier& written,
                                               const TensorMap& c_map, const Order& order, int steps, int first, int rows,
                                               int columns) {
  constexpr int STAGE = (BM + BN) * DEPTH, PARTS = ROWS / 64;
  const int thread = static_cast<int>(threadIdx.x % 128), rank = static_cast<int>(attune::cluster_rank());
  Place<STAGES> at;
  for (long long tile = blockIdx.x / CLUSTER; tile < order.count(); tile += gridDim.x / CLUSTER) {
    float sums[PARTS][BN / 8][4];
    int before = -1;
    for (int step = 0; step < steps; ++step, at.advance()) {
      attune::wait(full[at.stage], at.parity);
      const T* const a = stages + at.stage * STAGE + first * DEPTH;
      const T* const b = stages + at.stage * STAGE + BM * DEPTH;
      attune::fence_wgmma();
#pragma unroll
      for (int i = 0; i < DEPTH; i += 16)
#pragma unroll
        for (int part = 0; part < PARTS; ++part)
          attune::wgmma<BN>(sums[part], a + part * 64 * DEPTH + i, b + i, step > 0 || i > 0);
      attune::commit_wgmma();
      // What is multiplied may be loaded again, in all blocks that load into it.
      attune::wait_for_wgmma<PENDING>();
      const int free = PENDING == 0 ? at.stage : before;
      if (free >= 0 && thread < CLUSTER) attune::arrive_at(empty[free], thread);
      before = at.stage;
    }
    if constexpr (PENDING > 0) {
      attune::wait_for_wgmma<0>();
      if (thread < CLUSTER) attune::arrive_at(empty[before], thread);
    }

    // Results go through shared memory, in boxes of 64 x 64. The stores before must have read it.
    int row, column;
    order.place(tile, row, column);
    const int row0 = (row * CLUSTER + rank) * BM + first, column0 = column * BN;
    // Lane 8 i + r says where row r of matrix i goes: the matrices are the quarters of 16 x 16 results.
    const int lane = thread % 32, own_row = thread / 32 * 16 + lane % 16;
    const int own = attune::swizzled<128, sizeof(T)>(own_row * 64 + lane / 16 * 8);
#pragma unroll
    for (int from = 0; from < BN; from += WRITTEN) {
      if (thread == 0) attune::wait_for_store_reads<0>();
      attune::arrive(written);
      attune::wait(written, 0);
#pragma unroll
      for (int part = 0; part < PARTS; ++part)
#pragma unroll
        for (int j = 0; j < WRITTEN / 8; j += 2) {
          T* const box = results + (part * (WRITTEN / 64) + j / 8) * 64 * 64;
          const float(&left)[4] = sums[part][from / 8 + j], (&right)[4] = sums[part][from / 8 + j + 1];
          // The swizzle depends on the row alone, so that columns are exclusive-ored behind it.
          attune::store_matrices<4>(box + (own ^ j % 8 * 8),
                                    {pair_of<T>(left[0], left[1]), pair_of<T>(left[2], left[3]),
                                     pair_of<T>(right[0], right[1]), pair_of<T>(right[2], right[3])});
        }
      attune::fence_shared_for_bulk();
      attune::arrive(written);
      attune::wait(written, 1);
      if (thread == 0) {
#pragma unroll
        for (int part = 0; part < PARTS; ++part)
#pragma unroll
          for (int box = 0; box < WRITTEN / 64; ++box) {
            const int x = column0 + from + box * 64, y = row0 + part * 64;
            if (x < columns && y < rows)
              attune::store_tensor(c_map, results + (part * (WRITTEN / 64) + box) * 64 * 64, x, y);
          }
        attune::commit_stores();
      }
    }
  }
  if (thread == 0) attune::wait_for_stores<0>();
}

// For arrays that begin at no multiple of 16 bytes, which have no map: slow, and right.
template <typename T>
__device__ __forceinline__ void multiply_elements(T* c, const T* a, const T* b, long long m, long long n, long long k) {
  const long long threads = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < m * n; i += threads) {
    const T *const of_a = a + i / n * k, *const of_b = b + i % n * k;
    float sum = 0;
    for (long long j = 0; j < k; ++j) sum += static_cast<float>(of_a[j]) * static_cast<float>(of_b[j]);
    c[i] = static_cast<T>(sum);
  }
}

template <typename T, int BM, int BN, int CONSUMERS, int STAGES, int PENDING, int WRITTEN, int CLUSTER>
__global__ void __launch_bounds__((CONSUMERS + 1) * 128, 1)
    gemm_wgmma(T* c, const T* a, const T* b, const __grid_constant__ TensorMap a_map, const __grid_constant__ TensorMap b_map,
               const __grid_constant__ TensorMap c_map, long long m, long long n, long long k, int group) {
  constexpr int ROWS = BM / CONSUMERS;
  extern __shared__ int4 shared_memory[];
  __shared__ Barrier full[STAGES], empty[STAGES], written[CONSUMERS];
  // Boxes with a swizzle of 128 begin at multiples of 1,024 bytes.
  const unsigned long long begin = reinterpret_cast<unsigned long long>(shared_memory);
  T* const stages = reinterpret_cast<T*>(begin + (1024 - begin % 1024) % 1024);
  T* const results = stages + STAGES * (BM + BN) * DEPTH;
  if (!attune::usable(a_map) || !attune::usable(b_map) || !attune::usable(c_map)) {
    multiply_elements(c, a, b, m, n, k);
    return;
  }
  if (threadIdx.x == 0) {
    for (int i = 0; i < STAGES; ++i) {
      attune::init(full[i], 1);
      attune::init(empty[i], CONSUMERS * CLUSTER);
    }
    for (int i = 0; i < CONSUMERS; ++i) attune::init(written[i], 128);
    attune::fence_barriers();
  }
  if constexpr (CLUSTER > 1) {
    attune::sync_cluster();
  } else {
    __syncthreads();
  }
  const Order order{static_cast<int>((m + BM * CLUSTER - 1) / (BM * CLUSTER)), static_cast<int>((n + BN - 1) / BN), group};
  const int steps = static_cast<int>((k + DEPTH - 1) / DEPTH), warpgroup = static_cast<int>(threadIdx.x) / 128;
  if (warpgroup == 0) {
    attune::give_registers<40>();
    if (threadIdx.x == 0) load_tiles<T, BM, BN, STAGES, CLUSTER>(stages, full, empty, a_map, b_map, order, steps);
  } else {
    attune::take_registers<232>();
    const int consumer = warpgroup - 1;
    multiply_tiles<T, BM, BN, ROWS, STAGES, PENDING, WRITTEN, CLUSTER>(
        stages, results + consumer * ROWS * WRITTEN, full, empty, written[consumer], c_map, order, steps, consumer * ROWS,
        static_cast<int>(m), static_cast<int>(n));
  }
  // No block ends while others arrive at its barriers.
  if constexpr (CLUSTER > 1) {
    __syncwarp();
    attune::sync_cluster();
  }
}

// ---- Warps ----

// Without tensor maps all threads issue copies, some stages ahead, and all of them multiply. Fragments of the next 16
// products are loaded from shared memory while those before are multiplied, across stages too.

// Returns how many neighbours of a row may be copied at once: rows of k elements begin at multiples of so many.
template <typename T>
__device__ __forceinline__ int copied_at_once(const T* a, const T* b, long long k) {
  using attune::aligned;
  using attune::Pack;
  if (k % 8 == 0 && aligned<Pack<T, 8>>(a) && aligned<Pack<T, 8>>(b)) return 8;
  return k % 2 == 0 && aligned<Pack<T, 2>>(a) && aligned<Pack<T, 2>>(b) ? 2 : 1;
}

/// SPAN rows of a or b, BK elements of each, as a block loads them: in pieces of 8 elements, with zeros beyond the end.
/// In shared memory pieces are mixed like those of a tensor map, so that 8 of a column meet no bank conflicts.
template <typename T, int SPAN, int BK, int THREADS>
struct Panel {
  static constexpr int PIECES = BK / 8, APART = THREADS / PIECES, STEPS = SPAN / APART;  // APART: rows between steps
  static_assert(APART % 8 == 0 && SPAN % APART == 0, "a thread's pieces lie alike in shared memory");

  const T* from;  // this thread's next piece
  long long pitch;
  int rows, first;  // rows that are there from this piece's on, and its place in the row

  __device__ __forceinline__ Panel(const T* matrix, long long row0, long long all_rows, long long k) : pitch(k) {
    const int row = static_cast<int>(threadIdx.x) / PIECES;
    const long long left = all_rows - row0 - row;
    first = static_cast<int>(threadIdx.x) % PIECES * 8;
    rows = static_cast<int>(left < SPAN ? left : SPAN);
    from = matrix + (row0 + row) * k + first;
  }

  /// Copies the next BK elements, of which `depth` are there.
  __device__ __forceinline__ void copy(T* to, long long depth, int at_once) {
    const int there = static_cast<int>(depth < BK ? depth : BK) - first;
    const T* piece = from;
    to += attune::swizzled<2 * BK, sizeof(T)>(static_cast<int>(threadIdx.x) / PIECES * BK + first);
    if (at_once == 8) {
#pragma unroll
      for (int step = 0; step < STEPS; ++step, piece += APART * pitch)
        attune::copy_async_or_zero<16>(to + step * APART * BK, piece, step * APART < rows && there > 0);
    } else if (at_once == 2) {
#pragma unroll 1
      for (int step = 0; step < STEPS; ++step, piece += APART * pitch)
#pragma unroll
        for (int i = 0; i < 8; i += 2)
          attune::copy_async_or_zero<4>(to + step * APART * BK + i, piece + i, step * APART < rows && i < there);
    } else {
#pragma unroll 4
      for (int step = 0; step < STEPS; ++step, piece += APART * pitch) {
        attune::Pack<T, 8> pack;
#pragma unroll
        for (int i = 0; i < 8; ++i)
          pack.element[i] = step * APART < rows && i < there ? piece[i] : static_cast<T>(0.0f);
        *reinterpret_cast<attune::Pack<T, 8>*>(to + step * APART * BK) = pack;
      }
    }
    from += BK;
  }
};

/// Writes the tile of c from shared memory, where pieces of 8 elements are exclusive-ored with their row.
template <typename T, int BM, int BN, int THREADS>
__device__ __forceinline__ void write_tile(T* to, const T* tile, long long n, int rows, int columns) {
  using P = attune::Pack<T, 8>;
  const int thread = static_cast<int>(threadIdx.x);
  if (n % 8 == 0 && attune::aligned<P>(to)) {
    constexpr int PIECES = BN / 8, APART = THREADS / PIECES;
    const int row = thread / PIECES, column = thread % PIECES * 8;
    if (column >= columns) return;
    to += row * n + column;
#pragma unroll 4
    for (int step = 0; step < BM; step += APART, to += APART * n)
      if (row + step < rows)
        attune::store_whole<attune::Cache::plain>(
            reinterpret_cast<P*>(to),
            *reinterpret_cast<const P*>(tile + (row + step) * BN + (column ^ (row + step) % 8 * 8)));
  } else {
#pragma unroll 4
    for (int i = thread; i < BM * BN; i += THREADS) {
      const int row = i / BN, column = i % BN;
      if (row < rows && column < columns) to[row * n + column] = tile[row * BN + (column ^ row % 8 * 8)];
    }
  }
}

template <typename T, int BM, int BN, int BK, int WM, int WN, int STAGES>
__global__ void __launch_bounds__(BM / WM * (BN / WN) * 32, 1)
    gemm_mma(T* c, const T* a, const T* b, long long m, long long n, long long k, int group) {
  constexpr int THREADS = BM / WM * (BN / WN) * 32, STAGE = (BM + BN) * BK, SUBSTEPS = BK / 16;
  extern __shared__ int4 shared_memory[];
  T* const shared = reinterpret_cast<T*>(shared_memory);
  const Order order{static_cast<int>((m + BM - 1) / BM), static_cast<int>((n + BN - 1) / BN), group};
  int tile_row, tile_column;
  order.place(blockIdx.x, tile_row, tile_column);
  const long long row0 = static_cast<long long>(tile_row) * BM, column0 = static_cast<long long>(tile_column) * BN;
  const int at_once = copied_at_once(a, b, k);
  Panel<T, BM, BK, THREADS> of_a(a, row0, m, k);
  Panel<T, BN, BK, THREADS> of_b(b, column0, n, k);

  long long left = k;  // products that are not on their way
  int loaded = 0;      // the stage that is loaded next
  const auto copy_stage = [&] {
    if (left > 0) {
      of_a.copy(shared + loaded * STAGE, left, at_once);
      of_b.copy(shared + loaded * STAGE + BM * BK, left, at_once);
    }
    attune::commit_copies();
    left -= BK;
    loaded = loaded + 1 == STAGES ? 0 : loaded + 1;
  };

  // Where this lane's rows of fragments begin. Columns are exclusive-ored behind the swizzle, which depends on the row.
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  const int warp_row = warp / (BN / WN) * WM, warp_column = warp % (BN / WN) * WN;
  const int row_of_a = warp_row + lane % 16, row_of_b = warp_column + lane % 8 + lane / 16 * 8;
  const int own_a = attune::swizzled<2 * BK, sizeof(T)>(row_of_a * BK + lane / 16 * 8);
  const int own_b = attune::swizzled<2 * BK, sizeof(T)>((BM + row_of_b) * BK + lane / 8 % 2 * 8);
  unsigned fragments_a[2][WM / 16][4], fragments_b[2][WN / 16][4];
  const auto load_fragments = [&](int to, const T* stage, int substep) {
#pragma unroll
    for (int i = 0; i < WM / 16; ++i)
      attune::load_matrices<4>(fragments_a[to][i], stage + (own_a ^ substep * 16) + i * 16 * BK);
#pragma unroll
    for (int j = 0; j < WN / 16; ++j)
      attune::load_matrices<4>(fragments_b[to][j], stage + (own_b ^ substep * 16) + j * 16 * BK);
  };

  float sums[WM / 16][WN / 8][4] = {};
#pragma unroll 1
  for (int ahead = 0; ahead + 1 < STAGES; ++ahead) copy_stage();
  attune::wait_for_copies<STAGES - 2>();
  __syncthreads();
  load_fragments(0, shared, 0);
  int multiplied = 0;
#pragma unroll 1
  for (long long done = 0; done < k; done += BK) {
#pragma unroll
    for (int substep = 0; substep < SUBSTEPS; ++substep) {
      if (substep == 0) copy_stage();  // all have read what was there, before the last barrier
      if (substep + 1 == SUBSTEPS) {
        attune::wait_for_copies<STAGES - 2>();
        __syncthreads();
        multiplied = multiplied + 1 == STAGES ? 0 : multiplied + 1;
      }
      // Behind the last stage these are of an old one, and unused.
      load_fragments((substep + 1) % 2, shared + multiplied * STAGE, (substep + 1) % SUBSTEPS);
#pragma unroll
      for (int i = 0; i < WM / 16; ++i)
#pragma unroll
        for (int j = 0; j < WN / 8; ++j) {
          const unsigned(&pair)[4] = fragments_b[substep % 2][j / 2];
          attune::mma_16x8x16<T>(sums[i][j], fragments_a[substep % 2][i], {pair[j % 2 * 2], pair[j % 2 * 2 + 1]});
        }
    }
  }

  __syncthreads();  // all have loaded their last fragments
  const int g = lane / 4, row = warp_row + g, column = (warp_column + lane % 4 * 2) ^ g * 8;
#pragma unroll
  for (int i = 0; i < WM / 16; ++i)
#pragma unroll
    for (int j = 0; j < WN / 8; ++j)
#pragma unroll
      for (int half = 0; half < 2; ++half)
        *reinterpret_cast<unsigned*>(shared + (row + i * 16 + half * 8) * BN + (column ^ j * 8)) =
            pair_of<T>(sums[i][j][2 * half], sums[i][j][2 * half + 1]);
  __syncthreads();
  write_tile<T, BM, BN, THREADS>(c + row0 * n + column0, shared, n, static_cast<int>(m - row0 < BM ? m - row0 : BM),
                                 static_cast<int>(n - column0 < BN ? n - column0 : BN));
}

template <typename T>
__global__ void __launch_bounds__(256) gemm_threads(T* c, const T* a, const T* b, long long m, long long n, long long k) {
  multiply_elements(c, a, b, m, n, k);
}

template <typename T>
__global__ void gemm_tensor_reference(T* c, const T* a, const T* b, long long m, long long n, long long k) {
  const long long column = static_cast<long long>(blockIdx.x) * 32 + threadIdx.x;
  for (long long row = blockIdx.y * 8 + threadIdx.y; row < m && column < n; row += gridDim.y * 8) {
    attune::Wide<T> sum = 0;
    for (long long i = 0; i < k; ++i)
      sum += static_cast<attune::Wide<T>>(static_cast<float>(a[row * k + i])) *
             static_cast<attune::Wide<T>>(static_cast<float>(b[column * k + i]));
    c[row * n + column] = static_cast<T>(static_cast<float>(sum));
  }
}
