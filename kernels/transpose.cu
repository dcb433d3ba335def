/*attune
[kernel]
name = "transpose"
summary = "out[x][y] = in[y][x] for a height x width matrix, row-major"
deterministic = true
[problem]
width = { size = 8192, host = 1024 }
height = { size = 8192, host = 1024 }
T = ["float", "double", "half", "bfloat16", "int8", "int32", "int64", "float4"]
[parameters]
TILE_X = [32, 64, 128]                         # columns of a tile: elements that are read in a row,
TILE_Y = [32, 64, 128]                         # and rows: elements that are written in a row
THREADS = [256, 128, 512]
VECTOR = [1, 2, 4, 8, 16]                      # elements per access
LOAD = ["Load::registers", "Load::direct", "Load::prefetch", "Load::async", "Load::tensor"]
STAGES = [1, 2, 3, 4]                          # tiles on their way into shared memory
LAYOUT = ["Layout::padded", "Layout::swizzled", "Layout::plain"]
ORDER = ["Order::rows", "Order::columns", "Order::diagonal", "Order::strips_of_4"]
LOAD_CACHE = ["Cache::plain", "Cache::streaming"]
STORE_CACHE = ["Cache::plain", "Cache::streaming"]
SCHEDULE = ["Schedule::fixed", "Schedule::ticket"]
BLOCKS_PER_SM = [0, 1, 2, 4, 8]                # launch only; 0: a block for each tile
[values]
tiles = "ceil_div(width, TILE_X) * ceil_div(height, TILE_Y)"
pack = "VECTOR * sizeof(T)"                    # bytes of an access
held = "TILE_X * TILE_Y * sizeof(T) / THREADS" # bytes that a thread moves for a tile
stage = "TILE_Y * (TILE_X + (LAYOUT == 'Layout::padded' ? VECTOR : 0)) * sizeof(T)"
[restrictions]
rules = [
    "pack <= 16",                              # the widest access
    "TILE_X * TILE_Y / (VECTOR * VECTOR) >= THREADS",    # each thread turns a square of VECTOR x VECTOR at least,
    "pack * VECTOR <= 128 && held <= 128",     # in registers,
    """TILE_X * TILE_Y <= (LOAD in ['Load::prefetch', 'Load::tensor'] || SCHEDULE == 'Schedule::ticket' ? 4 : 8) \
      * VECTOR * THREADS""",                   # with the addresses of all its packs
    # One access after the other, without shared memory: the first step of the ladder has no more to choose.
    """LOAD != 'Load::direct' || (VECTOR == 1 && LAYOUT == 'Layout::plain' && BLOCKS_PER_SM == 0 \
      && LOAD_CACHE == 'Cache::plain' && STORE_CACHE == 'Cache::plain')""",
    "LAYOUT != 'Layout::plain' || (VECTOR == 1 && LOAD in ['Load::direct', 'Load::registers'])",
    "LOAD != 'Load::prefetch' || BLOCKS_PER_SM > 0",
    # cp.async copies 4, 8 or 16 bytes, a tensor map boxes that are 128 bytes wide, both with no choice of a hint.
    "LOAD != 'Load::async' || (pack >= 4 && LOAD_CACHE == 'Cache::plain')",
    "LOAD != 'Load::async' || device.compute_capability >= 80 || device.kind == 'host'",
    """LOAD != 'Load::tensor' || (TILE_X * sizeof(T) >= 128 && LOAD_CACHE == 'Cache::plain' \
      && LAYOUT == 'Layout::swizzled')""",
    "STAGES == 1 || (LOAD in ['Load::async', 'Load::tensor'] && BLOCKS_PER_SM > 0)",
    "SCHEDULE == 'Schedule::fixed' || BLOCKS_PER_SM > 0",
    # Blocks that stay fit on a multiprocessor together.
    "BLOCKS_PER_SM * THREADS <= device.max_threads_per_multiprocessor",
    "BLOCKS_PER_SM * (STAGES * stage + device.shared_reserved) <= device.shared_per_multiprocessor",
]
[[launch]]
entry = """transpose<T, TILE_X, TILE_Y, THREADS, VECTOR, LOAD, STAGES, LAYOUT, ORDER, LOAD_CACHE, STORE_CACHE, \
  SCHEDULE>"""
grid = ["BLOCKS_PER_SM > 0 ? min(tiles, BLOCKS_PER_SM * device.multiprocessors) : tiles"]
block = ["THREADS"]
shared = "LOAD == 'Load::direct' ? 0 : STAGES * stage + (LOAD == 'Load::tensor' ? 1024 : 0)"  # boxes are aligned to 1024
arguments = ["out", "in", "in_tiles", "width", "height", "tickets"]
[arguments]
out = { type = "T", size = "width * height", role = "out" }
in = { type = "T", size = "width * height", role = "in" }
in_tiles = { tensor = "in", shape = ["width", "height"], box = ["128 / sizeof(T)", "TILE_Y"], swizzle = 128, when = "LOAD == 'Load::tensor'" }
width = { type = "int64" }
height = { type = "int64" }
tickets = { type = "uint32", size = "2", role = "scratch" }
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
source = "the order of G. Ruetsch and P. Micikevicius, Optimizing Matrix Transpose in CUDA (2009), and what came later"
problems = ["width=4096 height=4096 T=float"]
steps = [
    { name = "naive", configuration = "LOAD=Load::direct LAYOUT=Layout::plain" },
    { name = "tile with bank conflicts", configuration = "LAYOUT=Layout::plain" },
    { name = "padded", configuration = "LAYOUT=Layout::padded" },
    { name = "diagonal", configuration = "ORDER=Order::diagonal" },
    { name = "larger tile", configuration = "TILE_X=64 TILE_Y=64 THREADS=512 LAYOUT=Layout::swizzled" },
    { name = "vectors", configuration = "TILE_X=64 TILE_Y=64 VECTOR=4 LAYOUT=Layout::swizzled" },
    { name = "by columns", configuration = "TILE_X=64 TILE_Y=64 VECTOR=4 LAYOUT=Layout::swizzled ORDER=Order::columns" },
    { name = "pipelined", configuration = """TILE_X=64 TILE_Y=64 THREADS=128 VECTOR=4 LOAD=Load::async STAGES=4 \
      LAYOUT=Layout::swizzled ORDER=Order::columns BLOCKS_PER_SM=2""" },
    { name = "tensor map", configuration = """TILE_X=64 TILE_Y=64 THREADS=256 VECTOR=4 LOAD=Load::tensor STAGES=4 \
      LAYOUT=Layout::swizzled ORDER=Order::columns BLOCKS_PER_SM=2""" },
]
*/
#include "attune.cuh"
#include "attune_access.cuh"
#include "attune_async.cuh"

