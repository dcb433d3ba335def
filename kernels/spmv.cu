/*attune
[kernel]
name = "spmv"
summary = "y = A x for a sparse matrix A in CSR: where rows begin, and of each entry its column and value"
deterministic = true                           # trees, and words of other blocks in their order
[problem]
rows = { size = 1048576, host = 2000 }
columns = { size = 1048576, host = 2000 }
nonzeros = { size = 16777216, host = 20000 }   # entries; columns may repeat in a row
T = ["float", "double"]
O = ["int32", "int64"]                         # of the offsets
# What the matrix is like: it decides the time. An application names the nearest; results are right for every matrix.
CLASS = { choice = ["Class::uniform", "Class::banded", "Class::stencil", "Class::power_law", "Class::dense_rows",
                    "Class::blocks", "Class::empty_rows", "Class::permutation", "Class::diagonal",
                    "Class::long_row"] }
[parameters]
ALGORITHM = ["Algorithm::stream", "Algorithm::rows", "Algorithm::merge"]
BLOCK = [256, 128, 512]
TPR = [2, 1, 4, 8, 16, 32]                     # threads that add up a row: of `rows` and `stream`
ROWS = [1, 2, 4]                               # rows of such threads that are in flight: of `rows`
ITEMS = [8, 1, 2, 4, 16]                       # accesses in flight per thread, for each of columns and values
VECTOR = [1, 2, 4]                             # entries per access
RESIDENT = [2048, 1536, 1024]                  # threads of a multiprocessor that registers are to suffice for
READ = ["Read::streaming", "Read::plain", "Read::once"]
GATHER = ["Gather::read_only", "Gather::plain"]
[values]
by_rows = "ALGORITHM == 'Algorithm::rows'"
slots = "BLOCK * ITEMS * VECTOR"
values_in_flight = "ROWS * ITEMS * VECTOR * sizeof(T)"  # bytes, of a thread
tile = "VECTOR > 1 ? slots - VECTOR : slots"   # rows and entries of a block
tiles = "ceil_div(rows + nonzeros, tile)"
mean = "ceil_div(nonzeros, rows)"
uneven = "CLASS in ['Class::dense_rows', 'Class::long_row']"
# No row has more entries, by the class.
longest = """min(nonzeros, uneven ? max(columns, 2 * mean) \
  : CLASS == 'Class::power_law' ? ceil(mean * (1.0 * rows) ** 0.75) : (CLASS == 'Class::empty_rows' ? 16 : 2) * mean)"""
[restrictions]
rules = [
    "rows < 2 ** 40 && nonzeros < 2 ** 40",
    "columns <= 2 ** 31",                                  # their indices have 32 bits
    "O == 'int64' || nonzeros <= 2 ** 31 - 2 ** 16",       # a step beyond the last entry has an index too
    "VECTOR * sizeof(T) <= 16",                            # the widest access
    # What is in flight lies in registers: 8 or 12 bytes, and an element of x, for each entry. A row takes others.
    "values_in_flight <= (RESIDENT == 1024 && (!by_rows || (ROWS == 1 && VECTOR == 1)) ? 64 : 32)",
    "!by_rows || RESIDENT == 1024",
    "values_in_flight < 64 || by_rows || device.compute_capability in [80, 90] || device.kind == 'host'",
    "RESIDENT <= device.max_threads_per_multiprocessor || device.kind == 'host'",
    "O == 'int32' || (RESIDENT < 2048 && ROWS * VECTOR <= 4 && (T == 'float' || values_in_flight <= 32))",
    # What a short row has not is read by nobody.
    "!by_rows || TPR * ITEMS * VECTOR <= 128",
    # One group would add up a long row while all others have ended.
    "!by_rows || !uneven || longest <= 4096 * TPR",
    # A tile lies in shared memory, with at most 32 KiB of products.
    "by_rows || (ROWS == 1 && ITEMS * VECTOR >= 4)",
    "ALGORITHM != 'Algorithm::merge' || (TPR == 2 && (T == 'float' || RESIDENT < 2048))",
]
[[launch]]
entry = "spmv_rows<T, O, BLOCK, TPR, ROWS, ITEMS, VECTOR, RESIDENT, READ, GATHER>"
when = "by_rows"
grid = ["ceil_div(rows, BLOCK / TPR * ROWS)"]
block = ["BLOCK"]
arguments = ["y", "offsets", "columns_of", "values", "x", "rows", "nonzeros"]
[[launch]]
entry = "spmv_tiles<T, O, ALGORITHM, BLOCK, TPR, ITEMS, VECTOR, RESIDENT, READ, GATHER>"
when = "!by_rows"
grid = ["tiles"]
block = ["BLOCK"]
arguments = ["y", "offsets", "columns_of", "values", "x", "rows", "nonzeros", "words"]
[arguments]
y = { type = "T", size = "rows", role = "out" }
offsets = { type = "O", size = "rows + 1", role = "in", fill = "constant(0)" }  # where each row begins, and the end
columns_of = { type = "int32", size = "nonzeros", role = "in", fill = "constant(0)" }
values = { type = "T", size = "nonzeros", role = "in" }
x = { type = "T", size = "columns", role = "in" }
rows = { type = "int64" }
nonzeros = { type = "int64" }
columns = { type = "int64" }
# 8 bytes for the entries of each tile's last row, or 16
words = { type = "uint64", size = "by_rows ? 1 : tiles * sizeof(T) / 4", role = "scratch" }
sums = { type = "uint64", size = "16384", role = "scratch" }
seed = { type = "uint64", fill = "seed" }
[[prepare]]
entry = "sum_weights<CLASS>"
grid = ["64"]
block = ["256"]
arguments = ["sums", "rows", "columns", "nonzeros", "seed"]
[[prepare]]
entry = "scan_weights"
grid = ["1"]
block = ["1"]
arguments = ["sums"]
[[prepare]]
entry = "make_offsets<CLASS, O>"
grid = ["64"]
block = ["256"]
arguments = ["offsets", "sums", "rows", "columns", "nonzeros", "seed"]
[[prepare]]
entry = "make_columns<CLASS, O>"
grid = ["min(ceil_div(nonzeros, 256), 65536)"]
block = ["256"]
arguments = ["columns_of", "offsets", "rows", "columns", "nonzeros", "seed"]
[[reference]]
entry = "spmv_reference<T, O>"
grid = ["min(ceil_div(rows, 64), 65536)"]
block = ["64"]
arguments = ["y", "offsets", "columns_of", "values", "x", "rows"]
[check]
# As in dot.cu: products of two out of uniform(-1, 1) have a deviation of 1 / 3, so partial sums of a row of n entries
# walk like sqrt(i) / 3, and a chain of k additions ends up with 0.07 epsilon sqrt(n k). Six deviations, and 8 for the
# trees and the rounding of products. One thread may add up the longest row (k = n), but for those of `uneven` matrices:
# there a thread adds at most 4096 entries of a row, or, of a tile's words, one of 16384 entries. The reference adds a
# row in one chain: it counts where T is double. 5e-6 for a mean of 16 floats; in uneven matrices 0.005 for a row of
# 2^20 and 0.02 for one of 2^24; 0.04 for a power law with 2^24 entries. A lost entry makes 0.25 on the average, and
# less than 0.04 in one of six cases.
absolute = """epsilon(T) * sqrt(longest / 3.0) * (8 + sqrt(uneven ? min(longest, 4096 + longest / 16384) : longest) \
  + (T == 'double' ? sqrt(longest) : 0))"""
[metrics]
bytes = "nonzeros * (sizeof(T) + 4) + (rows + 1) * sizeof(O) + (rows + min(columns, nonzeros)) * sizeof(T)"
flops = "2 * nonzeros"
[[ladder]]
name = "who adds up a row"
source = """the order of N. Bell and M. Garland, Implementing Sparse Matrix-Vector Multiplication on \
  Throughput-Oriented Processors (2009), J. Greathouse and M. Daga, Efficient Sparse Matrix-Vector Multiplication on \
  GPUs using the CSR Storage Format (2014), and D. Merrill and M. Garland, Merge-based Parallel Sparse Matrix-Vector \
  Multiplication (2016)"""
problems = ["CLASS=Class::uniform", "CLASS=Class::power_law"]
steps = [
    { name = "a thread", configuration = """ALGORITHM=Algorithm::rows BLOCK=256 TPR=1 ROWS=1 ITEMS=1 VECTOR=1 \
      RESIDENT=1024 READ=Read::plain GATHER=Gather::plain""" },
    { name = "a warp", configuration = """ALGORITHM=Algorithm::rows BLOCK=256 TPR=32 ROWS=1 ITEMS=1 VECTOR=1 \
      RESIDENT=1024 READ=Read::plain GATHER=Gather::plain""" },
    { name = "as many threads as it needs", configuration = """ALGORITHM=Algorithm::rows BLOCK=256 TPR=4 ROWS=1 \
      ITEMS=4 VECTOR=1 RESIDENT=1024 READ=Read::streaming GATHER=Gather::read_only""" },
    { name = "from shared memory", configuration = """ALGORITHM=Algorithm::stream BLOCK=256 TPR=2 ROWS=1 ITEMS=8 \
      VECTOR=1 RESIDENT=2048 READ=Read::streaming GATHER=Gather::read_only""" },
    { name = "equal shares of a merge path", configuration = """ALGORITHM=Algorithm::merge BLOCK=256 TPR=2 ROWS=1 \
      ITEMS=8 VECTOR=1 RESIDENT=2048 READ=Read::streaming GATHER=Gather::read_only""" },
]
*/
#include "attune.cuh"
#include "attune_access.cuh"
#include "attune_combine.cuh"
#include "attune_operators.cuh"

