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

}  // namespace

std::shared_ptr<const CudaContext> CudaContext::open(const DriverApi& api, std::optional<int> ordinal) {
  const RelaxedCapture relaxed(api);
  const Current current = current_context(api);
  if (!ordinal && current.context != nullptr) {
    return std::shared_ptr<const CudaContext>(
        new CudaContext(api, current.context, current.device, ordinal_of(api, current.device), true));
  }
  const int wanted = ordinal.value_or(0);
  const int count = device_count(api);
  if (wanted < 0 || wanted >= count) {
    throw UsageError(fmt::format("no device cuda:{}: there {} (list them: attune devices)", wanted,
                                 count == 1 ? "is only cuda:0" : fmt::format("are cuda:0 to cuda:{}", count - 1)));
  }
  DeviceNumber device = 0;
  check(api, api.device_get(&device, wanted), fmt::format("opening cuda:{}", wanted));
  if (current.context != nullptr && current.device == device) {
    return std::shared_ptr<const CudaContext>(new CudaContext(api, current.context, device, wanted, true));
  }
  CUctx_st* primary = nullptr;
  check(api, api.primary_context_retain(&primary, device),
        fmt::format("making the primary context of cuda:{}", wanted));
  return std::shared_ptr<const CudaContext>(new CudaContext(api, primary, device, wanted, false));
}

// Ignores errors: at the end of the process the driver and its context may be gone already.
CudaContext::~CudaContext() {
  if (adopted_) return;
  const RelaxedCapture relaxed(api_);
  api_.primary_context_release(device_);
}

}  // namespace attune::cuda
