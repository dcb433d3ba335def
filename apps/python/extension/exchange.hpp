// Exchange: the C functions that a framework gives for its arrays, by which an array is read in some 50 ns: DLPack's
// exchange API (https://dmlc.github.io/dlpack/latest/c_api.html, DLPackExchangeAPI). All are called with the GIL held.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <span>

#include "attune/stream_handle.hpp"

namespace attune::python {

// The layout of DLPackExchangeAPI since DLPack 1.2. A function returns 0, or -1 with a Python exception set.
struct Exchange {
  struct Managed;  // DLManagedTensorVersioned
  using SetError = void (*)(void* context, const char* kind, const char* message);

  std::uint32_t major, minor;
  const void* previous;
  int (*allocate)(const nanobind::dlpack::dltensor* like, Managed** made, void* context, SetError set_error);
  int (*from_object)(void* object, Managed** made);
  int (*to_object)(Managed* taken, void** object);
  int (*read)(void* object, nanobind::dlpack::dltensor* view);  // may be null
  int (*current_stream)(std::int32_t device_kind, std::int32_t device, void** stream);
};

// What the framework of an array gives, and what else is known of the object's type.
struct Framework {
  bool is_array = false;               // or None, which stands for one
  const Exchange* exchange = nullptr;  // null: it has none, or not of this version
  nanobind::handle empty_like;         // its function of this name, the quickest way to such an array; may be null
};

// Returns the framework of the object's type. It stays valid while few types are new: during a call.
const Framework& framework_of(nanobind::handle object);

// Returns the stream on which the framework enqueues work for a CUDA device at present.
StreamHandle current_stream(const Exchange& exchange, int device);

// Returns a new array of the framework on a CUDA device, or on the host (-1), elements not set. Throws
// nb::python_error.
nanobind::object make_array(const Exchange& exchange, std::span<const std::int64_t> shape, nanobind::dlpack::dtype type,
                            int device);

}  // namespace attune::python
