// Few long rows: each block has the same columns of all rows that it works on.
//
// A block stays on its multiprocessor. It has a part of each row of its group, one row after the other. Parts come by
// bulk copies into a ring of slots in shared memory, some rows ahead. The block reduces its part to two numbers and
// publishes them. Some rows later it takes the numbers of all parts of a row, and finishes its part out of shared
// memory. So memory is read and written once and all the time, and what belongs to columns is loaded once.
//
// Blocks wait for each other: all blocks of the grid run at the same time (`cooperative` of a step). A published number
// has the tag of its launch beside it, in one word: who reads it knows whether it is there. One warp asks for the words
// of a row before it reduces its share of another one, by copies that it waits for afterwards. A prototype reached 0.93
// of a copy's throughput so on an H100, with 128 rows of 262,144 floats. Loads that the warp waits for took longer.
#pragma once

#include "attune.cuh"
#include "attune_access.cuh"
#include "attune_async.cuh"
#include "attune_operators.cuh"
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

/// The sum of neighbours two by two: that of 2^k equal numbers is exact.
template <int COUNT>
__device__ __forceinline__ float sum_by_pairs(const float (&x)[COUNT]) {
  static_assert((COUNT & (COUNT - 1)) == 0, "a power of two");
  float sum[COUNT];
#pragma unroll
  for (int k = 0; k < COUNT; ++k) sum[k] = x[k];
#pragma unroll
  for (int half = COUNT / 2; half > 0; half /= 2)
#pragma unroll
    for (int k = 0; k < half; ++k) sum[k] = sum[2 * k] + sum[2 * k + 1];
  return sum[0];
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

// The words are mostly there when they are asked for. This is for those that are not.
__device__ __forceinline__ TaggedValue wait_for_tagged(const volatile TaggedValue* from, unsigned tag) {
  TaggedValue seen;
  do {
#ifdef ATTUNE_HOST
    __nanosleep(0);  // lets other threads run
#endif
    seen.first = from->first;
    seen.second = from->second;
  } while (!seen.has(tag));
  return seen;
}

}  // namespace detail

// ---- Rows by columns ----

/// How a launch shares the rows: each row has `parts` parts of `part_columns` each but for the last one, and `groups`
/// rows are worked on at the same time. The grid has `parts * groups` blocks along x. `ahead` parts are on their way,
/// and a row is finished `lag` rows after its parts were published; both are 1 to 3.
struct ColumnShares {
  long long part_columns;
  int parts, groups, ahead, lag;
};

/// Works on all rows. `part_columns` is a multiple of a pack of 16 bytes, and at most BLOCK * ITEMS packs; BLOCK is 128
/// at least. The step has `(ahead + lag + 1) * part_columns * sizeof(T) + 16 * parts` bytes of dynamic shared memory.
/// `words`, scratch, has one for each row and part; `epoch`, scratch, is two numbers.
///
/// Work says what is done. Values are of two floats; all threads of a warp call, and get the same.
///   Value                            of a part, or of a row
///   missing(element)                 stands for elements of a pack that are not there; `element`: first of the warp
///   load(column, elements)           begins: the block has `elements` columns from `column` on
///   of_warp(packs, count, elements)  the value of a warp's packs. This thread's pack i is there if i * BLOCK < count;
///                                    the warp has `elements` elements
///   join(values, elements, count, total)                the value of values(k), k < count, of elements(k) elements
///                                    each, `total` together; any lane may ask for any of them
///   of_row(value)                    what finish() takes
///   finish(floats, item, of_row)     turns the floats of the thread's pack `item` into results
template <int BLOCK, int ITEMS, Cache STORE_CACHE, typename T, typename Work>
struct RowsByColumns {
  static constexpr int VECTOR = 16 / sizeof(T), WARPS = BLOCK / 32, MOST_SLOTS = 7;
  static_assert(BLOCK >= 128 && BLOCK % 32 == 0, "three warps have tasks of their own");
  using P = Pack<T, VECTOR>;
  using Value = typename Work::Value;

  struct Shared {
    Barrier arrived[MOST_SLOTS];
    Value of_warps[2][WARPS], of_row[2];  // in turns: so one barrier a row is enough
    unsigned tag;
  };

  T* out;           // the block's first column of row 0
  const T* in;
  long long columns, row_step;
  const ColumnShares& shares;
  Work& work;
  Shared& shared;
  P* slots;
  TaggedValue* seen;  // the words of a row, behind the slots
  int part, group, elements, packs, slot_packs, slot_count, rounds;
  bool in_bulk, by_packs;

