// Kernels that work on the rows of a matrix: how threads share a row, and how their values become one.
//
//   RowTeam<TPR, BLOCK, CLUSTER>     the threads of a row: some lanes, warps, a block, a cluster of blocks
//   combine_row                      the result over the threads of a row, in all of them, in a fixed order
//   sum_each_over_row                the same for some sums at a time, which share shuffles
//   Row<T, VECTOR>                   a row as aligned packs between a head and a tail of single elements
//   FullRow<T, VECTOR, PACKS>        a row of as many aligned packs as its threads keep
//   for_each_pack, for_each_edge     reads a row once: this thread's packs, and its elements of head and tail
//   stream_packs                     reads the packs so that loads are under way all the time
//   RowEdges                         this thread's elements of head and tail, kept
//   RowInRegisters, RowInShared, RowInMemory            this thread's packs, kept or read again
//   RowOut                           writes packs, or their elements where the output is aligned otherwise
//
// Rows alternate in alignment where their length is no multiple of a pack. So each row has its own head. An application
// may pass pointers that are aligned for single elements only.
#pragma once

#include "attune.cuh"
#include "attune_access.cuh"
#include "attune_async.cuh"
#include "attune_launch.cuh"
#include "attune_packs.cuh"

namespace attune {

// ---- Threads of a row ----

/// The threads of a row: TPR threads of each of CLUSTER blocks. A block of BLOCK threads has BLOCK / TPR rows at a
/// time. Blocks lie along x, those of a cluster too (`cluster = ["CLUSTER"]`). Every thread takes part in what follows,
/// also where it has no row.
template <int THREADS_PER_ROW, int THREADS, int BLOCKS_OF_CLUSTER = 1>
struct RowTeam {
  static constexpr int TPR = THREADS_PER_ROW, BLOCK = THREADS, CLUSTER = BLOCKS_OF_CLUSTER;
  static_assert((TPR & (TPR - 1)) == 0 && (CLUSTER & (CLUSTER - 1)) == 0, "powers of two");
  static_assert(BLOCK % 32 == 0 && BLOCK % TPR == 0, "a block has whole warps and whole rows");
  static_assert(CLUSTER == 1 || (TPR == BLOCK && TPR >= 32), "a cluster has one row");
  static constexpr int ROWS = BLOCK / TPR;     // of a block at a time
  static constexpr int SIZE = TPR * CLUSTER;   // threads of a row
  static constexpr int CELLS = SIZE <= 32 ? 1 : BLOCK * CLUSTER / 32;  // of combine_row()

