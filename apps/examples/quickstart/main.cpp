// Plans and launches a built-in kernel. ATTUNE_DEVICE=host runs it without a GPU.
#include <chrono>
#include <cstdio>
#include <numeric>
#include <string>
#include <vector>

#include "attune/attune.hpp"
#include "attune/builtin.hpp"

// Returns whether out[x][y] = in[y][x].
static bool is_transposed(const std::vector<float>& out, const std::vector<float>& in, std::size_t width,
                          std::size_t height) {
  for (std::size_t y = 0; y < height; ++y) {
    for (std::size_t x = 0; x < width; ++x) {
      if (out[x * height + y] != in[y * width + x]) return false;
    }
  }
  return true;
}

int main() try {
  attune::Dispatcher gpu;
  gpu.add(attune::builtin::transpose);
  const std::size_t width = gpu.device_info().kind == "host" ? 1024 : 8192, height = width;
  const attune::Plan plan = gpu.plan("transpose", {{"width", width}, {"height", height}, {"T", "float"}});
  std::printf("%s: %s\n%s\n", std::string(to_text(plan.match().rung)).c_str(), plan.match().why.c_str(),
              plan.configuration().text().c_str());

  std::vector<float> host(width * height);
  std::iota(host.begin(), host.end(), 0.0f);
  const attune::Buffer<float> in(gpu, host);
  const attune::Buffer<float> out(gpu, host.size());
  const attune::Stream stream(gpu);
  plan.launch(stream, out, in, width, height);
  stream.synchronize();
  const bool is_right = is_transposed(out.to_vector(), host, width, height);
  std::printf("%zu x %zu floats: %s\n", width, height, is_right ? "correct" : "WRONG");

  constexpr int launches = 20;
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < launches; ++i) plan.launch(stream, out, in, width, height);
  stream.synchronize();
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  std::printf("%.1f GB/s on %s\n",
              2e-9 * sizeof(float) * static_cast<double>(width * height) * launches / seconds.count(),
              gpu.device_info().name.c_str());
  return is_right ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "quickstart: %s\n", error.what());
  return 1;
}
