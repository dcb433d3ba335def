/*attune
[kernel]
name = "wave3d"
summary = "next = 2 u - prev + v2 * laplacian(u) on some planes of a slab: a step of the wave equation of order 8"
deterministic = true
include = ["march.toml"]
[problem]
nx = { size = 1024, host = 64 }
ny = { size = 1024, host = 48 }
nz = { size = 160, host = 40 }                 # planes of the slab, the ghosts at both ends included
first = { integer = 16 }                       # the first plane that is computed,
count = { size = 128, host = 8 }               # how many follow,
ranges = { size = 1 }                          # and how many such ranges there are,
apart = { integer = 0 }                        # from one's first plane to the next one's
row = { integer = 0 }                          # the first row that is computed of a plane,
rows = { size = 1024, host = 48 }              # and how many follow
[restrictions]
rules = [
    "first >= 4 && first + count + (ranges - 1) * apart <= nz - 4",  # neighbours in z are in the slab
    "row >= 0 && (row + rows == ny || (row + rows < ny && rows % height == 0))",  # tiles end with the rows
]
[[launch]]
entry = "wave3d<BLOCK_X, BLOCK_Y, VECTOR, ITEMS, AHEAD, CACHE>"
grid = ["ceil_div(nx, width) * ceil_div(rows, height) * ceil_div(count, ZCHUNK) * ranges"]
block = ["BLOCK_X", "BLOCK_Y"]
shared = "ring_bytes"
arguments = ["next", "u", "prev", "v2", "nx", "ny", "nz", "first", "count", "apart", "row", "rows", "planes"]
[arguments]
next = { type = "float", size = "nx * ny * nz", role = "inout" }  # planes out of the ranges keep their values
u = { type = "float", size = "nx * ny * nz", role = "in" }
prev = { type = "float", size = "nx * ny * nz", role = "in" }     # may be next itself
v2 = { type = "float", size = "nx * ny * nz", role = "in", fill = "uniform(0, 0.2)" }  # (velocity * dt / spacing)^2
nx = { type = "int64" }
ny = { type = "int64" }
nz = { type = "int64" }
first = { type = "int64" }
count = { type = "int64" }
apart = { type = "int64" }
row = { type = "int64" }
rows = { type = "int64" }
planes = { type = "int32", value = "ZCHUNK" }
all_ranges = { type = "int64", value = "ranges" }
[[reference]]
entry = "wave3d_reference"
grid = ["min(ceil_div(nx * ny * nz, 256), 2147483647)"]
block = ["256"]
arguments = ["next", "u", "prev", "v2", "nx", "ny", "nz", "first", "count", "all_ranges", "apart", "row", "rows"]
[metrics]
bytes = "16 * nx * rows * count * ranges"
items = "nx * rows * count * ranges"
unit = "points"
*/
#include "../../../kernels/stencil3d.cu"
#include "point.cuh"

// The march of stencil3d, from plane to plane of a range. A point has the same bits whichever launch computes it.
template <int BLOCK_X, int BLOCK_Y, int VECTOR, int ITEMS, int AHEAD, Cache CACHE>
__global__ void __launch_bounds__(BLOCK_X* BLOCK_Y, 1)
    wave3d(float* next, const float* __restrict__ u, const float* prev, const float* __restrict__ v2, long long nx,
           long long ny, long long nz, long long first, long long count, long long apart, long long row, long long rows,
           int planes) {
  using G = Tile<float, 4, BLOCK_X, BLOCK_Y, VECTOR, ITEMS>;
  extern __shared__ __align__(128) unsigned char shared[];
  Work<G> work = work_of_thread<G>(Fields<float>{next, u, prev, v2}, Grid{nx, rows, nz}, planes);
  work.grid.ny = ny;  // beside the rows lie others
  work.area = nx * ny;
  work.y0 += row;
  work.y += row;
  work.first += row * nx;
  const long long chunk = work.z0 / planes, chunks = (count + planes - 1) / planes;
  const long long begin = first + chunk / chunks * apart;
  work.z0 = begin + chunk % chunks * planes;
  work.z1 = work.z0 + planes < begin + count ? work.z0 + planes : begin + count;
  march_async<AHEAD, CACHE, G>(work, reinterpret_cast<typename G::P*>(shared));
}

__global__ void wave3d_reference(float* next, const float* u, const float* prev, const float* v2, long long nx,
                                 long long ny, long long nz, long long first, long long count, long long ranges,
                                 long long apart, long long row, long long rows) {
  const long long stride = static_cast<long long>(gridDim.x) * blockDim.x, area = nx * ny;
  for (long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < area * nz; i += stride) {
    const long long y = i / nx % ny, z = i / area;
    bool computed = false;
    for (long long k = 0; k < ranges; ++k) {
      computed = computed || (z >= first + k * apart && z < first + k * apart + count);
    }
    if (!computed || y < row || y >= row + rows) continue;
    next[i] = next_at(u, prev, v2, i, nx, ny);
  }
}