  __device__ __forceinline__ RowsByColumns(T* to, const T* from, long long rows, long long columns_of_row,
                                           const ColumnShares& by, Work& what, Shared& cells, int4* memory)
      : columns(columns_of_row), row_step(by.groups * columns_of_row), shares(by), work(what), shared(cells) {
    group = static_cast<int>(blockIdx.x) / by.parts;
    part = static_cast<int>(blockIdx.x) % by.parts;
    const long long first = part * by.part_columns;
    elements = elements_of_part(part);
    packs = (elements + VECTOR - 1) / VECTOR;
    slot_packs = static_cast<int>(by.part_columns) / VECTOR;
    slot_count = by.ahead + by.lag + 1;
    slots = reinterpret_cast<P*>(memory);
    seen = reinterpret_cast<TaggedValue*>(memory + slot_count * slot_packs);
    // The kernel file allows 2^20 rows: a division of 32 bits stands before the first load.
    rounds = rows > group ? static_cast<int>(static_cast<unsigned>(rows - group + by.groups - 1) / by.groups) : 0;
    in_bulk = aligned<P>(from) && columns % VECTOR == 0;
    by_packs = aligned<P>(to) && columns % VECTOR == 0;
    in = from + group * columns + first;
    out = to + group * columns + first;
  }

