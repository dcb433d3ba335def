/*attune
[kernel]
name = "argmax"
include = ["row_reduction.toml"]
summary = "out[r] = the index of the first maximum of in[r][0 ... columns - 1]; a NaN is above all"
deterministic = true                           # indices are exact, in any order
[problem]
T = ["float", "half", "bfloat16", "int32"]
I = ["int64", "int32"]                         # of the indices
# While tuning: the fill; few distinct values, zeros of both signs among them; or numbers with NaN and infinities.
DATA = { choice = ["Data::uniform", "Data::ties", "Data::specials"] }
[parameters]
TRACK = ["Track::packs", "Track::elements"]    # whose index a thread keeps: the best pack's, or element's
[restrictions]
rules = [
    "columns < 2 ** 32 && (I == 'int64' || columns <= 2 ** 31)",  # an index has 32 bits of a key
    "TRACK == 'Track::packs' || PACK > sizeof(T)",            # of one element both are the same
    "not by_parts || (TPR == 256 && BLOCKS_PER_SM == 0)",
]
[[launch]]
entry = "argmax<T, I, TRACK, BLOCK, TPR, CLUSTER, PACK, ITEMS, CACHE>"
when = "by_rows"
grid = ["BLOCKS_PER_SM == 0 ? filling : BLOCKS_PER_SM * device.multiprocessors * CLUSTER"]
block = ["BLOCK"]
cluster = ["CLUSTER"]
arguments = ["out", "in", "rows", "columns"]
[[launch]]
entry = "argmax_of_tiles<T, I, TRACK, BLOCK, TPR>"
when = "by_tiles"
grid = ["min(ceil_div(rows, height), BLOCKS_PER_SM * device.multiprocessors)"]
block = ["BLOCK"]
shared = "STAGES * height * row_bytes"
arguments = ["out", "in", "rows", "columns", "tile_rows", "stages"]
[[launch]]
entry = "argmax_of_parts<T, I, TRACK, BLOCK, PACK, ITEMS, CACHE, ALGORITHM>"
when = "by_parts"
grid = ["rows * count"]
block = ["BLOCK"]
arguments = ["out", "in", "columns", "part_columns", "parts", "keys", "tickets"]
[[launch]]
entry = "argmax_of_keys<I>"
when = "by_parts && ALGORITHM == 'Algorithm::two_pass'"
grid = ["ceil_div(rows, 8)"]
block = ["256"]
overlap = "true"
arguments = ["out", "keys", "rows", "parts"]
[arguments]
out = { type = "I", size = "rows", role = "out" }
in = { type = "T", size = "rows * columns", role = "in" }
rows = { type = "int64" }
columns = { type = "int64" }
tile_rows = { type = "int32", value = "by_tiles ? height : 1" }
stages = { type = "int32", value = "STAGES" }
part_columns = { type = "int64", value = "by_parts ? length : 1" }
parts = { type = "int32", value = "by_parts ? count : 1" }
keys = { type = "uint64", size = "by_parts ? rows * count : 1", role = "scratch" }
tickets = { type = "uint32", size = "by_parts ? rows : 1", role = "scratch" }
seed = { type = "uint64", fill = "seed" }
[[prepare]]
entry = "make_data<T, DATA>"
when = "DATA != 'Data::uniform'"
grid = ["min(ceil_div(rows * columns, 256), 65536)"]
block = ["256"]
arguments = ["in", "rows", "columns", "seed"]
[[reference]]
entry = "argmax_reference<T, I>"
grid = ["min(rows, 65536)"]
block = ["64"]
arguments = ["out", "in", "rows", "columns"]
[check]
absolute = 0
relative = 0
[metrics]
bytes = "rows * columns * sizeof(T) + rows * sizeof(I)"
[[ladder]]
name = "threads per row"
source = "the order of J. Luitjens, Faster Parallel Reductions on Kepler (2014), for rows"
problems = ["rows=16384 columns=1024 T=float", "rows=16384 columns=4096 T=bfloat16"]
steps = [
    { name = "a thread per row", configuration = """TRACK=Track::packs WAY=Way::rows TPR=1 BLOCK=128 CLUSTER=1 PACK=4 \
      ITEMS=1 CACHE=Cache::plain BLOCKS_PER_SM=0""" },
    { name = "a warp per row", configuration = """TRACK=Track::packs WAY=Way::rows TPR=32 BLOCK=256 CLUSTER=1 PACK=4 \
      ITEMS=1 CACHE=Cache::plain BLOCKS_PER_SM=0""" },
    { name = "vectors", configuration = """TRACK=Track::elements WAY=Way::rows TPR=32 BLOCK=256 CLUSTER=1 \
      PACK=16 ITEMS=1 CACHE=Cache::plain BLOCKS_PER_SM=0""" },
    { name = "four in flight", configuration = """TRACK=Track::elements WAY=Way::rows TPR=32 BLOCK=256 CLUSTER=1 \
      PACK=16 ITEMS=4 CACHE=Cache::plain BLOCKS_PER_SM=0""" },
    { name = "the index of a pack", configuration = """TRACK=Track::packs WAY=Way::rows TPR=32 BLOCK=256 CLUSTER=1 \
      PACK=16 ITEMS=4 CACHE=Cache::plain BLOCKS_PER_SM=0""" },
]
*/
#include "attune.cuh"
#include "attune_combine.cuh"
#include "attune_operators.cuh"
#include "attune_row_pieces.cuh"
#include "attune_rows.cuh"

