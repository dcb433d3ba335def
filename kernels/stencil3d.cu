/*attune
[kernel]
name = "stencil3d"
summary = "next = 2 u - prev + v2 * laplacian(u): a time step of the wave equation on a 3-D grid, zero outside"
deterministic = true
[problem]
nx = { size = 512, host = 64 }                 # x is the fastest: u[(z * ny + y) * nx + x]
ny = { size = 512, host = 48 }
nz = { size = 512, host = 40 }
radius = { size = 4 }                          # 1 to 4: points on either side in each direction, order 2 radius
T = ["float", "double", "half", "bfloat16"]
[parameters]
PLANE = ["Plane::async", "Plane::tensor", "Plane::shared", "Plane::cache"]  # where neighbours in x and y come from
COLUMN = ["Column::queue", "Column::reload"]      # and those in z
BLOCK_X = [16, 8, 32, 64]                         # threads
BLOCK_Y = [16, 4, 8, 32]
VECTOR = [4, 1, 2, 8]                             # points per access, in x
ITEMS = [1, 2, 4]                                 # and rows of them per thread
AHEAD = [2, 1, 3, 4]                              # planes that are asked for before they are needed
CACHE = ["Cache::streaming", "Cache::plain"]      # of what is used once: next, prev, v2
ZCHUNK = [128, 1, 16, 32, 64, 256, 512, 1024]     # planes that a block marches through; launch only
[values]
width = "BLOCK_X * VECTOR"
height = "BLOCK_Y * ITEMS"
side = "ceil_div(radius, VECTOR)"
halo_width = "width + 2 * side * VECTOR"
halo_height = "height + 2 * radius"
plane_bytes = "halo_width * halo_height * sizeof(T)"
ring_bytes = "(radius + AHEAD + 1) * (round_up(plane_bytes, 128) + 16) + 2 * (AHEAD + 1) * width * height * sizeof(T)"
by_boxes = "PLANE == 'Plane::tensor'"
has_maps = "by_boxes && nx * sizeof(T) % 16 == 0"
by_copies = "PLANE == 'Plane::async' || by_boxes"
thread_bytes = "VECTOR * ITEMS * max(sizeof(T), 4)"  # of a thread's points in a plane; half is computed as float
most_bytes = "PLANE == 'Plane::cache' || COLUMN == 'Column::reload' ? 16 : 32"
[restrictions]
rules = [
    "radius <= 4",
    "ZCHUNK <= 128 || ZCHUNK < 2 * nz",           # the default, and those that cut the grid elsewhere
    "VECTOR == 1 || nx % VECTOR == 0",
    "VECTOR * sizeof(T) <= 16",                   # the widest access
    "width * sizeof(T) >= 128",                   # a row of a tile is a line of the cache at least
    "BLOCK_X * BLOCK_Y in [64, 128, 256, 512]",
    "thread_bytes <= most_bytes",                 # columns in registers
    "BLOCK_X * BLOCK_Y * thread_bytes <= 256 * most_bytes",
    "by_copies ? COLUMN == 'Column::queue' && VECTOR * sizeof(T) >= 4 : AHEAD == 1",
    "not by_boxes || (has_maps && side * VECTOR * sizeof(T) % 16 == 0)",  # where a row and a box may begin
]
[[launch]]
when = "not by_boxes"
entry = "stencil3d<T, radius, PLANE, COLUMN, BLOCK_X, BLOCK_Y, VECTOR, ITEMS, AHEAD, CACHE>"
grid = ["ceil_div(nx, width) * ceil_div(ny, height) * ceil_div(nz, ZCHUNK)"]
block = ["BLOCK_X", "BLOCK_Y"]
shared = "PLANE == 'Plane::cache' ? 0 : PLANE == 'Plane::shared' ? 2 * plane_bytes : ring_bytes"
arguments = ["next", "u", "prev", "v2", "nx", "ny", "nz", "planes"]
[[launch]]
when = "by_boxes"
entry = "stencil3d_tensor<T, radius, BLOCK_X, BLOCK_Y, VECTOR, ITEMS, AHEAD, CACHE>"
grid = ["ceil_div(nx, width) * ceil_div(ny, height) * ceil_div(nz, ZCHUNK)"]
block = ["BLOCK_X", "BLOCK_Y"]
shared = "ring_bytes"
arguments = ["next", "u", "prev", "v2", "u_planes", "prev_tiles", "v2_tiles", "nx", "ny", "nz", "planes"]
[arguments]
next = { type = "T", size = "nx * ny * nz", role = "out" }  # may be prev itself
u = { type = "T", size = "nx * ny * nz", role = "in" }
prev = { type = "T", size = "nx * ny * nz", role = "in" }
v2 = { type = "T", size = "nx * ny * nz", role = "in", fill = "uniform(0, 0.2)" }  # (velocity * dt / spacing)^2
nx = { type = "int64" }
ny = { type = "int64" }
nz = { type = "int64" }
u_planes = { tensor = "u", shape = ["nx", "ny", "nz"], box = ["halo_width", "halo_height", "1"], when = "has_maps" }
prev_tiles = { tensor = "prev", shape = ["nx", "ny", "nz"], box = ["width", "height", "1"], when = "has_maps" }
v2_tiles = { tensor = "v2", shape = ["nx", "ny", "nz"], box = ["width", "height", "1"], when = "has_maps" }
planes = { type = "int32", value = "ZCHUNK" }
[[reference]]
entry = "stencil3d_reference<T, radius>"
grid = ["min(ceil_div(nx * ny * nz, 256), 2147483647)"]
block = ["256"]
arguments = ["next", "u", "prev", "v2", "nx", "ny", "nz"]
[check]
# The terms of a point add up to 2 + 1 + 0.2 * 19.5 = 6.9 at most, and each is rounded 14 times at most, by half an
# epsilon: 48 epsilon. A point left out at distance 4 changes the result by up to 3,000 epsilon.
absolute = "48 * (T in ['half', 'bfloat16'] ? epsilon(float) : epsilon(T))"
relative = "T in ['half', 'bfloat16'] ? epsilon(T) : 0"  # rounded once, at the end
[metrics]
bytes = "4 * nx * ny * nz * sizeof(T)"
flops = "nx * ny * nz * (7 * radius + 5)"
items = "nx * ny * nz"
unit = "points"
[[ladder]]
name = "planes"
source = "P. Micikevicius, 3D Finite Difference Computation on GPUs using CUDA (2009), and what came after"
problems = ["nx=512 ny=512 nz=512 radius=4 T=float"]
steps = [
    { name = "25 global loads", configuration = """PLANE=Plane::cache COLUMN=Column::reload BLOCK_X=32 BLOCK_Y=8 \
      VECTOR=1 ITEMS=1 AHEAD=1 CACHE=Cache::plain ZCHUNK=1""" },
    { name = "a plane in shared memory", configuration = """PLANE=Plane::shared COLUMN=Column::reload BLOCK_X=32 \
      BLOCK_Y=16 VECTOR=1 ITEMS=1 AHEAD=1 CACHE=Cache::plain ZCHUNK=128""" },
    { name = "a queue in registers", published = "3,000 MPoints/s", configuration = """PLANE=Plane::shared COLUMN=Column::queue BLOCK_X=32 \
      BLOCK_Y=16 VECTOR=1 ITEMS=1 AHEAD=1 CACHE=Cache::plain ZCHUNK=128""" },
    { name = "four points per thread", configuration = """PLANE=Plane::shared COLUMN=Column::queue BLOCK_X=16 \
      BLOCK_Y=32 VECTOR=4 ITEMS=1 AHEAD=1 CACHE=Cache::streaming ZCHUNK=128""" },
    { name = "asynchronous copies", configuration = """PLANE=Plane::async COLUMN=Column::queue BLOCK_X=16 BLOCK_Y=16 \
      VECTOR=4 ITEMS=1 AHEAD=1 CACHE=Cache::streaming ZCHUNK=128""" },
    { name = "two planes ahead", configuration = """PLANE=Plane::async COLUMN=Column::queue BLOCK_X=16 BLOCK_Y=16 \
      VECTOR=4 ITEMS=1 AHEAD=2 CACHE=Cache::streaming ZCHUNK=128""" },
    { name = "eight points per thread", configuration = """PLANE=Plane::async COLUMN=Column::queue BLOCK_X=32 \
      BLOCK_Y=8 VECTOR=2 ITEMS=4 AHEAD=2 CACHE=Cache::streaming ZCHUNK=512""" },
]
*/
#include "attune.cuh"
#include "attune_access.cuh"
#include "attune_async.cuh"

