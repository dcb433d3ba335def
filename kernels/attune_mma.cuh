// Products of small matrices that a warp computes as one (mma.sync), and copies between shared memory and the registers
// of such products (ldmatrix, stmatrix). PTX on GPUs. On the host device lanes hand each other their registers. Every
// sum is rounded at every product there, so that last bits may differ.
//
//   mma_8x8x4, mma_16x8x4, mma_16x8x8, mma_16x8x16      double; sm_80
//   mma_16x8x16<T>                                      half or bfloat16, with sums of float; sm_80
//   load_matrices, load_matrices_transposed             8 x 8 elements of 16 bits, 1, 2 or 4 at a time; sm_75
//   store_matrices, store_matrices_transposed           likewise; sm_90
//
// Below its architecture a function compiles and traps: a rule such as
// `UNIT != 'Unit::tensor' || device.compute_capability >= 80 || device.kind == 'host'` leaves such values out.
//
// All 32 lanes of a warp call a function together. Each holds a fragment of every matrix, some of its elements. Below,
// g = lane / 4 and t = lane % 4.
#pragma once

#include "attune.cuh"

namespace attune {

namespace detail {

template <typename T>
inline constexpr bool is_half = false;
template <typename T>
inline constexpr bool is_bfloat16 = false;
#ifdef ATTUNE_HAS_HALF
template <>
inline constexpr bool is_half<__half> = true;
#endif
#ifdef ATTUNE_HAS_BFLOAT16
template <>
inline constexpr bool is_bfloat16<__nv_bfloat16> = true;
#endif

#ifdef ATTUNE_HOST
// The registers of all lanes.
template <typename Register, int N>
struct Warp {
  Register of[N][32];
  Warp(const Register (&own)[N], const char* name) {
    for (int i = 0; i < N; ++i) {
      const ::attune_host::Meeting meeting(0xffffffffu, ::attune_host::to_word(own[i]), name);
      for (int lane = 0; lane < 32; ++lane) of[i][lane] = ::attune_host::bits_to<Register>(meeting.values[lane]);
    }
  }
};

template <int M, int K>
void mma_on_host(double (&sums)[M / 4], const double (&a)[M * K / 32], const double (&b)[K / 4]) {
  const Warp<double, M * K / 32> of_a(a, "mma.sync");
  const Warp<double, K / 4> of_b(b, "mma.sync");
  const int lane = static_cast<int>(::attune_host::lane());
  for (int i = 0; i < M / 4; ++i) {
    const int row = lane / 4 + i / 2 * 8, column = lane % 4 * 2 + i % 2;
    for (int k = 0; k < K; ++k)
      sums[i] = fma(of_a.of[k / 4 * (M / 8) + row / 8][row % 8 * 4 + k % 4], of_b.of[k / 4][column * 4 + k % 4], sums[i]);
  }
}

template <typename T>
float element_of_word(unsigned word, int i) {
  return static_cast<float>(::attune_host::bits_to<T>(static_cast<unsigned short>(word >> (16 * i))));
}

template <typename T>
void mma_on_host(float (&sums)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
  const Warp<unsigned, 4> of_a(a, "mma.sync");
  const Warp<unsigned, 2> of_b(b, "mma.sync");
  const int lane = static_cast<int>(::attune_host::lane());
  for (int i = 0; i < 4; ++i) {
    const int row = lane / 4 + i / 2 * 8, column = lane % 4 * 2 + i % 2;
    for (int k = 0; k < 16; ++k)
      sums[i] += element_of_word<T>(of_a.of[k / 8 * 2 + row / 8][row % 8 * 4 + k % 8 / 2], k % 2) *
                 element_of_word<T>(of_b.of[k / 8][column * 4 + k % 8 / 2], k % 2);
  }
}

// Calls use(i, part, element) for the elements of this lane: the two parts of its word of each matrix i. Lane 8 i + r
// says where row r of matrix i is.
template <bool TRANSPOSED, int N, typename Element, class Use>
void for_each_in_matrices(Element* row, const char* name, Use use) {
  const unsigned long long own[1] = {reinterpret_cast<unsigned long long>(row)};
  const Warp<unsigned long long, 1> rows(own, name);
  const int lane = static_cast<int>(::attune_host::lane()), g = lane / 4, t = lane % 4;
  for (int i = 0; i < N; ++i)
    for (int part = 0; part < 2; ++part) {
      const unsigned long long from = rows.of[0][8 * i + (TRANSPOSED ? 2 * t + part : g)];
      if (from % 16 != 0) ::attune_host::fault("a row of a matrix in shared memory is not aligned to 16 bytes");
      use(i, part, reinterpret_cast<Element*>(from)[TRANSPOSED ? g : 2 * t + part]);
    }
}
#endif

template <bool TRANSPOSED, int N>
__device__ __forceinline__ void load_matrices(unsigned (&words)[N], const void* row) {
  static_assert(N == 1 || N == 2 || N == 4, "ldmatrix loads 1, 2 or 4 matrices");
#ifdef ATTUNE_HOST
  for (unsigned& word : words) word = 0;
  for_each_in_matrices<TRANSPOSED, N>(
      static_cast<const unsigned short*>(row), "ldmatrix",
      [&](int i, int part, const unsigned short& element) { words[i] |= static_cast<unsigned>(element) << (16 * part); });
  ::attune_host::Meeting(0xffffffffu, 0, "ldmatrix");  // all have read
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 750
  const unsigned from = static_cast<unsigned>(__cvta_generic_to_shared(row));
#define ATTUNE_LOAD_MATRICES(COUNT, TRANS, PLACES, FROM, ...) \
  asm volatile("ldmatrix.sync.aligned.m8n8." COUNT TRANS ".shared.b16 {" PLACES "}, [" FROM "];" \
               : __VA_ARGS__                                                                      \
               : "r"(from)                                                                        \
               : "memory")
  if constexpr (N == 1) {
    if constexpr (TRANSPOSED) {
      ATTUNE_LOAD_MATRICES("x1", ".trans", "%0", "%1", "=r"(words[0]));
    } else {
      ATTUNE_LOAD_MATRICES("x1", "", "%0", "%1", "=r"(words[0]));
    }
  } else if constexpr (N == 2) {
    if constexpr (TRANSPOSED) {
      ATTUNE_LOAD_MATRICES("x2", ".trans", "%0, %1", "%2", "=r"(words[0]), "=r"(words[1]));
    } else {
      ATTUNE_LOAD_MATRICES("x2", "", "%0, %1", "%2", "=r"(words[0]), "=r"(words[1]));
    }
  } else {
    if constexpr (TRANSPOSED) {
      ATTUNE_LOAD_MATRICES("x4", ".trans", "%0, %1, %2, %3", "%4", "=r"(words[0]), "=r"(words[1]), "=r"(words[2]),
                           "=r"(words[3]));
    } else {
      ATTUNE_LOAD_MATRICES("x4", "", "%0, %1, %2, %3", "%4", "=r"(words[0]), "=r"(words[1]), "=r"(words[2]),
                           "=r"(words[3]));
    }
  }
#undef ATTUNE_LOAD_MATRICES
#elif defined(__CUDA_ARCH__)
  __trap();
#endif
}

template <bool TRANSPOSED, int N>
__device__ __forceinline__ void store_matrices(void* row, const unsigned (&words)[N]) {
  static_assert(N == 1 || N == 2 || N == 4, "stmatrix stores 1, 2 or 4 matrices");
#ifdef ATTUNE_HOST
  for_each_in_matrices<TRANSPOSED, N>(
      static_cast<unsigned short*>(row), "stmatrix",
      [&](int i, int part, unsigned short& element) { element = static_cast<unsigned short>(words[i] >> (16 * part)); });
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(row));
#define ATTUNE_STORE_MATRICES(COUNT, TRANS, PLACES, ...)                                                          \
  asm volatile("stmatrix.sync.aligned.m8n8." COUNT TRANS ".shared.b16 [%0], {" PLACES "};" ::"r"(to), __VA_ARGS__ \
               : "memory")
  if constexpr (N == 1) {
    if constexpr (TRANSPOSED) {
      ATTUNE_STORE_MATRICES("x1", ".trans", "%1", "r"(words[0]));
    } else {
      ATTUNE_STORE_MATRICES("x1", "", "%1", "r"(words[0]));
    }
  } else if constexpr (N == 2) {
    if constexpr (TRANSPOSED) {
      ATTUNE_STORE_MATRICES("x2", ".trans", "%1, %2", "r"(words[0]), "r"(words[1]));
    } else {
      ATTUNE_STORE_MATRICES("x2", "", "%1, %2", "r"(words[0]), "r"(words[1]));
    }
  } else {
    if constexpr (TRANSPOSED) {
      ATTUNE_STORE_MATRICES("x4", ".trans", "%1, %2, %3, %4", "r"(words[0]), "r"(words[1]), "r"(words[2]), "r"(words[3]));
    } else {
      ATTUNE_STORE_MATRICES("x4", "", "%1, %2, %3, %4", "r"(words[0]), "r"(words[1]), "r"(words[2]), "r"(words[3]));
    }
  }
#undef ATTUNE_STORE_MATRICES
#elif defined(__CUDA_ARCH__)
  __trap();
#endif
}

}  // namespace detail

