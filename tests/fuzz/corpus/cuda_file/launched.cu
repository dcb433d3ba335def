#include <cuda_runtime.h>
#if __has_include("x.cuh")
#define N(a) (a * 2)
#endif
namespace image { template <typename T, int R = 3> struct Box { T v[R]; }; }
__device__ inline float twice(float x) { return 2.f * x; }
template <typename T, int TILE>
__global__ __launch_bounds__(256) void blur(T* __restrict__ out, const T* in, unsigned int w, const int h[2]) {
  __shared__ T t[TILE]; out[threadIdx.x] = twice(in[blockIdx.y]) + R"(raw)"[0] + 1'000;
}
int main() {
  const int w = 1 << 10, count = w * w; float *a, *b; using real = float;
  cudaMalloc(&a, count * sizeof(float)); cudaMalloc((void**)&b, sizeof(float) * count);
  dim3 grid((w + 15) / 16, w), block(16, 16);
  for (int i = 0; i < 3; ++i) blur<real, 32><<<grid, block, 64, 0>>>(a, b, w, nullptr);
}