using attune::Accumulator;
using attune::Cache;
using attune::Pack;

// Compulsory are three reads and a write per point; a tile's halo and the planes around a chunk come on top. Blocks
// march through z, so that each plane of u is read once: P. Micikevicius, 3D Finite Difference Computation on GPUs
// using CUDA (2009). Neighbours in z wait in registers, neighbours in x and y in shared memory. A plane is asked for
// RADIUS + AHEAD planes before its points are computed. It serves as the far end of the column first, and as a plane
// afterwards. So the memory always has AHEAD planes of three fields to deliver, while threads compute.

/// Where the neighbours in x and y come from:
///   async   planes in shared memory, which copies of packs fill while the threads compute
///   tensor  the same, by copies of boxes
///   shared  one plane in shared memory, which the threads fill
///   cache   global loads, with the L1 cache between
enum class Plane { async, tensor, shared, cache };

/// Where the neighbours in z come from: a queue of the thread's own column in registers, or loads for each plane.
enum class Column { queue, reload };

/// The weights of the second derivative of order 2 RADIUS.
template <int RADIUS>
__device__ __forceinline__ constexpr double weight(int distance) {
  constexpr double weights[4][5] = {{-2, 1, 0, 0, 0},
                                    {-5.0 / 2, 4.0 / 3, -1.0 / 12, 0, 0},
                                    {-49.0 / 18, 3.0 / 2, -3.0 / 20, 1.0 / 90, 0},
                                    {-205.0 / 72, 8.0 / 5, -1.0 / 5, 8.0 / 315, -1.0 / 560}};
  return weights[RADIUS - 1][distance];
}

template <typename T>
struct Fields {
  T* next;
  const T* u;
  const T* prev;
  const T* v2;
};

struct Grid {
  long long nx, ny, nz;
};

// ---- Who computes what ----