  __device__ __forceinline__ int elements_of_part(int number) const {
    const long long left = columns - number * shares.part_columns;
    return static_cast<int>(left < shares.part_columns ? left : shares.part_columns);
  }
  /// Of all packs of this warp of the block.
  __device__ __forceinline__ int elements_of_warp(int warp) const {
    int sum = 0;
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) {
      const int left = elements - (i * BLOCK + warp * 32) * VECTOR;
      sum += left < 0 ? 0 : left < 32 * VECTOR ? left : 32 * VECTOR;
    }
    return sum;
  }
  __device__ __forceinline__ P* slot_at(int slot) const {
    return slots + (slot < 0 ? slot + slot_count : slot < slot_count ? slot : slot - slot_count) * slot_packs;
  }

  // ---- How parts come ----

  /// Called by one thread, behind the barrier that ends the slot's last use.
  __device__ __forceinline__ void fetch(int round, int slot) const {
    if (!in_bulk || round >= rounds) return;
    if (slot >= slot_count) slot -= slot_count;
    const unsigned bytes = static_cast<unsigned>(packs) * 16;
    arrive_expecting(shared.arrived[slot], bytes);
    load_bulk(slots + slot * slot_packs, in + round * row_step, bytes, shared.arrived[slot]);
  }
  /// Where rows are no whole packs, the threads copy their elements.
  __device__ __forceinline__ void copy_elements(int round, P* slot) const {
    const T* const from = in + round * row_step;
    T* const to = reinterpret_cast<T*>(slot);
    const int first_of_last_warp = (packs - 1) % BLOCK / 32 * 32 * VECTOR;
#pragma unroll 4
    for (int at = static_cast<int>(threadIdx.x); at < packs * VECTOR; at += BLOCK)
      to[at] = at < elements ? from[at] : Work::missing(from[first_of_last_warp]);
    __syncthreads();
  }

  __device__ __forceinline__ void wait_for_part(int round, int slot, unsigned parity) const {
    if (in_bulk) {
      wait(shared.arrived[slot], parity);
    } else {
      copy_elements(round, slot_at(slot));
    }
  }

  // ---- What one warp does ----

  __device__ __forceinline__ Value value_of_block(int turn, int elements_of_lane) const {
    return work.join([&](int k) { return shared.of_warps[turn][k]; }, [&](int) { return elements_of_lane; }, WARPS,
                     static_cast<float>(elements));
  }

  /// Asks for the words of a row: lane k for words k, k + 32, ...
  __device__ __forceinline__ void ask_for_words(const TaggedValue* words) const {
#pragma unroll 1
    for (int k = static_cast<int>(threadIdx.x) % 32; k < shares.parts; k += 32) copy_async<16>(seen + k, words + k);
    commit_copies();
  }
  __device__ __forceinline__ Value take_words(const TaggedValue* words, unsigned tag) const {
    wait_for_copies<0>();
#pragma unroll 1
    for (int k = static_cast<int>(threadIdx.x) % 32; k < shares.parts; k += 32)
      if (!seen[k].has(tag)) seen[k] = detail::wait_for_tagged(words + k, tag);
    __syncwarp();  // the others may read them too
    const int whole = static_cast<int>(shares.part_columns), last = elements_of_part(shares.parts - 1);
    return work.join([&](int k) { return seen[k].template value<Value>(); },
                     [&](int k) { return k < shares.parts - 1 ? whole : last; }, shares.parts,
                     static_cast<float>(columns));
  }

  // ---- What all threads do ----

  __device__ __forceinline__ Value value_of_warp(const P* slot, int elements_of_this) const {
    P held[ITEMS];
    const int tid = static_cast<int>(threadIdx.x);
#pragma unroll
    for (int k = 0; k < VECTOR; ++k) held[0].element[k] = Work::missing(static_cast<T>(0.0f));
#pragma unroll
    for (int i = 1; i < ITEMS; ++i) held[i] = held[0];
#pragma unroll
    for (int i = 0; i < ITEMS; ++i)
      if (tid + i * BLOCK < packs) held[i] = load<Cache::plain>(slot + tid + i * BLOCK);
    return work.of_warp(held, packs - tid, elements_of_this);
  }
  template <bool BY_PACKS, typename OfRow>
  __device__ __forceinline__ void write(const P* slot, T* to, const OfRow& of_row) const {
    const int tid = static_cast<int>(threadIdx.x);
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) {
      const int pack = tid + i * BLOCK;
      if (pack >= packs) break;
      float x[VECTOR];
      floats_of(load<Cache::plain>(slot + pack), x);
      work.finish(x, i, of_row);
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

  /// Returns the tag of the launch. (All slots are free here. More loads would be in the way of the first words: asking
  /// for as many rows as there are slots took 48 us where this takes 44, for 128 rows of 262,144 bfloat16.)
  __device__ __forceinline__ unsigned begin(unsigned* epoch) const {
    if (threadIdx.x == 0) {
#pragma unroll 1
      for (int i = 0; i < slot_count; ++i) init(shared.arrived[i], 1);
      fence_barriers();
#pragma unroll 1
      for (int i = 0; i < shares.ahead; ++i) fetch(i, i);
    } else if (threadIdx.x == 64) {
      shared.tag = take_tag(epoch);
    }
    work.load(part * shares.part_columns, elements);
    __syncthreads();
    return shared.tag;
  }
  /// The block that asks last changes the tag for the next launch: all have read it by then.
  __device__ __forceinline__ static unsigned take_tag(unsigned* epoch) {
    const unsigned tag = *static_cast<const volatile unsigned*>(epoch) + 1;
    __threadfence();
    if (atomicAdd(epoch + 1, 1u) == gridDim.x - 1) {
      epoch[0] = tag;
      epoch[1] = 0;
    }
    return tag;
  }

  __device__ __forceinline__ void run(TaggedValue* words, unsigned* epoch) const {
    const int tid = static_cast<int>(threadIdx.x), warp = tid / 32, lane = tid % 32;
    const int elements_of_this = elements_of_warp(warp), elements_of_lane = lane < WARPS ? elements_of_warp(lane) : 0;
    const bool takes = warp == WARPS - 1;
    const unsigned tag = begin(epoch);
    words += static_cast<long long>(group) * shares.parts;
    const long long word_step = static_cast<long long>(shares.groups) * shares.parts;
    int slot = 0;
    unsigned parity = 0;
#pragma unroll 1
    for (int round = 0; round < rounds + shares.lag; ++round) {
      const int turn = round % 2, old = round - shares.lag;
      if (takes && old >= 0) ask_for_words(words + old * word_step);
      if (round < rounds) {
        wait_for_part(round, slot, parity);
        const Value value = value_of_warp(slot_at(slot), elements_of_this);
        if (lane == 0) shared.of_warps[turn][warp] = value;
      }
      if (takes && old >= 0) {
        const Value value = take_words(words + old * word_step, tag);
        if (lane == 0) shared.of_row[turn] = value;
      }
      __syncthreads();
      if (tid == 32) fetch(round + shares.ahead, slot + shares.ahead);
      if (warp == 0 && round < rounds) {
        const Value value = value_of_block(turn, elements_of_lane);
        if (lane == 0) detail::publish_tagged(words + round * word_step + part, value, tag);
      }
      if (old >= 0) {
        const auto of_row = work.of_row(shared.of_row[turn]);
        if (by_packs) {
          write<true>(slot_at(slot - shares.lag), out + old * row_step, of_row);
        } else {
          write<false>(slot_at(slot - shares.lag), out + old * row_step, of_row);
        }
      }
      if (++slot == slot_count) {
        slot = 0;
        parity ^= 1;
      }
    }
  }
};

}  // namespace attune