using attune::Pack;
using attune::Wide;

// An entry is read once: 8 bytes (float) for two operations. So reading counts, and for random columns the sectors of
// 32 bytes that elements of x come in from the L2 cache. The algorithms differ in how they share the work.
//
// `rows`: TPR threads add up a row. Nothing is searched, and nothing waits for others but in a warp. It suits rows of
// equal length.
//
// `stream` and `merge`: all blocks have equal shares of rows and entries, after D. Merrill and M. Garland (2016). Ends
// of rows and entries are merged: the end of row r stands behind all entries of row r. Its place in that list is r +
// offsets[r + 1], which grows with r. A tile is TILE neighbours in the list. Long rows take many tiles, and an empty
// row takes as much room as an entry. A block finds its first and last row by a search of a warp, 32 places at a time.
// The products of a tile go to shared memory, and so loads are of neighbours. From there, with `stream`, TPR threads
// add up a row, and warps add up long ones. With `merge` each thread has an equal share of the list.
//
// A row may go on in the next tiles. Each tile publishes what it has of the row that it does not end. The tile that
// ends the row knows where the row began. It waits for the words of the tiles from there on. It adds them in a fixed
// order, and makes them zero for the next launch. A tile publishes before it waits, and waits for tiles of lower index,
// which have started. So results repeat to the bit.