using attune::Cache;
using attune::Pack;

// A transposition moves each element once, so copying is its limit. Reading rows and writing rows needs a tile in shared
// memory between them (G. Ruetsch and P. Micikevicius, 2009). What then remains on GPUs with HBM is the order in which
// addresses are written: the same tiles, not transposed, run at the rate of a copy. So the shape of a tile and the order
// of tiles decide, and keeping more tiles on their way helps little.

/// How a tile comes into shared memory:
///   registers  through registers, tile by tile
///   direct     not at all: each element is written where it belongs
///   prefetch   through registers, the next tile while the present one is written
///   async      by copies that run beside the threads, issued by every thread (cp.async)
///   tensor     by such copies of boxes of a tensor map, issued by one thread
enum class Load { registers, direct, prefetch, async, tensor };

/// How a tile lies in shared memory. Its packs are written along rows and read down columns:
///   padded    each row starts one pack later
///   swizzled  the packs of each row are permuted, which costs no space
///   plain     all packs of a column share their banks
enum class Layout { padded, swizzled, plain };

/// Which tile comes after which. Blocks that run together read neighbouring pieces of rows, or by columns write them.
/// strips_of_4 are four tiles high and walked column by column: a little of both. Diagonal is for old memories.
enum class Order : unsigned { diagonal = 0, rows = 1, strips_of_4 = 4, columns = 0xffffffff };

/// Who says which tile a block takes next: its number and the grid's width, or a counter that all blocks share.
enum class Schedule { fixed, ticket };

