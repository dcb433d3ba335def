// cuBLAS: products of matrices, of many small ones, and on tensor cores by cuBLASLt. Rows of a kernel are columns of
// cuBLAS, so it computes the transposed product: the second factor comes first.
#include <cublasLt.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>
#include <vector>

#include "cublas.hpp"
#include "fastest.hpp"
#include "table.hpp"

namespace attune::peers {
namespace {

// ---- cublasSgemm, cublasDgemm ----

// Of rows, each `width` long, that are one factor of the product.
struct Factor {
  cublasOperation_t operation;
  long long leading;
};

Factor factor(const Call& call, std::string_view transposed, long long width, long long width_if_transposed) {
  const std::string_view text = call.text(transposed);
  if (text == "Trans::no") return {CUBLAS_OP_N, width};
  if (text == "Trans::yes") return {CUBLAS_OP_T, width_if_transposed};
  throw Declined("it has Trans::no and Trans::yes, not " + std::string(text));
}

// Pedantic: every product and sum has the type's own precision, and so no TF32 is used.
cublasHandle_t exact(Handle& handle, cudaStream_t stream) {
  const cublasHandle_t on_stream = handle.on(stream, CUBLAS_POINTER_MODE_HOST);
  check(cublasSetMathMode(on_stream, CUBLAS_PEDANTIC_MATH), "cublasSetMathMode");
  return on_stream;
}

std::unique_ptr<Work> matmul(const Call& call) {
  const long long m = call.size("m"), n = call.size("n"), k = call.size("k");
  const Factor a = factor(call, "TA", k, m), b = factor(call, "TB", n, k);
  if (is_double(call))
    return blas_work([=](Handle& handle, const Call& now, cudaStream_t stream) {
      const double alpha = now.scalar<double>("alpha"), beta = now.scalar<double>("beta");
      return cublasDgemm_64(exact(handle, stream), b.operation, a.operation, n, m, k, &alpha, now.array<double>("b"),
                            b.leading, now.array<double>("a"), a.leading, &beta, now.array<double>("c"), n);
    });
  return blas_work([=](Handle& handle, const Call& now, cudaStream_t stream) {
    const float alpha = now.scalar<float>("alpha"), beta = now.scalar<float>("beta");
    return cublasSgemm_64(exact(handle, stream), b.operation, a.operation, n, m, k, &alpha, now.array<float>("b"),
                          b.leading, now.array<float>("a"), a.leading, &beta, now.array<float>("c"), n);
  });
}

std::unique_ptr<Work> gemm_batched(const Call& call) {
  const long long n = call.size("n"), batch = call.size("batch"), area = n * n;
  if (is_double(call))
    return blas_work([=](Handle& handle, const Call& now, cudaStream_t stream) {
      const double one = 1, none = 0;
      return cublasDgemmStridedBatched_64(exact(handle, stream), CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one,
                                          now.array<double>("b"), n, area, now.array<double>("a"), n, area, &none,
                                          now.array<double>("c"), n, area, batch);
    });
  return blas_work([=](Handle& handle, const Call& now, cudaStream_t stream) {
    const float one = 1, none = 0;
    return cublasSgemmStridedBatched_64(exact(handle, stream), CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one,
                                        now.array<float>("b"), n, area, now.array<float>("a"), n, area, &none,
                                        now.array<float>("c"), n, area, batch);
  });
}

// ---- cuBLASLt ----

// What cuBLASLt makes and destroys.
using LtHandle = Owned<cublasLtHandle_t, cublasLtDestroy>;
using Operation = Owned<cublasLtMatmulDesc_t, cublasLtMatmulDescDestroy>;
using Layout = Owned<cublasLtMatrixLayout_t, cublasLtMatrixLayoutDestroy>;
using Preference = Owned<cublasLtMatmulPreference_t, cublasLtMatmulPreferenceDestroy>;

// Numbers out of uniform(-1, 1), as the tuner's: products of zeros take less power, and so less time.
template <typename T>
__global__ void fill(T* array, long long count, unsigned seed) {
  const long long stride = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += stride) {
    unsigned long long mixed = (static_cast<unsigned long long>(i) + 1) * 0x9e3779b97f4a7c15 + seed;
    mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9;
    mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111eb;
    array[i] = static_cast<T>(static_cast<float>(mixed >> 40) * 0x1p-23f - 1.0f);
  }
}

// C = A B^T of 16-bit numbers, added in float: the fastest of the algorithms that cuBLASLt proposes.
template <typename T>
class TensorWork final : public Work {
 public:
  TensorWork(cudaDataType type, long long m, long long n, long long k) : m_(m), n_(n), k_(k), memory_(workspace_bytes) {
    check(cublasLtCreate(handle_.to_make()), "cublasLtCreate");
    check(cublasLtMatmulDescCreate(operation_.to_make(), CUBLAS_COMPUTE_32F, CUDA_R_32F), "cublasLtMatmulDescCreate");
    const cublasOperation_t transposed = CUBLAS_OP_T;
    check(cublasLtMatmulDescSetAttribute(operation_, CUBLASLT_MATMUL_DESC_TRANSA, &transposed, sizeof transposed),
          "CUBLASLT_MATMUL_DESC_TRANSA");
    make_layout(layout_a_, type, k, m);
    make_layout(layout_b_, type, k, n);
    make_layout(layout_c_, type, n, m);
    choose();
  }

