// Sums arrays whose size is another at each call, by a built-in kernel. ATTUNE_DEVICE=host runs it without a GPU.
#include <cstdio>
#include <numeric>
#include <string>
#include <vector>

#include "attune/attune.hpp"
#include "attune/builtin.hpp"

static void print(const attune::Statistics& statistics) {
  std::printf("plans by what is known of them:");
  for (std::size_t i = 0; i < statistics.plans.size(); ++i) {
    if (statistics.plans[i] == 0) continue;
    const std::string rung(to_text(static_cast<attune::Rung>(i)));
    std::printf(" %llu %s", static_cast<unsigned long long>(statistics.plans[i]), rung.c_str());
  }
  std::printf("\n%llu images compiled, %llu from the cache; %llu launches waited, %llu configurations were swapped\n",
              static_cast<unsigned long long>(statistics.compiled),
              static_cast<unsigned long long>(statistics.from_cache),
              static_cast<unsigned long long>(statistics.waited), static_cast<unsigned long long>(statistics.swaps));
}

int main() try {
  const std::size_t sizes[] = {1000, 123'457, 1 << 18, 7};
  std::vector<int> host(1 << 18);
  for (std::size_t i = 0; i < host.size(); ++i) host[i] = static_cast<int>(i % 1000);

  attune::Dispatcher gpu;
  gpu.add(attune::builtin::reduce);
  const attune::Kernel reduce = gpu.kernel("reduce");
  const attune::Stream stream(gpu);
  const attune::Buffer<int> in(gpu, host), out(gpu, 1);
  for (int call = 0; call < 12; ++call) {
    const std::size_t n = sizes[call % std::size(sizes)];
    reduce.launch(stream, {n, "Op::sum"}, out, in, n);  // the first launch of a size prepares it, later ones look it up
    stream.synchronize();
    const int sum = out.to_vector()[0], expected = std::accumulate(host.begin(), host.begin() + n, 0);
    if (sum == expected) continue;
    std::printf("WRONG: the sum of %zu integers is %d, not %d\n", n, sum, expected);
    return 1;
  }
  std::printf("%zu sizes, three times each: correct\n", std::size(sizes));
  gpu.wait_for_background();  // where a better configuration is still being compiled
  print(gpu.statistics());
} catch (const std::exception& error) {
  std::fprintf(stderr, "varying_sizes: %s\n", error.what());
  return 1;
}