  /// This thread's place among those of its row: 0 to SIZE - 1.
  __device__ __forceinline__ static int rank() {
    if constexpr (CLUSTER > 1) return static_cast<int>(cluster_rank() * TPR + threadIdx.x);
    return static_cast<int>(threadIdx.x % TPR);  // unsigned: one instruction
  }
  /// This thread's first row; the next one is row_step() further. It may lie beyond the last row. If a block has all
  /// its rows `together`, they are ROWS apart.
  __device__ __forceinline__ static long long first_row(int together = 1) {
    return static_cast<long long>(blockIdx.x / CLUSTER) * (ROWS * together) + threadIdx.x / TPR;
  }
  __device__ __forceinline__ static long long row_step() { return static_cast<long long>(gridDim.x / CLUSTER) * ROWS; }
  /// The same for all threads of a block: is there a row for one of them? `row` is the thread's own.
  __device__ __forceinline__ static bool any_row(long long row, long long rows) {
    return row - threadIdx.x / TPR < rows;
  }
  /// Called once, before the first combine_row(): from then on all blocks of the cluster are there. It comes after the
  /// first loads, which are then under way meanwhile.
  __device__ __forceinline__ static void begin() {
    if constexpr (CLUSTER > 1) sync_cluster();
  }
};

namespace detail {

template <typename Value>
__device__ __forceinline__ Value from_lane_xor(Value value, int distance) {
  static_assert(sizeof(Value) % 4 == 0, "a value has whole words");
  int words[sizeof(Value) / 4];
#pragma unroll
  for (int i = 0; i < static_cast<int>(sizeof(Value) / 4); ++i)
    words[i] = __shfl_xor_sync(0xffffffffu, reinterpret_cast<const int*>(&value)[i], distance);
  return reinterpret_cast<Value&>(words);
}

template <typename Operator, int LANES, typename Value>
__device__ __forceinline__ Value combine_lanes(Value value) {
#pragma unroll
  for (int distance = LANES / 2; distance > 0; distance /= 2)
    value = Operator::combine(value, from_lane_xor(value, distance));
  return value;
}

}  // namespace detail

/// Returns, in all threads of a row, the combination of their values. The order is the same in every launch. All
/// threads of the block call it. `Operator::combine(a, b)` is that of attune_operators.cuh, or one of your own on a
/// structure of whole words. Where it equals combine(b, a) to the bit, so do the results of the threads.
///
/// `cells`, in shared memory, has room for Team::CELLS values, and no thread may still read it. Two sets that take
/// turns see to that: between two uses of one lies a barrier.
template <typename Operator, typename Team, typename Value>
__device__ __forceinline__ Value combine_row(Value value, Value* cells) {
  value = detail::combine_lanes<Operator, Team::TPR < 32 ? Team::TPR : 32>(value);
  if constexpr (Team::SIZE > 32) {
    constexpr int WARPS = Team::TPR / 32, COUNT = WARPS * Team::CLUSTER;
    const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    if constexpr (Team::CLUSTER > 1) {
      const unsigned cell = cluster_rank() * WARPS + warp;
      if (lane < Team::CLUSTER) *in_block(cells + cell, lane) = value;  // to each block
      sync_cluster();
    } else {
      if (lane == 0) cells[warp] = value;
      __syncthreads();
      cells += warp / WARPS * WARPS;
    }
    value = cells[lane % COUNT];
#pragma unroll
    for (int k = 32; k < COUNT; k += 32) value = Operator::combine(value, cells[k + lane]);
    value = detail::combine_lanes<Operator, COUNT < 32 ? COUNT : 32>(value);
  }
  return value;
}

namespace detail {

// Each step leaves a lane half of the numbers: it gives those to its partner that the partner adds up. So COUNT numbers
// take COUNT - 1 shuffles and one more for each step that is left. COUNT others bring the sums back to all lanes.
template <int LANES, int COUNT>
__device__ __forceinline__ void sum_each_over_lanes(float (&numbers)[COUNT]) {
  static_assert((COUNT & (COUNT - 1)) == 0 && COUNT <= LANES, "halves of halves, down to one number");
  int left = COUNT;
#pragma unroll
  for (int distance = LANES / 2; distance > 0; distance /= 2) {
    if (left == 1) {
      numbers[0] += __shfl_xor_sync(0xffffffffu, numbers[0], distance);
      continue;
    }
    left /= 2;
    const bool is_upper = threadIdx.x & static_cast<unsigned>(distance);
#pragma unroll
    for (int k = 0; k < left; ++k) {
      const float own = is_upper ? numbers[left + k] : numbers[k], others = is_upper ? numbers[k] : numbers[left + k];
      numbers[k] = own + __shfl_xor_sync(0xffffffffu, others, distance);
    }
  }
  const float sum = numbers[0];
#pragma unroll
  for (int k = 0; k < COUNT; ++k) numbers[k] = __shfl_sync(0xffffffffu, sum, k * (LANES / COUNT), LANES);
}

template <int COUNT>
struct Addition {
  struct Values {
    float number[COUNT];
  };
  __device__ __forceinline__ static Values combine(Values a, const Values& b) {
#pragma unroll
    for (int k = 0; k < COUNT; ++k) a.number[k] += b.number[k];
    return a;
  }
};

}  // namespace detail

/// Replaces each of COUNT numbers, a power of two, by its sum over the threads of a row, in all of them. The sums are
/// those of combine_row(), to the bit. `cells`, as there, has room for COUNT * Team::CELLS floats.
template <typename Team, int COUNT>
__device__ __forceinline__ void sum_each_over_row(float (&numbers)[COUNT], float* cells) {
  if constexpr (COUNT > 1 && COUNT <= Team::SIZE && Team::SIZE <= 32) {
    detail::sum_each_over_lanes<Team::SIZE>(numbers);
  } else {
    using Add = detail::Addition<COUNT>;
    using Values = typename Add::Values;
    reinterpret_cast<Values&>(numbers) =
        combine_row<Add, Team>(reinterpret_cast<Values&>(numbers), reinterpret_cast<Values*>(cells));
  }
}

// ---- Parts of a row ----

/// A row as packs that are aligned in memory, between a head and a tail of less than VECTOR elements each. `columns`
/// may be 0: then there is nothing, and `elements` may be any address.
template <typename T, int VECTOR>
struct Row {
  using Element = T;
  using P = Pack<T, VECTOR>;
  static constexpr bool IS_FULL = false;
  const T* elements;
  long long columns, packs;
  int head, tail;

