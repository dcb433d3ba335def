/*attune
[kernel]
name = "gemm_batched"
summary = "C_i = A_i * B_i for a batch of n x n matrices, row-major, one behind the other"
deterministic = true
[problem]
n = { size = 32 }                              # 1 to 64; to 4096 without shared memory
batch = { size = 65536, host = 256 }
T = ["float", "double"]
[parameters]
LOAD = ["Load::bulk", "Load::async", "Load::registers", "Load::lanes", "Load::direct"]
BLOCK = [128, 32, 64, 256]
STAGE_KIB = [16, 1, 2, 4, 8, 32, 64]           # of A, and of B, that a block has at a time: whole matrices
TM = [8, 1, 2, 4]                              # rows and
TN = [4, 1, 2, 8]                              # columns of C that a thread computes
ACCESS = [16, 4, 8]                            # bytes per access to global memory
STAGES = [3, 1, 2, 4]                          # in shared memory: one is read, the others are on their way
PAD = ["Pad::none", "Pad::rows", "Pad::matrices"]
STORE = ["Store::direct", "Store::staged", "Store::bulk"]
CACHE = ["Cache::streaming", "Cache::plain"]
BLOCKS_PER_SM = [2, 0, 1, 4, 8, 16]            # launch only; 0: as many blocks as there is work for
[values]
area = "n * n"
matrix = "area * sizeof(T)"
pack = "16 / sizeof(T)"                        # elements of the widest access
together = "matrix % ACCESS == 0 ? 1 : 2 * matrix % ACCESS == 0 ? 2 : 4"  # matrices that are whole accesses
mats = "max(together, STAGE_KIB * 1024 / matrix / together * together)"   # matrices of a stage
tm = "min(TM, n)"
tn = "min(TN, n)"
width = "min(pack, n % 4 + tn % 4 == 0 ? 4 : n % 2 + tn % 2 == 0 ? 2 : 1)"  # neighbours in a row that a thread computes
work = "mats * ceil_div(n, tm) * ceil_div(n / width, tn / width)"  # tiles of a stage; a thread each
padding = "PAD == 'Pad::rows' ? 16 * n : PAD == 'Pad::matrices' ? 16 : 0"  # bytes per matrix
array = "round_up(mats * (matrix + padding), 16)"  # bytes in a stage, of A or of B
ahead = "LOAD in ['Load::bulk', 'Load::async']"
staged = "ahead || LOAD == 'Load::registers'"
ladder = "TM == 1 && TN == 1"                  # no tiles
results = "STORE == 'Store::direct' ? 0 : BLOCKS_PER_SM == 0 ? 1 : 2"  # stages of C
shared_bytes = "staged ? (2 * STAGES + results) * array : 0"
registers = "(tm * tn + tm * pack + tn) * sizeof(T) / 4 + 40"  # of a thread, about
[restrictions]
rules = [
    "n <= (LOAD == 'Load::direct' ? 4096 : 64)",
    "(TM <= n && TN <= n) || (TM == 8 && TN == 4)",  # one tile reaches beyond small matrices; it is cut to fit
    "TM <= 2 * TN && TN <= 2 * TM",
    "TM * TN * sizeof(T) <= 256",              # sums in registers
    "not ahead || TM * TN >= 4 || n <= 8",
    "STAGE_KIB == 16 || STAGE_KIB * 1024 >= together * matrix",  # more is taken where matrices are larger
    # The widest access; narrower for fewer matrices at a time, and on the ladder.
    "ACCESS >= sizeof(T) && (ACCESS == sizeof(T) || LOAD != 'Load::direct')",
    "ACCESS == 16 || LOAD == 'Load::direct' || (LOAD == 'Load::registers' && ladder) || (staged && matrix % 16 != 0)",
    "LOAD != 'Load::bulk' || ((device.compute_capability >= 90 || device.kind == 'host') && ACCESS == 16)",
    "LOAD != 'Load::async' || device.compute_capability >= 80 || device.kind == 'host'",
    # Most of the threads compute, and few tiles each.
    "not staged || BLOCK * ceil_div(work, BLOCK) <= (TM == 8 && TN == 4 ? 3 : 2) * work",
    "not staged || work <= 4 * BLOCK || n < 8",
    "ahead ? STAGES >= 2 && BLOCKS_PER_SM > 0 : STAGES == 1 && (BLOCKS_PER_SM == 0 || LOAD == 'Load::lanes')",
    "not ahead || BLOCKS_PER_SM * (STAGES - 1) * 2 * array >= min(49152, device.shared_per_multiprocessor / 4)",
    "PAD == 'Pad::none' || LOAD in ['Load::async', 'Load::registers']",
    "PAD != 'Pad::rows' || (n % pack == 0 && n >= 16)",    # where rows of a tile share banks,
    "PAD != 'Pad::matrices' || (matrix % 16 == 0 && n < 16)",  # or matrices
    "STORE == 'Store::direct' || (staged && ACCESS == 16)",
    "STORE != 'Store::staged' || n * sizeof(T) % 128 != 0",  # else each thread's packs lie in whole lines
    "STORE != 'Store::bulk' || (LOAD == 'Load::bulk' && CACHE == 'Cache::plain')",
    # Lanes of a warp hold whole matrices, a pack each.
    """LOAD != 'Load::lanes' || (n % pack == 0 && area / pack in [1, 2, 4, 8, 16, 32] && TM == 8 && TN == 4 \
      && STAGE_KIB * 64 / BLOCK in [1, 2, 4, 8] && STAGE_KIB * 64 % BLOCK == 0)""",
    # An element of C per thread: the first step of the ladder has no more to choose.
    "LOAD != 'Load::direct' || (ladder && STAGE_KIB == 16 && CACHE == 'Cache::plain' && BLOCKS_PER_SM == 0)",
    # Blocks that stay fit on a multiprocessor together. Where one of two does not, it runs after the other.
    "BLOCKS_PER_SM * BLOCK <= device.max_threads_per_multiprocessor",
    "BLOCKS_PER_SM * BLOCK * registers <= device.registers_per_multiprocessor",
    "BLOCKS_PER_SM <= 2 || BLOCKS_PER_SM * (shared_bytes + device.shared_reserved) <= device.shared_per_multiprocessor",
]
[[launch]]
entry = "gemm_batched<T, n, LOAD, BLOCK, STAGE_KIB, TM, TN, ACCESS, STAGES, PAD, STORE, CACHE>"
grid = ["""LOAD == 'Load::direct' ? min(ceil_div(batch * area, BLOCK), 2147483647) : BLOCKS_PER_SM > 0 ? \
  min(ceil_div(batch, mats), BLOCKS_PER_SM * device.multiprocessors) : ceil_div(batch, mats)"""]
block = ["BLOCK"]
shared = "shared_bytes"
arguments = ["c", "a", "b", "batch"]
[arguments]
c = { type = "T", size = "batch * area", role = "out" }
a = { type = "T", size = "batch * area", role = "in" }
b = { type = "T", size = "batch * area", role = "in" }
batch = { type = "int64" }
[[reference]]
entry = "gemm_batched_reference<T, n>"
grid = ["min(ceil_div(batch * area, 256), 2147483647)"]
block = ["256"]
arguments = ["c", "a", "b", "batch"]
[check]
# Products of uniform(-1, 1) are at most 1, so a sum of i of them is at most i, and adding the i-th is off by
# i epsilon / 2 at most: n (n + 1) / 2 of that in all, and n for the result that the reference rounds. Where T is double
# the reference adds in T too. That is 0.00013 for n = 64, where a product is 0.25 on the average.
absolute = "(T == 'double' ? 2 : 1) * epsilon(T) * n * (n + 3) / 4"
[metrics]
bytes = "3 * batch * area * sizeof(T)"
flops = "2 * batch * area * n"
items = "batch"
unit = "matrices"
[[ladder]]
name = "tiles"
problems = ["n=16 batch=2**18 T=float"]
steps = [
    { name = "naive", configuration = """LOAD=Load::direct BLOCK=256 STAGE_KIB=16 TM=1 TN=1 \
      ACCESS=4 STAGES=1 CACHE=Cache::plain BLOCKS_PER_SM=0""" },
    { name = "in shared memory", configuration = """LOAD=Load::registers BLOCK=256 STAGE_KIB=1 TM=1 TN=1 \
      ACCESS=4 STAGES=1 CACHE=Cache::plain BLOCKS_PER_SM=0""" },
    { name = "four matrices per block", configuration = """LOAD=Load::registers BLOCK=256 STAGE_KIB=4 TM=1 TN=1 \
      ACCESS=4 STAGES=1 CACHE=Cache::plain BLOCKS_PER_SM=0""" },
    { name = "by vectors", configuration = """LOAD=Load::registers BLOCK=256 STAGE_KIB=4 TM=1 TN=1 \
      ACCESS=16 STAGES=1 CACHE=Cache::plain BLOCKS_PER_SM=0""" },
    { name = "4 x 4 per thread", configuration = """LOAD=Load::registers BLOCK=128 STAGE_KIB=8 TM=4 TN=4 \
      ACCESS=16 STAGES=1 CACHE=Cache::plain BLOCKS_PER_SM=0""" },
    { name = "asynchronous copies", configuration = """LOAD=Load::async BLOCK=128 STAGE_KIB=8 TM=4 TN=4 \
      ACCESS=16 STAGES=3 CACHE=Cache::streaming BLOCKS_PER_SM=4""" },
    { name = "bulk copies", configuration = """LOAD=Load::bulk BLOCK=128 STAGE_KIB=8 TM=4 TN=4 \
      ACCESS=16 STAGES=3 CACHE=Cache::streaming BLOCKS_PER_SM=4""" },
]
*/
#include "attune.cuh"
#include "attune_access.cuh"
#include "attune_async.cuh"

