/*attune
[kernel]
name = "rowsum"
include = ["row_reduction.toml"]
summary = "out[r] = in[r][0] + in[r][1] + ... + in[r][columns - 1]"
deterministic = true                           # each configuration adds in a fixed order
[problem]
T = ["float", "double", "half", "bfloat16", "int32"]
[restrictions]
rules = [
    "not by_rows || columns <= 65536 * TPR * CLUSTER * (PACK / sizeof(T))",  # additions in a chain: see [check]
    "not by_parts || (TPR == 256 && BLOCKS_PER_SM == 0 && length <= 65536 * BLOCK * (PACK / sizeof(T)))",
]
[[launch]]
entry = "rowsum<T, BLOCK, TPR, CLUSTER, PACK, ITEMS, CACHE>"
when = "by_rows"
grid = ["BLOCKS_PER_SM == 0 ? filling : BLOCKS_PER_SM * device.multiprocessors * CLUSTER"]
block = ["BLOCK"]
cluster = ["CLUSTER"]
arguments = ["out", "in", "rows", "columns"]
[[launch]]
entry = "rowsum_of_tiles<T, BLOCK, TPR>"
when = "by_tiles"
grid = ["min(ceil_div(rows, height), BLOCKS_PER_SM * device.multiprocessors)"]
block = ["BLOCK"]
shared = "STAGES * height * row_bytes"
arguments = ["out", "in", "rows", "columns", "tile_rows", "stages"]
[[launch]]
entry = "rowsum_of_parts<T, BLOCK, PACK, ITEMS, CACHE, ALGORITHM>"
when = "by_parts"
grid = ["rows * count"]
block = ["BLOCK"]
arguments = ["out", "in", "columns", "part_columns", "parts", "sums", "tickets"]
[[launch]]
entry = "rowsum_of_sums<T>"
when = "by_parts && ALGORITHM == 'Algorithm::two_pass'"
grid = ["ceil_div(rows, 8)"]
block = ["256"]
overlap = "true"
arguments = ["out", "sums", "rows", "parts"]
[arguments]
out = { type = "T", size = "rows", role = "out" }
in = { type = "T", size = "rows * columns", role = "in" }  # integers over their full range: sums wrap
rows = { type = "int64" }
columns = { type = "int64" }
tile_rows = { type = "int32", value = "by_tiles ? height : 1" }
stages = { type = "int32", value = "STAGES" }
part_columns = { type = "int64", value = "by_parts ? length : 1" }
parts = { type = "int32", value = "by_parts ? count : 1" }
sums = { type = "uint64", size = "by_parts ? rows * count : 1", role = "scratch" }  # 8 bytes for any type
tickets = { type = "uint32", size = "by_parts ? rows : 1", role = "scratch" }
[[reference]]
entry = "rowsum_reference<T>"
grid = ["min(rows, 65536)"]
block = ["64"]
arguments = ["out", "in", "rows", "columns"]
[check]
# As in reduce.cu. A chain of k additions in a sum of n numbers out of uniform(-1, 1) ends up with a rounding error of
# standard deviation 0.12 epsilon sqrt(n k), as partial sums walk like sqrt(i / 3) and each is rounded. The longest
# chain is a whole row, and at most 2^16 packs. Six deviations, and 8 for the trees: 0.004 at n = 4096, 0.36 at 2^28,
# where a lost element makes 0.58.
absolute = """T == 'int32' ? 0 : (T == 'double' ? epsilon(double) : epsilon(float)) \
  * sqrt(columns) * (8 + 0.72 * sqrt(min(columns, 65536)))"""
relative = "T in ['half', 'bfloat16'] ? epsilon(T) : 0"  # they add in float and are rounded once, at the end
[metrics]
bytes = "(rows * columns + rows) * sizeof(T)"
flops = "rows * columns"
[[ladder]]
name = "threads per row"
source = "the order of J. Luitjens, Faster Parallel Reductions on Kepler (2014), for rows"
problems = ["rows=16384 columns=1024 T=float", "rows=16384 columns=4096 T=float"]
steps = [
    { name = "a thread per row", configuration = """WAY=Way::rows BLOCK=128 TPR=1 CLUSTER=1 PACK=4 ITEMS=1 \
      CACHE=Cache::plain BLOCKS_PER_SM=0""" },
    { name = "a warp per row", configuration = """WAY=Way::rows BLOCK=256 TPR=32 CLUSTER=1 PACK=4 ITEMS=1 \
      CACHE=Cache::plain BLOCKS_PER_SM=0""" },
    { name = "vectors", configuration = """WAY=Way::rows BLOCK=256 TPR=32 CLUSTER=1 PACK=16 ITEMS=1 \
      CACHE=Cache::plain BLOCKS_PER_SM=0""" },
    { name = "four in flight", configuration = """WAY=Way::rows BLOCK=256 TPR=32 CLUSTER=1 PACK=16 ITEMS=4 \
      CACHE=Cache::plain BLOCKS_PER_SM=0""" },
    { name = "eight in flight", configuration = """WAY=Way::rows BLOCK=256 TPR=32 CLUSTER=1 PACK=16 ITEMS=8 \
      CACHE=Cache::plain BLOCKS_PER_SM=0""" },
]
[[ladder]]
name = "few long rows"
problems = ["rows=3 columns=2**26 T=float", "rows=128 columns=2**18 T=float"]
steps = [
    { name = "a block per row", configuration = """WAY=Way::rows BLOCK=1024 TPR=1024 CLUSTER=1 PACK=16 ITEMS=4 \
      CACHE=Cache::plain BLOCKS_PER_SM=0""" },
    { name = "a cluster per row", configuration = """WAY=Way::rows BLOCK=512 TPR=512 CLUSTER=8 PACK=16 ITEMS=4 \
      CACHE=Cache::plain BLOCKS_PER_SM=0""" },
    { name = "parts, two steps", configuration = """WAY=Way::parts BLOCK=512 CLUSTER=1 PACK=16 ITEMS=4 \
      CACHE=Cache::plain PARTS_PER_SM=4 ALGORITHM=Algorithm::two_pass""" },
    { name = "parts, one step", configuration = """WAY=Way::parts BLOCK=512 CLUSTER=1 PACK=16 ITEMS=4 \
      CACHE=Cache::plain PARTS_PER_SM=4 ALGORITHM=Algorithm::last_block""" },
]
[[ladder]]
name = "many short rows"
problems = ["rows=2**26 columns=4 T=float", "rows=2**25 columns=7 T=float", "rows=2**23 columns=32 T=float"]
steps = [
    { name = "a thread per row", configuration = """WAY=Way::rows BLOCK=256 TPR=1 CLUSTER=1 PACK=4 ITEMS=1 \
      CACHE=Cache::plain BLOCKS_PER_SM=0""" },
    { name = "vectors", configuration = """WAY=Way::rows BLOCK=256 TPR=1 CLUSTER=1 PACK=16 ITEMS=1 \
      CACHE=Cache::plain BLOCKS_PER_SM=0""" },
    { name = "tiles", configuration = """WAY=Way::tiles BLOCK=256 TPR=4 CLUSTER=1 PACK=16 ITEMS=4 \
      CACHE=Cache::plain STAGES=4 STAGE_KIB=16 BLOCKS_PER_SM=2""" },
]
*/
#include "attune.cuh"
#include "attune_combine.cuh"
#include "attune_operators.cuh"
#include "attune_row_pieces.cuh"
#include "attune_rows.cuh"

