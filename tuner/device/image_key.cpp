#include "device/image_key.hpp"

#include "device/cuda/nvrtc_compiler.hpp"
#include "device/host_hook.hpp"

namespace attune {

SourceKey source_key(const std::string& architecture, const SourceText& source) {
  if (architecture == "host") return {host_device_hook().additions(), source};
  if (architecture.starts_with("sm_")) return {cuda::nvrtc_additions(), source};
  return {"", source};
}

std::string image_key(const ImageRequest& request) {
  return source_key(request.architecture, request.source).key_of(request);
}

}  // namespace attune
