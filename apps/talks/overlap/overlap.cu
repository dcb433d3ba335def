/*attune
[kernel]
name = "overlap"
summary = "out[i] = in[i], moved `turns` times by x -> 0.75 x + 0.5, + shift: as much work per byte as one likes"
deterministic = true
[problem]
n = { size = 4194304, host = 65536 }
turns = { integer = 1024 }
[parameters]
BLOCK = [256, 128, 512]
VECTOR = [4, 1, 2]                             # elements per access
ITEMS = [1, 2, 4]                              # accesses per thread
[restrictions]
rules = ["n % VECTOR == 0", "turns >= 0"]
[[launch]]
entry = "overlap<BLOCK, VECTOR, ITEMS>"
grid = ["ceil_div(n, BLOCK * VECTOR * ITEMS)"]
block = ["BLOCK"]
arguments = ["out", "in", "n", "turns", "shift"]
[arguments]
out = { type = "float", size = "n", role = "out" }
in = { type = "float", size = "n", role = "in" }
n = { type = "int64" }
turns = { type = "int64" }
shift = { type = "float", fill = "constant(1)" }
[[reference]]
entry = "overlap_reference"
grid = ["ceil_div(n, 256)"]
block = ["256"]
arguments = ["out", "in", "n", "turns", "shift"]
[check]
absolute = 0
relative = 0
[metrics]
bytes = "8 * n"
flops = "n * (2 * turns + 1)"
*/
template <int N>
struct alignas(4 * N) Elements {
  float element[N];
};

__device__ __forceinline__ float moved(float x, long long turns) {
  for (long long i = 0; i < turns; ++i) x = fmaf(0.75f, x, 0.5f);
  return x;
}

template <int BLOCK, int VECTOR, int ITEMS>
__global__ void __launch_bounds__(BLOCK)
    overlap(float* out, const float* in, long long n, long long turns, float shift) {
  using E = Elements<VECTOR>;
  E items[ITEMS];
  const long long first = (static_cast<long long>(blockIdx.x) * ITEMS * BLOCK + threadIdx.x) * VECTOR;
#pragma unroll
  for (int k = 0; k < ITEMS; ++k) {
    const long long i = first + static_cast<long long>(k) * BLOCK * VECTOR;
    if (i < n) items[k] = *reinterpret_cast<const E*>(in + i);
  }
#pragma unroll
  for (int k = 0; k < ITEMS; ++k) {
    const long long i = first + static_cast<long long>(k) * BLOCK * VECTOR;
    if (i >= n) continue;
#pragma unroll
    for (int e = 0; e < VECTOR; ++e) items[k].element[e] = moved(items[k].element[e], turns) + shift;
    *reinterpret_cast<E*>(out + i) = items[k];
  }
}

__global__ void overlap_reference(float* out, const float* in, long long n, long long turns, float shift) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) out[i] = moved(in[i], turns) + shift;
}
