// How the threads of a block, and then the blocks of a grid, combine their values into one. Scratch memory that has to
// begin as zeros is left as zeros: no memset.
//
//   Algorithm       how the blocks' values come together
//   combine_block   the result over a block, by shuffles
//   combine_grid    the result over the grid, in one of its threads
//   combine_words   the result over the words that Algorithm::two_pass leaves: for a second step
//   zero_output, wait_for_zero, add_to_output           Algorithm::zeroed: a sum that is formed in the output itself
//
// Operator<OP, T> of attune_operators.cuh says how. Sums of floating-point numbers depend on the order in which they
// are formed. It is the same in every launch for two_pass, last_block and published. It is the order in which blocks
// end for the others: there the last bits differ from launch to launch.
#pragma once

#include "attune.cuh"
#include "attune_operators.cuh"

namespace attune {

/// How the blocks' values come together:
///   two_pass    each block writes a word; a second kernel combines them
///   last_block  each block writes a word and takes a ticket; the block with the last ticket combines them
///   published   each block writes a word that says that it is there; the block of the highest index waits for them
///   ticketed    each block adds to one word and takes a ticket; the one with the last ticket reads the word
///   zeroed      block 0 makes the output zero while all blocks load, and each block adds to it
///   atomic      each block adds to the output, which a memset has made zero
///
/// Measured on an H200, the sum of 2^22 floats alone behind a flush, 132 to 264 blocks: 8.4 us if nothing is combined,
/// 9.0 published, 9.4 ticketed, 9.8 last_block, 10.8 two_pass; CUB 11.3. Several warps that look for words in turn gain
/// nothing. A vector atomic of sum and count (8.6 us) is not promised to be one access. Running the code of the end
/// once beforehand, to have it in the instruction cache, costs 2 us.
enum class Algorithm { two_pass, last_block, published, ticketed, zeroed, atomic };

namespace detail {

template <typename To, typename From>
__device__ __forceinline__ To same_bits(From from) {
  static_assert(sizeof(To) == sizeof(From), "bits are neither made nor lost");
  To to;
  reinterpret_cast<From&>(to) = from;
  return to;
}

// ---- Words of Algorithm::two_pass and last_block: the value in the first bytes ----

template <typename Value>
__device__ __forceinline__ void write_value(unsigned long long* word, Value value) {
  *reinterpret_cast<Value*>(word) = value;
}

template <typename Value>
__device__ __forceinline__ Value read_value(const unsigned long long* word) {
  return *reinterpret_cast<const Value*>(word);
}

// ---- Words of Algorithm::published: 32 bits of the value and a bit that says so, in one access ----

constexpr unsigned long long there = 1ull << 32;

template <typename Value>
__device__ __forceinline__ void publish(volatile unsigned long long* words, Value value) {
  if constexpr (sizeof(Value) == 8) {
    const unsigned long long bits = same_bits<unsigned long long>(value);
    words[0] = there | (bits & 0xffffffffu);
    words[1] = there | (bits >> 32);
  } else {
    words[0] = there | same_bits<unsigned>(value);
  }
}

__device__ __forceinline__ unsigned wait_for_word(const volatile unsigned long long* word, unsigned long long seen) {
  while (seen == 0) {
#ifdef ATTUNE_HOST
    __nanosleep(0);  // lets other threads run
#endif
    seen = *word;
  }
  return static_cast<unsigned>(seen);
}

// Waits for what another block publishes, then makes the words zero. `seen` is what was read of them before.
template <typename Value>
__device__ __forceinline__ Value take(volatile unsigned long long* words, const unsigned long long* seen) {
  const unsigned low = wait_for_word(words, seen[0]);
  words[0] = 0;
  if constexpr (sizeof(Value) == 8) {
    const unsigned high = wait_for_word(words + 1, seen[1]);
    words[1] = 0;
    return same_bits<Value>(static_cast<unsigned long long>(high) << 32 | low);
  } else {
    return same_bits<Value>(low);
  }
}

// ---- The word of Algorithm::ticketed ----

// Numbers as unsigned ones of the same order. A NaN is above all.
__device__ __forceinline__ unsigned long long ordered(long long value) {
  return static_cast<unsigned long long>(value) ^ (1ull << 63);
}
__device__ __forceinline__ unsigned long long ordered(double value) {
  const unsigned long long bits = same_bits<unsigned long long>(value);
  return bits >> 63 != 0 ? ~bits : bits | 1ull << 63;
}
__device__ __forceinline__ void from_ordered(unsigned long long key, long long& value) {
  value = static_cast<long long>(key ^ (1ull << 63));
}
__device__ __forceinline__ void from_ordered(unsigned long long key, double& value) {
  value = same_bits<double>(key >> 63 != 0 ? key ^ (1ull << 63) : ~key);
}

template <typename Value>
struct Widest {
  using type = long long;
};
template <>
struct Widest<float> {
  using type = double;
};
template <>
struct Widest<double> {
  using type = double;
};

// Minimum and maximum as the maximum of keys that no value is below: zero is "nothing yet".
template <Op OP, typename Value>
struct Total {
  using W = typename Widest<Value>::type;
  __device__ __forceinline__ static void add(unsigned long long* total, Value value) {
    const unsigned long long key = ordered(static_cast<W>(value));
    atomicMax(total, value != value ? ~0ull : OP == Op::min ? ~key : key);
  }
  __device__ __forceinline__ static Value take(unsigned long long* total) {
    const unsigned long long key = atomicExch(total, 0ull);
    W value;
    from_ordered(OP == Op::min ? ~key : key, value);
    return static_cast<Value>(value);
  }
};
template <typename Value>
struct Total<Op::sum, Value> {
  __device__ __forceinline__ static void add(unsigned long long* total, Value value) {
    atomicAdd(reinterpret_cast<Value*>(total), value);
  }
  __device__ __forceinline__ static Value take(unsigned long long* total) {
    const unsigned long long bits = atomicExch(total, 0ull);
    if constexpr (sizeof(Value) == 8) {
      return same_bits<Value>(bits);
    } else {
      return same_bits<Value>(static_cast<unsigned>(bits));
    }
  }
};

}  // namespace detail

/// Returns, in thread 0, the combination over the block of BLOCK threads. `cell`, in shared memory, has room for one
/// value per warp, and no thread may still use it.
template <typename Operator, int BLOCK, typename Value>
__device__ __forceinline__ Value combine_block(Value value, Value* cell) {
  const int tid = static_cast<int>(threadIdx.x);
  value = combine_warp<Operator>(value);
  if (tid % 32 == 0) cell[tid / 32] = value;
  __syncthreads();
  if (tid >= 32) return value;
  return combine_warp<Operator>(tid < BLOCK / 32 ? cell[tid] : Operator::identity());
}

/// Returns, in thread 0, the combination of `count` words that Algorithm::two_pass or last_block has written.
template <typename Operator, int BLOCK, typename Value>
__device__ __forceinline__ Value combine_words(const unsigned long long* words, long long count, Value* cell) {
  Value value = Operator::identity();
#pragma unroll 4
  for (long long i = threadIdx.x; i < count; i += BLOCK)
    value = Operator::combine(value, detail::read_value<Value>(words + i));
  return combine_block<Operator, BLOCK>(value, cell);
}

namespace detail {

// In thread 0: is this the last block to ask? The ticket is zero again for the next launch.
__device__ __forceinline__ bool has_last_ticket(unsigned* ticket) {
  __threadfence();  // what the block wrote is visible before the ticket says so
  if (atomicAdd(ticket, 1u) != gridDim.x - 1) return false;
  __threadfence();
  *ticket = 0;
  return true;
}

template <typename Operator, int BLOCK, typename Value>
__device__ __forceinline__ bool combine_in_last_block(Value& value, unsigned long long* words, unsigned* ticket,
                                                      Value* cell) {
  bool is_last = false;
  if (threadIdx.x == 0) {
    write_value(words + blockIdx.x, value);
    is_last = has_last_ticket(ticket);
  }
  if (!__syncthreads_or(is_last)) return false;
  __threadfence();
  value = combine_words<Operator, BLOCK, Value>(words, gridDim.x, cell);
  return threadIdx.x == 0;
}

// The block of the highest index, which starts last, waits for all others: each has started by then, and ends.
template <typename Operator, int BLOCK, typename Value>
__device__ __forceinline__ bool combine_published(Value& value, unsigned long long* words, Value* cell) {
  constexpr int WORDS = sizeof(Value) == 8 ? 2 : 1, AT_ONCE = 4;
  const int tid = static_cast<int>(threadIdx.x), others = static_cast<int>(gridDim.x) - 1;
  if (blockIdx.x != gridDim.x - 1) {
    if (tid == 0) publish(words + static_cast<long long>(blockIdx.x) * WORDS, value);
    return false;
  }
  if (tid != 0) value = Operator::identity();
  for (int first = tid; first < others; first += BLOCK * AT_ONCE) {
    unsigned long long seen[AT_ONCE][WORDS];
    volatile unsigned long long* const from = words + static_cast<long long>(first) * WORDS;
#pragma unroll
    for (int k = 0; k < AT_ONCE * WORDS; ++k)
      seen[k / WORDS][k % WORDS] = first + k / WORDS * BLOCK < others ? from[k / WORDS * BLOCK * WORDS + k % WORDS] : 0;
#pragma unroll
    for (int k = 0; k < AT_ONCE; ++k)
      if (first + k * BLOCK < others) value = Operator::combine(value, take<Value>(from + k * BLOCK * WORDS, seen[k]));
  }
  __syncthreads();  // `cell` may still be read
  value = combine_block<Operator, BLOCK>(value, cell);
  return tid == 0;
}

}  // namespace detail

/// Combines the `value` of each block's thread 0. Returns true in the one thread of the grid that then holds the result
/// in `value`; with Algorithm::two_pass, in none. `words` has room for a word per block, or two with Algorithm::published; `ticket` is one number;
/// both are scratch. `cell` is as for combine_block(). Blocks and their threads lie along x.
template <Algorithm ALGORITHM, Op OP, typename T, int BLOCK, typename Value>
__device__ __forceinline__ bool combine_grid(Value& value, unsigned long long* words, unsigned* ticket, Value* cell) {
  static_assert(ALGORITHM != Algorithm::atomic && ALGORITHM != Algorithm::zeroed,
                "additions to the output need no words");
  using O = Operator<OP, T>;
  if constexpr (ALGORITHM == Algorithm::last_block) {
    return detail::combine_in_last_block<O, BLOCK>(value, words, ticket, cell);
  } else if constexpr (ALGORITHM == Algorithm::published) {
    return detail::combine_published<O, BLOCK>(value, words, cell);
  } else if constexpr (ALGORITHM == Algorithm::ticketed) {
    if (threadIdx.x != 0) return false;
    detail::Total<OP, Value>::add(words, value);
    if (!detail::has_last_ticket(ticket)) return false;
    value = detail::Total<OP, Value>::take(words);
    return true;
  } else {
    if (threadIdx.x == 0) detail::write_value(words + blockIdx.x, value);
    return false;
  }
}

// ---- Algorithm::zeroed ----
//
// An atomic addition that returns nothing costs a block no time, and it needs an output that is zero. Block 0 starts
// first and has time to make it so while the loads of all blocks are under way. `missing`, scratch, is then the number
// of blocks that have still to add: not zero says that the output is ready, and the last block leaves it as zero.

/// Begins a sum in `out`. All threads of the grid call this before they load.
template <int BLOCK, typename Value>
__device__ __forceinline__ void zero_output(Value* out, unsigned* missing) {
  if (blockIdx.x != 0 || threadIdx.x != BLOCK - 1) return;
  *static_cast<volatile Value*>(out) = Value(0);
  __threadfence();
  atomicAdd(missing, gridDim.x);
}

/// Waits until `out` is zero: thread 0 does, behind its loads and before its block combines.
__device__ __forceinline__ void wait_for_zero(const unsigned* missing) {
  if (threadIdx.x != 0) return;
  while (*static_cast<const volatile unsigned*>(missing) == 0) {
#ifdef ATTUNE_HOST
    __nanosleep(0);  // lets other threads run
#endif
  }
}

/// Adds what the block's thread 0 has.
template <typename Value>
__device__ __forceinline__ void add_to_output(Value* out, Value value, unsigned* missing) {
  if (threadIdx.x != 0) return;
  atomicAdd(out, value);
  atomicAdd(missing, ~0u);  // one block less
}

}  // namespace attune
