#include "array.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nanobind/stl/string.h>

#include <utility>

#include "attune/error.hpp"

namespace nb = nanobind;

namespace attune::python {
namespace {

using Code = nb::dlpack::dtype_code;

// DLPack's numbers of kinds of devices.
constexpr int on_cpu = 1, on_cuda = 2, on_pinned = 3, on_managed = 13;

struct ElementType {
  std::string_view name;     // attune's
  std::string_view typestr;  // of NumPy's array interface, without the byte order; "": it has none
  Code code;
  std::uint8_t bits;
};

constexpr ElementType element_types[] = {
    {"float", "f4", Code::Float, 32},  {"half", "f2", Code::Float, 16},     {"bfloat16", "", Code::Bfloat, 16},
    {"double", "f8", Code::Float, 64}, {"int32", "i4", Code::Int, 32},      {"int64", "i8", Code::Int, 64},
    {"int8", "i1", Code::Int, 8},      {"int16", "i2", Code::Int, 16},      {"uint8", "u1", Code::UInt, 8},
    {"uint16", "u2", Code::UInt, 16},  {"uint32", "u4", Code::UInt, 32},    {"uint64", "u8", Code::UInt, 64},
    {"bool", "b1", Code::Bool, 8},     {"float2", "c8", Code::Complex, 64}, {"double2", "c16", Code::Complex, 128},
};

std::string_view name_of(const nb::dlpack::dtype& type) {
  for (const ElementType& one : element_types)
    if (static_cast<std::uint8_t>(one.code) == type.code && one.bits == type.bits && type.lanes == 1) return one.name;
  throw UsageError(fmt::format("attune has no element type of DLPack's code {} with {} bits", type.code, type.bits));
}

void refuse_dimensions(std::size_t dimensions) {
  if (dimensions > Array::most_dimensions)
    throw UsageError(fmt::format("an array has {} dimensions, more than {}", dimensions, Array::most_dimensions));
}

// Takes shape and strides, in elements; `strides` may be null: dense.
void set_extents(Array& array, int dimensions, const std::int64_t* shape, const std::int64_t* strides) {
  refuse_dimensions(static_cast<std::size_t>(dimensions));
  array.dimensions = dimensions;
  std::int64_t dense = 1;
  for (int i = dimensions - 1; i >= 0; --i) {
    array.shape[static_cast<std::size_t>(i)] = shape[i];
    if (strides != nullptr && shape[i] != 1 && strides[i] != dense) array.is_dense = false;
    dense *= shape[i];
  }
  if (dense == 0) array.is_dense = true;
}

void set_device(Array& array, int kind, int ordinal) {
  if (kind != on_cpu && kind != on_cuda && kind != on_pinned && kind != on_managed)
    throw UsageError(
        fmt::format("an array lies on a device that is neither the host nor CUDA (DLPack's kind {})", kind));
  array.device = kind == on_cuda || kind == on_managed ? ordinal : Array::host;
  array.is_pinned = kind == on_pinned || kind == on_managed;
}

void read_exchanged(nb::handle object, const Exchange& exchange, Array& array) {
  nb::dlpack::dltensor tensor;
  if (exchange.read(object.ptr(), &tensor) != 0) nb::raise_python_error();
  array.data = static_cast<char*>(tensor.data) + tensor.byte_offset;
  array.type = name_of(tensor.dtype);
  set_extents(array, tensor.ndim, tensor.shape, tensor.strides);
  set_device(array, tensor.device.device_type, tensor.device.device_id);
  const bool is_complex = tensor.dtype.code == static_cast<std::uint8_t>(Code::Complex);
  if (is_complex && nb::hasattr(object, "is_conj") && nb::cast<bool>(object.attr("is_conj")()))
    throw UsageError("its conjugation is not done yet (resolve_conj() does it)");
}

// Returns the capsule of a CUDA array, which did not wait for a stream; else the object itself.
nb::object unsynchronised(nb::handle object) {
  if (!nb::hasattr(object, "__dlpack_device__")) return nb::borrow(object);
  const auto device = nb::cast<nb::tuple>(object.attr("__dlpack_device__")());
  if (nb::cast<int>(device[0]) != on_cuda) return nb::borrow(object);
  return object.attr("__dlpack__")(nb::arg("stream") = -1);
}

template <typename View>
void take_view(const View& view, Array& array) {
  array.data = const_cast<void*>(static_cast<const void*>(view.data()));
  array.type = name_of(view.dtype());
  set_extents(array, static_cast<int>(view.ndim()), view.shape_ptr(), view.stride_ptr());
  set_device(array, view.device_type(), view.device_id());
}

// A producer is asked once, but for read-only arrays: it may give other memory each time.
bool read_ndarray(nb::handle object, Array& array, Views& views) {
  const nb::object source = unsynchronised(object);
  nb::ndarray<> writable;
  if (nb::try_cast(source, writable)) {
    take_view(writable, array);
    views.writable.push_back(std::move(writable));
    return true;
  }
  nb::ndarray<nb::ro> view;
  if (!source.is(object) || !nb::try_cast(source, view)) return false;
  take_view(view, array);
  array.is_read_only = true;
  views.read_only.push_back(std::move(view));
  return true;
}

void read_cuda_interface(nb::handle object, Array& array) {
  const auto interface = nb::cast<nb::dict>(object.attr("__cuda_array_interface__"));
  const auto text = nb::cast<std::string>(interface["typestr"]);
  for (const ElementType& one : element_types)
    if (!one.typestr.empty() && text.size() > 1 && text[0] != '>' && text.substr(1) == one.typestr)
      array.type = one.name;
  if (array.type.empty()) throw UsageError(fmt::format("attune has no element type `{}`", text));
  const auto shape = nb::cast<nb::tuple>(interface["shape"]);
  refuse_dimensions(shape.size());
  for (nb::handle extent : shape)
    array.shape[static_cast<std::size_t>(array.dimensions++)] = nb::cast<std::int64_t>(extent);
  const auto data = nb::cast<nb::tuple>(interface["data"]);
  array.data = reinterpret_cast<void*>(nb::cast<std::uintptr_t>(data[0]));
  array.is_read_only = nb::cast<bool>(data[1]);
  array.is_dense = !interface.contains("strides") || interface["strides"].is_none();
  array.device = nb::hasattr(object, "device") && nb::hasattr(object.attr("device"), "id")
                     ? nb::cast<int>(object.attr("device").attr("id"))
                     : 0;  // the interface does not say
}

}  // namespace

std::int64_t Array::size() const noexcept {
  std::int64_t elements = 1;
  for (const std::int64_t extent : extents()) elements *= extent;
  return elements;
}

std::string device_text(int device) { return device == Array::host ? "the host" : fmt::format("cuda:{}", device); }

std::string Array::text() const {
  return fmt::format("{}[{}] on {}", type, fmt::join(extents(), ", "), device_text(device));
}

bool read_array(nb::handle object, const Exchange* exchange, Array& array, Views& views) {
  if (exchange != nullptr) {
    read_exchanged(object, *exchange, array);
    return true;
  }
  if (read_ndarray(object, array, views)) return true;
  if (!nb::hasattr(object, "__cuda_array_interface__")) return false;
  read_cuda_interface(object, array);
  return true;
}

nb::dlpack::dtype dlpack_type(std::string_view type) {
  for (const ElementType& one : element_types)
    if (one.name == type) return {static_cast<std::uint8_t>(one.code), one.bits, 1};
  throw UsageError(fmt::format("arrays of {} are not made here: give the array", type));
}

}  // namespace attune::python
