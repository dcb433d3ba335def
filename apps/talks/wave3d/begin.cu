/*attune
[kernel]
name = "wave3d_begin"
summary = "fields of a slab at the first step: a function of the place in the whole grid, and zero outside of it"
deterministic = true
[problem]
area = { size = 1048576, host = 3072 }         # points of a plane
nz = { size = 160, host = 40 }                 # planes of the slab
[parameters]
BLOCK = [256]
[[launch]]
entry = "begin<BLOCK>"
grid = ["min(ceil_div(area * nz, BLOCK), 1048576)"]
block = ["BLOCK"]
arguments = ["u", "prev", "v2", "area", "nz", "before", "total", "ring"]
[arguments]
u = { type = "float", size = "area * nz", role = "out" }
prev = { type = "float", size = "area * nz", role = "out" }
v2 = { type = "float", size = "area * nz", role = "out" }
area = { type = "int64" }
nz = { type = "int64" }
before = { type = "int64", fill = "constant(0)" }  # the plane of the whole grid that is the slab's first
total = { type = "int64", fill = "constant(32)" }  # planes of the whole grid
ring = { type = "bool", fill = "constant(0)" }     # behind the last comes the first again
*/
__device__ __forceinline__ float chance(unsigned long long of) {
  of = (of ^ (of >> 31)) * 0x9E3779B97F4A7C15ull;
  of = (of ^ (of >> 29)) * 0xBF58476D1CE4E5B9ull;
  return static_cast<float>(of >> 40) * 0x1p-24f;
}

template <int BLOCK>
__global__ void begin(float* u, float* prev, float* v2, long long area, long long nz, long long before, long long total,
                      bool ring) {
  const long long stride = static_cast<long long>(gridDim.x) * BLOCK;
  for (long long i = static_cast<long long>(blockIdx.x) * BLOCK + threadIdx.x; i < area * nz; i += stride) {
    const long long beyond = before + i / area, z = ring ? (beyond + 16 * total) % total : beyond;
    const bool inside = z >= 0 && z < total;
    const unsigned long long place = static_cast<unsigned long long>(z * area + i % area);
    u[i] = inside ? chance(2 * place) - 0.5f : 0.0f;
    prev[i] = u[i];
    v2[i] = inside ? 0.05f + 0.1f * chance(2 * place + 1) : 0.0f;
  }
}
