/*attune
[kernel]
name = "convolution"
summary = "the parameters of a recorded kernel; its body is a stand-in"
[problem]
width = { size = 4096 }
height = { size = 4096 }
[parameters]
block_size_x = [16, 32, 48, 64, 80, 96, 112, 128, 144, 160, 176, 192, 208, 224, 240, 256]
block_size_y = [1, 2, 4, 8, 16]
tile_size_x = [1, 2, 3, 4]
tile_size_y = [1, 2, 3, 4]
read_only = [0, 1]
use_padding = [0, 1]
use_shmem = [0, 1]
use_cmem = [1]
filter_height = [15]
filter_width = [15]
[restrictions]
rules = [
  "use_padding == 0 || block_size_x % 32 != 0",
  "block_size_x * block_size_y <= 1024",
  "use_padding == 0 || use_shmem != 0",
  "use_shmem == 0 || (block_size_x * tile_size_x + filter_width - 1) * (block_size_y * tile_size_y + filter_height - 1) < 12 * 1024",
]
[[launch]]
entry = "convolution<block_size_x, block_size_y, tile_size_x, tile_size_y, read_only, use_padding, use_shmem, use_cmem, filter_height, filter_width>"
grid = ["ceil_div(width, block_size_x * tile_size_x)", "ceil_div(height, block_size_y * tile_size_y)"]
block = ["block_size_x", "block_size_y"]
arguments = ["y", "width", "height"]
[arguments]
y = { type = "float", size = "width * height", role = "out" }
width = { type = "int64" }
height = { type = "int64" }
*/
template <int BLOCK_SIZE_X_, int BLOCK_SIZE_Y_, int TILE_SIZE_X_, int TILE_SIZE_Y_, int READ_ONLY_, int USE_PADDING_, int USE_SHMEM_, int USE_CMEM_, int FILTER_HEIGHT_, int FILTER_WIDTH_>
__global__ void convolution(float* y, long long width, long long height) {
  y[threadIdx.x] = static_cast<float>(BLOCK_SIZE_X_ + BLOCK_SIZE_Y_ + TILE_SIZE_X_ + TILE_SIZE_Y_ + READ_ONLY_ + USE_PADDING_ + USE_SHMEM_ + USE_CMEM_ + FILTER_HEIGHT_ + FILTER_WIDTH_ + width + height);
}
