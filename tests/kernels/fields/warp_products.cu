/*attune
[kernel]
name = "warp_products"
summary = "c_i = a_i b_i, of 16 x 32 by 32 x 8 elements: a warp each, by each function of attune_mma.cuh"
deterministic = true
[problem]
products = { size = 100000, host = 20 }
T = ["half", "bfloat16", "double"]
[parameters]
WAY = ["Way::k16", "Way::k8", "Way::k4", "Way::rows_8", "Way::load_x4", "Way::load_x2", "Way::load_x1",
       "Way::load_transposed_x4", "Way::load_transposed_x2", "Way::load_transposed_x1", "Way::store_x4", "Way::store_x2",
       "Way::store_x1", "Way::store_transposed_x4", "Way::store_transposed_x2", "Way::store_transposed_x1"]
[restrictions]
rules = [
    "WAY == 'Way::k16' || (WAY in ['Way::k8', 'Way::k4', 'Way::rows_8']) == (T == 'double')",
    "device.kind == 'host' || device.compute_capability >= 80",
    """WAY not in ['Way::store_x4', 'Way::store_x2', 'Way::store_x1', 'Way::store_transposed_x4', \
      'Way::store_transposed_x2', 'Way::store_transposed_x1'] || device.kind == 'host' || device.compute_capability >= 90""",
]
[[launch]]
entry = "warp_products<T, WAY>"
grid = ["products"]
block = [32]
arguments = ["c", "a", "b"]
[arguments]
c = { type = "float", size = "products * 16 * 8", role = "out" }
a = { type = "T", size = "products * 16 * 32", role = "in" }
b = { type = "T", size = "products * 32 * 8", role = "in" }
[[reference]]
entry = "warp_products_reference<T>"
grid = ["products"]
block = [128]
arguments = ["c", "a", "b"]
[check]
# Partial sums of 32 products of uniform(-1, 1) are below 8, almost ever, and each rounding is of 1/2 epsilon of that.
# Matrix units may truncate instead, which is twice as much: 32 * 8 epsilon.
absolute = "256 * epsilon('float')"
*/
#include "attune_mma.cuh"

enum class Way {
  k16, k8, k4, rows_8,                                              // fragments by elements
  load_x4, load_x2, load_x1,                                        // a's, so many matrices at once
  load_transposed_x4, load_transposed_x2, load_transposed_x1,       // a's of a turned copy, and b's
  store_x4, store_x2, store_x1,                                     // a's fragments go through memory
  store_transposed_x4, store_transposed_x2, store_transposed_x1,    // and are turned
};

constexpr int ROWS = 16, DEPTH = 32, COLUMNS = 8;

template <Way WAY>
__device__ void multiply(double (&sums)[4], const double* a, const double* b, int g, int t) {
  constexpr int K = WAY == Way::k16 ? 16 : WAY == Way::k8 ? 8 : 4;
  for (int k = 0; k < DEPTH; k += K) {
    double of_a[K / 2], of_b[K / 4];
    for (int q = 0; q < K / 4; ++q) {
      for (int h = 0; h < 2; ++h) of_a[2 * q + h] = a[(g + 8 * h) * DEPTH + k + t + 4 * q];
      of_b[q] = b[(k + t + 4 * q) * COLUMNS + g];
    }
    if constexpr (WAY == Way::k16) attune::mma_16x8x16(sums, of_a, of_b);
    if constexpr (WAY == Way::k8) attune::mma_16x8x8(sums, of_a, of_b);
    if constexpr (WAY == Way::k4) attune::mma_16x8x4(sums, of_a, of_b);
    if constexpr (WAY == Way::rows_8) {
      double above[2] = {sums[0], sums[1]}, below[2] = {sums[2], sums[3]};
      attune::mma_8x8x4(above, {of_a[0]}, of_b);
      attune::mma_8x8x4(below, {of_a[1]}, of_b);
      for (int i = 0; i < 2; ++i) {
        sums[i] = above[i];
        sums[2 + i] = below[i];
      }
    }
  }
}

// Two elements, `first` in the low half.
template <typename T>
__device__ unsigned word_of(const T& first, const T& second) {
  return reinterpret_cast<const unsigned short&>(first) |
         static_cast<unsigned>(reinterpret_cast<const unsigned short&>(second)) << 16;
}

// Elements of a row in shared memory: rows that follow each other are apart by more than they are long.
constexpr int PITCH = DEPTH + 8;