struct Matrix {
  long long width, height;
};

// A tile at (x, y), and how much of it lies in the matrix.
struct Tile {
  long long x, y;
  int columns, rows;
};

// One-dimensional grids reach 2^31 - 1 blocks, where y stops at 65,535; so all products here fit 32 bits.
template <Order ORDER, int TILE_X, int TILE_Y>
__device__ __forceinline__ Tile tile_at(unsigned number, Matrix matrix) {
  const unsigned tiles_x = static_cast<unsigned>((matrix.width + TILE_X - 1) / TILE_X);
  const unsigned tiles_y = static_cast<unsigned>((matrix.height + TILE_Y - 1) / TILE_Y);
  unsigned x, y;
  if constexpr (ORDER == Order::diagonal) {
    y = number % tiles_y;
    x = (number / tiles_y + y) % tiles_x;
  } else {
    const unsigned strip_height = tiles_y < static_cast<unsigned>(ORDER) ? tiles_y : static_cast<unsigned>(ORDER);
    const unsigned strip = number / (strip_height * tiles_x);
    const unsigned place = number - strip * (strip_height * tiles_x);
    const unsigned left = tiles_y - strip * strip_height;  // the last strip may be lower
    const unsigned rows = left < strip_height ? left : strip_height;
    x = place / rows;
    y = strip * strip_height + place % rows;
  }
  const long long first_x = static_cast<long long>(x) * TILE_X, first_y = static_cast<long long>(y) * TILE_Y;
  return {first_x, first_y, static_cast<int>(matrix.width - first_x < TILE_X ? matrix.width - first_x : TILE_X),
          static_cast<int>(matrix.height - first_y < TILE_Y ? matrix.height - first_y : TILE_Y)};
}

// One block's way of moving a tile: all that is known when it is compiled.
template <typename T, int TILE_X, int TILE_Y, int THREADS, int VECTOR, bool BOXES, Layout LAYOUT, Cache LOAD_CACHE,
          Cache STORE_CACHE>
struct Mover {
  using P = Pack<T, VECTOR>;
  static constexpr int GROUPS = TILE_X / VECTOR;  // packs per row of the tile,
  static constexpr int LINES = TILE_Y / VECTOR;   // and per row of the result
  static constexpr int PACKS = GROUPS * TILE_Y / THREADS;
  static constexpr int SQUARES = GROUPS * LINES / THREADS;
  static constexpr int PITCH = LAYOUT == Layout::padded ? GROUPS + 1 : GROUPS;
  static constexpr int STAGE = TILE_Y * PITCH;  // packs
  static constexpr int IN_A_TURN = 128 / static_cast<int>(sizeof(P));  // packs that pass all banks once
  static constexpr int MASK = (GROUPS < IN_A_TURN ? GROUPS : IN_A_TURN) - 1;
  static constexpr int BOX = 128 / static_cast<int>(sizeof(T));  // columns of a box of the tensor map
  static_assert(PACKS * THREADS == GROUPS * TILE_Y && SQUARES * THREADS == GROUPS * LINES, "threads share evenly");

  T* out;
  const T* in;
  Matrix matrix;
  bool packs;  // rows and pointers are aligned for P

  // Where pack `group` of row `y` lies. Neighbouring threads read rows VECTOR apart: padded, these are neighbours.
  __device__ __forceinline__ static int slot(int y, int group) {
    if constexpr (BOXES) {
      const int x = group * VECTOR;
      return (x / BOX * TILE_Y * BOX + attune::swizzled<128, sizeof(T)>(y * BOX + x % BOX)) / VECTOR;
    }
    if constexpr (LAYOUT == Layout::padded) return (y % VECTOR * LINES + y / VECTOR) * PITCH + group;
    if constexpr (LAYOUT == Layout::swizzled) return y * PITCH + (group ^ (y / VECTOR & MASK));
    return y * PITCH + group;
  }
  __device__ __forceinline__ static T& element(P* tile, int y, int x) {
    return tile[slot(y, x / VECTOR)].element[x % VECTOR];
  }