/// What a block computes of a plane, in packs of VECTOR points. `shared` planes hold the halo too.
template <typename T_, int RADIUS_, int BLOCK_X_, int BLOCK_Y, int VECTOR_, int ITEMS_>
struct Tile {
  using T = T_;
  using P = Pack<T, VECTOR_>;
  using A = Accumulator<T>;
  static constexpr int RADIUS = RADIUS_, BLOCK_X = BLOCK_X_, VECTOR = VECTOR_, ITEMS = ITEMS_;
  static constexpr int THREADS = BLOCK_X * BLOCK_Y;
  static constexpr int WIDTH = BLOCK_X * VECTOR, HEIGHT = BLOCK_Y * ITEMS;
  static constexpr int SIDE = (RADIUS + VECTOR - 1) / VECTOR;  // packs of halo on either side of a row
  static constexpr int PITCH = BLOCK_X + 2 * SIDE;             // packs of a row in shared memory
  static constexpr int PACKS = PITCH * (HEIGHT + 2 * RADIUS);  // packs of a plane there
  using Rows = P[ITEMS];                                       // a thread's packs, below each other
  using Columns = Rows[2 * RADIUS + 1];                        // the same from z - RADIUS to z + RADIUS
};

/// A block and a thread in it: what is the same for all planes.
template <typename G>
struct Work {
  Fields<typename G::T> fields;
  Grid grid;
  long long area;    // points of a plane
  long long x0, y0;  // the tile's first point
  long long z0, z1;  // the block's planes
  long long x, y;    // the thread's first point
  long long first;   // where it lies in a plane
  int rows;          // how many of the thread's packs lie in the grid
  int slot;          // where the first lies in a plane of shared memory
};

__device__ __forceinline__ int thread_of_block(int block_x) {
  return static_cast<int>(threadIdx.y) * block_x + static_cast<int>(threadIdx.x);
}

template <typename G>
__device__ __forceinline__ Work<G> work_of_thread(const Fields<typename G::T>& fields, const Grid& grid, int planes) {
  const long long tiles_x = (grid.nx + G::WIDTH - 1) / G::WIDTH, tiles_y = (grid.ny + G::HEIGHT - 1) / G::HEIGHT;
  const long long tile = blockIdx.x % (tiles_x * tiles_y);
  const int tx = static_cast<int>(threadIdx.x), ty = static_cast<int>(threadIdx.y) * G::ITEMS;
  Work<G> work{fields, grid, grid.nx * grid.ny};
  work.x0 = tile % tiles_x * G::WIDTH;
  work.y0 = tile / tiles_x * G::HEIGHT;
  work.z0 = blockIdx.x / (tiles_x * tiles_y) * planes;
  work.z1 = work.z0 + planes < grid.nz ? work.z0 + planes : grid.nz;
  work.x = work.x0 + tx * G::VECTOR;
  work.y = work.y0 + ty;
  work.first = work.y * grid.nx + work.x;
  const long long below = work.x < grid.nx && work.y < grid.ny ? grid.ny - work.y : 0;
  work.rows = below < G::ITEMS ? static_cast<int>(below) : G::ITEMS;
  work.slot = (ty + G::RADIUS) * G::PITCH + tx + G::SIDE;
  return work;
}

/// The packs around a tile of which this thread takes care.
template <typename G>
struct Halo {
  static constexpr int ABOVE = 2 * G::RADIUS * G::BLOCK_X;  // and below
  static constexpr int EACH = (ABOVE + 2 * G::SIDE * G::HEIGHT + G::THREADS - 1) / G::THREADS;
  long long offset[EACH];  // within a plane
  int slot[EACH];          // in a plane of shared memory; -1: none
};

template <typename G>
__device__ __forceinline__ Halo<G> halo_of_thread(const Work<G>& work) {
  constexpr int R = G::RADIUS, S = G::SIDE;
  Halo<G> halo;
#pragma unroll
  for (int i = 0; i < Halo<G>::EACH; ++i) {
    const int place = thread_of_block(G::BLOCK_X) + i * G::THREADS, beside = place - Halo<G>::ABOVE;
    int row = place / G::BLOCK_X - R, pack = place % G::BLOCK_X;
    if (row >= 0) row += G::HEIGHT;
    if (beside >= 0) {
      row = beside / (2 * S);
      pack = beside % (2 * S) - S;
      if (pack >= 0) pack += G::BLOCK_X;
    }
    const long long x = work.x0 + pack * G::VECTOR, y = work.y0 + row;
    const bool inside = beside < 2 * S * G::HEIGHT && x >= 0 && x < work.grid.nx && y >= 0 && y < work.grid.ny;
    halo.offset[i] = y * work.grid.nx + x;
    halo.slot[i] = inside ? (row + R) * G::PITCH + pack + S : -1;
  }
  return halo;
}

// ---- The points ----

template <typename P, Cache CACHE, typename T>
__device__ __forceinline__ P load_or_zero(const T* from, bool inside) {
  P pack{};
  if (inside) pack = attune::load<CACHE>(reinterpret_cast<const P*>(from));
  return pack;
}

/// A thread's packs of plane z, zero outside the grid.
template <Cache CACHE, typename G>
__device__ __forceinline__ void load_rows(typename G::Rows& to, const typename G::T* field, const Work<G>& work,
                                          long long z) {
  const typename G::T* const from = field + z * work.area + work.first;
  const int rows = z >= 0 && z < work.grid.nz ? work.rows : 0;
#pragma unroll
  for (int k = 0; k < G::ITEMS; ++k) {
    to[k] = load_or_zero<typename G::P, CACHE>(from + k * work.grid.nx, k < rows);
  }
}

template <typename G>
__device__ __forceinline__ void copy_rows(typename G::Rows& to, const typename G::Rows& from) {
#pragma unroll
  for (int k = 0; k < G::ITEMS; ++k) to[k] = from[k];
}

