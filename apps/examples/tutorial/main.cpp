// Multiplies two matrices with the kernel of docs/tutorial.md. ATTUNE_DEVICE=host runs it without a GPU.
#include <cmath>
#include <cstdio>
#include <vector>

#include "attune/attune.hpp"
#include "attune_embedded/matmul.hpp"

int main() try {
  attune::Dispatcher gpu;
  gpu.add(attune_embedded::matmul);
  const int n = gpu.device_info().kind == "host" ? 96 : 4096;
  const attune::Plan plan = gpu.plan("matmul", {{"n", n}});
  std::printf("%s: %s\n", std::string(to_text(plan.match().rung)).c_str(), plan.match().why.c_str());

  std::vector<float> a(n * n), b(n * n, 0);
  for (int i = 0; i < n * n; ++i) a[i] = static_cast<float>(i % 100);
  for (int i = 0; i < n; ++i) b[i * n + i] = 2;  // so that c is twice a
  const attune::Buffer<float> on_gpu_a(gpu, a), on_gpu_b(gpu, b), c(gpu, n * n);
  plan.launch(nullptr, c, on_gpu_a, on_gpu_b, n);  // the default stream
  gpu.synchronize();

  const std::vector<float> result = c.to_vector();
  for (int i = 0; i < n * n; ++i)
    if (result[i] != 2 * a[i]) return std::printf("WRONG: c[%d] is %g\n", i, result[i]), 1;
  std::printf("%d x %d: correct\n", n, n);
} catch (const std::exception& error) {
  std::fprintf(stderr, "tutorial: %s\n", error.what());
  return 1;
}