/// rows: threads read a row where it is. stream, merge: a tile of products in shared memory.
enum class Algorithm { rows, stream, merge };

/// How columns and values are read: plainly, evicted first, or past the L1 cache, which then holds x alone.
enum class Read { plain, streaming, once };

/// How elements of x are read.
enum class Gather { plain, read_only };

/// What a matrix is like. `mean` is nonzeros / rows.
///   uniform      about `mean` entries in a row, at random columns
///   banded       a band of width `mean` around the diagonal
///   stencil      a point of a cubic grid and its neighbours: 7 points, if that is `mean`
///   power_law    the share of rows with more than n entries falls like n^(-4/3)
///   dense_rows   eight rows hold half of all entries, or are full; the others are alike
///   blocks       dense blocks of 8 x 8 at random places
///   empty_rows   seven of eight rows are empty
///   permutation  `mean` entries at random columns side by side: with 1, a permutation
///   diagonal     `mean` entries from the diagonal on: with 1, a diagonal matrix
///   long_row     one row holds 15 of 16 entries, or is full
enum class Class {
  uniform, banded, stencil, power_law, dense_rows, blocks, empty_rows, permutation, diagonal, long_row
};

constexpr unsigned all_lanes = 0xffffffffu;

// ---- Entries ----

template <Read READ, typename P>
__device__ __forceinline__ P read(const P* from) {
#if defined(__CUDA_ARCH__)
  if constexpr (READ == Read::once) {
    typename attune::detail::WordOf<sizeof(P)>::type word;
    if constexpr (sizeof(P) == 4)
      asm("ld.global.nc.L1::no_allocate.b32 %0, [%1];" : "=r"(word) : "l"(from));
    else if constexpr (sizeof(P) == 8)
      asm("ld.global.nc.L1::no_allocate.v2.b32 {%0, %1}, [%2];" : "=r"(word.x), "=r"(word.y) : "l"(from));
    else
      asm("ld.global.nc.L1::no_allocate.v4.b32 {%0, %1, %2, %3}, [%4];"
          : "=r"(word.x), "=r"(word.y), "=r"(word.z), "=r"(word.w)
          : "l"(from));
    return attune::detail::same_bits<P>(word);
  }
#endif
  return attune::load<READ == Read::streaming ? attune::Cache::streaming : attune::Cache::plain>(from);
}

// Returns the pointer, which the compiler then has in a register: else it computes it again before each access.
template <typename P>
__device__ __forceinline__ const P* in_register(const P* pointer) {
#if defined(__CUDA_ARCH__)
  asm volatile("" : "+l"(pointer));
#endif
  return pointer;
}

// The matrix's entries, in packs of VECTOR.
template <typename T, typename O, int VECTOR>
struct Entries {
  const int* columns;
  const T* values;
  O count;
  int shift;      // entry k begins a pack where k + shift is a multiple of VECTOR
  bool by_packs;  // packs of both arrays begin at the same entries

  __device__ __forceinline__ Entries(const int* columns, const T* values, long long count)
      : columns(columns), values(values), count(static_cast<O>(count)) {
    shift = static_cast<int>(reinterpret_cast<unsigned long long>(values) / sizeof(T) % VECTOR);
    by_packs = static_cast<int>(reinterpret_cast<unsigned long long>(columns) / sizeof(int) % VECTOR) == shift;
  }

  // The first entry of the pack that holds entry k: up to VECTOR - 1 less, even below 0.
  __device__ __forceinline__ O first_of_pack(O k) const {
    return VECTOR == 1 ? k : k - static_cast<O>((static_cast<unsigned>(k) + shift) % VECTOR);
  }
};

// What a thread reads of the entries begin to end: the pack from `first` on, and others STRIDE entries apart. `first`
// is less than VECTOR before `begin`, or behind it.
template <typename T, typename O, int VECTOR, int STRIDE>
struct Share {
  const int* columns;
  const T* values;
  int left, room;  // entries from `first` to `end`, and to the end of the array; or some more than it reads
  int skipped;   // entries before `begin`
  bool by_packs, by_first_pack;

  __device__ __forceinline__ Share(const Entries<T, O, VECTOR>& entries, O first, O begin, O end)
      : columns(in_register(entries.columns + first)),
        values(in_register(entries.values + first)),
        left(at_most_many(end - first)),
        room(at_most_many(entries.count - first)),
        skipped(begin > first ? static_cast<int>(begin - first) : 0),
        by_packs(entries.by_packs),
        by_first_pack(entries.by_packs && first >= 0) {}

  __device__ __forceinline__ static int at_most_many(O number) {
    constexpr O many = 1 << 20;
    return static_cast<int>(sizeof(O) == 4 || number < many ? number : many);
  }

  // Of element `j` of pack `i`: is it one of the entries?
  __device__ __forceinline__ bool holds(int i, int j) const {
    return i * STRIDE + j < left && (VECTOR == 1 || i > 0 || j >= skipped);
  }