template <typename G>
__device__ __forceinline__ void shift(typename G::Columns& column) {
#pragma unroll
  for (int j = 0; j < 2 * G::RADIUS; ++j) copy_rows<G>(column[j], column[j + 1]);
}

/// The sum of a point's neighbours at distance r, each way in x, y and z. `line` begins SIDE packs to the left.
template <typename G, typename Line, typename Around>
__device__ __forceinline__ typename G::A neighbours(const Line& line, const Around& around,
                                                    const typename G::Columns& column, int k, int e, int r) {
  using A = typename G::A;
  constexpr int V = G::VECTOR, R = G::RADIUS;
  const int left = G::SIDE * V + e - r, right = G::SIDE * V + e + r;
  const A in_x = static_cast<A>(line[left / V].element[left % V]) + static_cast<A>(line[right / V].element[right % V]);
  const A in_y = static_cast<A>(around[k + R - r].element[e]) + static_cast<A>(around[k + R + r].element[e]);
  const A in_z = static_cast<A>(column[R - r][k].element[e]) + static_cast<A>(column[R + r][k].element[e]);
  return in_x + in_y + in_z;
}

/// What else happens to a thread's packs of a plane: nothing. Programs that include this file may do more.
struct Nothing {
  template <typename T, typename Rows>
  __device__ __forceinline__ void operator()(long long, T*, const Rows&) const {}
};

/// A thread's points of plane z. at(row, pack) is the pack of u that lies so far from the thread's first one, and
/// also(z, place, rows) follows the stores, of which the first is at `place`.
template <Cache CACHE, typename G, typename At, typename Also = Nothing>
__device__ __forceinline__ void compute_plane(const Work<G>& work, long long z, const typename G::Columns& column,
                                              const typename G::Rows& old, const typename G::Rows& speed, At at,
                                              Also also = {}) {
  using A = typename G::A;
  constexpr int R = G::RADIUS, S = G::SIDE, ITEMS = G::ITEMS;
  typename G::T* const next = work.fields.next + z * work.area + work.first;
  typename G::P around[ITEMS + 2 * R];
  typename G::Rows results;
#pragma unroll
  for (int i = -R; i < ITEMS + R; ++i) around[i + R] = i >= 0 && i < ITEMS ? column[R][i] : at(i, 0);
#pragma unroll
  for (int k = 0; k < ITEMS; ++k) {
    typename G::P line[2 * S + 1];
#pragma unroll
    for (int s = -S; s <= S; ++s) line[s + S] = s == 0 ? column[R][k] : at(k, s);
#pragma unroll
    for (int e = 0; e < G::VECTOR; ++e) {
      const A here = static_cast<A>(column[R][k].element[e]);
      A laplacian = static_cast<A>(3 * weight<R>(0)) * here;
#pragma unroll
      for (int r = 1; r <= R; ++r) {
        laplacian += static_cast<A>(weight<R>(r)) * neighbours<G>(line, around, column, k, e, r);
      }
      const A before = static_cast<A>(old[k].element[e]), factor = static_cast<A>(speed[k].element[e]);
      results[k].element[e] = static_cast<typename G::T>(2 * here - before + factor * laplacian);
    }
    if (k < work.rows)
      attune::store_whole<CACHE>(reinterpret_cast<typename G::P*>(next + k * work.grid.nx), results[k]);
  }
  also(z, next, results);
}

// ---- Global loads ----

template <Column COLUMN, Cache CACHE, typename G>
__device__ __forceinline__ void march_through_cache(const Work<G>& work) {
  constexpr int R = G::RADIUS;
  typename G::Columns column;
#pragma unroll
  for (int j = 0; j < 2 * R; ++j) load_rows<Cache::plain, G>(column[j], work.fields.u, work, work.z0 - R + j);
#pragma unroll 1
  for (long long z = work.z0; z < work.z1; ++z) {
#pragma unroll
    for (int j = COLUMN == Column::queue ? 2 * R : 0; j <= 2 * R; ++j) {
      load_rows<Cache::plain, G>(column[j], work.fields.u, work, z - R + j);
    }
    typename G::Rows old, speed;
    load_rows<CACHE, G>(old, work.fields.prev, work, z);
    load_rows<CACHE, G>(speed, work.fields.v2, work, z);
    const typename G::T* const u = work.fields.u + z * work.area + work.first;
    compute_plane<CACHE, G>(work, z, column, old, speed, [&](int row, int pack) {
      const long long x = work.x + pack * G::VECTOR, y = work.y + row;
      return load_or_zero<typename G::P, Cache::plain>(u + row * work.grid.nx + pack * G::VECTOR,
                                                       x >= 0 && x < work.grid.nx && y >= 0 && y < work.grid.ny);
    });
    if constexpr (COLUMN == Column::queue) shift<G>(column);
  }
}

// ---- A plane in shared memory ----

// What lies outside the grid is zero once and for all: nothing writes there.
template <typename G>
__device__ __forceinline__ void clear(typename G::P* packs, int count) {
  for (int i = thread_of_block(G::BLOCK_X); i < count; i += G::THREADS) packs[i] = {};
  __syncthreads();
}

/// What a thread loads for plane z while it computes the plane before: the far end of its column, its part of the halo,
/// and its packs of the other fields.
template <typename G>
struct Loaded {
  typename G::Rows front, old, speed;
  typename G::P edge[Halo<G>::EACH];
};

