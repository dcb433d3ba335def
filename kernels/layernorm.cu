/*attune
[kernel]
name = "layernorm"
include = ["rows.toml"]
summary = "out[r][c] = (in[r][c] - mean of row r) / sqrt(variance of row r + eps) * weight[c] + bias[c], row-major"
# Values are combined in a fixed order. By Keep::columns the bits of a row depend on rows before it, too.
deterministic = true
[problem]
# While tuning: normally distributed with mean 0; with mean 1000; or rows of zeros, of one number, with NaN, +inf or one
# number that is far from all others.
DATA = { choice = ["Data::normal", "Data::offset", "Data::awkward"] }
[parameters]
BLOCK = [256, 64, 128, 512, 1024, 32]
ROWS = [1, 2, 4]                               # that threads keep together: weight and bias are read once for them
LEAN = [false, true]                           # at most 64 or, for float, 80 registers a thread
[values]
ring = "(STAGES + 2) * part_packs * PACK + column_parts * 8"
groups = "ceil_div(rows, BLOCK / TPR * ROWS)"  # blocks or clusters, if each has ROWS rows for TPR threads
partial_floats = "by_parts ? 3 * rows * parts : by_columns ? 4 * rows * column_parts : 1"
column_registers = "LAG * ITEMS * 4 + (T == 'float' ? 32 : ITEMS == 5 ? 48 : 68)"  # of Keep::columns, at least
[restrictions]
rules = [
    "BLOCK > 32 || KEEP == 'Keep::registers'",
    "BLOCK < 1024 || from_memory || by_columns || (KEEP == 'Keep::registers' && ITEMS * PACK <= 96)",
    "ROWS == 1 || (KEEP == 'Keep::registers' && CLUSTER == 1 && TPR >= 8)",
    "ROWS == 1 || ROWS * ITEMS * PACK <= (BLOCK == 1024 ? 64 : 128)",
    "ROWS == 1 || BLOCK / TPR * ROWS <= rows",
    "!LEAN || (KEEP == 'Keep::registers' && TPR >= 8 && ITEMS <= 8 && ROWS * ITEMS * PACK > (ROWS > 1 ? 32 : 64))",
    "!LEAN || ROWS == 1 || ROWS * ITEMS * PACK <= (T == 'float' ? 128 : 64)",
    "!LEAN || (BLOCK <= (T == 'float' ? 256 : 512) && device.compute_capability < 100)",
    "!LEAN || BLOCK > 32 || (device.max_blocks_per_multiprocessor >= 32 && device.kind == 'cuda')",  # for 32 warps
    "!LEAN || T == 'float' || ROWS > 1 || (T == 'bfloat16' && ITEMS <= 7)",  # others spill
    "KEEP != 'Keep::online' || columns <= 2 ** 24 * unit",  # packs of a thread are counted by a float
    # Reads from memory: 4 to 64 bytes of a thread are under way.
    "!from_memory || (ITEMS in [1, 2, 4, 8] && ITEMS * PACK <= (TPR == 1 || BLOCK == 1024 ? 32 : 64))",
    "!from_memory || BLOCK < 1024 || ITEMS <= 2",
]
[[launch]]
entry = "layernorm<T, TPR, BLOCK, CLUSTER, PACK, KEEP, ITEMS, ROWS, LEAN, STAGES, LOAD_CACHE, STORE_CACHE>"
when = "!by_columns"
grid = ["by_parts ? 2 * parts * (row_groups + LAG) : CLUSTER * (BLOCKS_PER_SM > 0 ? staying : groups)"]
block = ["BLOCK"]
cluster = ["CLUSTER"]
shared = "shared"
arguments = ["out", "in", "weight", "bias", "eps", "rows", "columns", "slots", "partials", "passed",
             "part_columns", "part_count", "group_rows", "lag"]
[[launch]]
entry = "layernorm_of_columns<T, BLOCK, ITEMS, LAG, STORE_CACHE>"
when = "by_columns"
grid = ["column_parts * GROUP"]
block = ["BLOCK"]
cooperative = "true"                           # its blocks wait for each other
shared = "shared"
arguments = ["out", "in", "weight", "bias", "eps", "rows", "columns", "partials", "passed",
             "part_columns", "part_count", "group_rows", "ahead"]
[arguments]
out = { type = "T", size = "rows * columns", role = "out" }
in = { type = "T", size = "rows * columns", role = "in", fill = "normal(0, 1)" }
weight = { type = "T", size = "columns", role = "in", fill = "uniform(-1.5, 1.5)" }
bias = { type = "T", size = "columns", role = "in", fill = "uniform(-1, 1)" }
eps = { type = "float", fill = "1e-5" }
rows = { type = "int64" }
columns = { type = "int64" }
slots = { type = "int64", value = "share" }
partials = { type = "float", size = "partial_floats", role = "scratch" }
passed = { type = "uint32", size = "by_parts ? row_groups : 2", role = "scratch" }
part_columns = { type = "int64", value = "by_parts ? unit * ITEMS : by_columns ? part_packs * PACK / sizeof(T) : 1" }
part_count = { type = "int32", value = "by_parts ? parts : by_columns ? column_parts : 1" }
group_rows = { type = "int32", value = "GROUP" }
lag = { type = "int32", value = "LAG" }
ahead = { type = "int32", value = "STAGES" }
[[prepare]]
entry = "make_data<T, DATA>"
when = "DATA != 'Data::normal'"
grid = ["min(rows, 65536)"]
block = ["256"]
arguments = ["in", "rows", "columns"]
[[reference]]
entry = "layernorm_reference<T>"
grid = ["min(rows, 65536)"]
block = ["256"]
arguments = ["out", "in", "weight", "bias", "eps", "rows", "columns"]
[check]
# With u = 2^-24 = epsilon(float) / 2 and z = (in - mean) / deviation: z is rounded when it is formed (3 u of it), and
# the variance is a sum of positive numbers (10 u; half of it through the root, whose inverse has 2 u more). So z is
# known to 10 u of itself. An error of the mean, 16 u of the largest sums that form it, adds 16 u * |mean| / deviation
# to z; only Keep::online has it. Numbers of mean 0 reach 6 deviations: then z is wrong by (60 + 96) u, the result by
# 1.5 times that and 11 u of its last rounding: 245 u. The others have |mean| / sqrt(variance + eps) up to 1000: 24,000
# u more. (A variance by the mean of squares would be wrong by 10^6 u there, and z by several per cent.) Rows that stay
# in registers have plain sums, and the variance 41 u: 3 of a square, 7 of a pack, 15 of 16 packs, 14 of the steps over
# the threads of a row and of single elements, 2 of the inverse of the number of columns. Then z is known to 26 u of
# itself, and its error at 6 deviations is 156 u too. Any error of the mean is subtracted again. Numbers that are far
# off make results of up to sqrt(columns), of which 34 u are relative. T is rounded to once. Keep::parts merges up to 32
# more values per thread, each of which rounds a variance once. Of z 16 u were seen.
# Keep::columns: squares have 3 u of their own, and are added in 4 steps of a pack, 5 of packs and 5 of lanes. Of sums
# 14 u are lost, and their square is at most a sixteenth: 27 u together. Warps add 10 u so; parts, of which a lane has
# up to 19 of like shares, add 20. Of 57 u for the variance z has 3 + 28.5 + 2 = 33.5 u, and the mean less than 16 u:
# at 6 deviations the result is wrong by 1.5 times 217 u and 11 u.
absolute = "epsilon(float) * (DATA == 'Data::normal' ? 169 : 12169)"
relative = "epsilon(float) * 17 + (T == 'float' ? 0 : epsilon(T))"
allow_nonfinite = true                         # NaN for rows with NaN or an infinity
[metrics]
bytes = "(2 * rows + 2) * columns * sizeof(T)"
[[ladder]]
name = "passes"
source = "the steps of softmax.cu: from three reads of memory to a row that stays on the chip"
problems = ["rows=16384 columns=4096 T=float", "rows=4096 columns=16384 T=bfloat16"]
steps = [
    { name = "a thread per row", configuration = "TPR=1 BLOCK=128 PACK=4 KEEP=Keep::reload ITEMS=1" },
    { name = "a block per row", configuration = "TPR=256 BLOCK=256 PACK=4 KEEP=Keep::reload ITEMS=1" },
    { name = "packs of 16 bytes", configuration = "TPR=256 BLOCK=256 PACK=16 KEEP=Keep::reload ITEMS=1" },
    { name = "mean and variance in one pass", configuration = "TPR=256 BLOCK=256 PACK=16 KEEP=Keep::online ITEMS=1" },
    { name = "two packs in flight", configuration = "TPR=256 BLOCK=256 PACK=16 KEEP=Keep::online ITEMS=2" },
    { name = "the row in shared memory", configuration = "TPR=256 BLOCK=256 KEEP=Keep::shared BLOCKS_PER_SM=4" },
    { name = "the next row on its way", configuration = """TPR=256 BLOCK=256 KEEP=Keep::shared STAGES=2 \
      BLOCKS_PER_SM=3""" },
    { name = "the row in registers", configuration = "TPR=256 BLOCK=256 KEEP=Keep::registers ITEMS=4" },
    { name = "the row in registers, 32 KiB", configuration = "TPR=256 BLOCK=256 KEEP=Keep::registers ITEMS=8" },
]
[[ladder]]
name = "few long rows"
problems = ["rows=128 columns=262144 T=float"]
steps = [
    { name = "a cluster per row", configuration = "TPR=512 BLOCK=512 CLUSTER=8 KEEP=Keep::online ITEMS=2" },
    { name = "two passes over parts", configuration = "TPR=256 BLOCK=256 KEEP=Keep::parts ITEMS=4" },
    { name = "the same columns of all rows", configuration = """TPR=512 BLOCK=512 KEEP=Keep::columns ITEMS=5 STAGES=2 \
      GROUP=4 LAG=4 BLOCKS_PER_SM=1""" },
]
*/
#include "attune.cuh"
#include "attune_access.cuh"
#include "attune_async.cuh"
#include "attune_operators.cuh"
#include "attune_packs.cuh"
#include "attune_row_columns.cuh"
#include "attune_row_schedule.cuh"
#include "attune_rows.cuh"