// ---- Products of double: sums += a * b ----
//
//          a: 8 x 4             b: 4 x 8                sums: 8 x 8
//
//      k  0    1    2    3    column  0   1  ..  7    column  0    1    2    3  ..  6    7
//   row                      k                      row
//    0   t=0  t=1  t=2  t=3  0  t=0 g=0  1  ..  7    0   t=0  t=0  t=1  t=1  .. t=3  t=3   g=0
//    1   g=1, likewise       1  t=1                  1   likewise                          g=1
//   ..                       2  t=2                  ..
//    7   g=7                 3  t=3                  7                                     g=7
//
// A lane has a(g, t), b(t, g), and the sums (g, 2 t) and (g, 2 t + 1). The larger products have more of the same:
//
//   16 rows    a(g, t), a(g + 8, t);  the sums (g, 2 t), (g, 2 t + 1), (g + 8, 2 t), (g + 8, 2 t + 1)
//   K = 8, 16  a of k = t, then of t + 4, t + 8, ...: a[2 q + h] is a(g + 8 h, t + 4 q), and b[q] is b(t + 4 q, g)
//
// Sums do not depend on which k is which. A kernel may permute k, for both matrices alike.

__device__ __forceinline__ void mma_8x8x4(double (&sums)[2], const double (&a)[1], const double (&b)[1]) {
#ifdef ATTUNE_HOST
  detail::mma_on_host<8, 4>(sums, a, b);
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
               : "+d"(sums[0]), "+d"(sums[1])
               : "d"(a[0]), "d"(b[0]));