  __device__ __forceinline__ bool whole(const Tile& tile) const {
    return packs && tile.columns == TILE_X && tile.rows == TILE_Y;
  }
  __device__ __forceinline__ const P* pack_at(const Tile& tile, int i) const {
    return reinterpret_cast<const P*>(in + (tile.y + i / GROUPS) * matrix.width + tile.x + i % GROUPS * VECTOR);
  }

  // All loads are under way before the first is waited for.
  __device__ __forceinline__ void load(const Tile& tile, P (&held)[PACKS]) const {
    if (!whole(tile)) return;
#pragma unroll
    for (int k = 0; k < PACKS; ++k) held[k] = attune::load<LOAD_CACHE>(pack_at(tile, k * THREADS + threadIdx.x));
  }
  __device__ __forceinline__ void put(const Tile& tile, const P (&held)[PACKS], P* to) const {
    if (!whole(tile)) return load_elements(tile, to);
#pragma unroll
    for (int k = 0; k < PACKS; ++k) {
      const int i = k * THREADS + static_cast<int>(threadIdx.x);
      to[slot(i / GROUPS, i % GROUPS)] = held[k];
    }
  }
  __device__ __forceinline__ void copy(const Tile& tile, P* to) const {
    if constexpr (sizeof(P) >= 4) {
      if (!whole(tile)) return load_elements(tile, to);
#pragma unroll
      for (int k = 0; k < PACKS; ++k) {
        const int i = k * THREADS + static_cast<int>(threadIdx.x);
        attune::copy_async<sizeof(P)>(&to[slot(i / GROUPS, i % GROUPS)], pack_at(tile, i));
      }
    }
  }
  // One thread calls it. Beyond the edge boxes hold zeros.
  __device__ __forceinline__ void copy_boxes(const Tile& tile, const attune::TensorMap& map, attune::Barrier& full,
                                             P* to) const {
    attune::arrive_expecting(full, STAGE * sizeof(P));
#pragma unroll
    for (int x = 0; x < TILE_X; x += BOX)
      attune::load_tensor(reinterpret_cast<T*>(to) + x * TILE_Y, map, full, static_cast<int>(tile.x) + x,
                          static_cast<int>(tile.y));
  }
  // A tile at the edge, or rows that are not aligned: element by element, still coalesced.
  __device__ __forceinline__ void load_elements(const Tile& tile, P* to) const {
#pragma unroll 1
    for (int i = static_cast<int>(threadIdx.x); i < TILE_X * TILE_Y; i += THREADS) {
      const int x = i % TILE_X, y = i / TILE_X;
      if (x < tile.columns && y < tile.rows) element(to, y, x) = in[(tile.y + y) * matrix.width + tile.x + x];
    }
  }

  // A thread reads VECTOR packs below each other, turns this square in its registers and writes its columns as rows.
  __device__ __forceinline__ void store(const Tile& tile, P* from) const {
    if (!whole(tile)) return store_elements(tile, from);
#pragma unroll
    for (int square = 0; square < SQUARES; ++square) {
      const int i = square * THREADS + static_cast<int>(threadIdx.x), y = i % LINES * VECTOR, group = i / LINES;
      P held[VECTOR];
#pragma unroll
      for (int k = 0; k < VECTOR; ++k) held[k] = from[slot(y + k, group)];
      T* const to = out + (tile.x + group * VECTOR) * matrix.height + tile.y + y;
#pragma unroll
      for (int k = 0; k < VECTOR; ++k) {
        P turned;
#pragma unroll
        for (int j = 0; j < VECTOR; ++j) turned.element[j] = held[j].element[k];
        attune::store_whole<STORE_CACHE>(reinterpret_cast<P*>(to + k * matrix.height), turned);
      }
    }
  }
  __device__ __forceinline__ void store_elements(const Tile& tile, P* from) const {
#pragma unroll 1
    for (int i = static_cast<int>(threadIdx.x); i < TILE_X * TILE_Y; i += THREADS) {
      const int x = i / TILE_Y, y = i % TILE_Y;
      if (x < tile.columns && y < tile.rows) out[(tile.x + x) * matrix.height + tile.y + y] = element(from, y, x);
    }
  }