  __device__ __forceinline__ Row(const T* from, long long count) : elements(from), columns(count) {
    head = length_of_head<VECTOR>(from, count);
    const auto rest = static_cast<unsigned long long>(count - head);  // unsigned: shifts and masks
    packs = static_cast<long long>(rest / VECTOR);
    tail = static_cast<int>(rest % VECTOR);
  }
  __device__ __forceinline__ const P* body() const { return reinterpret_cast<const P*>(elements + head); }
  __device__ __forceinline__ long long column_of_pack(long long pack) const { return head + pack * VECTOR; }
  /// Head and tail together are head + tail elements; the column of one of them.
  __device__ __forceinline__ long long column_of_edge(int edge) const {
    return edge < head ? edge : columns - (head + tail) + edge;
  }
};

/// A row of PACKS packs that are aligned, as are those of the arrays beside it: as many as its threads keep. No number
/// depends on what is there, so a warp has a third less to do for a short row.
template <typename T, int VECTOR, int PACKS>
struct FullRow {
  using Element = T;
  using P = Pack<T, VECTOR>;
  static constexpr bool IS_FULL = true;
  static constexpr int head = 0, tail = 0, packs = PACKS;
  static constexpr long long columns = static_cast<long long>(PACKS) * VECTOR;
  const T* elements;

  __device__ __forceinline__ const P* body() const { return reinterpret_cast<const P*>(elements); }
  __device__ __forceinline__ long long column_of_pack(long long pack) const { return pack * VECTOR; }
  __device__ __forceinline__ long long column_of_edge(int edge) const { return edge; }
};

/// Are all rows of such arrays, of `columns` elements each, such rows, and has each team of a block TOGETHER of them?
template <typename Team, typename Full, int TOGETHER = 1, typename T, typename... Arrays>
__device__ __forceinline__ bool are_full(long long rows, long long columns, const T* array, Arrays... others) {
  const auto address = [](const T* of) { return reinterpret_cast<unsigned long long>(of); };
  const unsigned long long addresses = (address(array) | ... | address(others));
  return columns == Full::columns && static_cast<unsigned long long>(rows) % (Team::ROWS * TOGETHER) == 0 &&
         addresses % sizeof(typename Full::P) == 0;
}

/// Calls use(pack, column of its first element) for this thread's packs. ITEMS loads are under way at a time.
template <typename Team, int ITEMS, Cache CACHE, typename T, int VECTOR, typename Use>
__device__ __forceinline__ void for_each_pack(const Row<T, VECTOR>& row, const Use& use) {
  constexpr long long STEP = Team::SIZE;
  const Pack<T, VECTOR>* const body = row.body();
  long long pack = Team::rank();
#pragma unroll 1
  for (; pack + (ITEMS - 1) * STEP < row.packs; pack += ITEMS * STEP) {
    Pack<T, VECTOR> held[ITEMS];
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) held[i] = load<CACHE>(body + pack + i * STEP);
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) use(held[i], row.column_of_pack(pack + i * STEP));
  }
  if constexpr (ITEMS > 1) {
    Pack<T, VECTOR> held[ITEMS - 1];
#pragma unroll
    for (int i = 0; i < ITEMS - 1; ++i)
      if (pack + i * STEP < row.packs) held[i] = load<CACHE>(body + pack + i * STEP);
#pragma unroll
    for (int i = 0; i < ITEMS - 1; ++i)
      if (pack + i * STEP < row.packs) use(held[i], row.column_of_pack(pack + i * STEP));
  }
}