#elif defined(__CUDA_ARCH__)
  __trap();
#endif
}

namespace detail {

// What GPUs before sm_90 do instead of the products of 16 rows: it takes the same registers.
template <int K>
__device__ __forceinline__ void mma_by_8x8x4(double (&sums)[4], const double (&a)[K / 2], const double (&b)[K / 4]) {
#pragma unroll
  for (int q = 0; q < K / 4; ++q)
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      double half[2] = {sums[2 * h], sums[2 * h + 1]};
      mma_8x8x4(half, {a[2 * q + h]}, {b[q]});
      sums[2 * h] = half[0];
      sums[2 * h + 1] = half[1];
    }
}

}  // namespace detail

__device__ __forceinline__ void mma_16x8x4(double (&sums)[4], const double (&a)[2], const double (&b)[1]) {
#ifdef ATTUNE_HOST
  detail::mma_on_host<16, 4>(sums, a, b);
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile(
      "mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
      : "+d"(sums[0]), "+d"(sums[1]), "+d"(sums[2]), "+d"(sums[3])
      : "d"(a[0]), "d"(a[1]), "d"(b[0]));
#else
  detail::mma_by_8x8x4<4>(sums, a, b);
#endif
}

__device__ __forceinline__ void mma_16x8x8(double (&sums)[4], const double (&a)[4], const double (&b)[2]) {
#ifdef ATTUNE_HOST
  detail::mma_on_host<16, 8>(sums, a, b);
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};"
      : "+d"(sums[0]), "+d"(sums[1]), "+d"(sums[2]), "+d"(sums[3])
      : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b[0]), "d"(b[1]));
#else
  detail::mma_by_8x8x4<8>(sums, a, b);
#endif
}

