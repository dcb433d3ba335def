/*attune
[kernel]
name = "wave3d_store"
summary = "wave3d on all planes of a slab, whose first and last four go to the neighbours as well"
deterministic = true
include = ["march.toml"]
[problem]
nx = { size = 1024, host = 64 }
ny = { size = 1024, host = 48 }
planes = { size = 128, host = 8 }
ghosts = { size = 16 }                         # planes before the first and behind the last
[values]
nz = "planes + 2 * ghosts"
flags = "2 * ceil_div(nx, 32) * ceil_div(ny, 8)"  # by side and tile: below first, and the smallest tiles
[restrictions]
rules = [
    "ghosts >= 4 && planes >= 4",
    "planes % ZCHUNK == 0 || planes % ZCHUNK >= 4",  # one block has an end
    "width >= 32 && height >= 8",                    # `flags` has room for these tiles
]
[[launch]]
entry = "wave3d_store<BLOCK_X, BLOCK_Y, VECTOR, ITEMS, AHEAD, CACHE>"
grid = ["ceil_div(nx, width) * ceil_div(ny, height) * ceil_div(planes, ZCHUNK)"]
block = ["BLOCK_X", "BLOCK_Y"]
shared = "ring_bytes"
arguments = ["next", "u", "prev", "v2", "below", "above", "nx", "ny", "planes", "ghosts", "come", "to_below",
             "to_above", "sides", "step", "chunk"]
[arguments]
next = { type = "float", size = "nx * ny * nz", role = "inout" }   # ghosts keep their values
u = { type = "float", size = "nx * ny * nz", role = "in" }
prev = { type = "float", size = "nx * ny * nz", role = "in" }      # may be next itself
v2 = { type = "float", size = "nx * ny * nz", role = "in", fill = "uniform(0, 0.2)" }
below = { type = "float", size = "nx * ny * nz", role = "inout" }  # `next` of the neighbours
above = { type = "float", size = "nx * ny * nz", role = "inout" }
nx = { type = "int64" }
ny = { type = "int64" }
planes = { type = "int64" }
ghosts = { type = "int64" }
come = { type = "int64", size = "flags", role = "in", fill = "constant(0)" }
to_below = { type = "int64", size = "flags", role = "inout", fill = "constant(1)" }
to_above = { type = "int64", size = "flags", role = "inout", fill = "constant(1)" }
sides = { type = "int32", fill = "3" }                             # where neighbours are: 1 below, 2 above
step = { type = "int64", fill = "1" }
chunk = { type = "int32", value = "ZCHUNK" }
[[reference]]
entry = "wave3d_store_reference"
grid = ["min(ceil_div(nx * ny * planes, 256), 2147483647)"]
block = ["256"]
arguments = ["next", "u", "prev", "v2", "below", "above", "nx", "ny", "planes", "ghosts", "to_below", "to_above"]
[metrics]
bytes = "16 * nx * ny * planes"
items = "nx * ny * planes"
unit = "points"
*/
#include "../../../kernels/stencil3d.cu"
#include "point.cuh"

// A step of a GPU in one launch. A block marches through its tile's planes as ever, and stores the first and the last
// four of the slab into the neighbours' ghosts, too. The stencil is a star, so that a tile needs the same tile of the
// neighbours alone. For each tile and side a flag tells the last step whose planes have come from there.
//
// Nothing waits in a circle: blocks of step t wait for flags t - 1, which blocks of an earlier launch raise. So it does
// not matter which blocks have a place on a multiprocessor, or in which order they come.
//
// No ghost is overwritten too early: step t stores u(t) where the neighbour has ghosts of u(t - 2), for fields take
// turns. The neighbour read them in its step t - 1, before it raised the flag t - 1 for which step t has waited here.

/// Waits until a neighbour raises a flag to `step`. Behind a barrier, the block sees what the neighbour stored before.
__device__ __forceinline__ void wait_for(const long long* flag, long long step) {
  for (;;) {
    long long raised;
#ifdef __CUDA_ARCH__
    asm volatile("ld.acquire.sys.global.s64 %0, [%1];" : "=l"(raised) : "l"(flag) : "memory");
#else
    raised = *static_cast<const volatile long long*>(flag);
#endif
    if (raised >= step) return;
    __nanosleep(100);
  }
}

