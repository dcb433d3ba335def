// The table of unsupported.hpp: what is refused, and why. Kept in step with docs/host_device.md.
#pragma once

#include <string_view>

namespace attune {

// A name with `*` at its end stands for every name that begins so. One with `::` at its end counts only as a qualifier.
struct Refusal {
  std::string_view name;
  std::string_view reason;
};

constexpr std::string_view no_assembly =
    "PTX assembly runs on GPUs only; put it between #ifdef __CUDA_ARCH__ and an #else";
constexpr std::string_view one_device = "a launch runs on one device; use grid_group in a cooperative launch";
constexpr std::string_view no_large_tiles = "a tile has at most 32 threads here; cut the block into tiles of a warp";
constexpr std::string_view no_library_atomics = "it has no cuda::atomic; use reduce() and atomicAdd or its relatives";
constexpr std::string_view no_more_groups =
    "of cooperative groups it has cooperative_groups.h and its reduce.h, scan.h and memcpy_async.h";
constexpr std::string_view no_small_floats = "types of less than 16 bits run on GPUs only";
constexpr std::string_view no_textures = "it has no textures and surfaces; read through pointers or __ldg";
constexpr std::string_view tensor_cores = "it has no tensor cores, so no wmma";
constexpr std::string_view runtime_calls = "kernels cannot call the CUDA runtime here; attune allocates and copies";
constexpr std::string_view no_launches = "kernels cannot launch kernels here; add a [[launch]] step";
constexpr std::string_view no_libraries = "the CUDA libraries' headers are made for nvcc and NVRTC";
constexpr std::string_view no_random = "it has no cuRAND; compute random numbers from a counter";
constexpr std::string_view no_clusters = "a cluster is one block here; use attune_launch.cuh";
constexpr std::string_view async_copies = "it has no asynchronous copies; copy by assignment";
constexpr std::string_view unsynchronised =
    "GPUs since Volta do not have it; use the intrinsic whose name ends in _sync";
constexpr std::string_view address_spaces = "all memory is one address space here";
constexpr std::string_view packed_words = "it has no SIMD-in-a-word intrinsics; compute the parts one by one";
constexpr std::string_view special_functions = "the host's C library does not have this function";
constexpr std::string_view nv_atomics = "use atomicAdd and its relatives";
constexpr std::string_view not_needed = "the language is built in; leave the #include out, NVRTC needs none either";

constexpr std::string_view no_exceptions = "device code has no exceptions; use __trap() to end the launch";

constexpr Refusal refused_names[] = {
    {"asm", no_assembly},
    {"__asm__", no_assembly},
    {"__asm", no_assembly},
    {"__nv_fp8*", no_small_floats},
    {"__nv_fp6*", no_small_floats},
    {"__nv_fp4*", no_small_floats},
    {"tex1D*", no_textures},
    {"tex2D*", no_textures},
    {"tex3D*", no_textures},
    {"texCubemap*", no_textures},
    {"surf1D*", no_textures},
    {"surf2D*", no_textures},
    {"surf3D*", no_textures},
    {"surfCubemap*", no_textures},
    {"cudaTextureObject_t", no_textures},
    {"cudaSurfaceObject_t", no_textures},
    {"nvcuda", tensor_cores},
    {"wmma::", tensor_cores},
    {"__nv_atomic_*", nv_atomics},
    {"__cluster_*", no_clusters},
    {"clusterIdx", no_clusters},
    {"clusterDim", no_clusters},
    {"this_cluster", no_clusters},
    {"cluster_group", no_clusters},
    {"this_multi_grid", one_device},
    {"multi_grid_group", one_device},
    {"block_tile_memory", no_large_tiles},
    {"reduce_update_async", no_library_atomics},
    {"reduce_store_async", no_library_atomics},
    {"inclusive_scan_update", no_library_atomics},
    {"exclusive_scan_update", no_library_atomics},
    {"__pipeline_*", async_copies},
    {"cuda::", no_libraries},
    {"cub::", no_libraries},
    {"thrust::", no_libraries},
    {"cutlass::", no_libraries},
    {"curand*", no_random},
    {"__shfl", unsynchronised},
    {"__shfl_up", unsynchronised},
    {"__shfl_down", unsynchronised},
    {"__shfl_xor", unsynchronised},
    {"__any", unsynchronised},
    {"__all", unsynchronised},
    {"__ballot", unsynchronised},
    {"__cvta_*", address_spaces},
    {"__isGlobal", address_spaces},
    {"__isShared", address_spaces},
    {"__isConstant", address_spaces},
    {"__isLocal", address_spaces},
    {"__isGridConstant", address_spaces},
    {"__vabs*", packed_words},
    {"__vadd*", packed_words},
    {"__vavg*", packed_words},
    {"__vcmp*", packed_words},
    {"__vhaddu*", packed_words},
    {"__viadd*", packed_words},
    {"__vibm*", packed_words},
    {"__vim*", packed_words},
    {"__vmax*", packed_words},
    {"__vmin*", packed_words},
    {"__vneg*", packed_words},
    {"__vsad*", packed_words},
    {"__vset*", packed_words},
    {"__vsub*", packed_words},
    {"erfinv", special_functions},
    {"erfinvf", special_functions},
    {"erfcinv", special_functions},
    {"erfcinvf", special_functions},
    {"erfcx", special_functions},
    {"erfcxf", special_functions},
    {"normcdfinv", special_functions},
    {"normcdfinvf", special_functions},
    {"cyl_bessel_i0*", special_functions},
    {"cyl_bessel_i1*", special_functions},
    {"throw", no_exceptions},
};

// The names of #include lines, with or without more of their path.
constexpr Refusal refused_headers[] = {
    {"cooperative_groups/*", no_more_groups},
    {"cuda_fp8*", no_small_floats},
    {"cuda_fp6*", no_small_floats},
    {"cuda_fp4*", no_small_floats},
    {"mma.h", tensor_cores},
    {"crt/mma*", tensor_cores},
    {"cuda_pipeline*", async_copies},
    {"cuda_awbarrier*", async_copies},
    {"texture_*", no_textures},
    {"surface_*", no_textures},
    {"curand*", no_random},
    {"cuda/*", no_libraries},
    {"cub/*", no_libraries},
    {"thrust/*", no_libraries},
    {"cute/*", no_libraries},
    {"cutlass/*", no_libraries},
    {"builtin_types.h", not_needed},
    {"driver_types.h", not_needed},
    {"sm_*", not_needed},
};

}  // namespace attune