using attune::Algorithm;
using attune::Cache;
using attune::Op;
using attune::Pack;

// Reading bounds an argmax as it bounds rowsum.cu, which also says how rows are read, as long as elements cost few
// instructions. An H200 has 24 issue slots of a thread for each float that arrives, and 12 for each bfloat16. To keep
// the index of the best element takes two comparisons of each, as a NaN is above all, and two selections. Track::packs
// takes the maximum of a pack, compares that, and keeps the pack: which of its elements it was is looked for once per
// row.
//
// The threads of a row then combine keys. The upper 32 bits are the value, in the order of unsigned numbers. The lower
// ones are the complement of the index. The greatest key has the greatest value, and the least index of equal ones. So
// the index is the same in any order: that of the first NaN where a row has one. Zeros of both signs are equal.
//
// Indices are int64, as PyTorch has them. Where rows are short they are much of what is moved: an application may ask
// for int32.

/// What a block reads; see rowsum.cu.
enum class Way { rows, parts, tiles };

/// Whose index a thread keeps: that of the best pack so far, or of the best element.
enum class Track { packs, elements };

/// What a kernel is tuned and tested on.
enum class Data { uniform, ties, specials };

using Key = unsigned long long;
using Keys = attune::Operator<Op::max, Key>;

// The greater one; a NaN is above all. In one instruction where there is one.
__device__ __forceinline__ float greater_of(float a, float b) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  float greater;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(greater) : "f"(a), "f"(b));
  return greater;
#else
  return a < b || b != b ? b : a;
#endif
}
__device__ __forceinline__ int greater_of(int a, int b) { return a < b ? b : a; }

template <typename T>
struct IsHalf {
  static constexpr bool value = false;
};
#ifdef ATTUNE_HAS_HALF
template <>
struct IsHalf<__half> {
  static constexpr bool value = true;
};
#endif

// The greatest element of a pack.
template <typename T, int VECTOR>
__device__ __forceinline__ typename attune::Operator<Op::max, T>::Value greatest_of(const Pack<T, VECTOR>& pack) {
  using O = attune::Operator<Op::max, T>;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  if constexpr (sizeof(T) == 2 && VECTOR > 2) {  // two at a time, in a word
    const unsigned* const words = reinterpret_cast<const unsigned*>(&pack);
    unsigned pair = words[0];
#pragma unroll
    for (int i = 1; i < VECTOR / 2; ++i) {
      if constexpr (IsHalf<T>::value) {
        asm("max.NaN.f16x2 %0, %0, %1;" : "+r"(pair) : "r"(words[i]));
      } else {
        asm("max.NaN.bf16x2 %0, %0, %1;" : "+r"(pair) : "r"(words[i]));
      }
    }
    const T* const both = reinterpret_cast<const T*>(&pair);
    return greater_of(O::from(both[0]), O::from(both[1]));
  }
#endif
  auto greatest = O::from(pack.element[0]);
#pragma unroll
  for (int i = 1; i < VECTOR; ++i) greatest = greater_of(greatest, O::from(pack.element[i]));
  return greatest;
}