using attune::Cache;
using attune::Keep;
using attune::Pack;

// A row is read and reduced as attune_row_schedule.cuh says, in three passes or two: the mean, the variance about it,
// the results. Weight and bias are read once per row, out of a cache.
//
// The mean of squares less the square of the mean is no variance: where a mean is a thousand deviations, nothing of it
// is right. Here numbers are first made small by subtracting the mean, as it was rounded. Their own mean, nearly zero,
// corrects both the variance and the results (T. Chan, G. Golub and R. LeVeque, Algorithms for Computing the Sample
// Variance, 1983). Keep::online merges means and variances of packs and threads by the formulas of the same paper.
//
// The variance is the one of a population: it is divided by the number of columns. Rows with NaN or an infinity become
// NaN. A row of equal numbers becomes the bias, if their sum is finite.

enum class Data { normal, offset, awkward };

// in becomes ((in - mean) * scale + shift) * weight + bias.
struct Normalization {
  float mean, scale, shift;

  template <bool>
  __device__ __forceinline__ float finish(float x, float weight, float bias) const {
    return fmaf(fmaf(x - mean, scale, shift), weight, bias);
  }
};

struct Sums {
  float first, second;
};

struct AddSums {
  __device__ __forceinline__ static Sums combine(Sums a, Sums b) { return {a.first + b.first, a.second + b.second}; }
};