using attune::Cache;
using attune::Pack;

// A product of n x n floats moves 12 n^2 bytes for 2 n^3 operations. Up to n = 32 a GPU computes them while it moves
// them, so copying is the limit (I. Masliah et al., High-Performance Matrix-Matrix Multiplications of Very Small
// Matrices, 2016). Three things are needed. Matrices come as one flat piece, whatever n is: an odd n leaves no row
// aligned, but a block's share of the batch is. Enough bytes are in flight: some 48 KiB per multiprocessor of an H200.
// And a thread computes a tile of C. One element alone costs two reads per multiplication, an 8 x 4 tile 12 reads of
// four elements per 128.

/// How matrices come to the threads:
///   bulk       into shared memory, by copies of kilobytes that one thread issues ahead (sm_90)
///   async      into shared memory, by copies of packs that all threads issue ahead (cp.async)
///   registers  into shared memory, through registers
///   lanes      not by shared memory at all: lanes of a warp hold a pack each, and hand elements to each other
///   direct     each thread reads what its element of C needs
enum class Load { bulk, async, registers, lanes, direct };

/// What lies between rows, or between matrices, in shared memory: 16 bytes, so that neighbours use other banks.
enum class Pad { none, rows, matrices };

/// How C is written: each thread its tile; or all as flat packs, by way of shared memory; or so by bulk stores.
enum class Store { direct, staged, bulk };