  __device__ __forceinline__ void move_directly(const Tile& tile) const {
#pragma unroll 4
    for (int i = static_cast<int>(threadIdx.x); i < TILE_X * TILE_Y; i += THREADS) {
      const int x = i % TILE_X, y = i / TILE_X;
      if (x < tile.columns && y < tile.rows)
        out[(tile.x + x) * matrix.height + tile.y + y] = in[(tile.y + y) * matrix.width + tile.x + x];
    }
  }
};

// The tiles of this block, one after the other; beyond the last one: any number from `count` on.
template <Schedule SCHEDULE>
class Tiles {
 public:
  // `tickets`: scratch memory of two counters, both 0, and 0 again when all blocks have called finish().
  __device__ Tiles(unsigned count, unsigned* tickets, unsigned* shared_pair)
      : count_(count), tickets_(tickets), shared_pair_(shared_pair) {}
  // All threads of the block call it, and meet in it when tickets are drawn.
  __device__ __forceinline__ unsigned next() {
    if constexpr (SCHEDULE == Schedule::fixed) {
      const unsigned tile = blockIdx.x + taken_++ * gridDim.x;
      return tile < count_ && tile >= blockIdx.x ? tile : count_;
    } else {
      unsigned& place = shared_pair_[taken_++ % 2];  // two, so that one barrier is enough
      if (threadIdx.x == 0) place = atomicAdd(tickets_, 1u);
      __syncthreads();
      return place;
    }
  }
  __device__ __forceinline__ void finish() {
    if (SCHEDULE == Schedule::fixed || threadIdx.x != 0) return;
    __threadfence();
    if (atomicAdd(tickets_ + 1, 1u) == gridDim.x - 1) tickets_[0] = tickets_[1] = 0;
  }
  __device__ __forceinline__ bool has(unsigned tile) const { return tile < count_; }

 private:
  unsigned count_;
  unsigned taken_ = 0;
  unsigned* tickets_;
  unsigned* shared_pair_;
};

// Tiles on their way into STAGES places of shared memory, by copies that run beside the threads.
template <typename M, Load LOAD, int STAGES>
struct Pipeline {
  using P = typename M::P;
  const M& mover;
  const attune::TensorMap& map;
  attune::Barrier* full;  // of each place, for boxes
  P* places;
  bool boxes;

  __device__ Pipeline(const M& with, const attune::TensorMap& tiles, attune::Barrier* barriers, P* memory)
      : mover(with), map(tiles), full(barriers), places(memory), boxes(LOAD == Load::tensor && attune::usable(tiles)) {
    if (LOAD != Load::tensor) return;
    if (threadIdx.x == 0) {
      for (int place = 0; place < STAGES; ++place) attune::init(full[place], 1);
      attune::fence_barriers();
    }
    __syncthreads();
  }
  __device__ __forceinline__ P* at(int place) const { return places + place * M::STAGE; }
  __device__ __forceinline__ void begin(const Tile& tile, int place) const {
    if constexpr (LOAD == Load::async) return mover.copy(tile, at(place));
    if (!boxes) return mover.load_elements(tile, at(place));
    if (threadIdx.x == 0) mover.copy_boxes(tile, map, full[place], at(place));
  }
  // `round`: how often the place was filled before.
  __device__ __forceinline__ void complete(int place, unsigned round) const {
    if constexpr (LOAD == Load::async) attune::wait_for_copies<STAGES - 1>();
    if (boxes) attune::wait(full[place], round % 2);
    __syncthreads();
  }
  // All threads have read the place.
  __device__ __forceinline__ void leave() const { __syncthreads(); }
};

