/*attune
[kernel]
name = "matmul"
summary = "c = alpha op(a) op(b), or with + beta c, row-major"
deterministic = true
[problem]
m = { size = 4096, host = 128 }
n = { size = 4096, host = 128 }
k = { size = 4096, host = 128 }
T = ["float", "double"]
TA = { choice = ["Trans::no", "Trans::yes"] }  # a is m x k, or k x m
TB = { choice = ["Trans::no", "Trans::yes"] }  # b is k x n, or n x k
BETA = { choice = ["Beta::zero", "Beta::any"] } # zero: c is written alone, and beta is not used
[parameters]
BM = [128, 256, 64, 32, 16]                    # a block's tile: rows of c,
BN = [128, 256, 64, 32]                        # columns of c,
BK = [16, 8, 32]                               # and products added at once
WM = [64, 16, 32, 128]                         # a warp's tile
WN = [32, 8, 16, 64, 128]
TM = [8, 2, 4, 16]                          # a thread's tile
TN = [8, 1, 2, 4, 16]
VECTOR = [4, 1, 2]                             # elements per access
STEP = ["Step::async", "Step::registers", "Step::two_tiles", "Step::one_tile", "Step::naive"]
UNIT = ["Unit::mma_k4", "Unit::mma_k8", "Unit::mma_k16", "Unit::fma"]  # what multiplies doubles, behind Step::async
STAGES = [3, 1, 2, 4]                          # tiles of a and b in shared memory
MIN_BLOCKS = [2, 1, 3, 4]                      # per multiprocessor: the compiler's limit of registers
SPLIT_K = [1, 2, 3, 4, 6, 8, 12, 16, 32, 64]   # launch only: parts of k, which step two adds in order
GROUP = [8, 1, 16]                             # launch only: rows of tiles that run together, for the L2 cache
PERSISTENT = [false, true]                     # launch only: blocks that take tile after tile
OVERLAP = [true, false]                        # launch only: step two begins early
[values]
threads = "BM / WM * (BN / WN) * 32"
tiles = "ceil_div(m, BM) * ceil_div(n, BN)"
units = "tiles * SPLIT_K"                      # parts of tiles
slice = "round_up(m * n, 4)"                   # elements from one part's sums to the next's
is_mma = "T == 'double' && STEP == 'Step::async' && UNIT != 'Unit::fma'"
mma_k = "UNIT == 'Unit::mma_k4' ? 4 : (UNIT == 'Unit::mma_k8' ? 8 : 16)"
# Sums, fragments, addresses. Behind mma.sync the compiler spills below 132, however small the tile.
registers = """is_mma ? max(132, 2 * TM * TN + mma_k / 4 * (8 + 2 * TN) + 44) \
  : sizeof(T) / 4 * (TM * TN + 2 * TM + 2 * TN) + (T == 'double' ? 50 : 32)"""
padding = "is_mma ? 4 * (TA == 'Trans::no' ? BM : BK) + 4 * (TB == 'Trans::yes' ? BN : BK) : 2 * VECTOR * BK"
stage = "(BK * (BM + BN) + padding) * sizeof(T)"
is_tiled = "STEP in ['Step::async', 'Step::registers']"
is_small = "TM * TN < (is_mma ? 8 : 16)"       # a thread's tile, that is
[restrictions]
rules = [
    "VECTOR * sizeof(T) <= 16",                # the widest access
    "BM % WM == 0 && BN % WN == 0 && WM % TM == 0 && WN % TN == 0",
    "WM / TM * (WN / TN) == 32",               # the lanes of a warp
    "threads >= 32 && threads <= 512",
    "UNIT == 'Unit::mma_k4' || (T == 'double' && STEP == 'Step::async')",
    "!is_mma || (WM == 8 * TM && WN == 4 * TN && BK % mma_k == 0)",  # lanes as mma.sync has them
    "!is_mma || registers < 220 || BK <= 16",    # the compiler loads far ahead, and spills
    "!is_mma || mma_k == 4 || device.compute_capability >= 90 || device.kind == 'host'",
    # As many blocks as there are registers for, and shared memory.
    "registers <= 240 && registers * threads * MIN_BLOCKS <= 65536",
    "BK <= 16 && MIN_BLOCKS < 4 || registers * threads * MIN_BLOCKS <= 60000",
    "MIN_BLOCKS == 4 || registers * threads * (MIN_BLOCKS + 1) > 65536 || !is_tiled || is_small",
    "MIN_BLOCKS * (STAGES * stage + device.shared_reserved) <= device.shared_per_multiprocessor",
    # Tiles that are not far from a square move least; long ones are for products with few rows.
    "!is_tiled || (BM <= 2 * BN && (BN <= 2 * BM || m <= 64))",
    "WM <= 2 * WN && WN <= 4 * WM && TM <= 2 * TN && TN <= 4 * TM || STEP != 'Step::async'",
    "is_small || (BM * BK >= VECTOR * threads / 2 && BN * BK >= VECTOR * threads / 2)",  # all threads load
    # Elements beyond the end cost as much as others.
    "!is_tiled || ((BM <= 2 * m || BM == 16) && (BN <= 2 * n || BN == 32))",
    "STEP != 'Step::async' || (device.compute_capability >= 80 || device.kind == 'host')",
    # Before sm_90 the compiler has no registers left for more.
    "BK == 8 || (STAGES < 4 && BK == 16) || device.compute_capability >= 90 || !is_tiled || device.kind == 'host'",
    "STEP != 'Step::async' || (STAGES > 1 && VECTOR * sizeof(T) == 16 && !is_small)",
    # Through registers: the middle of the ladder, and GPUs before sm_80.
    "STEP != 'Step::registers' || (STAGES <= 2 && SPLIT_K == 1 && !PERSISTENT && GROUP == 8 && BM == BN && VECTOR != 2 && (BK == 8 || is_small))",
    "STEP != 'Step::registers' || (TM == TN ? TM in [2, 8] : TN == 1 && TM == 8)",
    "!is_small || (is_tiled ? BM <= 64 && VECTOR == 1 && STAGES == 1 && MIN_BLOCKS == 1 : true)",
    # A part has something to do. Parts are made where tiles leave multiprocessors idle.
    "SPLIT_K == 1 || (SPLIT_K - 1) * ceil_div(k, SPLIT_K * BK) * BK < k",
    "SPLIT_K == 1 || k >= SPLIT_K * 32",
    "SPLIT_K == 1 || (tiles <= 2 * device.multiprocessors && units <= 16 * device.multiprocessors)",
    "SPLIT_K > 1 || OVERLAP",
    "!PERSISTENT || (SPLIT_K == 1 && units > MIN_BLOCKS * device.multiprocessors)",
    "GROUP == 8 || ceil_div(m, BM) > 8",
    # The first steps of the ladder have no more to choose.
    """is_tiled || (BM == 32 && BN == 32 && BK == 32 && WM == 16 && WN == 16 && TM == 2 && TN == 4 && VECTOR == 1 \
      && STAGES == 1 && SPLIT_K == 1 && MIN_BLOCKS == 1 && GROUP == 8 && !PERSISTENT)""",
]
[[launch]]
entry = "matmul<T, TA, TB, BETA, BM, BN, BK, WM, WN, TM, TN, VECTOR, STEP, UNIT, STAGES, MIN_BLOCKS>"
when = "is_tiled"
grid = ["PERSISTENT ? min(units, MIN_BLOCKS * device.multiprocessors) : units"]
block = ["threads"]
shared = "STAGES * stage"
arguments = ["c", "parts", "a", "b", "alpha", "beta", "m", "n", "k", "split", "group"]
[[launch]]
entry = "matmul_sum<T, BETA>"
when = "SPLIT_K > 1"
overlap = "OVERLAP"
grid = ["ceil_div(slice, 1024)"]
block = ["256"]
arguments = ["c", "parts", "alpha", "beta", "elements", "split"]
[[launch]]
entry = "matmul_simple<T, TA, TB, BETA, STEP>"
when = "!is_tiled"
grid = ["ceil_div(n, 32)", "min(ceil_div(m, 32), 65535)"]
block = ["32", "32"]
arguments = ["c", "a", "b", "alpha", "beta", "m", "n", "k"]
[arguments]
c = { type = "T", size = "m * n", role = "inout" }
a = { type = "T", size = "m * k", role = "in" }
b = { type = "T", size = "k * n", role = "in" }
alpha = { type = "T", fill = "0.75" }
beta = { type = "T", fill = "BETA == 'Beta::any' ? 0.5 : 0" }
m = { type = "int64" }
n = { type = "int64" }
k = { type = "int64" }
parts = { type = "T", size = "SPLIT_K > 1 ? SPLIT_K * slice : 4", role = "scratch" }
split = { type = "int32", value = "SPLIT_K" }
group = { type = "int32", value = "GROUP" }
elements = { type = "int64", value = "m * n" }
[[reference]]
entry = "matmul_reference<T, TA, TB, BETA>"
grid = ["ceil_div(n, 32)", "min(ceil_div(m, 8), 65535)"]
block = ["32", "8"]
arguments = ["c", "a", "b", "alpha", "beta", "m", "n", "k"]
[check]
# Products of two out of uniform(-1, 1) have a deviation of 1 / 3, so that partial sums walk like sqrt(i) / 3. Each is
# rounded with a deviation of 0.22 epsilon relative to it, which adds up to 0.22 epsilon k / sqrt(18) = 0.05 epsilon k.
# Twenty deviations, as there are many elements and some walk far, and 8 epsilon for the scales: 5e-4 at k = 4096, where
# a lost product is 0.19 at the median, and less than that once in 250. The reference of double rounds likewise.
absolute = "epsilon(T) * (k + 8) * (T == 'double' ? 1.5 : 1)"
[metrics]
bytes = "(m * k + k * n + m * n) * sizeof(T)"
flops = "2 * m * n * k"
[[ladder]]
name = "tiles"
source = """the order of NVIDIA's CUDA C Best Practices Guide (naive, a's tile, both tiles: effective bandwidths there) and \
  of S. Boehm, How to Optimize a CUDA Matmul Kernel (2022)"""
problems = ["m=512 n=512 k=512 T=float", "m=4096 n=4096 k=4096 T=float"]
steps = [
    { name = "naive", published = "8.8 GB/s", configuration = """STEP=Step::naive BM=32 BN=32 BK=32 WM=16 WN=16 TM=2 TN=4 \
      VECTOR=1 STAGES=1 MIN_BLOCKS=1""" },
    { name = "a's tile in shared memory", published = "14.3 GB/s", configuration = """STEP=Step::one_tile BM=32 BN=32 \
      BK=32 WM=16 WN=16 TM=2 TN=4 VECTOR=1 STAGES=1 MIN_BLOCKS=1""" },
    { name = "both tiles", published = "29.7 GB/s", configuration = """STEP=Step::two_tiles BM=32 BN=32 BK=32 WM=16 WN=16 \
      TM=2 TN=4 VECTOR=1 STAGES=1 MIN_BLOCKS=1""" },
    { name = "blocked: 2 x 2 per thread", configuration = """STEP=Step::registers BM=32 BN=32 BK=32 WM=16 WN=8 TM=2 TN=2 \
      VECTOR=1 STAGES=1 MIN_BLOCKS=1""" },
    { name = "a column of 8 per thread", configuration = """STEP=Step::registers BM=64 BN=64 BK=8 WM=16 WN=16 TM=8 TN=1 \
      VECTOR=1 STAGES=1 MIN_BLOCKS=1""" },
    { name = "8 x 8 per thread", configuration = """STEP=Step::registers BM=128 BN=128 BK=8 WM=16 WN=128 TM=8 TN=8 \
      VECTOR=1 STAGES=1 MIN_BLOCKS=2""" },
    { name = "vectors", configuration = """STEP=Step::registers BM=128 BN=128 BK=8 WM=16 WN=128 TM=8 TN=8 VECTOR=4 \
      STAGES=1 MIN_BLOCKS=2""" },
    { name = "warp tiles", configuration = """STEP=Step::registers BM=128 BN=128 BK=8 WM=64 WN=32 TM=8 TN=8 VECTOR=4 \
      STAGES=2 MIN_BLOCKS=2""" },
    { name = "copies beside the threads", configuration = "STEP=Step::async" },
]
*/
#include "attune.cuh"
#include "attune_access.cuh"
#include "attune_async.cuh"
#include "attune_launch.cuh"
#include "attune_mma.cuh"

