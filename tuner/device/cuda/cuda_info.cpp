#include "device/cuda/cuda_info.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <string_view>

#include "device/cuda/cuda_status.hpp"
#include "device/cuda/nvml.hpp"

namespace attune::cuda {
namespace {

constexpr std::string_view mig_mark = " MIG ";

// Returns the version of the kernel module, "580.95.05", or "" where it cannot be read.
std::string kernel_module_version() {
  std::ifstream file("/sys/module/nvidia/version");
  std::string version;
  file >> version;
  return version;
}

std::string driver_text(const DriverApi& api, const std::string& module_version) {
  const std::string cuda = "CUDA " + version_text(api.cuda_version);
  return module_version.empty() ? cuda : fmt::format("{} ({})", module_version, cuda);
}

void read_limits(DeviceInfo& info, const DriverApi& api, DeviceNumber device) {
  const auto attribute = [&](DeviceAttribute which) {
    int value = 0;
    check(api, api.device_get_attribute(&value, which, device),
          fmt::format("reading attribute {} of cuda:{}", static_cast<int>(which), info.ordinal));
    return value;
  };
  const auto bytes = [&](DeviceAttribute which) { return static_cast<std::uint64_t>(attribute(which)); };
  info.compute_capability = 10 * attribute(attribute_capability_major) + attribute(attribute_capability_minor);
  info.multiprocessors = attribute(attribute_multiprocessors);
  info.memory_bus_bits = attribute(attribute_memory_bus_bits);
  info.l2_bytes = bytes(attribute_l2_bytes);
  info.warp_size = attribute(attribute_warp_size);
  info.max_threads_per_block = attribute(attribute_max_threads_per_block);
  info.max_threads_per_multiprocessor = attribute(attribute_max_threads_per_multiprocessor);
  info.max_block = {attribute(attribute_max_block_x), attribute(attribute_max_block_y),
                    attribute(attribute_max_block_z)};
  info.max_grid = {attribute(attribute_max_grid_x), attribute(attribute_max_grid_y), attribute(attribute_max_grid_z)};
  info.shared_static_limit = bytes(attribute_shared_per_block);
  // Devices without opt-in answer 0.
  info.shared_per_block = std::max(info.shared_static_limit, bytes(attribute_shared_per_block_optin));
  info.shared_per_multiprocessor = bytes(attribute_shared_per_multiprocessor);
  info.shared_reserved = bytes(attribute_shared_reserved);
  info.max_blocks_per_multiprocessor = attribute(attribute_max_blocks_per_multiprocessor);
  info.registers_per_block = attribute(attribute_registers_per_block);
  info.registers_per_multiprocessor = attribute(attribute_registers_per_multiprocessor);
  info.clock_khz = attribute(attribute_clock_khz);
}

// Returns whether the device may be a part of a partitioned device: the UUID of a part is not that of the whole.
bool is_part(const DriverApi& api, DeviceNumber device, const Uuid& own) {
  Uuid whole{};
  if (api.device_get_uuid_mig == nullptr || api.device_get_uuid(&whole, device) != result_success) return true;
  return !std::equal(std::begin(whole.bytes), std::end(whole.bytes), std::begin(own.bytes));
}

}  // namespace

std::string uuid_text(const Uuid& uuid, bool mig) {
  std::string text = mig ? "MIG" : "GPU";
  for (int i = 0; i < 16; ++i) {
    if (i == 0 || i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += fmt::format("{:02x}", static_cast<unsigned char>(uuid.bytes[i]));
  }
  return text;
}

std::string mig_profile_of(const std::string& device_name) {
  const auto position = device_name.find(mig_mark);
  return position == std::string::npos ? "" : device_name.substr(position + mig_mark.size());
}

std::string driver_text(const DriverApi& api) { return driver_text(api, kernel_module_version()); }

DeviceInfo device_info(const DriverApi& api, DeviceNumber device, int ordinal) {
  DeviceInfo info;
  info.kind = "cuda";
  info.ordinal = ordinal;
  std::array<char, 256> name{};
  check(api, api.device_get_name(name.data(), static_cast<int>(name.size()) - 1, device),
        fmt::format("reading the name of cuda:{}", ordinal));
  info.name = name.data();
  std::size_t memory = 0;
  check(api, api.device_total_memory(&memory, device), fmt::format("reading the memory size of cuda:{}", ordinal));
  info.memory_bytes = memory;
  read_limits(info, api, device);

  // The newer function separates the parts of a partitioned device.
  const auto get_uuid = api.device_get_uuid_mig != nullptr ? api.device_get_uuid_mig : api.device_get_uuid;
  Uuid uuid{};
  check(api, get_uuid(&uuid, device), fmt::format("reading the UUID of cuda:{}", ordinal));
  info.mig_profile = mig_profile_of(info.name);
  info.uuid = uuid_text(uuid, !info.mig_profile.empty());
  std::string version = kernel_module_version();
  // NVML takes milliseconds to start, so it is asked only for what nothing else knows.
  if (version.empty() || (info.mig_profile.empty() && is_part(api, device, uuid))) {
    NvmlAnswers nvml = ask_nvml(info.uuid);
    if (info.mig_profile.empty() && !nvml.device_name) {  // the driver's name lacks the profile
      if (NvmlAnswers part = ask_nvml(uuid_text(uuid, true)); part.device_name) {
        info.mig_profile = mig_profile_of(*part.device_name);
        info.uuid = uuid_text(uuid, true);
        nvml = std::move(part);
      }
    }
    version = nvml.driver_version.value_or(version);
  }
  info.driver_cuda_version = api.cuda_version;
  info.driver = driver_text(api, version);
  return info;
}

}  // namespace attune::cuda
