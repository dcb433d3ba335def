#include "device/cuda/cuda_context.hpp"

#include <fmt/format.h>

#include "attune/error.hpp"
#include "device/cuda/cuda_status.hpp"

namespace attune::cuda {
namespace {

struct Current {
  CUctx_st* context = nullptr;
  DeviceNumber device = 0;
};

// Returns the calling thread's context, or a null one.
Current current_context(const DriverApi& api) {
  Current current;
  check(api, api.context_get_current(&current.context), "asking for the current CUDA context");
  if (current.context == nullptr) return {};
  check(api, api.context_get_device(&current.device), "asking for the device of the current CUDA context");
  return current;
}

int device_count(const DriverApi& api) {
  int count = 0;
  check(api, api.device_get_count(&count), "counting the CUDA devices");
  return count;
}

int ordinal_of(const DriverApi& api, DeviceNumber device) {
  const int count = device_count(api);
  for (int ordinal = 0; ordinal < count; ++ordinal) {
    DeviceNumber candidate = 0;
    if (api.device_get(&candidate, ordinal) == result_success && candidate == device) return ordinal;
  }
  return device;
}

// Retains the device's primary context if it is `context`, which then lives as long as attune needs it. Returns whether
// it does. An inactive primary context is not asked for, because that would make it.
bool retains(const DriverApi& api, CUctx_st* context, DeviceNumber device) {
  unsigned flags = 0;
  int is_active = 0;
  CUctx_st* primary = nullptr;
  if (api.primary_context_state(device, &flags, &is_active) != result_success || is_active == 0 ||
      api.primary_context_retain(&primary, device) != result_success)
    return false;
  if (primary == context) return true;
  api.primary_context_release(device);
  return false;
}

}  // namespace

std::shared_ptr<const CudaContext> CudaContext::adopt(const DriverApi& api, CUctx_st* context, DeviceNumber device,
                                                      int ordinal) {
  return std::shared_ptr<const CudaContext>(
      new CudaContext(api, context, device, ordinal, true, retains(api, context, device)));
}

std::shared_ptr<const CudaContext> CudaContext::open(const DriverApi& api, std::optional<int> ordinal) {
  const RelaxedCapture relaxed(api);
  const Current current = current_context(api);
  if (!ordinal && current.context != nullptr)
    return adopt(api, current.context, current.device, ordinal_of(api, current.device));
  const int wanted = ordinal.value_or(0);
  const int count = device_count(api);
  if (wanted < 0 || wanted >= count) {
    throw UsageError(fmt::format("no device cuda:{}: there {} (list them: attune devices)", wanted,
                                 count == 1 ? "is only cuda:0" : fmt::format("are cuda:0 to cuda:{}", count - 1)));
  }
  DeviceNumber device = 0;
  check(api, api.device_get(&device, wanted), fmt::format("opening cuda:{}", wanted));
  if (current.context != nullptr && current.device == device) return adopt(api, current.context, device, wanted);
  CUctx_st* primary = nullptr;
  check(api, api.primary_context_retain(&primary, device),
        fmt::format("making the primary context of cuda:{}", wanted));
  return std::shared_ptr<const CudaContext>(new CudaContext(api, primary, device, wanted, false, true));
}

// Ignores errors: at the end of the process the driver and its context may be gone already.
CudaContext::~CudaContext() {
  if (!retained_) return;
  const RelaxedCapture relaxed(api_);
  api_.primary_context_release(device_);
}

}  // namespace attune::cuda