using attune::Cache;
using attune::Pack;

// A product of n x n matrices multiplies n^3 times and moves 3 n^2 elements, so that from some n on multiplications
// count alone. Each needs two numbers. A thread that holds TM x TN sums takes TM + TN numbers from shared memory for
// each k. A block takes BM + BN from global memory (V. Volkov and J. Demmel, Benchmarking GPUs to Tune Dense Linear
// Algebra, 2008). Small products have too few tiles for a GPU: then k is cut.

enum class Trans { no, yes };
enum class Beta { zero, any };

/// How tiles come into shared memory: by copies that run beside the threads, some tiles ahead; through registers, one
/// tile ahead. Or the steps of a tutorial: both tiles, a's tile, none in shared memory, one element of c per thread.
enum class Step { async, registers, two_tiles, one_tile, naive };

/// What multiplies doubles that copies bring: the matrix unit (mma.sync), by 4, 8 or 16 of k at once, or each thread.
enum class Unit { mma_k4, mma_k8, mma_k16, fma };

// Returns the value, of which the compiler does not know that it is the same as before. So it is not kept in a register
// (or worse, in memory) over the loop that needs all of them.
template <typename V>
__device__ __forceinline__ V detached(V value) {
#ifdef __CUDA_ARCH__
  if constexpr (sizeof(V) == 8) {
    asm volatile("" : "+l"(value));
  } else {
    asm volatile("" : "+r"(value));
  }
#endif
  return value;
}