__device__ __forceinline__ constexpr int ceil_div(int a, int b) { return (a + b - 1) / b; }
__device__ __forceinline__ constexpr int smaller(int a, int b) { return a < b ? a : b; }

/// The widest access, in elements of T, whose width divides both.
template <typename T>
__device__ __forceinline__ constexpr int common_width(int a, int b) {
  int width = 16 / static_cast<int>(sizeof(T));
  while (a % width != 0 || b % width != 0) width /= 2;
  return width;
}

/// Matrices of a stage: as many as fit, or as many as are whole accesses.
template <typename T, int N, int STAGE_KIB, int ACCESS>
__device__ __forceinline__ constexpr int mats_of_stage() {
  constexpr int MATRIX = N * N * static_cast<int>(sizeof(T));
  constexpr int TOGETHER = MATRIX % ACCESS == 0 ? 1 : 2 * MATRIX % ACCESS == 0 ? 2 : 4;
  constexpr int MATS = STAGE_KIB * 1024 / MATRIX / TOGETHER * TOGETHER;
  return MATS == 0 ? TOGETHER : MATS;
}

// All that is known when a configuration with shared memory is compiled.
template <typename Element, int ORDER, int THREADS, int MATRICES, int ROWS, int COLUMNS, Pad PAD>
struct Layout {
  using T = Element;
  static constexpr int N = ORDER, AREA = N * N, BLOCK = THREADS, MATS = MATRICES, TM = ROWS, TN = COLUMNS;
  static constexpr int PACK = 16 / static_cast<int>(sizeof(T));
  static constexpr int A_WIDTH = common_width<T>(N, N);   // neighbours of a row of A that are read at once,
  static constexpr int B_WIDTH = common_width<T>(N, TN);  // and of B
  static constexpr int ROW_PACKS = N / B_WIDTH, TILE_PACKS = TN / B_WIDTH;
  static constexpr int TILES_X = ceil_div(ROW_PACKS, TILE_PACKS), TILES_Y = ceil_div(N, TM), TILES = TILES_X * TILES_Y;
  static constexpr int PITCH = N + (PAD == Pad::rows ? PACK : 0);
  static constexpr int STRIDE = N * PITCH + (PAD == Pad::matrices ? PACK : 0);
  static constexpr int ARRAY = ceil_div(MATS * STRIDE, PACK) * PACK;
  using A = Pack<T, A_WIDTH>;
  using B = Pack<T, B_WIDTH>;