  // Of entries outside of begin to end nothing or anything is read. They are in the array.
  template <Read READ>
  __device__ __forceinline__ void read_pack(Pack<int, VECTOR>& column, Pack<T, VECTOR>& value, int i) const {
    if (i * STRIDE >= left) return;
    if (VECTOR > 1 && (i == 0 ? by_first_pack : by_packs) && i * STRIDE + VECTOR <= room) {
      column = read<READ>(reinterpret_cast<const Pack<int, VECTOR>*>(columns + i * STRIDE));
      value = read<READ>(reinterpret_cast<const Pack<T, VECTOR>*>(values + i * STRIDE));
      return;
    }
#pragma unroll
    for (int j = 0; j < VECTOR; ++j) {
      if (!holds(i, j)) continue;
      column.element[j] = read<READ>(columns + i * STRIDE + j);
      value.element[j] = read<READ>(values + i * STRIDE + j);
    }
  }

  template <Gather GATHER>
  __device__ __forceinline__ void read_x(Pack<T, VECTOR>& of_x, const Pack<int, VECTOR>& column, const T* x,
                                         int i) const {
#pragma unroll
    for (int j = 0; j < VECTOR; ++j) {
      if (!holds(i, j)) continue;
      const T* const from = x + column.element[j];
      of_x.element[j] = GATHER == Gather::read_only ? attune::load_read_only(from) : *from;
    }
  }
};

// In every lane: the sum over its group of WIDTH lanes.
template <int WIDTH, typename T>
__device__ __forceinline__ T group_sum(T sum) {
#pragma unroll
  for (int distance = WIDTH / 2; distance > 0; distance /= 2) sum += __shfl_xor_sync(all_lanes, sum, distance);
  return sum;
}

// ---- rows ----

template <typename T, typename O, int BLOCK, int TPR, int ROWS, int ITEMS, int VECTOR, int RESIDENT, Read READ,
          Gather GATHER>
__global__ void __launch_bounds__(BLOCK, RESIDENT / BLOCK)
    spmv_rows(T* y, const O* offsets, const int* columns, const T* values, const T* x, long long rows,
              long long nonzeros) {
  constexpr int GROUPS = BLOCK / TPR, STRIDE = TPR * VECTOR;
  const Entries<T, O, VECTOR> entries(columns, values, nonzeros);
  x = in_register(x);
  const int lane = static_cast<int>(threadIdx.x % TPR);
  const long long first_row = static_cast<long long>(blockIdx.x) * (GROUPS * ROWS) + threadIdx.x / TPR;
  O begin[ROWS], end[ROWS];
#pragma unroll
  for (int r = 0; r < ROWS; ++r) {
    const long long row = first_row + r * GROUPS;
    begin[r] = row < rows ? offsets[row] : O(0);
    end[r] = row < rows ? offsets[row + 1] : O(0);
  }
  T sum[ROWS];
  O at[ROWS];
#pragma unroll
  for (int r = 0; r < ROWS; ++r) {
    at[r] = entries.first_of_pack(begin[r]) + lane * VECTOR;
    sum[r] = T(0);
  }
  bool more;
#pragma unroll 1
  do {
    Pack<int, VECTOR> column[ROWS][ITEMS];
    Pack<T, VECTOR> value[ROWS][ITEMS], of_x[ROWS][ITEMS];
    more = false;
#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
      const Share<T, O, VECTOR, STRIDE> share(entries, at[r], begin[r], end[r]);
#pragma unroll
      for (int i = 0; i < ITEMS; ++i) share.template read_pack<READ>(column[r][i], value[r][i], i);
    }
#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
      const Share<T, O, VECTOR, STRIDE> share(entries, at[r], begin[r], end[r]);
#pragma unroll
      for (int i = 0; i < ITEMS; ++i) share.template read_x<GATHER>(of_x[r][i], column[r][i], x, i);
    }
#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
      const Share<T, O, VECTOR, STRIDE> share(entries, at[r], begin[r], end[r]);
#pragma unroll
      for (int i = 0; i < ITEMS * VECTOR; ++i)
        if (share.holds(i / VECTOR, i % VECTOR))
          sum[r] += value[r][i / VECTOR].element[i % VECTOR] * of_x[r][i / VECTOR].element[i % VECTOR];
      if (at[r] < end[r]) at[r] += ITEMS * STRIDE;  // behind it, it stays: other rows may be long
      more = more || at[r] < end[r];
    }
  } while (more);
#pragma unroll
  for (int r = 0; r < ROWS; ++r) {
    const T total = group_sum<TPR>(sum[r]);
    const long long row = first_row + r * GROUPS;
    if (lane == 0 && row < rows) y[row] = total;
  }
}

// ---- stream, merge ----

// Of a warp, in every lane: how many rows end among the first `place` places of the list. The first look is around
// where the end would be if all rows were alike, 1, 2, 4, ... rows away from there. The others divide what is left by
// 32.
template <typename O>
__device__ __forceinline__ long long rows_before(const O* offsets, long long rows, long long nonzeros,
                                                 long long place) {
  const int lane = static_cast<int>(threadIdx.x % 32);
  long long low = place > nonzeros ? place - nonzeros : 0, high = place < rows ? place : rows;
  const long long guess = static_cast<long long>(static_cast<float>(place) / static_cast<float>(rows + nonzeros) *
                                                 static_cast<float>(rows));
  const long long away = lane < 16 ? -(1ll << (15 - lane)) : (1ll << (lane - 16)) - 1;
  for (long long row = guess + away, step = 0; low < high; row = low + (lane + 1) * step - 1) {
    const bool ends = row < low || (row < high && row + offsets[row + 1] < place);
    const int count = __popc(__ballot_sync(all_lanes, ends));
    if (count > 0) {
      const long long last_that_ends = __shfl_sync(all_lanes, row, count - 1);
      if (low <= last_that_ends) low = last_that_ends + 1;
    }
    if (count < 32) {
      const long long first_that_does_not = __shfl_sync(all_lanes, row, count);
      if (first_that_does_not < high) high = first_that_does_not;
    }
    step = (high - low + 31) / 32;
  }
  return low;
}

