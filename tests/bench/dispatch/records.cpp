// A look-up in a cold process among many records: 100 kernels, 10 devices, the rest problems.
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>

#include "attune/error.hpp"
#include "attune_embedded/noop.hpp"
#include "base/uuid.hpp"
#include "bench.hpp"
#include "bundle/bundle_records.hpp"
#include "bundle/bundle_wisdom.hpp"
#include "db/reader/wisdom_reader.hpp"
#include "db/wisdom_store.hpp"
#include "kernel/look_up.hpp"
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

using LookUp = std::function<FoundRecords(const MatchRequest&)>;

void measure(const KernelSpec& spec, const char* where, std::uintmax_t bytes, int records, const LookUp& look_up) {
  const DeviceInfo device = device_of(3);
  const auto ask = [&](std::int64_t n) {
    const Problem problem{{"n", n}, {"T", "float"}};
    const double begin = now_ns();
    const FoundRecords found = look_up({spec, problem, device, "noop.cu"});
    return std::pair((now_ns() - begin) * 1e-3, found.records.size());
  };
  fmt::print("{}: {} records in {:.1f} MB, {:.0f} bytes each\n", where, records, static_cast<double>(bytes) * 1e-6,
             static_cast<double>(bytes) / records);
  for (const auto& [name, n] : {std::pair("a known problem", 5000), std::pair("a near problem", 5100),
                                std::pair("an unknown problem", 900'000'000)}) {
    const auto first = ask(n);
    std::vector<double> further;
    for (int i = 0; i < 201; ++i) further.push_back(ask(n).first);
    fmt::print("  {:20} first {:8.1f} us, median {:8.1f} us, {} records\n", name, first.first, median(further),
               first.second);
  }
}

}  // namespace

int run_records(int records) {
  const KernelSpec spec = read_embedded_kernel(attune_embedded::noop);
  // Each record is committed by itself: in memory that takes no disk's time.
  const std::filesystem::path memory = "/dev/shm";
  const auto folder = std::filesystem::exists(memory) ? memory : std::filesystem::temp_directory_path();
  const auto file = folder / fmt::format("attune-records-{}.db", getpid());
  const auto bundle = folder / fmt::format("attune-records-{}.bundle", getpid());
  const int problems = std::max(1, records / (kernels * devices));
  const int count = problems * kernels * devices;
  {
    WisdomStore store(file);
    std::vector<Record> all;
    for (int kernel = 0; kernel < kernels; ++kernel)
      for (int device = 0; device < devices; ++device)
        for (int problem = 1; problem <= problems; ++problem) {
          Record& record = all.emplace_back(record_of(spec, kernel, device, 1000 * problem));
          record.uuid = make_uuid();
          store.put_record(record);
        }
    BundleWriter writer;
    add_records(writer, all);
    const std::vector<std::byte> bytes = writer.finish();
    std::ofstream(bundle, std::ios::binary).write(reinterpret_cast<const char*>(bytes.data()), std::ssize(bytes));
  }
  measure(spec, "SQLite, opened each time", std::filesystem::file_size(file), count, [&](const MatchRequest& request) {
    return attune::look_up(WisdomReader(file), request, Reach::this_problem);
  });
  const WisdomReader kept(file);
  measure(spec, "SQLite, kept open", std::filesystem::file_size(file), count,
          [&](const MatchRequest& request) { return attune::look_up(kept, request, Reach::this_problem); });
  measure(spec, "a bundle, opened each time", std::filesystem::file_size(bundle), count,
          [&](const MatchRequest& request) {
            return attune::look_up(BundleWisdom(Bundle::open(bundle)), request, Reach::this_problem);
          });
  std::filesystem::remove(bundle);
  std::filesystem::remove(file);
  return 0;
}

}  // namespace attune::bench
