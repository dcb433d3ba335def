/*attune
[kernel]
name = "transpose"
summary = "out[x][y] = in[y][x] for a height x width matrix, row-major"
[problem]
width = { size = 8192, host = 1024 }
height = { size = 8192, host = 1024 }
T = ["float", "double", "half", "int32", "int64"]
[parameters]
TILE = [32, 16, 64, 128]                       # a block moves a tile of TILE x TILE elements
ROWS = [8, 1, 2, 4, 16, 32]                    # threads per block in y
VECTOR = [1, 2, 4, 8]                          # elements per access
LAYOUT = ["Layout::padded", "Layout::swizzled", "Layout::plain"]
ORDER = ["Order::rows", "Order::diagonal", "Order::strips_of_4", "Order::strips_of_16"]
CACHE = ["Cache::plain", "Cache::streaming"]
[restrictions]
rules = [
    "VECTOR * sizeof(T) <= 16",                          # the widest access
    "TILE % (ROWS * VECTOR) == 0",                       # threads share the tile evenly
    "TILE / VECTOR * ROWS in [64, 128, 256, 512, 1024]", # threads per block
    "TILE / ROWS <= 16",                                 # packs that one thread holds in registers,
    "TILE / ROWS * VECTOR * sizeof(T) <= 128",           # and their bytes
    "TILE * (TILE + VECTOR) * sizeof(T) <= 49152",       # static shared memory
]
[[launch]]
entry = "transpose<T, TILE, ROWS, VECTOR, LAYOUT, ORDER, CACHE>"
grid = ["ceil_div(width, TILE) * ceil_div(height, TILE)"]
block = ["TILE / VECTOR", "ROWS"]
arguments = ["out", "in", "width", "height"]
[arguments]
out = { type = "T", size = "width * height", role = "out" }
in = { type = "T", size = "width * height", role = "in" }
width = { type = "int64" }
height = { type = "int64" }
[[reference]]
entry = "transpose_reference<T>"
grid = ["min(ceil_div(width * height, 256), 2147483647)"]
block = ["256"]
arguments = ["out", "in", "width", "height"]
[check]
absolute = 0
relative = 0
[metrics]
bytes = "2 * width * height * sizeof(T)"
[[ladder]]
name = "tiles"
source = "the order of G. Ruetsch and P. Micikevicius, Optimizing Matrix Transpose in CUDA (2009)"
problems = ["width=4096 height=4096 T=float"]
steps = [
    { name = "tile with bank conflicts", configuration = """TILE=32 ROWS=8 VECTOR=1 LAYOUT=Layout::plain \
      ORDER=Order::rows CACHE=Cache::plain""" },
    { name = "padded", configuration = """TILE=32 ROWS=8 VECTOR=1 LAYOUT=Layout::padded ORDER=Order::rows \
      CACHE=Cache::plain""" },
    { name = "diagonal", configuration = """TILE=32 ROWS=8 VECTOR=1 LAYOUT=Layout::padded ORDER=Order::diagonal \
      CACHE=Cache::plain""" },
    { name = "larger tile", configuration = """TILE=64 ROWS=8 VECTOR=1 LAYOUT=Layout::padded ORDER=Order::rows \
      CACHE=Cache::plain""" },
    { name = "swizzled", configuration = """TILE=64 ROWS=8 VECTOR=1 LAYOUT=Layout::swizzled ORDER=Order::rows \
      CACHE=Cache::plain""" },
    { name = "vectors", configuration = """TILE=64 ROWS=8 VECTOR=4 LAYOUT=Layout::swizzled ORDER=Order::rows \
      CACHE=Cache::plain""" },
]
*/
#include "attune.cuh"

using attune::Cache;
using attune::Pack;

/// How a tile lies in shared memory. Its packs are written down columns and read along rows. Plain, all packs of a
/// column share their banks; padded, each row starts one pack later; swizzled, the packs of each row are permuted,
/// which costs no space.
enum class Layout { padded, swizzled, plain };

/// Which tile comes after which. A positive order is the height of a strip of tiles that is walked column by column:
/// blocks that run together then write long pieces of rows, as well as reading them. Diagonal spreads them over both
/// (for old memories).
enum class Order : unsigned { diagonal = 0, rows = 1, strips_of_4 = 4, strips_of_16 = 16 };

struct TilePosition {
  unsigned x, y;
};

// One-dimensional grids reach 2^31 - 1 blocks, where y stops at 65,535; so all products here fit 32 bits.
template <Order ORDER>
__device__ __forceinline__ TilePosition tile_position(unsigned block, unsigned tiles_x, unsigned tiles_y) {
  if constexpr (ORDER == Order::diagonal) {
    const unsigned y = block % tiles_y;
    return {(block / tiles_y + y) % tiles_x, y};
  } else {
    const unsigned strip_height = tiles_y < static_cast<unsigned>(ORDER) ? tiles_y : static_cast<unsigned>(ORDER);
    const unsigned strip = block / (strip_height * tiles_x);
    const unsigned place = block - strip * (strip_height * tiles_x);
    const unsigned first_y = strip * strip_height;
    const unsigned left = tiles_y - first_y;  // the last strip may be lower
    const unsigned rows = left < strip_height ? left : strip_height;
    return {place / rows, first_y + place % rows};
  }
}

struct Matrix {
  long long width, height;
};

