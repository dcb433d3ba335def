// Plans and launches an application's own kernel: smooth.cu, embedded by CMake's attune_embed(own_kernel smooth.cu). To
// tune it: attune tune smooth.cu --problem n=2**20. ATTUNE_DEVICE=host runs it without a GPU.
#include <algorithm>
#include <cstdio>
#include <vector>

#include "attune/attune.hpp"
#include "attune_embedded/smooth.hpp"

int main() try {
  const std::size_t n = 1 << 20;
  std::vector<float> values(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = static_cast<float>(i * i % 1000);

  attune::Dispatcher gpu;
  gpu.add(attune_embedded::smooth);
  const attune::Plan plan = gpu.plan("smooth", {{"n", n}, {"T", "float"}});
  const attune::Buffer<float> in(gpu, values), out(gpu, n);
  plan.launch(nullptr, out, in, n);  // the default stream
  gpu.synchronize();

  std::printf("%s\n", plan.match().why.c_str());
  const std::vector<float> result = out.to_vector();
  for (std::size_t i = 0; i < n; ++i) {
    const float expected = (values[i > 0 ? i - 1 : i] + 2 * values[i] + values[std::min(i + 1, n - 1)]) / 4;
    if (result[i] == expected) continue;
    std::printf("WRONG: out[%zu] is %g, not %g\n", i, result[i], expected);
    return 1;
  }
  std::printf("%zu floats: correct\n", n);
} catch (const std::exception& error) {
  std::fprintf(stderr, "own_kernel: %s\n", error.what());
  return 1;
}
