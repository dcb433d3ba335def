/*attune
[kernel]
name = "gathered"
summary = "out[i] = sum over k of k * in[k] + i; a step puts `in` into a variable of the code"
[problem]
n = { size = 1000, host = 500 }
T = ["float", "double"]
[parameters]
SOURCE = ["Source::constant", "Source::memory"]
BLOCK = [128, 32]
[restrictions]
rules = ["n <= 1024"]
[[launch]]
memset = "held"
value = 1
when = "SOURCE == 'Source::constant'"
[[launch]]
entry = "gather<T>"
when = "SOURCE == 'Source::constant'"
grid = [1]
block = [128]
arguments = ["held", "in", "n"]
[[launch]]
entry = "gathered<T, SOURCE, BLOCK>"
grid = ["ceil_div(n, BLOCK)"]
block = ["BLOCK"]
arguments = ["out", "in", "n"]
[arguments]
out = { type = "T", size = "n", role = "out" }
in = { type = "T", size = "n", role = "in", fill = "uniform(-4, 4)" }
held = { type = "T", size = "n", role = "scratch", symbol = "constants::held<T>" }
n = { type = "int32" }
[[reference]]
entry = "gathered<T, Source::memory, 64>"
grid = ["ceil_div(n, 64)"]
block = [64]
arguments = ["out", "in", "n"]
*/
enum class Source { constant, memory };

namespace constants {
template <typename T>
__constant__ T held[1024];
}

template <typename T>
__global__ void gather(T* held, const T* in, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) held[i] = in[i];
}

template <typename T, Source SOURCE, int BLOCK>
__global__ void gathered(T* out, const T* in, int n) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i >= n) return;
  T sum = 0;
  if constexpr (SOURCE == Source::constant) {
    for (int k = 0; k < n; ++k) sum += k * constants::held<T>[k];
  } else {
    for (int k = 0; k < n; ++k) sum += k * in[k];
  }
  out[i] = sum + i;
}
