// Every declaration of driver_api.hpp, nvrtc_api.hpp and nvml_api.hpp against NVIDIA's headers. All of it happens at
// compile time; nothing of CUDA is linked.
#include <cudaTypedefs.h>
#include <gtest/gtest.h>
#include <nvrtc.h>
#if __has_include(<nvml.h>)
#include <nvml.h>
#endif

#include <cstddef>
#include <type_traits>

#include "core/tensor_layout.hpp"
#include "device/cuda/driver_api.hpp"
#include "device/cuda/nvml_api.hpp"
#include "device/cuda/nvrtc_api.hpp"
#include "device/device_state.hpp"

namespace attune::cuda {
namespace {

template <typename T>
constexpr bool is_number = std::is_integral_v<T> || std::is_enum_v<T>;

// Equal in what a call passes: same sizes and kinds, pointers to the like, the same opaque structs.
template <typename Ours, typename Theirs>
struct SameCall {
  static constexpr bool value() {
    if constexpr (std::is_same_v<Ours, Theirs>) {
      return true;
    } else if constexpr (std::is_pointer_v<Ours> && std::is_pointer_v<Theirs>) {
      using O = std::remove_pointer_t<Ours>;
      using T = std::remove_pointer_t<Theirs>;
      return std::is_const_v<O> == std::is_const_v<T> && SameCall<std::remove_cv_t<O>, std::remove_cv_t<T>>::value();
    } else if constexpr (is_number<Ours> && is_number<Theirs>) {
      return sizeof(Ours) == sizeof(Theirs);
#if CUDA_VERSION >= 11070
    } else if constexpr (std::is_same_v<Ours, LaunchConfig> && std::is_same_v<Theirs, CUlaunchConfig>) {
      return sizeof(Ours) == sizeof(Theirs) && offsetof(Ours, grid_x) == offsetof(Theirs, gridDimX) &&
             offsetof(Ours, block_x) == offsetof(Theirs, blockDimX) &&
             offsetof(Ours, shared_bytes) == offsetof(Theirs, sharedMemBytes) &&
             offsetof(Ours, stream) == offsetof(Theirs, hStream) &&
             offsetof(Ours, attributes) == offsetof(Theirs, attrs) &&
             offsetof(Ours, attribute_count) == offsetof(Theirs, numAttrs) &&
             SameCall<LaunchAttribute, CUlaunchAttribute>::value();
    } else if constexpr (std::is_same_v<Ours, LaunchAttribute> && std::is_same_v<Theirs, CUlaunchAttribute>) {
      return sizeof(Ours) == sizeof(Theirs) && alignof(Ours) == alignof(Theirs) &&
             offsetof(Ours, cluster) == offsetof(Theirs, value) && offsetof(Ours, flag) == offsetof(Theirs, value) &&
             sizeof(Ours::cluster) == sizeof(CUlaunchAttributeValue::clusterDim);
#endif
    } else if constexpr (std::is_same_v<Ours, Uuid> && std::is_same_v<Theirs, CUuuid>) {
      return sizeof(Ours) == sizeof(Theirs) && alignof(Ours) == alignof(Theirs);
#if __has_include(<nvml.h>)
    } else if constexpr (std::is_same_v<Ours, NvmlProcess> && std::is_same_v<Theirs, nvmlProcessInfo_t>) {
      return sizeof(Ours) == sizeof(Theirs) && offsetof(Ours, pid) == offsetof(Theirs, pid) &&
             offsetof(Ours, used_bytes) == offsetof(Theirs, usedGpuMemory) &&
             offsetof(Ours, instance) == offsetof(Theirs, gpuInstanceId) &&
             offsetof(Ours, compute_instance) == offsetof(Theirs, computeInstanceId);
#endif
    } else {
      return false;
    }
  }
};
template <typename R1, typename... A1, typename R2, typename... A2>
struct SameCall<R1(A1...), R2(A2...)> {
  static constexpr bool value() {
    if constexpr (sizeof...(A1) != sizeof...(A2)) {
      return false;
    } else {
      return SameCall<R1, R2>::value() && (SameCall<A1, A2>::value() && ...);
    }
  }
};

static_assert(SameCall<int(unsigned, const char**), CUresult(unsigned, const char**)>::value());
static_assert(!SameCall<int(unsigned), CUresult(unsigned long long)>::value(), "sizes are compared");
static_assert(!SameCall<int(void*), CUresult(const void*)>::value(), "const is compared");
static_assert(!SameCall<int(CUctx_st*), CUresult(CUmodule)>::value(), "handles are compared");
static_assert(!SameCall<int(int), CUresult(int, int)>::value(), "arity is compared");

// PFN_cuMemAlloc_v3020 is the type of cuMemAlloc as CUDA 3.2 introduced it.
#define ATTUNE_CHECK(member, function, version, exported, ...) \
  static_assert(SameCall<decltype(DriverApi::member), PFN_##function##_v##version>::value(), #function);
ATTUNE_DRIVER_FUNCTIONS(ATTUNE_CHECK)
#if CUDA_VERSION >= 11030
ATTUNE_DRIVER_FUNCTIONS_11030(ATTUNE_CHECK)
#endif
#if CUDA_VERSION >= 11040
ATTUNE_DRIVER_FUNCTIONS_11040(ATTUNE_CHECK)
#endif
#if CUDA_VERSION >= 11070
ATTUNE_DRIVER_FUNCTIONS_11060(ATTUNE_CHECK)
ATTUNE_DRIVER_FUNCTIONS_11070(ATTUNE_CHECK)
#endif
#if CUDA_VERSION >= 12000
ATTUNE_DRIVER_FUNCTIONS_12000(ATTUNE_CHECK)
#endif
#if CUDA_VERSION >= 12040
ATTUNE_DRIVER_FUNCTIONS_12040(ATTUNE_CHECK)
#endif
#if CUDA_VERSION >= 12080
ATTUNE_DRIVER_FUNCTIONS_12080(ATTUNE_CHECK)
#endif
#undef ATTUNE_CHECK
static_assert(SameCall<GetVersion, PFN_cuDriverGetVersion_v2020>::value());
static_assert(SameCall<GetProcAddress11, PFN_cuGetProcAddress_v11030>::value());
#if CUDA_VERSION >= 12000
static_assert(SameCall<GetProcAddress12, PFN_cuGetProcAddress_v12000>::value());
#endif
static_assert(SameCall<HostCallback, CUhostFn>::value());
static_assert(sizeof(DeviceAddress) == sizeof(CUdeviceptr) && sizeof(DeviceNumber) == sizeof(CUdevice));

#define ATTUNE_CHECK(member, function, result, ...) \
  static_assert(SameCall<decltype(NvrtcApi::member), decltype(&::function)>::value(), #function);
ATTUNE_NVRTC_FUNCTIONS(ATTUNE_CHECK)
#if CUDA_VERSION >= 12080
ATTUNE_NVRTC_PCH_FUNCTIONS(ATTUNE_CHECK)
#endif
#undef ATTUNE_CHECK

#define ATTUNE_EQUAL(ours, theirs) static_assert(static_cast<int>(ours) == static_cast<int>(theirs), #ours);
ATTUNE_EQUAL(result_success, CUDA_SUCCESS)
ATTUNE_EQUAL(result_out_of_memory, CUDA_ERROR_OUT_OF_MEMORY)
ATTUNE_EQUAL(result_deinitialized, CUDA_ERROR_DEINITIALIZED)
ATTUNE_EQUAL(result_stub_library, CUDA_ERROR_STUB_LIBRARY)
ATTUNE_EQUAL(result_no_device, CUDA_ERROR_NO_DEVICE)
ATTUNE_EQUAL(result_system_driver_mismatch, CUDA_ERROR_SYSTEM_DRIVER_MISMATCH)
ATTUNE_EQUAL(result_compat_not_supported, CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE)
ATTUNE_EQUAL(launch_cluster, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION)
ATTUNE_EQUAL(launch_cooperative, CU_LAUNCH_ATTRIBUTE_COOPERATIVE)
ATTUNE_EQUAL(launch_overlaps, CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION)
ATTUNE_EQUAL(host_memory_portable, CU_MEMHOSTALLOC_PORTABLE)
ATTUNE_EQUAL(host_memory_write_combined, CU_MEMHOSTALLOC_WRITECOMBINED)
ATTUNE_EQUAL(result_peer_enabled_already, CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED)
ATTUNE_EQUAL(host_memory_mapped, CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP)
#if CUDA_VERSION >= 12000
ATTUNE_EQUAL(tensor_map_uint8, CU_TENSOR_MAP_DATA_TYPE_UINT8)
ATTUNE_EQUAL(tensor_map_uint16, CU_TENSOR_MAP_DATA_TYPE_UINT16)
ATTUNE_EQUAL(tensor_map_uint32, CU_TENSOR_MAP_DATA_TYPE_UINT32)
ATTUNE_EQUAL(tensor_map_uint64, CU_TENSOR_MAP_DATA_TYPE_UINT64)
ATTUNE_EQUAL(swizzle_none, CU_TENSOR_MAP_SWIZZLE_NONE)
ATTUNE_EQUAL(swizzle_32, CU_TENSOR_MAP_SWIZZLE_32B)
ATTUNE_EQUAL(swizzle_64, CU_TENSOR_MAP_SWIZZLE_64B)
ATTUNE_EQUAL(swizzle_128, CU_TENSOR_MAP_SWIZZLE_128B)
ATTUNE_EQUAL(promotion_128, CU_TENSOR_MAP_L2_PROMOTION_L2_128B)
static_assert(CU_TENSOR_MAP_INTERLEAVE_NONE == 0 && CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE == 0);
static_assert(sizeof(CUtensorMap) == tensor_map_bytes && alignof(CUtensorMap) >= tensor_map_alignment);
#endif
ATTUNE_EQUAL(attribute_max_threads_per_block, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK)
ATTUNE_EQUAL(attribute_max_block_x, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X)
ATTUNE_EQUAL(attribute_max_block_y, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y)
ATTUNE_EQUAL(attribute_max_block_z, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z)
ATTUNE_EQUAL(attribute_max_grid_x, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X)
ATTUNE_EQUAL(attribute_max_grid_y, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y)
ATTUNE_EQUAL(attribute_max_grid_z, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z)
ATTUNE_EQUAL(attribute_shared_per_block, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK)
ATTUNE_EQUAL(attribute_warp_size, CU_DEVICE_ATTRIBUTE_WARP_SIZE)
ATTUNE_EQUAL(attribute_registers_per_block, CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK)
ATTUNE_EQUAL(attribute_clock_khz, CU_DEVICE_ATTRIBUTE_CLOCK_RATE)
ATTUNE_EQUAL(attribute_multiprocessors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)
ATTUNE_EQUAL(attribute_memory_bus_bits, CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH)
ATTUNE_EQUAL(attribute_l2_bytes, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE)
ATTUNE_EQUAL(attribute_max_threads_per_multiprocessor, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR)
ATTUNE_EQUAL(attribute_capability_major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)
ATTUNE_EQUAL(attribute_capability_minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)
ATTUNE_EQUAL(attribute_shared_per_multiprocessor, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR)
ATTUNE_EQUAL(attribute_registers_per_multiprocessor, CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR)
ATTUNE_EQUAL(attribute_shared_per_block_optin, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)
ATTUNE_EQUAL(attribute_max_blocks_per_multiprocessor, CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR)
ATTUNE_EQUAL(attribute_shared_reserved, CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK)
ATTUNE_EQUAL(function_max_threads_per_block, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK)
ATTUNE_EQUAL(function_shared_static, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES)
ATTUNE_EQUAL(function_registers, CU_FUNC_ATTRIBUTE_NUM_REGS)
ATTUNE_EQUAL(function_max_dynamic_shared, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES)
ATTUNE_EQUAL(capture_thread_local, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL)
ATTUNE_EQUAL(capture_relaxed, CU_STREAM_CAPTURE_MODE_RELAXED)
ATTUNE_EQUAL(capture_none, CU_STREAM_CAPTURE_STATUS_NONE)
ATTUNE_EQUAL(capture_active, CU_STREAM_CAPTURE_STATUS_ACTIVE)
#if CUDA_VERSION >= 11030
ATTUNE_EQUAL(user_object_no_destructor_sync, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC)
ATTUNE_EQUAL(graph_user_object_move, CU_GRAPH_USER_OBJECT_MOVE)
#endif
ATTUNE_EQUAL(stream_non_blocking, CU_STREAM_NON_BLOCKING)
ATTUNE_EQUAL(event_default, CU_EVENT_DEFAULT)
ATTUNE_EQUAL(legacy_stream_symbols, CU_GET_PROC_ADDRESS_LEGACY_STREAM)
ATTUNE_EQUAL(nvrtc_success, NVRTC_SUCCESS)
ATTUNE_EQUAL(nvrtc_out_of_memory, NVRTC_ERROR_OUT_OF_MEMORY)
ATTUNE_EQUAL(nvrtc_invalid_option, NVRTC_ERROR_INVALID_OPTION)
ATTUNE_EQUAL(nvrtc_compilation, NVRTC_ERROR_COMPILATION)
ATTUNE_EQUAL(nvrtc_builtin_failure, NVRTC_ERROR_BUILTIN_OPERATION_FAILURE)
ATTUNE_EQUAL(nvrtc_internal_error, NVRTC_ERROR_INTERNAL_ERROR)
#if CUDA_VERSION >= 12080
ATTUNE_EQUAL(nvrtc_pch_heap_exhausted, NVRTC_ERROR_PCH_CREATE_HEAP_EXHAUSTED)
#endif
#undef ATTUNE_EQUAL

#if __has_include(<nvml.h>)
#define ATTUNE_CHECK(member, function, exported, ...) \
  static_assert(SameCall<decltype(NvmlApi::member), decltype(&::function)>::value(), #function);
#if CUDA_VERSION < 12020  // whose nvml.h does not know the newer name
#undef ATTUNE_NVML_FUNCTIONS_12020
#define ATTUNE_NVML_FUNCTIONS_12020(F)
#endif
ATTUNE_NVML_FUNCTIONS(ATTUNE_CHECK)
ATTUNE_NVML_OPTIONAL_FUNCTIONS(ATTUNE_CHECK)
#undef ATTUNE_CHECK
static_assert(nvml_success == NVML_SUCCESS && nvml_text_bytes >= NVML_DEVICE_NAME_V2_BUFFER_SIZE &&
              nvml_text_bytes >= NVML_SYSTEM_DRIVER_VERSION_BUFFER_SIZE);
static_assert(nvml_insufficient_size == NVML_ERROR_INSUFFICIENT_SIZE && nvml_clock_sm == NVML_CLOCK_SM &&
              nvml_clock_memory == NVML_CLOCK_MEM && nvml_sensor_gpu == NVML_TEMPERATURE_GPU);
static_assert(throttle_power_cap == nvmlClocksThrottleReasonSwPowerCap &&
              throttle_hardware_slowdown == nvmlClocksThrottleReasonHwSlowdown &&
              throttle_software_thermal == nvmlClocksThrottleReasonSwThermalSlowdown &&
              throttle_hardware_thermal == nvmlClocksThrottleReasonHwThermalSlowdown &&
              throttle_hardware_power_brake == nvmlClocksThrottleReasonHwPowerBrakeSlowdown);
#endif

// The results that end a context, by NVIDIA's names. cuda_status_test holds the code to these numbers.
static_assert(CUDA_ERROR_ILLEGAL_ADDRESS == 700 && CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES == 701 &&
              CUDA_ERROR_LAUNCH_TIMEOUT == 702 && CUDA_ERROR_ASSERT == 710 && CUDA_ERROR_HARDWARE_STACK_ERROR == 714 &&
              CUDA_ERROR_ILLEGAL_INSTRUCTION == 715 && CUDA_ERROR_MISALIGNED_ADDRESS == 716 &&
              CUDA_ERROR_INVALID_ADDRESS_SPACE == 717 && CUDA_ERROR_INVALID_PC == 718 &&
              CUDA_ERROR_LAUNCH_FAILED == 719 && CUDA_ERROR_ECC_UNCORRECTABLE == 214 &&
              CUDA_ERROR_NVLINK_UNCORRECTABLE == 220);

TEST(Declarations, AgreeWithTheToolkitInEveryName) {
  // The names that dlsym is asked for on drivers without cuGetProcAddress: cuda.h maps each function to its present
  // one.
#define ATTUNE_TEXT_OF(text) #text
#define ATTUNE_TEXT(text) ATTUNE_TEXT_OF(text)
#define ATTUNE_NAME(member, function, version, exported, ...) EXPECT_STREQ(exported, ATTUNE_TEXT(function));
#undef cuEventElapsedTime  // the two that are used in an older version too
#undef cuDeviceGetUuid
#if CUDA_VERSION < 14000  // later headers may go on to versions that are not used here
  ATTUNE_DRIVER_FUNCTIONS(ATTUNE_NAME)
#endif
#undef ATTUNE_NAME
#if __has_include(<nvml.h>)
#define ATTUNE_NAME(member, function, exported, ...) EXPECT_STREQ(exported, ATTUNE_TEXT(function));
  ATTUNE_NVML_FUNCTIONS(ATTUNE_NAME)
  ATTUNE_NVML_OPTIONAL_FUNCTIONS(ATTUNE_NAME)
#undef ATTUNE_NAME
#endif
}

}  // namespace
}  // namespace attune::cuda