// So many numbers, their mean, and the sum of squares of their distances from it.
struct Moments {
  float count, mean, squares;
};

struct MergeMoments {
  __device__ __forceinline__ static Moments identity() { return {0, 0, 0}; }
  // The same to the bit if a and b change places.
  __device__ __forceinline__ static Moments combine(Moments a, Moments b) {
    const float count = a.count + b.count, distance = b.mean - a.mean;
    if (count == 0) return a;
    const float middle = 0.5f * (a.mean + b.mean), share = 1.0f / count;
    return {count, fmaf(0.5f * distance, (b.count - a.count) * share, middle),
            fmaf(distance, distance * (a.count * b.count * share), a.squares + b.squares)};
  }
};

// 1 / x to a unit in the last place, for whole numbers.
__device__ __forceinline__ float reciprocal(float x) {
#ifdef __CUDA_ARCH__
  float inverse;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(inverse) : "f"(x));
  return inverse;
#else
  return 1.0f / x;
#endif
}

template <int VECTOR>
__device__ __forceinline__ float sum_of(const float (&x)[VECTOR]) {
  float sum = x[0];
#pragma unroll
  for (int k = 1; k < VECTOR; ++k) sum += x[k];
  return sum;
}

// By sums of what is left of numbers, and of its squares, when their mean as it was rounded has been subtracted.
__device__ __forceinline__ Normalization normalization_about(float mean, Sums sums, float share, float eps) {
  const float missed = sums.first * share, variance = sums.second * share - missed * missed;
  const float scale = rsqrtf((variance < 0 ? 0 : variance) + eps);
  return {mean, scale, -missed * scale};
}

