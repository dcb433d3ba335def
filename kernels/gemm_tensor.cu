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
BM = [128, 64, 256]                            # a block's tile: rows of c,
BN = [256, 64, 128, 192]                       # columns of c
CONSUMERS = [2, 1]                             # warpgroups that multiply; another one loads
STAGES = [4, 3, 5, 6, 8]                       # of 64 products each, on their way into shared memory
PENDING = [0, 1]                               # stages that are multiplied while the next one is waited for
WRITTEN = [128, 64, 256]                       # columns of results that are in shared memory at once
CLUSTER = [2, 1]                               # blocks, one below the other, that share what they load of b
GROUP = [8, 1, 4, 16]                          # launch only: rows of tiles that run together, for the L2 cache
[values]
row_tiles = "ceil_div(m, BM * CLUSTER)"
tiles = "row_tiles * ceil_div(n, BN)"          # of clusters
stage = "128 * (BM + BN)"
sums = "BM / CONSUMERS * BN / 128"             # registers of a thread
[restrictions]
rules = [
    "BM % (64 * CONSUMERS) == 0",              # a product has 64 rows
    "sums <= 128 && sums >= 32",
    "BN % WRITTEN == 0",
    "STAGES * stage + 2 * BM * WRITTEN + 1024 <= device.shared_per_block - 256",
    "STAGES * stage >= 96 * 1024",             # what must be on its way
    "CLUSTER == 1 || ceil_div(m, BM) > 1",
    "(BM <= 2 * m || BM == 64) && (BN <= 2 * n || BN == 64)",
    "GROUP == 8 || row_tiles > GROUP || (GROUP == 1 && row_tiles > 1)",
]
[compile]
requires = "sm_90a if device.kind == 'cuda'"
[[launch]]
entry = "gemm_wgmma<T, BM, BN, CONSUMERS, STAGES, PENDING, WRITTEN, CLUSTER>"
grid = ["min(tiles, device.multiprocessors / CLUSTER) * CLUSTER"]
block = ["(CONSUMERS + 1) * 128"]
cluster = ["CLUSTER"]
shared = "STAGES * stage + 2 * BM * WRITTEN + 1024"
arguments = ["c", "a", "b", "a_map", "b_map", "c_map", "m", "n", "k", "group"]
[arguments]
c = { type = "T", size = "m * n", role = "out" }
a = { type = "T", size = "m * k", role = "in" }
b = { type = "T", size = "n * k", role = "in" }
m = { type = "int64" }
n = { type = "int64" }
k = { type = "int64" }
a_map = { tensor = "a", shape = ["k", "m"], box = ["64", "BM"], swizzle = 128 }
b_map = { tensor = "b", shape = ["k", "n"], box = ["64", "BN / CLUSTER"], swizzle = 128 }
c_map = { tensor = "c", shape = ["n", "m"], box = ["64", "64"], swizzle = 128 }
group = { type = "int32", value = "GROUP" }
[[reference]]
entry = "gemm_tensor_reference<T>"
grid = ["ceil_div(n, 32)", "min(ceil_div(m, 8), 65535)"]
block = ["32", "8"]
arguments = ["c", "a", "b", "m", "n", "k"]
[check]
# The result is rounded once, and so is the reference. Sums in float are as in matmul.cu, but tensor cores cut where
# others round: at most epsilon of a partial sum, for each 16 products. A sum walks like sqrt(i) / 3: sqrt(k) / 3 * k / 16
# epsilon in all, if all go the same way.
relative = "epsilon(T)"
absolute = "epsilon(float) * (k + 8 + sqrt(k) * k / 24)"
[metrics]
bytes = "2 * (m * k + n * k + m * n)"
flops = "2 * m * n * k"
[[ladder]]
name = "tiles"
source = "the order of P. Shah, Fast CUDA Matmul on Hopper (2024)"
problems = ["m=4096 n=4096 k=4096 T=bfloat16", "m=8192 n=8192 k=8192 T=bfloat16"]
steps = [
    { name = "one warpgroup multiplies", configuration = "BM=64 BN=128 CONSUMERS=1 STAGES=5 CLUSTER=1 GROUP=1" },
    { name = "a wider tile", configuration = "BM=64 BN=256 CONSUMERS=1 STAGES=4 CLUSTER=1 GROUP=1" },
    { name = "two warpgroups", configuration = "BM=128 BN=256 CONSUMERS=2 STAGES=4 CLUSTER=1 GROUP=1" },
    { name = "an order for the L2 cache", configuration = "BM=128 BN=256 CONSUMERS=2 STAGES=4 CLUSTER=1 GROUP=8" },
    { name = "clusters share b", configuration = "BM=128 BN=256 CONSUMERS=2 STAGES=4 CLUSTER=2 GROUP=8" },
]
*/
#include "attune.cuh"
#include "attune_async.cuh"
#include "attune_launch.cuh"
#include "attune_mma.cuh"
#include "attune_wgmma.cuh"

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
          attune::store_matrices<4>(box + (own ^ j % 8 * 8), {pair_of<T>(left[0], left[1]), pair_of<T>(left[2], left[3]),
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