using attune::Accumulator;
using attune::Algorithm;
using attune::Cache;
using attune::Op;
using attune::Pack;
using attune::Wide;

// A sum reads each element once and adds it: reading bounds it, as it bounds reduce.cu. By Little's law some 48 KiB are
// in flight per multiprocessor of an H200. What rows add to that are their ends. There the threads of a row combine
// their sums, with no loads under way: other rows' threads have theirs under way meanwhile. So rows have few threads,
// which have many accesses each, as long as there are many rows.
//
//   Way::rows    Each row has a team: some lanes, warps, a block, a cluster of blocks.
//   Way::parts   Few long rows: each block reads a part of one. A row's last block adds the parts' sums.
//   Way::tiles   Many rows of up to 4 KiB, of any length: a block copies several as one piece into shared memory, by 16
//                bytes whatever the alignment of a row. There each has a few lanes.

/// What a block reads.
enum class Way { rows, parts, tiles };

template <typename T, int N>
__device__ __forceinline__ Accumulator<T> sum_of_pack(const Pack<T, N>& pack) {
  if constexpr (sizeof(T) == 2) {
    float numbers[N];
    attune::floats_of(pack, numbers);
    return attune::sum_by_pairs(numbers);
  } else {
    Accumulator<T> sum = pack.element[0];
#pragma unroll
    for (int i = 1; i < N; ++i) sum += pack.element[i];
    return sum;
  }
}