  // Where element i of a flat piece lies.
  __device__ __forceinline__ static int slot(int i) {
    if constexpr (PAD == Pad::rows) return i + i / N * PACK;
    if constexpr (PAD == Pad::matrices) return i + i / AREA * PACK;
    return i;
  }
  // Rows of a tile are TILES_Y apart, packs of a row TILES_X: neighbouring threads have neighbours. Tiles that reach
  // beyond the matrix compute its last row or pack again, and do not write it. These are the distances from a tile's
  // first row and element; where no tile reaches beyond, they are constants.
  __device__ __forceinline__ static int row(int tile_y, int r) {
    return (r + 1) * TILES_Y <= N ? r * TILES_Y : smaller(r * TILES_Y, N - 1 - tile_y);
  }
  __device__ __forceinline__ static int column(int tile_x, int p) {
    return ((p + 1) * TILES_X <= ROW_PACKS ? p * TILES_X : smaller(p * TILES_X, ROW_PACKS - 1 - tile_x)) * B_WIDTH;
  }
  __device__ __forceinline__ static bool writes(int tile_y, int r, int tile_x, int p) {
    return ((r + 1) * TILES_Y <= N || tile_y + r * TILES_Y < N) &&
           ((p + 1) * TILES_X <= ROW_PACKS || tile_x + p * TILES_X < ROW_PACKS);
  }
};

// One element of C per thread, from global memory.
template <int N, int BLOCK, typename T>
__device__ __forceinline__ void multiply_elements(T* c, const T* a, const T* b, long long batch) {
  constexpr int AREA = N * N;
  const long long step = static_cast<long long>(gridDim.x) * BLOCK;
#pragma unroll 1
  for (long long i = static_cast<long long>(blockIdx.x) * BLOCK + threadIdx.x; i < batch * AREA; i += step) {
    const long long matrix = i / AREA;
    const int place = static_cast<int>(i - matrix * AREA);
    const T* const of_a = a + matrix * AREA + place / N * N;
    const T* const of_b = b + matrix * AREA + place % N;
    T sum = 0;
#pragma unroll 8
    for (int k = 0; k < N; ++k) sum += of_a[k] * of_b[k * N];
    c[i] = sum;
  }
}