// Where a product lies in shared memory. With a gap after 32, threads that are a power of two apart meet in no bank.
template <bool GAPS>
__device__ __forceinline__ constexpr int place_of(int i) {
  return GAPS ? i + static_cast<int>(static_cast<unsigned>(i) / 32) : i;
}

// What a block does. Entries and the ends of rows count from the first pack of the tile.
template <typename T>
struct Tile {
  long long first_row;
  int rows;           // that end here. What is behind them is of one more row, which goes on.
  int begin, end;     // of its entries
  bool began_before;  // the first row: other tiles have entries of it
  T* y;
  unsigned long long* word;  // of this tile
  T* of_first_row;           // in shared memory: what this tile has of a row that began before

  __device__ __forceinline__ void finish(int row, T sum, bool has_entries) const {
    if (row == rows) {
      if (has_entries) attune::detail::publish(word, sum);
    } else if (row == 0 && began_before) {
      *of_first_row = sum;
    } else {
      y[first_row + row] = sum;
    }
  }
};

// Adds what `tiles_before` tiles have of the first row. `cell`, in shared memory, has room for a value per warp.
template <typename T, int BLOCK>
__device__ __forceinline__ void finish_first_row(const Tile<T>& tile, long long tiles_before, T* cell) {
  constexpr int WORDS = sizeof(T) / 4, AT_ONCE = 4;
  using Sum = attune::Operator<attune::Op::sum, T>;
  const int tid = static_cast<int>(threadIdx.x);
  const bool by_warp = tiles_before <= 32;
  if (by_warp && tid >= 32) return;
  T sum = T(0);
  volatile unsigned long long* const words = tile.word - tiles_before * WORDS;
  for (long long first = tid; first < tiles_before; first += BLOCK * AT_ONCE) {
    unsigned long long seen[AT_ONCE][WORDS];
#pragma unroll
    for (int k = 0; k < AT_ONCE * WORDS; ++k) {
      const long long at = first + k / WORDS * BLOCK;
      seen[k / WORDS][k % WORDS] = at < tiles_before ? words[at * WORDS + k % WORDS] : 0;
    }
#pragma unroll
    for (int k = 0; k < AT_ONCE; ++k) {
      const long long at = first + k * BLOCK;
      if (at < tiles_before) sum += attune::detail::take<T>(words + at * WORDS, seen[k]);
    }
  }
  sum = by_warp ? attune::combine_warp<Sum>(sum) : attune::combine_block<Sum, BLOCK>(sum, cell);
  if (tid == 0) tile.y[tile.first_row] = sum + *tile.of_first_row;
}

template <typename T>
__device__ __forceinline__ int begin_of(const Tile<T>& tile, const int* ends, int row) {
  return row == 0 ? tile.begin : ends[row - 1];
}

template <typename T>
__device__ __forceinline__ int end_of(const Tile<T>& tile, const int* ends, int row) {
  return row == tile.rows ? tile.end : ends[row];
}

// Of WIDTH threads, what this one adds up.
template <int WIDTH, bool GAPS, typename T>
__device__ __forceinline__ T sum_of(const T* products, int begin, int end) {
  constexpr int AT_ONCE = 4;
  T sum = T(0);
#pragma unroll 1
  for (int first = begin + static_cast<int>(threadIdx.x % WIDTH); first < end; first += WIDTH * AT_ONCE) {
    T some[AT_ONCE];
#pragma unroll
    for (int i = 0; i < AT_ONCE; ++i) {
      const int k = first + i * WIDTH;
      some[i] = k < end ? products[place_of<GAPS>(k)] : T(0);
    }
    sum += (some[0] + some[1]) + (some[2] + some[3]);
  }
  return sum;
}

// TPR threads add up a row. Rows that would keep them long are left to warps.
template <int BLOCK, int TPR, bool GAPS, typename T>
__device__ __forceinline__ void add_up_rows(const Tile<T>& tile, const T* products, const int* ends, int* queue,
                                            int* queued) {
  constexpr int GROUPS = BLOCK / TPR, LONG = 16 * TPR;
  const unsigned tid = threadIdx.x;
#pragma unroll 1
  for (int first = 0; first <= tile.rows; first += GROUPS) {
    const int row = first + static_cast<int>(tid / TPR);
    const bool exists = row <= tile.rows;
    const int begin = exists ? begin_of(tile, ends, row) : 0, end = exists ? end_of(tile, ends, row) : 0;
    const bool is_long = TPR < 32 && end - begin > LONG;
    const T sum = group_sum<TPR>(is_long ? T(0) : sum_of<TPR, GAPS>(products, begin, end));
    if (!exists || tid % TPR != 0) continue;
    if (is_long)
      queue[atomicAdd(queued, 1)] = row;
    else
      tile.finish(row, sum, end > begin);
  }
  if constexpr (TPR < 32) {
    __syncthreads();
    const int count = *queued;
#pragma unroll 1
    for (int i = static_cast<int>(tid / 32); i < count; i += BLOCK / 32) {
      const int row = queue[i];
      const T sum = group_sum<32>(sum_of<32, GAPS>(products, begin_of(tile, ends, row), end_of(tile, ends, row)));
      if (tid % 32 == 0) tile.finish(row, sum, true);
    }
  }
}

