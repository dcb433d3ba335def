/*attune
[kernel]
name = "dedispersion"
summary = "the parameters of a recorded kernel; its body is a stand-in"
[problem]
samples = { size = 25000 }
dms = { size = 2048 }
[parameters]
block_size_x = [1, 2, 4, 8, 16, 32]
block_size_y = [32, 40, 48, 56, 64, 72, 80, 88, 96, 104, 112, 120, 128, 136, 144, 152, 160, 168, 176, 184, 192, 200, 208, 216, 224, 232, 240, 248, 256]
block_size_z = [1]
tile_size_x = [1, 2, 3, 4]
tile_size_y = [1, 2, 3, 4, 5, 6, 7, 8]
tile_stride_x = [0, 1]
tile_stride_y = [0, 1]
loop_unroll_factor_channel = [0]
[restrictions]
rules = [
  "block_size_x * block_size_y >= 32 && block_size_x * block_size_y <= 1024",
  "tile_size_x > 1 || tile_stride_x == 0",
  "tile_size_y > 1 || tile_stride_y == 0",
]
[[launch]]
entry = "dedispersion<block_size_x, block_size_y, block_size_z, tile_size_x, tile_size_y, tile_stride_x, tile_stride_y, loop_unroll_factor_channel>"
grid = ["ceil_div(samples, block_size_x * tile_size_x)", "ceil_div(dms, block_size_y * tile_size_y)"]
block = ["block_size_x", "block_size_y", "block_size_z"]
arguments = ["y", "samples", "dms"]
[arguments]
y = { type = "float", size = "samples * dms", role = "out" }
samples = { type = "int64" }
dms = { type = "int64" }
*/
template <int BLOCK_SIZE_X_, int BLOCK_SIZE_Y_, int BLOCK_SIZE_Z_, int TILE_SIZE_X_, int TILE_SIZE_Y_, int TILE_STRIDE_X_, int TILE_STRIDE_Y_, int LOOP_UNROLL_FACTOR_CHANNEL_>
__global__ void dedispersion(float* y, long long samples, long long dms) {
  y[threadIdx.x] = static_cast<float>(BLOCK_SIZE_X_ + BLOCK_SIZE_Y_ + BLOCK_SIZE_Z_ + TILE_SIZE_X_ + TILE_SIZE_Y_ + TILE_STRIDE_X_ + TILE_STRIDE_Y_ + LOOP_UNROLL_FACTOR_CHANNEL_ + samples + dms);
}