// Each lane has a pack of A, of B and of C. A matrix has a power of two of them, at most a warp.
template <int N, int BLOCK, int MATS, Cache CACHE, typename T>
__device__ __forceinline__ void multiply_in_lanes(T* c, const T* a, const T* b, long long batch) {
  constexpr int PACK = 16 / static_cast<int>(sizeof(T)), ROW = N / PACK, LANES = N * ROW, ITEMS = MATS * LANES / BLOCK;
  using P = Pack<T, PACK>;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int of_row = lane - lane % ROW, of_column = lane - lane % LANES + lane % ROW;
  const long long packs = batch * LANES, step = static_cast<long long>(gridDim.x) * (ITEMS * BLOCK);
#pragma unroll 1
  for (long long start = static_cast<long long>(blockIdx.x) * (ITEMS * BLOCK); start < packs; start += step) {
    const long long first = start + threadIdx.x;
    P as[ITEMS], bs[ITEMS];
#pragma unroll
    for (int item = 0; item < ITEMS; ++item) {
      as[item] = bs[item] = {};
      if (first + item * BLOCK < packs) {
        as[item] = attune::load<CACHE>(reinterpret_cast<const P*>(a) + first + item * BLOCK);
        bs[item] = attune::load<CACHE>(reinterpret_cast<const P*>(b) + first + item * BLOCK);
      }
    }
#pragma unroll
    for (int item = 0; item < ITEMS; ++item) {
      P sums = {};
#pragma unroll
      for (int k = 0; k < N; ++k) {
        const T of_a = __shfl_sync(0xffffffff, as[item].element[k % PACK], of_row + k / PACK);
#pragma unroll
        for (int j = 0; j < PACK; ++j)
          sums.element[j] += of_a * __shfl_sync(0xffffffff, bs[item].element[j], of_column + k * ROW);
      }
      if (first + item * BLOCK < packs)
        attune::store_whole<CACHE>(reinterpret_cast<P*>(c) + first + item * BLOCK, sums);
    }
  }
}

// ---- Shared memory ----

// The tile of one thread. Each sum is one chain, from k = 0 on.
template <typename L, typename T>
__device__ __forceinline__ void multiply_tile(T (&sums)[L::TM][L::TN], const T* a, const T* b, int tile_y, int tile_x) {
  constexpr int OPERATIONS = L::TM * L::TN * L::A_WIDTH;
  constexpr int UNROLL = OPERATIONS >= 512 ? 1 : 512 / OPERATIONS;  // more would not fit the instruction cache
#pragma unroll
  for (int r = 0; r < L::TM; ++r)
#pragma unroll
    for (int j = 0; j < L::TN; ++j) sums[r][j] = 0;
  a += tile_y * L::PITCH;
  b += tile_x * L::B_WIDTH;
#pragma unroll UNROLL
  for (int k = 0; k < L::N; k += L::A_WIDTH) {
    typename L::A of_a[L::TM];
#pragma unroll
    for (int r = 0; r < L::TM; ++r)
      of_a[r] = *reinterpret_cast<const typename L::A*>(a + L::row(tile_y, r) * L::PITCH + k);
#pragma unroll
    for (int i = 0; i < L::A_WIDTH; ++i) {
#pragma unroll
      for (int p = 0; p < L::TILE_PACKS; ++p) {
        const auto of_b = *reinterpret_cast<const typename L::B*>(b + (k + i) * L::PITCH + L::column(tile_x, p));
#pragma unroll
        for (int r = 0; r < L::TM; ++r)
#pragma unroll
          for (int j = 0; j < L::B_WIDTH; ++j)
            sums[r][p * L::B_WIDTH + j] += of_a[r].element[i] * of_b.element[j];
      }
    }
  }
}

