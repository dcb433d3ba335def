// Matrix products by warpgroups (wgmma), and what goes with them: registers that warps hand to each other, loads that
// reach all blocks of a cluster, barriers of other blocks. PTX of sm_90a; such configurations say
// `requires = "sm_90a if ..."`. On the host device a product is computed from the same places in shared memory, and a
// cluster is one block.
//
//   wgmma, fence_wgmma, commit_wgmma, wait_for_wgmma    d += a * b of a warpgroup: 128 threads, warps 4 i to 4 i + 3
//   give_registers, take_registers                      setmaxnreg
//   load_tensor_to_all                                  a box into the shared memory of several blocks
//   arrive_at                                           an arrival at the barrier of another block
#pragma once

#include "attune_async.cuh"
#include "attune_launch.cuh"

namespace attune {

// ---- Products ----
//
// a: 64 rows of 16 elements of 2 bytes, b: N rows of 16. Both lie in shared memory as load_tensor() leaves boxes that are
// 64 elements (128 bytes) wide with a swizzle of 128: row r begins 128 r bytes after the box, which is aligned to 1,024.
// `a` and `b` point to the first of the 16 elements in row 0, as if nothing were swizzled: box + 16 i, i = 0 to 3.
//
// d is 64 x N floats, spread over the threads t = 0 to 127 of the warpgroup:
//
//              column 8 j + 2 (t % 4)   8 j + 2 (t % 4) + 1
//   row r      d[j][0]                  d[j][1]                where r = 16 (t / 32) + (t % 32) / 4
//   row r + 8  d[j][2]                  d[j][3]

/// Orders what this thread did to d and shared memory before the products that follow.
__device__ __forceinline__ void fence_wgmma() {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#endif
}

/// Ends a group: the products of this warpgroup since the last group.
__device__ __forceinline__ void commit_wgmma() {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
#endif
}

/// Waits until at most PENDING groups, the latest, are under way: d of the others is there, and their shared memory free.
template <int PENDING>
__device__ __forceinline__ void wait_for_wgmma() {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(PENDING) : "memory");
#endif
}

