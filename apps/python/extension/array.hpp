// Array: what an object of Python says of its memory. No element is copied.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace attune::python {

struct Array {
  static constexpr int most_dimensions = 8;
  static constexpr int host = -1;

  void* data = nullptr;
  std::string_view type;                             // attune's name of the elements' type
  std::array<std::int64_t, most_dimensions> shape{}; // elements
  int dimensions = 0;
  int device = host;                                 // else the ordinal of a CUDA device
  bool is_dense = true;                              // C order without gaps
  bool is_read_only = false;
  nanobind::object owner;                            // keeps `data` alive

  std::span<const std::int64_t> extents() const noexcept { return {shape.data(), static_cast<std::size_t>(dimensions)}; }
  std::int64_t size() const noexcept;   // elements
  std::string text() const;             // "float[4, 5] on cuda:0"
};

// Reads an object: by DLPack, by the buffer protocol, or by __cuda_array_interface__. Nothing: it is no array. Throws
// UsageError for an element type that attune does not know, and for more than eight dimensions.
std::optional<Array> array_of(nanobind::handle object);

}  // namespace attune::python