template <Cache CACHE, typename G>
__device__ __forceinline__ void load_plane(Loaded<G>& loaded, const Work<G>& work, const Halo<G>& halo, long long z) {
  load_rows<Cache::plain, G>(loaded.front, work.fields.u, work, z + G::RADIUS);
  const typename G::T* const plane = work.fields.u + z * work.area;
#pragma unroll
  for (int i = 0; i < Halo<G>::EACH; ++i) {
    loaded.edge[i] = load_or_zero<typename G::P, Cache::plain>(plane + halo.offset[i], halo.slot[i] >= 0);
  }
  load_rows<CACHE, G>(loaded.old, work.fields.prev, work, z);
  load_rows<CACHE, G>(loaded.speed, work.fields.v2, work, z);
}

template <typename G>
__device__ __forceinline__ void store_plane(typename G::P* plane, const typename G::Rows& own, const Loaded<G>& loaded,
                                            const Work<G>& work, const Halo<G>& halo) {
#pragma unroll
  for (int k = 0; k < G::ITEMS; ++k) plane[work.slot + k * G::PITCH] = own[k];
#pragma unroll
  for (int i = 0; i < Halo<G>::EACH; ++i) {
    if (halo.slot[i] >= 0) plane[halo.slot[i]] = loaded.edge[i];
  }
  __syncthreads();
}

// Two planes take turns: while some threads still read one, others fill the other.
template <Column COLUMN, Cache CACHE, typename G>
__device__ __forceinline__ void march_with_shared(const Work<G>& work, typename G::P* shared) {
  constexpr int R = G::RADIUS;
  const Halo<G> halo = halo_of_thread<G>(work);
  clear<G>(shared, 2 * G::PACKS);
  typename G::Columns column;
  Loaded<G> loaded;
#pragma unroll
  for (int j = 0; j < 2 * R; ++j) load_rows<Cache::plain, G>(column[j], work.fields.u, work, work.z0 - R + j);
  load_plane<CACHE, G>(loaded, work, halo, work.z0);
  typename G::P* plane = shared;
#pragma unroll 1
  for (long long z = work.z0; z < work.z1; ++z) {
    if constexpr (COLUMN == Column::reload) {
#pragma unroll
      for (int j = 0; j < 2 * R; ++j) load_rows<Cache::plain, G>(column[j], work.fields.u, work, z - R + j);
    }
    copy_rows<G>(column[2 * R], loaded.front);
    store_plane<G>(plane, column[R], loaded, work, halo);
    typename G::Rows old, speed;
    copy_rows<G>(old, loaded.old);
    copy_rows<G>(speed, loaded.speed);
    if (z + 1 < work.z1) load_plane<CACHE, G>(loaded, work, halo, z + 1);
    const typename G::P* const centre = plane + work.slot;
    compute_plane<CACHE, G>(work, z, column, old, speed,
                            [&](int row, int pack) { return centre[row * G::PITCH + pack]; });
    if constexpr (COLUMN == Column::queue) shift<G>(column);
    plane = plane == shared ? shared + G::PACKS : shared;
  }
}

// ---- Asynchronous copies ----

/// Rings in shared memory: planes of u with their halo, from z to z + RADIUS + AHEAD, and tiles of prev and v2 from z
/// to z + AHEAD. The place that is free in each belongs to the plane before z, which others may still read until the
/// next barrier.
template <typename G, int AHEAD>
struct Rings {
  using P = typename G::P;
  static constexpr int PLANES = G::RADIUS + AHEAD + 1, TILES = AHEAD + 1;
  static constexpr int PLANE = (G::PACKS * static_cast<int>(sizeof(P)) + 127) / 128 * 128 / static_cast<int>(sizeof(P));
  static constexpr int TILE = G::THREADS * G::ITEMS;
  P* u;
  P* prev;
  P* v2;
  attune::Barrier* arrived;  // one for each place of a plane

  __device__ __forceinline__ explicit Rings(P* shared)
      : u(shared),
        prev(u + PLANES * PLANE),
        v2(prev + TILES * TILE),
        arrived(reinterpret_cast<attune::Barrier*>(v2 + TILES * TILE)) {}
};

/// Where the thread's first pack lies in a tile.
template <typename G>
__device__ __forceinline__ int place_in_tile() {
  return static_cast<int>(threadIdx.y) * G::ITEMS * G::BLOCK_X + static_cast<int>(threadIdx.x);
}

/// The thread's packs out of the rings: the far end of its column, and of prev and v2.
template <typename G, int AHEAD>
__device__ __forceinline__ void take(typename G::Rows& front, typename G::Rows& old, typename G::Rows& speed,
                                     const Rings<G, AHEAD>& rings, const Work<G>& work, int plane, int tile) {
  using R = Rings<G, AHEAD>;
#pragma unroll
  for (int k = 0; k < G::ITEMS; ++k) {
    const int place = tile * R::TILE + place_in_tile<G>() + k * G::BLOCK_X;
    front[k] = rings.u[plane * R::PLANE + work.slot + k * G::PITCH];
    old[k] = rings.prev[place];
    speed[k] = rings.v2[place];
  }
}

