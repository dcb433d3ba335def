// A program of NVRTC and one compile of it.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/image.hpp"
#include "device/cuda/nvrtc_library.hpp"

namespace attune::cuda {

struct DestroyProgram {
  const NvrtcApi* api;
  void operator()(NvrtcProgram program) const { api->destroy(&program); }
};
using ProgramOwner = std::unique_ptr<_nvrtcProgram, DestroyProgram>;

struct CompiledProgram {
  ProgramOwner program;
  NvrtcResult result = nvrtc_success;
  std::string log;
  std::string opened;  // the list of NvrtcOpened; "" if this NVRTC gives none
};

// Compiles a request with all of these options. Thread-safe.
CompiledProgram compile_program(const NvrtcLibrary& library, const ImageRequest& request,
                                const std::vector<std::string>& options);

// A function that compiles with precompiled headers where that pays. Programs that only launch do not carry it.
using CompileProgram = CompiledProgram (*)(const NvrtcLibrary& library, const ImageRequest& request,
                                           const std::vector<std::string>& options);
// Returns that function, or null in a program without it. It is set once, before main().
CompileProgram precompiling_of_program() noexcept;
void set_precompiling(CompileProgram compile) noexcept;

}  // namespace attune::cuda