// What neighbours in the list have of the row that is open at their end, and whether a row ends among them.
template <typename T>
struct Open {
  T sum;
  bool ends;
};

template <typename T>
__device__ __forceinline__ Open<T> joined(const Open<T>& before, const Open<T>& after) {
  return {after.ends ? after.sum : before.sum + after.sum, before.ends || after.ends};
}

// Each thread goes through an equal share of the tile's list.
template <int BLOCK, int SHARE, typename T>
__device__ __forceinline__ void add_up_shares(const Tile<T>& tile, const T* products, const int* ends, T* cell,
                                              int* ends_of_warp) {
  const int tid = static_cast<int>(threadIdx.x), places = tile.rows + tile.end - tile.begin;
  const int place = tid * SHARE < places ? tid * SHARE : places;
  int row = 0;
  for (int high = place < tile.rows ? place : tile.rows; row < high;) {
    const int middle = (row + high) / 2;
    if (middle + ends[middle] - tile.begin < place)
      row = middle + 1;
    else
      high = middle;
  }
  constexpr int none = 0x7fffffff;
  int k = tile.begin + place - row, end = row < tile.rows ? ends[row] : none;
  const int steps = places - place < SHARE ? places - place : SHARE;
  int first = -1;
  T first_sum = T(0);
  Open<T> open{T(0), false};
#pragma unroll
  for (int i = 0; i < SHARE; ++i) {
    if (i >= steps) continue;
    if (k < end) {
      open.sum += products[place_of<true>(k)];
      ++k;
      continue;
    }
    if (first < 0) {
      first = row;
      first_sum = open.sum;
    } else {
      tile.y[tile.first_row + row] = open.sum;
    }
    open = {T(0), true};
    ++row;
    end = row < tile.rows ? ends[row] : none;
  }
  const int lane = static_cast<int>(threadIdx.x % 32), warp = static_cast<int>(threadIdx.x / 32);
#pragma unroll
  for (int distance = 1; distance < 32; distance *= 2) {
    const Open<T> before{__shfl_up_sync(all_lanes, open.sum, distance),
                         __shfl_up_sync(all_lanes, static_cast<int>(open.ends), distance) != 0};
    if (lane >= distance) open = joined(before, open);
  }
  if (lane == 31) {
    cell[warp] = open.sum;
    ends_of_warp[warp] = open.ends;
  }
  Open<T> before{__shfl_up_sync(all_lanes, open.sum, 1),
                 __shfl_up_sync(all_lanes, static_cast<int>(open.ends), 1) != 0};
  if (lane == 0) before = {T(0), false};
  __syncthreads();
  Open<T> warps{T(0), false};
#pragma unroll 1
  for (int i = 0; i < warp; ++i) warps = joined(warps, Open<T>{cell[i], ends_of_warp[i] != 0});
  if (first >= 0) tile.finish(first, joined(warps, before).sum + first_sum, true);
  if (tid == BLOCK - 1) tile.finish(tile.rows, joined(warps, open).sum, tile.end > ends[tile.rows - 1]);
}

template <typename T, typename O, Algorithm ALGORITHM, int BLOCK, int TPR, int ITEMS, int VECTOR, int RESIDENT,
          Read READ, Gather GATHER>
