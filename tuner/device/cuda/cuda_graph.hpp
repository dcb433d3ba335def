// CudaGraph: operations recorded once, to be enqueued as one. On an H200, operations in a graph are 1 us apart;
// enqueueing each costs the host 4 us. One thread.
#pragma once

#include <memory>

#include "device/cuda/cuda_context.hpp"
#include "device/device.hpp"

namespace attune::cuda {

class CudaGraph {
 public:
  // Records `rounds` rounds of operations: each round has those of one of `sets`, in turn. Copies the parameters of
  // launches. Returns a failure as the status; the graph then cannot be used. Throws Error if the driver is older than
  // CUDA 11.4. The context must be current, here and in enqueue().
  static Status record(const CudaContext& context, std::span<const std::span<const Operation>> sets, int rounds,
                       CudaGraph& graph);

  explicit operator bool() const noexcept { return executable_ != nullptr; }
  Status enqueue(const CudaContext& context, CUstream_st* stream) const;

 private:
  struct Destroy {
    const DriverApi* api;
    void operator()(CUgraphExec_st* graph) const noexcept { api->graph_exec_destroy(graph); }
  };
  std::unique_ptr<CUgraphExec_st, Destroy> executable_{nullptr, Destroy{nullptr}};
};

}  // namespace attune::cuda
