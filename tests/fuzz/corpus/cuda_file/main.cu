// Launches the kernel's own templates by an exported header, with nvcc and without attune. The header comes from:
// attune export smooth.cu --format header --templates -o attune_export_smooth.cuh
#include <algorithm>
#include <cstdio>
#include <vector>

#include "smooth.cu"

#include "attune_export_smooth.cuh"

namespace tuned = attune_export_smooth;

constexpr int skipped = 77;  // for CTest: there is no GPU

int main() {
  cudaDeviceProp properties;
  tuned::Device device;
  if (tuned::describe(0, properties, device) != cudaSuccess) {
    std::puts("no GPU: skipped");
    return skipped;
  }
  const std::int64_t n = 1 << 20;
  std::vector<float> in(n), result(n);
  for (std::int64_t i = 0; i < n; ++i) in[i] = static_cast<float>(i * i % 1000);

  const tuned::Selection selection = tuned::select({n, "float"}, device);
  std::printf("%s\n", selection.why.c_str());
  float* memory = nullptr;
  cudaMalloc(&memory, 2 * n * sizeof(float));
  cudaMemcpy(memory, in.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  tuned::Arguments arguments;
  arguments.in = memory;
  arguments.out = memory + n;
  const cudaError_t error = tuned::launch(selection, arguments, nullptr);
  cudaMemcpy(result.data(), memory + n, n * sizeof(float), cudaMemcpyDeviceToHost);
  if (error != cudaSuccess || cudaDeviceSynchronize() != cudaSuccess) {
    std::printf("the launch failed: %s\n", cudaGetErrorString(error));
    return 1;
  }
  for (std::int64_t i = 0; i < n; ++i) {
    const float expected = (in[i > 0 ? i - 1 : i] + 2 * in[i] + in[std::min(i + 1, n - 1)]) / 4;
    if (result[i] == expected) continue;
    std::printf("WRONG: out[%lld] is %g, not %g\n", static_cast<long long>(i), result[i], expected);
    return 1;
  }
  cudaFree(memory);
  std::printf("%lld floats: correct\n", static_cast<long long>(n));
}