// The products of the first `mats` matrices of a stage, flat from `c` on: in global memory, or in shared memory.
template <typename L, bool SHARED, Cache CACHE, typename T>
__device__ __forceinline__ void multiply_stage(T* c, const T* a, const T* b, int mats) {
#pragma unroll 1
  for (int i = static_cast<int>(threadIdx.x); i < mats * L::TILES; i += L::BLOCK) {
    const int matrix = i / L::TILES, tile_y = i % L::TILES / L::TILES_X, tile_x = i % L::TILES_X;
    T sums[L::TM][L::TN];
    T* const of_tile = c + matrix * L::AREA + tile_y * L::N + tile_x * L::B_WIDTH;
    multiply_tile<L>(sums, a + matrix * L::STRIDE, b + matrix * L::STRIDE, tile_y, tile_x);
#pragma unroll
    for (int r = 0; r < L::TM; ++r) {
#pragma unroll
      for (int p = 0; p < L::TILE_PACKS; ++p) {
        typename L::B of_c;
#pragma unroll
        for (int j = 0; j < L::B_WIDTH; ++j) of_c.element[j] = sums[r][p * L::B_WIDTH + j];
        auto* const to = reinterpret_cast<typename L::B*>(of_tile + L::row(tile_y, r) * L::N + L::column(tile_x, p));
        if (!L::writes(tile_y, r, tile_x, p)) continue;
        if constexpr (SHARED) *to = of_c;
        else attune::store_whole<CACHE>(to, of_c);
      }
    }
  }
}

// Calls `use` for the packs of a flat piece that are this thread's. A whole piece is unrolled.
template <int BLOCK, int WHOLE, typename Use>
__device__ __forceinline__ void for_each_pack(int packs, const Use& use) {
  const int tid = static_cast<int>(threadIdx.x);
  if (packs == WHOLE) {
#pragma unroll 8
    for (int k = 0; k < WHOLE / BLOCK; ++k) use(tid + k * BLOCK);
    if (WHOLE % BLOCK != 0 && tid < WHOLE % BLOCK) use(tid + WHOLE / BLOCK * BLOCK);
  } else {
#pragma unroll 1
    for (int i = tid; i < packs; i += BLOCK) use(i);
  }
}

// A block's share of the batch comes in rounds of MATS matrices; those of a round are flat pieces of A, B and C, which
// begin at a pack. The last piece of all may end within one.
template <typename L, int VECTOR, Store STORE, Cache CACHE>
struct Rounds {
  using T = typename L::T;
  using P = Pack<T, VECTOR>;
  static constexpr int PIECE = L::MATS * L::AREA, PACKS = PIECE / VECTOR;

  T* c;
  const T* a;
  const T* b;
  long long batch;

  __device__ __forceinline__ bool has(long long round) const { return round * L::MATS < batch; }
  __device__ __forceinline__ int mats(long long round) const {
    const long long left = batch - round * L::MATS;
    return left < L::MATS ? static_cast<int>(left) : L::MATS;
  }

  // All loads of eight packs are under way before the first is waited for.
  __device__ __forceinline__ void load(T* stage, long long round) const {
    constexpr int HELD = smaller(4, ceil_div(PACKS, L::BLOCK));
    const int tid = static_cast<int>(threadIdx.x), elements = mats(round) * L::AREA, packs = elements / VECTOR;
    const T* const of_a = a + round * PIECE;
    const T* const of_b = b + round * PIECE;
#pragma unroll 1
    for (int first = tid; first < packs; first += HELD * L::BLOCK) {
      P as[HELD], bs[HELD];
#pragma unroll
      for (int k = 0; k < HELD; ++k) {
        const int i = (first + k * L::BLOCK) * VECTOR;
        if (i < packs * VECTOR) {
          as[k] = attune::load<CACHE>(reinterpret_cast<const P*>(of_a + i));
          bs[k] = attune::load<CACHE>(reinterpret_cast<const P*>(of_b + i));
        }
      }
#pragma unroll
      for (int k = 0; k < HELD; ++k) {
        const int i = (first + k * L::BLOCK) * VECTOR;
        if (i < packs * VECTOR) {
          *reinterpret_cast<P*>(stage + L::slot(i)) = as[k];
          *reinterpret_cast<P*>(stage + L::ARRAY + L::slot(i)) = bs[k];
        }
      }
    }
    load_rest(stage, of_a, of_b, packs * VECTOR, elements, tid);
  }
  __device__ __forceinline__ void load_rest(T* stage, const T* of_a, const T* of_b, int from, int to, int tid) const {
    if (from + tid >= to) return;  // fewer than a pack, so fewer than a warp
    stage[L::slot(from + tid)] = of_a[from + tid];
    stage[L::ARRAY + L::slot(from + tid)] = of_b[from + tid];
  }

