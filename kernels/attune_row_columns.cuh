// Few long rows: each block has the same columns of all rows that it works on.
//
// A block stays on its multiprocessor. It has a part of each row of its group, one row after the other. Parts come into
// shared memory by bulk copies. A thread takes its packs of a part into registers, and the block reduces them to two
// numbers and publishes these. Some rows later it has the numbers of all parts of the row, and the thread finishes its
// packs. So memory is read and written once and all the time.
//
// Blocks wait for each other: all blocks of the grid run at the same time (`cooperative` of a step). A published number
// has the tag of its launch beside it, in one word: who reads it knows whether it is there. The words are on their way
// for 3 us, as they wait behind the parts: so long a row waits in registers.
//
// The last two warps of a block have no packs. One publishes, and asks for parts. The other one takes the numbers of
// rows. The warps with packs never wait for each other, only for parts and for numbers, each at a barrier in shared
// memory. One barrier for all of them, and parts that wait in shared memory, took a tenth more time.
#pragma once

#include "attune.cuh"
#include "attune_access.cuh"
#include "attune_async.cuh"
#include "attune_operators.cuh"
#include "attune_packs.cuh"
#include "attune_rows.cuh"

namespace attune {

/// Of blocks on a multiprocessor, at most 4, if each thread has so many registers.
template <int BLOCK, int REGISTERS>
constexpr int BLOCKS_OF_REGISTERS = 65536 / (BLOCK * REGISTERS) < 4 ? 65536 / (BLOCK * REGISTERS) : 4;

// ---- A warp ----

/// The sum of the numbers of a warp's lanes, and the largest of them, in all lanes. NaN is left out of the largest.
__device__ __forceinline__ float sum_over_warp(float number) {
  return detail::combine_lanes<Operator<Op::sum, float>, 32>(number);
}
__device__ __forceinline__ float largest_over_warp(float number) {
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2)
    number = fmaxf(number, __shfl_xor_sync(0xffffffffu, number, distance));
  return number;
}

// ---- What blocks publish ----

/// A value of two floats, each beside the tag of the launch.
struct alignas(16) TaggedValue {
  unsigned long long first, second;

  __device__ __forceinline__ bool has(unsigned tag) const {
    return static_cast<unsigned>(first >> 32) == tag && static_cast<unsigned>(second >> 32) == tag;
  }
  template <typename Value>
  __device__ __forceinline__ Value value() const {
    static_assert(sizeof(Value) == 8, "a value has two floats");
    return {__int_as_float(static_cast<int>(static_cast<unsigned>(first))),
            __int_as_float(static_cast<int>(static_cast<unsigned>(second)))};
  }
};

namespace detail {

template <typename Value>
__device__ __forceinline__ void publish_tagged(TaggedValue* to, Value value, unsigned tag) {
  static_assert(sizeof(Value) == 8, "a value has two floats");
  const unsigned* const words = reinterpret_cast<const unsigned*>(&value);
  const unsigned long long high = static_cast<unsigned long long>(tag) << 32;
#ifdef __CUDA_ARCH__
  asm volatile("st.relaxed.gpu.global.v2.u64 [%0], {%1, %2};" ::"l"(to), "l"(high | words[0]), "l"(high | words[1])
               : "memory");
#else
  volatile TaggedValue* const there = to;
  there->first = high | words[0];
  there->second = high | words[1];
#endif
}

__device__ __forceinline__ TaggedValue load_tagged(const TaggedValue* from) {
  TaggedValue seen;
#ifdef __CUDA_ARCH__
  asm volatile("ld.relaxed.gpu.global.v2.u64 {%0, %1}, [%2];" : "=l"(seen.first), "=l"(seen.second) : "l"(from)
               : "memory");
#else
  const volatile TaggedValue* const there = from;
  seen.first = there->first;
  seen.second = there->second;
#endif
  return seen;
}

}  // namespace detail

// ---- Rows by columns ----

/// How a launch shares the rows: each row has `parts` parts of `part_columns` each but for the last one, and `groups`
/// rows are worked on at the same time. The grid has `parts * groups` blocks along x. `ahead` parts, 1 to 3, are on
/// their way into shared memory.
struct ColumnShares {
  long long part_columns;
  int parts, groups, ahead;
};

namespace detail {

/// One of some places that are used in turn, and the parity of the barrier there.
struct Turn {
  int place = 0;
  unsigned parity = 0;

  __device__ __forceinline__ void next(int places) {
    if (++place < places) return;
    place = 0;
    parity ^= 1;
  }
};

}  // namespace detail