__global__ void __launch_bounds__(BLOCK, RESIDENT / BLOCK)
    spmv_tiles(T* y, const O* offsets, const int* columns, const T* values, const T* x, long long rows,
               long long nonzeros, unsigned long long* words) {
  using Sum = attune::Operator<attune::Op::sum, T>;
  constexpr int SLOTS = BLOCK * ITEMS * VECTOR, TILE = VECTOR > 1 ? SLOTS - VECTOR : SLOTS;
  constexpr bool GAPS = ALGORITHM == Algorithm::merge || TPR == 1;
  // Products, then ends: rows and entries are TILE together, and up to VECTOR - 1 slots before them are left free.
  __shared__ __align__(16) T memory[place_of<GAPS>(SLOTS) + VECTOR + 1];
  __shared__ long long found[3];
  __shared__ T cell[32], of_first_row;
  __shared__ int queue[ALGORITHM == Algorithm::stream ? TILE / (16 * TPR) + 2 : 32];
  __shared__ int queued;
  const int tid = static_cast<int>(threadIdx.x), warp = static_cast<int>(threadIdx.x / 32);
  const long long place = static_cast<long long>(blockIdx.x) * TILE;
  const long long last = rows + nonzeros - place < TILE ? rows + nonzeros : place + TILE;
  if (warp < 2) {
    const long long row = rows_before(offsets, rows, nonzeros, warp == 0 ? place : last);
    if (tid % 32 == 0) found[warp] = row;
    if (tid == 0) {
      found[2] = row + offsets[row] < place;  // a tile is not empty, so this row exists
      queued = 0;
    }
  }
  __syncthreads();
  const O begin = static_cast<O>(place - found[0]), end = static_cast<O>(last - found[1]);
  const Entries<T, O, VECTOR> entries(columns, values, nonzeros);
  x = in_register(x);
  const O origin = entries.first_of_pack(begin);
  const long long first_row = found[0];
  const int rows_here = static_cast<int>(found[1] - found[0]), end_here = static_cast<int>(end - origin);
  const Share<T, O, VECTOR, BLOCK * VECTOR> share(entries, origin + tid * VECTOR, begin, end);
  Pack<int, VECTOR> column[ITEMS];
  Pack<T, VECTOR> value[ITEMS], of_x[ITEMS];
#pragma unroll
  for (int i = 0; i < ITEMS; ++i) share.template read_pack<READ>(column[i], value[i], i);
  // Ends of rows are under way with them.
  int* const ends = reinterpret_cast<int*>(memory + place_of<GAPS>(end_here) + 1);
  const O* const ends_of_rows = offsets + first_row + 1;
#pragma unroll 2
  for (int i = tid; i < rows_here; i += BLOCK) ends[i] = static_cast<int>(ends_of_rows[i] - origin);
#pragma unroll
  for (int i = 0; i < ITEMS; ++i) share.template read_x<GATHER>(of_x[i], column[i], x, i);
  unsigned long long* const word = words + static_cast<long long>(blockIdx.x) * (sizeof(T) / 4);
  if (rows_here == 0) {  // all is of one row, which goes on
    T sum = T(0);
#pragma unroll
    for (int i = 0; i < ITEMS * VECTOR; ++i)
      if (share.holds(i / VECTOR, i % VECTOR))
        sum += value[i / VECTOR].element[i % VECTOR] * of_x[i / VECTOR].element[i % VECTOR];
    sum = attune::combine_block<Sum, BLOCK>(sum, cell);
    if (tid == 0) attune::detail::publish(word, sum);
    return;
  }
  T* const own = memory + place_of<GAPS>(tid * VECTOR);
#pragma unroll
  for (int i = 0; i < ITEMS * VECTOR; ++i)
    if (share.holds(i / VECTOR, i % VECTOR))
      own[place_of<GAPS>(i / VECTOR * BLOCK * VECTOR) + i % VECTOR] =
          value[i / VECTOR].element[i % VECTOR] * of_x[i / VECTOR].element[i % VECTOR];
  __syncthreads();
  const Tile<T> tile{first_row, rows_here, static_cast<int>(begin - origin), end_here, found[2] != 0, y, word,
                     &of_first_row};
  if constexpr (ALGORITHM == Algorithm::stream)
    add_up_rows<BLOCK, TPR, GAPS>(tile, memory, ends, queue, &queued);
  else
    add_up_shares<BLOCK, ITEMS * VECTOR>(tile, memory, ends, cell, queue);
  if (!tile.began_before) return;
  __syncthreads();
  const long long began = (tile.first_row + offsets[tile.first_row]) / TILE;
  finish_first_row<T, BLOCK>(tile, static_cast<long long>(blockIdx.x) - began, cell);
}

// ---- The matrix, while tuning ----

constexpr int share_threads = 16384;

__device__ __forceinline__ unsigned long long mixed(unsigned long long number, unsigned long long seed) {
  unsigned long long bits = (number + 1) * 0x9e3779b97f4a7c15 + seed * 0xd1342543de82ef95;
  bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9;
  bits = (bits ^ bits >> 27) * 0x94d049bb133111eb;
  return bits ^ bits >> 31;
}

// How many entries a row has, compared with others.
template <Class CLASS>
__device__ __forceinline__ unsigned long long weight(long long row, long long rows, long long columns,
                                                     long long nonzeros, unsigned long long seed) {
  if constexpr (CLASS == Class::uniform) {
    return 12 + mixed(row, seed) % 9;
  } else if constexpr (CLASS == Class::power_law) {
    const double most = sqrt(static_cast<double>(rows)) * sqrt(sqrt(static_cast<double>(rows))) * 2;
    const double root = sqrt(4294967296.0 / (static_cast<double>(mixed(row, seed) >> 32) + 0.5));
    const double wanted = root * sqrt(root);
    return static_cast<unsigned long long>(256 * (wanted < most ? wanted : most));
  } else if constexpr (CLASS == Class::empty_rows) {
    return rows < 8 ? row == 0 : row % 8 == static_cast<long long>(mixed(row / 8, seed) % 8) || row == 0;
  } else if constexpr (CLASS == Class::dense_rows || CLASS == Class::long_row) {
    const long long dense = CLASS == Class::long_row ? 1 : rows < 8 ? rows : 8;
    const long long wanted = CLASS == Class::long_row ? nonzeros - nonzeros / 16 : nonzeros / (2 * dense);
    const long long length = wanted < columns ? wanted : columns;
    const long long others = rows > dense ? rows - dense : 1;
    const long long number = static_cast<long long>(static_cast<double>(row) * static_cast<double>(dense) /
                                                    static_cast<double>(rows));
    if (row == (rows * (2 * number + 1)) / (2 * dense)) return length * 65536 + 1;
    return (nonzeros - dense * length) * 65536 / others + 1;
  } else {
    return 1;
  }
}

__device__ __forceinline__ long long share_of(long long rows) { return (rows + share_threads - 1) / share_threads; }

template <Class CLASS>
__global__ void sum_weights(unsigned long long* sums, long long rows, long long columns, long long nonzeros,
                            unsigned long long seed) {
  const int thread = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const long long share = share_of(rows);
  unsigned long long sum = 0;
  for (long long row = thread * share; row < (thread + 1) * share && row < rows; ++row)
    sum += weight<CLASS>(row, rows, columns, nonzeros, seed);
  sums[thread] = sum;
}