  __device__ __forceinline__ void copy(T* stage, long long round) const {
    const int elements = mats(round) * L::AREA, packs = elements / VECTOR;
    const T* const of_a = a + round * PIECE;
    const T* const of_b = b + round * PIECE;
    for_each_pack<L::BLOCK, PACKS>(packs, [&](int i) {
      attune::copy_async<sizeof(P)>(stage + L::slot(i * VECTOR), of_a + i * VECTOR);
      attune::copy_async<sizeof(P)>(stage + L::ARRAY + L::slot(i * VECTOR), of_b + i * VECTOR);
    });
    load_rest(stage, of_a, of_b, packs * VECTOR, elements, static_cast<int>(threadIdx.x));
  }
  // One thread calls it. Its arrival comes last, for what it writes itself.
  __device__ __forceinline__ void copy_bulk(T* stage, long long round, attune::Barrier& arrived) const {
    const int elements = mats(round) * L::AREA, whole = elements / VECTOR * VECTOR;
    const unsigned bytes = static_cast<unsigned>(whole) * sizeof(T);
    const T* const of_a = a + round * PIECE;
    const T* const of_b = b + round * PIECE;
    for (int i = 0; i < elements - whole; ++i) load_rest(stage, of_a, of_b, whole, elements, i);
    attune::arrive_expecting(arrived, 2 * bytes);
    if (bytes == 0) return;
    attune::load_bulk(stage, of_a, bytes, arrived);
    attune::load_bulk(stage + L::ARRAY, of_b, bytes, arrived);
  }

  // Multiplies what a stage holds. Results that go by way of shared memory are written after the next barrier.
  __device__ __forceinline__ void multiply(const T* stage, T* results, long long round) const {
    multiply_stage<L, STORE != Store::direct, CACHE>(STORE == Store::direct ? c + round * PIECE : results, stage,
                                                     stage + L::ARRAY, mats(round));
    if constexpr (STORE == Store::bulk) attune::fence_shared_for_bulk();
  }
  __device__ __forceinline__ void store(const T* results, long long round) const {
    const int tid = static_cast<int>(threadIdx.x), elements = mats(round) * L::AREA, packs = elements / VECTOR;
    T* const to = c + round * PIECE;
    if constexpr (STORE == Store::bulk) {
      if (tid == 0 && packs > 0) attune::store_bulk(to, results, static_cast<unsigned>(packs * sizeof(P)));
      if (tid == 0) attune::commit_stores();
    } else {
      for_each_pack<L::BLOCK, PACKS>(packs, [&](int i) {
        attune::store_whole<CACHE>(reinterpret_cast<P*>(to) + i, reinterpret_cast<const P*>(results)[i]);
      });
    }
    if (packs * VECTOR + tid < elements) to[packs * VECTOR + tid] = results[packs * VECTOR + tid];
  }
};

