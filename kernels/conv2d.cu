/*attune
[kernel]
name = "conv2d"
summary = "out[y][x] = sum of in[y + j][x + i] * filter[j][i]: a 2-D convolution, where the filter lies all inside"
deterministic = true
[problem]
width = { size = 4096, host = 256 }            # of the result; the input has FW - 1 columns and FH - 1 rows more
height = { size = 4096, host = 192 }
FW = { size = 15 }                             # the filter: as compiled
FH = { size = 15 }
[parameters]
STAGE = ["Stage::shared", "Stage::direct", "Stage::async"]     # how a block's part of the input is read
FILTER = ["Filter::shared", "Filter::constant", "Filter::loop"] # where the filter's elements are read, and how often
BLOCK_X = [32, 16, 64, 128]                    # threads
BLOCK_Y = [4, 1, 2, 8, 16]
TILE_X = [4, 1, 2, 8]                          # neighbouring results per thread
TILE_Y = [4, 1, 2, 8]
UNROLL = [1, 0, 2, 4]                          # turns of the window over the filter's rows; 0: no loop is unrolled
PAD = [0, 1]                                   # four columns more of the tile in shared memory, against bank conflicts
STORE_CACHE = ["Cache::plain", "Cache::streaming"]
[values]
tile = "TILE_X * TILE_Y"
columns = "BLOCK_X * TILE_X + FW - 1"          # of a block's part of the input
lines = "BLOCK_Y * TILE_Y + FH - 1"
tile_bytes = "STAGE == 'Stage::direct' ? 0 : 4 * lines * (round_up(columns, 4) + 4 * PAD)"
filter_bytes = "FILTER == 'Filter::shared' ? 4 * FH * round_up(FW, 4) : 0"
rows_at_once = "FILTER == 'Filter::constant' ? FH : min(FH, TILE_Y * UNROLL)"
row = "TILE_X + FW + 2"                        # registers of a row of the input
held = "tile + (FILTER == 'Filter::constant' ? 2 * row : TILE_Y * row + FW)"
[restrictions]
rules = [
    "FW <= 63 && FH <= 63",
    "FW * FH <= 1016",  # as many by value as every GPU takes beside the other parameters
    "BLOCK_X * BLOCK_Y >= 64 && BLOCK_X * BLOCK_Y <= 512",
    "tile <= 32",
    "FILTER != 'Filter::constant' || UNROLL == 1",
    "UNROLL > 0 || (tile == 1 && FILTER == 'Filter::loop' && PAD == 0)",
    "UNROLL <= 1 || TILE_Y * UNROLL <= max(FH, 4)",
    "FW * tile * rows_at_once <= (FILTER == 'Filter::constant' ? 4096 : 2560)",  # multiply-adds of the loop's body
    "held <= max(150, 5 * FW + 40) && (held + 40) * BLOCK_X * BLOCK_Y <= 65536",
    "PAD == 0 || (STAGE != 'Stage::direct' && BLOCK_X < 32)",  # a warp has rows of its own elsewhere
    "STAGE != 'Stage::direct' || (TILE_X <= 4 && FW * tile * rows_at_once <= 961)",  # all loads may run ahead
    "STAGE != 'Stage::async' || device.compute_capability >= 80 || device.kind == 'host'",
]
[[launch]]
entry = "conv2d<FW, FH, STAGE, FILTER, BLOCK_X, BLOCK_Y, TILE_X, TILE_Y, UNROLL, PAD, STORE_CACHE>"
grid = ["ceil_div(width, BLOCK_X * TILE_X) * ceil_div(height, BLOCK_Y * TILE_Y)"]
block = ["BLOCK_X", "BLOCK_Y"]
shared = "tile_bytes + filter_bytes"
arguments = ["out", "in", "filter", "width", "height"]
[arguments]
out = { type = "float", size = "width * height", role = "out" }
in = { type = "float", size = "(width + FW - 1) * (height + FH - 1)", role = "in" }
filter = { type = "float", size = "FW * FH", role = "in", pass = "value" }
width = { type = "int64" }
height = { type = "int64" }
[[reference]]
entry = "conv2d_reference<FW, FH>"
grid = ["min(ceil_div(width * height, 256), 2147483647)"]
block = ["256"]
arguments = ["out", "in", "filter", "width", "height"]
[check]
# Products of two out of uniform(-1, 1) have a deviation of 1 / 3, so after k of K = FW FH the sum is below
# 6 sqrt(k) / 3, six deviations. Each addition rounds by half an epsilon of it: K^1.5 * 2 / 3 epsilon, if all went one
# way. The reference is rounded too. That is 0.0003 for 15 x 15, 0.0024 for 31 x 31; an element makes 0.25 in the mean.
absolute = "epsilon(float) * (1 + 2 * FW * FH * sqrt(FW * FH) / 3)"
[metrics]
bytes = "4 * (width * height + (width + FW - 1) * (height + FH - 1))"
flops = "2 * FW * FH * width * height"
[[ladder]]
name = "conv2d"
source = "the order of V. Podlozhnyuk, Image Convolution with CUDA (2007), and B. van Werkhoven, Kernel Tuner (2019)"
problems = ["width=4096 height=4096 FW=15 FH=15"]
steps = [
    { name = "naive", configuration = """STAGE=Stage::direct FILTER=Filter::loop BLOCK_X=32 BLOCK_Y=8 TILE_X=1 \
      TILE_Y=1 UNROLL=0 PAD=0""" },
    { name = "filter among the instructions", configuration = """STAGE=Stage::direct FILTER=Filter::constant \
      BLOCK_X=32 BLOCK_Y=8 TILE_X=1 TILE_Y=1 UNROLL=1 PAD=0""" },
    { name = "a tile in shared memory", configuration = """STAGE=Stage::shared FILTER=Filter::constant BLOCK_X=32 \
      BLOCK_Y=8 TILE_X=1 TILE_Y=1 UNROLL=1 PAD=0""" },
    { name = "four results per thread in x", configuration = """STAGE=Stage::shared FILTER=Filter::constant BLOCK_X=32 \
      BLOCK_Y=8 TILE_X=4 TILE_Y=1 UNROLL=1 PAD=0""" },
    { name = "and four in y", configuration = """STAGE=Stage::shared FILTER=Filter::constant BLOCK_X=32 BLOCK_Y=4 \
      TILE_X=4 TILE_Y=4 UNROLL=1 PAD=0""" },
    { name = "a window that moves over the rows", configuration = """STAGE=Stage::shared FILTER=Filter::shared \
      BLOCK_X=32 BLOCK_Y=4 TILE_X=4 TILE_Y=4 UNROLL=1 PAD=0""" },
    { name = "cp.async", configuration = """STAGE=Stage::async FILTER=Filter::shared BLOCK_X=32 BLOCK_Y=4 TILE_X=4 \
      TILE_Y=4 UNROLL=1 PAD=0""" },
]
*/
#include "attune.cuh"
#include "attune_access.cuh"
#include "attune_array.cuh"
#include "attune_async.cuh"

