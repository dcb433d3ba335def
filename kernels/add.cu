/*attune
[kernel]
name = "add"
summary = "out[r][c] = a[r][c] + b[r][c] for rows x columns matrices whose rows begin `pitch` elements apart"
deterministic = true
[problem]
rows = { size = 16384, host = 1024 }
columns = { size = 16384, host = 1024 }
pitch = { integer = 0 }                        # elements from row to row; 0: no gaps, as many as columns
T = ["float", "double", "half", "bfloat16", "int32", "int64"]
[parameters]
SHAPE = ["Shape::line", "Shape::rows"]
THREADS_X = [256, 32, 64, 128, 512, 1024]      # a block is THREADS_X x THREADS_Y threads
THREADS_Y = [1, 2, 4, 8, 16, 32]
VECTOR = [4, 1, 2, 8]                          # elements per access
ITEMS = [2, 1, 4, 8]                           # accesses in flight per thread, for each of a and b
LOAD = ["Load::plain", "Load::read_only", "Load::streaming"]
STORE = ["Cache::plain", "Cache::streaming"]
BLOCKS_PER_SM = [0, 2, 4, 8, 16]               # launch only; 0: one tile per block, as many blocks as tiles
[restrictions]
rules = [
    "pitch == 0 || pitch >= columns",
    "VECTOR * sizeof(T) <= 16",                # the widest access
    "VECTOR * ITEMS * sizeof(T) <= 64",        # a and b wait in registers: twice this
    "threads in [128, 256, 512, 1024]",
    "threads * VECTOR * ITEMS * sizeof(T) <= 32768",     # registers of a block
    "SHAPE == 'Shape::line' || ITEMS < 4 || (ITEMS == 4 && VECTOR * sizeof(T) <= 8)",  # or addresses find no register
    # One line of elements, where there are no gaps: what is right and left of a block matters no more.
    "SHAPE == 'Shape::rows' || (pitch in [0, columns] && THREADS_Y == 1)",
    "BLOCKS_PER_SM == 0 || (BLOCKS_PER_SM * threads) in [1024, 2048, 4096]",
    "SHAPE == 'Shape::line' || tiles < 2 ** 32",         # a tile's number is divided in 32 bits
]
[values]
threads = "THREADS_X * THREADS_Y"
row_pitch = "pitch == 0 ? columns : pitch"
tiles = """SHAPE == 'Shape::line' ? ceil_div(rows * columns, threads * VECTOR * ITEMS) \
  : ceil_div(columns, THREADS_X * VECTOR) * ceil_div(rows, THREADS_Y * ITEMS)"""
[[launch]]
entry = "add<T, SHAPE, THREADS_X, THREADS_Y, VECTOR, ITEMS, LOAD, STORE>"
grid = ["BLOCKS_PER_SM > 0 ? min(tiles, BLOCKS_PER_SM * device.multiprocessors) : tiles"]
block = ["THREADS_X", "THREADS_Y"]
arguments = ["out", "a", "b", "rows", "columns", "leading"]
[arguments]
out = { type = "T", size = "(rows - 1) * row_pitch + columns", role = "out" }
a = { type = "T", size = "(rows - 1) * row_pitch + columns", role = "in" }
b = { type = "T", size = "(rows - 1) * row_pitch + columns", role = "in" }
rows = { type = "int64" }
columns = { type = "int64" }
leading = { type = "int64", value = "row_pitch" }
[[reference]]
entry = "add_reference<T>"
grid = ["min(ceil_div(rows * columns, 256), 2147483647)"]
block = ["256"]
arguments = ["out", "a", "b", "rows", "columns", "leading"]
[check]
absolute = 0                                   # one rounding, the same everywhere
relative = 0
allow_nonfinite = true                         # gaps are not written: what is in them stays
[metrics]
bytes = "3 * rows * columns * sizeof(T)"
flops = "rows * columns"
[[ladder]]
name = "steps"
source = "the matrix addition of introductions to CUDA: a thread for each element, 2-D blocks"
problems = ["rows=8192 columns=8192 T=float"]
steps = [
    { name = "32 x 8 threads", configuration = """SHAPE=Shape::rows THREADS_X=32 THREADS_Y=8 VECTOR=1 ITEMS=1 \
      LOAD=Load::plain STORE=Cache::plain BLOCKS_PER_SM=0""" },
    { name = "vectors", configuration = """SHAPE=Shape::rows THREADS_X=32 THREADS_Y=8 VECTOR=4 ITEMS=1 \
      LOAD=Load::plain STORE=Cache::plain BLOCKS_PER_SM=0""" },
    { name = "two rows a thread", configuration = """SHAPE=Shape::rows THREADS_X=32 THREADS_Y=8 VECTOR=4 ITEMS=2 \
      LOAD=Load::plain STORE=Cache::plain BLOCKS_PER_SM=0""" },
    { name = "one line", configuration = """SHAPE=Shape::line THREADS_X=256 THREADS_Y=1 VECTOR=4 ITEMS=2 \
      LOAD=Load::plain STORE=Cache::plain BLOCKS_PER_SM=0""" },
]
*/
#include "attune.cuh"
#include "attune_access.cuh"