// A whole tile, pack by pack. A thread reads VECTOR packs below each other, turns this square in its registers, and
// hands the turned packs on through shared memory. There, too, all accesses are whole packs, and `slot` keeps them free
// of bank conflicts: neighbouring threads (g) write neighbouring lines, whose banks the padding or the swizzle tells
// apart.
template <int TILE, int ROWS, Layout LAYOUT, Cache CACHE, typename T, int VECTOR>
__device__ __forceinline__ void move_whole_tile(T* out, const T* in, Matrix matrix, Pack<T, VECTOR>* tile) {
  using P = Pack<T, VECTOR>;
  constexpr int GROUPS = TILE / VECTOR;  // packs per row
  constexpr int STEPS = GROUPS / ROWS;
  constexpr int PITCH = LAYOUT == Layout::padded ? GROUPS + 1 : GROUPS;
  const int tx = static_cast<int>(threadIdx.x), ty = static_cast<int>(threadIdx.y);
  // Where the pack of output row g * VECTOR + k lies that holds columns pack * VECTOR and on.
  const auto slot = [](int g, int k, int pack) {
    return (k * GROUPS + g) * PITCH + (LAYOUT == Layout::swizzled ? pack ^ g : pack);
  };

  P held[STEPS][VECTOR];  // all loads are under way before the first is waited for
  const T* from = in + ty * VECTOR * matrix.width + tx * VECTOR;
#pragma unroll
  for (int step = 0; step < STEPS; ++step) {
#pragma unroll
    for (int k = 0; k < VECTOR; ++k) {
      held[step][k] = attune::load<CACHE>(reinterpret_cast<const P*>(from + (step * ROWS * VECTOR + k) * matrix.width));
    }
  }
#pragma unroll
  for (int step = 0; step < STEPS; ++step) {
#pragma unroll
    for (int k = 0; k < VECTOR; ++k) {
      P turned;
#pragma unroll
      for (int i = 0; i < VECTOR; ++i) turned.element[i] = held[step][i].element[k];
      tile[slot(tx, k, ty + step * ROWS)] = turned;
    }
  }
  __syncthreads();
  T* to = out + ty * VECTOR * matrix.height + tx * VECTOR;
#pragma unroll
  for (int step = 0; step < STEPS; ++step) {
#pragma unroll
    for (int k = 0; k < VECTOR; ++k) {
      const P pack = tile[slot(ty + step * ROWS, k, tx)];
      attune::store<CACHE>(reinterpret_cast<P*>(to + (step * ROWS * VECTOR + k) * matrix.height), pack);
    }
  }
}

// A tile at the edge, or packs that are not aligned: element by element, `columns` x `rows` of them, still coalesced.
template <int TILE, int THREADS, typename T>
__device__ __forceinline__ void move_elements(T* out, const T* in, Matrix matrix, int columns, int rows, T* tile) {
  const int thread = static_cast<int>(threadIdx.y * blockDim.x + threadIdx.x);
#pragma unroll 4
  for (int i = thread; i < TILE * TILE; i += THREADS) {
    const int x = i % TILE, y = i / TILE;
    if (x < columns && y < rows) tile[x * TILE + (y ^ x)] = in[y * matrix.width + x];
  }
  __syncthreads();
#pragma unroll 4
  for (int i = thread; i < TILE * TILE; i += THREADS) {
    const int x = i / TILE, y = i % TILE;
    if (x < columns && y < rows) out[x * matrix.height + y] = tile[x * TILE + (y ^ x)];
  }
}

template <typename T, int TILE, int ROWS, int VECTOR, Layout LAYOUT, Order ORDER, Cache CACHE>
__global__ void __launch_bounds__(TILE / VECTOR * ROWS)
    transpose(T* __restrict__ out, const T* __restrict__ in, long long width, long long height) {
  static_assert(TILE % (ROWS * VECTOR) == 0, "threads share the tile evenly");
  using P = Pack<T, VECTOR>;
  constexpr int GROUPS = TILE / VECTOR;
  __shared__ P tile[TILE * (LAYOUT == Layout::padded ? GROUPS + 1 : GROUPS)];

  const TilePosition position = tile_position<ORDER>(blockIdx.x, static_cast<unsigned>((width + TILE - 1) / TILE),
                                                     static_cast<unsigned>((height + TILE - 1) / TILE));
  const long long x0 = static_cast<long long>(position.x) * TILE, y0 = static_cast<long long>(position.y) * TILE;
  const int columns = static_cast<int>(width - x0 < TILE ? width - x0 : TILE);
  const int rows = static_cast<int>(height - y0 < TILE ? height - y0 : TILE);
  in += y0 * width + x0;
  out += x0 * height + y0;
  // Rows of an odd width start unaligned, and so may the pointers that an application passes.
  const bool whole_packs =
      width % VECTOR == 0 && height % VECTOR == 0 && attune::aligned<P>(in) && attune::aligned<P>(out);
  if (columns == TILE && rows == TILE && whole_packs) {
    move_whole_tile<TILE, ROWS, LAYOUT, CACHE>(out, in, Matrix{width, height}, tile);
  } else {
    move_elements<TILE, GROUPS * ROWS>(out, in, Matrix{width, height}, columns, rows, reinterpret_cast<T*>(tile));
  }
}

template <typename T>
__global__ void transpose_reference(T* out, const T* in, long long width, long long height) {
  const long long stride = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < width * height; i += stride) {
    out[i] = in[i % height * width + i / height];
  }
}