using attune::Cache;
using attune::Pack;

// A small filter is limited by memory: many rows must be on their way. A large one is limited by multiply-adds, so
// nothing else may stand between them. Each thread computes TILE_X * TILE_Y neighbouring results. A row of the input
// is read into registers once, and serves all results of the thread that need it.

/// How a block's part of the input comes to its threads:
///   shared  through a tile in shared memory, which the threads fill
///   direct  each thread reads what it needs, by way of the L1 cache
///   async   through such a tile, filled by copies that go past the registers
/// The input is FW - 1 wider than the result, so its rows begin anywhere, and the tile is filled by single elements.
enum class Stage { shared, direct, async };

/// How the filter is read:
///   constant  each element where it is used, from the constant bank of parameters; all rows are unrolled
///   loop      row by row of the filter, from the parameters too; code is as long as a turn of the window
///   shared    likewise, from shared memory by four elements, into registers
enum class Filter { shared, constant, loop };

// What is known when the kernel is compiled.
template <int FW, int FH, Filter FILTER, int BLOCK_X, int BLOCK_Y, int TILE_X, int TILE_Y, int UNROLL, int PAD>
struct Shape {
  static constexpr int COLUMNS = BLOCK_X * TILE_X + FW - 1, LINES = BLOCK_Y * TILE_Y + FH - 1;
  static constexpr int PITCH = (COLUMNS + 3) / 4 * 4 + 4 * PAD;
  static constexpr int FILTER_PITCH = (FW + 3) / 4 * 4;
  static constexpr int VECTOR = TILE_X % 4 == 0 ? 4 : TILE_X % 2 == 0 ? 2 : 1;  // elements per access to shared memory
  static constexpr int ROW = (TILE_X + FW - 1 + VECTOR - 1) / VECTOR * VECTOR;  // elements of a row that a thread holds
  static constexpr int TURN = TILE_Y * (UNROLL > 0 ? UNROLL : 1);               // rows of the filter in a loop's body
};