template <Way WAY, typename T>
__device__ void multiply(float (&sums)[4], const T* a, const T* b, int g, int t) {
  constexpr bool TURNED = WAY == Way::load_transposed_x4 || WAY == Way::load_transposed_x2 || WAY == Way::load_transposed_x1;
  constexpr bool X4 = WAY == Way::load_x4 || WAY == Way::load_transposed_x4;
  constexpr bool X2 = WAY == Way::load_x2 || WAY == Way::load_transposed_x2;
  constexpr bool X1 = WAY == Way::load_x1 || WAY == Way::load_transposed_x1;
  constexpr bool STORED = WAY == Way::store_x4 || WAY == Way::store_x2 || WAY == Way::store_x1;
  constexpr bool STORED_TURNED =
      WAY == Way::store_transposed_x4 || WAY == Way::store_transposed_x2 || WAY == Way::store_transposed_x1;
  alignas(16) __shared__ unsigned short of_a[DEPTH * PITCH], of_b[DEPTH * PITCH];
  const int lane = threadIdx.x, of_eight = lane % 8, quarter = lane / 8;
  const unsigned short* const bits_of_a = reinterpret_cast<const unsigned short*>(a);
  const unsigned short* const bits_of_b = reinterpret_cast<const unsigned short*>(b);
  for (int i = lane; i < ROWS * DEPTH; i += 32)
    of_a[TURNED ? i % DEPTH * PITCH + i / DEPTH : i / DEPTH * PITCH + i % DEPTH] =
        STORED || STORED_TURNED ? static_cast<unsigned short>(0) : bits_of_a[i];
  // b lies turned, with k innermost, unless its loads turn it.
  for (int i = lane; i < DEPTH * COLUMNS; i += 32)
    of_b[TURNED ? i / COLUMNS * PITCH + i % COLUMNS : i % COLUMNS * PITCH + i / COLUMNS] = bits_of_b[i];
  __syncwarp();
  for (int k = 0; k < DEPTH; k += 16) {
    unsigned words_a[4], words_b[2];
    for (int i = 0; i < 4; ++i) {
      const T* const from = a + (g + 8 * (i % 2)) * DEPTH + k + 2 * t + 8 * (i / 2);
      words_a[i] = word_of(from[0], from[1]);
    }
    for (int i = 0; i < 2; ++i) {
      const T* const from = b + (k + 2 * t + 8 * i) * COLUMNS + g;
      words_b[i] = word_of(from[0], from[COLUMNS]);
    }
    // Where row r of matrix i of a is: rows r + 8 (i % 2), k from 8 (i / 2); turned, it is a column.
    const auto place = [&](int i, int r) {
      return TURNED || STORED_TURNED ? (k + 8 * (i / 2) + r) * PITCH + 8 * (i % 2) : (r + 8 * (i % 2)) * PITCH + k + 8 * (i / 2);
    };
    if constexpr (X4 || X2 || X1) {
      if constexpr (TURNED) {
        const unsigned short* const row = of_b + (k + of_eight + quarter % 2 * 8) * PITCH;
        attune::load_matrices_transposed(words_b, row);
      } else {
        const unsigned short* const row = of_b + of_eight * PITCH + k + quarter % 2 * 8;
        attune::load_matrices(words_b, row);
      }
      constexpr int N = X4 ? 4 : X2 ? 2 : 1;
      for (int i = 0; i < 4; i += N) {
        unsigned some[N];
        // Addresses of other lanes do not count.
        const unsigned short* const row = quarter < N ? of_a + place(i + quarter, of_eight) : nullptr;
        if constexpr (TURNED) attune::load_matrices_transposed(some, row);
        if constexpr (!TURNED) attune::load_matrices(some, row);
        for (int j = 0; j < N; ++j) words_a[i + j] = some[j];
      }
    }
    if constexpr (STORED || STORED_TURNED) {
      constexpr int N = WAY == Way::store_x4 || WAY == Way::store_transposed_x4   ? 4
                        : WAY == Way::store_x2 || WAY == Way::store_transposed_x2 ? 2
                                                                                  : 1;
      __syncwarp();
      for (int i = 0; i < 4; i += N) {
        unsigned some[N];
        for (int j = 0; j < N; ++j) some[j] = words_a[i + j];
        unsigned short* const row = quarter < N ? of_a + place(i + quarter, of_eight) : nullptr;
        if constexpr (STORED_TURNED) attune::store_matrices_transposed(row, some);
        if constexpr (STORED) attune::store_matrices(row, some);
      }
      __syncwarp();
      for (int i = 0; i < 4; ++i) {
        const auto element = [&](int part) {
          return STORED ? of_a[place(i, g) + 2 * t + part] : of_a[place(i, 2 * t + part) + g];
        };
        words_a[i] = element(0) | static_cast<unsigned>(element(1)) << 16;
      }
    }
    attune::mma_16x8x16<T>(sums, words_a, words_b);
  }
}

template <typename T, Way WAY>
__global__ void __launch_bounds__(32) warp_products(float* c, const T* a, const T* b) {
  const int g = threadIdx.x / 4, t = threadIdx.x % 4;
  attune::Accumulator<T> sums[4] = {};
  multiply<WAY>(sums, a + blockIdx.x * (ROWS * DEPTH), b + blockIdx.x * (DEPTH * COLUMNS), g, t);
  for (int i = 0; i < 4; ++i)
    c[(blockIdx.x * ROWS + g + 8 * (i / 2)) * COLUMNS + 2 * t + i % 2] = static_cast<float>(sums[i]);
}

template <typename T>
__global__ void warp_products_reference(float* c, const T* a, const T* b) {
  const int row = threadIdx.x / COLUMNS, column = threadIdx.x % COLUMNS;
  double sum = 0;
  for (int k = 0; k < DEPTH; ++k)
    sum += static_cast<double>(a[(blockIdx.x * ROWS + row) * DEPTH + k]) *
           static_cast<double>(b[(blockIdx.x * DEPTH + k) * COLUMNS + column]);
  c[blockIdx.x * 128 + threadIdx.x] = static_cast<float>(sum);
}