/// Works on all rows. BLOCK is 128 at least; its last 64 threads have no packs. `part_columns` is a multiple of a pack
/// of 16 bytes, and at most (BLOCK - 64) * ITEMS packs. A thread keeps its packs of LAG rows, 3 at least. The step has
/// `(ahead + Work::SLOTS) * part_columns * sizeof(T) + 8 * parts` bytes of dynamic shared memory. `words`, scratch, has
/// one for each row and part; `epoch`, scratch, is two numbers.
///
/// Work says what is done. Values are of two floats; all threads of a warp call, and get the same.
///   Value                            of a part, or of a row
///   SLOTS                            slots of shared memory for what belongs to columns, of a part each
///   missing(element)                 stands for elements of a pack that are not there; `element`: first of the warp
///   load(own, step, column, count)   begins to load what belongs to `count` columns from `column` on. This thread's
///                                    pack i of slot k of its memory is at own[k * step + i * (BLOCK - 64)]
///   of_warp(packs, count, elements, last)               the value of a warp's packs. This thread's pack i is there if
///                                    i * (BLOCK - 64) < count; the warp has `elements` elements. `last`: the value of
///                                    the same columns in the warp's row before, at first {0, 0}
///   join(values, elements, count, total)                the value of values(k), k < count, of elements(k) elements
///                                    each, `total` together; any lane may ask for any of them
///   of_row(value)                    what finish() takes; called once for each row, by each thread with packs
///   finish(floats, own, step, of_row)                   turns the floats of a pack into results. What belongs to them
///                                    is at own[k * step]
template <int BLOCK, int ITEMS, int LAG, Cache STORE_CACHE, typename T, typename Work>
struct RowsByColumns {
  static constexpr int VECTOR = 16 / sizeof(T), THREADS = BLOCK - 64, WARPS = THREADS / 32;
  static constexpr int MOST_AHEAD = 3;
  static_assert(BLOCK >= 128 && BLOCK % 32 == 0, "two warps have tasks of their own");
  static_assert(LAG >= 3, "what belongs to columns is there before a row is finished");
  using P = Pack<T, VECTOR>;
  using Value = typename Work::Value;
  using Turn = detail::Turn;

  struct Shared {
    // LAG of each are enough: a warp with packs finishes a row before it sums the one that is LAG further. So its
    // numbers have been published and taken by then; both warps arrive at `known`. Each lane arrives for itself, which
    // costs nothing here: it has read what others will overwrite.
    Barrier arrived[MOST_AHEAD], summed[LAG], known[LAG];
    Value of_warps[LAG][WARPS], of_row[LAG];
    unsigned tag;
  };

  T* out;           // the block's first column of row 0
  const T* in;
  long long columns, row_step;
  const ColumnShares& shares;
  const Work& work;
  Shared& shared;
  P *slots, *own;   // `own`: this thread's, of the work's memory
  Value* seen;      // the numbers of a row
  int part, group, elements, packs, slot_packs, rounds, tid, lane, warp;
  bool by_packs;

  __device__ __forceinline__ RowsByColumns(T* to, const T* from, long long rows, long long columns_of_row,
                                           const ColumnShares& by, const Work& what, Shared& cells, int4* memory)
      : columns(columns_of_row), row_step(by.groups * columns_of_row), shares(by), work(what), shared(cells) {
    tid = static_cast<int>(threadIdx.x);
    lane = tid % 32;
    warp = tid / 32;
    group = static_cast<int>(blockIdx.x) / by.parts;
    part = static_cast<int>(blockIdx.x) % by.parts;
    const long long first = part * by.part_columns;
    elements = elements_of_part(part);
    packs = (elements + VECTOR - 1) / VECTOR;
    slot_packs = static_cast<int>(by.part_columns) / VECTOR;
    slots = reinterpret_cast<P*>(memory);
    own = slots + by.ahead * slot_packs + tid;
    seen = reinterpret_cast<Value*>(slots + (by.ahead + Work::SLOTS) * slot_packs);
    // The kernel file allows 2^20 rows: a division of 32 bits stands before the first load.
    rounds = rows > group ? static_cast<int>(static_cast<unsigned>(rows - group + by.groups - 1) / by.groups) : 0;
    by_packs = aligned<P>(from) && aligned<P>(to) && columns % VECTOR == 0;
    in = from + group * columns + first;
    out = to + group * columns + first;
  }

