// A kernel with an argument that a variable of its code holds (`symbol`).
#pragma once

namespace attune::test {

// Adds a number that a variable of the code holds.
inline constexpr const char* variable_file = R"cu(/*attune
[kernel]
name = "variable"
[problem]
n = { size = 100 }
[parameters]
BLOCK = [128]
[[launch]]
entry = "add"
grid = [1]
block = ["BLOCK"]
arguments = ["data", "n"]
[arguments]
data = { type = "int32", size = "n", role = "inout" }
plus = { type = "int32", size = 1, role = "in", symbol = "plus" }
n = { type = "int32" }
*/
__constant__ int plus[1];
__global__ void add(int* data, int n) {
  if (threadIdx.x < n) data[threadIdx.x] += plus[0];
}
)cu";

}  // namespace attune::test
