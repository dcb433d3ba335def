#include "device/cuda/operations.hpp"

#include <fmt/format.h>

#include "device/cuda/cuda_status.hpp"

namespace attune::cuda {
namespace {

std::string describe(const Operation& operation) {
  if (operation.kind == Operation::Kind::memset) return fmt::format("memset of {} bytes", operation.bytes);
  if (operation.kind == Operation::Kind::copy) return fmt::format("copy of {} bytes", operation.bytes);
  const LaunchShape& shape = operation.shape;
  return fmt::format("launch of grid {} x {} x {}, block {} x {} x {}, {} bytes of dynamic shared memory",
                     shape.grid[0], shape.grid[1], shape.grid[2], shape.block[0], shape.block[1], shape.block[2],
                     shape.shared_bytes);
}

Result issue(const DriverApi& api, const Operation& operation, CUstream_st* stream) {
  if (operation.kind == Operation::Kind::launch) {
    const LaunchShape& shape = operation.shape;
    return api.launch(static_cast<CUfunc_st*>(operation.function), shape.grid[0], shape.grid[1], shape.grid[2],
                      shape.block[0], shape.block[1], shape.block[2], static_cast<unsigned>(shape.shared_bytes), stream,
                      operation.parameters, nullptr);
  }
  if (operation.bytes == 0) return result_success;
  if (operation.kind == Operation::Kind::memset) {
    return api.memset_bytes(device_address(operation.target), static_cast<unsigned char>(operation.value),
                            operation.bytes, stream);
  }
  return api.copy_within(device_address(operation.target), device_address(operation.source), operation.bytes, stream);
}

}  // namespace

Status enqueue_operation(const DriverApi& api, const Operation& operation, CUstream_st* stream) {
  if (operation.kind == Operation::Kind::routine) return operation.routine->enqueue(operation.parameters, stream);
  const Result result = issue(api, operation, stream);
  if (result == result_success) return {};
  return status_of(api, result, describe(operation));
}

}  // namespace attune::cuda
