// cuBLAS and the host's part of cuRAND for host code that is ignored (attune_host_code.cuh): the libraries' own headers
// do not compile with NVRTC.
#pragma once
#if __has_include(<cuda_fp16.h>)
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#endif
typedef struct attune_handle *cublasHandle_t, *cublasLtHandle_t, *cublasLtMatmulDesc_t, *cublasLtMatmulPreference_t,
    *cublasLtMatrixLayout_t, *curandGenerator_t;
struct cublasLtMatmulHeuristicResult_t {
  int algo;
};
typedef int cublasComputeType_t, cublasDiagType_t, cublasFillMode_t, cublasGemmAlgo_t, cublasLtEpilogue_t, cublasMath_t,
    cublasOperation_t, cublasSideMode_t, cublasStatus_t, curandRngType_t, curandStatus_t;
enum { CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C };
enum {
  CUBLAS_STATUS_SUCCESS,
  CUBLAS_STATUS_NOT_INITIALIZED,
  CUBLAS_STATUS_EXECUTION_FAILED,
  CURAND_STATUS_SUCCESS = 0
};
enum { CUBLAS_SIDE_LEFT, CUBLAS_SIDE_RIGHT, CUBLAS_FILL_MODE_LOWER = 0, CUBLAS_FILL_MODE_UPPER };
enum { CUBLAS_DIAG_NON_UNIT, CUBLAS_DIAG_UNIT };
enum { CUBLAS_DEFAULT_MATH, CUBLAS_TENSOR_OP_MATH, CUBLAS_TF32_TENSOR_OP_MATH, CUBLAS_PEDANTIC_MATH };
enum {
  CUBLAS_COMPUTE_16F,
  CUBLAS_COMPUTE_32F,
  CUBLAS_COMPUTE_32F_FAST_16F,
  CUBLAS_COMPUTE_32F_FAST_TF32,
  CUBLAS_COMPUTE_64F
};
enum { CUBLAS_GEMM_DEFAULT, CUBLAS_GEMM_DEFAULT_TENSOR_OP };
enum {
  CUBLASLT_EPILOGUE_DEFAULT,
  CUBLASLT_EPILOGUE_BIAS,
  CUBLASLT_EPILOGUE_GELU,
  CUBLASLT_EPILOGUE_GELU_BIAS,
  CUBLASLT_EPILOGUE_GELU_AUX,
  CUBLASLT_EPILOGUE_GELU_AUX_BIAS,
  CUBLASLT_EPILOGUE_BGRADA,
  CUBLASLT_EPILOGUE_BGRADB,
  CUBLASLT_EPILOGUE_DGELU,
  CUBLASLT_MATMUL_DESC_TRANSA,
  CUBLASLT_MATMUL_DESC_TRANSB,
  CUBLASLT_MATMUL_DESC_EPILOGUE,
  CUBLASLT_MATMUL_DESC_BIAS_POINTER,
  CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE,
  CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER,
  CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD,
  CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
  CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT,
  CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET
};
enum { CURAND_RNG_PSEUDO_DEFAULT = 100, CURAND_RNG_PSEUDO_XORWOW, CURAND_RNG_PSEUDO_PHILOX4_32_10 };
#define ATTUNE_LIBRARY(attune_name) \
  template <class... attune_a>      \
  int attune_name(attune_a&&...);
ATTUNE_LIBRARY(cublasCreate)
ATTUNE_LIBRARY(cublasDestroy)
ATTUNE_LIBRARY(cublasSetMathMode)
ATTUNE_LIBRARY(cublasSetStream)
ATTUNE_LIBRARY(cublasSetWorkspace)
ATTUNE_LIBRARY(cublasDgemm)
ATTUNE_LIBRARY(cublasDgemv)
ATTUNE_LIBRARY(cublasGemmEx)
ATTUNE_LIBRARY(cublasGemmStridedBatchedEx)
ATTUNE_LIBRARY(cublasHgemm)
ATTUNE_LIBRARY(cublasSasum)
ATTUNE_LIBRARY(cublasSaxpy)
ATTUNE_LIBRARY(cublasScopy)
ATTUNE_LIBRARY(cublasSdot)
ATTUNE_LIBRARY(cublasSgeam)
ATTUNE_LIBRARY(cublasSgemm)
ATTUNE_LIBRARY(cublasSgemmStridedBatched)
ATTUNE_LIBRARY(cublasSgemv)
ATTUNE_LIBRARY(cublasSger)
ATTUNE_LIBRARY(cublasSnrm2)
ATTUNE_LIBRARY(cublasSscal)
ATTUNE_LIBRARY(cublasStrsm)
ATTUNE_LIBRARY(cublasLtCreate)
ATTUNE_LIBRARY(cublasLtDestroy)
ATTUNE_LIBRARY(cublasLtMatmul)
ATTUNE_LIBRARY(cublasLtMatmulAlgoGetHeuristic)
ATTUNE_LIBRARY(cublasLtMatmulDescCreate)
ATTUNE_LIBRARY(cublasLtMatmulDescDestroy)
ATTUNE_LIBRARY(cublasLtMatmulDescSetAttribute)
ATTUNE_LIBRARY(cublasLtMatmulPreferenceCreate)
ATTUNE_LIBRARY(cublasLtMatmulPreferenceDestroy)
ATTUNE_LIBRARY(cublasLtMatmulPreferenceSetAttribute)
ATTUNE_LIBRARY(cublasLtMatrixLayoutCreate)
ATTUNE_LIBRARY(cublasLtMatrixLayoutDestroy)
ATTUNE_LIBRARY(cublasLtMatrixLayoutSetAttribute)
ATTUNE_LIBRARY(curandCreateGenerator)
ATTUNE_LIBRARY(curandDestroyGenerator)
ATTUNE_LIBRARY(curandGenerateNormal)
ATTUNE_LIBRARY(curandGenerateUniform)
ATTUNE_LIBRARY(curandSetPseudoRandomGeneratorSeed)
#undef ATTUNE_LIBRARY
