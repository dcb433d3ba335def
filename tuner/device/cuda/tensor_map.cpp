#include "device/cuda/tensor_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "device/cuda/cuda_status.hpp"

namespace attune::cuda {
namespace {

// Only bytes are moved: the kind of the elements does not matter.
TensorMapType type_of(std::uint32_t element_bytes) {
  switch (element_bytes) {
    case 1:
      return tensor_map_uint8;
    case 2:
      return tensor_map_uint16;
    case 4:
      return tensor_map_uint32;
    default:
      return tensor_map_uint64;
  }
}

TensorMapSwizzle swizzle_of(std::uint32_t bytes) {
  return bytes == 128 ? swizzle_128 : bytes == 64 ? swizzle_64 : bytes == 32 ? swizzle_32 : swizzle_none;
}

}  // namespace

Status encode_tensor_map(const DriverApi& api, const TensorLayout& layout, void* array, void* map) {
  if (api.tensor_map_encode == nullptr)
    return {Verdict::launch_error,
            fmt::format("the CUDA driver (CUDA {}) cannot encode tensor maps, which need one of CUDA 12.0: update the "
                        "NVIDIA driver",
                        version_text(api.cuda_version)),
            false};
  constexpr int no_interleave = 0, zeros_outside = 0;
  std::array<unsigned, most_tensor_dimensions> every{};
  every.fill(1);
  std::array<std::uint64_t, most_tensor_dimensions> strides{};  // one dimension has none, but null is refused
  std::copy(layout.strides.begin(), layout.strides.end(), strides.begin());
  const DriverResult result = api.tensor_map_encode(
      static_cast<CUtensorMap_st*>(map), type_of(layout.element_bytes), static_cast<unsigned>(layout.shape.size()),
      array, layout.shape.data(), strides.data(), layout.box.data(), every.data(), no_interleave,
      swizzle_of(layout.swizzle), promotion_128, zeros_outside);
  Status status = status_of(api, result, "encoding a tensor map");
  if (!status.ok() && !status.sticky) status.verdict = Verdict::launch_error;
  return status;
}

}  // namespace attune::cuda
