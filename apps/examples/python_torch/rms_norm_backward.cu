/*attune
[kernel]
name = "rms_norm_backward"
summary = "the gradients of rms_norm.cu by x and by weight"
deterministic = true
[problem]
rows = { size = 8192, host = 32 }
columns = { size = 4096, host = 128 }
T = ["float", "half", "bfloat16"]
[parameters]
BLOCK = [256, 128, 512, 1024]                  # a block has a row at a time
BLOCKS_PER_SM = [4, 1, 2, 8]
VECTOR = [4, 1, 2, 8]                          # elements that move in one access
SHARED = [true, false]                         # where a block adds up its share of grad_weight
[restrictions]
rules = ["VECTOR * sizeof(T) <= 16"]
[values]
blocks = "min(rows, BLOCKS_PER_SM * device.multiprocessors)"
[[launch]]
entry = "rms_norm_backward<T, BLOCK, VECTOR, SHARED>"
grid = ["blocks"]
block = ["BLOCK"]
shared = "SHARED ? columns * 4 : 0"
arguments = ["grad_x", "partials", "sums", "grad_out", "x", "weight", "eps", "rows", "columns"]
[[launch]]
entry = "sum_partials<T>"
grid = ["ceil_div(columns, 32)"]
block = [32, 32]
arguments = ["grad_weight", "partials", "partial_count", "columns"]
[arguments]
grad_x = { type = "T", size = "rows * columns", role = "out" }
grad_weight = { type = "T", size = "columns", role = "out" }
grad_out = { type = "T", size = "rows * columns", role = "in" }
x = { type = "T", size = "rows * columns", role = "in" }
weight = { type = "T", size = "columns", role = "in" }
eps = { type = "float", fill = "1e-6" }
rows = { type = "int64" }
columns = { type = "int64" }
partials = { type = "float", size = "blocks * columns", role = "scratch" }
sums = { type = "float", size = "SHARED ? 1 : blocks * columns", role = "scratch" }
partial_count = { type = "int32", value = "blocks" }
scales = { type = "double", size = "rows", role = "scratch" }  # of the reference
[[reference]]
entry = "grad_x_reference<T>"
grid = ["ceil_div(rows, 64)"]
block = [64]
arguments = ["grad_x", "scales", "grad_out", "x", "weight", "eps", "rows", "columns"]
[[reference]]
entry = "grad_weight_reference<T>"
grid = ["ceil_div(columns, 64)"]
block = [64]
arguments = ["grad_weight", "scales", "grad_out", "x", "rows", "columns"]
[check]
# In units of epsilon(float), as in rms_norm.cu. Differences lose what their terms, of up to 4, were rounded by.
relative = "epsilon(float) * (8 + columns / 128) + (T == 'float' ? 0 : epsilon(T))"
absolute = "epsilon(float) * (32 + columns / 128) + (T == 'half' ? 2.0 ** -24 : 0)"
[check.grad_weight]
absolute = "epsilon(float) * (32 + rows + columns / 128)"
[metrics]
bytes = "3 * rows * columns * sizeof(T)"
*/
#include "attune_rows.cuh"

// Sums over a row: of x^2, and of grad_out * weight * x.
struct Sums {
  float squares, products;
  __device__ static Sums combine(Sums a, Sums b) { return {a.squares + b.squares, a.products + b.products}; }
};

// P: what a thread moves in one access, a Pack of one or more T. All threads of a block call this. A thread always has
// the same columns, so that it alone adds to their sums. Element k of the i-th pack has its sum at k * (packs) + i,
// where neighbouring threads do not meet.
template <int BLOCK, typename P, typename T>
__device__ void backward_of_row(T* grad_x, float* sums, const T* grad, const T* x, const T* weight, float eps,
                                long long columns) {
  constexpr int N = sizeof(P) / sizeof(T);
  const long long packs = columns / N;
  const auto pack_at = [](const T* from, long long i) { return reinterpret_cast<const P*>(from)[i]; };
  Sums row{0, 0};
  for (long long i = threadIdx.x; i < packs; i += BLOCK) {
    const P of_x = pack_at(x, i), of_grad = pack_at(grad, i), weights = pack_at(weight, i);
    for (int k = 0; k < N; ++k) {
      const float number = static_cast<float>(of_x.element[k]);
      row.squares += number * number;
      row.products += static_cast<float>(of_grad.element[k]) * static_cast<float>(weights.element[k]) * number;
    }
  }
  using Team = attune::RowTeam<BLOCK, BLOCK>;
  __shared__ Sums cells[Team::CELLS];
  row = attune::combine_row<Sums, Team>(row, cells);
  const float count = static_cast<float>(columns), scale = 1 / sqrtf(row.squares / count + eps);
  const float along = scale * scale * row.products / count;
  for (long long i = threadIdx.x; i < packs; i += BLOCK) {  // from a cache
    const P of_x = pack_at(x, i), of_grad = pack_at(grad, i), weights = pack_at(weight, i);
    P result;
    for (int k = 0; k < N; ++k) {
      const float number = static_cast<float>(of_x.element[k]), change = static_cast<float>(of_grad.element[k]);
      result.element[k] = static_cast<T>(scale * (change * static_cast<float>(weights.element[k]) - number * along));
      sums[k * packs + i] += change * number * scale;
    }
    reinterpret_cast<P*>(grad_x)[i] = result;
  }
  __syncthreads();  // the next row uses `cells`
}

