// The limits of architectures without a device. Multiprocessors, memory, bus and L2 are taken from a representative
// chip.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "attune/device_info.hpp"
#include "attune/error.hpp"
#include "core/multiprocessor_limits.hpp"

namespace attune {
namespace {

struct RepresentativeChip {
  int compute_capability;
  std::string_view name;
  int multiprocessors;
  int memory_gib;
  int bus_bits;
  int l2_mib;
};

constexpr std::array chips = {
    RepresentativeChip{70, "V100 SXM2", 80, 16, 4096, 6},        RepresentativeChip{75, "T4", 40, 15, 256, 4},
    RepresentativeChip{80, "A100 SXM4 40GB", 108, 40, 5120, 40}, RepresentativeChip{86, "RTX 3090", 82, 24, 384, 6},
    RepresentativeChip{87, "Jetson AGX Orin", 16, 32, 256, 4},   RepresentativeChip{89, "RTX 4090", 128, 24, 384, 72},
    RepresentativeChip{90, "H100 SXM5", 132, 80, 5120, 50},      RepresentativeChip{100, "B200", 148, 180, 8192, 126},
    RepresentativeChip{103, "B300", 148, 270, 8192, 126},        RepresentativeChip{120, "RTX 5090", 170, 32, 512, 96},
    RepresentativeChip{121, "GB10", 48, 120, 256, 24},
};

std::string name_of(const RepresentativeChip& chip) { return fmt::format("sm_{}", chip.compute_capability); }

DeviceInfo limits_of(const RepresentativeChip& chip) {
  const MultiprocessorLimits limits = *multiprocessor_limits(chip.compute_capability);
  DeviceInfo info;
  info.name = name_of(chip);
  info.compute_capability = chip.compute_capability;
  info.multiprocessors = chip.multiprocessors;
  info.memory_bytes = static_cast<std::uint64_t>(chip.memory_gib) << 30;
  info.memory_bus_bits = chip.bus_bits;
  info.l2_bytes = static_cast<std::uint64_t>(chip.l2_mib) << 20;
  info.max_threads_per_multiprocessor = limits.max_threads;
  info.shared_per_block = limits.shared_per_block;
  info.shared_per_multiprocessor = limits.shared_bytes;
  info.shared_reserved = limits.shared_reserved;
  info.max_blocks_per_multiprocessor = limits.max_blocks;
  info.registers_per_block = limits.registers_per_block;
  info.registers_per_multiprocessor = limits.registers;
  info.driver = fmt::format("none: the limits of {}, as of {}", info.name, chip.name);
  return info;
}

}  // namespace

std::vector<std::string> known_architectures() {
  std::vector<std::string> names;
  for (const auto& chip : chips) names.push_back(name_of(chip));
  return names;
}

DeviceInfo device_limits(std::string_view architecture) {
  for (const auto& chip : chips)
    if (name_of(chip) == architecture) return limits_of(chip);
  const std::string_view plain = architecture.substr(0, architecture.find_last_of("0123456789") + 1);
  const bool is_target =
      plain != architecture && std::ranges::any_of(chips, [&](const auto& chip) { return name_of(chip) == plain; });
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