// No NaN is above another one.
template <typename V>
__device__ __forceinline__ bool is_above(V a, V b) {
  return !(a <= b) && b == b;
}

// In the order of unsigned numbers. Zeros of both signs are one number; so are all NaNs, the greatest one.
__device__ __forceinline__ unsigned ordered(float value) {
  const unsigned bits = __float_as_uint(value + 0.0f);  // -0 + 0 = 0
  return value != value ? ~0u : (bits >> 31) != 0 ? ~bits : bits | 1u << 31;
}
__device__ __forceinline__ unsigned ordered(int value) { return static_cast<unsigned>(value) ^ 1u << 31; }

template <typename V>
__device__ __forceinline__ Key key_of(V value, unsigned column) {
  return static_cast<Key>(ordered(value)) << 32 | ~column;
}
template <typename I>
__device__ __forceinline__ I index_of(Key key) {
  return static_cast<I>(~static_cast<unsigned>(key));
}

/// The first maximum of the packs that a thread has seen, by increasing columns. Before the first one, and as long as
/// there is nothing but the lowest value of T, that is in column 0: right if it is so in all of the row, and if not,
/// another one is above it.
template <typename T, Track TRACK, int VECTOR>
struct Best {
  using O = attune::Operator<Op::max, T>;  // half and bfloat16 compare as float
  using V = typename O::Value;
  using P = Pack<T, VECTOR>;
  using Word = typename attune::detail::WordOf<sizeof(P)>::type;
  V value;
  unsigned column;
  Word kept;  // the pack

  __device__ __forceinline__ static T lowest() { return O::to_element(O::identity()); }
  __device__ __forceinline__ Best() : value(O::identity()), column(0) {
    P pack;
#pragma unroll
    for (int i = 0; i < VECTOR; ++i) pack.element[i] = lowest();
    kept = reinterpret_cast<const Word&>(pack);
  }
  __device__ __forceinline__ void take(const P& pack, unsigned first) {
    if constexpr (TRACK == Track::packs) {
      const V greatest = greatest_of(pack);
      if (is_above(greatest, value)) {
        value = greatest;
        column = first;
        kept = reinterpret_cast<const Word&>(pack);
      }
    } else {
#pragma unroll
      for (int i = 0; i < VECTOR; ++i) {
        const V element = O::from(pack.element[i]);
        if (is_above(element, value)) {
          value = element;
          column = first + i;
        }
      }
    }
  }
  __device__ __forceinline__ Key key() const {
    unsigned place = 0;
    if constexpr (TRACK == Track::packs) {
      const P& pack = reinterpret_cast<const P&>(kept);
#pragma unroll
      for (int i = VECTOR - 1; i >= 0; --i) {
        const V element = O::from(pack.element[i]);
        if (element == value || element != element) place = i;
      }
    }
    return key_of(value, column + place);
  }
};

// The key of this thread's share of the `count` elements from column `first` on.
template <typename Team, Track TRACK, int VECTOR, int ITEMS, Cache CACHE, typename T>
__device__ __forceinline__ Key key_of_thread(const T* elements, long long first, long long count) {
  using B = Best<T, TRACK, VECTOR>;
  using Edges = attune::RowEdges<Team, T, VECTOR>;
  const attune::Row<T, VECTOR> row(elements, count);
  constexpr bool KEEPS_EDGES = Edges::COUNT > 0 && Edges::COUNT <= 2;
  Edges edges;  // asked for before the packs
  if constexpr (KEEPS_EDGES) edges.load(row);
  B best;
  attune::stream_packs<Team, ITEMS, CACHE>(row, B::lowest(), [&](const Pack<T, VECTOR>& pack, long long column) {
    best.take(pack, static_cast<unsigned>(first + column));
  });
  Key key = best.key();
  const auto add = [&](T element, long long column) {
    key = Keys::combine(key, key_of(B::O::from(element), static_cast<unsigned>(first + column)));
  };
  if constexpr (KEEPS_EDGES) {
    edges.for_each(row, add);
  } else {
    attune::for_each_edge<Team>(row, add);
  }
  return key;
}