using attune::Accumulator;
using attune::Cache;
using attune::Pack;

// Two streams are read, one is written, and an addition is nothing: memory bounds it. Bytes in flight keep memory busy,
// some 48 KiB per multiprocessor of an H200 (NVIDIA's CUB keeps that number per architecture, for DeviceTransform). So
// all loads of a thread are under way before the first is used. Reads run faster than writes: on an H200 4.44 TB/s where
// a copy reaches 4.29.

/// How blocks lie on the matrix: a line of elements without regard to rows, or THREADS_X columns of some rows.
enum class Shape { line, rows };

/// How elements are read: plainly, through the read-only path (ld.global.nc), or evicted first.
enum class Load { plain, read_only, streaming };

template <Load LOAD, typename P>
__device__ __forceinline__ P read(const P* from) {
  if constexpr (LOAD == Load::read_only) {
    return attune::load_read_only(from);
  } else {
    constexpr Cache HINT = LOAD == Load::streaming ? Cache::streaming : Cache::plain;
    return attune::load<HINT>(from);
  }
}

template <typename T>
__device__ __forceinline__ T sum_of(T a, T b) {
  using A = Accumulator<T>;
  return static_cast<T>(static_cast<A>(a) + static_cast<A>(b));
}

template <int VECTOR, typename T>
__device__ __forceinline__ Pack<T, VECTOR> sum_of(const Pack<T, VECTOR>& a, const Pack<T, VECTOR>& b) {
  Pack<T, VECTOR> sum;
#pragma unroll
  for (int k = 0; k < VECTOR; ++k) sum.element[k] = sum_of(a.element[k], b.element[k]);
  return sum;
}

// ITEMS packs, `step` elements apart, all of which lie in the matrix.
template <int VECTOR, int ITEMS, Load LOAD, Cache STORE, typename T>
__device__ __forceinline__ void add_packs(T* out, const T* a, const T* b, long long step) {
  using P = Pack<T, VECTOR>;
  P a_held[ITEMS], b_held[ITEMS];
#pragma unroll
  for (int item = 0; item < ITEMS; ++item) {
    a_held[item] = read<LOAD>(reinterpret_cast<const P*>(a + item * step));
    b_held[item] = read<LOAD>(reinterpret_cast<const P*>(b + item * step));
  }
#pragma unroll
  for (int item = 0; item < ITEMS; ++item)
    attune::store<STORE>(reinterpret_cast<P*>(out + item * step), sum_of(a_held[item], b_held[item]));
}

// `count` elements of a line, by THREADS threads: coalesced, whatever the alignment.
template <int THREADS, typename T>
__device__ __forceinline__ void add_elements(T* out, const T* a, const T* b, int first, int count) {
#pragma unroll 1
  for (int i = first; i < count; i += THREADS) out[i] = sum_of(a[i], b[i]);
}

