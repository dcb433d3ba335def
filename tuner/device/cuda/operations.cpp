#include "device/cuda/operations.hpp"

#include <fmt/format.h>

#include "device/cuda/cuda_status.hpp"

namespace attune::cuda {
namespace {

[[gnu::cold]] std::string describe(const Operation& operation) {
  if (operation.kind == Operation::Kind::memset) return fmt::format("memset of {} bytes", operation.bytes);
  if (operation.kind == Operation::Kind::copy) return fmt::format("copy of {} bytes", operation.bytes);
  const LaunchShape& shape = operation.shape;
  std::string text =
      fmt::format("launch of grid {} x {} x {}, block {} x {} x {}, {} bytes of dynamic shared memory", shape.grid[0],
                  shape.grid[1], shape.grid[2], shape.block[0], shape.block[1], shape.block[2], shape.shared_bytes);
  if (shape.cluster_blocks() != 1)
    text += fmt::format(", clusters of {} x {} x {} blocks", shape.cluster[0], shape.cluster[1], shape.cluster[2]);
  if (shape.cooperative) text += ", all blocks at the same time";
  return text;
}

constexpr DriverResult not_supported = 801;  // CUDA_ERROR_NOT_SUPPORTED

// Launches by drivers before 11.6. A step that may overlap the one before it does not; its results are the same.
[[gnu::cold]] DriverResult launch_without_attributes(const DriverApi& api, const Operation& operation,
                                                     void** parameters, CUstream_st* stream) noexcept {
  const LaunchShape& shape = operation.shape;
  if (shape.cluster_blocks() != 1 || shape.cooperative) return not_supported;
  return api.launch(static_cast<CUfunc_st*>(operation.function), shape.grid[0], shape.grid[1], shape.grid[2],
                    shape.block[0], shape.block[1], shape.block[2], static_cast<unsigned>(shape.shared_bytes), stream,
                    parameters, nullptr);
}

DriverResult issue(const DriverApi& api, const Operation& operation, CUstream_st* stream) {
  if (operation.kind == Operation::Kind::launch) return launch_operation(api, operation, operation.parameters, stream);
  if (operation.bytes == 0) return result_success;
  if (operation.kind == Operation::Kind::memset) {
    return api.memset_bytes(device_address(operation.target), static_cast<unsigned char>(operation.value),
                            operation.bytes, stream);
  }
  return api.copy_within(device_address(operation.target), device_address(operation.source), operation.bytes, stream);
}

}  // namespace

ExtendedLaunch::ExtendedLaunch(const LaunchShape& shape, CUstream_st* stream) noexcept
    : config_{shape.grid[0],
              shape.grid[1],
              shape.grid[2],
              shape.block[0],
              shape.block[1],
              shape.block[2],
              static_cast<unsigned>(shape.shared_bytes),
              stream,
              attributes_,
              0} {
  if (shape.cluster_blocks() != 1) {
    LaunchAttribute& attribute = attributes_[config_.attribute_count++] = {};
    attribute.id = launch_cluster;
    for (int i = 0; i < 3; ++i) attribute.cluster[i] = shape.cluster[static_cast<std::size_t>(i)];
  }
  if (shape.cooperative) {
    LaunchAttribute& attribute = attributes_[config_.attribute_count++] = {};
    attribute.id = launch_cooperative;
    attribute.flag = 1;
  }
  if (shape.overlaps) {
    LaunchAttribute& attribute = attributes_[config_.attribute_count++] = {};
    attribute.id = launch_overlaps;
    attribute.flag = 1;
  }
}

// cuLaunchKernelEx takes less time than cuLaunchKernel: on an H200 some 40 ns of 3,200.
[[gnu::hot]] DriverResult launch_operation(const DriverApi& api, const Operation& operation, void** parameters,
                                           CUstream_st* stream) noexcept {
  if (api.launch_with == nullptr) [[unlikely]]
    return launch_without_attributes(api, operation, parameters, stream);
  return api.launch_with(&ExtendedLaunch(operation.shape, stream).config(), static_cast<CUfunc_st*>(operation.function),
                         parameters, nullptr);
}

Status enqueue_operation(const DriverApi& api, const Operation& operation, CUstream_st* stream) {
  if (operation.kind == Operation::Kind::routine) return operation.routine->enqueue(operation.parameters, stream);
  const DriverResult result = issue(api, operation, stream);
  if (result == result_success) return {};
  return status_of(api, result, describe(operation));
}

}  // namespace attune::cuda
