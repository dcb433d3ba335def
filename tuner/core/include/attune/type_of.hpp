// TypeOf<T>::name: attune's name of a C++ element type. Specialise it for a type of your own that has the layout of a
// known type. CUDA's types are declared forward, so that no toolkit header is needed.
#pragma once

#include <string_view>
#include <type_traits>

struct __half;
struct __nv_bfloat16;
struct float2;
struct float4;
struct double2;
struct int2;
struct int4;
struct uint2;
struct uint4;
struct __half2;
struct __nv_bfloat162;

namespace attune {

template <typename T>
struct TypeOf {
  static_assert(std::is_integral_v<T>, "no attune type name for this element type: specialise attune::TypeOf");
  static constexpr std::string_view names[2][4] = {{"uint8", "uint16", "uint32", "uint64"},
                                                   {"int8", "int16", "int32", "int64"}};
  static constexpr std::string_view name = names[std::is_signed_v<T>][sizeof(T) == 1   ? 0
                                                                      : sizeof(T) == 2 ? 1
                                                                      : sizeof(T) == 4 ? 2
                                                                                       : 3];
};
template <>
struct TypeOf<bool> {
  static constexpr std::string_view name = "bool";
};
template <>
struct TypeOf<float> {
  static constexpr std::string_view name = "float";
};
template <>
struct TypeOf<double> {
  static constexpr std::string_view name = "double";
};
template <>
struct TypeOf<__half> {
  static constexpr std::string_view name = "half";
};
template <>
struct TypeOf<__nv_bfloat16> {
  static constexpr std::string_view name = "bfloat16";
};
template <>
struct TypeOf<float2> {
  static constexpr std::string_view name = "float2";
};
template <>
struct TypeOf<float4> {
  static constexpr std::string_view name = "float4";
};
template <>
struct TypeOf<double2> {
  static constexpr std::string_view name = "double2";
};
template <>
struct TypeOf<int2> {
  static constexpr std::string_view name = "int2";
};
template <>
struct TypeOf<int4> {
  static constexpr std::string_view name = "int4";
};
template <>
struct TypeOf<uint2> {
  static constexpr std::string_view name = "uint2";
};
template <>
struct TypeOf<uint4> {
  static constexpr std::string_view name = "uint4";
};
template <>
struct TypeOf<__half2> {
  static constexpr std::string_view name = "half2";
};
template <>
struct TypeOf<__nv_bfloat162> {
  static constexpr std::string_view name = "bfloat162";
};

}  // namespace attune