/// Calls use(pack, column of its first element) for this thread's packs, in their order, and sometimes for packs that
/// are not there: these hold `fill`. ITEMS loads are under way all the time: where a pack has been used, the one ITEMS
/// further is asked for. for_each_pack() waits for its loads before it issues others, and the compiler defers some of
/// them behind the first uses. What the next round uses it cannot defer. A thread has less than 2^31 packs.
template <typename Team, int ITEMS, Cache CACHE, typename T, int VECTOR, typename Use>
__device__ __forceinline__ void stream_packs(const Row<T, VECTOR>& row, T fill, const Use& use) {
  using P = Pack<T, VECTOR>;
  using Word = typename detail::WordOf<sizeof(P)>::type;  // whole: two-byte elements would be put together each time
  constexpr long long STEP = Team::SIZE;
  const Word* next = reinterpret_cast<const Word*>(row.body()) + Team::rank();
  int left = static_cast<int>(static_cast<unsigned long long>(row.packs + STEP - 1 - Team::rank()) / STEP);
  P none;
#pragma unroll
  for (int k = 0; k < VECTOR; ++k) none.element[k] = fill;
  const Word nothing = reinterpret_cast<const Word&>(none);
  Word held[ITEMS];
#pragma unroll
  for (int i = 0; i < ITEMS; ++i) {
    held[i] = nothing;
    if (i < left) held[i] = load<CACHE>(next + i * STEP);
  }
  long long column = row.column_of_pack(Team::rank());
#pragma unroll 1
  for (; left > 0; column += ITEMS * STEP * VECTOR) {
    next += ITEMS * STEP;
    left -= ITEMS;
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) {
      use(reinterpret_cast<const P&>(held[i]), column + i * STEP * VECTOR);
      held[i] = nothing;
      if (i < left) held[i] = load<CACHE>(next + i * STEP);
    }
  }
}

/// Calls use(element, its column) for this thread's elements of head and tail.
template <typename Team, typename T, int VECTOR, typename Use>
__device__ __forceinline__ void for_each_edge(const Row<T, VECTOR>& row, const Use& use) {
  if constexpr (VECTOR > 1) {
#pragma unroll 1
    for (int edge = Team::rank(); edge < row.head + row.tail; edge += Team::SIZE) {
      const long long column = row.column_of_edge(edge);
      use(row.elements[column], column);
    }
  }
}

// ---- Keeping a row ----

// Each thread keeps its own packs, number rank(), rank() + SIZE, ... of the row. So no thread waits for another one
// before it reads what is kept, in shared memory too.

/// This thread's elements of head and tail.
template <typename Team, typename T, int VECTOR>
struct RowEdges {
  static constexpr int COUNT = (2 * (VECTOR - 1) + Team::SIZE - 1) / Team::SIZE;  // 0 for VECTOR = 1
  T element[COUNT > 0 ? COUNT : 1];

  template <typename R>
  __device__ __forceinline__ void load(const R& row) {
    for_each(row, [&](T& kept, long long column) { kept = row.elements[column]; });
  }
  /// Calls use(element, its column).
  template <typename R, typename Use>
  __device__ __forceinline__ void for_each(const R& row, const Use& use) {
#pragma unroll
    for (int i = 0; i < COUNT; ++i) {
      const int edge = Team::rank() + i * Team::SIZE;
      if (edge < row.head + row.tail) use(element[i], row.column_of_edge(edge));
    }
  }
};

/// Up to ITEMS packs of this thread in registers: the row has at most Team::SIZE * ITEMS packs.
template <typename Team, typename T, int VECTOR, int ITEMS>
struct RowInRegisters {
  using P = Pack<T, VECTOR>;
  using Sum = PlainSum;  // of a value for each pack: there are few
  static constexpr bool FORGETS = ITEMS * VECTOR > 16;  // more floats would leave fewer threads on a multiprocessor
  P held[ITEMS];

