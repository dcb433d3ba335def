// From NVIDIA's CUDA C++ programming guide (technical specifications per compute capability), in its present and
// earlier editions, and for units from the occupancy spreadsheet that NVIDIA published with the toolkit.
#include "core/multiprocessor_limits.hpp"

#include <algorithm>
#include <array>

namespace attune {
namespace {

struct Capability {
  std::int16_t number, threads, blocks;
  std::int16_t registers_ki, registers_per_block_ki, registers_per_thread;
  std::int16_t shared_kib, shared_per_block_kib;
  std::int16_t register_unit, warp_unit, shared_unit;
};

constexpr std::array capabilities = {
    Capability{10, 768, 8, 8, 8, 124, 16, 16, 256, 2, 512},
    Capability{11, 768, 8, 8, 8, 124, 16, 16, 256, 2, 512},
    Capability{12, 1024, 8, 16, 16, 124, 16, 16, 512, 2, 512},
    Capability{13, 1024, 8, 16, 16, 124, 16, 16, 512, 2, 512},
    Capability{20, 1536, 8, 32, 32, 63, 48, 48, 64, 2, 128},
    Capability{21, 1536, 8, 32, 32, 63, 48, 48, 64, 2, 128},
    Capability{30, 2048, 16, 64, 64, 63, 48, 48, 256, 4, 256},
    Capability{32, 2048, 16, 64, 32, 255, 48, 48, 256, 4, 256},
    Capability{35, 2048, 16, 64, 64, 255, 48, 48, 256, 4, 256},
    Capability{37, 2048, 16, 128, 64, 255, 112, 48, 256, 4, 256},
    Capability{50, 2048, 32, 64, 64, 255, 64, 48, 256, 4, 256},
    Capability{52, 2048, 32, 64, 64, 255, 96, 48, 256, 4, 256},
    Capability{53, 2048, 32, 64, 32, 255, 64, 48, 256, 4, 256},
    Capability{60, 2048, 32, 64, 64, 255, 64, 48, 256, 2, 256},
    Capability{61, 2048, 32, 64, 64, 255, 96, 48, 256, 4, 256},
    Capability{62, 2048, 32, 64, 32, 255, 64, 48, 256, 4, 256},
    Capability{70, 2048, 32, 64, 64, 255, 96, 96, 256, 4, 256},
    Capability{72, 2048, 32, 64, 64, 255, 96, 96, 256, 4, 256},
    Capability{75, 1024, 16, 64, 64, 255, 64, 64, 256, 4, 256},
    Capability{80, 2048, 32, 64, 64, 255, 164, 163, 256, 4, 128},
    Capability{86, 1536, 16, 64, 64, 255, 100, 99, 256, 4, 128},
    Capability{87, 1536, 16, 64, 64, 255, 164, 163, 256, 4, 128},
    Capability{89, 1536, 24, 64, 64, 255, 100, 99, 256, 4, 128},
    Capability{90, 2048, 32, 64, 64, 255, 228, 227, 256, 4, 128},
    Capability{100, 2048, 32, 64, 64, 255, 228, 227, 256, 4, 128},
    Capability{103, 2048, 32, 64, 64, 255, 228, 227, 256, 4, 128},
    Capability{110, 1536, 24, 64, 64, 255, 228, 227, 256, 4, 128},
    Capability{120, 1536, 24, 64, 64, 255, 100, 99, 256, 4, 128},
    Capability{121, 1536, 24, 64, 64, 255, 100, 99, 256, 4, 128},
};

constexpr int threads_per_warp = 32;

MultiprocessorLimits limits_of(const Capability& of) {
  constexpr auto kib = [](int count) { return static_cast<std::uint64_t>(count) << 10; };
  MultiprocessorLimits limits;
  limits.compute_capability = of.number;
  limits.max_threads = of.threads;
  limits.max_warps = of.threads / threads_per_warp;
  limits.max_blocks = of.blocks;
  limits.registers = of.registers_ki << 10;
  limits.registers_per_block = of.registers_per_block_ki << 10;
  limits.max_registers_per_thread = of.registers_per_thread;
  limits.max_threads_per_block = of.number < 20 ? 512 : 1024;
  limits.shared_bytes = kib(of.shared_kib);
  limits.shared_per_block = kib(of.shared_per_block_kib);
  limits.shared_reserved = of.number < 80 ? 0 : 1024;
  limits.shared_unit = static_cast<std::uint64_t>(of.shared_unit);
  limits.register_unit = of.register_unit;
  limits.registers_by_block = of.number < 20;
  limits.warp_unit = of.warp_unit;
  return limits;
}

}  // namespace

std::optional<MultiprocessorLimits> multiprocessor_limits(int compute_capability) {
  const auto found = std::ranges::find(capabilities, compute_capability, &Capability::number);
  return found == capabilities.end() ? std::nullopt : std::optional(limits_of(*found));
}

std::optional<MultiprocessorLimits> multiprocessor_limits(const DeviceInfo& device) {
  if (device.kind != "cuda") return std::nullopt;
  const auto behind = std::ranges::upper_bound(capabilities, device.compute_capability, {}, &Capability::number);
  if (behind == capabilities.begin()) return std::nullopt;
  MultiprocessorLimits limits = limits_of(*std::prev(behind));
  limits.compute_capability = device.compute_capability;
  limits.max_threads = device.max_threads_per_multiprocessor;
  limits.max_warps = device.max_threads_per_multiprocessor / threads_per_warp;
  limits.max_blocks = device.max_blocks_per_multiprocessor;
  limits.registers = device.registers_per_multiprocessor;
  limits.registers_per_block = device.registers_per_block;
  limits.max_threads_per_block = device.max_threads_per_block;
  limits.shared_bytes = device.shared_per_multiprocessor;
  limits.shared_per_block = device.shared_per_block;
  limits.shared_reserved = device.shared_reserved;
  return limits;
}

}  // namespace attune