// This thread's share of the `count` elements. Those of head and tail are asked for before the packs, and added last.
template <typename Team, int VECTOR, int ITEMS, Cache CACHE, typename T>
__device__ __forceinline__ Accumulator<T> sum_of_thread(const T* elements, long long count) {
  using A = Accumulator<T>;
  using Edges = attune::RowEdges<Team, T, VECTOR>;
  const attune::Row<T, VECTOR> row(elements, count);
  A sum = 0;
  const auto add = [&](T element, long long) { sum += static_cast<A>(element); };
  constexpr bool KEEPS_EDGES = Edges::COUNT > 0 && Edges::COUNT <= 2;
  Edges edges;
  if constexpr (KEEPS_EDGES) edges.load(row);
  attune::stream_packs<Team, ITEMS, CACHE>(row, static_cast<T>(0), [&](const Pack<T, VECTOR>& pack, long long) {
    sum += sum_of_pack(pack);
  });
  if constexpr (KEEPS_EDGES) {
    edges.for_each(row, add);
  } else {
    attune::for_each_edge<Team>(row, add);
  }
  return sum;
}

// The same where rows are aligned and of whole rounds: ITEMS packs of each thread. No number depends on what is there.
template <typename Team, int VECTOR, int ITEMS, Cache CACHE, typename T>
__device__ __forceinline__ Accumulator<T> sum_of_rounds(const T* elements, int rounds) {
  const long long first = Team::rank();  // wide at once: then addresses of packs differ by constants
  const Pack<T, VECTOR>* next = reinterpret_cast<const Pack<T, VECTOR>*>(elements) + first;
  Accumulator<T> sum = 0;
#pragma unroll 1
  for (; rounds > 0; --rounds, next += ITEMS * Team::SIZE) {
    Pack<T, VECTOR> held[ITEMS];
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) held[i] = attune::load<CACHE>(next + i * Team::SIZE);
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) sum += sum_of_pack(held[i]);
  }
  return sum;
}

// Of blocks on a multiprocessor; 0 leaves it to the compiler. With up to 64 bytes in flight 32 registers do for a
// thread, with 128 it has 64. Then a multiprocessor has all of 2048 threads, or half of them. Others would spill.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ != 800 && __CUDA_ARCH__ != 900 && __CUDA_ARCH__ / 100 != 10
constexpr bool HAS_2048_THREADS = false;
#else
constexpr bool HAS_2048_THREADS = true;
#endif
template <typename T, int BLOCK, int PACK, int ITEMS>
constexpr int WANTED_BLOCKS = HAS_2048_THREADS && (sizeof(T) == 4 || (sizeof(T) == 2 && PACK == 16))
                                  ? (ITEMS * PACK <= 64 ? 2048 : 1024) / BLOCK
                                  : 0;

template <typename T, int BLOCK, int TPR, int CLUSTER, int PACK, int ITEMS, Cache CACHE>
__global__ void __launch_bounds__(BLOCK, WANTED_BLOCKS<T, BLOCK, PACK, ITEMS>)
    rowsum(T* out, const T* in, long long rows, long long columns) {
  using Team = attune::RowTeam<TPR, BLOCK, CLUSTER>;
  using O = attune::Operator<Op::sum, T>;
  constexpr int VECTOR = PACK / static_cast<int>(sizeof(T));
  constexpr bool IS_BOUND = WANTED_BLOCKS<T, BLOCK, PACK, ITEMS> > 0;
  constexpr int FEWER = IS_BOUND && ITEMS * PACK == 64 ? ITEMS / 2 : ITEMS;  // heads and tails take registers, too
  constexpr int ROUND = Team::SIZE * ITEMS * VECTOR;
  const auto length = static_cast<unsigned long long>(columns);  // unsigned: shifts and masks
  const bool by_rounds = length % ROUND == 0 && static_cast<unsigned long long>(rows) % Team::ROWS == 0 &&
                         attune::aligned<Pack<T, VECTOR>>(in);
  __shared__ Accumulator<T> cells[2][Team::CELLS];  // in turns
  int turn = 0;
  for (long long row = Team::first_row(); Team::any_row(row, rows); row += Team::row_step()) {
    const bool is_there = row < rows;
    const T* const elements = in + row * columns;
    auto sum = by_rounds ? sum_of_rounds<Team, VECTOR, ITEMS, CACHE>(elements, static_cast<int>(length / ROUND))
                         : sum_of_thread<Team, VECTOR, FEWER, CACHE>(elements, is_there ? columns : 0);
    if (row == Team::first_row()) Team::begin();
    sum = attune::combine_row<O, Team>(sum, cells[turn]);
    if (is_there && Team::rank() == 0) out[row] = O::to_element(sum);
    turn ^= 1;
  }
}

