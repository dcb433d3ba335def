// CUDA's vector types for the host device: the same names, members, alignments and make_ functions. Precedes every
// kernel source, after abi.hpp. (`char1` to `char4` hold signed char, as in CUDA.)
#ifndef ATTUNE_HOST_CUDA_VECTORS_HPP
#define ATTUNE_HOST_CUDA_VECTORS_HPP

#include <stddef.h>

namespace attune_host {

// The types that CUDA's memory intrinsics (__ldg and its relatives) read and write. Specialised for each vector below.
template <class T>
inline constexpr bool is_vector = false;

}  // namespace attune_host

// name, element, alignments of the vectors of two and of four elements (one and three: the element's).
#define ATTUNE_HOST_VECTOR_TYPES(X)        \
  X(char, signed char, 2, 4)               \
  X(uchar, unsigned char, 2, 4)            \
  X(short, short, 4, 8)                    \
  X(ushort, unsigned short, 4, 8)          \
  X(int, int, 8, 16)                       \
  X(uint, unsigned int, 8, 16)             \
  X(long, long, 16, 16)                    \
  X(ulong, unsigned long, 16, 16)          \
  X(longlong, long long, 16, 16)           \
  X(ulonglong, unsigned long long, 16, 16) \
  X(float, float, 8, 16)                   \
  X(double, double, 16, 16)

#define ATTUNE_HOST_VECTOR(NAME, T, ALIGN2, ALIGN4)                                    \
  struct NAME##1 {                                                                     \
    T x;                                                                               \
  };                                                                                   \
  struct alignas(ALIGN2) NAME##2 {                                                     \
    T x, y;                                                                            \
  };                                                                                   \
  struct NAME##3 {                                                                     \
    T x, y, z;                                                                         \
  };                                                                                   \
  struct alignas(ALIGN4) NAME##4 {                                                     \
    T x, y, z, w;                                                                      \
  };                                                                                   \
  constexpr inline NAME##1 make_##NAME##1(T x) { return {x}; }                         \
  constexpr inline NAME##2 make_##NAME##2(T x, T y) { return {x, y}; }                 \
  constexpr inline NAME##3 make_##NAME##3(T x, T y, T z) { return {x, y, z}; }         \
  constexpr inline NAME##4 make_##NAME##4(T x, T y, T z, T w) { return {x, y, z, w}; } \
  template <>                                                                          \
  inline constexpr bool attune_host::is_vector<NAME##1> = true;                        \
  template <>                                                                          \
  inline constexpr bool attune_host::is_vector<NAME##2> = true;                        \
  template <>                                                                          \
  inline constexpr bool attune_host::is_vector<NAME##3> = true;                        \
  template <>                                                                          \
  inline constexpr bool attune_host::is_vector<NAME##4> = true;

ATTUNE_HOST_VECTOR_TYPES(ATTUNE_HOST_VECTOR)
#undef ATTUNE_HOST_VECTOR
#undef ATTUNE_HOST_VECTOR_TYPES

// CUDA 13's names for vectors of four 8-byte elements with the alignment spelt out.
#define ATTUNE_HOST_ALIGNED_VECTOR(NAME, T, ALIGN)                                                           \
  struct alignas(ALIGN) NAME##4_##ALIGN##a {                                                                 \
    T x, y, z, w;                                                                                            \
  };                                                                                                         \
  constexpr inline NAME##4_##ALIGN##a make_##NAME##4_##ALIGN##a(T x, T y, T z, T w) { return {x, y, z, w}; } \
  template <>                                                                                                \
  inline constexpr bool attune_host::is_vector<NAME##4_##ALIGN##a> = true;
ATTUNE_HOST_ALIGNED_VECTOR(long, long, 16)
ATTUNE_HOST_ALIGNED_VECTOR(long, long, 32)
ATTUNE_HOST_ALIGNED_VECTOR(ulong, unsigned long, 16)
ATTUNE_HOST_ALIGNED_VECTOR(ulong, unsigned long, 32)
ATTUNE_HOST_ALIGNED_VECTOR(longlong, long long, 16)
ATTUNE_HOST_ALIGNED_VECTOR(longlong, long long, 32)
ATTUNE_HOST_ALIGNED_VECTOR(ulonglong, unsigned long long, 16)
ATTUNE_HOST_ALIGNED_VECTOR(ulonglong, unsigned long long, 32)
ATTUNE_HOST_ALIGNED_VECTOR(double, double, 16)
ATTUNE_HOST_ALIGNED_VECTOR(double, double, 32)
#undef ATTUNE_HOST_ALIGNED_VECTOR

struct dim3 {
  unsigned int x, y, z;
  constexpr dim3(unsigned int vx = 1, unsigned int vy = 1, unsigned int vz = 1) : x(vx), y(vy), z(vz) {}
  constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  constexpr operator uint3() const { return {x, y, z}; }
};

#endif  // ATTUNE_HOST_CUDA_VECTORS_HPP
