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
    "TILE * VECTOR / ROWS * sizeof(T) <= 128",           # bytes that one thread holds in registers
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
*/
#include "attune.cuh"

using attune::Cache;
using attune::Pack;

/// How a tile lies in shared memory. Its packs are written down columns and read along rows. Plain, all packs of a column share
/// their banks; padded, each row starts one pack later; swizzled, the packs of each row are permuted, which costs no space.
enum class Layout { padded, swizzled, plain };

/// Which tile comes after which. A positive order is the height of a strip of tiles that is walked column by column: blocks that
/// run together then write long pieces of rows, as well as reading them. Diagonal spreads them over both (for old memories).
enum class Order : unsigned { diagonal = 0, rows = 1, strips_of_4 = 4, strips_of_16 = 16 };

struct TilePosition {
    unsigned x, y;
};

// One-dimensional grids reach 2^31 - 1 blocks, where y stops at 65,535; so all products here fit 32 bits.
template <Order ORDER> __device__ __forceinline__ TilePosition tile_position(unsigned block, unsigned tiles_x, unsigned tiles_y) {
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

// The part of a matrix that lies under a tile. Threads move it in groups of VECTOR elements of a row: neighbouring elements with
// vectors; without, elements a group's width apart, so that neighbouring threads still touch neighbouring addresses.
template <typename T, int TILE, int VECTOR, bool VECTORS, Cache CACHE> struct Window {
    static constexpr int GROUPS = TILE / VECTOR;
    long long columns, rows;  // of the whole matrix
    long long x0, y0;         // first element of the tile

    /// The element that is number k of group g, along a row or a column.
    static __device__ __forceinline__ int element(int g, int k) { return VECTORS ? g * VECTOR + k : k * GROUPS + g; }

    __device__ __forceinline__ Pack<T, VECTOR> read(const T* matrix, int row, int group) const {
        Pack<T, VECTOR> pack;  // elements outside the matrix stay undefined and are never written
        const long long y = y0 + row;
        if (y >= rows) return pack;
        const T* line = matrix + y * columns;
        if constexpr (VECTORS) {
            const long long x = x0 + element(group, 0);
            if (x < columns) pack = attune::load<CACHE>(reinterpret_cast<const Pack<T, VECTOR>*>(line + x));
        } else {
#pragma unroll
            for (int k = 0; k < VECTOR; ++k) {
                const long long x = x0 + element(group, k);
                if (x < columns) pack.element[k] = line[x];
            }
        }
        return pack;
    }

    __device__ __forceinline__ void write(T* matrix, int row, int group, const Pack<T, VECTOR>& pack) const {
        const long long y = y0 + row;
        if (y >= rows) return;
        T* line = matrix + y * columns;
        if constexpr (VECTORS) {
            const long long x = x0 + element(group, 0);
            if (x < columns) attune::store<CACHE>(reinterpret_cast<Pack<T, VECTOR>*>(line + x), pack);
        } else {
#pragma unroll
            for (int k = 0; k < VECTOR; ++k) {
                const long long x = x0 + element(group, k);
                if (x < columns) line[x] = pack.element[k];
            }
        }
    }
};

// A thread reads VECTOR packs below each other, turns this square in its registers, and hands the turned packs on through shared
// memory. There all accesses are whole packs, and `slot` keeps them free of bank conflicts: the packs of output row element(g, k)
// stand in line k * GROUPS + g, so the lines that neighbouring threads (g) write are adjacent, and padding or swizzle tell their
// banks apart.
template <int ROWS, Layout LAYOUT, typename T, int TILE, int VECTOR, bool VECTORS, Cache CACHE>
__device__ __forceinline__ void move_tile(T* out, const T* in, const Window<T, TILE, VECTOR, VECTORS, CACHE>& source,
                                          Pack<T, VECTOR>* tile) {
    using Side = Window<T, TILE, VECTOR, VECTORS, CACHE>;
    constexpr int GROUPS = TILE / VECTOR;
    constexpr int STEPS = GROUPS / ROWS;
    constexpr int PITCH = LAYOUT == Layout::padded ? GROUPS + 1 : GROUPS;
    const int tx = static_cast<int>(threadIdx.x), ty = static_cast<int>(threadIdx.y);
    const auto slot = [](int k, int g, int pack) {
        return (k * GROUPS + g) * PITCH + (LAYOUT == Layout::swizzled ? pack ^ g : pack);
    };

    Pack<T, VECTOR> held[STEPS][VECTOR];  // all loads are under way before the first is waited for
#pragma unroll
    for (int step = 0; step < STEPS; ++step) {
#pragma unroll
        for (int k = 0; k < VECTOR; ++k) held[step][k] = source.read(in, Side::element(ty + step * ROWS, k), tx);
    }
#pragma unroll
    for (int step = 0; step < STEPS; ++step) {
#pragma unroll
        for (int k = 0; k < VECTOR; ++k) {
            Pack<T, VECTOR> turned;
#pragma unroll
            for (int i = 0; i < VECTOR; ++i) turned.element[i] = held[step][i].element[k];
            tile[slot(k, tx, ty + step * ROWS)] = turned;
        }
    }
    __syncthreads();
    const Side target{source.rows, source.columns, source.y0, source.x0};
#pragma unroll
    for (int step = 0; step < STEPS; ++step) {
#pragma unroll
        for (int k = 0; k < VECTOR; ++k) {
            const int g = ty + step * ROWS;
            target.write(out, Side::element(g, k), tx, tile[slot(k, g, tx)]);
        }
    }
}

template <typename T, int TILE, int ROWS, int VECTOR, Layout LAYOUT, Order ORDER, Cache CACHE>
__global__ void __launch_bounds__(TILE / VECTOR * ROWS)
    transpose(T* __restrict__ out, const T* __restrict__ in, long long width, long long height) {
    static_assert(TILE % (ROWS * VECTOR) == 0, "threads share the tile evenly");
    using P = Pack<T, VECTOR>;
    constexpr int GROUPS = TILE / VECTOR;
    __shared__ P tile[TILE * (LAYOUT == Layout::padded ? GROUPS + 1 : GROUPS)];

    const auto [tile_x, tile_y] = tile_position<ORDER>(blockIdx.x, static_cast<unsigned>((width + TILE - 1) / TILE),
                                                       static_cast<unsigned>((height + TILE - 1) / TILE));
    const long long x0 = static_cast<long long>(tile_x) * TILE, y0 = static_cast<long long>(tile_y) * TILE;
    // Rows of an odd width start unaligned, and an application may pass pointers that are: then packs move element by element.
    const bool vectors = VECTOR == 1 || (width % VECTOR == 0 && height % VECTOR == 0 && attune::aligned<P>(in) && attune::aligned<P>(out));
    if (vectors) {
        move_tile<ROWS, LAYOUT>(out, in, Window<T, TILE, VECTOR, true, CACHE>{width, height, x0, y0}, tile);
    } else {
        move_tile<ROWS, LAYOUT>(out, in, Window<T, TILE, VECTOR, false, CACHE>{width, height, x0, y0}, tile);
    }
}

template <typename T> __global__ void transpose_reference(T* out, const T* in, long long width, long long height) {
    const long long stride = static_cast<long long>(gridDim.x) * blockDim.x;
    for (long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < width * height; i += stride) {
        out[i] = in[i % height * width + i / height];
    }
}