namespace detail {

#ifdef ATTUNE_HOST
// The element `i` places from `from` in a box with a swizzle of 128, in row `row`.
template <typename T>
T element_of_box(const T* from, int row, int i) {
  const unsigned long long place = reinterpret_cast<unsigned long long>(from) + row * 128ull + i * sizeof(T);
  return *reinterpret_cast<const T*>(place ^ ((place >> 3) & 112));
}
#elif defined(__CUDA_ARCH_FEAT_SM90_ALL)
// A matrix descriptor: address and the distance of groups of eight rows (1,024 bytes) in units of 16 bytes, swizzle 128.
__device__ __forceinline__ unsigned long long matrix_in_shared(const void* from) {
  return static_cast<unsigned long long>((shared_address(from) & 0x3ffff) >> 4) | 1ull << 16 | 64ull << 32 | 1ull << 62;
}

template <typename T>
struct WgmmaOf;
// The instruction has its registers in its text: a function for each number of columns.
#define ATTUNE_ROW(d) "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
#define ATTUNE_WGMMA(ELEMENT, TYPE)                                                                                    \
template <>                                                                                                            \
struct WgmmaOf<ELEMENT> {                                                                                              \
  static __device__ __forceinline__ void multiply(float (&d)[8][4], unsigned long long a, unsigned long long b,        \
                                                  int adds) {                                                          \
    asm volatile(                                                                                                      \
        "{\n.reg .pred add;\nsetp.ne.b32 add, %34, 0;\n"                                                               \
        "wgmma.mma_async.sync.aligned.m64n64k16.f32." TYPE "." TYPE " {"                                               \
        "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "                                       \
        "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"                               \
        "}, %32, %33, add, 1, 1, 0, 0;\n}"                                                                             \
        : ATTUNE_ROW(d[0]), ATTUNE_ROW(d[1]), ATTUNE_ROW(d[2]), ATTUNE_ROW(d[3]), ATTUNE_ROW(d[4]),                    \
          ATTUNE_ROW(d[5]), ATTUNE_ROW(d[6]), ATTUNE_ROW(d[7])                                                         \
        : "l"(a), "l"(b), "r"(adds));                                                                                  \
  }                                                                                                                    \
  static __device__ __forceinline__ void multiply(float (&d)[16][4], unsigned long long a, unsigned long long b,       \
                                                  int adds) {                                                          \
    asm volatile(                                                                                                      \
        "{\n.reg .pred add;\nsetp.ne.b32 add, %66, 0;\n"                                                               \
        "wgmma.mma_async.sync.aligned.m64n128k16.f32." TYPE "." TYPE " {"                                              \
        "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "                                       \
        "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "                             \
        "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "                             \
        "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"                               \
        "}, %64, %65, add, 1, 1, 0, 0;\n}"                                                                             \
        : ATTUNE_ROW(d[0]), ATTUNE_ROW(d[1]), ATTUNE_ROW(d[2]), ATTUNE_ROW(d[3]), ATTUNE_ROW(d[4]),                    \
          ATTUNE_ROW(d[5]), ATTUNE_ROW(d[6]), ATTUNE_ROW(d[7]), ATTUNE_ROW(d[8]), ATTUNE_ROW(d[9]),                    \
          ATTUNE_ROW(d[10]), ATTUNE_ROW(d[11]), ATTUNE_ROW(d[12]), ATTUNE_ROW(d[13]), ATTUNE_ROW(d[14]),               \
          ATTUNE_ROW(d[15])                                                                                            \
        : "l"(a), "l"(b), "r"(adds));                                                                                  \
  }                                                                                                                    \
  static __device__ __forceinline__ void multiply(float (&d)[24][4], unsigned long long a, unsigned long long b,       \
                                                  int adds) {                                                          \
    asm volatile(                                                                                                      \
        "{\n.reg .pred add;\nsetp.ne.b32 add, %98, 0;\n"                                                               \
        "wgmma.mma_async.sync.aligned.m64n192k16.f32." TYPE "." TYPE " {"                                              \
        "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "                                       \
        "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "                             \
        "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "                             \
        "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, "                             \
        "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "                             \
        "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95"                               \
        "}, %96, %97, add, 1, 1, 0, 0;\n}"                                                                             \
        : ATTUNE_ROW(d[0]), ATTUNE_ROW(d[1]), ATTUNE_ROW(d[2]), ATTUNE_ROW(d[3]), ATTUNE_ROW(d[4]),                    \
          ATTUNE_ROW(d[5]), ATTUNE_ROW(d[6]), ATTUNE_ROW(d[7]), ATTUNE_ROW(d[8]), ATTUNE_ROW(d[9]),                    \
          ATTUNE_ROW(d[10]), ATTUNE_ROW(d[11]), ATTUNE_ROW(d[12]), ATTUNE_ROW(d[13]), ATTUNE_ROW(d[14]),               \
          ATTUNE_ROW(d[15]), ATTUNE_ROW(d[16]), ATTUNE_ROW(d[17]), ATTUNE_ROW(d[18]), ATTUNE_ROW(d[19]),               \
          ATTUNE_ROW(d[20]), ATTUNE_ROW(d[21]), ATTUNE_ROW(d[22]), ATTUNE_ROW(d[23])                                   \
        : "l"(a), "l"(b), "r"(adds));                                                                                  \
  }                                                                                                                    \
  static __device__ __forceinline__ void multiply(float (&d)[32][4], unsigned long long a, unsigned long long b,       \
                                                  int adds) {                                                          \
    asm volatile(                                                                                                      \
        "{\n.reg .pred add;\nsetp.ne.b32 add, %130, 0;\n"                                                              \
        "wgmma.mma_async.sync.aligned.m64n256k16.f32." TYPE "." TYPE " {"                                              \
        "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "                                       \
        "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "                             \
        "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "                             \
        "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, "                             \
        "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "                             \
        "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, "                             \
        "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, "                 \
        "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"               \
        "}, %128, %129, add, 1, 1, 0, 0;\n}"                                                                           \
        : ATTUNE_ROW(d[0]), ATTUNE_ROW(d[1]), ATTUNE_ROW(d[2]), ATTUNE_ROW(d[3]), ATTUNE_ROW(d[4]),                    \
          ATTUNE_ROW(d[5]), ATTUNE_ROW(d[6]), ATTUNE_ROW(d[7]), ATTUNE_ROW(d[8]), ATTUNE_ROW(d[9]),                    \
          ATTUNE_ROW(d[10]), ATTUNE_ROW(d[11]), ATTUNE_ROW(d[12]), ATTUNE_ROW(d[13]), ATTUNE_ROW(d[14]),               \
          ATTUNE_ROW(d[15]), ATTUNE_ROW(d[16]), ATTUNE_ROW(d[17]), ATTUNE_ROW(d[18]), ATTUNE_ROW(d[19]),               \
          ATTUNE_ROW(d[20]), ATTUNE_ROW(d[21]), ATTUNE_ROW(d[22]), ATTUNE_ROW(d[23]), ATTUNE_ROW(d[24]),               \
          ATTUNE_ROW(d[25]), ATTUNE_ROW(d[26]), ATTUNE_ROW(d[27]), ATTUNE_ROW(d[28]), ATTUNE_ROW(d[29]),               \
          ATTUNE_ROW(d[30]), ATTUNE_ROW(d[31])                                                                         \
        : "l"(a), "l"(b), "r"(adds));                                                                                  \
  }                                                                                                                    \
};
#ifdef ATTUNE_HAS_BFLOAT16
ATTUNE_WGMMA(__nv_bfloat16, "bf16")
#endif
#ifdef ATTUNE_HAS_HALF
ATTUNE_WGMMA(__half, "f16")
#endif
#undef ATTUNE_WGMMA
#undef ATTUNE_ROW
#endif

}  // namespace detail

