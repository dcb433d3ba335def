// What peers from cuBLAS share: a handle with memory of its own, and a Work of one call.
#pragma once

#include <cublas_v2.h>

#include <utility>

#include "peer.hpp"

namespace attune::peers {

inline void check(cublasStatus_t status, const char* what) {
  if (status != CUBLAS_STATUS_SUCCESS) throw Failed(std::string(what) + ": " + cublasGetStatusString(status));
}

// A handle with memory of its own: else cuBLAS allocates while calls are recorded to a graph.
class Handle {
 public:
  Handle() : memory_(workspace_bytes) { check(cublasCreate(&handle_), "cublasCreate"); }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() { cublasDestroy(handle_); }
  // Scalars are read from, and results written to, memory of this kind.
  cublasHandle_t on(cudaStream_t stream, cublasPointerMode_t scalars) {
    check(cublasSetStream(handle_, stream), "cublasSetStream");
    check(cublasSetWorkspace(handle_, memory_.data(), memory_.bytes()), "cublasSetWorkspace");
    check(cublasSetPointerMode(handle_, scalars), "cublasSetPointerMode");
    return handle_;
  }

 private:
  static constexpr std::size_t workspace_bytes = std::size_t{32} << 20;  // what cuBLAS itself takes on sm_90
  const TemporaryMemory memory_;
  cublasHandle_t handle_ = nullptr;
};

template <typename Function>
class BlasWork final : public Work {
 public:
  explicit BlasWork(Function function) : function_(std::move(function)) {}
  void enqueue(const Call& call, cudaStream_t stream) override { check(function_(handle_, call, stream), "cuBLAS"); }

 private:
  const Function function_;
  Handle handle_;
};

template <typename Function>
std::unique_ptr<Work> blas_work(Function function) {
  return std::make_unique<BlasWork<Function>>(std::move(function));
}

inline bool is_double(const Call& call) {
  const std::string_view type = call.text("T");
  if (type != "float" && type != "double") throw Declined("it has float and double, not " + std::string(type));
  return type == "double";
}

}  // namespace attune::peers