/// A panel of a or b: SPAN rows of c (or columns) by BK, as a block loads it. In shared memory it lies by k: what
/// belongs to one k is together. Where the matrix has k innermost (BY_K), copies turn it (TURNS), and each then moves
/// one element; or the panel lies as in the matrix. Sizes are powers of two, so that a piece's place is that of the
/// thread plus that of the step.
template <typename T, int SPAN, int BK, int STRIDE, bool BY_K, bool TURNS, int WIDTH, int THREADS>
struct Panel {
  static constexpr int PIECES = SPAN * BK / WIDTH, STEPS = (PIECES + THREADS - 1) / THREADS;
  static constexpr int LANES = WIDTH == 1 ? 8 : BK / WIDTH;  // pieces of a row that neighbouring threads take
  using P = Pack<T, WIDTH>;

  // The place of piece `i` in the panel: its first element along the span, and along k.
  static __device__ __forceinline__ constexpr int span(int i) {
    return BY_K ? i / LANES % SPAN : i % (SPAN / WIDTH) * WIDTH;
  }
  static __device__ __forceinline__ constexpr int depth(int i) {
    return BY_K ? (i % LANES + i / (LANES * SPAN) * LANES) * WIDTH : i / (SPAN / WIDTH);
  }
  static __device__ __forceinline__ int own() { return static_cast<int>(threadIdx.x & (THREADS - 1)); }
  static __device__ __forceinline__ long long offset(int i, long long pitch) {
    return BY_K ? span(i) * pitch + depth(i) : depth(i) * pitch + span(i);
  }
  static __device__ __forceinline__ int place(int i) {
    return BY_K && !TURNS ? span(i) * STRIDE + depth(i) : depth(i) * STRIDE + span(i);
  }
  static __device__ __forceinline__ bool has_piece() { return PIECES % THREADS == 0 || own() < PIECES; }

