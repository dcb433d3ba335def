// The compile that a first launch needs, by NVRTC alone: the same text and options, by a program without attune.
#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "attune/device_info.hpp"
#include "attune/error.hpp"
#include "attune_embedded/noop.hpp"
#include "bench.hpp"
#include "device/cuda/cuda_device.hpp"
#include "device/cuda/nvrtc_library.hpp"
#include "driver.hpp"
#include "kernel/instantiate.hpp"
#include "spec/kernel_file.hpp"
#include "spec/pack.hpp"

namespace attune::bench {
namespace {

using namespace cuda;

void check(NvrtcResult result, const char* what) {
  if (result != nvrtc_success) throw Error(fmt::format("{} failed: {}", what, result));
}

// Loads the library that attune would take, and no more.
NvrtcApi load(std::string& file) {
  for (const std::string& candidate : nvrtc_candidates(nvrtc_search())) {
    void* const handle = dlopen(candidate.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) continue;
    file = candidate;
    NvrtcApi api;
#define ATTUNE_LOAD(member, function, ...) \
  api.member = reinterpret_cast<decltype(api.member)>(dlsym(handle, #function));
    ATTUNE_NVRTC_FUNCTIONS(ATTUNE_LOAD)
#undef ATTUNE_LOAD
    return api;
  }
  throw Error("found no NVRTC");
}

// Returns the bytes of the cubin.
std::size_t compile(const NvrtcApi& api, const std::string& text, const std::vector<std::string>& options,
                    const std::vector<std::string>& entries) {
  NvrtcProgram program = nullptr;
  check(api.create(&program, text.c_str(), "noop.cu", 0, nullptr, nullptr), "nvrtcCreateProgram");
  for (const std::string& entry : entries) check(api.add_name(program, entry.c_str()), "nvrtcAddNameExpression");
  std::vector<const char*> pointers;
  for (const std::string& option : options) pointers.push_back(option.c_str());
  check(api.compile(program, static_cast<int>(pointers.size()), pointers.data()), "nvrtcCompileProgram");
  std::size_t size = 0;
  check(api.cubin_size(program, &size), "nvrtcGetCUBINSize");
  std::vector<char> code(size);
  check(api.cubin(program, code.data()), "nvrtcGetCUBIN");
  for (const std::string& entry : entries) {
    const char* symbol = nullptr;
    check(api.lowered_name(program, entry.c_str(), &symbol), "nvrtcGetLoweredName");
  }
  check(api.destroy(&program), "nvrtcDestroyProgram");
  return size;
}

// As a program without attune does. Then the same again, and a one-line kernel, with which attune tries each NVRTC.
int compile_alone(const ImageRequest& request, const std::string& architecture) {
  std::vector<std::string> options{"--gpu-architecture=" + architecture, "--ptxas-options=-v", "-std=c++17"};
  options.insert(options.end(), request.options.begin(), request.options.end());
  std::string file;
  const double begin = now_ns();
  const NvrtcApi api = load(file);
  const double loaded = now_ns();
  const std::size_t bytes = compile(api, request.source.text, options, request.expressions);
  const double compiled = now_ns();
  fmt::print("  {:44} {:8.2f} ms  (loaded {:.2f}, compiled {:.2f}: {} bytes for {} by {})\n",
             "NVRTC alone, loaded and compiled once", (compiled - begin) * 1e-6, (loaded - begin) * 1e-6,
             (compiled - loaded) * 1e-6, bytes, architecture, file);
  double again = now_ns();
  compile(api, request.source.text, options, request.expressions);
  fmt::print("  {:44} {:8.2f} ms\n", "the same compile again", (now_ns() - again) * 1e-6);
  again = now_ns();
  compile(api, "__global__ void nothing(int* out) { *out = 1; }", {options.front()}, {});
  fmt::print("  {:44} {:8.2f} ms\n", "a one-line kernel then", (now_ns() - again) * 1e-6);
  return 0;
}

// As a first launch does, but for the cache on disk and loading the image.
int compile_by_attune(const ImageRequest& request, const std::string& architecture) {
  const auto compiler = make_nvrtc_compiler(architecture);
  const double begin = now_ns();
  static_cast<void>(compiler->toolchain());
  const double loaded = now_ns();
  const CompileOutcome outcome = std::move(compiler->compile({&request, 1}).front());
  const double compiled = now_ns();
  if (!outcome.image) throw Error(outcome.log);
  fmt::print("  {:44} {:8.2f} ms  (loaded and tried {:.2f}, compiled {:.2f})\n",
             "attune's compiler, loaded and compiled once", (compiled - begin) * 1e-6, (loaded - begin) * 1e-6,
             (compiled - loaded) * 1e-6);
  return 0;
}

}  // namespace

int run_nvrtc(bool by_attune) {
  const bool has_driver = make_context_current();
  const KernelPack pack = make_pack(read_embedded_kernel(attune_embedded::noop), "noop.cu");
  const DeviceInfo device = has_driver ? cuda_devices().at(0) : device_limits("sm_90");
  const ImageRequest request =
      launch_image_request(pack.spec, {{"n", 1}, {"T", "float"}}, pack.fallbacks.front(), device);
  if (by_attune) return compile_by_attune(request, device.architecture());
  return compile_alone(request, device.architecture());
}

}  // namespace attune::bench