// ROWS rows of as many aligned packs as their threads keep. The team's next row lies as many rows further as there are
// teams in the block.
template <typename Full, typename Team, int ITEMS, int ROWS, typename T>
struct FullRows {
  using P = typename Full::P;
  static constexpr int VECTOR = sizeof(P) / sizeof(T);
  static constexpr long long STEP = Full::columns * Team::ROWS;
  static constexpr float SHARE = 1.0f / Full::columns;
  // As RowInRegisters does; but a multiprocessor has no more than 32 blocks, and 64 registers for each of their threads
  // if they are a warp.
  static constexpr bool FORGETS = Team::BLOCK > 32 && ROWS * ITEMS * VECTOR > 16;

  P held[ROWS][ITEMS];
  unsigned zero;  // see attune::forget_floats()
  Normalization by[ROWS];

  __device__ __forceinline__ static const P* pack_at(const T* array, int i) {
    const long long first = Team::rank();  // wide at once: then addresses of packs differ by constants
    return reinterpret_cast<const P*>(array) + first + i * Team::SIZE;
  }
  template <Cache CACHE>
  __device__ __forceinline__ void load(const T* in) {
    zero = static_cast<unsigned>(reinterpret_cast<unsigned long long>(in) >> 63);
#pragma unroll
    for (int j = 0; j < ROWS; ++j)
#pragma unroll
      for (int i = 0; i < ITEMS; ++i) held[j][i] = attune::load_hinted<CACHE>(pack_at(in + j * STEP, i));
  }
  __device__ __forceinline__ void take(int j, int i, float (&x)[VECTOR]) {
    if constexpr (FORGETS) attune::forget_floats(held[j][i], zero);
    attune::floats_of(held[j][i], x);
  }

  __device__ __forceinline__ float sum_of_row(int j) {
    attune::PlainSum sum;
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) {
      float x[VECTOR];
      take(j, i, x);
      sum.add(sum_of(x));
    }
    return sum.total();
  }
  __device__ __forceinline__ Sums rest_of_row(int j, float mean) {
    attune::PlainSum rest, squares;
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) {
      float x[VECTOR];
      take(j, i, x);
#pragma unroll
      for (int k = 0; k < VECTOR; ++k) x[k] -= mean;
      rest.add(sum_of(x));
#pragma unroll
      for (int k = 0; k < VECTOR; ++k) x[k] *= x[k];
      squares.add(sum_of(x));
    }
    return {rest.total(), squares.total()};
  }
  // As Layernorm::passes() does, for all rows at a time.
  __device__ __forceinline__ void normalize(float eps, Sums (*cells)[Team::CELLS]) {
    float sums[ROWS], rests[2 * ROWS];
#pragma unroll
    for (int j = 0; j < ROWS; ++j) sums[j] = sum_of_row(j);
    attune::sum_each_over_row<Team>(sums, &cells[0][0].first);
#pragma unroll
    for (int j = 0; j < ROWS; ++j) {
      const Sums rest = rest_of_row(j, sums[j] * SHARE);
      rests[j] = rest.first;
      rests[ROWS + j] = rest.second;
    }
    attune::sum_each_over_row<Team>(rests, &cells[ROWS][0].first);
#pragma unroll
    for (int j = 0; j < ROWS; ++j)
      by[j] = normalization_about(sums[j] * SHARE, {rests[j], rests[ROWS + j]}, SHARE, eps);
  }

  template <Cache CACHE>
  __device__ __forceinline__ void write(T* out, const T* weight, const T* bias) {
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) {
      float w[VECTOR], b[VECTOR];
      attune::floats_of(attune::load_reused(pack_at(weight, i)), w);
      attune::floats_of(attune::load_reused(pack_at(bias, i)), b);
#pragma unroll
      for (int j = 0; j < ROWS; ++j) {
        float x[VECTOR];
        take(j, i, x);
#pragma unroll
        for (int k = 0; k < VECTOR; ++k) x[k] = by[j].template finish<true>(x[k], w[k], b[k]);
        attune::store_whole<CACHE>(const_cast<P*>(pack_at(out + j * STEP, i)), attune::pack_of<T>(x));
      }
    }
  }
};

