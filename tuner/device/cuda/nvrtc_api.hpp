// What attune uses of NVRTC, the CUDA run-time compiler: its own declarations; a test holds them against nvrtc.h.
#pragma once

#include <cstddef>

struct _nvrtcProgram;  // NVIDIA's name

namespace attune::cuda {

using NvrtcResult = int;                // nvrtcResult
using NvrtcProgram = ::_nvrtcProgram*;  // nvrtcProgram

enum : NvrtcResult {
  nvrtc_success = 0,
  nvrtc_invalid_option = 5,
  nvrtc_compilation = 6,
  nvrtc_builtin_failure = 7,
};

// F(member, function, return type, parameters...)
#define ATTUNE_NVRTC_FUNCTIONS(F)                                                                              \
  F(error_string, nvrtcGetErrorString, const char*, NvrtcResult)                                               \
  F(version, nvrtcVersion, NvrtcResult, int*, int*)                                                            \
  F(architecture_count, nvrtcGetNumSupportedArchs, NvrtcResult, int*)                                          \
  F(architectures, nvrtcGetSupportedArchs, NvrtcResult, int*)                                                  \
  F(create, nvrtcCreateProgram, NvrtcResult, NvrtcProgram*, const char*, const char*, int, const char* const*, \
    const char* const*)                                                                                        \
  F(destroy, nvrtcDestroyProgram, NvrtcResult, NvrtcProgram*)                                                  \
  F(add_name, nvrtcAddNameExpression, NvrtcResult, NvrtcProgram, const char*)                                  \
  F(compile, nvrtcCompileProgram, NvrtcResult, NvrtcProgram, int, const char* const*)                          \
  F(log_size, nvrtcGetProgramLogSize, NvrtcResult, NvrtcProgram, std::size_t*)                                 \
  F(log, nvrtcGetProgramLog, NvrtcResult, NvrtcProgram, char*)                                                 \
  F(lowered_name, nvrtcGetLoweredName, NvrtcResult, NvrtcProgram, const char*, const char**)                   \
  F(cubin_size, nvrtcGetCUBINSize, NvrtcResult, NvrtcProgram, std::size_t*)                                    \
  F(cubin, nvrtcGetCUBIN, NvrtcResult, NvrtcProgram, char*)

// The functions of a loaded NVRTC. Filled in once and only read afterwards, from any thread.
struct NvrtcApi {
#define ATTUNE_MEMBER(member, function, result, ...) result (*member)(__VA_ARGS__) = nullptr;
  ATTUNE_NVRTC_FUNCTIONS(ATTUNE_MEMBER)
#undef ATTUNE_MEMBER
};

}  // namespace attune::cuda