template <typename T, int BLOCK, int VECTOR, bool SHARED>
__global__ void __launch_bounds__(BLOCK)
    rms_norm_backward(T* grad_x, float* partials, float* global_sums, const T* grad, const T* x, const T* weight,
                      float eps, long long rows, long long columns) {
  extern __shared__ float shared_sums[];
  using P = attune::Pack<T, VECTOR>;
  using attune::aligned;
  const bool by_packs =
      columns % VECTOR == 0 && aligned<P>(grad_x) && aligned<P>(grad) && aligned<P>(x) && aligned<P>(weight);
  float* const sums = SHARED ? shared_sums : global_sums + blockIdx.x * columns;
  for (long long c = threadIdx.x; c < columns; c += BLOCK) sums[c] = 0;
  __syncthreads();
  for (long long row = blockIdx.x; row < rows; row += gridDim.x) {
    const long long first = row * columns;
    if (by_packs)
      backward_of_row<BLOCK, P>(grad_x + first, sums, grad + first, x + first, weight, eps, columns);
    else
      backward_of_row<BLOCK, attune::Pack<T, 1>>(grad_x + first, sums, grad + first, x + first, weight, eps, columns);
  }
  const long long vector = by_packs ? VECTOR : 1, packs = columns / vector;
  for (long long c = threadIdx.x; c < columns; c += BLOCK)
    partials[blockIdx.x * columns + c] = sums[c % vector * packs + c / vector];
}

template <typename T>
__global__ void sum_partials(T* grad_weight, const float* partials, int count, long long columns) {
  __shared__ float sums[32][32];
  const long long c = static_cast<long long>(blockIdx.x) * 32 + threadIdx.x;
  float sum = 0;
  for (long long b = threadIdx.y; b < count && c < columns; b += 32) sum += partials[b * columns + c];
  sums[threadIdx.y][threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.y != 0 || c >= columns) return;
  for (int y = 1; y < 32; ++y) sum += sums[y][threadIdx.x];
  grad_weight[c] = static_cast<T>(sum);
}

// As simple as they can be: what the others are compared with.
template <typename T>
__device__ double number(T element) {
  return static_cast<double>(static_cast<float>(element));
}
template <typename T>
__global__ void grad_x_reference(T* grad_x, double* scales, const T* grad, const T* x, const T* weight, float eps,
                                 long long rows, long long columns) {
  const long long row = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x, first = row * columns;
  if (row >= rows) return;
  double squares = 0, products = 0;
  for (long long c = 0; c < columns; ++c) {
    squares += number(x[first + c]) * number(x[first + c]);
    products += number(grad[first + c]) * number(weight[c]) * number(x[first + c]);
  }
  const double count = static_cast<double>(columns), scale = 1 / sqrt(squares / count + static_cast<double>(eps));
  scales[row] = scale;
  for (long long c = 0; c < columns; ++c)
    grad_x[first + c] = static_cast<T>(scale * (number(grad[first + c]) * number(weight[c]) -
                                                number(x[first + c]) * scale * scale * products / count));
}
template <typename T>
__global__ void grad_weight_reference(T* grad_weight, const double* scales, const T* grad, const T* x, long long rows,
                                      long long columns) {
  const long long c = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (c >= columns) return;
  double sum = 0;
  for (long long row = 0; row < rows; ++row)
    sum += number(grad[row * columns + c]) * number(x[row * columns + c]) * scales[row];
  grad_weight[c] = static_cast<T>(sum);
}
