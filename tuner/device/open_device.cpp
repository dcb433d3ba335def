// Turns names of devices into devices and compilers.
#include <fmt/format.h>

#include <charconv>

#include "attune/device_info.hpp"
#include "base/near_name.hpp"
#include "device/cuda/cuda_device.hpp"
#include "device/device.hpp"
#include "device/host_hook.hpp"

namespace attune {

namespace {

constexpr std::string_view cuda_prefix = "cuda:";

[[gnu::cold]] int ordinal_of(std::string_view name) {
  const std::string_view digits = name.substr(cuda_prefix.size());
  int ordinal = -1;
  const auto [end, failed] = std::from_chars(digits.data(), digits.data() + digits.size(), ordinal);
  if (failed != std::errc() || end != digits.data() + digits.size() || ordinal < 0)
    throw UsageError(fmt::format("device `{}`: expected a number after `cuda:`, such as cuda:0", name));
  return ordinal;
}

[[gnu::cold]] int ordinal_with_uuid(std::string_view uuid) {
  if (const std::optional<int> ordinal = cuda_ordinal(uuid)) return *ordinal;
  throw UsageError(
      fmt::format("this process sees no device {}: `nvidia-smi -L` lists all UUIDs, `attune devices --json` those that "
                  "CUDA_VISIBLE_DEVICES leaves",
                  uuid));
}

const HostDeviceHook& linked_host() {
  const HostDeviceHook& hook = host_device_hook();
  if (hook.open == nullptr)
    throw UsageError("the device `host` is not in this program; link it to attune::host_device (CMake)");
  return hook;
}

[[noreturn]] [[gnu::cold]] void refuse(std::string_view name) {
  const char* why = nullptr;
  if (name.starts_with("replay:"))
    why =
        "`: a recording can be tuned and its space looked at (attune tune, attune space), no more; known devices here: "
        "cuda, cuda:N, host";
  else if (name == "all" || name == "cuda:all" || name.find(',') != name.npos)
    why = "` are several devices, which only `attune tune` takes: name one";
  else if (name.starts_with("sm_"))
    why =
        "` is an architecture, not a device: `attune space` and `attune check` take it, but nothing runs on it; known "
        "devices: cuda, cuda:N, host";
  if (why != nullptr) throw UsageError(fmt::format("`{}{}", name, why));
  throw UsageError(
      fmt::format("unknown device `{}`{}", name, suggestion(name, {"cuda", "cuda:N", "host", "replay:FILE"})));
}

}  // namespace

[[gnu::cold]] std::unique_ptr<Device> open_device(std::string_view name) {
  if (name == "host") return linked_host().open();
  if (name == "cuda") return open_cuda_device(std::nullopt);
  if (name == "cuda:all" || name.find(',') != name.npos) refuse(name);
  if (is_uuid(name)) return open_cuda_device(ordinal_with_uuid(name));
  if (name.starts_with(cuda_prefix)) return open_cuda_device(ordinal_of(name));
  refuse(name);
}

std::shared_ptr<Compiler> make_compiler(std::string_view architecture, HeavyHeaders headers) {
  if (architecture == "host") return linked_host().make_compiler();
  if (architecture.starts_with("sm_")) {
    device_limits(architecture);  // throws for an unknown one, with the known ones
    return make_nvrtc_compiler(std::string(architecture), headers);
  }
  return make_nvrtc_compiler(open_device(architecture)->info().architecture(), headers);
}

bool cuda_available(std::string& why_not) noexcept { return cuda_driver_answers(why_not); }

}  // namespace attune
