#include "device/cuda/cuda_status.hpp"

#include <fmt/format.h>

#include "attune/error.hpp"

namespace attune::cuda {
namespace {

struct StatusMeaning {
  DriverResult result;
  Verdict verdict;
  bool sticky;  // cuda.h: "the process must be terminated and relaunched"; or the device is gone
};

// Other results are a launch_error that leaves the context usable.
constexpr StatusMeaning meanings[] = {
    {2, Verdict::out_of_memory, false}, {4, Verdict::fault, true},  // deinitialised: the process is ending
    {46, Verdict::fault, true},                                     // device unavailable
    {100, Verdict::fault, true},                                    // no device
    {200, Verdict::load_error, false},  {209, Verdict::load_error, false},
    {214, Verdict::fault, true},                                      // uncorrectable ECC error
    {218, Verdict::load_error, false},  {220, Verdict::fault, true},  // NVLink
    {222, Verdict::load_error, false},  {226, Verdict::fault, true},  // contained
    {300, Verdict::load_error, false},  {301, Verdict::load_error, false},
    {302, Verdict::load_error, false},  {303, Verdict::load_error, false},
    {500, Verdict::load_error, false},                                // a symbol that the image lacks
    {700, Verdict::fault, true},                                      // illegal address
    {701, Verdict::resources, false},   {702, Verdict::fault, true},  // launch timeout
    {709, Verdict::fault, true},                                      // context is destroyed
    {710, Verdict::fault, true},                                      // assert
    {714, Verdict::fault, true},                                      // hardware stack
    {715, Verdict::fault, true},                                      // illegal instruction
    {716, Verdict::fault, true},                                      // misaligned address
    {717, Verdict::fault, true},                                      // address space
    {718, Verdict::fault, true},                                      // program counter
    {719, Verdict::fault, true},                                      // launch failed
    {720, Verdict::resources, false},                                 // cooperative launch too large
    {721, Verdict::fault, true},                                      // tensor memory leak
    {810, Verdict::fault, true},                                      // MPS client terminated
    {912, Verdict::resources, false},                                 // cluster size
    {999, Verdict::fault, true},
};

struct StatusAdvice {
  DriverResult result;
  const char* text;
};

constexpr StatusAdvice driver_advice[] = {
    {result_stub_library, "this is the toolkit's stub, not a driver: take its folder out of LD_LIBRARY_PATH"},
    {result_needs_newer_driver,
     "the user-space driver is newer than the kernel module: update the NVIDIA driver, or remove the "
     "CUDA compatibility package from LD_LIBRARY_PATH"},
    {result_no_device,
     "none is fitted, CUDA_VISIBLE_DEVICES hides it, or this container was started without it "
     "(docker run --gpus all)"},
    {result_system_driver_mismatch,
     "kernel module and libcuda.so.1 are of different versions: reboot, or reload the nvidia "
     "modules, after a driver update"},
    {result_compat_not_supported,
     "the CUDA compatibility package works on data-centre GPUs only: remove it from "
     "LD_LIBRARY_PATH, or update the NVIDIA driver"},
    {802, "the fabric manager is not running yet: start nvidia-fabricmanager, then try again"},
    {46, "the device is in use by another process in exclusive mode, or is shut off"},
    {999, "the driver reports no reason: see `nvidia-smi` and the kernel log"},
};

}  // namespace

std::string result_text(const DriverApi& api, DriverResult result) {
  const char* name = nullptr;
  const char* text = nullptr;
  if (api.get_error_name == nullptr || api.get_error_name(result, &name) != result_success || name == nullptr) {
    return fmt::format("CUDA error {}", result);
  }
  if (api.get_error_string(result, &text) != result_success || text == nullptr)
    return fmt::format("{} ({})", name, result);
  return fmt::format("{} ({}), {}", name, result, text);
}

std::string explain_driver_failure(const DriverApi& api, DriverResult result) {
  for (const StatusAdvice& advice : driver_advice) {
    if (advice.result == result) {
      return fmt::format("{}: {}; without a GPU: --device host or ATTUNE_DEVICE=host", result_text(api, result),
                         advice.text);
    }
  }
  return fmt::format("{}; see `nvidia-smi`; without a GPU: --device host or ATTUNE_DEVICE=host",
                     result_text(api, result));
}

std::string version_text(int cuda_version) {
  return fmt::format("{}.{}", cuda_version / 1000, cuda_version % 1000 / 10);
}

Status status_of(const DriverApi& api, DriverResult result, std::string_view doing) {
  if (result == result_success) return {};
  Status status{Verdict::launch_error, fmt::format("{} failed: {}", doing, result_text(api, result)), false};
  for (const StatusMeaning& meaning : meanings) {
    if (meaning.result != result) continue;
    status.verdict = meaning.verdict;
    status.sticky = meaning.sticky;
  }
  return status;
}

void check(const DriverApi& api, DriverResult result, std::string_view doing) {
  if (result == result_success) return;
  const Status status = status_of(api, result, doing);
  if (result == result_out_of_memory) throw OutOfMemory(status.detail);
  const char* const why =
      status.sticky ? "; an earlier kernel faulted or the device was lost: nothing more works in this process" : "";
  throw_failed(status, status.detail + why);
}

}  // namespace attune::cuda
