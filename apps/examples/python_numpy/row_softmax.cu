/*attune
[kernel]
name = "row_softmax"
summary = "out[r][c] = exp(in[r][c]) / (sum of exp(in[r][k]) over k)"
deterministic = true
[problem]
rows = { size = 4096, host = 64 }
columns = { size = 4096, host = 256 }
T = ["float", "double"]
[parameters]
BLOCK = [256, 64, 128, 512, 1024]
THREADS = [32, 8, 64, 128, 256, 512, 1024]     # of a row: a block has BLOCK / THREADS rows
VECTOR = [4, 1, 2]                             # elements that move in one access
[restrictions]
rules = ["THREADS <= BLOCK", "VECTOR * sizeof(T) <= 16"]
[[launch]]
entry = "row_softmax<T, BLOCK, THREADS, VECTOR>"
grid = ["ceil_div(rows, BLOCK / THREADS)"]
block = ["BLOCK"]
arguments = ["out", "in", "rows", "columns"]
[arguments]
out = { type = "T", size = "rows * columns", role = "out" }
in = { type = "T", size = "rows * columns", role = "in", fill = "uniform(-4, 4)" }
rows = { type = "int64" }
columns = { type = "int64" }
[[reference]]
entry = "row_softmax_reference<T>"
grid = ["ceil_div(rows, 64)"]
block = [64]
arguments = ["out", "in", "rows", "columns"]
[check]
relative = "epsilon(T) * (32 + columns / 16)"  # a thread adds columns / 8 numbers, each rounded to epsilon / 2
[metrics]
bytes = "2 * rows * columns * sizeof(T)"
*/
#include "attune_operators.cuh"
#include "attune_rows.cuh"

// The largest of some numbers, and the sum of exp(number - largest) over them.
template <typename T>
struct Powers {
  T most, sum;
  __device__ static T power(T x, T most) { return x == most ? T(1) : exp(x - most); }  // also of two infinities
  __device__ static Powers combine(Powers a, Powers b) {
    const T most = a.most > b.most ? a.most : b.most;
    return {most, a.sum * power(a.most, most) + b.sum * power(b.most, most)};
  }
};

// P: what a thread moves in one access, a Pack of one or more T. All threads of a block call this.
template <typename Team, typename P, typename T>
__device__ void softmax_of_row(T* out, const T* in, long long columns) {
  constexpr int N = sizeof(P) / sizeof(T);
  __shared__ Powers<T> cells[Team::CELLS];
  Powers<T> powers{attune::Operator<attune::Op::max, T>::identity(), 0};
  for (long long c = Team::rank() * N; c < columns; c += Team::SIZE * N) {
    const P pack = *reinterpret_cast<const P*>(in + c);
    Powers<T> of_pack{pack.element[0], 0};
    for (int k = 1; k < N; ++k) of_pack.most = max(of_pack.most, pack.element[k]);
    for (int k = 0; k < N; ++k) of_pack.sum += Powers<T>::power(pack.element[k], of_pack.most);
    powers = Powers<T>::combine(powers, of_pack);
  }
  powers = attune::combine_row<Powers<T>, Team>(powers, cells);
  for (long long c = Team::rank() * N; c < columns; c += Team::SIZE * N) {
    P pack = *reinterpret_cast<const P*>(in + c);  // from a cache
    for (int k = 0; k < N; ++k) pack.element[k] = exp(pack.element[k] - powers.most) / powers.sum;
    *reinterpret_cast<P*>(out + c) = pack;
  }
}

template <typename T, int BLOCK, int THREADS, int VECTOR>
__global__ void __launch_bounds__(BLOCK) row_softmax(T* out, const T* in, long long rows, long long columns) {
  using Team = attune::RowTeam<THREADS, BLOCK>;
  using P = attune::Pack<T, VECTOR>;
  const long long row = Team::first_row(), first = row < rows ? row * columns : 0;
  const long long count = row < rows ? columns : 0;  // a thread without a row takes part in combine_row()
  if (columns % VECTOR == 0 && attune::aligned<P>(in) && attune::aligned<P>(out))
    softmax_of_row<Team, P>(out + first, in + first, count);
  else
    softmax_of_row<Team, attune::Pack<T, 1>>(out + first, in + first, count);
}

// As simple as it can be: what the others are compared with.
template <typename T>
__global__ void row_softmax_reference(T* out, const T* in, long long rows, long long columns) {
  const long long row = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  double most = in[row * columns], sum = 0;
  for (long long c = 0; c < columns; ++c) most = fmax(most, static_cast<double>(in[row * columns + c]));
  for (long long c = 0; c < columns; ++c) sum += exp(in[row * columns + c] - most);
  for (long long c = 0; c < columns; ++c)
    out[row * columns + c] = static_cast<T>(exp(in[row * columns + c] - most) / sum);
}
