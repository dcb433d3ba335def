/*attune
[kernel]
name = "wave3d_sums"
summary = "a number for each plane, by which the bits of two grids are compared"
deterministic = true
[problem]
area = { size = 1048576, host = 3072 }         # points of a plane
nz = { size = 160, host = 40 }                 # planes
[parameters]
BLOCK = [256]
[[launch]]
memset = "sums"
value = 0
[[launch]]
entry = "sums<BLOCK>"
grid = ["min(ceil_div(area, BLOCK), 256)", "nz"]
block = ["BLOCK"]
arguments = ["sums", "u", "area"]
[arguments]
sums = { type = "uint64", size = "nz", role = "out" }
u = { type = "float", size = "area * nz", role = "in" }
area = { type = "int64" }
*/
// Integers, so that the order of adding does not count. A point's bits are scrambled with its place.
template <int BLOCK>
__global__ void sums(unsigned long long* sums, const float* u, long long area) {
  unsigned long long sum = 0;
  for (long long i = static_cast<long long>(blockIdx.x) * BLOCK + threadIdx.x; i < area;
       i += static_cast<long long>(gridDim.x) * BLOCK) {
    const unsigned long long bits = static_cast<unsigned>(__float_as_int(u[blockIdx.y * area + i]));
    const unsigned long long mixed = (bits + 1) * (2 * static_cast<unsigned long long>(i) + 0x9E3779B97F4A7C15ull);
    sum += mixed ^ (mixed >> 29);
  }
  atomicAdd(sums + blockIdx.y, sum);
}
