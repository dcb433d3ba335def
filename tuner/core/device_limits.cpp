// The limits of architectures without a device, from NVIDIA's CUDA C++ programming guide (specifications per compute
// capability). Multiprocessors, memory, bus and L2 are taken from a representative chip.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "attune/device_info.hpp"
#include "attune/error.hpp"

namespace attune {
namespace {

struct ArchitectureLimits {
  int compute_capability;
  int threads_per_multiprocessor;
  int blocks_per_multiprocessor;
  int shared_per_multiprocessor_kib;
  int shared_per_block_kib;  // the opt-in maximum
  // of the representative chip
  std::string_view chip;
  int multiprocessors;
  int memory_gib;
  int bus_bits;
  int l2_mib;
};

constexpr std::array architectures = {
    ArchitectureLimits{70, 2048, 32, 96, 96, "V100 SXM2", 80, 16, 4096, 6},
    ArchitectureLimits{75, 1024, 16, 64, 64, "T4", 40, 15, 256, 4},
    ArchitectureLimits{80, 2048, 32, 164, 163, "A100 SXM4 40GB", 108, 40, 5120, 40},
    ArchitectureLimits{86, 1536, 16, 100, 99, "RTX 3090", 82, 24, 384, 6},
    ArchitectureLimits{87, 1536, 16, 164, 163, "Jetson AGX Orin", 16, 32, 256, 4},
    ArchitectureLimits{89, 1536, 24, 100, 99, "RTX 4090", 128, 24, 384, 72},
    ArchitectureLimits{90, 2048, 32, 228, 227, "H100 SXM5", 132, 80, 5120, 50},
    ArchitectureLimits{100, 2048, 32, 228, 227, "B200", 148, 180, 8192, 126},
    ArchitectureLimits{103, 2048, 32, 228, 227, "B300", 148, 270, 8192, 126},
    ArchitectureLimits{120, 1536, 24, 100, 99, "RTX 5090", 170, 32, 512, 96},
    ArchitectureLimits{121, 1536, 24, 100, 99, "GB10", 48, 120, 256, 24},
};

std::string name_of(const ArchitectureLimits& limits) { return fmt::format("sm_{}", limits.compute_capability); }

}  // namespace

std::vector<std::string> known_architectures() {
  std::vector<std::string> names;
  for (const auto& limits : architectures) names.push_back(name_of(limits));
  return names;
}

DeviceInfo device_limits(std::string_view architecture) {
  for (const auto& limits : architectures) {
    if (name_of(limits) != architecture) continue;
    DeviceInfo info;
    info.name = name_of(limits);
    info.compute_capability = limits.compute_capability;
    info.multiprocessors = limits.multiprocessors;
    info.memory_bytes = static_cast<std::uint64_t>(limits.memory_gib) << 30;
    info.memory_bus_bits = limits.bus_bits;
    info.l2_bytes = static_cast<std::uint64_t>(limits.l2_mib) << 20;
    info.max_threads_per_multiprocessor = limits.threads_per_multiprocessor;
    info.shared_per_block = static_cast<std::uint64_t>(limits.shared_per_block_kib) << 10;
    info.shared_per_multiprocessor = static_cast<std::uint64_t>(limits.shared_per_multiprocessor_kib) << 10;
    if (info.compute_capability < 80) info.shared_reserved = 0;
    info.max_blocks_per_multiprocessor = limits.blocks_per_multiprocessor;
    info.driver = fmt::format("none: the limits of {}, as of {}", info.name, limits.chip);
    return info;
  }
  const std::string_view plain = architecture.substr(0, architecture.find_last_of("0123456789") + 1);
  const bool is_target = plain != architecture && std::ranges::any_of(architectures, [&](const auto& limits) {
                           return name_of(limits) == plain;
                         });
  if (is_target)
    throw UsageError(
        fmt::format("`{0}` is what code is compiled for, not a device: name the device {1}; a kernel file "
                    "with requires = \"{0}\" is then compiled for {0}",
                    architecture, plain));
  std::string known;
  for (const auto& name : known_architectures()) known += (known.empty() ? "" : ", ") + name;
  throw UsageError(fmt::format("unknown architecture `{}`; known: {}", architecture, known));
}

}  // namespace attune
