// cuBLAS: copy, axpy, dot, and geam for a sum of matrices and for a transpose.
#include "cublas.hpp"
#include "table.hpp"

namespace attune::peers {
namespace {

std::unique_ptr<Work> axpy(const Call& call) {
  const long long n = call.size("n");
  if (is_double(call))
    return blas_work([n](Handle& handle, const Call& now, cudaStream_t stream) {
      const double a = now.scalar<double>("a");
      return cublasDaxpy_64(handle.on(stream, CUBLAS_POINTER_MODE_HOST), n, &a, now.array<double>("x"), 1,
                            now.array<double>("y"), 1);
    });
  return blas_work([n](Handle& handle, const Call& now, cudaStream_t stream) {
    const float a = now.scalar<float>("a");
    return cublasSaxpy_64(handle.on(stream, CUBLAS_POINTER_MODE_HOST), n, &a, now.array<float>("x"), 1,
                          now.array<float>("y"), 1);
  });
}

// It reads with a stride, from any element on.
std::unique_ptr<Work> copy(const Call& call) {
  const long long n = call.size("n"), offset = call.size("offset"), stride = call.size("stride");
  if (is_double(call))
    return blas_work([=](Handle& handle, const Call& now, cudaStream_t stream) {
      return cublasDcopy_64(handle.on(stream, CUBLAS_POINTER_MODE_HOST), n, now.array<double>("in") + offset, stride,
                            now.array<double>("out"), 1);
    });
  return blas_work([=](Handle& handle, const Call& now, cudaStream_t stream) {
    return cublasScopy_64(handle.on(stream, CUBLAS_POINTER_MODE_HOST), n, now.array<float>("in") + offset, stride,
                          now.array<float>("out"), 1);
  });
}

std::unique_ptr<Work> dot(const Call& call) {
  const long long n = call.size("n");
  if (is_double(call))
    return blas_work([n](Handle& handle, const Call& now, cudaStream_t stream) {
      return cublasDdot_64(handle.on(stream, CUBLAS_POINTER_MODE_DEVICE), n, now.array<double>("x"), 1,
                           now.array<double>("y"), 1, now.array<double>("out"));
    });
  return blas_work([n](Handle& handle, const Call& now, cudaStream_t stream) {
    return cublasSdot_64(handle.on(stream, CUBLAS_POINTER_MODE_DEVICE), n, now.array<float>("x"), 1,
                         now.array<float>("y"), 1, now.array<float>("out"));
  });
}

std::unique_ptr<Work> add(const Call& call) {
  const long long rows = call.size("rows"), columns = call.size("columns"), pitch = call.size("pitch");
  const long long leading = pitch > 0 ? pitch : columns;
  if (is_double(call))
    return blas_work([=](Handle& handle, const Call& now, cudaStream_t stream) {
      const double one = 1;
      return cublasDgeam_64(handle.on(stream, CUBLAS_POINTER_MODE_HOST), CUBLAS_OP_N, CUBLAS_OP_N, columns, rows, &one,
                            now.array<double>("a"), leading, &one, now.array<double>("b"), leading,
                            now.array<double>("out"), leading);
    });
  return blas_work([=](Handle& handle, const Call& now, cudaStream_t stream) {
    const float one = 1;
    return cublasSgeam_64(handle.on(stream, CUBLAS_POINTER_MODE_HOST), CUBLAS_OP_N, CUBLAS_OP_N, columns, rows, &one,
                          now.array<float>("a"), leading, &one, now.array<float>("b"), leading,
                          now.array<float>("out"), leading);
  });
}

// Rows of the kernel are columns of cuBLAS: out, height x width there, is `in` transposed. Its second matrix is not
// read where it counts 0.
std::unique_ptr<Work> transpose(const Call& call) {
  const long long width = call.size("width"), height = call.size("height");
  if (is_double(call))
    return blas_work([width, height](Handle& handle, const Call& now, cudaStream_t stream) {
      const double one = 1, none = 0;
      double* const out = now.array<double>("out");
      return cublasDgeam_64(handle.on(stream, CUBLAS_POINTER_MODE_HOST), CUBLAS_OP_T, CUBLAS_OP_N, height, width, &one,
                            now.array<double>("in"), width, &none, out, height, out, height);
    });
  return blas_work([width, height](Handle& handle, const Call& now, cudaStream_t stream) {
    const float one = 1, none = 0;
    float* const out = now.array<float>("out");
    return cublasSgeam_64(handle.on(stream, CUBLAS_POINTER_MODE_HOST), CUBLAS_OP_T, CUBLAS_OP_N, height, width, &one,
                          now.array<float>("in"), width, &none, out, height, out, height);
  });
}

}  // namespace

std::vector<Peer> cublas() {
  return {peer<copy>("copy", "cublas"), peer<axpy>("axpy", "cublas"), peer<dot>("dot", "cublas"),
          peer<add>("add", "geam"), peer<transpose>("transpose", "geam")};
}

}  // namespace attune::peers