  /// Copies the panel that begins at `from` to shared memory, of which `spans` x `depths` elements are there.
  static __device__ __forceinline__ void copy(T* to, const T* from, long long pitch, int spans, int depths) {
    static_assert(!TURNS || WIDTH == 1, "copies that turn move one element");
    if (!has_piece()) return;
    to += place(own());
    const T* mine = from + offset(own(), pitch);
    if (spans >= SPAN && depths >= BK) {
#pragma unroll
      for (int step = 0; step < STEPS; ++step) {
        attune::copy_async<sizeof(P)>(to + place(step * THREADS), mine);
        mine = detached(mine + (offset((step + 1) * THREADS, pitch) - offset(step * THREADS, pitch)));
      }
    } else {
      spans -= span(own());
      depths -= depth(own());
#pragma unroll
      for (int step = 0; step < STEPS; ++step) {
        const bool is_there = span(step * THREADS) < spans && depth(step * THREADS) < depths;
        attune::copy_async_or_zero<sizeof(P)>(to + place(step * THREADS), is_there ? mine : from, is_there);
        mine = detached(mine + (offset((step + 1) * THREADS, pitch) - offset(step * THREADS, pitch)));
      }
    }
  }

  /// The same in two halves, through registers.
  static __device__ __forceinline__ void load(P (&held)[STEPS], const T* from, long long pitch, int spans, int depths) {
    const T* const mine = from + offset(own(), pitch);
    spans -= span(own());
    depths -= depth(own());
#pragma unroll
    for (int step = 0; step < STEPS; ++step) {
      if (has_piece() && span(step * THREADS) < spans && depth(step * THREADS) < depths) {
        held[step] = attune::load<Cache::plain>(reinterpret_cast<const P*>(mine + offset(step * THREADS, pitch)));
      } else {
#pragma unroll
        for (int v = 0; v < WIDTH; ++v) held[step].element[v] = T(0);
      }
    }
  }
  static __device__ __forceinline__ void store(T* to, const P (&held)[STEPS]) {
    if (!has_piece()) return;
    to += place(own());
#pragma unroll
    for (int step = 0; step < STEPS; ++step) {
      T* const target = to + place(step * THREADS);
      if constexpr (TURNS) {
#pragma unroll
        for (int v = 0; v < WIDTH; ++v) target[v * STRIDE] = held[step].element[v];
      } else {
        *reinterpret_cast<P*>(target) = held[step];
      }
    }
  }
};

/// One of the two matrices, as a tile of c sees it: from its first row (or column) of the tile and its first k.
template <typename T>
struct Operand {
  const T* from;
  long long pitch;
  int spans;   // rows (or columns) that are left from there, or those of the tile if more are
  bool packs;  // may it be read by packs?
};

// A matrix may be read by packs where each row of it begins at a multiple of one. `width`: elements of a row.
template <int VECTOR, typename T>
__device__ __forceinline__ bool by_packs(const T* matrix, long long width) {
  return VECTOR > 1 && attune::aligned<Pack<T, VECTOR>>(matrix) && width % VECTOR == 0;
}

template <typename T, int BM, int BN, int BK, int WM, int WN, int TM, int TN, int VECTOR, Step STEP, Unit UNIT, int STAGES,
          bool A_BY_K, bool B_BY_K>
struct Tile {
  static constexpr int THREADS = BM / WM * (BN / WN) * 32;
  static constexpr bool IS_MMA = sizeof(T) == 8 && STEP == Step::async && UNIT != Unit::fma;
  // Padded, so that copies that turn meet no bank conflicts. Nor do fragments of mma.sync, at 4 or 12 modulo 16 doubles.
  static constexpr bool A_TURNS = A_BY_K && !IS_MMA, B_TURNS = B_BY_K && !IS_MMA, A_LIES_BY_K = !A_BY_K || A_TURNS,
                        B_LIES_BY_K = !B_BY_K || B_TURNS;
  static constexpr int PADDING = IS_MMA ? 4 : VECTOR;
  static constexpr int A_STRIDE = (A_LIES_BY_K ? BM : BK) + PADDING, B_STRIDE = (B_LIES_BY_K ? BN : BK) + PADDING;
  static constexpr int A_STAGE = A_STRIDE * (A_LIES_BY_K ? BK : BM), STAGE = A_STAGE + B_STRIDE * (B_LIES_BY_K ? BK : BN);
  // Elements of a fragment's pack, and lanes of a warp.
  static constexpr int MV = IS_MMA ? 1 : TM < VECTOR ? TM : VECTOR, NV = IS_MMA ? 2 : TN < VECTOR ? TN : VECTOR;
  static constexpr int LM = WM / TM, LN = WN / TN;
  static constexpr int UNROLL = 8;  // more wants more registers, and leaves the instruction cache

  // Where this thread's elements of the tile begin. Lanes go in squares of 2 x 2: loads of neighbouring lanes then share
  // addresses in both operands, which the hardware needs to serve such loads together.
  static __device__ __forceinline__ int lane_row(int lane) {
    if constexpr (IS_MMA) return lane / 4;
    if constexpr (LM == 1 || LN == 1) return LM == 1 ? 0 : lane;
    return (lane >> 1 & 1) | (lane >> 2) / (LN / 2) << 1;
  }
  static __device__ __forceinline__ int lane_column(int lane) {
    if constexpr (IS_MMA) return lane % 4;
    if constexpr (LM == 1 || LN == 1) return LN == 1 ? 0 : lane;
    return (lane & 1) | (lane >> 2) % (LN / 2) << 1;
  }
  static __device__ __forceinline__ int first_row(int thread) {
    return thread / 32 / (BN / WN) * WM + lane_row(thread & 31) * MV;
  }
  static __device__ __forceinline__ int first_column(int thread) {
    return thread / 32 % (BN / WN) * WN + lane_column(thread & 31) * NV;
  }