// The sums of one thread.
template <int FW, int FH, int TILE_X, int TILE_Y>
struct Sums {
  float sum[TILE_Y][TILE_X];

  __device__ __forceinline__ void add_row(int line, const float* row, const float* filter_row) {
#pragma unroll
    for (int i = 0; i < FW; ++i) {
#pragma unroll
      for (int x = 0; x < TILE_X; ++x) sum[line][x] = fmaf(row[x + i], filter_row[i], sum[line][x]);
    }
  }

  // Row by row of the input, all unrolled: each is wanted by TILE_Y lines of results at most.
  template <int ROW, class LoadRow>
  __device__ __forceinline__ void add_unrolled(const float* filter, LoadRow load_row) {
#pragma unroll
    for (int r = 0; r < TILE_Y + FH - 1; ++r) {
      float row[ROW];
      load_row(r, row);
#pragma unroll
      for (int line = 0; line < TILE_Y; ++line)
        if (r - line >= 0 && r - line < FH) add_row(line, row, filter + (r - line) * FW);
    }
  }

  // Row by row of the filter. A window of TILE_Y rows of the input moves along. A row stays in its registers until
  // another one takes its place, TILE_Y rows later. So all indices are known, and nothing is moved.
  template <int ROW, int TURN, class LoadRow, class LoadFilter>
  __device__ __forceinline__ void add_by_window(LoadRow load_row, LoadFilter load_filter) {
    float window[TILE_Y][ROW];
#pragma unroll
    for (int r = 0; r < TILE_Y - 1; ++r) load_row(r, window[r]);
    int first = 0;
    if constexpr (FH >= TURN) {
#pragma unroll 1
      for (; first + TURN <= FH; first += TURN) add_turn<TURN>(window, first, load_row, load_filter);
    }
    add_turn<FH % TURN>(window, first, load_row, load_filter);
  }
  template <int ROWS, int ROW, class LoadRow, class LoadFilter>
  __device__ __forceinline__ void add_turn(float (&window)[TILE_Y][ROW], int first, LoadRow load_row,
                                           LoadFilter load_filter) {
#pragma unroll
    for (int k = 0; k < ROWS; ++k) {
      float filter_row[(FW + 3) / 4 * 4];
      load_filter(first + k, filter_row);
      load_row(first + k + TILE_Y - 1, window[(k + TILE_Y - 1) % TILE_Y]);
#pragma unroll
      for (int line = 0; line < TILE_Y; ++line) add_row(line, window[(k + line) % TILE_Y], filter_row);
    }
  }
};

template <typename T>
__device__ __forceinline__ T one_by_one(const T* in, long long pitch, const float* filter, int filter_width,
                                        int filter_height) {
  T sum = 0;
#pragma unroll 1
  for (int j = 0; j < filter_height; ++j) {
#pragma unroll 1
    for (int i = 0; i < filter_width; ++i) sum = fmaf(in[j * pitch + i], filter[j * filter_width + i], sum);
  }
  return sum;
}

