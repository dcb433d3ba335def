// The part of the CUDA driver API that attune uses. The declarations are attune's own, so that no toolkit header is
// needed. A test compares each with cuda.h and cudaTypedefs.h where these exist. Handle types are CUDA's public ones,
// declared forward.
#pragma once

#include <cstddef>
#include <cstdint>

struct CUctx_st;
struct CUmod_st;
struct CUfunc_st;
struct CUevent_st;
struct CUstream_st;
struct CUgraph_st;
struct CUgraphExec_st;
struct CUtensorMap_st;
struct CUgraphNode_st;
struct CUuserObject_st;

namespace attune::cuda {

using DriverResult = int;                  // CUresult
using DeviceNumber = int;                  // CUdevice
using DeviceAddress = unsigned long long;  // CUdeviceptr
using HostCallback = void (*)(void* data);

struct Uuid {  // CUuuid
  char bytes[16];
};

// The results that code tells apart by name. cuda_status.cpp has the meaning of the others.
enum : DriverResult {
  result_success = 0,
  result_out_of_memory = 2,
  result_deinitialized = 4,
  result_stub_library = 34,
  result_needs_newer_driver = 36,
  result_no_device = 100,
  result_not_ready = 600,
  result_peer_enabled_already = 704,
  result_system_driver_mismatch = 803,
  result_compat_not_supported = 804,
};

enum DeviceAttribute : int {
  attribute_max_threads_per_block = 1,
  attribute_max_block_x = 2,
  attribute_max_block_y = 3,
  attribute_max_block_z = 4,
  attribute_max_grid_x = 5,
  attribute_max_grid_y = 6,
  attribute_max_grid_z = 7,
  attribute_shared_per_block = 8,
  attribute_warp_size = 10,
  attribute_registers_per_block = 12,
  attribute_clock_khz = 13,
  attribute_multiprocessors = 16,
  attribute_memory_bus_bits = 37,
  attribute_l2_bytes = 38,
  attribute_max_threads_per_multiprocessor = 39,
  attribute_capability_major = 75,
  attribute_capability_minor = 76,
  attribute_shared_per_multiprocessor = 81,
  attribute_registers_per_multiprocessor = 82,
  attribute_shared_per_block_optin = 97,
  attribute_max_blocks_per_multiprocessor = 106,
  attribute_shared_reserved = 111,
};

enum FunctionAttribute : int {
  function_max_threads_per_block = 0,
  function_shared_static = 1,
  function_registers = 4,
  function_max_dynamic_shared = 8,
};

// CUlaunchAttribute and CUlaunchConfig: what a launch has beside its shape.
struct LaunchAttribute {
  alignas(8) int id;
  char padding[4];
  union {
    unsigned cluster[3];
    int flag;
    char room[64];
  };
};
enum LaunchAttributeId : int { launch_cooperative = 2, launch_cluster = 4, launch_overlaps = 6 };
struct LaunchConfig {
  unsigned grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes;
  CUstream_st* stream;
  LaunchAttribute* attributes;
  unsigned attribute_count;
};
enum TensorMapType : int { tensor_map_uint8 = 0, tensor_map_uint16 = 1, tensor_map_uint32 = 2, tensor_map_uint64 = 4 };
enum TensorMapSwizzle : int { swizzle_none = 0, swizzle_32 = 1, swizzle_64 = 2, swizzle_128 = 3 };
enum TensorMapPromotion : int { promotion_128 = 2 };

enum CaptureMode : int { capture_thread_local = 1, capture_relaxed = 2 };  // CUstreamCaptureMode
enum CaptureStatus : int { capture_none = 0, capture_active = 1 };         // CUstreamCaptureStatus
inline constexpr unsigned user_object_no_destructor_sync = 1;              // CU_USER_OBJECT_NO_DESTRUCTOR_SYNC
inline constexpr unsigned graph_user_object_move = 1;                      // CU_GRAPH_USER_OBJECT_MOVE
inline constexpr unsigned stream_non_blocking = 1;                         // CU_STREAM_NON_BLOCKING
inline constexpr unsigned host_memory_portable = 1;                        // CU_MEMHOSTALLOC_PORTABLE
inline constexpr unsigned host_memory_write_combined = 4;                  // CU_MEMHOSTALLOC_WRITECOMBINED
inline constexpr unsigned host_memory_mapped = 3;               // CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP
inline constexpr unsigned event_default = 0;                    // CU_EVENT_DEFAULT
inline constexpr unsigned long long legacy_stream_symbols = 1;  // CU_GET_PROC_ADDRESS_LEGACY_STREAM

// F(member, function, version, exported name, parameters...): `version` introduced this signature.
#define ATTUNE_DRIVER_FUNCTIONS(F)                                                                                   \
  F(init, cuInit, 2000, "cuInit", unsigned)                                                                          \
  F(get_error_name, cuGetErrorName, 6000, "cuGetErrorName", DriverResult, const char**)                              \
  F(get_error_string, cuGetErrorString, 6000, "cuGetErrorString", DriverResult, const char**)                        \
  F(device_get_count, cuDeviceGetCount, 2000, "cuDeviceGetCount", int*)                                              \
  F(device_get, cuDeviceGet, 2000, "cuDeviceGet", DeviceNumber*, int)                                                \
  F(device_get_name, cuDeviceGetName, 2000, "cuDeviceGetName", char*, int, DeviceNumber)                             \
  F(device_total_memory, cuDeviceTotalMem, 3020, "cuDeviceTotalMem_v2", std::size_t*, DeviceNumber)                  \
  F(device_get_attribute, cuDeviceGetAttribute, 2000, "cuDeviceGetAttribute", int*, DeviceAttribute, DeviceNumber)   \
  F(device_get_uuid, cuDeviceGetUuid, 9020, "cuDeviceGetUuid", Uuid*, DeviceNumber)                                  \
  F(primary_context_state, cuDevicePrimaryCtxGetState, 7000, "cuDevicePrimaryCtxGetState", DeviceNumber, unsigned*,  \
    int*)                                                                                                            \
  F(primary_context_retain, cuDevicePrimaryCtxRetain, 7000, "cuDevicePrimaryCtxRetain", CUctx_st**, DeviceNumber)    \
  F(primary_context_release, cuDevicePrimaryCtxRelease, 11000, "cuDevicePrimaryCtxRelease_v2", DeviceNumber)         \
  F(context_get_current, cuCtxGetCurrent, 4000, "cuCtxGetCurrent", CUctx_st**)                                       \
  F(context_push, cuCtxPushCurrent, 4000, "cuCtxPushCurrent_v2", CUctx_st*)                                          \
  F(context_pop, cuCtxPopCurrent, 4000, "cuCtxPopCurrent_v2", CUctx_st**)                                            \
  F(context_get_device, cuCtxGetDevice, 2000, "cuCtxGetDevice", DeviceNumber*)                                       \
  F(memory_allocate, cuMemAlloc, 3020, "cuMemAlloc_v2", DeviceAddress*, std::size_t)                                 \
  F(memory_free, cuMemFree, 3020, "cuMemFree_v2", DeviceAddress)                                                     \
  F(host_allocate, cuMemHostAlloc, 2020, "cuMemHostAlloc", void**, std::size_t, unsigned)                            \
  F(host_free, cuMemFreeHost, 2000, "cuMemFreeHost", void*)                                                          \
  F(memory_info, cuMemGetInfo, 3020, "cuMemGetInfo_v2", std::size_t*, std::size_t*)                                  \
  F(memset_bytes, cuMemsetD8Async, 3020, "cuMemsetD8Async", DeviceAddress, unsigned char, std::size_t, CUstream_st*) \
  F(copy_in, cuMemcpyHtoDAsync, 3020, "cuMemcpyHtoDAsync_v2", DeviceAddress, const void*, std::size_t, CUstream_st*) \
  F(copy_out, cuMemcpyDtoHAsync, 3020, "cuMemcpyDtoHAsync_v2", void*, DeviceAddress, std::size_t, CUstream_st*)      \
  F(copy_within, cuMemcpyDtoDAsync, 3020, "cuMemcpyDtoDAsync_v2", DeviceAddress, DeviceAddress, std::size_t,         \
    CUstream_st*)                                                                                                    \
  F(copy_any, cuMemcpyAsync, 4000, "cuMemcpyAsync", DeviceAddress, DeviceAddress, std::size_t, CUstream_st*)         \
  F(can_access_peer, cuDeviceCanAccessPeer, 4000, "cuDeviceCanAccessPeer", int*, DeviceNumber, DeviceNumber)         \
  F(peer_enable, cuCtxEnablePeerAccess, 4000, "cuCtxEnablePeerAccess", CUctx_st*, unsigned)                          \
  F(priority_range, cuCtxGetStreamPriorityRange, 5050, "cuCtxGetStreamPriorityRange", int*, int*)                    \
  F(stream_create_as, cuStreamCreateWithPriority, 5050, "cuStreamCreateWithPriority", CUstream_st**, unsigned, int)  \
  F(stream_wait, cuStreamWaitEvent, 3020, "cuStreamWaitEvent", CUstream_st*, CUevent_st*, unsigned)                  \
  F(stream_create, cuStreamCreate, 2000, "cuStreamCreate", CUstream_st**, unsigned)                                  \
  F(stream_destroy, cuStreamDestroy, 4000, "cuStreamDestroy_v2", CUstream_st*)                                       \
  F(stream_synchronize, cuStreamSynchronize, 2000, "cuStreamSynchronize", CUstream_st*)                              \
  F(launch_host_function, cuLaunchHostFunc, 10000, "cuLaunchHostFunc", CUstream_st*, HostCallback, void*)            \
  F(event_create, cuEventCreate, 2000, "cuEventCreate", CUevent_st**, unsigned)                                      \
  F(event_record, cuEventRecord, 2000, "cuEventRecord", CUevent_st*, CUstream_st*)                                   \
  F(event_synchronize, cuEventSynchronize, 2000, "cuEventSynchronize", CUevent_st*)                                  \
  F(event_query, cuEventQuery, 2000, "cuEventQuery", CUevent_st*)                                                    \
  F(event_destroy, cuEventDestroy, 4000, "cuEventDestroy_v2", CUevent_st*)                                           \
  F(event_elapsed, cuEventElapsedTime, 2000, "cuEventElapsedTime", float*, CUevent_st*, CUevent_st*)                 \
  F(capture_begin, cuStreamBeginCapture, 10010, "cuStreamBeginCapture_v2", CUstream_st*, CaptureMode)                \
  F(stream_is_capturing, cuStreamIsCapturing, 10000, "cuStreamIsCapturing", CUstream_st*, CaptureStatus*)            \
  F(exchange_capture_mode, cuThreadExchangeStreamCaptureMode, 10010, "cuThreadExchangeStreamCaptureMode",            \
    CaptureMode*)                                                                                                    \
  F(capture_end, cuStreamEndCapture, 10000, "cuStreamEndCapture", CUstream_st*, CUgraph_st**)                        \
  F(graph_upload, cuGraphUpload, 11010, "cuGraphUpload", CUgraphExec_st*, CUstream_st*)                              \
  F(graph_launch, cuGraphLaunch, 10000, "cuGraphLaunch", CUgraphExec_st*, CUstream_st*)                              \
  F(graph_destroy, cuGraphDestroy, 10000, "cuGraphDestroy", CUgraph_st*)                                             \
  F(graph_exec_destroy, cuGraphExecDestroy, 10000, "cuGraphExecDestroy", CUgraphExec_st*)                            \
  F(module_load, cuModuleLoadData, 2000, "cuModuleLoadData", CUmod_st**, const void*)                                \
  F(module_unload, cuModuleUnload, 2000, "cuModuleUnload", CUmod_st*)                                                \
  F(module_get_function, cuModuleGetFunction, 2000, "cuModuleGetFunction", CUfunc_st**, CUmod_st*, const char*)      \
  F(module_get_global, cuModuleGetGlobal, 3020, "cuModuleGetGlobal_v2", DeviceAddress*, std::size_t*, CUmod_st*,     \
    const char*)                                                                                                     \
  F(function_get_attribute, cuFuncGetAttribute, 2020, "cuFuncGetAttribute", int*, FunctionAttribute, CUfunc_st*)     \
  F(function_set_attribute, cuFuncSetAttribute, 9000, "cuFuncSetAttribute", CUfunc_st*, FunctionAttribute, int)      \
  F(launch, cuLaunchKernel, 4000, "cuLaunchKernel", CUfunc_st*, unsigned, unsigned, unsigned, unsigned, unsigned,    \
    unsigned, unsigned, CUstream_st*, void**, void**)

// Null in older drivers, where the caller has another way, or says what to do.
#define ATTUNE_DRIVER_FUNCTIONS_11030(F)                                                                           \
  F(capture_info, cuStreamGetCaptureInfo, 11030, "cuStreamGetCaptureInfo_v2", CUstream_st*, CaptureStatus*,        \
    std::uint64_t*, CUgraph_st**, CUgraphNode_st* const**, std::size_t*)                                           \
  F(user_object_create, cuUserObjectCreate, 11030, "cuUserObjectCreate", CUuserObject_st**, void*, HostCallback,   \
    unsigned, unsigned)                                                                                            \
  F(user_object_release, cuUserObjectRelease, 11030, "cuUserObjectRelease", CUuserObject_st*, unsigned)            \
  F(graph_retain_object, cuGraphRetainUserObject, 11030, "cuGraphRetainUserObject", CUgraph_st*, CUuserObject_st*, \
    unsigned, unsigned)
#define ATTUNE_DRIVER_FUNCTIONS_11040(F)                                                                    \
  F(device_get_uuid_mig, cuDeviceGetUuid, 11040, "cuDeviceGetUuid_v2", Uuid*, DeviceNumber)                 \
  F(graph_instantiate, cuGraphInstantiateWithFlags, 11040, "cuGraphInstantiateWithFlags", CUgraphExec_st**, \
    CUgraph_st*, unsigned long long)
#define ATTUNE_DRIVER_FUNCTIONS_11060(F) \
  F(launch_with, cuLaunchKernelEx, 11060, "cuLaunchKernelEx", const LaunchConfig*, CUfunc_st*, void**, void**)
#define ATTUNE_DRIVER_FUNCTIONS_11070(F)                                                                  \
  F(most_clusters, cuOccupancyMaxActiveClusters, 11070, "cuOccupancyMaxActiveClusters", int*, CUfunc_st*, \
    const LaunchConfig*)
#define ATTUNE_DRIVER_FUNCTIONS_12000(F)                                                                           \
  F(tensor_map_encode, cuTensorMapEncodeTiled, 12000, "cuTensorMapEncodeTiled", CUtensorMap_st*, TensorMapType,    \
    unsigned, void*, const std::uint64_t*, const std::uint64_t*, const unsigned*, const unsigned*, int interleave, \
    TensorMapSwizzle, TensorMapPromotion, int fill)                                                                \
  F(stream_get_id, cuStreamGetId, 12000, "cuStreamGetId", CUstream_st*, unsigned long long*)
#define ATTUNE_DRIVER_FUNCTIONS_12040(F) F(function_load, cuFuncLoad, 12040, "cuFuncLoad", CUfunc_st*)
#define ATTUNE_DRIVER_FUNCTIONS_12080(F) \
  F(event_elapsed_checked, cuEventElapsedTime, 12080, "cuEventElapsedTime_v2", float*, CUevent_st*, CUevent_st*)
#define ATTUNE_DRIVER_OPTIONAL(F)  \
  ATTUNE_DRIVER_FUNCTIONS_11030(F) \
  ATTUNE_DRIVER_FUNCTIONS_11040(F) \
  ATTUNE_DRIVER_FUNCTIONS_11060(F) \
  ATTUNE_DRIVER_FUNCTIONS_11070(F) \
  ATTUNE_DRIVER_FUNCTIONS_12000(F) \
  ATTUNE_DRIVER_FUNCTIONS_12040(F) \
  ATTUNE_DRIVER_FUNCTIONS_12080(F)

// The functions of a loaded driver. load_driver() fills it in once; then any thread may read it.
struct DriverApi {
#define ATTUNE_MEMBER(member, function, version, exported, ...) DriverResult (*member)(__VA_ARGS__) = nullptr;
  ATTUNE_DRIVER_FUNCTIONS(ATTUNE_MEMBER)
  ATTUNE_DRIVER_OPTIONAL(ATTUNE_MEMBER)
#undef ATTUNE_MEMBER
  int cuda_version = 0;  // what cuDriverGetVersion() gives: 13000
};

using GetVersion = DriverResult (*)(int* version);  // cuDriverGetVersion, 2020
using GetProcAddress11 = DriverResult (*)(const char*, void**, int version, unsigned long long flags);  // 11030
using GetProcAddress12 = DriverResult (*)(const char*, void**, int version, unsigned long long flags,
                                          int* found);  // 12000

}  // namespace attune::cuda
