#include "core/type_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "attune/error.hpp"
#include "core/type_names.hpp"

namespace attune {
namespace {

constexpr double half_epsilon = 0x1p-10, bfloat16_epsilon = 0x1p-7, float_epsilon = 0x1p-23, double_epsilon = 0x1p-52;

constexpr auto boolean = TypeClass::boolean;
constexpr auto integer = TypeClass::signed_integer;
constexpr auto natural = TypeClass::unsigned_integer;
constexpr auto floating = TypeClass::floating;

// No three-component types: their arrays and their vectors differ in alignment. No double4: its alignment differs
// between toolkits.
constexpr std::array types = {
    TypeInfo{"bool", "bool", "bool", boolean, 1},
    TypeInfo{"int8", "signed char", "int8", integer, 1},
    TypeInfo{"int16", "short", "int16", integer, 2},
    TypeInfo{"int32", "int", "int32", integer, 4},
    TypeInfo{"int64", "long long", "int64", integer, 8},
    TypeInfo{"uint8", "unsigned char", "uint8", natural, 1},
    TypeInfo{"uint16", "unsigned short", "uint16", natural, 2},
    TypeInfo{"uint32", "unsigned int", "uint32", natural, 4},
    TypeInfo{"uint64", "unsigned long long", "uint64", natural, 8},
    TypeInfo{"float", "float", "float", floating, 4, 1, float_epsilon},
    TypeInfo{"double", "double", "double", floating, 8, 1, double_epsilon},
    TypeInfo{"half", "__half", "half", floating, 2, 1, half_epsilon},
    TypeInfo{"bfloat16", "__nv_bfloat16", "bfloat16", floating, 2, 1, bfloat16_epsilon},
    TypeInfo{"float2", "float2", "float", floating, 8, 2, float_epsilon},
    TypeInfo{"float4", "float4", "float", floating, 16, 4, float_epsilon},
    TypeInfo{"double2", "double2", "double", floating, 16, 2, double_epsilon},
    TypeInfo{"int2", "int2", "int32", integer, 8, 2},
    TypeInfo{"int4", "int4", "int32", integer, 16, 4},
    TypeInfo{"uint2", "uint2", "uint32", natural, 8, 2},
    TypeInfo{"uint4", "uint4", "uint32", natural, 16, 4},
    TypeInfo{"half2", "__half2", "half", floating, 4, 2, half_epsilon},
    TypeInfo{"bfloat162", "__nv_bfloat162", "bfloat16", floating, 4, 2, bfloat16_epsilon},
};

}  // namespace

std::span<const TypeInfo> type_table() noexcept { return types; }

const TypeInfo* find_type(std::string_view name) noexcept {
  const auto found = std::find_if(types.begin(), types.end(), [&](const TypeInfo& type) { return type.name == name; });
  return found == types.end() ? nullptr : &*found;
}

const TypeInfo& type_named(std::string_view name) {
  if (const auto* type = find_type(name)) return *type;
  throw UsageError(fmt::format("unknown type `{}`{}", name, type_suggestion(name)));
}

}  // namespace attune