// In place: the weight of all shares up to each.
__global__ void scan_weights(unsigned long long* sums) {
  unsigned long long sum = 0;
  for (int i = 0; i < share_threads; ++i) sums[i] = sum += sums[i];
}

// A row ends at its share of all entries, rounded: so the last ends at `nonzeros`.
template <Class CLASS, typename O>
__global__ void make_offsets(O* offsets, const unsigned long long* sums, long long rows, long long columns,
                             long long nonzeros, unsigned long long seed) {
  const int thread = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const long long share = share_of(rows);
  const double total = static_cast<double>(sums[share_threads - 1]);
  unsigned long long sum = thread == 0 ? 0 : sums[thread - 1];
  if (thread == 0) offsets[0] = O(0);
  for (long long row = thread * share; row < (thread + 1) * share && row < rows; ++row) {
    sum += weight<CLASS>(row, rows, columns, nonzeros, seed);
    offsets[row + 1] = static_cast<O>(static_cast<double>(nonzeros) * (static_cast<double>(sum) / total) + 0.5);
  }
}

// A permutation of 0 to count - 1: a Feistel network on the next power of 4, until it is below count.
__device__ __forceinline__ long long permuted(long long i, long long count, unsigned long long seed) {
  int half = 1;
  while (1ll << 2 * half < count) ++half;
  const long long mask = (1ll << half) - 1;
  do {
    for (int round = 0; round < 4; ++round) {
      const long long low = i & mask;
      i = low << half | ((i >> half ^ static_cast<long long>(mixed(low, seed + round))) & mask);
    }
  } while (i >= count);
  return i;
}

// The distance of the neighbour in a grid: 0 is the point itself, -1 and 1 those beside it.
__device__ __forceinline__ long long distance_to(long long neighbour, long long side) {
  const long long rank = neighbour < 0 ? -neighbour : neighbour;
  const long long distance = rank <= 1 ? rank : rank == 2 ? side : side * side + (rank - 3) * side;
  return neighbour < 0 ? -distance : distance;
}

// `j` of `length` columns at random: one of each of as many ranges, so they grow.
__device__ __forceinline__ long long scattered(long long j, long long length, long long columns,
                                               unsigned long long random) {
  const long long from = j * columns / length, to = (j + 1) * columns / length;
  return to > from ? from + static_cast<long long>(random % static_cast<unsigned long long>(to - from)) : from;
}

// Entries from `first` on, moved so that they lie in the row.
__device__ __forceinline__ long long side_by_side(long long first, long long j, long long length, long long columns) {
  if (length >= columns) return j * columns / length;
  if (first < 0) first = 0;
  return (first < columns - length ? first : columns - length) + j;
}

// The column of entry `j` of a row. Columns grow within it; they repeat where it has more entries than columns.
template <Class CLASS>
__device__ __forceinline__ long long column_of(long long row, long long j, long long length, long long columns,
                                               unsigned long long seed) {
  const long long diagonal = row % columns;
  if constexpr (CLASS == Class::banded) {
    return side_by_side(diagonal - length / 2, j, length, columns);
  } else if constexpr (CLASS == Class::diagonal) {
    return side_by_side(diagonal, j, length, columns);
  } else if constexpr (CLASS == Class::permutation) {
    return side_by_side(permuted(diagonal, columns, seed), j, length, columns);
  } else if constexpr (CLASS == Class::stencil) {
    long long side = 1;
    while ((side + 1) * (side + 1) * (side + 1) <= columns) ++side;
    const long long least = distance_to(-(length / 2), side), most = distance_to(length - 1 - length / 2, side);
    if (side < 3 || most - least >= columns) return side_by_side(diagonal - length / 2, j, length, columns);
    const long long point = diagonal < -least ? -least : diagonal > columns - 1 - most ? columns - 1 - most : diagonal;
    return point + distance_to(j - length / 2, side);
  } else if constexpr (CLASS == Class::blocks) {
    const long long runs = (length + 7) / 8;
    if (runs > columns / 8) return side_by_side(0, j, length, columns);
    return 8 * scattered(j / 8, runs, columns / 8, mixed(row / 8 * 65536 + j / 8, seed)) + j % 8;
  } else {
    return scattered(j, length, columns, mixed(row ^ j << 40, seed));
  }
}

template <Class CLASS, typename O>
__global__ void make_columns(int* columns_of, const O* offsets, long long rows, long long columns, long long nonzeros,
                             unsigned long long seed) {
  const long long stride = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long k = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; k < nonzeros; k += stride) {
    long long row = 0;  // the last that begins at k or before
    for (long long high = rows; high - row > 1;) {
      const long long middle = (row + high) / 2;
      if (offsets[middle] <= k)
        row = middle;
      else
        high = middle;
    }
    columns_of[k] = static_cast<int>(
        column_of<CLASS>(row, k - offsets[row], offsets[row + 1] - offsets[row], columns, seed));
  }
}

// The reference: a thread for each row, in double.
template <typename T, typename O>
__global__ void spmv_reference(T* y, const O* offsets, const int* columns_of, const T* values, const T* x,
                               long long rows) {
  const long long stride = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long row = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; row < rows; row += stride) {
    Wide<T> sum = 0;
#pragma unroll 8
    for (O k = offsets[row]; k < offsets[row + 1]; ++k)
      sum += static_cast<Wide<T>>(values[k]) * static_cast<Wide<T>>(x[columns_of[k]]);
    y[row] = static_cast<T>(sum);
  }
}