/// The column from the block's first plane on, but for its far end, out of the ring; before that from global memory.
template <typename G, int AHEAD>
__device__ __forceinline__ void take_first_column(typename G::Columns& column, const Rings<G, AHEAD>& rings,
                                                  const Work<G>& work) {
#pragma unroll
  for (int j = 0; j < G::RADIUS; ++j) {
    load_rows<Cache::plain, G>(column[j], work.fields.u, work, work.z0 - G::RADIUS + j);
#pragma unroll
    for (int k = 0; k < G::ITEMS; ++k) {
      column[G::RADIUS + j][k] = rings.u[j * Rings<G, AHEAD>::PLANE + work.slot + k * G::PITCH];
    }
  }
}

/// Asks for plane z of u: all that is computed of it, or else the far ends of columns alone.
template <typename G>
__device__ __forceinline__ void copy_plane(typename G::P* plane, const Work<G>& work, const Halo<G>& halo,
                                           long long z) {
  constexpr int BYTES = sizeof(typename G::P);
  if (z >= work.grid.nz || z >= work.z1 + G::RADIUS) return;
  const typename G::T* const from = work.fields.u + z * work.area;
#pragma unroll
  for (int k = 0; k < G::ITEMS; ++k) {
    if (k < work.rows)
      attune::copy_async<BYTES>(plane + work.slot + k * G::PITCH, from + work.first + k * work.grid.nx);
  }
  if (z >= work.z1) return;
#pragma unroll
  for (int i = 0; i < Halo<G>::EACH; ++i) {
    if (halo.slot[i] >= 0) attune::copy_async<BYTES>(plane + halo.slot[i], from + halo.offset[i]);
  }
}

/// copy_async() of what is used once. Streaming, its lines leave the L2 cache first: those of u stay longer, whose halo
/// the blocks around read within a few planes.
template <int BYTES, Cache CACHE>
__device__ __forceinline__ void copy_once(void* shared_to, const void* from) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  if constexpr (CACHE == Cache::streaming) {
    const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(shared_to));
    unsigned long long policy;
    asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
    if constexpr (BYTES == 16) {
      asm volatile("cp.async.cg.shared.global.L2::cache_hint [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "l"(policy)
                   : "memory");
    } else {
      asm volatile("cp.async.ca.shared.global.L2::cache_hint [%0], [%1], %2, %3;" ::"r"(to), "l"(from), "n"(BYTES),
                   "l"(policy)
                   : "memory");
    }
    return;
  }
#endif
  attune::copy_async<BYTES>(shared_to, from);
}

/// Asks for the thread's packs of prev and v2 in plane z.
template <Cache CACHE, typename G>
__device__ __forceinline__ void copy_tiles(typename G::P* prev, typename G::P* v2, const Work<G>& work, long long z) {
  constexpr int BYTES = sizeof(typename G::P);
  if (z < work.z0 || z >= work.z1) return;
  const long long first = z * work.area + work.first;
#pragma unroll
  for (int k = 0; k < G::ITEMS; ++k) {
    const int place = place_in_tile<G>() + k * G::BLOCK_X;
    if (k >= work.rows) break;
    copy_once<BYTES, CACHE>(prev + place, work.fields.prev + first + k * work.grid.nx);
    copy_once<BYTES, CACHE>(v2 + place, work.fields.v2 + first + k * work.grid.nx);
  }
}

/// All threads of the block meet before one of them reads a field.
template <int AHEAD, Cache CACHE, typename G, typename Also = Nothing>
__device__ __forceinline__ void march_async(const Work<G>& work, typename G::P* shared, Also also = {}) {
  using R = Rings<G, AHEAD>;
  constexpr int RADIUS = G::RADIUS;
  const R rings(shared);
  const Halo<G> halo = halo_of_thread<G>(work);
  clear<G>(shared, R::PLANES * R::PLANE);
#pragma unroll 1
  for (int i = 0; i < RADIUS + AHEAD; ++i) {
    const int tile = i < RADIUS ? 0 : i - RADIUS;
    copy_plane<G>(rings.u + i * R::PLANE, work, halo, work.z0 + i);
    copy_tiles<CACHE, G>(rings.prev + tile * R::TILE, rings.v2 + tile * R::TILE, work, work.z0 + i - RADIUS);
    attune::commit_copies();
  }
  typename G::Columns column;
  attune::wait_for_copies<AHEAD>();
  take_first_column<G, AHEAD>(column, rings, work);
  int here = 0, tile = 0;  // places of plane z in the rings
#pragma unroll 1
  for (long long z = work.z0; z < work.z1; ++z) {
    attune::wait_for_copies<AHEAD - 1>();
    __syncthreads();
    const int free = tile == 0 ? AHEAD : tile - 1;
    copy_plane<G>(rings.u + (here == 0 ? R::PLANES - 1 : here - 1) * R::PLANE, work, halo, z + RADIUS + AHEAD);
    copy_tiles<CACHE, G>(rings.prev + free * R::TILE, rings.v2 + free * R::TILE, work, z + AHEAD);
    attune::commit_copies();
    typename G::Rows old, speed;
    take<G, AHEAD>(column[2 * RADIUS], old, speed, rings, work,
                   here + RADIUS < R::PLANES ? here + RADIUS : here + RADIUS - R::PLANES, tile);
    if (z + RADIUS >= work.grid.nz) {
#pragma unroll
      for (int k = 0; k < G::ITEMS; ++k) column[2 * RADIUS][k] = {};
    }
    const typename G::P* const centre = rings.u + here * R::PLANE + work.slot;
    compute_plane<CACHE, G>(
        work, z, column, old, speed, [&](int row, int pack) { return centre[row * G::PITCH + pack]; }, also);
    shift<G>(column);
    here = here + 1 < R::PLANES ? here + 1 : 0;
    tile = tile < AHEAD ? tile + 1 : 0;
  }
}

