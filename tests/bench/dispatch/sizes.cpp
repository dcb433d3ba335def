// The first launch of a size whose code is loaded, on a device on which nothing runs.
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "attune/attune.hpp"
#include "attune/kernel_files.hpp"
#include "attune_embedded/noop.hpp"
#include "bench.hpp"
#include "spec/kernel_file.hpp"
#include "support/idle_host.hpp"

namespace attune::bench {

int run_sizes(int source_bytes) {
  test::use_idle_host();
  const auto folder = std::filesystem::temp_directory_path() / fmt::format("attune-bench-{}", getpid());
  KernelSpec spec = read_embedded_kernel(attune_embedded::noop);
  spec.source.text += "// " + std::string(static_cast<std::size_t>(source_bytes), 'x') + "\n";
  constexpr int samples = 21, sizes = 200;
  std::vector<double> us;
  {
    Dispatcher gpu({"host", folder / "none.db", folder / "cache", {}});
    gpu.add(kernel_bundle(spec, "noop.cu"));
    const Kernel kernel = gpu.kernel("noop");
    auto* const array = reinterpret_cast<float*>(0x1000);
    int n = 1;
    kernel.launch(nullptr, {n}, array, array, n, 2.5f);
    for (int sample = 0; sample < samples; ++sample) {
      const double begin = now_ns();
      for (int i = 0; i < sizes; ++i) {
        ++n;
        kernel.launch(nullptr, {n}, array, array, n, 2.5f);
      }
      us.push_back((now_ns() - begin) / sizes * 1e-3);
    }
  }
  std::filesystem::remove_all(folder);
  fmt::print("{} bytes of source: {:.1f} us for the first launch of another size\n", spec.source.text.size(),
             median(us));
  return 0;
}

}  // namespace attune::bench
