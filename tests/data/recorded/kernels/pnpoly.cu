/*attune
[kernel]
name = "pnpoly"
summary = "the parameters of a recorded kernel; its body is a stand-in"
[problem]
points = { size = 20000000 }
[parameters]
between_method = [0, 1, 2, 3]
block_size_x = [32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448, 480, 512, 544, 576, 608, 640, 672, 704, 736, 768, 800, 832, 864, 896, 928, 960, 992]
tile_size = [1, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20]
use_method = [0, 1, 2]
[[launch]]
entry = "pnpoly<between_method, block_size_x, tile_size, use_method>"
grid = ["ceil_div(points, block_size_x * tile_size)"]
block = ["block_size_x"]
arguments = ["y", "points"]
[arguments]
y = { type = "float", size = "points", role = "out" }
points = { type = "int64" }
*/
template <int BETWEEN_METHOD_, int BLOCK_SIZE_X_, int TILE_SIZE_, int USE_METHOD_>
__global__ void pnpoly(float* y, long long points) {
  y[threadIdx.x] = static_cast<float>(BETWEEN_METHOD_ + BLOCK_SIZE_X_ + TILE_SIZE_ + USE_METHOD_ + points);
}
