// Checks `copy`, `add`, `axpy`, `transpose`, `gemm_batched`, `matmul`, `gemm_tensor`, `rowsum`, `argmax`, `softmax`,
// `layernorm`, `spmv` and `components` over arrays that begin anywhere, as applications may pass them.
#pragma once

#include <string>
#include <vector>

namespace attune::test {

// Returns what is wrong, a line each: results, or elements before and behind an array.
std::vector<std::string> wrong_results_of_offset_arrays(const std::string& device);

}  // namespace attune::test
