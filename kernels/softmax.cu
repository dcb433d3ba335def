/*attune
[kernel]
name = "softmax"
include = ["rows.toml"]
summary = "out[r][c] = exp(in[r][c]) / (sum of exp(in[r][k]) over k) for a rows x columns matrix, row-major"
deterministic = true                           # values are combined in a fixed order
[problem]
# While tuning: numbers from -4 to 4; with entries, and rows, of -inf, and some of +inf and NaN; or as large as T has.
DATA = { choice = ["Data::logits", "Data::masked", "Data::large"] }
[parameters]
BLOCK = [256, 64, 128, 512, 1024]
[values]
ring = "STAGES * part_packs * PACK + column_parts * 8"
groups = "ceil_div(rows, BLOCK / TPR)"         # blocks or clusters, if each has one row for TPR threads
partial_floats = "by_parts ? 2 * rows * parts : by_columns ? 4 * rows * column_parts : 1"
column_registers = "LAG * ITEMS * 4 + 28"      # that Keep::columns has, at least
[restrictions]
rules = [
    # Reads from memory: 4 to 128 bytes of a thread are under way.
    "!from_memory || (ITEMS in [1, 2, 4, 8] && ITEMS * PACK <= (TPR == 1 ? 32 : BLOCK == 1024 ? 64 : 128))",
    "!from_memory || BLOCK < 1024 || ITEMS <= 4",
]
[[launch]]
entry = "softmax<T, TPR, BLOCK, CLUSTER, PACK, KEEP, ITEMS, STAGES, LOAD_CACHE, STORE_CACHE>"
when = "!by_columns"
grid = ["by_parts ? 2 * parts * (row_groups + LAG) : CLUSTER * (BLOCKS_PER_SM > 0 ? staying : groups)"]
block = ["BLOCK"]
cluster = ["CLUSTER"]
shared = "shared"
arguments = ["out", "in", "rows", "columns", "slots", "partials", "passed",
             "part_columns", "part_count", "group_rows", "lag"]
[[launch]]
entry = "softmax_of_columns<T, BLOCK, ITEMS, LAG, STORE_CACHE>"
when = "by_columns"
grid = ["column_parts * GROUP"]
block = ["BLOCK"]
cooperative = "true"                           # its blocks wait for each other
shared = "shared"
arguments = ["out", "in", "rows", "columns", "partials", "passed", "part_columns", "part_count", "group_rows", "ahead"]
[arguments]
out = { type = "T", size = "rows * columns", role = "out" }
in = { type = "T", size = "rows * columns", role = "in", fill = "uniform(-4, 4)" }
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
seed = { type = "uint64", fill = "seed" }
[[prepare]]
entry = "make_data<T, DATA>"
when = "DATA != 'Data::logits'"
grid = ["min(rows, 65536)"]
block = ["256"]
arguments = ["in", "rows", "columns", "seed"]
[[reference]]
entry = "softmax_reference<T>"
grid = ["min(rows, 65536)"]
block = ["256"]
arguments = ["out", "in", "rows", "columns"]
[check]
# In units of epsilon(float) = 2^-23, relative: a difference d from the maximum is rounded when it is formed and when it
# is turned to base 2, which changes exp(d) by 1.1 |d|. ex2.approx is good to 2. Sums, of positive numbers: 4 for a
# pack, 1 for all packs of a thread, 7 for 13 steps over a cluster; Keep::online scales them some 7 times, by 2 each.
# Rows in registers have plain sums: 8 for 16 packs, but no scaling.
# Keep::parts adds up to 32 parts per thread, one after the other, where the chain of a thread is shorter.
# Keep::columns: 2 for pairs of a pack, 2 for the packs of a thread, 8 for 15 steps over lanes, warps and lanes, 5 for
# up to 19 parts of a lane, each of which holds a like share. It scales twice, by 2.5 each: 22 in all, less than 26.
# The quotient: 1. With |d| <= 8 these are 2 * (9 + 2) + 12 + 14 + 1 = 49; where |d| <= 87, 100 more. What is less than
# the least normal number becomes 0. Half has steps of 2^-24 there. T is rounded to once, next to a rounded reference.
relative = "epsilon(float) * (DATA == 'Data::logits' ? 49 : 149) + (T == 'float' ? 0 : epsilon(T))"
absolute = "T == 'half' ? 2.0 ** -24 : 2.0 ** -125"
allow_nonfinite = true                         # NaN for rows with NaN, with +inf, or of -inf alone
[metrics]
bytes = "2 * rows * columns * sizeof(T)"
[[ladder]]
name = "passes"
source = """the order of M. Milakov and N. Gimelshein, Online normalizer calculation for softmax (2018), and \
  what keeps the row on the chip since"""
problems = ["rows=16384 columns=4096 T=float", "rows=4096 columns=16384 T=bfloat16"]
steps = [
    { name = "a thread per row", configuration = "TPR=1 BLOCK=128 PACK=4 KEEP=Keep::reload ITEMS=1" },
    { name = "a block per row", configuration = "TPR=256 BLOCK=256 PACK=4 KEEP=Keep::reload ITEMS=1" },
    { name = "packs of 16 bytes", configuration = "TPR=256 BLOCK=256 PACK=16 KEEP=Keep::reload ITEMS=1" },
    { name = "maximum and sum in one pass", configuration = "TPR=256 BLOCK=256 PACK=16 KEEP=Keep::online ITEMS=1" },
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
#include "attune_operators.cuh"
#include "attune_packs.cuh"
#include "attune_row_columns.cuh"
#include "attune_row_schedule.cuh"
#include "attune_rows.cuh"

using attune::Cache;
using attune::Keep;
using attune::Op;
using attune::Pack;

// A row is read and reduced as attune_row_schedule.cuh says, in three passes or two: the maximum, the sum of powers,
// the quotients.
//
// Numbers as they come, as PyTorch has it: an entry of -inf becomes 0. A row with NaN, with +inf or of -inf alone
// becomes NaN. The maximum is subtracted before anything else, so finite numbers of any size are right. (Multiplied by
// log2(e) first, in one instruction, numbers beyond 10^9 would lose all their digits.)

enum class Data { logits, masked, large };

// 2^x to 2 units in the last place; 0 below the least normal number.
__device__ __forceinline__ float power_of_two(float x) {
#ifdef __CUDA_ARCH__
  float power;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(x));
  return power;
#else
  return exp2f(x);
#endif
}

// exp(x - most). NaN if both are -inf, or both +inf.
__device__ __forceinline__ float exponential(float x, float most) {
  return power_of_two((x - most) * 1.44269504f);
}

// A maximum, and the sum of powers relative to it.
struct Powers {
  float most, sum;

  __device__ __forceinline__ static float above_nothing(float most) {
    return most == attune::Operator<Op::max, float>::identity() ? 0 : most;  // -inf - -inf is no number
  }
};

struct CombinePowers {
  __device__ __forceinline__ static Powers identity() { return {attune::Operator<Op::max, float>::identity(), 0}; }
  __device__ __forceinline__ static Powers combine(Powers a, Powers b) {
    const float most = fmaxf(a.most, b.most), base = Powers::above_nothing(most);
    return {most, __fadd_rn(__fmul_rn(a.sum, exponential(a.most, base)), __fmul_rn(b.sum, exponential(b.most, base)))};
  }
};

// An element becomes exp(x - most) * factor. ARE_POWERS: the packs of the row hold exp(x - most) by now.
template <bool ARE_POWERS>
struct Quotient {
  float most, factor;

  template <bool OF_PACK>
  __device__ __forceinline__ float finish(float x) const {
    return (OF_PACK && ARE_POWERS ? x : exponential(x, most)) * factor;
  }
};

// The operation of attune::RowSchedule. IN_PLACE: packs become powers in the registers that keep them.
template <typename T, bool IN_PLACE>
struct Softmax {
  static constexpr int TOGETHER = 0;
  using Cell = float;
  using Value = Powers;
  using Combine = CombinePowers;

  __device__ __forceinline__ static T missing(T) {
    return static_cast<T>(attune::Operator<Op::max, float>::identity());
  }
  __device__ __forceinline__ static Quotient<IN_PLACE> of_row(Powers powers) {
    return {powers.most, 1.0f / powers.sum};
  }

  // The maximum, then the sum.
  template <typename Kept>
  __device__ __forceinline__ static Powers passes(Kept& kept, float (*cells)[Kept::Team::CELLS]) {
    using P = typename Kept::P;
    float most = attune::Operator<Op::max, float>::identity();
    // NaN is left out here: it makes the sum NaN.
    kept.for_each_pack([&](P& pack, long long, bool) { most = fmaxf(most, attune::maximum_of(pack)); });
    kept.for_each_edge([&](T& element, long long) { most = fmaxf(most, static_cast<float>(element)); });
    most = attune::combine_row<attune::Operator<Op::max, float>, typename Kept::Team>(most, cells[0]);

    typename Kept::Sum sum;
    kept.for_each_pack([&](P& pack, long long, bool) {
      float x[Kept::VECTOR], of_pack = -0.0f;
      attune::floats_of(pack, x);
#pragma unroll
      for (int k = 0; k < Kept::VECTOR; ++k) of_pack += x[k] = exponential(x[k], most);
      if constexpr (IN_PLACE) pack = attune::pack_of<T>(x);
      sum.add(of_pack);
    });
    kept.for_each_edge([&](T& element, long long) { sum.add(exponential(static_cast<float>(element), most)); });
    return {most, attune::combine_row<attune::Operator<Op::sum, float>, typename Kept::Team>(sum.sum, cells[1])};
  }

  // Both at a time: a new maximum scales the sum.
  template <typename Kept>
  __device__ __forceinline__ static Powers one_pass(Kept& kept, Powers* cells) {
    float most = attune::Operator<Op::max, float>::identity();
    attune::CompensatedSum sum;
    const auto raise = [&](float to) {
      if (to > most) {
        sum.scale(exponential(most, to));
        most = to;
      }
      return Powers::above_nothing(most);
    };
    kept.for_each_pack([&](typename Kept::P& pack, long long, bool) {
      float x[Kept::VECTOR], of_pack = 0;
      attune::floats_of(pack, x);
      const float base = raise(attune::maximum_of(pack));
#pragma unroll
      for (int k = 0; k < Kept::VECTOR; ++k) of_pack += exponential(x[k], base);
      sum.add(of_pack);
    });
    kept.for_each_edge([&](T& element, long long) {
      const float x = static_cast<float>(element), base = raise(x);
      sum.add(exponential(x, base));
    });
    return attune::combine_row<CombinePowers, typename Kept::Team>(Powers{most, sum.sum}, cells);
  }
};

// Of blocks on a multiprocessor. The compiler wants more than one, and spills for them; 0 leaves it to the compiler.
template <int BLOCK, Keep KEEP>
constexpr int WANTED_BLOCKS = BLOCK >= 512 && KEEP != Keep::registers;

template <typename T, int TPR, int BLOCK, int CLUSTER, int PACK, Keep KEEP, int ITEMS, int STAGES, Cache LOAD_CACHE,
          Cache STORE_CACHE>
__global__ void __launch_bounds__(BLOCK, WANTED_BLOCKS<BLOCK, KEEP>)
    softmax(T* __restrict__ out, const T* __restrict__ in, long long rows, long long columns, long long slots,
            Powers* partials, unsigned* passed, long long part_columns, int parts, int group_rows, int lag) {
  constexpr bool IN_PLACE = KEEP == Keep::registers && sizeof(T) == sizeof(float);  // other types would lose digits
  using Work = Softmax<T, IN_PLACE>;
  using Team = attune::RowTeam<TPR, BLOCK, CLUSTER>;
  using Rows = attune::RowSchedule<Team, KEEP, PACK, ITEMS, STAGES, LOAD_CACHE, STORE_CACHE, T, Work>;
  Rows{out, in, rows, columns, Work()}.run(slots, {part_columns, parts, group_rows, lag}, partials, passed);
}

// Keep::columns: maximum and sum in two passes over the packs of a warp, over the warps, and over the parts of a row.
// So a power is scaled by two more ones, not by one for each step of a combination.
template <typename T>
struct SoftmaxOfColumns : Softmax<T, false> {
  static constexpr int SLOTS = 0;

  template <typename P>
  __device__ __forceinline__ void load(P*, int, long long, int) const {}

  template <int ITEMS, int VECTOR>
  __device__ __forceinline__ Powers of_warp(Pack<T, VECTOR> (&packs)[ITEMS], int, int, Powers) const {
    float most = attune::maximum_of(packs[0]);
#pragma unroll
    for (int i = 1; i < ITEMS; ++i) most = fmaxf(most, attune::maximum_of(packs[i]));
    most = attune::largest_over_warp(most);
    const float base = Powers::above_nothing(most);
    float sum = 0;
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) {
      float x[VECTOR];
      attune::floats_of(packs[i], x);
#pragma unroll
      for (int k = 0; k < VECTOR; ++k) x[k] = exponential(x[k], base);
      sum += attune::sum_by_pairs(x);
    }
    return {most, attune::sum_over_warp(sum)};
  }

  template <typename Values, typename Elements>
  __device__ __forceinline__ Powers join(const Values& values, const Elements&, int count, float) const {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    float most = attune::Operator<Op::max, float>::identity(), sum = 0;
#pragma unroll 1
    for (int k = lane; k < count; k += 32) most = fmaxf(most, values(k).most);
    most = attune::largest_over_warp(most);
    const float base = Powers::above_nothing(most);
#pragma unroll 1
    for (int k = lane; k < count; k += 32) sum += values(k).sum * exponential(values(k).most, base);
    return {most, attune::sum_over_warp(sum)};
  }

  template <int VECTOR, typename P>
  __device__ __forceinline__ void finish(float (&x)[VECTOR], const P*, int, const Quotient<false>& of_row) const {
#pragma unroll
    for (int k = 0; k < VECTOR; ++k) x[k] = of_row.template finish<true>(x[k]);
  }
};

template <typename T, int BLOCK, int ITEMS, int LAG, Cache STORE_CACHE>
__global__ void __launch_bounds__(BLOCK, attune::BLOCKS_OF_REGISTERS<BLOCK, LAG * ITEMS * 4 + 28>)
    softmax_of_columns(T* __restrict__ out, const T* __restrict__ in, long long rows, long long columns,
                       attune::TaggedValue* words, unsigned* epoch, long long part_columns, int parts, int groups,
                       int ahead) {
  extern __shared__ int4 memory[];
  using Work = SoftmaxOfColumns<T>;
  using Rows = attune::RowsByColumns<BLOCK, ITEMS, LAG, STORE_CACHE, T, Work>;
  __shared__ typename Rows::Shared cells;
  const Work work;
  const attune::ColumnShares shares{part_columns, parts, groups, ahead};
  Rows(out, in, rows, columns, shares, work, cells, memory).run(words, epoch);
}

// ---- Data, and the reference ----

template <typename T, Data DATA>
__global__ void make_data(T* in, long long rows, long long columns, unsigned long long seed) {
  const float infinity = __int_as_float(0x7f800000);
  const bool is_half = sizeof(T) == 2 && static_cast<float>(static_cast<T>(65504.0f)) == 65504.0f;
  const float largest = sizeof(T) == 4 ? 3.4028234e38f : is_half ? 65504.0f : 3.3895314e38f;
  for (long long r = blockIdx.x; r < rows; r += gridDim.x) {
    for (long long c = threadIdx.x; c < columns; c += blockDim.x) {
      T& element = in[r * columns + c];
      // A number from 0 to 2^32 - 1 for each element (the finalizer of MurmurHash3).
      unsigned long long number = static_cast<unsigned long long>(r * columns + c) + seed;
      number = (number ^ number >> 33) * 0xff51afd7ed558ccdull;
      number = (number ^ number >> 33) * 0xc4ceb9fe1a85ec53ull;
      number = (number ^ number >> 33) >> 32;
      if (DATA == Data::masked) {
        if (number % 3 == 0 || r % 7 == 3) element = static_cast<T>(-infinity);
        if (r % 7 == 5 && c == columns / 2) element = static_cast<T>(infinity);
        if (r % 7 == 6 && c == columns - 1) element = static_cast<T>(infinity - infinity);
      } else {
        // Rows of the least number alone, as masks are made too; of neighbours of the largest; of all sizes.
        const float x = static_cast<float>(element);
        const float near_largest = largest * (1 - static_cast<float>(number % 4) * 0.0078125f);
        element = static_cast<T>(r % 3 == 0 ? -largest : r % 3 == 1 ? near_largest : largest / 4 * x);
      }
    }
  }
}

// The sum of each thread's number, or the maximum, in all of them.
template <bool MAXIMUM>
__device__ double over_block(double number) {
  __shared__ double numbers[256];
  __syncthreads();
  numbers[threadIdx.x] = number;
  __syncthreads();
  number = numbers[0];
  for (int i = 1; i < 256; ++i) number = MAXIMUM ? fmax(number, numbers[i]) : number + numbers[i];
  return number;
}

template <typename T>
__global__ void softmax_reference(T* out, const T* in, long long rows, long long columns) {
  for (long long r = blockIdx.x; r < rows; r += gridDim.x) {
    const T* const row = in + r * columns;
    const auto at = [&](long long c) { return static_cast<double>(static_cast<float>(row[c])); };
    double most = at(0), sum = 0;
    for (long long c = threadIdx.x; c < columns; c += 256) most = fmax(most, at(c));
    most = over_block<true>(most);
    for (long long c = threadIdx.x; c < columns; c += 256) sum += exp(at(c) - most);
    sum = over_block<false>(sum);
    for (long long c = threadIdx.x; c < columns; c += 256)
      out[r * columns + c] = static_cast<T>(exp(at(c) - most) / sum);
  }
}
