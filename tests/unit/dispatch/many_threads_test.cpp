// 16 threads plan and launch 100 kernels on an idle device, while what is known is asked anew, better configurations
// take the place of others, and the cache folder is deleted. The preset `tsan` watches them.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <thread>

#include "attune/attune.hpp"
#include "attune/kernel_files.hpp"
#include "db/wisdom_store.hpp"
#include "spec/kernel_file.hpp"
#include "support/idle_host.hpp"

namespace attune {
namespace {

constexpr int kernels = 100, threads = 16, rounds = 200;

KernelSpec numbered_kernel(int number) {
  return read_kernel_text(fmt::format(R"cu(/*attune
[kernel]
name = "kernel{0}"
[problem]
n = "size"
T = ["float", "double"]
[parameters]
BLOCK = [64, 128]
[[launch]]
entry = "kernel{0}<T, BLOCK>"
grid = ["ceil_div(n, BLOCK)"]
block = ["BLOCK"]
arguments = ["out", "partial", "n"]
[arguments]
out = {{ type = "T", size = "n", role = "out" }}
partial = {{ type = "T", size = "BLOCK", role = "scratch" }}
n = {{ type = "int64" }}
*/
template <typename T, int BLOCK> __global__ void kernel{0}(T* out, T* partial, long long n) {{}}
)cu",
                                      number),
                          fmt::format("kernel{}.cu", number));
}

Record record_of(const KernelSpec& spec, const DeviceInfo& device, std::int64_t n) {
  Record record;
  record.key = {spec.name,
                spec.fingerprints.code,
                spec.fingerprints.contract,
                device.class_key(),
                {{"n", n}, {"T", "float"}},
                "cold",
                "time"};
  record.device_name = device.name;
  record.configuration = Configuration{{"BLOCK", 128}};
  record.driver = device.driver;
  record.median_ns = record.default_ns = 1;
  return record;
}

TEST(ManyThreads, PlanAndLaunchWhileAllElseChanges) {
  test::use_idle_host();
  const auto folder = std::filesystem::temp_directory_path() / fmt::format("attune-threads-{}", getpid());
  std::filesystem::create_directories(folder);
  {
    std::atomic<int> warnings = 0;
    Dispatcher gpu({"host", folder / "data" / "wisdom.db", folder / "cache", [&](const std::string&) { ++warnings; }});
    {
      WisdomStore store(folder / "data" / "wisdom.db");
      for (int i = 0; i < kernels; ++i) {
        const KernelSpec spec = numbered_kernel(i);
        gpu.add(kernel_bundle(spec, spec.source.name));
        if (i % 2 == 0) store.put_record(record_of(spec, gpu.device_info(), 1 + i % 7));
      }
    }
    std::atomic<long long> launches = 0;
    std::atomic<int> failures = 0;
    {
      std::vector<std::jthread> all;
      for (int t = 0; t < threads; ++t)
        all.emplace_back([&, t] {
          const Buffer<float> out(gpu, 16);
          try {
            for (int i = t; i < t + rounds; ++i) {
              const std::string name = fmt::format("kernel{}", i * 7 % kernels);
              const std::int64_t n = 1 + i % 7;
              gpu.kernel(name).launch(nullptr, {}, out, n);
              if (i % 5 == 0) gpu.plan(name, {{"n", n}, {"T", "float"}}).launch(nullptr, out, n);
              if (t == 0 && i % 50 == 0) gpu.refresh();
              if (t == 1 && i % 20 == 0) {
                std::error_code gone;
                std::filesystem::remove_all(folder / "cache" / "images", gone);
              }
              if (t == 2 && i % 50 == 0) static_cast<void>(gpu.statistics());
              ++launches;
            }
          } catch (const std::exception& error) {
            ++failures;
            ADD_FAILURE() << error.what();
          }
        });
    }
    gpu.wait_for_background();
    EXPECT_EQ(failures, 0);
    EXPECT_EQ(launches, threads * rounds);
    EXPECT_GT(gpu.statistics().entries, static_cast<std::uint64_t>(kernels));
    EXPECT_GT(gpu.statistics().swaps, 0u);
    EXPECT_EQ(gpu.plan("kernel0", {{"n", 1}, {"T", "float"}}).configuration().text(), "BLOCK=128");
  }
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace attune
