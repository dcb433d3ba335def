#include "device/host/host_tensor_map.hpp"

#include <new>

#include "device/host/include/abi.hpp"

namespace attune {

static_assert(sizeof(attune_host::TensorMap) == tensor_map_bytes &&
              alignof(attune_host::TensorMap) == tensor_map_alignment);

void encode_host_tensor_map(const TensorLayout& layout, void* array, void* map) {
  auto& made = *new (map) attune_host::TensorMap{};
  made.address = static_cast<unsigned char*>(array);
  made.dimensions = static_cast<unsigned short>(layout.shape.size());
  made.element_bytes = static_cast<unsigned short>(layout.element_bytes);
  made.swizzle = static_cast<unsigned short>(layout.swizzle);
  for (std::size_t i = 0; i < most_tensor_dimensions; ++i) {
    const bool is_one = i < layout.shape.size();
    made.shape[i] = is_one ? layout.shape[i] : 1;
    made.box[i] = static_cast<unsigned short>(is_one ? layout.box[i] : 1);
    if (is_one) made.strides[i] = i == 0 ? layout.element_bytes : layout.strides[i - 1];
  }
}

}  // namespace attune