__device__ __forceinline__ void mma_16x8x16(double (&sums)[4], const double (&a)[8], const double (&b)[4]) {
#ifdef ATTUNE_HOST
  detail::mma_on_host<16, 16>(sums, a, b);
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7, %8, %9, %10, %11}, "
      "{%12, %13, %14, %15}, {%0, %1, %2, %3};"
      : "+d"(sums[0]), "+d"(sums[1]), "+d"(sums[2]), "+d"(sums[3])
      : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(a[4]), "d"(a[5]), "d"(a[6]), "d"(a[7]), "d"(b[0]), "d"(b[1]),
        "d"(b[2]), "d"(b[3]));
#else
  detail::mma_by_8x8x4<16>(sums, a, b);
#endif
}

// ---- Products of half or bfloat16, sums of float: sums += a * b ----
//
// A word holds two elements, the first in its low half. Words of four lanes are 8 neighbours along k:
//
//             a: 16 x 16                       b: 16 x 8                         sums: 16 x 8
//
//         k  0 1 .. 6 7  8 9 .. 14 15     column  0   ..  7             column  0    1   ..  6    7
//   row     t=0 .. t=3  t=0 ..  t=3       k                           row
//   0..7     a[0], g      a[2], g         0..7    b[0], k = 2 t + part   0..7  sums[0] sums[1] of t = 0 .. 3, g
//   8..15    a[1], g      a[3], g         8..15   b[1]                   8..15 sums[2] sums[3]
//                                                 g=0 .. g=7
//
//   a[i]      (g + 8 (i % 2), 2 t + 8 (i / 2)), and its right neighbour
//   b[i]      (2 t + 8 i, g), and the one below it
//   sums[i]   (g + 8 (i / 2), 2 t + i % 2), as with double
//
// So load_matrices() of the four quarters of a, which has k innermost, gives a[0] to a[3]: row r of a, k = 0 to 7, for
// the lanes r = 0 to 15, and k = 8 to 15 for the others. Of b with k innermost it gives b[0] and b[1] likewise; of b
// with columns innermost load_matrices_transposed() does.

template <typename T>
__device__ __forceinline__ void mma_16x8x16(float (&sums)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
  static_assert(detail::is_half<T> || detail::is_bfloat16<T>, "elements of these products are half or bfloat16");
#ifdef ATTUNE_HOST
  detail::mma_on_host<T>(sums, a, b);
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
#define ATTUNE_MMA(T)                                                                                          \
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32." T "." T                                                \
               ".f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"                           \
               : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])                                     \
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]))
  if constexpr (detail::is_half<T>) {
    ATTUNE_MMA("f16");
  } else {
    ATTUNE_MMA("bf16");
  }
#undef ATTUNE_MMA
#elif defined(__CUDA_ARCH__)
  __trap();
#endif
}

// ---- Matrices of 8 x 8 elements of 16 bits in shared memory ----
//
//   column   0   1    2   3    4   5    6   7
//   row g   ( t=0 )  ( t=1 )  ( t=2 )  ( t=3 )      words[i] of lane 4 g + t, of matrix i
//
// A row lies in one piece of 16 bytes, aligned to 16. Lane 8 i + r passes the address of row r of matrix i; those of
// lanes from 8 N on do not count. Transposed, words[i] holds the elements (2 t, g) and (2 t + 1, g).

/// Loads N (1, 2 or 4) matrices: the elements (g, 2 t) and (g, 2 t + 1) of each.
/// Behind __syncwarp() if lanes wrote them.
template <int N>
__device__ __forceinline__ void load_matrices(unsigned (&words)[N], const void* row) {
  detail::load_matrices<false>(words, row);
}
/// Loads the elements (2 t, g) and (2 t + 1, g) of each.
template <int N>
__device__ __forceinline__ void load_matrices_transposed(unsigned (&words)[N], const void* row) {
  detail::load_matrices<true>(words, row);
}

/// Stores N (1, 2 or 4) matrices. Other lanes may read them behind __syncwarp().
template <int N>
__device__ __forceinline__ void store_matrices(void* row, const unsigned (&words)[N]) {
  detail::store_matrices<false>(row, words);
}
template <int N>
__device__ __forceinline__ void store_matrices_transposed(void* row, const unsigned (&words)[N]) {
  detail::store_matrices<true>(row, words);
}

}  // namespace attune
