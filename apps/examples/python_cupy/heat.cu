/*attune
[kernel]
name = "heat"
summary = "next = now + rate * (the sum of its four neighbours - 4 * now); the border stays as it is"
deterministic = true
[problem]
height = { size = 8192, host = 96 }
width = { size = 8192, host = 96 }
T = ["float", "double"]
[parameters]
BLOCK_X = [64, 32, 128, 256]
BLOCK_Y = [4, 1, 2, 8]
ROWS = [2, 1, 4, 8]                            # that a thread computes, one below the other
VECTOR = [4, 1, 2]                             # neighbours that a thread computes in each of them
[restrictions]
rules = ["BLOCK_X * BLOCK_Y <= 1024", "VECTOR * sizeof(T) <= 16"]
[[launch]]
entry = "heat<T, BLOCK_X, BLOCK_Y, ROWS, VECTOR>"
grid = ["ceil_div(width, BLOCK_X * VECTOR) * ceil_div(height, BLOCK_Y * ROWS)"]
block = ["BLOCK_X", "BLOCK_Y"]
arguments = ["next", "now", "rate", "height", "width"]
[arguments]
next = { type = "T", size = "height * width", role = "out" }
now = { type = "T", size = "height * width", role = "in" }
rate = { type = "T", fill = "0.2" }
height = { type = "int64" }
width = { type = "int64" }
[[reference]]
entry = "heat_reference<T>"
grid = ["ceil_div(height * width, 256)"]
block = [256]
arguments = ["next", "now", "rate", "height", "width"]
[check]
absolute = "8 * epsilon(T)"                    # some additions of numbers below 4
[metrics]
bytes = "2 * height * width * sizeof(T)"
*/
#include "attune.cuh"

template <typename T, int BLOCK_X, int BLOCK_Y, int ROWS, int VECTOR>
__global__ void __launch_bounds__(BLOCK_X* BLOCK_Y)
    heat(T* next, const T* now, T rate, long long height, long long width) {
  using P = attune::Pack<T, VECTOR>;
  const long long across = (width + BLOCK_X * VECTOR - 1) / (BLOCK_X * VECTOR);  // blocks beside each other
  const long long x = (blockIdx.x % across * BLOCK_X + threadIdx.x) * VECTOR;
  const long long first = (blockIdx.x / across * BLOCK_Y + threadIdx.y) * ROWS;
  if (x >= width || first >= height) return;
  const bool by_packs = width % VECTOR == 0 && attune::aligned<P>(now) && attune::aligned<P>(next);
  const auto row = [&](long long y) {  // beyond the border: any numbers
    const T* const from = now + min(max(y, 0ll), height - 1) * width;
    P pack;
    if (by_packs) return *reinterpret_cast<const P*>(from + x);
    for (int k = 0; k < VECTOR; ++k) pack.element[k] = from[min(x + k, width - 1)];
    return pack;
  };
  P above = row(first - 1), here = row(first);
#pragma unroll
  for (int r = 0; r < ROWS; ++r) {
    const long long y = first + r;
    if (y >= height) return;
    const P below = row(y + 1);
    const T before = now[y * width + max(x - 1, 0ll)], behind = now[y * width + min(x + VECTOR, width - 1)];
    P result = here;
    for (int k = 0; k < VECTOR; ++k) {
      const T left = k > 0 ? here.element[k - 1] : before, right = k < VECTOR - 1 ? here.element[k + 1] : behind;
      const T sum = (above.element[k] + below.element[k]) + (left + right);
      if (y > 0 && y < height - 1 && x + k > 0 && x + k < width - 1)
        result.element[k] = here.element[k] + rate * (sum - 4 * here.element[k]);
    }
    if (by_packs)
      *reinterpret_cast<P*>(next + y * width + x) = result;
    else
      for (int k = 0; k < VECTOR && x + k < width; ++k) next[y * width + x + k] = result.element[k];
    above = here;
    here = below;
  }
}

// As simple as it can be: what the others are compared with.
template <typename T>
__global__ void heat_reference(T* next, const T* now, T rate, long long height, long long width) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x, x = i % width, y = i / width;
  if (i >= height * width) return;
  const bool is_border = y == 0 || y == height - 1 || x == 0 || x == width - 1;
  next[i] =
      is_border ? now[i] : now[i] + rate * (now[i - width] + now[i + width] + now[i - 1] + now[i + 1] - 4 * now[i]);
}
