// TensorLayout: how a tensor map sees an array. A plain value. Dimension 0 is the innermost; its elements are
// neighbours.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace attune {

// The size of an encoded map and the alignments of the map and of its array, in bytes.
inline constexpr std::size_t tensor_map_bytes = 128, tensor_map_alignment = 64, tensor_array_alignment = 16;
inline constexpr std::size_t most_tensor_dimensions = 5;

struct TensorLayout {
  std::uint32_t element_bytes = 0;     // 1, 2, 4 or 8
  std::vector<std::uint64_t> shape;    // elements
  std::vector<std::uint64_t> strides;  // bytes, of dimensions 1 and up
  std::vector<std::uint32_t> box;      // elements
  std::uint32_t swizzle = 0;           // bytes: 0, 32, 64 or 128
};

}  // namespace attune