// The tile in shared memory. What lies outside the input is left as it is: no result needs it.
template <Stage STAGE, class S, int BLOCK_X, int BLOCK_Y>
__device__ __forceinline__ void stage_tile(float* tile, const float* in, long long pitch, int columns, int lines) {
  constexpr int WHOLE = S::COLUMNS / BLOCK_X;  // elements of a line that each thread brings, and some one more
  const int x = static_cast<int>(threadIdx.x), y = static_cast<int>(threadIdx.y);
  const float* from = in + y * pitch + x;
  float* to = tile + y * S::PITCH + x;
  const auto bring = [&](int at) {
    if constexpr (STAGE == Stage::async) {
      attune::copy_async<4>(to + at, from + at);
    } else {
      to[at] = __ldg(from + at);
    }
  };
  const bool one_more = x + WHOLE * BLOCK_X < columns;
  if (columns == S::COLUMNS) {
#pragma unroll 2
    for (int line = y; line < lines; line += BLOCK_Y, from += BLOCK_Y * pitch, to += BLOCK_Y * S::PITCH) {
#pragma unroll
      for (int k = 0; k < WHOLE; ++k) bring(k * BLOCK_X);
      if (one_more) bring(WHOLE * BLOCK_X);
    }
  } else {
#pragma unroll 1
    for (int line = y; line < lines; line += BLOCK_Y, from += BLOCK_Y * pitch, to += BLOCK_Y * S::PITCH) {
#pragma unroll 1
      for (int at = 0; at < columns - x; at += BLOCK_X) bring(at);
    }
  }
}

template <int FW, int FH, Stage STAGE, Filter FILTER, int BLOCK_X, int BLOCK_Y, int TILE_X, int TILE_Y, int UNROLL,
          int PAD, Cache STORE_CACHE>