// The operation of attune::RowSchedule; `columns` of a row. ROWS rows of a team are kept together.
template <typename T, int ROWS>
struct Layernorm {
  static constexpr int TOGETHER = ROWS;
  using Cell = Sums;
  using Value = Moments;
  using Combine = MergeMoments;

  float eps, columns;

  __device__ __forceinline__ static T missing(T like) { return like; }
  __device__ __forceinline__ Normalization of_row(Moments moments) const {
    return {moments.mean, rsqrtf(moments.squares / columns + eps), 0};
  }
  __device__ __forceinline__ static const Normalization& of_row(const Normalization& known) { return known; }

  // The mean, then the variance about it.
  template <typename Kept>
  __device__ __forceinline__ Normalization passes(Kept& kept, Sums (*cells)[Kept::Team::CELLS]) const {
    using P = typename Kept::P;
    using Team = typename Kept::Team;
    using Add = attune::Operator<attune::Op::sum, float>;
    const float share = reciprocal(columns);
    typename Kept::Sum sum, squares;
    kept.for_each_pack([&](P& pack, long long, bool) {
      float x[Kept::VECTOR];
      attune::floats_of(pack, x);
      sum.add(sum_of(x));
    });
    kept.for_each_edge([&](T& element, long long) { sum.add(static_cast<float>(element)); });
    const float mean = attune::combine_row<Add, Team>(sum.total(), reinterpret_cast<float*>(cells[0])) * share;

    float rest = -0.0f;  // small: nothing is lost
    kept.for_each_pack([&](P& pack, long long, bool is_there) {
      float x[Kept::VECTOR];
      attune::floats_of(pack, x);
#pragma unroll
      for (int k = 0; k < Kept::VECTOR; ++k) x[k] -= mean;
      const float of_pack = sum_of(x);
#pragma unroll
      for (int k = 0; k < Kept::VECTOR; ++k) x[k] *= x[k];
      if (is_there) {
        rest += of_pack;
        squares.add(sum_of(x));
      }
    });
    kept.for_each_edge([&](T& element, long long) {
      const float x = static_cast<float>(element) - mean;
      rest += x;
      squares.add(x * x);
    });
    return normalization_about(mean, attune::combine_row<AddSums, Team>(Sums{rest, squares.sum}, cells[1]), share, eps);
  }

  // Merges the moments of packs, then those of single elements.
  template <typename Kept>
  __device__ __forceinline__ static Moments one_pass(Kept& kept, Moments* cells) {
    constexpr int VECTOR = Kept::VECTOR;
    attune::CompensatedSum mean, squares;
    float packs = 0;
    kept.for_each_pack([&](typename Kept::P& pack, long long, bool is_there) {
      if (!is_there) return;
      float x[VECTOR];
      attune::floats_of(pack, x);
      const float of_pack = sum_of(x) * (1.0f / VECTOR);
#pragma unroll
      for (int k = 0; k < VECTOR; ++k) x[k] = (x[k] - of_pack) * (x[k] - of_pack);
      const float distance = (of_pack - mean.sum) + mean.lost;
      const float share = __fdividef(1.0f, packs + 1);
      squares.add(fmaf(distance, distance * (packs * share * VECTOR), sum_of(x)));
      mean.add(distance * share);
      packs += 1;
    });
    Moments moments{packs * VECTOR, mean.sum, squares.sum};
    kept.for_each_edge([&](T& element, long long) {
      moments = MergeMoments::combine(moments, Moments{1, static_cast<float>(element), 0});
    });
    return attune::combine_row<MergeMoments, typename Kept::Team>(moments, cells);
  }

