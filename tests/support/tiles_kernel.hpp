// The kernel with a tensor map that docs/kernel_files.md shows, as a whole kernel file.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

namespace attune::test {

// Returns the text from `begin` to the next end of a code block.
inline std::string shown_in(const std::string& page, std::string_view begin) {
  const auto at = page.find(begin);
  EXPECT_NE(at, std::string::npos) << begin;
  return at == std::string::npos ? "" : page.substr(at, page.find("```", at) - at);
}

inline std::string tiles_file() {
  std::ifstream stream(ATTUNE_SOURCE_DIR "/docs/kernel_files.md", std::ios::binary);
  const std::string page{std::istreambuf_iterator<char>(stream), {}};
  const auto about = page.substr(page.find("### Tensor maps"));
  return R"cu(/*attune
[kernel]
name = "tiles"
[problem]
width = { size = 100 }
height = { size = 48 }
T = ["float", "double", "int8", "int2", "double2"]
[parameters]
TENSOR = [true, false]
TILE_X = [32, 8, 16, 6, 300]
TILE_Y = [8, 32, 257]
[[launch]]
entry = "copy<T, TILE_X, TILE_Y, TENSOR>"
grid = ["ceil_div(width, TILE_X)", "ceil_div(height, TILE_Y)"]
block = [128]
arguments = ["out", "in", "in_tiles", "width", "height"]
)cu" + shown_in(about, "[arguments]") +
         R"cu(width = { type = "int64" }
height = { type = "int64" }
[[reference]]
entry = "copy_reference<T>"
grid = ["ceil_div(width * height, 256)"]
block = [256]
arguments = ["out", "in", "width", "height"]
*/
#include "attune_async.cuh"

)cu" + shown_in(about, "template <typename T, int TILE_X") +
         R"cu(
template <typename T>
__global__ void copy_reference(T* out, const T* in, long long width, long long height) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < width * height) out[i] = in[i];
}
)cu";
}

}  // namespace attune::test