template <Load LOAD, int STAGES, Store STORE, typename L, typename R>
__device__ __forceinline__ void multiply_in_stages(const R& rounds, typename L::T* memory, attune::Barrier* arrived) {
  using T = typename L::T;
  constexpr int STAGE = 2 * L::ARRAY, AHEAD = STAGES - 1;
  constexpr bool BY_RESULTS = STORE != Store::direct;
  const long long step = gridDim.x;
  T* const results = memory + STAGES * STAGE;  // two pieces: one is written by threads while the other is stored
  const auto fetch = [&](long long round, int stage) {
    if constexpr (LOAD == Load::bulk) {
      if (threadIdx.x == 0 && rounds.has(round)) rounds.copy_bulk(memory + stage * STAGE, round, arrived[stage]);
    } else {
      if (rounds.has(round)) rounds.copy(memory + stage * STAGE, round);
      attune::commit_copies();
    }
  };
  if constexpr (LOAD == Load::bulk) {
    if (threadIdx.x == 0) {
      for (int stage = 0; stage < STAGES; ++stage) attune::init(arrived[stage], 1);
      attune::fence_barriers();
    }
    __syncthreads();
  }
  if constexpr (LOAD != Load::registers) {
#pragma unroll 1
    for (int stage = 0; stage < AHEAD; ++stage) fetch(blockIdx.x + stage * step, stage);
  }
  int stage = 0, piece = 0;
  unsigned parity = 0;
  long long round = blockIdx.x;
#pragma unroll 1
  for (; rounds.has(round); round += step) {
    if constexpr (LOAD == Load::registers) {
      if (round != blockIdx.x) __syncthreads();  // until all have read the stage
      rounds.load(memory, round);
    } else if constexpr (LOAD == Load::async) {
      attune::wait_for_copies<AHEAD - 1>();
    } else {
      attune::wait(arrived[stage], parity);
    }
    if constexpr (STORE == Store::bulk) attune::wait_for_store_reads<0>();  // of the piece that is written next
    __syncthreads();
    if constexpr (LOAD != Load::registers) fetch(round + AHEAD * step, stage == 0 ? AHEAD : stage - 1);
    if (BY_RESULTS && round != blockIdx.x) rounds.store(results + (1 - piece) * L::ARRAY, round - step);
    rounds.multiply(memory + stage * STAGE, results + piece * L::ARRAY, round);
    piece = 1 - piece;
    if (++stage == STAGES) {
      stage = 0;
      parity ^= 1;
    }
  }
  if constexpr (BY_RESULTS) {
    if (round == blockIdx.x) return;
    __syncthreads();
    rounds.store(results + (1 - piece) * L::ARRAY, round - step);
    if constexpr (STORE == Store::bulk) attune::wait_for_stores<0>();
  }
}

// That one block per multiprocessor is enough keeps the compiler from spilling a few registers for the sake of another.
template <typename T, int N, Load LOAD, int BLOCK, int STAGE_KIB, int TM, int TN, int ACCESS, int STAGES, Pad PAD,
          Store STORE, Cache CACHE>
__global__ void __launch_bounds__(BLOCK, 1)
    gemm_batched(T* __restrict__ c, const T* __restrict__ a, const T* __restrict__ b, long long batch) {
  using P = Pack<T, 16 / sizeof(T)>;
  if (LOAD == Load::direct || !attune::aligned<P>(a) || !attune::aligned<P>(b) || !attune::aligned<P>(c)) {
    multiply_elements<N, BLOCK>(c, a, b, batch);
  } else if constexpr (LOAD == Load::lanes) {
    multiply_in_lanes<N, BLOCK, mats_of_stage<T, N, STAGE_KIB, ACCESS>(), CACHE>(c, a, b, batch);
  } else if constexpr (LOAD != Load::direct) {
    using L = Layout<T, N, BLOCK, mats_of_stage<T, N, STAGE_KIB, ACCESS>(), smaller(TM, N), smaller(TN, N), PAD>;
    extern __shared__ __align__(128) unsigned char memory[];
    __shared__ attune::Barrier arrived[STAGES];
    const Rounds<L, ACCESS / static_cast<int>(sizeof(T)), STORE, CACHE> rounds{c, a, b, batch};
    multiply_in_stages<LOAD, STAGES, STORE, L>(rounds, reinterpret_cast<T*>(memory), arrived);
  }
}

// The reference: one thread per element, in double.
template <typename T, int N>
__global__ void gemm_batched_reference(T* c, const T* a, const T* b, long long batch) {
  using W = attune::Wide<T>;
  const long long step = static_cast<long long>(gridDim.x) * blockDim.x, count = batch * (N * N);
  for (long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += step) {
    const long long first = i / (N * N) * (N * N), row = i % (N * N) / N, column = i % N;
    W sum = 0;
    for (int k = 0; k < N; ++k)
      sum += static_cast<W>(a[first + row * N + k]) * static_cast<W>(b[first + k * N + column]);
    c[i] = static_cast<T>(sum);
  }
}