  template <typename Full, typename Team, int ITEMS, Cache LOAD_CACHE, Cache STORE_CACHE>
  __device__ __forceinline__ void finish_together(T* out, const T* in, Sums (*cells)[Team::CELLS], const T* weight,
                                                  const T* bias) const {
    FullRows<Full, Team, ITEMS, ROWS, T> full;
    full.template load<LOAD_CACHE>(in);
    Team::begin();
    full.normalize(eps, cells);
    full.template write<STORE_CACHE>(out, weight, bias);
  }
};

// Of blocks on a multiprocessor. The compiler wants more than one, and spills for them; 0 leaves it to the compiler.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 1000
constexpr int SMALLEST_FOR_ONE = 32;  // threads of such blocks with rows in shared memory
#else
constexpr int SMALLEST_FOR_ONE = 512;
#endif
template <typename T, int BLOCK, Keep KEEP, bool LEAN>
constexpr int WANTED_BLOCKS = LEAN ? (sizeof(T) == 4 ? 768 : 1024) / BLOCK
                                   : KEEP != Keep::registers && (KEEP != Keep::shared || BLOCK >= SMALLEST_FOR_ONE);

template <typename T, int TPR, int BLOCK, int CLUSTER, int PACK, Keep KEEP, int ITEMS, int ROWS, bool LEAN, int STAGES,
          Cache LOAD_CACHE, Cache STORE_CACHE>
__global__ void __launch_bounds__(BLOCK, WANTED_BLOCKS<T, BLOCK, KEEP, LEAN>)
    layernorm(T* __restrict__ out, const T* __restrict__ in, const T* __restrict__ weight,
              const T* __restrict__ bias, float eps, long long rows, long long columns, long long slots,
              Moments* partials, unsigned* passed, long long part_columns, int parts, int group_rows, int lag) {
  using Work = Layernorm<T, ROWS>;
  using Team = attune::RowTeam<TPR, BLOCK, CLUSTER>;
  using Rows = attune::RowSchedule<Team, KEEP, PACK, ITEMS, STAGES, LOAD_CACHE, STORE_CACHE, T, Work>;
  const Work work{eps, static_cast<float>(columns)};
  Rows{out, in, rows, columns, work}.run(slots, {part_columns, parts, group_rows, lag}, partials, passed, weight, bias);
}

// Keep::columns: moments of the packs of a warp, of the warps, and of the parts of a row. Each time numbers are taken
// relative to one of them, or nearly to their mean: then sums are small, and those of equal numbers exact.
template <typename T, int BLOCK, int ITEMS>
struct LayernormOfColumns : Layernorm<T, 1> {
  struct Value {
    float mean, squares;
  };
  static constexpr int SLOTS = 2, VECTOR = 16 / sizeof(T), THREADS = BLOCK - 64;
  using P = Pack<T, VECTOR>;

  const T *weight, *bias;

  // Is the mean within a quarter of a deviation of 0? Only then little is lost if its square is subtracted from that of
  // squares.
  __device__ __forceinline__ static bool is_near(float mean, float mean_of_squares) {
    return 16 * mean * mean <= mean_of_squares && mean_of_squares < __int_as_float(0x7f800000);
  }
  // By numbers relative to `base`: their mean, and their sums.
  __device__ __forceinline__ static Value value_of(float base, float mean, Sums sums) {
    const bool is_finite = sums.second < __int_as_float(0x7f800000);
    return {base + mean, is_finite ? fmaf(-sums.first, mean, sums.second) : sums.second};
  }