template <typename T, typename I, Track TRACK, int BLOCK, int TPR, int CLUSTER, int PACK, int ITEMS, Cache CACHE>
__global__ void __launch_bounds__(BLOCK) argmax(I* out, const T* in, long long rows, long long columns) {
  using Team = attune::RowTeam<TPR, BLOCK, CLUSTER>;
  __shared__ Key cells[2][Team::CELLS];  // in turns
  int turn = 0;
  for (long long row = Team::first_row(); Team::any_row(row, rows); row += Team::row_step()) {
    const bool is_there = row < rows;
    Key key = key_of_thread<Team, TRACK, PACK / static_cast<int>(sizeof(T)), ITEMS, CACHE>(in + row * columns, 0,
                                                                                          is_there ? columns : 0);
    if (row == Team::first_row()) Team::begin();
    key = attune::combine_row<Keys, Team>(key, cells[turn]);
    if (is_there && Team::rank() == 0) out[row] = index_of<I>(key);
    turn ^= 1;
  }
}

template <typename T, typename I, Track TRACK, int BLOCK, int TPR>
__global__ void __launch_bounds__(BLOCK) argmax_of_tiles(I* out, const T* in, long long rows, long long columns,
                                                         int tile_rows, int stages) {
  using Team = attune::RowTeam<TPR, BLOCK>;
  constexpr int VECTOR = 16 / sizeof(T);
  attune::for_each_row_in_tiles<Team>(
      in, rows, static_cast<int>(columns), tile_rows, stages,
      [&](long long row, const T* elements, int count, bool by_packs) {
        Key key;
        if (by_packs) {
          const auto* const packs = reinterpret_cast<const Pack<T, VECTOR>*>(elements);
          Best<T, TRACK, VECTOR> best;
#pragma unroll 1
          for (int i = Team::rank(); i < count / VECTOR; i += TPR)
            best.take(attune::load<Cache::plain>(packs + i), i * VECTOR);
          key = best.key();
        } else {
          Best<T, Track::elements, 1> best;
#pragma unroll 4
          for (int i = Team::rank(); i < count; i += TPR) best.take(Pack<T, 1>{elements[i]}, i);
          key = best.key();
        }
        key = attune::combine_row<Keys, Team>(key, static_cast<Key*>(nullptr));
        if (count > 0 && Team::rank() == 0) out[row] = index_of<I>(key);
      });
}

template <typename T, typename I, Track TRACK, int BLOCK, int PACK, int ITEMS, Cache CACHE, Algorithm ALGORITHM>
__global__ void __launch_bounds__(BLOCK)
    argmax_of_parts(I* out, const T* in, long long columns, long long part_columns, int parts, Key* keys,
                    unsigned* tickets) {
  using Team = attune::RowTeam<BLOCK, BLOCK>;
  __shared__ Key cells[2][Team::CELLS];
  if constexpr (ALGORITHM == Algorithm::two_pass) attune::allow_next();
  const attune::RowPart part = attune::part_of_block(columns, part_columns, parts);
  Key key = key_of_thread<Team, TRACK, PACK / static_cast<int>(sizeof(T)), ITEMS, CACHE>(
      in + part.row * columns + part.column, part.column, part.columns);
  key = attune::combine_row<Keys, Team>(key, cells[0]);
  if (attune::join_parts<ALGORITHM, Keys, Team>(key, part.row, parts, keys, tickets, cells[1]) && threadIdx.x == 0)
    out[part.row] = index_of<I>(key);
}