// One line of elements.
template <int THREADS, int VECTOR, int ITEMS, Load LOAD, Cache STORE, typename T>
__device__ __forceinline__ void add_line(T* out, const T* a, const T* b, long long n, bool packs) {
  constexpr int TILE = THREADS * VECTOR * ITEMS;
  const int thread = static_cast<int>(threadIdx.x);
  for (long long start = static_cast<long long>(blockIdx.x) * TILE; start < n;
       start += static_cast<long long>(gridDim.x) * TILE) {
    const long long mine = start + thread * VECTOR;
    if (packs && n - start >= TILE) {
      add_packs<VECTOR, ITEMS, LOAD, STORE>(out + mine, a + mine, b + mine, THREADS * VECTOR);
    } else {
      const int left = static_cast<int>(n - start < TILE ? n - start : TILE);
      add_elements<THREADS>(out + start, a + start, b + start, thread, left);
    }
  }
}

// Tiles of THREADS_X * VECTOR columns and THREADS_Y * ITEMS rows.
template <int THREADS_X, int THREADS_Y, int VECTOR, int ITEMS, Load LOAD, Cache STORE, typename T>
__device__ __forceinline__ void add_rows(T* out, const T* a, const T* b, long long rows, long long columns,
                                         long long pitch, bool packs) {
  constexpr int WIDE = THREADS_X * VECTOR, HIGH = THREADS_Y * ITEMS;
  const unsigned tiles_x = static_cast<unsigned>((columns + WIDE - 1) / WIDE);
  const long long tiles = tiles_x * ((rows + HIGH - 1) / HIGH);
  for (long long tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    const long long x = static_cast<long long>(static_cast<unsigned>(tile) % tiles_x) * WIDE;
    const long long y = static_cast<long long>(static_cast<unsigned>(tile) / tiles_x) * HIGH + threadIdx.y;
    const long long row = y * pitch + x;
    if (packs && columns - x >= WIDE && rows - y > (ITEMS - 1) * THREADS_Y) {
      const long long mine = row + static_cast<long long>(threadIdx.x) * VECTOR;
      add_packs<VECTOR, ITEMS, LOAD, STORE>(out + mine, a + mine, b + mine, THREADS_Y * pitch);
    } else {
      const int left = static_cast<int>(columns - x < WIDE ? columns - x : WIDE);
#pragma unroll 1
      for (int item = 0; item < ITEMS && y + item * THREADS_Y < rows; ++item) {
        const long long begin = row + item * THREADS_Y * pitch;
        add_elements<THREADS_X>(out + begin, a + begin, b + begin, static_cast<int>(threadIdx.x), left);
      }
    }
  }
}

template <typename T, Shape SHAPE, int THREADS_X, int THREADS_Y, int VECTOR, int ITEMS, Load LOAD, Cache STORE>
__global__ void __launch_bounds__(THREADS_X* THREADS_Y)
    add(T* out, const T* a, const T* b, long long rows, long long columns, long long pitch) {
  using P = Pack<T, VECTOR>;
  const bool packs = attune::aligned<P>(out) && attune::aligned<P>(a) && attune::aligned<P>(b);
  if constexpr (SHAPE == Shape::line) {
    add_line<THREADS_X, VECTOR, ITEMS, LOAD, STORE>(out, a, b, rows * columns, packs);
  } else {
    add_rows<THREADS_X, THREADS_Y, VECTOR, ITEMS, LOAD, STORE>(out, a, b, rows, columns, pitch,
                                                               packs && pitch % VECTOR == 0);
  }
}

template <typename T>
__global__ void add_reference(T* out, const T* a, const T* b, long long rows, long long columns, long long pitch) {
  const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < rows * columns; i += step) {
    const long long place = i / columns * pitch + i % columns;
    out[place] = sum_of(a[place], b[place]);
  }
}