template <Order ORDER, int TILE_X, int TILE_Y, int STAGES, typename Source, typename Pipe>
__device__ __forceinline__ void move_by_pipeline(Source& tiles, const Pipe& pipe) {
  const auto begin = [&](unsigned tile, int place) {
    if (tiles.has(tile)) pipe.begin(tile_at<ORDER, TILE_X, TILE_Y>(tile, pipe.mover.matrix), place);
    attune::commit_copies();
  };
  unsigned pending[STAGES];  // tiles in the order in which they were asked for
#pragma unroll
  for (int place = 0; place < STAGES - 1; ++place) {
    pending[place] = tiles.next();
    begin(pending[place], place);
  }
  int place = 0;
  for (unsigned round = 0;;) {
    pending[STAGES - 1] = tiles.next();
    if (!tiles.has(pending[0])) return;
    begin(pending[STAGES - 1], place == 0 ? STAGES - 1 : place - 1);
    pipe.complete(place, round);
    pipe.mover.store(tile_at<ORDER, TILE_X, TILE_Y>(pending[0], pipe.mover.matrix), pipe.at(place));
    pipe.leave();
#pragma unroll
    for (int i = 0; i < STAGES - 1; ++i) pending[i] = pending[i + 1];
    if (++place == STAGES) place = 0, ++round;
  }
}

// Of blocks on a multiprocessor. The compiler wants more than one, and spills for them; 0 leaves it to the compiler.
template <int THREADS, Load LOAD, Schedule SCHEDULE>
constexpr int WANTED_BLOCKS = THREADS == 512 || LOAD == Load::prefetch || SCHEDULE == Schedule::ticket ? 1 : 0;

template <typename T, int TILE_X, int TILE_Y, int THREADS, int VECTOR, Load LOAD, int STAGES, Layout LAYOUT,
          Order ORDER, Cache LOAD_CACHE, Cache STORE_CACHE, Schedule SCHEDULE>
__global__ void __launch_bounds__(THREADS, WANTED_BLOCKS<THREADS, LOAD, SCHEDULE>)
    transpose(T* __restrict__ out, const T* __restrict__ in, const __grid_constant__ attune::TensorMap in_tiles,
              long long width, long long height, unsigned* tickets) {
  using M = Mover<T, TILE_X, TILE_Y, THREADS, VECTOR, LOAD == Load::tensor, LAYOUT, LOAD_CACHE, STORE_CACHE>;
  using P = typename M::P;
  extern __shared__ int4 shared[];
  __shared__ unsigned pair[2];
  __shared__ attune::Barrier full[STAGES];
  const unsigned misplaced = LOAD == Load::tensor ? reinterpret_cast<unsigned long long>(shared) % 1024 : 0;
  P* const stages = reinterpret_cast<P*>(reinterpret_cast<char*>(shared) + (misplaced == 0 ? 0 : 1024 - misplaced));
  const Matrix matrix{width, height};
  // Rows of an odd width start unaligned, and so may the pointers that an application passes.
  const M mover{out, in, matrix,
                width % VECTOR == 0 && height % VECTOR == 0 && attune::aligned<P>(in) && attune::aligned<P>(out)};
  const auto at = [&](unsigned tile) { return tile_at<ORDER, TILE_X, TILE_Y>(tile, matrix); };
  const unsigned count =
      static_cast<unsigned>((width + TILE_X - 1) / TILE_X) * static_cast<unsigned>((height + TILE_Y - 1) / TILE_Y);
  Tiles<SCHEDULE> tiles(count, tickets, pair);

  if constexpr (LOAD == Load::direct) {
    mover.move_directly(at(tiles.next()));
  } else if constexpr (LOAD == Load::async || LOAD == Load::tensor) {
    move_by_pipeline<ORDER, TILE_X, TILE_Y, STAGES>(tiles, Pipeline<M, LOAD, STAGES>(mover, in_tiles, full, stages));
  } else {
    P held[M::PACKS];
    unsigned tile = tiles.next();
    if (LOAD == Load::prefetch && tiles.has(tile)) mover.load(at(tile), held);
    while (tiles.has(tile)) {
      const Tile present = at(tile);
      if (LOAD == Load::registers) mover.load(present, held);
      mover.put(present, held, stages);
      __syncthreads();
      tile = tiles.next();
      if (LOAD == Load::prefetch && tiles.has(tile)) mover.load(at(tile), held);
      mover.store(present, stages);
      __syncthreads();
    }
  }
  tiles.finish();
}

template <typename T>
__global__ void transpose_reference(T* out, const T* in, long long width, long long height) {
  const long long stride = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < width * height; i += stride) {
    out[i] = in[i % height * width + i / height];
  }
}
