#include "device/image_key.hpp"

#include "device/cuda/nvrtc_compiler.hpp"
#include "device/host_hook.hpp"

namespace attune {

std::string image_key(const ImageRequest& request) {
  if (request.architecture == "host") return request.key(host_device_hook().additions());
  if (request.architecture.starts_with("sm_")) return request.key(cuda::nvrtc_additions());
  return request.key("");
}

}  // namespace attune
