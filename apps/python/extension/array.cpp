#include "array.hpp"

#include <fmt/format.h>

#include <charconv>

#include "attune/error.hpp"

namespace nb = nanobind;

namespace attune::python {
namespace {

using Code = nb::dlpack::dtype_code;

std::string_view type_name(const nb::dlpack::dtype& type) {
  if (type.lanes != 1) return {};
  switch (static_cast<Code>(type.code)) {
    case Code::Int: return type.bits == 8 ? "int8" : type.bits == 16 ? "int16" : type.bits == 32 ? "int32" : "int64";
    case Code::UInt: return type.bits == 8 ? "uint8" : type.bits == 16 ? "uint16" : type.bits == 32 ? "uint32" : "uint64";
    case Code::Float: return type.bits == 16 ? "half" : type.bits == 32 ? "float" : "double";
    case Code::Bfloat: return "bfloat16";
    case Code::Bool: return "bool";
    case Code::Complex: return type.bits == 64 ? "float2" : "double2";
    default: return {};
  }
}

Array without_copy(const nb::ndarray<nb::ro>& from, bool is_read_only) {
  Array array;
  array.type = type_name(from.dtype());
  if (array.type.empty())
    throw UsageError(fmt::format("attune knows no element type of DLPack code {} and {} bits", from.dtype().code,
                                 from.dtype().bits));
  if (from.ndim() > Array::most_dimensions)
    throw UsageError(fmt::format("an array has {} dimensions; {} at most are known", from.ndim(), Array::most_dimensions));
  array.data = const_cast<void*>(from.data());
  array.dimensions = static_cast<int>(from.ndim());
  std::int64_t dense = 1;
  for (int i = array.dimensions - 1; i >= 0; --i) {
    array.shape[static_cast<std::size_t>(i)] = from.shape(static_cast<std::size_t>(i));
    if (from.shape(static_cast<std::size_t>(i)) != 1 && from.stride(static_cast<std::size_t>(i)) != dense)
      array.is_dense = false;
    dense *= from.shape(static_cast<std::size_t>(i));
  }
  array.device = from.device_type() == nb::device::cpu::value ? Array::host : from.device_id();
  array.is_read_only = is_read_only;
  return array;
}

// The element types of a typestr of NumPy's array interface, such as "<f4".
std::string_view type_of_string(std::string_view text) {
  if (text.size() < 3 || text[0] == '>') return {};
  const std::string_view kind = text.substr(1);
  for (const auto& [name, known] : {std::pair{"f2", "half"}, {"f4", "float"}, {"f8", "double"}, {"i1", "int8"},
                                    {"i2", "int16"}, {"i4", "int32"}, {"i8", "int64"}, {"u1", "uint8"},
                                    {"u2", "uint16"}, {"u4", "uint32"}, {"u8", "uint64"}, {"b1", "bool"},
                                    {"c8", "float2"}, {"c16", "double2"}})
    if (kind == name) return known;
  return {};
}

Array of_cuda_interface(const nb::dict& interface) {
  Array array;
  const auto text = nb::cast<std::string>(interface["typestr"]);
  array.type = type_of_string(text);
  if (array.type.empty()) throw UsageError("attune knows no element type `" + text + "`");
  const auto shape = nb::cast<nb::tuple>(interface["shape"]);
  if (shape.size() > Array::most_dimensions)
    throw UsageError(fmt::format("an array has {} dimensions; {} at most are known", shape.size(), Array::most_dimensions));
  for (nb::handle extent : shape)
    array.shape[static_cast<std::size_t>(array.dimensions++)] = nb::cast<std::int64_t>(extent);
  const auto data = nb::cast<nb::tuple>(interface["data"]);
  array.data = reinterpret_cast<void*>(nb::cast<std::uintptr_t>(data[0]));
  array.is_read_only = nb::cast<bool>(data[1]);
  array.is_dense = !interface.contains("strides") || interface["strides"].is_none();
  array.device = 0;  // the interface does not say; the dispatcher checks the pointer
  return array;
}

}  // namespace

std::int64_t Array::size() const noexcept {
  std::int64_t elements = 1;
  for (const std::int64_t extent : extents()) elements *= extent;
  return elements;
}

std::string Array::text() const {
  return fmt::format("{}[{}] on {}", type, fmt::join(extents(), ", "),
                     device == host ? "the host" : fmt::format("cuda:{}", device));
}

std::optional<Array> array_of(nb::handle object) {
  nb::ndarray<nb::ro> read_only;
  if (nb::try_cast(object, read_only)) {
    nb::ndarray<> writable;
    const bool is_read_only = !nb::try_cast(object, writable);
    Array array = without_copy(read_only, is_read_only);
    array.owner = nb::borrow(object);
    return array;
  }
  if (!nb::hasattr(object, "__cuda_array_interface__")) return std::nullopt;
  Array array = of_cuda_interface(nb::cast<nb::dict>(object.attr("__cuda_array_interface__")));
  array.owner = nb::borrow(object);
  return array;
}

}  // namespace attune::python