  // The thread reads what it has copied, so it waits for its own copies alone.
  __device__ __forceinline__ void load(P* own, int step, long long column, int count) const {
    const T *const w = weight + column, *const b = bias + column;
    const int tid = static_cast<int>(threadIdx.x);
    const bool by_packs = attune::aligned<P>(w) && attune::aligned<P>(b);
#pragma unroll 1
    for (int i = 0; i < ITEMS; ++i) {
      const int at = (tid + i * THREADS) * VECTOR;
      P *const weights = own + i * THREADS, *const biases = weights + step;
      if (by_packs && at + VECTOR <= count) {
        attune::copy_async<16>(weights, w + at);
        attune::copy_async<16>(biases, b + at);
      } else {
#pragma unroll 1
        for (int k = 0; k < VECTOR && at + k < count; ++k) {
          weights->element[k] = w[at + k];
          biases->element[k] = b[at + k];
        }
      }
    }
    attune::commit_copies();
  }

  // Numbers are taken relative to the mean of the row before. If their own mean is not within a quarter of a deviation
  // from there, they are taken relative to the first of them, and then to the mean that this gives: once more if the
  // first number was so far off that little is known of the mean.
  __device__ __forceinline__ Value of_warp(P (&packs)[ITEMS], int count, int elements, Value last) const {
    const float share = __fdividef(1.0f, static_cast<float>(elements > 0 ? elements : 1));
    const float first = __shfl_sync(0xffffffffu, static_cast<float>(packs[0].element[0]), 0);
    float base = last.mean, mean;
    Sums sums;
#pragma unroll 1
    for (int pass = 0;; ++pass) {
      sums = sums_about(base, first, packs, count, elements);
      mean = sums.first * share;
      if (is_near(mean, sums.second * share) || pass == 3) break;
      base = pass == 0 ? first : base + mean;
    }
    return value_of(base, mean, sums);
  }
  // Of distances from `base`, and of their squares, over the warp.
  __device__ __forceinline__ Sums sums_about(float base, float first, P (&packs)[ITEMS], int count,
                                             int elements) const {
    Sums sums{0, 0};
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) {
      float x[VECTOR];
      attune::floats_of(packs[i], x);
#pragma unroll
      for (int k = 0; k < VECTOR; ++k) x[k] -= base;
      const Sums of_pack{attune::sum_by_pairs(x), attune::sum_of_squares(x)};
      if (i * THREADS < count) sums = AddSums::combine(sums, of_pack);
      attune::forget_floats(packs[i], static_cast<unsigned>(elements) >> 30);
    }
    // What stands for elements that are not there is the warp's first number.
    const float none = static_cast<float>(-elements & (VECTOR - 1)), distance = first - base;
    return {fmaf(-none, distance, attune::sum_over_warp(sums.first)),
            fmaf(-none * distance, distance, attune::sum_over_warp(sums.second))};
  }

  // Likewise. One of the means is less far off than single numbers are: two passes do.
  template <typename Values, typename Elements>
  __device__ __forceinline__ Value join(const Values& values, const Elements& elements, int count, float total) const {
    float base = values(0).mean, mean;
    Sums sums;
#pragma unroll 1
    for (int pass = 0;; ++pass) {
      sums = {0, 0};
#pragma unroll 1
      for (int k = static_cast<int>(threadIdx.x) % 32; k < count; k += 32) {
        const Value value = values(k);
        const float distance = value.mean - base, of_part = static_cast<float>(elements(k)) * distance;
        sums = AddSums::combine(sums, {of_part, fmaf(of_part, distance, value.squares)});
      }
      sums = {attune::sum_over_warp(sums.first), attune::sum_over_warp(sums.second)};
      mean = __fdividef(sums.first, total);
      if (is_near(mean, __fdividef(sums.second, total)) || pass == 1) break;
      base += mean;
    }
    return value_of(base, mean, sums);
  }

  __device__ __forceinline__ Normalization of_row(Value row) const {
    return Layernorm<T, 1>::of_row(Moments{this->columns, row.mean, row.squares});
  }
  __device__ __forceinline__ void finish(float (&x)[VECTOR], const P* own, int step,
                                         const Normalization& normalization) const {
    float w[VECTOR], b[VECTOR];
    attune::floats_of(attune::load<Cache::plain>(own), w);
    attune::floats_of(attune::load<Cache::plain>(own + step), b);
#pragma unroll
    for (int k = 0; k < VECTOR; ++k) x[k] = normalization.template finish<true>(x[k], w[k], b[k]);
  }
};

