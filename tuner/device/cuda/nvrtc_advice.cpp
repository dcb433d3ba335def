#include "device/cuda/nvrtc_advice.hpp"

#include <algorithm>

namespace attune::cuda {
namespace {

constexpr std::string_view of_host_code[] = {"host functions are not allowed",
                                             "host variables are not allowed",
                                             "marked as a __host__ function is not allowed",
                                             "device-side kernel launch",
                                             "identifier \"cudaMalloc",
                                             "identifier \"cudaMemcpy",
                                             "identifier \"cudaFree",
                                             "identifier \"cudaEvent",
                                             "identifier \"cudaStream",
                                             "identifier \"cudaGetLastError",
                                             "identifier \"cudaDeviceSynchronize"};
constexpr std::string_view unknown_names[] = {"is undefined", "has no member", "must be a class or namespace name",
                                              "dynamic initialization is not supported"};

constexpr std::string_view let_it_be_ignored =
    "if this is host code, let it be ignored by host_code = \"ignore\" in [compile] (docs/coming_from.md); a function "
    "that a kernel calls needs __device__";
constexpr std::string_view is_not_declared =
    "if this is host code, it may use what docs/coming_from.md lists; leave the rest out with #ifndef __CUDACC_RTC__";
constexpr std::string_view is_ignored =
    "the kernel calls host code, which is only declared here because it is ignored (host_code in [compile])";
constexpr std::string_view without_asserts =
    "Potential Performance Loss: asserts are on, and their calls may be the reason; add -DNDEBUG to [compile] options";

struct LogAdvice {
  std::string_view mark;  // in the log
  std::string_view text;
};
constexpr LogAdvice advices[] = {
    {"open source file",
     "a header in quotes is found beside the kernel file, any header in the folders of -I in [compile] options, or in "
     "the toolkit; "
     "attune_embed() brings what HEADERS names. Of a host's headers there are those of docs/cuda_device.md; leave "
     "others out with #ifndef __CUDACC_RTC__"},
    {"namespace \"cub\" has no member",
     "cub/cub.cuh and other headers of functions for the whole device do not compile with NVRTC: include those of "
     "warps "
     "and blocks, such as cub/block/block_reduce.cuh, and leave the others out with #ifndef __CUDACC_RTC__"},
    {"invalid redeclaration of type name",
     "integers of a fixed width are declared already, with 64 bits as `long long`: include <cstdint> in place of a "
     "typedef"},
    {"does not support exception handling",
     "NVRTC takes no throw, try and catch, not even in host code: leave them out with #ifndef __CUDACC_RTC__"},
};

bool has(std::string_view log, std::string_view mark) { return log.find(mark) != std::string_view::npos; }

}  // namespace

bool says_serialized(std::string_view log) { return has(log, "instructions are serialized due to"); }

std::string nvrtc_advice(std::string_view log, bool ignores_host_code, bool asserts) {
  std::string advice;
  const auto add = [&](std::string_view text) { advice.append("attune: ").append(text).append("\n"); };
  for (const LogAdvice& one : advices)
    if (has(log, one.mark)) add(one.text);
  if (ignores_host_code && has(log, "Unresolved extern function")) add(is_ignored);
  if (asserts && says_serialized(log)) add(without_asserts);
  const auto is_in_log = [&](std::string_view mark) { return has(log, mark); };
  if (!ignores_host_code && std::ranges::any_of(of_host_code, is_in_log)) add(let_it_be_ignored);
  if (ignores_host_code && std::ranges::any_of(unknown_names, is_in_log)) add(is_not_declared);
  return advice;
}

}  // namespace attune::cuda
