// The element types that kernels may use: attune's names, C++ spellings (NVRTC has no int64_t), sizes.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace attune {

enum class TypeClass { boolean, signed_integer, unsigned_integer, floating };

struct TypeInfo {
  std::string_view name;      // "int64", "float4"
  std::string_view spelling;  // "long long", "float4"
  std::string_view element;   // name of the component type; a scalar's own name
  TypeClass type_class;
  unsigned size;  // bytes, components together
  unsigned components = 1;
  double epsilon = 0;  // distance from 1 to the next value; 0 for integers
};

std::span<const TypeInfo> type_table() noexcept;
const TypeInfo* find_type(std::string_view name) noexcept;
// Returns the type with this name. Throws UsageError, which suggests the nearest known name, if there is none.
const TypeInfo& type_named(std::string_view name);

}  // namespace attune