template <typename T, int BLOCK, int TPR>
__global__ void __launch_bounds__(BLOCK) rowsum_of_tiles(T* out, const T* in, long long rows, long long columns,
                                                         int tile_rows, int stages) {
  using Team = attune::RowTeam<TPR, BLOCK>;
  using A = Accumulator<T>;
  using O = attune::Operator<Op::sum, T>;
  using P = Pack<T, 16 / sizeof(T)>;
  attune::for_each_row_in_tiles<Team>(in, rows, static_cast<int>(columns), tile_rows, stages,
                                      [&](long long row, const T* elements, int count, bool by_packs) {
                                        A sum = 0;
                                        if (by_packs) {
                                          const P* const packs = reinterpret_cast<const P*>(elements);
                                          const int last = count / static_cast<int>(16 / sizeof(T));
#pragma unroll 1
                                          for (int i = Team::rank(); i < last; i += TPR)
                                            sum += sum_of_pack(attune::load<Cache::plain>(packs + i));
                                        } else {
#pragma unroll 4
                                          for (int i = Team::rank(); i < count; i += TPR)
                                            sum += static_cast<A>(elements[i]);
                                        }
                                        sum = attune::combine_row<O, Team>(sum, static_cast<A*>(nullptr));
                                        if (count > 0 && Team::rank() == 0) out[row] = O::to_element(sum);
                                      });
}

template <typename T, int BLOCK, int PACK, int ITEMS, Cache CACHE, Algorithm ALGORITHM>
__global__ void __launch_bounds__(BLOCK)
    rowsum_of_parts(T* out, const T* in, long long columns, long long part_columns, int parts, Accumulator<T>* sums,
                    unsigned* tickets) {
  using Team = attune::RowTeam<BLOCK, BLOCK>;
  using O = attune::Operator<Op::sum, T>;
  __shared__ Accumulator<T> cells[2][Team::CELLS];
  if constexpr (ALGORITHM == Algorithm::two_pass) attune::allow_next();
  const attune::RowPart part = attune::part_of_block(columns, part_columns, parts);
  auto sum = sum_of_thread<Team, PACK / static_cast<int>(sizeof(T)), ITEMS, CACHE>(
      in + part.row * columns + part.column, part.columns);
  sum = attune::combine_row<O, Team>(sum, cells[0]);
  if (attune::join_parts<ALGORITHM, O, Team>(sum, part.row, parts, sums, tickets, cells[1]) && threadIdx.x == 0)
    out[part.row] = O::to_element(sum);
}

template <typename T>
__global__ void __launch_bounds__(256) rowsum_of_sums(T* out, const Accumulator<T>* sums, long long rows, int parts) {
  using Team = attune::RowTeam<32, 256>;
  using O = attune::Operator<Op::sum, T>;
  attune::wait_for_previous();
  const long long row = Team::first_row();
  if (row >= rows) return;  // whole warps
  const auto sum = attune::combine_parts<O, Team>(sums + row * parts, parts, static_cast<Accumulator<T>*>(nullptr));
  if (Team::rank() == 0) out[row] = O::to_element(sum);
}

// The reference: 64 threads add a strided share of a row each, then one thread adds the shares.
template <typename T>
__global__ void rowsum_reference(T* out, const T* in, long long rows, long long columns) {
  __shared__ Wide<T> shares[64];
  for (long long row = blockIdx.x; row < rows; row += gridDim.x) {
    Wide<T> sum = 0;
    for (long long i = threadIdx.x; i < columns; i += 64)
      sum += static_cast<Wide<T>>(static_cast<Accumulator<T>>(in[row * columns + i]));
    shares[threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
      for (int i = 1; i < 64; ++i) sum += shares[i];
      out[row] = static_cast<T>(sum);
    }
    __syncthreads();
  }
}