/// Raises a neighbour's flag, behind a barrier behind which the block's stores lie.
__device__ __forceinline__ void raise(long long* flag, long long step) {
#ifdef __CUDA_ARCH__
  asm volatile("st.release.sys.global.s64 [%0], %1;" ::"l"(flag), "l"(step) : "memory");
#else
  *static_cast<volatile long long*>(flag) = step;
#endif
}

// `u` is not __restrict__: else the ghosts would be read by ld.global.nc, which need not see what came before the flag.
template <int BLOCK_X, int BLOCK_Y, int VECTOR, int ITEMS, int AHEAD, Cache CACHE>
__global__ void __launch_bounds__(BLOCK_X* BLOCK_Y, 1)
    wave3d_store(float* next, const float* u, const float* prev, const float* __restrict__ v2, float* below,
                 float* above, long long nx, long long ny, long long planes, long long ghosts, const long long* come,
                 long long* to_below, long long* to_above, int sides, long long step, int chunk) {
  using G = Tile<float, 4, BLOCK_X, BLOCK_Y, VECTOR, ITEMS>;
  using P = typename G::P;
  extern __shared__ __align__(128) unsigned char shared[];
  Work<G> work = work_of_thread<G>(Fields<float>{next, u, prev, v2}, Grid{nx, ny, planes}, chunk);
  const unsigned tiles = gridDim.x / static_cast<unsigned>((planes + chunk - 1) / chunk), tile = blockIdx.x % tiles;
  const long long apart = planes * work.area;  // from a plane's place here to that at the neighbour
  const bool is_first = work.z0 == 0 && (sides & 1) != 0, is_last = work.z1 == planes && (sides & 2) != 0;
  const bool asks_below = is_first && thread_of_block(BLOCK_X) == 0;  // two threads, so that none does both in turn
  const bool asks_above = is_last && thread_of_block(BLOCK_X) == 32;
  work.z0 += ghosts;
  work.z1 += ghosts;
  work.grid.nz = planes + 2 * ghosts;
  if (asks_below) wait_for(come + tile, step - 1);
  if (asks_above) wait_for(come + tiles + tile, step - 1);
  const auto store = [&](float* to, const typename G::Rows& rows) {
#pragma unroll
    for (int k = 0; k < ITEMS; ++k)
      if (k < work.rows) attune::store_whole<CACHE>(reinterpret_cast<P*>(to + k * nx), rows[k]);
  };
  // Most planes stay here, and take one comparison.
  const int inner = static_cast<int>(ghosts) + (is_first ? 4 : 0), end = static_cast<int>(work.z1) - (is_last ? 4 : 0);
  const unsigned inner_planes = end > inner ? static_cast<unsigned>(end - inner) : 0;
  const auto also = [&](long long z, const float* place, const typename G::Rows& rows) {
    if (static_cast<unsigned>(static_cast<int>(z) - inner) < inner_planes) return;
    if (is_first && z < ghosts + 4) store(below + (place - next) + apart, rows);
    if (is_last && z >= ghosts + planes - 4) store(above + (place - next) - apart, rows);
  };
  march_async<AHEAD, CACHE, G>(work, reinterpret_cast<P*>(shared), also);
  __syncthreads();
  if (asks_below) raise(to_below + tiles + tile, step);
  if (asks_above) raise(to_above + tile, step);
}

__global__ void wave3d_store_reference(float* next, const float* u, const float* prev, const float* v2, float* below,
                                       float* above, long long nx, long long ny, long long planes, long long ghosts,
                                       long long*, long long*) {
  const long long stride = static_cast<long long>(gridDim.x) * blockDim.x, area = nx * ny, count = planes * area;
  for (long long k = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; k < count; k += stride) {
    const long long i = k + ghosts * area;
    next[i] = next_at(u, prev, v2, i, nx, ny);
    if (k < 4 * area) below[i + count] = next[i];
    if (k >= count - 4 * area) above[i - count] = next[i];
  }
}