template <typename I>
__global__ void __launch_bounds__(256) argmax_of_keys(I* out, const Key* keys, long long rows, int parts) {
  using Team = attune::RowTeam<32, 256>;
  attune::wait_for_previous();
  const long long row = Team::first_row();
  if (row >= rows) return;  // whole warps
  const Key key = attune::combine_parts<Keys, Team>(keys + row * parts, parts, static_cast<Key*>(nullptr));
  if (Team::rank() == 0) out[row] = index_of<I>(key);
}

// ---- Data ----

// A NaN of either sign: all bits but perhaps the sign are set.
template <typename T>
__device__ T nan_of(bool is_negative) {
  if constexpr (sizeof(T) == 2) {
    const unsigned short bits = is_negative ? 0xffff : 0x7fff;
    return reinterpret_cast<const T&>(bits);
  } else {
    const unsigned bits = is_negative ? ~0u : ~0u >> 1;
    return reinterpret_cast<const T&>(bits);
  }
}

// Rows of four kinds in turn. Ties: five values; no value above zeros of both signs; the lowest value alone; one value.
// Specials: infinities; few NaNs; many NaNs and infinities; NaNs alone, but for every third element. Of integers these
// are the greatest and the least.
template <typename T, Data DATA>
__device__ T element_of(int kind, unsigned bits) {
  using O = attune::Operator<Op::max, T>;
  const T lowest = O::to_element(O::identity());
  const T highest = O::to_element(attune::Operator<Op::min, T>::identity());
  const T small = static_cast<T>(static_cast<int>(bits % 5) - 2);
  if constexpr (DATA == Data::ties) {
    if (kind == 0) return small;
    if (kind == 1) return bits % 3 == 0 ? static_cast<T>(-0.0f) : static_cast<T>(-static_cast<int>(bits % 3 - 1));
    return kind == 2 ? lowest : static_cast<T>(7);
  } else {
    const unsigned one_of = kind == 0 ? 64 : kind == 1 ? 512 : kind == 2 ? 8 : 3;
    if ((kind == 3) == (bits % one_of == 0)) return small;
    if (kind == 0 || (kind == 2 && bits >> 16 & 1)) return bits >> 17 & 1 ? highest : lowest;
    return nan_of<T>(bits >> 18 & 1);
  }
}

template <typename T, Data DATA>
__global__ void make_data(T* in, long long rows, long long columns, unsigned long long seed) {
  const long long stride = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < rows * columns; i += stride) {
    unsigned long long bits = (static_cast<unsigned long long>(i) + seed) * 0x9E3779B97F4A7C15ull;
    bits = (bits ^ bits >> 30) * 0xBF58476D1CE4E5B9ull;
    bits = (bits ^ bits >> 27) * 0x94D049BB133111EBull;
    in[i] = element_of<T, DATA>(static_cast<int>(i / columns % 4), static_cast<unsigned>((bits ^ bits >> 31) >> 8));
  }
}

// The reference: 64 threads look through a strided share of a row each, then one thread through what they found.
template <typename V>
__device__ bool wins(V value, long long index, V other_value, long long other_index) {
  const bool is_nan = value != value, other_is_nan = other_value != other_value;
  if (is_nan != other_is_nan) return is_nan;
  if (!is_nan && value != other_value) return value > other_value;
  return index < other_index;
}

template <typename T, typename I>
__global__ void argmax_reference(I* out, const T* in, long long rows, long long columns) {
  using O = attune::Operator<Op::max, T>;
  __shared__ long long found[64];
  for (long long row = blockIdx.x; row < rows; row += gridDim.x) {
    const T* const elements = in + row * columns;
    const int shares = columns < 64 ? static_cast<int>(columns) : 64;
    if (static_cast<int>(threadIdx.x) < shares) {
      long long best = threadIdx.x;
      for (long long i = threadIdx.x; i < columns; i += 64)
        if (wins(O::from(elements[i]), i, O::from(elements[best]), best)) best = i;
      found[threadIdx.x] = best;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
      long long best = found[0];
      for (int k = 1; k < shares; ++k)
        if (wins(O::from(elements[found[k]]), found[k], O::from(elements[best]), best)) best = found[k];
      out[row] = static_cast<I>(best);
    }
    __syncthreads();
  }
}