// ---- Tensor maps ----

struct Maps {
  const attune::TensorMap& u_planes;
  const attune::TensorMap& prev_tiles;
  const attune::TensorMap& v2_tiles;
};

/// Asks for plane z of u with its halo, and for the tiles of prev and v2 that are computed when it is the far end of
/// columns. Zeros stand for what lies outside the grid. Called by one thread.
template <typename G, int AHEAD>
__device__ __forceinline__ void load_boxes(const Rings<G, AHEAD>& rings, const Maps& maps, const Work<G>& work,
                                           long long z, int plane, int tile) {
  using R = Rings<G, AHEAD>;
  constexpr int PLANE_BYTES = G::PACKS * sizeof(typename G::P), TILE_BYTES = R::TILE * sizeof(typename G::P);
  const long long computed = z - G::RADIUS;
  if (computed >= work.z1) return;
  const int x = static_cast<int>(work.x0), y = static_cast<int>(work.y0);
  attune::Barrier& arrived = rings.arrived[plane];
  attune::arrive_expecting(arrived, PLANE_BYTES + (computed < work.z0 ? 0 : 2 * TILE_BYTES));
  attune::load_tensor(rings.u + plane * R::PLANE, maps.u_planes, arrived, x - G::SIDE * G::VECTOR, y - G::RADIUS,
                      static_cast<int>(z));
  if (computed < work.z0) return;
  attune::load_tensor(rings.prev + tile * R::TILE, maps.prev_tiles, arrived, x, y, static_cast<int>(computed));
  attune::load_tensor(rings.v2 + tile * R::TILE, maps.v2_tiles, arrived, x, y, static_cast<int>(computed));
}

template <typename G, int AHEAD>
__device__ __forceinline__ void load_first_boxes(const Rings<G, AHEAD>& rings, const Maps& maps, const Work<G>& work) {
  using R = Rings<G, AHEAD>;
  if (thread_of_block(G::BLOCK_X) == 0) {
    for (int i = 0; i < R::PLANES; ++i) attune::init(rings.arrived[i], 1);
    attune::fence_barriers();
#pragma unroll 1
    for (int i = 0; i < G::RADIUS + AHEAD; ++i) {
      load_boxes<G, AHEAD>(rings, maps, work, work.z0 + i, i, i < G::RADIUS ? 0 : i - G::RADIUS);
    }
  }
  __syncthreads();
}

template <int AHEAD, Cache CACHE, typename G>
__device__ __forceinline__ void march_by_boxes(const Work<G>& work, const Maps& maps, typename G::P* shared) {
  using R = Rings<G, AHEAD>;
  constexpr int RADIUS = G::RADIUS;
  const R rings(shared);
  load_first_boxes<G, AHEAD>(rings, maps, work);
  typename G::Columns column;
#pragma unroll 1
  for (int i = 0; i < RADIUS; ++i) attune::wait(rings.arrived[i], 0);
  take_first_column<G, AHEAD>(column, rings, work);
  int here = 0, front = RADIUS, tile = 0;
  unsigned parity = 0;  // of the barrier at `front`
#pragma unroll 1
  for (long long z = work.z0; z < work.z1; ++z) {
    attune::wait(rings.arrived[front], parity);
    __syncthreads();
    if (thread_of_block(G::BLOCK_X) == 0) {
      load_boxes<G, AHEAD>(rings, maps, work, z + RADIUS + AHEAD, here == 0 ? R::PLANES - 1 : here - 1,
                           tile == 0 ? AHEAD : tile - 1);
    }
    typename G::Rows old, speed;
    take<G, AHEAD>(column[2 * RADIUS], old, speed, rings, work, front, tile);
    const typename G::P* const centre = rings.u + here * R::PLANE + work.slot;
    compute_plane<CACHE, G>(work, z, column, old, speed,
                            [&](int row, int pack) { return centre[row * G::PITCH + pack]; });
    shift<G>(column);
    here = here + 1 < R::PLANES ? here + 1 : 0;
    tile = tile < AHEAD ? tile + 1 : 0;
    front = front + 1 < R::PLANES ? front + 1 : 0;
    if (front == 0) parity ^= 1;
  }
}

// ---- Point by point ----

template <typename G>
__device__ __forceinline__ void compute_point(const Work<G>& work, const long long (&place)[3]) {
  using A = typename G::A;
  const long long strides[3] = {1, work.grid.nx, work.area}, ends[3] = {work.grid.nx, work.grid.ny, work.grid.nz};
  const long long here = place[2] * work.area + place[1] * work.grid.nx + place[0];
  const A centre = static_cast<A>(work.fields.u[here]);
  A laplacian = static_cast<A>(3 * weight<G::RADIUS>(0)) * centre;
#pragma unroll
  for (int r = 1; r <= G::RADIUS; ++r) {
    A sum = 0;
#pragma unroll
    for (int d = 0; d < 3; ++d) {
      if (place[d] >= r) sum += static_cast<A>(work.fields.u[here - r * strides[d]]);
      if (place[d] + r < ends[d]) sum += static_cast<A>(work.fields.u[here + r * strides[d]]);
    }
    laplacian += static_cast<A>(weight<G::RADIUS>(r)) * sum;
  }
  const A before = static_cast<A>(work.fields.prev[here]), factor = static_cast<A>(work.fields.v2[here]);
  work.fields.next[here] = static_cast<typename G::T>(2 * centre - before + factor * laplacian);
}

