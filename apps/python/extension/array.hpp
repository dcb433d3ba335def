// Array: what an object of Python says of its memory. No element is copied.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "exchange.hpp"

namespace attune::python {

struct Array {
  static constexpr int most_dimensions = 8;
  static constexpr int host = -1;

  void* data = nullptr;
  std::string_view type;  // attune's name of the elements' type
  int dimensions = 0;
  int device = host;     // else the ordinal of a CUDA device
  bool is_dense = true;  // C order without gaps
  bool is_read_only = false;
  bool is_pinned = false;                           // in host memory that CUDA devices accept
  std::int64_t components = 1;                      // of its elements that make one of the kernel's: a float4 has 4
  std::array<std::int64_t, most_dimensions> shape;  // elements; as many as `dimensions`

  std::span<const std::int64_t> extents() const noexcept {
    return {shape.data(), static_cast<std::size_t>(dimensions)};
  }
  std::int64_t size() const noexcept;  // elements
  std::string text() const;            // "float[4, 5] on cuda:0"
};

// "the host", "cuda:1": of Array::device.
std::string device_text(int device);

// What keeps the memory of arrays that were read by DLPack or as buffers.
struct Views {
  std::vector<nanobind::ndarray<>> writable;
  std::vector<nanobind::ndarray<nanobind::ro>> read_only;
};

// Reads an object by its framework's C functions (`exchange`, null: it has none), by DLPack, by the buffer protocol, or
// by __cuda_array_interface__, without waiting for any stream. Returns whether it is an array. Throws UsageError for an
// element type that attune does not know, and for more than eight dimensions; nb::python_error for what the object
// raises. `object` and `views` must outlive the use of `array.data`.
bool read_array(nanobind::handle object, const Exchange* exchange, Array& array, Views& views);

// Returns DLPack's type for attune's name of an element type. Throws UsageError where DLPack has none.
nanobind::dlpack::dtype dlpack_type(std::string_view type);

}  // namespace attune::python