  __device__ __forceinline__ int elements_of_part(int number) const {
    const long long left = columns - number * shares.part_columns;
    return static_cast<int>(left < shares.part_columns ? left : shares.part_columns);
  }
  /// Of all packs of this warp of the block.
  __device__ __forceinline__ int elements_of_warp(int number) const {
    int sum = 0;
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) {
      const int left = elements - (i * THREADS + number * 32) * VECTOR;
      sum += left < 0 ? 0 : left < 32 * VECTOR ? left : 32 * VECTOR;
    }
    return sum;
  }
  __device__ __forceinline__ bool has_pack(int item) const { return tid + item * THREADS < packs; }

  /// Begins the launch; returns its tag.
  __device__ __forceinline__ unsigned begin(unsigned* epoch) const {
    if (tid == THREADS) {
#pragma unroll 1
      for (int i = 0; i < shares.ahead; ++i) init(shared.arrived[i], 1);
#pragma unroll 1
      for (int i = 0; i < LAG; ++i) {
        init(shared.summed[i], THREADS);
        init(shared.known[i], 2 * 32);
      }
      fence_barriers();
#pragma unroll 1
      for (int i = 0; i < shares.ahead; ++i) fetch(i, i);
    } else if (tid == THREADS + 32) {
      shared.tag = *static_cast<const volatile unsigned*>(epoch) + 1;  // on its way beside the first parts
    }
    __syncthreads();
    return shared.tag;
  }
  /// Counts this block as one that has read the tag. The block that is counted last changes it for the next launch. The
  /// warp that takes numbers calls this: the result of the atomic addition comes behind all parts, but before the first
  /// number.
  __device__ __forceinline__ void count_reader(unsigned* epoch, unsigned tag) const {
    if (lane > 0) return;
    __threadfence();
    if (atomicAdd(epoch + 1, 1u) < gridDim.x - 1) return;
    epoch[0] = tag;
    epoch[1] = 0;
  }

  // ---- The warp that publishes ----

  __device__ __forceinline__ void fetch(int round, int slot) const {
    if (!by_packs || round >= rounds) return;
    const unsigned bytes = static_cast<unsigned>(packs) * 16;
    arrive_expecting(shared.arrived[slot], bytes);
    load_bulk(slots + slot * slot_packs, in + round * row_step, bytes, shared.arrived[slot]);
  }
  /// `words`: of the block's part of its first row.
  __device__ __forceinline__ void publish_parts(TaggedValue* words, long long word_step, unsigned tag) const {
    const int elements_of_lane = lane < WARPS ? elements_of_warp(lane) : 0;
    Turn summed;
    int slot = 0;
#pragma unroll 1
    for (int round = 0; round < rounds; ++round) {
      wait(shared.summed[summed.place], summed.parity);
      if (lane == 0) fetch(round + shares.ahead, slot);  // all have taken their packs
      const Value value =
          work.join([&](int k) { return shared.of_warps[summed.place][k]; }, [&](int) { return elements_of_lane; },
                    WARPS, static_cast<float>(elements));
      if (lane == 0) detail::publish_tagged(words + round * word_step, value, tag);
      arrive(shared.known[summed.place]);
      summed.next(LAG);
      if (++slot == shares.ahead) slot = 0;
    }
  }

  // ---- The warp that takes the numbers of rows ----

  /// Lane k has the words k, k + 32, ... of a row. (One at a time: with four of them in a loop rows took 5 % more.)
  __device__ __forceinline__ void wait_for_words(const TaggedValue* words, unsigned tag) const {
#pragma unroll 1
    for (int k = lane; k < shares.parts; k += 32) {
      TaggedValue word;
      do {
#ifdef ATTUNE_HOST
        __nanosleep(0);  // lets other threads run
#endif
        word = detail::load_tagged(words + k);
      } while (!word.has(tag));
      seen[k] = word.template value<Value>();
    }
    __syncwarp();  // other lanes may read them
  }
  __device__ __forceinline__ void take_rows(const TaggedValue* words, long long word_step, unsigned tag) const {
    const int whole = static_cast<int>(shares.part_columns), last = elements_of_part(shares.parts - 1);
    Turn turn;
#pragma unroll 1
    for (int round = 0; round < rounds; ++round) {
      wait_for_words(words + round * word_step, tag);
      const Value value = work.join([&](int k) { return seen[k]; },
                                    [&](int k) { return k < shares.parts - 1 ? whole : last; }, shares.parts,
                                    static_cast<float>(columns));
      __syncwarp();  // all have read what the next row overwrites
      wait(shared.summed[turn.place], turn.parity);  // it is over: so the cell's last value has been read
      if (lane == 0) shared.of_row[turn.place] = value;
      arrive(shared.known[turn.place]);
      turn.next(LAG);
    }
  }

  // ---- The warps with packs ----
  __device__ __forceinline__ P no_pack() const {
    P none;
#pragma unroll
    for (int k = 0; k < VECTOR; ++k) none.element[k] = Work::missing(static_cast<T>(0.0f));
    return none;
  }
  __device__ __forceinline__ void take_packs(const Turn& slot, P (&kept)[ITEMS]) const {
    wait(shared.arrived[slot.place], slot.parity);
    const P* const from = slots + slot.place * slot_packs + tid;
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) {
      kept[i] = no_pack();
      if (has_pack(i)) kept[i] = attune::load<Cache::plain>(from + i * THREADS);
    }
  }
  __device__ __forceinline__ void read_elements(int round, P (&packs_of_thread)[ITEMS]) const {
    const T* const from = in + round * row_step;
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) {
      packs_of_thread[i] = no_pack();
      if (!has_pack(i)) continue;
      const int at = (tid + i * THREADS) * VECTOR;
      const T missing = Work::missing(from[(tid - lane) * VECTOR]);
#pragma unroll
      for (int k = 0; k < VECTOR; ++k) packs_of_thread[i].element[k] = at + k < elements ? from[at + k] : missing;
    }
  }
  __device__ __forceinline__ void sum_packs(P (&kept)[ITEMS], int elements_of_this, Value& value, int place) const {
    value = work.of_warp(kept, packs - tid, elements_of_this, value);
    if (lane == 0) shared.of_warps[place][warp] = value;
    // This lane has its packs, which a bulk copy may overwrite then, and has read the numbers of the row before.
    fence_shared_for_bulk();
    arrive(shared.summed[place]);
  }
  template <bool BY_PACKS>
  __device__ __forceinline__ void finish(const P (&kept)[ITEMS], int round, int place, unsigned parity) const {
    wait(shared.known[place], parity);
    if constexpr (Work::SLOTS > 0) wait_for_copies<0>();
    const auto of_row = work.of_row(shared.of_row[place]);
    T* const to = out + round * row_step;
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) {
      if (!has_pack(i)) break;
      const int pack = tid + i * THREADS;
      float x[VECTOR];
      floats_of(kept[i], x);
      work.finish(x, own + i * THREADS, slot_packs, of_row);
      const P result = pack_of<T>(x);
      if constexpr (BY_PACKS) {
        store_whole<STORE_CACHE>(reinterpret_cast<P*>(to) + pack, result);
      } else {
#pragma unroll
        for (int k = 0; k < VECTOR; ++k)
          if (pack * VECTOR + k < elements) to[pack * VECTOR + k] = result.element[k];
      }
    }
  }
  __device__ __forceinline__ void begin_to_load(int round) const {  // the first parts are more urgent
    if (round == 2) work.load(own, slot_packs, part * shares.part_columns, elements);
  }
  __device__ __forceinline__ void work_on_packs() const {
    const int elements_of_this = elements_of_warp(warp);
    P kept[LAG][ITEMS];
    Turn slot;
    Value value{0, 0};
    unsigned parity = 1;  // of the numbers of the last LAG rows
#pragma unroll 1
    for (int start = 0; start < rounds + LAG; start += LAG, parity ^= 1) {
#pragma unroll
      for (int k = 0; k < LAG; ++k) {
        const int round = start + k;
        if (round >= LAG && round < rounds + LAG) finish<true>(kept[k], round - LAG, k, parity);
        begin_to_load(round);
        if (round >= rounds) continue;
        take_packs(slot, kept[k]);
        slot.next(shares.ahead);
        sum_packs(kept[k], elements_of_this, value, k);
      }
    }
  }
  /// Where arrays are not aligned, or rows are no whole packs: elements are read twice, the second time from L2.
  __device__ __forceinline__ void work_on_elements() const {
    const int elements_of_this = elements_of_warp(warp);
    Turn turn{0, 1};
    Value value{0, 0};
#pragma unroll 1
    for (int round = 0; round < rounds + LAG; ++round, turn.next(LAG)) {
      P read[ITEMS];
      if (round >= LAG) {
        read_elements(round - LAG, read);
        finish<false>(read, round - LAG, turn.place, turn.parity);
      }
      begin_to_load(round);
      if (round >= rounds) continue;
      read_elements(round, read);
      sum_packs(read, elements_of_this, value, turn.place);
    }
  }

  __device__ __forceinline__ void run(TaggedValue* words, unsigned* epoch) const {
    const unsigned tag = begin(epoch);
    words += static_cast<long long>(group) * shares.parts;
    const long long word_step = static_cast<long long>(shares.groups) * shares.parts;
    if (warp < WARPS && by_packs) {
      work_on_packs();
    } else if (warp < WARPS) {
      work_on_elements();
    } else if (warp == WARPS) {
      publish_parts(words + part, word_step, tag);
    } else {
      count_reader(epoch, tag);
      __syncwarp();
      take_rows(words, word_step, tag);
    }
  }
};

}  // namespace attune
