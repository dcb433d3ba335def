// The table behind unsupported.hpp: what is refused, and why. Kept in step with docs/host_device.md.
#pragma once

#include <string_view>

namespace attune {

// A name ends in `*` where every name that begins so is meant, and in `::` where it counts as a qualifier only.
struct Refusal {
  std::string_view name;
  std::string_view reason;
};

constexpr std::string_view kAssembly =
    "PTX assembly runs on GPUs only; put it between #ifdef __CUDA_ARCH__ and an #else";
constexpr std::string_view kGroups =
    "it has no cooperative groups; use __syncthreads, __syncwarp and the _sync intrinsics";
constexpr std::string_view kHalf = "half and bfloat16 run on GPUs only; tune with another type, or on a cuda device";
constexpr std::string_view kTextures = "it has no textures and surfaces; read through pointers or __ldg";
constexpr std::string_view kTensorCores = "it has no tensor cores, so no wmma";
constexpr std::string_view kRuntimeCalls = "kernels cannot call the CUDA runtime here; attune allocates and copies";
constexpr std::string_view kLaunches = "kernels cannot launch kernels here; add a [[launch]] step";
constexpr std::string_view kLibraries = "the CUDA libraries' headers are made for nvcc and NVRTC";
constexpr std::string_view kRandom = "it has no cuRAND; compute random numbers from a counter";
constexpr std::string_view kClusters = "it has no thread block clusters";
constexpr std::string_view kAsyncCopies = "it has no asynchronous copies; copy by assignment";
constexpr std::string_view kUnsynchronised =
    "GPUs since Volta do not have it; use the intrinsic whose name ends in _sync";
constexpr std::string_view kAddressSpaces = "all memory is one address space here";
constexpr std::string_view kPackedWords = "it has no SIMD-in-a-word intrinsics; compute the parts one by one";
constexpr std::string_view kSpecialFunctions = "the host's C library does not have this function";
constexpr std::string_view kNvAtomics = "use atomicAdd and its relatives";
constexpr std::string_view kNotNeeded = "the language is built in; leave the #include out, NVRTC needs none either";

constexpr std::string_view kExceptions = "device code has no exceptions; use __trap() to end the launch";

constexpr Refusal kNames[] = {
    {"asm", kAssembly},
    {"__asm__", kAssembly},
    {"__asm", kAssembly},
    {"cooperative_groups", kGroups},
    {"__half*", kHalf},
    {"__float2half*", kHalf},
    {"__nv_bfloat16*", kHalf},
    {"__float2bfloat16*", kHalf},
    {"__nv_fp8*", kHalf},
    {"tex1D*", kTextures},
    {"tex2D*", kTextures},
    {"tex3D*", kTextures},
    {"texCubemap*", kTextures},
    {"surf1D*", kTextures},
    {"surf2D*", kTextures},
    {"surf3D*", kTextures},
    {"surfCubemap*", kTextures},
    {"cudaTextureObject_t", kTextures},
    {"cudaSurfaceObject_t", kTextures},
    {"nvcuda", kTensorCores},
    {"wmma::", kTensorCores},
    {"__nv_atomic_*", kNvAtomics},
    {"__cluster_*", kClusters},
    {"clusterIdx", kClusters},
    {"clusterDim", kClusters},
    {"__pipeline_*", kAsyncCopies},
    {"cuda::", kLibraries},
    {"cub::", kLibraries},
    {"thrust::", kLibraries},
    {"cutlass::", kLibraries},
    {"curand*", kRandom},
    {"__shfl", kUnsynchronised},
    {"__shfl_up", kUnsynchronised},
    {"__shfl_down", kUnsynchronised},
    {"__shfl_xor", kUnsynchronised},
    {"__any", kUnsynchronised},
    {"__all", kUnsynchronised},
    {"__ballot", kUnsynchronised},
    {"__cvta_*", kAddressSpaces},
    {"__isGlobal", kAddressSpaces},
    {"__isShared", kAddressSpaces},
    {"__isConstant", kAddressSpaces},
    {"__isLocal", kAddressSpaces},
    {"__isGridConstant", kAddressSpaces},
    {"__vabs*", kPackedWords},
    {"__vadd*", kPackedWords},
    {"__vavg*", kPackedWords},
    {"__vcmp*", kPackedWords},
    {"__vhaddu*", kPackedWords},
    {"__viadd*", kPackedWords},
    {"__vibm*", kPackedWords},
    {"__vim*", kPackedWords},
    {"__vmax*", kPackedWords},
    {"__vmin*", kPackedWords},
    {"__vneg*", kPackedWords},
    {"__vsad*", kPackedWords},
    {"__vset*", kPackedWords},
    {"__vsub*", kPackedWords},
    {"erfinv", kSpecialFunctions},
    {"erfinvf", kSpecialFunctions},
    {"erfcinv", kSpecialFunctions},
    {"erfcinvf", kSpecialFunctions},
    {"erfcx", kSpecialFunctions},
    {"erfcxf", kSpecialFunctions},
    {"normcdfinv", kSpecialFunctions},
    {"normcdfinvf", kSpecialFunctions},
    {"cyl_bessel_i0*", kSpecialFunctions},
    {"cyl_bessel_i1*", kSpecialFunctions},
    {"throw", kExceptions},
};

// The names of #include lines, with or without folders behind them.
constexpr Refusal kHeaders[] = {
    {"cooperative_groups*", kGroups},
    {"cuda_fp16*", kHalf},
    {"cuda_bf16*", kHalf},
    {"cuda_fp8*", kHalf},
    {"cuda_fp6*", kHalf},
    {"cuda_fp4*", kHalf},
    {"mma.h", kTensorCores},
    {"crt/mma*", kTensorCores},
    {"cuda_pipeline*", kAsyncCopies},
    {"cuda_awbarrier*", kAsyncCopies},
    {"texture_*", kTextures},
    {"surface_*", kTextures},
    {"curand*", kRandom},
    {"cuda/*", kLibraries},
    {"cub/*", kLibraries},
    {"thrust/*", kLibraries},
    {"cute/*", kLibraries},
    {"cutlass/*", kLibraries},
    {"cuda.h", kNotNeeded},
    {"cuda_runtime*", kNotNeeded},
    {"device_launch_parameters.h", kNotNeeded},
    {"device_functions.h", kNotNeeded},
    {"vector_types.h", kNotNeeded},
    {"vector_functions.h", kNotNeeded},
    {"math_constants.h", kNotNeeded},
    {"math_functions.h", kNotNeeded},
    {"device_atomic_functions.h", kNotNeeded},
    {"sm_*", kNotNeeded},
};

}  // namespace attune