  void enqueue(const Call& call, cudaStream_t stream) override {
    check(run(algorithm_, call.array<T>("c"), call.array<T>("a"), call.array<T>("b"), stream), "cublasLtMatmul");
  }

 private:
  static constexpr std::size_t workspace_bytes = std::size_t{64} << 20;
  static constexpr int most_algorithms = 32;

  static void make_layout(Layout& layout, cudaDataType type, long long rows, long long columns) {
    check(cublasLtMatrixLayoutCreate(layout.to_make(), type, static_cast<std::uint64_t>(rows),
                                     static_cast<std::uint64_t>(columns), rows),
          "cublasLtMatrixLayoutCreate");
  }

  cublasStatus_t run(const cublasLtMatmulAlgo_t& algorithm, T* c, const T* a, const T* b, cudaStream_t stream) const {
    const float one = 1, none = 0;
    return cublasLtMatmul(handle_, operation_, &one, b, layout_b_, a, layout_a_, &none, c, layout_c_, c, layout_c_,
                          &algorithm, memory_.data(), memory_.bytes(), stream);
  }

  std::vector<cublasLtMatmulAlgo_t> proposed() const {
    Preference preference;
    check(cublasLtMatmulPreferenceCreate(preference.to_make()), "cublasLtMatmulPreferenceCreate");
    const auto prefer = [&](cublasLtMatmulPreferenceAttributes_t attribute, auto value) {
      check(cublasLtMatmulPreferenceSetAttribute(preference, attribute, &value, sizeof value),
            "cublasLtMatmulPreferenceSetAttribute");
    };
    prefer(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, std::uint64_t{workspace_bytes});
    // Where k is split, parts are added in float too, not in the type of the result.
    prefer(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, std::uint32_t{CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE});
    std::vector<cublasLtMatmulHeuristicResult_t> results(most_algorithms);
    int count = 0;
    const cublasStatus_t status =
        cublasLtMatmulAlgoGetHeuristic(handle_, operation_, layout_b_, layout_a_, layout_c_, layout_c_, preference,
                                       most_algorithms, results.data(), &count);
    if (status == CUBLAS_STATUS_NOT_SUPPORTED)
      count = 0;
    else
      check(status, "cublasLtMatmulAlgoGetHeuristic");
    std::vector<cublasLtMatmulAlgo_t> candidates;
    for (int i = 0; i < count; ++i)
      if (results[i].state == CUBLAS_STATUS_SUCCESS) candidates.push_back(results[i].algo);
    if (candidates.empty()) throw Declined("cuBLASLt proposes no algorithm for this product");
    return candidates;
  }

  void choose() {
    const TemporaryMemory a(bytes(m_, k_)), b(bytes(n_, k_)), c(bytes(m_, n_));
    const Stream stream;
    fill<<<1024, 256, 0, stream>>>(static_cast<T*>(a.data()), m_ * k_, 1);
    fill<<<1024, 256, 0, stream>>>(static_cast<T*>(b.data()), n_ * k_, 2);
    check(cudaGetLastError(), "the data to choose an algorithm with");
    algorithm_ = fastest(proposed(), stream, [&](const cublasLtMatmulAlgo_t& algorithm) {
      return run(algorithm, static_cast<T*>(c.data()), static_cast<const T*>(a.data()),
                 static_cast<const T*>(b.data()), stream) == CUBLAS_STATUS_SUCCESS;
    });
  }

  static std::size_t bytes(long long rows, long long columns) {
    return sizeof(T) * static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
  }

  const long long m_, n_, k_;
  const TemporaryMemory memory_;
  LtHandle handle_;
  Operation operation_;
  Layout layout_a_, layout_b_, layout_c_;
  cublasLtMatmulAlgo_t algorithm_{};
};

std::unique_ptr<Work> gemm_tensor(const Call& call) {
  const long long m = call.size("m"), n = call.size("n"), k = call.size("k");
  const std::string_view type = call.text("T");
  if (type == "bfloat16") return std::make_unique<TensorWork<__nv_bfloat16>>(CUDA_R_16BF, m, n, k);
  if (type == "half") return std::make_unique<TensorWork<__half>>(CUDA_R_16F, m, n, k);
  throw Declined("it is compiled for half and bfloat16, not " + std::string(type));
}

}  // namespace

std::vector<Peer> cublas_gemm() {
  return {peer<matmul>("matmul", "cublas"), peer<gemm_batched>("gemm_batched", "cublas"),
          peer<gemm_tensor>("gemm_tensor", "cublaslt")};
}

}  // namespace attune::peers