// Beside those for packs that wait; with fewer the compiler spills. (Many numbers of two bytes are floats at a time.)
template <typename T, int ITEMS>
constexpr int OTHERS = sizeof(T) == 4 ? 32 : ITEMS == 5 ? 48 : 68;

template <typename T, int BLOCK, int ITEMS, int LAG, Cache STORE_CACHE>
__global__ void __launch_bounds__(BLOCK, attune::BLOCKS_OF_REGISTERS<BLOCK, LAG * ITEMS * 4 + OTHERS<T, ITEMS>>)
    layernorm_of_columns(T* __restrict__ out, const T* __restrict__ in, const T* __restrict__ weight,
                         const T* __restrict__ bias, float eps, long long rows, long long columns,
                         attune::TaggedValue* words, unsigned* epoch, long long part_columns, int parts, int groups,
                         int ahead) {
  extern __shared__ int4 memory[];
  using Work = LayernormOfColumns<T, BLOCK, ITEMS>;
  using Rows = attune::RowsByColumns<BLOCK, ITEMS, LAG, STORE_CACHE, T, Work>;
  __shared__ typename Rows::Shared cells;
  const Work work{{eps, static_cast<float>(columns)}, weight, bias};
  const attune::ColumnShares shares{part_columns, parts, groups, ahead};
  Rows(out, in, rows, columns, shares, work, cells, memory).run(words, epoch);
}

// ---- Data, and the reference ----

template <typename T, Data DATA>
__global__ void make_data(T* in, long long rows, long long columns) {
  const float infinity = __int_as_float(0x7f800000);
  const float large = static_cast<float>(static_cast<T>(3e19f)) < infinity ? 3e19f : 3e4f;  // its square may be infinite
  for (long long r = blockIdx.x; r < rows; r += gridDim.x) {
    for (long long c = threadIdx.x; c < columns; c += blockDim.x) {
      T& element = in[r * columns + c];
      if (DATA == Data::offset) {
        element = static_cast<T>(static_cast<float>(element) + 1000);
      } else if (r % 5 < 2) {
        element = static_cast<T>(r % 5 * large);
      } else if (c == columns / 2) {
        element = static_cast<T>(r % 5 == 2 ? infinity - infinity : r % 5 == 3 ? infinity : 10000.0f);
      }
    }
  }
}

// The sum of the threads' numbers, in all of them.
__device__ double sum_over_block(double number) {
  __shared__ double numbers[256];
  __syncthreads();
  numbers[threadIdx.x] = number;
  __syncthreads();
  number = 0;
  for (int i = 0; i < 256; ++i) number += numbers[i];
  return number;
}

template <typename T>
__global__ void layernorm_reference(T* out, const T* in, const T* weight, const T* bias, float eps, long long rows,
                                    long long columns) {
  const auto number = [](T element) { return static_cast<double>(static_cast<float>(element)); };
  const auto square = [](double x) { return x * x; };
  for (long long r = blockIdx.x; r < rows; r += gridDim.x) {
    const T* const row = in + r * columns;
    double mean = 0, variance = 0;
    for (long long c = threadIdx.x; c < columns; c += 256) mean += number(row[c]);
    mean = sum_over_block(mean) / static_cast<double>(columns);
    for (long long c = threadIdx.x; c < columns; c += 256) variance += square(number(row[c]) - mean);
    variance = sum_over_block(variance) / static_cast<double>(columns);
    for (long long c = threadIdx.x; c < columns; c += 256)
      out[r * columns + c] = static_cast<T>((number(row[c]) - mean) / sqrt(variance + static_cast<double>(eps)) *
                                                number(weight[c]) +
                                            number(bias[c]));
  }
}
