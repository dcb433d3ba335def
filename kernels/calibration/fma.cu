/*attune
[kernel]
name = "fma"
summary = "points that go round on ellipses by fused multiply-adds: what the arithmetic units do"
[problem]
n = { size = 2097152, host = 16384 }      # points
steps = { size = 4096, host = 128 }       # two multiply-adds each, one after the other
T = ["float", "double"]
[parameters]
CHAINS = [8, 4, 2]                        # points per thread: independent of each other
BLOCK = [256, 512]
[[launch]]
entry = "turn<T, BLOCK, CHAINS>"
grid = ["ceil_div(n, BLOCK * CHAINS)"]
block = ["BLOCK"]
arguments = ["out", "angle", "steps", "n"]
[arguments]
out = { type = "T", size = "n", role = "out" }
angle = { type = "T", fill = "0.6180339887" }
steps = { type = "int32" }
n = { type = "int64" }
[[reference]]
entry = "turn_reference<T>"
grid = ["ceil_div(n, 256)"]
block = ["256"]
arguments = ["out", "angle", "steps", "n"]
[check]
absolute = 0                              # the same roundings in the same order
[metrics]
flops = "4 * n * steps"
*/

// Neither grows nor comes to rest, so that the numbers keep changing in all their digits: units that multiply the same
// again and again draw less power and clock higher.
template <typename T>
__device__ __forceinline__ void turn_once(T& x, T& y, T angle) {
  x = fma(angle, y, x);
  y = fma(-angle, x, y);
}

template <typename T>
__device__ __forceinline__ T first_x(long long i) {
  return T(1) + T(static_cast<int>(i % 1024)) / T(1024);
}

template <typename T, int BLOCK, int CHAINS>
__global__ void __launch_bounds__(BLOCK) turn(T* out, T angle, int steps, long long n) {
  const long long first = static_cast<long long>(blockIdx.x) * BLOCK * CHAINS + threadIdx.x;
  T x[CHAINS], y[CHAINS];
#pragma unroll
  for (int k = 0; k < CHAINS; ++k) {
    x[k] = first_x<T>(first + k * BLOCK);
    y[k] = T(0.5);
  }
#pragma unroll 8
  for (int step = 0; step < steps; ++step) {
#pragma unroll
    for (int k = 0; k < CHAINS; ++k) turn_once(x[k], y[k], angle);
  }
#pragma unroll
  for (int k = 0; k < CHAINS; ++k)
    if (first + k * BLOCK < n) out[first + k * BLOCK] = x[k] + y[k];
}

template <typename T>
__global__ void turn_reference(T* out, T angle, int steps, long long n) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= n) return;
  T x = first_x<T>(i), y = T(0.5);
  for (int step = 0; step < steps; ++step) turn_once(x, y, angle);
  out[i] = x + y;
}
