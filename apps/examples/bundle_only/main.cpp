// Launches from a bundle alone: kernel, configuration and compiled code come from one file. The program links
// attune::bundle_runtime, so it has no SQLite; it needs no database, and no compiler where the bundle has the image. It
// links the host device too, so that ATTUNE_DEVICE=host runs it without a GPU.
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "attune/attune.hpp"

static void print(const attune::Statistics& statistics) {
  std::printf("%llu images from the bundle, %llu from the cache, %llu compiled\n",
              static_cast<unsigned long long>(statistics.from_bundle),
              static_cast<unsigned long long>(statistics.from_cache),
              static_cast<unsigned long long>(statistics.compiled));
}

int main(int count, char** arguments) try {
  if (count != 2) {
    std::fputs("usage: bundle_only BUNDLE   (with the kernel smooth of apps/examples/own_kernel)\n", stderr);
    return 2;
  }
  const std::size_t n = 1 << 20;
  std::vector<float> host(n);
  for (std::size_t i = 0; i < n; ++i) host[i] = static_cast<float>(i * i % 1000);

  attune::Dispatcher gpu(attune::Bundle::open(arguments[1]));
  const attune::Plan plan = gpu.plan("smooth", {{"n", n}, {"T", "float"}});
  const attune::Buffer<float> in(gpu, host), out(gpu, n);
  plan.launch(nullptr, out, in, n);
  gpu.synchronize();

  std::printf("%s\n%s, rung %s\n", plan.match().why.c_str(), plan.configuration().text().c_str(),
              std::string(to_text(plan.match().rung)).c_str());
  const std::vector<float> result = out.to_vector();
  for (std::size_t i = 0; i < n; ++i) {
    const float expected = (host[i > 0 ? i - 1 : i] + 2 * host[i] + host[std::min(i + 1, n - 1)]) / 4;
    if (result[i] == expected) continue;
    std::printf("WRONG: out[%zu] is %g, not %g\n", i, result[i], expected);
    return 1;
  }
  std::printf("%zu floats: correct\n", n);
  print(gpu.statistics());
} catch (const std::exception& error) {
  std::fprintf(stderr, "bundle_only: %s\n", error.what());
  return 1;
}
