#include "device/host/host_info.hpp"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <string>

namespace attune {
namespace {

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("model name")) continue;
    const std::size_t colon = line.find(": ");
    if (colon != std::string::npos) return line.substr(colon + 2);
  }
  return "CPU";
}

// Returns the bytes of the largest cache of processor 0; 32 MiB where the system does not report it.
std::uint64_t last_level_cache() {
  std::uint64_t largest = 0;
  for (int index = 0; index < 8; ++index) {
    std::ifstream file("/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index) + "/size");
    std::uint64_t size = 0;
    char unit = ' ';
    if (!(file >> size)) continue;
    file >> unit;
    size *= unit == 'M' ? 1024 * 1024 : unit == 'K' ? 1024 : 1;
    largest = std::max(largest, size);
  }
  return largest > 0 ? largest : 32ull << 20;
}

}  // namespace

std::uint64_t available_memory() {
  std::ifstream file("/proc/meminfo");
  for (std::string word; file >> word;) {
    std::uint64_t kibibytes = 0;
    if (word == "MemAvailable:" && file >> kibibytes) return kibibytes * 1024;
  }
  return static_cast<std::uint64_t>(sysconf(_SC_AVPHYS_PAGES)) * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

DeviceInfo host_device_info(int threads) {
  DeviceInfo info;
  info.kind = "host";
  info.name = processor_name();
  info.multiprocessors = threads;
  info.memory_bytes =
      static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  info.l2_bytes = last_level_cache();
  // As on current GPUs, so that a kernel that runs here fits there.
  info.shared_per_block = 227 * 1024;
  info.shared_per_multiprocessor = 228 * 1024;
  info.driver = "host";
  return info;
}

}  // namespace attune