__global__ void __launch_bounds__(BLOCK_X * BLOCK_Y, 1)  // 1: as many registers as the window takes
    conv2d(float* out, const float* in, const __grid_constant__ attune::Array<float, FW * FH> filter, long long width,
           long long height) {
  using S = Shape<FW, FH, FILTER, BLOCK_X, BLOCK_Y, TILE_X, TILE_Y, UNROLL, PAD>;
  using P = Pack<float, S::VECTOR>;
  extern __shared__ __align__(16) float conv2d_shared[];
  float* const tile = conv2d_shared;
  float* const shared_filter = conv2d_shared + (STAGE == Stage::direct ? 0 : S::LINES * S::PITCH);
  const long long pitch = width + FW - 1;
  const unsigned blocks_x = static_cast<unsigned>((width + BLOCK_X * TILE_X - 1) / (BLOCK_X * TILE_X));
  const long long block_x = static_cast<long long>(blockIdx.x % blocks_x) * (BLOCK_X * TILE_X);
  const long long block_y = static_cast<long long>(blockIdx.x / blocks_x) * (BLOCK_Y * TILE_Y);
  const int x0 = static_cast<int>(threadIdx.x) * TILE_X, y0 = static_cast<int>(threadIdx.y) * TILE_Y;
  const int columns = static_cast<int>(width - block_x < BLOCK_X * TILE_X ? width - block_x : BLOCK_X * TILE_X) - x0;
  const int lines = static_cast<int>(height - block_y < BLOCK_Y * TILE_Y ? height - block_y : BLOCK_Y * TILE_Y) - y0;
  const float* const from = in + block_y * pitch + block_x;
  float* const to = out + (block_y + y0) * width + block_x + x0;

  if constexpr (STAGE != Stage::direct)
    stage_tile<STAGE, S, BLOCK_X, BLOCK_Y>(tile, from, pitch, columns + x0 + FW - 1, lines + y0 + FH - 1);
  if constexpr (FILTER == Filter::shared) {
#pragma unroll 1
    for (int i = static_cast<int>(threadIdx.y * BLOCK_X + threadIdx.x); i < FW * FH; i += BLOCK_X * BLOCK_Y)
      shared_filter[i / FW * S::FILTER_PITCH + i % FW] = filter[i];
  }
  if constexpr (STAGE == Stage::async) {
    attune::commit_copies();
    attune::wait_for_copies<0>();
  }
  if constexpr (STAGE != Stage::direct || FILTER == Filter::shared) __syncthreads();
  if (columns <= 0 || lines <= 0) return;

  // A thread at the edge of the result reads no further than its results need.
  if (UNROLL == 0 || (STAGE == Stage::direct && (columns < TILE_X || lines < TILE_Y))) {
#pragma unroll 1
    for (int k = 0; k < TILE_X * TILE_Y; ++k) {
      const int x = k % TILE_X, y = k / TILE_X;
      if (x >= columns || y >= lines) continue;
      to[y * width + x] = STAGE == Stage::direct
                              ? one_by_one(from + (y0 + y) * pitch + x0 + x, pitch, filter.elements, FW, FH)
                              : one_by_one(tile + (y0 + y) * S::PITCH + x0 + x, S::PITCH, filter.elements, FW, FH);
    }
    return;
  }

  Sums<FW, FH, TILE_X, TILE_Y> sums = {};
  const float* const own = STAGE == Stage::direct ? from + y0 * pitch + x0 : tile + y0 * S::PITCH + x0;
  const auto load_row = [&](int r, float* row) {
    if constexpr (STAGE == Stage::direct) {
#pragma unroll
      for (int i = 0; i < TILE_X + FW - 1; ++i) row[i] = __ldg(own + r * pitch + i);
    } else {
#pragma unroll
      for (int i = 0; i < S::ROW; i += S::VECTOR) {
        const P pack = *reinterpret_cast<const P*>(own + r * S::PITCH + i);
#pragma unroll
        for (int k = 0; k < S::VECTOR; ++k) row[i + k] = pack.element[k];
      }
    }
  };
  const auto load_filter = [&](int j, float* row) {
    if constexpr (FILTER == Filter::shared) {
#pragma unroll
      for (int i = 0; i < FW; i += 4) {
        const auto pack = *reinterpret_cast<const Pack<float, 4>*>(shared_filter + j * S::FILTER_PITCH + i);
#pragma unroll
        for (int k = 0; k < 4; ++k) row[i + k] = pack.element[k];
      }
    } else {
#pragma unroll
      for (int i = 0; i < FW; ++i) row[i] = filter[j * FW + i];
    }
  };
  if constexpr (FILTER == Filter::constant) {
    sums.template add_unrolled<S::ROW>(filter.elements, load_row);
  } else {
    sums.template add_by_window<S::ROW, S::TURN>(load_row, load_filter);
  }

  // Rows of the result are aligned for packs where its width is a multiple.
  const bool packs = S::VECTOR > 1 && width % S::VECTOR == 0 && attune::aligned<P>(out) && columns >= TILE_X;
#pragma unroll
  for (int y = 0; y < TILE_Y; ++y) {
    if (y >= lines) break;
    float* const line = to + y * width;
    if (packs) {
#pragma unroll
      for (int x = 0; x < TILE_X; x += S::VECTOR) {
        P pack;
#pragma unroll
        for (int k = 0; k < S::VECTOR; ++k) pack.element[k] = sums.sum[y][x + k];
        attune::store_whole<STORE_CACHE>(reinterpret_cast<P*>(line + x), pack);
      }
    } else {
#pragma unroll
      for (int x = 0; x < TILE_X; ++x)
        if (x < columns) attune::store<STORE_CACHE>(line + x, sums.sum[y][x]);
    }
  }
}

template <int FW, int FH>
__global__ void conv2d_reference(float* out, const float* in,
                                 const __grid_constant__ attune::Array<float, FW * FH> filter, long long width,
                                 long long height) {
  for (long long k = static_cast<long long>(blockIdx.x) * 256 + threadIdx.x; k < width * height;
       k += static_cast<long long>(gridDim.x) * 256) {
    const float* const from = in + k / width * (width + FW - 1) + k % width;
    double sum = 0;
    for (int j = 0; j < FH; ++j)
      for (int i = 0; i < FW; ++i)
        sum += static_cast<double>(from[j * (width + FW - 1) + i]) * static_cast<double>(filter[j * FW + i]);
    out[k] = static_cast<float>(sum);
  }
}