/// Adds the product to d, or sets d to it where `adds` is false. The warpgroup calls it together, after fence_wgmma(); d is
/// there after commit_wgmma() and wait_for_wgmma(). N is 64, 128, 192 or 256; T is __nv_bfloat16 or __half.
template <int N, typename T>
__device__ __forceinline__ void wgmma(float (&d)[N / 8][4], const T* a, const T* b, bool adds) {
  static_assert(N == 64 || N == 128 || N == 192 || N == 256, "wgmma has 64, 128, 192 or 256 columns here");
#ifdef ATTUNE_HOST
  const int thread = threadIdx.x % 128, row = thread / 32 * 16 + thread % 32 / 4, column = thread % 4 * 2;
  for (int j = 0; j < N / 8; ++j)
    for (int e = 0; e < 4; ++e) {
      float sum = adds ? d[j][e] : 0;
      for (int i = 0; i < 16; ++i)
        sum += static_cast<float>(detail::element_of_box(a, row + e / 2 * 8, i)) *
               static_cast<float>(detail::element_of_box(b, 8 * j + column + e % 2, i));
      d[j][e] = sum;
    }
#elif defined(__CUDA_ARCH_FEAT_SM90_ALL)
  detail::WgmmaOf<T>::multiply(d, detail::matrix_in_shared(a), detail::matrix_in_shared(b), adds);
#elif defined(__CUDA_ARCH__)
  __trap();
#endif
}

// ---- Registers ----

/// Keeps REGISTERS (a multiple of 8, 24 to 240) of each thread and frees the others. The warpgroup calls it together.
template <int REGISTERS>
__device__ __forceinline__ void give_registers() {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(REGISTERS));
#endif
}

/// Waits until each thread can have REGISTERS, and takes them. The warpgroup calls it together.
template <int REGISTERS>
__device__ __forceinline__ void take_registers() {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(REGISTERS));
#endif
}

// ---- Clusters ----

/// As load_tensor() of two dimensions, into the same place in each block of the cluster whose bit in `blocks` is set. Its
/// bytes are counted at `barrier` in each of them.
__device__ __forceinline__ void load_tensor_to_all(void* shared_to, const TensorMap& map, Barrier& barrier, unsigned blocks,
                                                   int x, int y) {
#ifdef ATTUNE_HOST
  load_tensor(shared_to, map, barrier, x, y);
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster "
      "[%0], [%1, {%4, %5}], [%2], %3;" ::"r"(detail::shared_address(shared_to)),
      "l"(&map), "r"(detail::shared_address(&barrier)), "h"(static_cast<unsigned short>(blocks)), "r"(x), "r"(y)
      : "memory");
#elif defined(__CUDA_ARCH__)
  __trap();
#endif
}

/// Arrives at the barrier that the block of this rank has in the place of `barrier`.
__device__ __forceinline__ void arrive_at(Barrier& barrier, unsigned rank) {
#ifdef ATTUNE_HOST
  arrive(barrier);
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile(
      "{\n.reg .b32 there;\nmapa.shared::cluster.u32 there, %0, %1;\n"
      "mbarrier.arrive.shared::cluster.b64 _, [there];\n}" ::"r"(detail::shared_address(&barrier)),
      "r"(rank)
      : "memory");
#elif defined(__CUDA_ARCH__)
  __trap();
#endif
}

}  // namespace attune
