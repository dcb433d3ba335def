#include "device/host/headers_beside.hpp"

#include "attune_embedded/attune.hpp"
#include "attune_embedded/cooperative_groups.hpp"
#include "attune_embedded/cuda_bf16.hpp"
#include "attune_embedded/cuda_fp16.hpp"
#include "attune_embedded/cuda_halves.hpp"
#include "attune_embedded/group_memcpy_async.hpp"
#include "attune_embedded/group_reduce.hpp"
#include "attune_embedded/group_scan.hpp"
#include "attune_embedded/math_constants.hpp"

namespace attune {
namespace {

constexpr std::string_view built_in = "// The host device has it built in.\n";

}  // namespace

std::span<const EmbeddedHeader> headers_beside() {
  static constexpr EmbeddedHeader headers[] = {
      {attune_embedded::attune.file_name, attune_embedded::attune.text},
      {attune_embedded::cuda_halves.file_name, attune_embedded::cuda_halves.text},
      {attune_embedded::cuda_fp16.file_name, attune_embedded::cuda_fp16.text},
      {attune_embedded::cuda_bf16.file_name, attune_embedded::cuda_bf16.text},
      {attune_embedded::math_constants.file_name, attune_embedded::math_constants.text},
      {attune_embedded::cooperative_groups.file_name, attune_embedded::cooperative_groups.text},
      {"cooperative_groups/reduce.h", attune_embedded::group_reduce.text},
      {"cooperative_groups/scan.h", attune_embedded::group_scan.text},
      {"cooperative_groups/memcpy_async.h", attune_embedded::group_memcpy_async.text},
      {"cuda.h", built_in},
      {"cuda_runtime.h", built_in},
      {"cuda_runtime_api.h", built_in},
      {"device_launch_parameters.h", built_in},
      {"device_functions.h", built_in},
      {"device_atomic_functions.h", built_in},
      {"host_defines.h", built_in},
      {"math_functions.h", built_in},
      {"vector_types.h", built_in},
      {"vector_functions.h", built_in},
  };
  return headers;
}

}  // namespace attune
