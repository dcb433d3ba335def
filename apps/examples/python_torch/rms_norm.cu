/*attune
[kernel]
name = "rms_norm"
summary = "out[r][c] = x[r][c] * weight[c] / sqrt(mean of x[r]^2 + eps)"
deterministic = true
[problem]
rows = { size = 8192, host = 32 }
columns = { size = 4096, host = 128 }
T = ["float", "half", "bfloat16"]
[parameters]
BLOCK = [256, 64, 128, 512, 1024]
THREADS = [128, 32, 64, 256, 512, 1024]        # of a row: a block has BLOCK / THREADS rows
VECTOR = [4, 1, 2, 8]                          # elements that move in one access
ITEMS = [4, 1, 2, 8]                           # accesses whose elements a thread keeps in registers
[restrictions]
rules = ["THREADS <= BLOCK", "VECTOR * sizeof(T) <= 16", "VECTOR * ITEMS <= 32"]
[[launch]]
entry = "rms_norm<T, BLOCK, THREADS, VECTOR, ITEMS>"
grid = ["ceil_div(rows, BLOCK / THREADS)"]
block = ["BLOCK"]
arguments = ["out", "x", "weight", "eps", "rows", "columns"]
[arguments]
out = { type = "T", size = "rows * columns", role = "out" }
x = { type = "T", size = "rows * columns", role = "in" }
weight = { type = "T", size = "columns", role = "in" }
eps = { type = "float", fill = "1e-6" }
rows = { type = "int64" }
columns = { type = "int64" }
[[reference]]
entry = "rms_norm_reference<T>"
grid = ["ceil_div(rows, 64)"]
block = [64]
arguments = ["out", "x", "weight", "eps", "rows", "columns"]
[check]
# In units of epsilon(float): a thread adds up to columns / 32 squares, and the square root halves their error.
relative = "epsilon(float) * (8 + columns / 128) + (T == 'float' ? 0 : epsilon(T))"
absolute = "T == 'half' ? 2.0 ** -24 : 0"      # the steps of small numbers
[metrics]
bytes = "2 * rows * columns * sizeof(T)"
*/
#include "attune_operators.cuh"
#include "attune_rows.cuh"

// This thread's packs of a row. The first ITEMS stay in registers; a longer row's others are read again.
template <typename Team, int ITEMS, typename P>
struct RowPacks {
  const P* row;
  long long packs;
  P kept[ITEMS];

  __device__ static long long place(int i) { return Team::rank() + i * Team::SIZE; }
  __device__ RowPacks(const P* from, long long count) : row(from), packs(count) {
#pragma unroll
    for (int i = 0; i < ITEMS; ++i)
      if (place(i) < packs) kept[i] = row[place(i)];
  }
  template <typename Use>
  __device__ void for_each(Use use) const {
#pragma unroll
    for (int i = 0; i < ITEMS; ++i)
      if (place(i) < packs) use(place(i), kept[i]);
    for (long long at = place(ITEMS); at < packs; at += Team::SIZE) use(at, row[at]);
  }
};

// P: what a thread moves in one access, a Pack of one or more T. All threads of a block call this, also for no packs.
template <typename Team, int ITEMS, typename P, typename T>
__device__ void norm_row(T* out, const T* x, const T* weight, float eps, long long columns, long long packs) {
  constexpr int N = sizeof(P) / sizeof(T);
  const RowPacks<Team, ITEMS, P> row(reinterpret_cast<const P*>(x), packs);
  float squares = 0;
  row.for_each([&](long long, const P& pack) {
    for (int k = 0; k < N; ++k) squares += static_cast<float>(pack.element[k]) * static_cast<float>(pack.element[k]);
  });
  __shared__ float cells[Team::CELLS];
  squares = attune::combine_row<attune::Operator<attune::Op::sum, float>, Team>(squares, cells);
  const float scale = 1 / sqrtf(squares / static_cast<float>(columns) + eps);
  row.for_each([&](long long at, const P& pack) {
    const P weights = reinterpret_cast<const P*>(weight)[at];
    P result;
    for (int k = 0; k < N; ++k)
      result.element[k] =
          static_cast<T>(static_cast<float>(pack.element[k]) * scale * static_cast<float>(weights.element[k]));
    reinterpret_cast<P*>(out)[at] = result;
  });
}

template <typename T, int BLOCK, int THREADS, int VECTOR, int ITEMS>
__global__ void __launch_bounds__(BLOCK)
    rms_norm(T* out, const T* x, const T* weight, float eps, long long rows, long long columns) {
  using Team = attune::RowTeam<THREADS, BLOCK>;
  using P = attune::Pack<T, VECTOR>;
  const long long row = Team::first_row(), first = row < rows ? row * columns : 0;
  const long long count = row < rows ? columns : 0;
  if (columns % VECTOR == 0 && attune::aligned<P>(x) && attune::aligned<P>(weight) && attune::aligned<P>(out))
    norm_row<Team, ITEMS, P>(out + first, x + first, weight, eps, columns, count / VECTOR);
  else
    norm_row<Team, ITEMS * VECTOR, attune::Pack<T, 1>>(out + first, x + first, weight, eps, columns, count);
}

// As simple as it can be: what the others are compared with.
template <typename T>
__global__ void rms_norm_reference(T* out, const T* x, const T* weight, float eps, long long rows, long long columns) {
  const long long row = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const auto number = [](T element) { return static_cast<double>(static_cast<float>(element)); };
  double squares = 0;
  for (long long c = 0; c < columns; ++c) squares += number(x[row * columns + c]) * number(x[row * columns + c]);
  const double scale = 1 / sqrt(squares / static_cast<double>(columns) + static_cast<double>(eps));
  for (long long c = 0; c < columns; ++c)
    out[row * columns + c] = static_cast<T>(number(x[row * columns + c]) * scale * number(weight[c]));
}