  template <int N, int V, int APART>
  static __device__ __forceinline__ void load_fragment(T (&fragment)[N], const T* from) {
#pragma unroll
    for (int i = 0; i < N / V; ++i) {
      const auto pack = *reinterpret_cast<const Pack<T, V>*>(from + i * APART);
#pragma unroll
      for (int v = 0; v < V; ++v) fragment[i * V + v] = pack.element[v];
    }
  }

  /// Adds the products of one stage. Fragments of the next k are loaded while those of this one are multiplied.
  static __device__ __forceinline__ void multiply(T (&sums)[TM][TN], const T* stage) {
    const T* const of_a = stage + first_row(threadIdx.x);
    const T* const of_b = stage + A_STAGE + first_column(threadIdx.x);
    T a[2][TM], b[2][TN];
    load_fragment<TM, MV, LM * MV>(a[0], of_a);
    load_fragment<TN, NV, LN * NV>(b[0], of_b);
#pragma unroll UNROLL
    for (int k = 0; k < BK; ++k) {
      if (k + 1 < BK) {
        load_fragment<TM, MV, LM * MV>(a[(k + 1) & 1], of_a + (k + 1) * A_STRIDE);
        load_fragment<TN, NV, LN * NV>(b[(k + 1) & 1], of_b + (k + 1) * B_STRIDE);
      }
#pragma unroll
      for (int i = 0; i < TM; ++i)
#pragma unroll
        for (int j = 0; j < TN; ++j) {
          const int back_and_forth = i % 2 == 0 ? j : TN - 1 - j;  // two multiplications in a row share an operand
          sums[i][back_and_forth] += a[k & 1][i] * b[k & 1][back_and_forth];
        }
    }
  }

  // The same by mma.sync: a warp adds 16 rows by 8 columns at once. The thread's sums are those of its lane: TM rows that
  // are 8 apart, and pairs of columns likewise. One fragment of a is loaded ahead, and those of b for the next k.
  static __device__ __forceinline__ void multiply_by_warp(T (&sums)[TM][TN], const T* stage) {
    constexpr int K = UNIT == Unit::mma_k16 ? 16 : UNIT == Unit::mma_k8 ? 8 : 4, ROUNDS = BK / K;
    static_assert(LM == 8 && LN == 4 && TM % 2 == 0 && TN % 2 == 0 && BK % K == 0, "lanes lie as mma.sync has them");
    constexpr int A_ROW = A_LIES_BY_K ? 1 : A_STRIDE, A_DEPTH = A_LIES_BY_K ? A_STRIDE : 1;
    constexpr int B_COLUMN = B_LIES_BY_K ? 1 : B_STRIDE, B_DEPTH = B_LIES_BY_K ? B_STRIDE : 1;
    const int warp = threadIdx.x / 32, g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
    const T* const of_a = stage + (warp / (BN / WN) * WM + g) * A_ROW + t * A_DEPTH;
    const T* const of_b = stage + A_STAGE + (warp % (BN / WN) * WN + g) * B_COLUMN + t * B_DEPTH;
    T a[2][K / 2], b[2][TN / 2][K / 4];
    const auto load_a = [&](int piece) {  // of 16 rows by K
      const T* const from = of_a + piece % (TM / 2) * 16 * A_ROW + piece / (TM / 2) * K * A_DEPTH;
#pragma unroll
      for (int i = 0; i < K / 2; ++i) a[piece & 1][i] = from[i % 2 * 8 * A_ROW + i / 2 * 4 * A_DEPTH];
    };
    const auto load_b = [&](int round) {
#pragma unroll
      for (int j = 0; j < TN / 2; ++j)
#pragma unroll
        for (int i = 0; i < K / 4; ++i) b[round & 1][j][i] = of_b[j * 8 * B_COLUMN + (round * K + i * 4) * B_DEPTH];
    };
    load_b(0);
    load_a(0);
#pragma unroll
    for (int piece = 0; piece < ROUNDS * TM / 2; ++piece) {
      const int round = piece / (TM / 2), i = piece % (TM / 2) * 2;
      if (piece + 1 < ROUNDS * TM / 2) load_a(piece + 1);
      if (i == 0 && round + 1 < ROUNDS) load_b(round + 1);
#pragma unroll
      for (int j = 0; j < TN; j += 2) {
        T four[4] = {sums[i][j], sums[i][j + 1], sums[i + 1][j], sums[i + 1][j + 1]};
        if constexpr (K == 4) attune::mma_16x8x4(four, a[piece & 1], b[round & 1][j / 2]);
        if constexpr (K == 8) attune::mma_16x8x8(four, a[piece & 1], b[round & 1][j / 2]);
        if constexpr (K == 16) attune::mma_16x8x16(four, a[piece & 1], b[round & 1][j / 2]);
#pragma unroll
        for (int v = 0; v < 4; ++v) sums[i + v / 2][j + v % 2] = four[v];
      }
    }
  }

