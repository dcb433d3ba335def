// DeviceInfo: a device's limits, which rules read, and its identity, which keys records. A plain value.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "attune/value.hpp"

namespace attune {

struct DeviceInfo {
  // The class key is made of these members: devices with equal class_key() share records.
  std::string kind = "cuda";       // "cuda", "host", "replay" or "callable"
  std::string name;                // as the driver gives it; host: the CPU's model name
  int compute_capability = 0;      // 10 * major + minor; 0 on host
  int multiprocessors = 1;         // host: worker threads
  std::uint64_t memory_bytes = 0;  // the key holds it rounded, see class_key()
  int memory_bus_bits = 0;
  std::uint64_t l2_bytes = 0;  // host: last-level cache
  std::string mig_profile;     // "" without MIG
  // What an alias makes of the class key: another name, or another class key as a whole; "": nothing.
  std::string class_name;

  // Limits.
  int warp_size = 32;
  int max_threads_per_block = 1024;
  int max_threads_per_multiprocessor = 2048;
  std::array<std::int64_t, 3> max_block = {1024, 1024, 64};
  std::array<std::int64_t, 3> max_grid = {2147483647, 65535, 65535};
  std::uint64_t shared_static_limit = 49152;  // bytes per block; more static shared memory does not compile
  std::uint64_t shared_per_block = 49152;     // bytes, static and dynamic together: the opt-in maximum
  std::uint64_t shared_per_multiprocessor = 65536;
  std::uint64_t shared_reserved = 1024;  // bytes of each block, beside shared_per_block, that the driver keeps
  int max_blocks_per_multiprocessor = 32;
  int registers_per_block = 65536;
  int registers_per_multiprocessor = 65536;

  // Provenance, in no key.
  int ordinal = 0;
  std::string uuid;
  std::string driver;           // "580.159 (CUDA 13.0)"; host: compiler and version
  int driver_cuda_version = 0;  // as cuDriverGetVersion: 13000
  int clock_khz = 0;

  // Returns "sm_90", or the kind.
  std::string architecture() const;

  // Returns how many blocks a thread block cluster may have: 8 from sm_90 on, else 1.
  int max_cluster() const noexcept { return kind == "cuda" && compute_capability >= 90 ? 8 : 1; }

  // Returns how many bytes all parameters of a launch may have: 32,764, but 4,096 below sm_70 and where the driver is
  // older than CUDA 12.1. An unknown driver (0) counts as newer.
  std::int64_t max_parameter_bytes() const noexcept {
    const bool is_old = compute_capability < 70 || (driver_cuda_version != 0 && driver_cuda_version < 12010);
    return kind == "cuda" && is_old ? 4096 : 32764;
  }

  // Returns the class key as text: "cuda|NVIDIA H200|cc90|sm132|mem141G|bus6144|l2-60M|mig-". Memory is rounded to the
  // nearest GiB, so that ECC or firmware reservations do not split a class. `class_name` takes the place of the name,
  // or of the key.
  std::string class_key() const;

  // Returns the value of `device.<name>`, or nothing when there is no such property.
  std::optional<Value> property(std::string_view name) const;
  // Returns all names that property() accepts, the documented names first.
  static const std::vector<std::string>& property_names();
};

// Returns the limits of an architecture ("sm_75", "sm_80", ...) without a device. Throws UsageError listing the known
// ones.
DeviceInfo device_limits(std::string_view architecture);
// Returns the names that device_limits() accepts.
std::vector<std::string> known_architectures();

}  // namespace attune
