#include <attune/attune.hpp>
#include <cstdio>
#include <vector>

#include "attune_embedded/scale.hpp"

int main() try {
  attune::Dispatcher gpu;
  gpu.add(attune_embedded::scale);
  const int n = 1000;
  const attune::Buffer<int> data(gpu, std::vector<int>(n, 14));
  gpu.plan("scale", {{"n", n}}).launch(nullptr, data, 3, n);
  gpu.synchronize();
  const bool is_right = data.to_vector() == std::vector<int>(n, 42);
  std::puts(is_right ? "application: correct" : "application: wrong");
  return is_right ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "application: %s\n", error.what());
  return 1;
}