  // One panel by packs, or by elements.
  template <int SPAN, int STRIDE, bool BY_K, bool TURNS>
  static __device__ __forceinline__ void copy(T* to, const T* from, const Operand<T>& operand, int depths) {
    if (TURNS || VECTOR == 1 || !operand.packs) {
      Panel<T, SPAN, BK, STRIDE, BY_K, TURNS, 1, THREADS>::copy(to, from, operand.pitch, operand.spans, depths);
    } else {
      Panel<T, SPAN, BK, STRIDE, BY_K, TURNS, TURNS ? 1 : VECTOR, THREADS>::copy(to, from, operand.pitch, operand.spans, depths);
    }
  }

  static __device__ __forceinline__ void sum_async(T (&sums)[TM][TN], T* shared, const Operand<T>& a, const Operand<T>& b,
                                                   long long k) {
    const int steps = static_cast<int>((k + BK - 1) / BK), last_depths = static_cast<int>(k - (steps - 1LL) * BK);
    const long long a_step = A_BY_K ? BK : BK * a.pitch, b_step = B_BY_K ? BK : BK * b.pitch;
    const T *next_a = a.from, *next_b = b.from;
    int next = 0, next_stage = 0;
    const auto copy_stage = [&] {
      if (next < steps) {
        T* const stage = shared + next_stage * STAGE;
        const int depths = next + 1 < steps ? BK : last_depths;
        copy<BM, A_STRIDE, A_BY_K, A_TURNS>(stage, next_a, a, depths);
        copy<BN, B_STRIDE, B_BY_K, B_TURNS>(stage + A_STAGE, next_b, b, depths);
        next_a += a_step;
        next_b += b_step;
      }
      attune::commit_copies();
      ++next;
      next_stage = next_stage + 1 == STAGES ? 0 : next_stage + 1;
    };
    if constexpr (IS_MMA) {  // one copy of the code: more of them cost registers
#pragma unroll 1
      for (int ahead = 0; ahead + 1 < STAGES; ++ahead) copy_stage();
    } else {
#pragma unroll
      for (int ahead = 0; ahead + 1 < STAGES; ++ahead) copy_stage();
    }
    int stage = 0;
#pragma unroll 1
    for (int step = 0; step < steps; ++step) {
      attune::wait_for_copies<(STAGES > 1 ? STAGES - 2 : 0)>();
      __syncthreads();  // also: the stage that is written next has been read by all
      copy_stage();
      if constexpr (IS_MMA) {
        multiply_by_warp(sums, shared + stage * STAGE);
      } else {
        multiply(sums, shared + stage * STAGE);
      }
      stage = stage + 1 == STAGES ? 0 : stage + 1;
    }
  }

  template <int A_WIDTH, int B_WIDTH>
  static __device__ __forceinline__ void sum_through_registers(T (&sums)[TM][TN], T* shared, const Operand<T>& a,
                                                               const Operand<T>& b, long long k) {
    using PanelA = Panel<T, BM, BK, A_STRIDE, A_BY_K, A_TURNS, A_WIDTH, THREADS>;
    using PanelB = Panel<T, BN, BK, B_STRIDE, B_BY_K, B_TURNS, B_WIDTH, THREADS>;
    typename PanelA::P of_a[PanelA::STEPS];
    typename PanelB::P of_b[PanelB::STEPS];
    const int steps = static_cast<int>((k + BK - 1) / BK);
    const auto load = [&](int step) {
      const long long done = static_cast<long long>(step) * BK;
      const int depths = static_cast<int>(k - done < BK ? k - done : BK);
      PanelA::load(of_a, a.from + (A_BY_K ? done : done * a.pitch), a.pitch, a.spans, depths);
      PanelB::load(of_b, b.from + (B_BY_K ? done : done * b.pitch), b.pitch, b.spans, depths);
    };
    load(0);
#pragma unroll 1
    for (int step = 0; step < steps; ++step) {
      T* const stage = shared + step % STAGES * STAGE;
      if (STAGES == 1) __syncthreads();
      PanelA::store(stage, of_a);
      PanelB::store(stage + A_STAGE, of_b);
      __syncthreads();
      if (step + 1 < steps) load(step + 1);
      multiply(sums, stage);
    }
  }

  static __device__ __forceinline__ void sum(T (&sums)[TM][TN], T* shared, const Operand<T>& a, const Operand<T>& b,
                                             long long k) {
    if constexpr (STEP == Step::async) {
      sum_async(sums, shared, a, b, k);
    } else if (VECTOR > 1 && a.packs && b.packs) {
      sum_through_registers<VECTOR, VECTOR>(sums, shared, a, b, k);
    } else {
      sum_through_registers<1, 1>(sums, shared, a, b, k);
    }
  }

  // Calls store(pack, offset) for the packs of the tile that are there. `to` has `pitch` elements a row; `packs`: its rows
  // may be written by packs.
  template <class Store>
  static __device__ __forceinline__ void for_each_pack(const T (&sums)[TM][TN], int rows, int columns, long long pitch,
                                                       bool packs, Store store) {
    const int thread = detached(static_cast<int>(threadIdx.x));
    const int own_row = first_row(thread), own_column = first_column(thread);
#pragma unroll
    for (int i = 0; i < TM; ++i) {
      const int row = own_row + i / MV * (LM * MV) + i % MV;
      if (row >= rows) continue;
#pragma unroll
      for (int j = 0; j < TN; j += NV) {
        const int column = own_column + j / NV * (LN * NV);
        if (packs && column < columns) {
          Pack<T, NV> pack;
#pragma unroll
          for (int v = 0; v < NV; ++v) pack.element[v] = sums[i][j + v];
          store(pack, row * pitch + column);
        } else {
#pragma unroll
          for (int v = 0; v < NV; ++v)
            if (column + v < columns) store(Pack<T, 1>{{sums[i][j + v]}}, row * pitch + column + v);
        }
      }
    }
  }
};

