// A look-up in a cold process among many records: 100 kernels, 10 devices, the rest problems.
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "attune/error.hpp"
#include "attune_embedded/noop.hpp"
#include "bench.hpp"
#include "db/reader/wisdom_reader.hpp"
#include "db/wisdom_store.hpp"
#include "kernel/problem.hpp"
#include "spec/kernel_file.hpp"

namespace attune::bench {
namespace {

constexpr int kernels = 100, devices = 10;

std::string class_key(int device) { return fmt::format("cuda|GPU {}|cc90|sm132|mem141G|bus6144|l2-60M|mig-", device); }

Record record_of(const KernelSpec& spec, int kernel, int device, std::int64_t n) {
  Record record;
  record.key = {kernel == 0 ? spec.name : fmt::format("kernel{}", kernel),
                kernel == 0 ? spec.fingerprints.code : fmt::format("{:064x}", kernel),
                spec.fingerprints.contract,
                class_key(device),
                {{"n", n}, {"T", "float"}},
                "cold",
                "time"};
  record.device_name = fmt::format("GPU {}", device);
  record.compute_capability = 90;
  record.multiprocessors = 132;
  record.configuration = Configuration{{"BLOCK", 64}};
  record.median_ns = record.default_ns = 1000;
  return record;
}

DeviceInfo device_of(int device) {
  DeviceInfo info = device_limits("sm_90");
  info.name = fmt::format("GPU {}", device);
  info.memory_bytes = std::uint64_t{141} << 30;
  info.memory_bus_bits = 6144;
  info.l2_bytes = std::uint64_t{60} << 20;
  return info;
}

}  // namespace

int run_records(int records) {
  const KernelSpec spec = read_embedded_kernel(attune_embedded::noop);
  // Each record is committed by itself: in memory that takes no disk's time.
  const std::filesystem::path memory = "/dev/shm";
  const auto folder = std::filesystem::exists(memory) ? memory : std::filesystem::temp_directory_path();
  const auto file = folder / fmt::format("attune-records-{}.db", getpid());
  const int problems = std::max(1, records / (kernels * devices));
  {
    WisdomStore store(file);
    for (int kernel = 0; kernel < kernels; ++kernel)
      for (int device = 0; device < devices; ++device)
        for (int problem = 1; problem <= problems; ++problem)
          store.put_record(record_of(spec, kernel, device, 1000 * problem));
  }
  const DeviceInfo device = device_of(3);
  const auto ask = [&](std::int64_t n, Reach reach) {
    const Problem problem{{"n", n}, {"T", "float"}};
    const double begin = now_ns();
    const Candidates found =
        WisdomReader(file, 0.1).candidates({spec, problem, device, "noop.cu"}, reach);
    return std::pair((now_ns() - begin) * 1e-6, found.records.size());
  };
  fmt::print("{} records in {:.1f} MB\n", problems * kernels * devices,
             static_cast<double>(std::filesystem::file_size(file)) * 1e-6);
  for (const auto& [name, n] : {std::pair("a known problem", 5000), std::pair("a near problem", 5100),
                                std::pair("an unknown problem", 900'000'000)}) {
    const auto first = ask(n, Reach::this_problem);
    std::vector<double> further;
    for (int i = 0; i < 21; ++i) further.push_back(ask(n, Reach::this_problem).first);
    fmt::print("  {:20} first {:6.2f} ms, median {:6.2f} ms, {} records\n", name, first.first, median(further),
               first.second);
  }
  std::filesystem::remove(file);
  return 0;
}

}  // namespace attune::bench
