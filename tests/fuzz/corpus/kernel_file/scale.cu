/*attune
[kernel]
name = "scale"
summary = "y = 3 x"
[problem]
n = { size = 100000, host = 5000 }
T = ["float", "int32"]
[parameters]
BLOCK = [64, 32, 128]
ITEMS = [1, 2]
[restrictions]
rules = ["BLOCK * ITEMS <= 128"]
[[launch]]
entry = "scale<T, ITEMS>"
grid = ["ceil_div(n, BLOCK * ITEMS)"]
block = ["BLOCK"]
arguments = ["y", "x", "n"]
[arguments]
y = { type = "T", size = "n", role = "out" }
x = { type = "T", size = "n", role = "in", fill = "uniform(-9, 9)" }
n = { type = "int64" }
[[reference]]
entry = "scale_reference<T>"
grid = ["ceil_div(n, 64)"]
block = ["64"]
arguments = ["y", "x", "n"]
[metrics]
bytes = "2 * n * sizeof(T)"
*/
template <typename T, int ITEMS>
__global__ void scale(T* y, const T* x, long long n) {
  const long long first = (static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x) * ITEMS;
  for (int i = 0; i < ITEMS; ++i)
    if (first + i < n) y[first + i] = T(3) * x[first + i];
}

template <typename T>
__global__ void scale_reference(T* y, const T* x, long long n) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] + x[i] + x[i];
}