template <int N, typename T>
__device__ __forceinline__ void store_plain(T* to, const Pack<T, N>& pack) {
  attune::store_whole<Cache::plain>(reinterpret_cast<Pack<T, N>*>(to), pack);
}

// Stores alpha times `sums`, and adds beta times what is there.
template <Beta BETA, int N, typename T>
__device__ __forceinline__ void store_scaled(T* to, Pack<T, N> sums, T alpha, T beta) {
  Pack<T, N> old;
  if constexpr (BETA == Beta::any) old = *reinterpret_cast<const Pack<T, N>*>(to);
#pragma unroll
  for (int v = 0; v < N; ++v) {
    sums.element[v] *= alpha;
    if constexpr (BETA == Beta::any) sums.element[v] += beta * old.element[v];
  }
  store_plain(to, sums);
}

// What for_each_pack() calls: a part's sums go as they are, those of c scaled. NVRTC takes a lambda for any pack as a
// function of the host.
template <typename T>
struct StorePlain {
  T* to;
  template <int N>
  __device__ __forceinline__ void operator()(const Pack<T, N>& pack, long long offset) const {
    store_plain(to + offset, pack);
  }
};
template <Beta BETA, typename T>
struct StoreScaled {
  T* to;
  T alpha, beta;
  template <int N>
  __device__ __forceinline__ void operator()(const Pack<T, N>& pack, long long offset) const {
    store_scaled<BETA>(to + offset, pack, alpha, beta);
  }
};

template <typename T, Trans TA, Trans TB, Beta BETA, int BM, int BN, int BK, int WM, int WN, int TM, int TN, int VECTOR,
          Step STEP, Unit UNIT, int STAGES, int MIN_BLOCKS>
__global__ void __launch_bounds__(BM / WM * (BN / WN) * 32, MIN_BLOCKS)
    matmul(T* c, T* parts, const T* a, const T* b, T alpha, T beta, long long m, long long n, long long k, int split,
           int group) {
  constexpr bool A_BY_K = TA == Trans::no, B_BY_K = TB == Trans::yes;
  using Work = Tile<T, BM, BN, BK, WM, WN, TM, TN, VECTOR, STEP, UNIT, STAGES, A_BY_K, B_BY_K>;
  extern __shared__ int4 shared_memory[];
  T* const shared = reinterpret_cast<T*>(shared_memory);
  if (split > 1) attune::allow_next();

  const int tile_rows = static_cast<int>((m + BM - 1) / BM), tile_columns = static_cast<int>((n + BN - 1) / BN);
  const long long tiles = static_cast<long long>(tile_rows) * tile_columns, units = tiles * split;
  const long long depth = ((k + split - 1) / split + BK - 1) / BK * BK;  // of a part
  const long long a_pitch = A_BY_K ? k : m, b_pitch = B_BY_K ? k : n;
  const bool packs_a = by_packs<VECTOR>(a, a_pitch), packs_b = by_packs<VECTOR>(b, b_pitch);
  T* const to = split > 1 ? parts : c;
  const bool packs_c = by_packs<VECTOR>(to, n);

  for (long long unit = blockIdx.x; unit < units; unit += gridDim.x) {
    const int part = static_cast<int>(unit / tiles);
    // Tiles go down `group` rows, then to the next column: such a square of tiles shares panels in the L2 cache.
    const long long tile = unit - part * tiles, strip = tile / (static_cast<long long>(group) * tile_columns);
    const long long in_strip = tile - strip * group * tile_columns;
    const int first_row = static_cast<int>(strip) * group;
    const int rows_of_strip = tile_rows - first_row < group ? tile_rows - first_row : group;
    const long long row0 = (first_row + in_strip % rows_of_strip) * BM, column0 = in_strip / rows_of_strip * BN;
    const long long k0 = part * depth, k_count = k - k0 < depth ? k - k0 : depth;

    const int rows = static_cast<int>(m - row0 < BM ? m - row0 : BM);
    const int columns = static_cast<int>(n - column0 < BN ? n - column0 : BN);
    const Operand<T> of_a{A_BY_K ? a + row0 * k + k0 : a + k0 * m + row0, a_pitch, rows, packs_a};
    const Operand<T> of_b{B_BY_K ? b + column0 * k + k0 : b + k0 * n + column0, b_pitch, columns, packs_b};
    T sums[TM][TN] = {};
    Work::sum(sums, shared, of_a, of_b, k_count);

    if (split > 1) {
      T* const target = detached(parts + part * ((m * n + 3) / 4 * 4) + row0 * n + column0);
      Work::for_each_pack(sums, rows, columns, n, packs_c, StorePlain<T>{target});
    } else {
      T* const target = detached(c + row0 * n + column0);
      Work::for_each_pack(sums, rows, columns, n, packs_c, StoreScaled<BETA, T>{target, alpha, beta});
    }
    __syncthreads();  // the next tile's copies overwrite what some threads may still read
  }
}

