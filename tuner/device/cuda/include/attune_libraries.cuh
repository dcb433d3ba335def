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
ATTUNE_CALLS(int, cublasCreate)
ATTUNE_CALLS(int, cublasDestroy)
ATTUNE_CALLS(int, cublasSetMathMode)
ATTUNE_CALLS(int, cublasSetStream)
ATTUNE_CALLS(int, cublasSetWorkspace)
ATTUNE_CALLS(int, cublasDgemm)
ATTUNE_CALLS(int, cublasDgemv)
ATTUNE_CALLS(int, cublasGemmEx)
ATTUNE_CALLS(int, cublasGemmStridedBatchedEx)
ATTUNE_CALLS(int, cublasHgemm)
ATTUNE_CALLS(int, cublasSasum)
ATTUNE_CALLS(int, cublasSaxpy)
ATTUNE_CALLS(int, cublasScopy)
ATTUNE_CALLS(int, cublasSdot)
ATTUNE_CALLS(int, cublasSgeam)
ATTUNE_CALLS(int, cublasSgemm)
ATTUNE_CALLS(int, cublasSgemmStridedBatched)
ATTUNE_CALLS(int, cublasSgemv)
ATTUNE_CALLS(int, cublasSger)
ATTUNE_CALLS(int, cublasSnrm2)
ATTUNE_CALLS(int, cublasSscal)
ATTUNE_CALLS(int, cublasStrsm)
ATTUNE_CALLS(int, cublasLtCreate)
ATTUNE_CALLS(int, cublasLtDestroy)
ATTUNE_CALLS(int, cublasLtMatmul)
ATTUNE_CALLS(int, cublasLtMatmulAlgoGetHeuristic)
ATTUNE_CALLS(int, cublasLtMatmulDescCreate)
ATTUNE_CALLS(int, cublasLtMatmulDescDestroy)
ATTUNE_CALLS(int, cublasLtMatmulDescSetAttribute)
ATTUNE_CALLS(int, cublasLtMatmulPreferenceCreate)
ATTUNE_CALLS(int, cublasLtMatmulPreferenceDestroy)
ATTUNE_CALLS(int, cublasLtMatmulPreferenceSetAttribute)
ATTUNE_CALLS(int, cublasLtMatrixLayoutCreate)
ATTUNE_CALLS(int, cublasLtMatrixLayoutDestroy)
ATTUNE_CALLS(int, cublasLtMatrixLayoutSetAttribute)
ATTUNE_CALLS(int, curandCreateGenerator)
ATTUNE_CALLS(int, curandDestroyGenerator)
ATTUNE_CALLS(int, curandGenerateNormal)
ATTUNE_CALLS(int, curandGenerateUniform)
ATTUNE_CALLS(int, curandSetPseudoRandomGeneratorSeed)