/// For packs that are not aligned: rows of another length, or arrays of an application that begin anywhere.
template <typename G>
__device__ __forceinline__ void march_through_points(const Work<G>& work) {
#pragma unroll 1
  for (long long z = work.z0; z < work.z1; ++z) {
#pragma unroll 1
    for (int i = thread_of_block(G::BLOCK_X); i < G::WIDTH * G::HEIGHT; i += G::THREADS) {
      const long long place[3] = {work.x0 + i % G::WIDTH, work.y0 + i / G::WIDTH, z};
      if (place[0] < work.grid.nx && place[1] < work.grid.ny) compute_point<G>(work, place);
    }
  }
}

template <typename P, typename T>
__device__ __forceinline__ bool whole_packs(const Fields<T>& fields, long long nx) {
  return nx % (sizeof(P) / sizeof(T)) == 0 && attune::aligned<P>(fields.next) && attune::aligned<P>(fields.u) &&
         attune::aligned<P>(fields.prev) && attune::aligned<P>(fields.v2);
}

// next may be prev: a thread reads there what it alone writes later. So these two promise nothing by __restrict__. That
// one block per multiprocessor is enough keeps the compiler from spilling a few registers for the sake of a second.
template <typename T, int RADIUS, Plane PLANE, Column COLUMN, int BLOCK_X, int BLOCK_Y, int VECTOR, int ITEMS,
          int AHEAD, Cache CACHE>
__global__ void __launch_bounds__(BLOCK_X* BLOCK_Y, 1)
    stencil3d(T* next, const T* __restrict__ u, const T* prev, const T* __restrict__ v2, long long nx, long long ny,
              long long nz, int planes) {
  using G = Tile<T, RADIUS, BLOCK_X, BLOCK_Y, VECTOR, ITEMS>;
  extern __shared__ __align__(128) unsigned char shared[];
  typename G::P* const packs = reinterpret_cast<typename G::P*>(shared);
  const Fields<T> fields{next, u, prev, v2};
  const Work<G> work = work_of_thread<G>(fields, Grid{nx, ny, nz}, planes);
  if (!whole_packs<typename G::P>(fields, nx)) {
    march_through_points<G>(work);
  } else if constexpr (PLANE == Plane::cache) {
    march_through_cache<COLUMN, CACHE, G>(work);
  } else if constexpr (PLANE == Plane::shared) {
    march_with_shared<COLUMN, CACHE, G>(work, packs);
  } else {
    march_async<AHEAD, CACHE, G>(work, packs);
  }
}

// The same, where one thread asks for all that the block needs of a plane.
template <typename T, int RADIUS, int BLOCK_X, int BLOCK_Y, int VECTOR, int ITEMS, int AHEAD, Cache CACHE>
__global__ void __launch_bounds__(BLOCK_X* BLOCK_Y, 1)
    stencil3d_tensor(T* next, const T* __restrict__ u, const T* prev, const T* __restrict__ v2,
                     const __grid_constant__ attune::TensorMap u_planes,
                     const __grid_constant__ attune::TensorMap prev_tiles,
                     const __grid_constant__ attune::TensorMap v2_tiles, long long nx, long long ny, long long nz,
                     int planes) {
  using G = Tile<T, RADIUS, BLOCK_X, BLOCK_Y, VECTOR, ITEMS>;
  extern __shared__ __align__(128) unsigned char shared[];
  const Fields<T> fields{next, u, prev, v2};
  const Work<G> work = work_of_thread<G>(fields, Grid{nx, ny, nz}, planes);
  const bool by_maps = attune::usable(u_planes) && attune::usable(prev_tiles) && attune::usable(v2_tiles);
  if (!by_maps || !whole_packs<typename G::P>(fields, nx)) {
    march_through_points<G>(work);
  } else {
    march_by_boxes<AHEAD, CACHE, G>(work, Maps{u_planes, prev_tiles, v2_tiles},
                                    reinterpret_cast<typename G::P*>(shared));
  }
}

template <typename T, int RADIUS>
__global__ void stencil3d_reference(T* next, const T* u, const T* prev, const T* v2, long long nx, long long ny,
                                    long long nz) {
  using W = attune::Wide<T>;
  const long long stride = static_cast<long long>(gridDim.x) * blockDim.x, area = nx * ny;
  for (long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < area * nz; i += stride) {
    const long long x = i % nx, y = i / nx % ny, z = i / area;
    W laplacian = 3 * weight<RADIUS>(0) * static_cast<W>(u[i]);
    for (int r = 1; r <= RADIUS; ++r) {
      W sum = 0;
      if (x >= r) sum += static_cast<W>(u[i - r]);
      if (x + r < nx) sum += static_cast<W>(u[i + r]);
      if (y >= r) sum += static_cast<W>(u[i - r * nx]);
      if (y + r < ny) sum += static_cast<W>(u[i + r * nx]);
      if (z >= r) sum += static_cast<W>(u[i - r * area]);
      if (z + r < nz) sum += static_cast<W>(u[i + r * area]);
      laplacian += weight<RADIUS>(r) * sum;
    }
    next[i] = static_cast<T>(2 * static_cast<W>(u[i]) - static_cast<W>(prev[i]) + static_cast<W>(v2[i]) * laplacian);
  }
}