// Step two where k was cut: adds the parts' sums, in order.
template <typename T, Beta BETA>
__global__ void __launch_bounds__(256)
    matmul_sum(T* c, const T* parts, T alpha, T beta, long long elements, int split) {
  using P = Pack<T, 16 / sizeof(T)>;
  constexpr int V = 16 / sizeof(T), ROUNDS = 4 / V;
  attune::wait_for_previous();
  const long long slice = (elements + 3) / 4 * 4;
  const bool packs = attune::aligned<P>(c);
#pragma unroll
  for (int round = 0; round < ROUNDS; ++round) {
    const long long i = ((static_cast<long long>(blockIdx.x) * ROUNDS + round) * 256 + threadIdx.x) * V;
    if (i >= elements) return;
    P sum = *reinterpret_cast<const P*>(parts + i);  // slices end at a multiple of a pack
#pragma unroll 4
    for (int part = 1; part < split; ++part) {
      const P next = *reinterpret_cast<const P*>(parts + part * slice + i);
#pragma unroll
      for (int v = 0; v < V; ++v) sum.element[v] += next.element[v];
    }
    if (packs && i + V <= elements) {
      store_scaled<BETA>(c + i, sum, alpha, beta);
    } else {
#pragma unroll
      for (int v = 0; v < V; ++v)
        if (i + v < elements) store_scaled<BETA>(c + i + v, Pack<T, 1>{{sum.element[v]}}, alpha, beta);
    }
  }
}

template <Trans TRANS, typename T>
__device__ __forceinline__ T element(const T* matrix, long long rows, long long columns, long long row,
                                     long long column) {
  return TRANS == Trans::no ? matrix[row * columns + column] : matrix[column * rows + row];
}

// What a thread's element gets of one tile. COUNT: of a whole tile, 32, so that loads run ahead; 0: `count` says it.
template <Step STEP, Trans TB, int COUNT, typename T>
__device__ __forceinline__ T add_tile(T sum, const T* row_of_a, const T (&tile_b)[32][32], const T* b, long long n,
                                      long long k, long long k0, long long column, int count) {
#pragma unroll
  for (int i = 0; i < (COUNT > 0 ? COUNT : count); ++i)
    sum += row_of_a[i] * (STEP == Step::two_tiles ? tile_b[i][threadIdx.x] : element<TB>(b, k, n, k0 + i, column));
  return sum;
}

// The first steps of the ladder: a block of 32 x 32 threads has a tile of c, each thread an element.
template <typename T, Trans TA, Trans TB, Beta BETA, Step STEP>
__global__ void __launch_bounds__(1024, sizeof(T) == 4 ? 2 : 1)
    matmul_simple(T* c, const T* a, const T* b, T alpha, T beta, long long m, long long n, long long k) {
  __shared__ T tile_a[32][32], tile_b[32][32];
  const int x = threadIdx.x, y = threadIdx.y;
  const long long column = static_cast<long long>(blockIdx.x) * 32 + x;
  T sum = 0;
  // A grid has at most 65,535 rows of blocks.
  for (long long first = static_cast<long long>(blockIdx.y) * 32; first < m; first += static_cast<long long>(gridDim.y) * 32) {
    const long long row = first + y;
    const bool is_there = row < m && column < n;
    sum = 0;
    if constexpr (STEP == Step::naive) {
      for (long long i = 0; is_there && i < k; ++i)
        sum += element<TA>(a, m, k, row, i) * element<TB>(b, k, n, i, column);
    } else {
      for (long long k0 = 0; k0 < k; k0 += 32) {
        tile_a[y][x] = row < m && k0 + x < k ? element<TA>(a, m, k, row, k0 + x) : T(0);
        if constexpr (STEP == Step::two_tiles)
          tile_b[y][x] = column < n && k0 + y < k ? element<TB>(b, k, n, k0 + y, column) : T(0);
        __syncthreads();
        const int count = static_cast<int>(k - k0 < 32 ? k - k0 : 32);
        if (is_there)
          sum = count == 32 ? add_tile<STEP, TB, 32>(sum, tile_a[y], tile_b, b, n, k, k0, column, 32)
                            : add_tile<STEP, TB, 0>(sum, tile_a[y], tile_b, b, n, k, k0, column, count);
        __syncthreads();
      }
    }
    if (is_there) store_scaled<BETA>(c + row * n + column, Pack<T, 1>{{sum}}, alpha, beta);
  }
}

template <typename T, Trans TA, Trans TB, Beta BETA>
__global__ void matmul_reference(T* c, const T* a, const T* b, T alpha, T beta, long long m, long long n, long long k) {
  using W = attune::Wide<T>;
  const long long column = static_cast<long long>(blockIdx.x) * 32 + threadIdx.x;
  for (long long row = blockIdx.y * 8 + threadIdx.y; row < m && column < n; row += gridDim.y * 8) {
    W sum = 0;
    for (long long i = 0; i < k; ++i)
      sum += static_cast<W>(element<TA>(a, m, k, row, i)) * static_cast<W>(element<TB>(b, k, n, i, column));
    W result = static_cast<W>(alpha) * sum;
    if (BETA == Beta::any) result += static_cast<W>(beta) * static_cast<W>(c[row * n + column]);
    c[row * n + column] = static_cast<T>(result);
  }
}