  /// Packs that are not there become `fill`.
  template <Cache CACHE, typename R>
  __device__ __forceinline__ void load(const R& row, T fill) {
    const P* const body = row.body() + Team::rank();
    const int packs = static_cast<int>(row.packs) - Team::rank();
    P none;
#pragma unroll
    for (int k = 0; k < VECTOR; ++k) none.element[k] = fill;
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) {
      held[i] = none;
      if (R::IS_FULL || i * Team::SIZE < packs) held[i] = load_hinted<CACHE>(body + i * Team::SIZE);
    }
  }
  /// Calls use(pack, its number, is it there?) ITEMS times, also for packs that hold `fill`: without branches the
  /// compiler interleaves the work on all packs.
  template <typename R, typename Use>
  __device__ __forceinline__ void for_each(const R& row, const Use& use) {
    const long long first = Team::rank();  // wide at once: then addresses of packs differ by constants
    const int packs = static_cast<int>(row.packs) - Team::rank();
    // A row of 2^24 packs is not kept, and no address has its highest bit. The compiler knows neither.
    const unsigned zero = R::IS_FULL
                              ? static_cast<unsigned>(reinterpret_cast<unsigned long long>(row.elements) >> 63)
                              : static_cast<unsigned>(row.packs) >> 24;
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) {
      if constexpr (FORGETS && ITEMS >= 8) forget_floats(held[i], zero);  // more to do, but fewer registers
      use(held[i], first + i * Team::SIZE, R::IS_FULL || i * Team::SIZE < packs);
      if constexpr (FORGETS && ITEMS < 8) forget_floats(held[i], zero);
    }
  }
};

/// The packs of this thread in shared memory, by cp.async. `slots`, the thread's own, lie BLOCK packs apart: so the
/// threads of a warp meet no bank conflicts. A block has BLOCK * ceil(packs / SIZE) slots for each of its places.
template <typename Team, typename T, int VECTOR>
struct RowInShared {
  using P = Pack<T, VECTOR>;
  using Sum = CompensatedSum;
  P* slots;  // the first is (memory + threadIdx.x)

  /// Begins the copies. They have ended behind wait_for_copies().
  __device__ __forceinline__ void fetch(const Row<T, VECTOR>& row) const {
    const P* const body = row.body();
    const int packs = static_cast<int>(row.packs);
    P* slot = slots;
#pragma unroll 4
    for (int pack = Team::rank(); pack < packs; pack += Team::SIZE, slot += Team::BLOCK)
      copy_async<sizeof(P)>(slot, body + pack);
  }
  template <typename Use>
  __device__ __forceinline__ void for_each(const Row<T, VECTOR>& row, const Use& use) const {
    const int packs = static_cast<int>(row.packs);
    P* slot = slots;
#pragma unroll 4
    for (int pack = Team::rank(); pack < packs; pack += Team::SIZE, slot += Team::BLOCK) {
      P held = attune::load<Cache::plain>(slot);
      use(held, static_cast<long long>(pack), true);
    }
  }
};

/// The packs of this thread where they are: each pass reads them again.
template <typename Team, typename T, int VECTOR, int ITEMS, Cache CACHE>
struct RowInMemory {
  using Sum = CompensatedSum;
  template <typename Use>
  __device__ __forceinline__ void for_each(const Row<T, VECTOR>& row, const Use& use) const {
    for_each_pack<Team, ITEMS, CACHE>(row, [&](Pack<T, VECTOR>& pack, long long column) {
      use(pack, static_cast<long long>(static_cast<unsigned long long>(column - row.head) / VECTOR), true);
    });
  }
};

/// Where the results of a row go: to the same columns. by_packs: a pack of `row` is one there too. Ask for it outside
/// of the loop over packs: then the compiler interleaves the work on all of them.
template <Cache CACHE, typename T, int VECTOR>
struct RowOut {
  using P = Pack<T, VECTOR>;
  T* elements;
  int head;
  bool by_packs;

  template <typename R>
  __device__ __forceinline__ RowOut(T* to, const R& row)
      : elements(to), head(row.head), by_packs(R::IS_FULL || aligned<P>(to + row.head)) {}
  template <bool BY_PACKS>
  __device__ __forceinline__ void put(long long pack, const P& value) const {
    if constexpr (BY_PACKS) {
      store_whole<CACHE>(reinterpret_cast<P*>(elements + head) + pack, value);
    } else {
      T* const to = elements + head + pack * VECTOR;
#pragma unroll
      for (int k = 0; k < VECTOR; ++k) to[k] = value.element[k];
    }
  }
};

}  // namespace attune
