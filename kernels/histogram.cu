/*attune
[kernel]
name = "histogram"
summary = "out[b] = how many of in[0] .. in[n - 1] are b, for b = 0 to bins - 1"
deterministic = true                           # counts are exact in any order
[problem]
n = { size = 268435456, host = 100000 }
bins = { size = 256 }
T = ["uint8", "uint16", "int32"]
C = ["uint32", "uint64"]                       # of a counter: 32 bits wrap where a bin has 2^32 elements
DATA = { choice = ["Data::uniform", "Data::zipf", "Data::equal", "Data::wide"] }  # what to expect: it decides the time
[parameters]
METHOD = ["Method::lane", "Method::warp", "Method::block", "Method::global"]
REPLICAS = [32, 16, 8, 4, 2, 1]                # launch only, with Method::lane: counters of a bin, side by side
BLOCK = [1024, 512, 256, 128]                  # launch only
ACCESS = [16, 8, 4]                            # bytes of a load
ITEMS = [4, 1, 2]                              # loads in flight per thread
AHEAD = [true, false]                          # are the next loads under way while elements are counted?
RUNS = ["Runs::each", "Runs::combined"]
CACHE = ["Cache::plain", "Cache::streaming"]
MERGE = ["Merge::atomic", "Merge::last_block", "Merge::two_pass"]
BLOCKS_PER_SM = [1, 2, 3, 4, 6, 8, 12, 16]     # launch only
[values]
# Counters of a copy. What may be out of range has one of its own, the last.
rows = "T == 'uint8' ? 256 : bins + 1"
lanes = "METHOD == 'Method::lane' ? REPLICAS : 1"
warp_rows = "METHOD == 'Method::warp' ? rows : 0"
shared = "METHOD == 'Method::global' ? 0 : rows * lanes * (METHOD == 'Method::warp' ? BLOCK / 32 : 1) * 4"
blocks = "min(ceil_div(n * sizeof(T), BLOCK * ITEMS * ACCESS), BLOCKS_PER_SM * device.multiprocessors)"
[restrictions]
rules = [
    "ACCESS >= sizeof(T)",
    "METHOD == 'Method::lane' ? REPLICAS > 1 : REPLICAS == 1",
    # As many blocks as a multiprocessor holds, and at least 256 threads.
    "BLOCK * BLOCKS_PER_SM >= 256 && BLOCK * BLOCKS_PER_SM <= device.max_threads_per_multiprocessor",
    "shared <= device.shared_per_block",
    "BLOCKS_PER_SM * (shared + device.shared_reserved) <= device.shared_per_multiprocessor",
    # Atomics in global memory: where shared memory holds few copies. With AHEAD, sm_120 runs out of registers.
    "METHOD != 'Method::global' || (bins > 4096 && MERGE != 'Merge::two_pass' && !AHEAD)",
    # Shared memory adds equal addresses of a warp at once: looking for runs costs more.
    "RUNS == 'Runs::each' || METHOD == 'Method::global'",
    "C == 'uint32' || n / blocks < 2 ** 31",   # a block counts in 32 bits
    "T != 'int32' || bins <= 2 ** 31",         # beyond, a negative value would be one of them
]
[[launch]]
memset = "out"
value = 0
when = "MERGE == 'Merge::atomic'"
[[launch]]
entry = "histogram<T, C, ACCESS, ITEMS, AHEAD, CACHE, MERGE>"
when = "METHOD != 'Method::global'"
grid = ["blocks"]
block = ["BLOCK"]
shared = "shared"
arguments = ["out", "in", "n", "bins", "counters", "lanes_of_bin", "rows_of_warp", "totals", "partials", "ticket"]
[[launch]]
entry = "histogram_global<T, C, ACCESS, ITEMS, RUNS, CACHE, MERGE>"
when = "METHOD == 'Method::global'"
grid = ["blocks"]
block = ["BLOCK"]
arguments = ["out", "in", "n", "bins", "totals", "ticket"]
[[launch]]
entry = "add_partials<C>"
when = "MERGE == 'Merge::two_pass'"
grid = ["ceil_div(bins, 32)"]
block = ["32", "16"]
arguments = ["out", "partials", "bins", "blocks_of_grid"]
[arguments]
out = { type = "C", size = "bins", role = "out" }
# Values of no bin are not counted. With Data::wide half of them are such, as far as the type goes.
in = { type = "T", size = "n", role = "in", fill = """zipf( \
  DATA == 'Data::zipf' ? 1 : DATA == 'Data::equal' ? 99 : 0, \
  min(DATA == 'Data::wide' ? 2 * bins : bins, T == 'uint8' ? 256 : T == 'uint16' ? 65536 : 2 ** 20))""" }
n = { type = "int64" }
bins = { type = "int64" }
counters = { type = "int32", value = "shared / 4" }
lanes_of_bin = { type = "int32", value = "lanes" }
rows_of_warp = { type = "int32", value = "warp_rows" }
blocks_of_grid = { type = "int64", value = "blocks" }
totals = { type = "C", size = "MERGE == 'Merge::last_block' ? bins : 1", role = "scratch" }
partials = { type = "uint32", size = "MERGE == 'Merge::two_pass' ? blocks * bins : 1", role = "scratch" }
ticket = { type = "uint32", size = "1", role = "scratch" }
[[reference]]
memset = "out"
value = 0
[[reference]]
entry = "histogram_reference<T, C>"
grid = ["1024"]
block = ["256"]
arguments = ["out", "in", "n", "bins"]
[metrics]
bytes = "n * sizeof(T)"
items = "n"
unit = "values"
[[ladder]]
name = "private copies"
source = "J. Gomez-Luna et al., An optimized approach to histogram computation on GPU (2013)"
problems = ["T=uint8", "T=uint8 DATA=Data::equal"]
steps = [
    { name = "one of the block", configuration = """METHOD=Method::block REPLICAS=1 ITEMS=1 \
      AHEAD=false BLOCK=512 BLOCKS_PER_SM=2""" },
    { name = "one of each warp", configuration = """METHOD=Method::warp REPLICAS=1 ITEMS=1 \
      AHEAD=false BLOCK=512 BLOCKS_PER_SM=2""" },
    { name = "4 of a bin", configuration = "REPLICAS=4 ITEMS=1 AHEAD=false BLOCK=512 BLOCKS_PER_SM=2" },
    { name = "16 of a bin", configuration = "REPLICAS=16 ITEMS=1 AHEAD=false BLOCK=512 BLOCKS_PER_SM=2" },
    { name = "32 of a bin: one a lane", configuration = "ITEMS=1 AHEAD=false BLOCK=512 BLOCKS_PER_SM=2" },
    { name = "four loads in flight", configuration = "AHEAD=false" },
    { name = "the next loads while counting", configuration = "" },
]
*/
#include "attune.cuh"
#include "attune_access.cuh"

using attune::Cache;
using attune::Pack;

/// What the elements are like:
///   uniform  over the bins
///   zipf     by Zipf's law: one in six of 256 is the first
///   equal    all are
///   wide     uniform over twice as many values as there are bins
enum class Data { uniform, zipf, equal, wide };

/// What shares counters:
///   lane    the lanes of one residue, in shared memory: REPLICAS counters of a bin, side by side
///   warp    a warp, in shared memory
///   block   the block, in shared memory
///   global  the device, in global memory
enum class Method { lane, warp, block, global };

/// Is every element counted, or are equal neighbours of a thread counted together?
enum class Runs { each, combined };

/// How the blocks' counts come together:
///   last_block  each block adds to scratch memory by atomics, and the last one makes the result of it
///   atomic      each block adds to a result that was set to zero
///   two_pass    a second kernel adds them
enum class Merge { last_block, atomic, two_pass };

// A warp adds to shared memory at once where its lanes meet in no bank, or at one address. 32 random bins meet: one
// copy of the counters ends at 9 bytes a clock and multiprocessor. With 32 counters of a bin side by side, each lane
// has a bank of its own, whatever the data, and bytes are counted almost as fast as they are read. 2^28 bytes on an
// H200, in microseconds: CUB 131; 1, 4, 8, 16, 32 counters of a bin 125, 127, 117, 89, 68 if random, 68 to 72 if all
// are equal; reading alone 62. What was slower, random / equal:
//   tensor cores: products of bit matrices, 16 high nibbles x 16 low ones       90 / 89
//   two bytes at once, 65,536 counters of 16 bits                               112 / overflow
//   counters of 8 bits of each lane, without atomics                            177 / 176
//   runs of equal bytes combined by each thread                                 178 / 92
// The copies: J. Gomez-Luna et al., An optimized approach to histogram computation on GPU (2013).

// ---- Elements ----

// The machine word of one load. Between loads and counting bytes stay in it: as bytes they would have a register each.
template <int ACCESS>
using Word = typename attune::detail::WordOf<ACCESS>::type;

// Calls add(value, how often) for every element of the words.
template <Runs RUNS, typename T, int WORDS, typename W, typename Add>
__device__ __forceinline__ void add_words(const W* words, Add add) {
  constexpr int VECTOR = sizeof(W) / sizeof(T);
  const auto element = [&](int i) {
    return static_cast<unsigned>(reinterpret_cast<const Pack<T, VECTOR>&>(words[i / VECTOR]).element[i % VECTOR]);
  };
  if constexpr (RUNS == Runs::each) {
#pragma unroll
    for (int i = 0; i < WORDS * VECTOR; ++i) add(element(i), 1u);
  } else {
    unsigned value = element(0), times = 1;
#pragma unroll
    for (int i = 1; i < WORDS * VECTOR; ++i) {
      if (element(i) != value) {
        add(value, times);
        value = element(i);
        times = 0;
      }
      ++times;
    }
    add(value, times);
  }
}

// The elements that a thread takes. The first loads are under way when the constructor returns.
template <int ACCESS, int ITEMS, bool AHEAD, Cache CACHE, typename T>
class Share {
 public:
  // `in` is aligned for its elements only: `head_` of them come before the first whole word.
  __device__ __forceinline__ Share(const T* in, long long n)
      : block_(blockDim.x), first_(blockIdx.x * block_ * ITEMS + threadIdx.x) {
    head_ = attune::length_of_head<VECTOR>(in, n);
    from_ = reinterpret_cast<const W*>(in + head_);
    count_ = (n - head_) / VECTOR;
    rest_ = static_cast<int>((n - head_) % VECTOR);
    fetch(words_);
  }

  // Calls add(value, how often) for all elements.
  template <Runs RUNS, typename Add>
  __device__ __forceinline__ void add_all(Add add) {
    const int tid = static_cast<int>(threadIdx.x);
    const T* const begin = reinterpret_cast<const T*>(from_);
    if (blockIdx.x == 0 && tid < head_) add(static_cast<unsigned>(begin[tid - head_]), 1u);
    if (blockIdx.x == 0 && tid < rest_) add(static_cast<unsigned>(begin[count_ * VECTOR + tid]), 1u);
    while (is_whole()) {
      first_ += gridDim.x * block_ * ITEMS;
      if constexpr (AHEAD) {
        W next[ITEMS];
        fetch(next);
        add_words<RUNS, T, ITEMS>(words_, add);
#pragma unroll
        for (int item = 0; item < ITEMS; ++item) words_[item] = next[item];
      } else {
        add_words<RUNS, T, ITEMS>(words_, add);
        fetch(words_);
      }
    }
#pragma unroll 1
    for (; first_ < count_; first_ += block_) {  // fewer than ITEMS words
      words_[0] = from_[first_];
      add_words<RUNS, T, 1>(words_, add);
    }
  }

 private:
  static constexpr int VECTOR = ACCESS / sizeof(T);
  using W = Word<ACCESS>;

  __device__ __forceinline__ bool is_whole() const { return first_ + (ITEMS - 1) * block_ < count_; }
  __device__ __forceinline__ void fetch(W (&words)[ITEMS]) const {
    if (!is_whole()) return;
#pragma unroll
    for (int item = 0; item < ITEMS; ++item) words[item] = attune::load<CACHE>(from_ + first_ + item * block_);
  }

  long long block_, first_, count_;
  const W* from_;
  int head_, rest_;
  W words_[ITEMS];
};

// ---- Results ----

// Hands over what this block has counted in a bin.
template <Merge MERGE, typename C>
__device__ __forceinline__ void deliver(C* out, C* totals, unsigned* partials, long long bins, long long bin,
                                        unsigned count) {
  if constexpr (MERGE == Merge::two_pass) {
    partials[blockIdx.x * bins + bin] = count;
  } else {
    if (count != 0) atomicAdd((MERGE == Merge::atomic ? out : totals) + bin, static_cast<C>(count));
  }
}

// After deliver(): the block that comes last makes the result, and leaves the scratch memory zeroed for the next
// launch.
template <Merge MERGE, typename C>
__device__ __forceinline__ void finish(C* out, C* totals, unsigned* ticket, long long bins) {
  if constexpr (MERGE == Merge::last_block) {
    __threadfence();  // the counts are visible before the ticket says so
    __syncthreads();
    const bool is_last = threadIdx.x == 0 && atomicAdd(ticket, 1u) == gridDim.x - 1;
    if (!__syncthreads_or(is_last)) return;
    __threadfence();
    for (long long bin = threadIdx.x; bin < bins; bin += blockDim.x) {
      out[bin] = totals[bin];
      totals[bin] = 0;
    }
    if (threadIdx.x == 0) *ticket = 0;
  }
}

// ---- Counters in shared memory ----

// `counters` words of shared memory: `lanes` (a power of two) of each bin, once, or for each warp if `warp_rows` is not
// 0.
template <typename T, typename C, int ACCESS, int ITEMS, bool AHEAD, Cache CACHE, Merge MERGE>
__global__ void __launch_bounds__(1024)
    histogram(C* out, const T* in, long long n, long long bins, int counters, int lanes, int warp_rows, C* totals,
              unsigned* partials, unsigned* ticket) {
  extern __shared__ uint4 shared_memory[];
  unsigned* const counter = reinterpret_cast<unsigned*>(shared_memory);
  const int tid = static_cast<int>(threadIdx.x), block = static_cast<int>(blockDim.x);
  Share<ACCESS, ITEMS, AHEAD, CACHE, T> share(in, n);
#pragma unroll 1
  for (int i = tid; i < counters / 4; i += block) shared_memory[i] = uint4{0, 0, 0, 0};
  if (tid < counters % 4) counter[counters - 1 - tid] = 0;
  __syncthreads();

  unsigned* const mine = counter + (tid & (lanes - 1)) + tid / 32 * warp_rows;
  const unsigned beyond = static_cast<unsigned>(bins);  // fewer than 2^16, since shared memory holds a counter of each
  share.template add_all<Runs::each>([&](unsigned value, unsigned times) {
    if (sizeof(T) > 1 && value > beyond)
      value = beyond;  // the last row takes what is out of range: a branch costs more
    atomicAdd(mine + value * static_cast<unsigned>(lanes), times);
  });
  __syncthreads();

  const int rows = sizeof(T) > 1 || bins < 256 ? static_cast<int>(bins) : 256;
#pragma unroll 1
  for (int bin = tid; bin < rows; bin += block) {
    unsigned count = 0;
    int at = bin * lanes;
    do {
#pragma unroll 4
      for (int k = 0; k < lanes; ++k) count += counter[at + ((k + tid) & (lanes - 1))];  // each thread another bank
      at += warp_rows;
    } while (warp_rows > 0 && at < counters);
    deliver<MERGE>(out, totals, partials, bins, bin, count);
  }
#pragma unroll 1
  for (long long bin = rows + tid; bin < bins; bin += block)  // bins that no byte can be in
    deliver<MERGE>(out, totals, partials, bins, bin, 0);
  finish<MERGE>(out, totals, ticket, bins);
}

// ---- Counters in global memory ----

template <typename T, typename C, int ACCESS, int ITEMS, Runs RUNS, Cache CACHE, Merge MERGE>
__global__ void __launch_bounds__(1024)
    histogram_global(C* out, const T* in, long long n, long long bins, C* totals, unsigned* ticket) {
  Share<ACCESS, ITEMS, false, CACHE, T> share(in, n);
  share.template add_all<RUNS>([&](unsigned value, unsigned times) {
    if (value < bins) atomicAdd((MERGE == Merge::atomic ? out : totals) + value, static_cast<C>(times));
  });
  finish<MERGE>(out, totals, ticket, bins);
}

// ---- The second pass ----

// A block adds 32 bins up: 16 rows of threads take a share of the partial counts each.
template <typename C>
__global__ void __launch_bounds__(512)
    add_partials(C* out, const unsigned* partials, long long bins, long long blocks) {
  __shared__ C share[16][32];
  const long long bin = blockIdx.x * 32ll + threadIdx.x;
  C sum = 0;
#pragma unroll 4
  for (long long block = threadIdx.y; block < blocks; block += 16)
    if (bin < bins) sum += partials[block * bins + bin];
  share[threadIdx.y][threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.y != 0 || bin >= bins) return;
  for (int row = 1; row < 16; ++row) sum += share[row][threadIdx.x];
  out[bin] = sum;
}

// The reference: one atomic for each element.
template <typename T, typename C>
__global__ void histogram_reference(C* out, const T* in, long long n, long long bins) {
  for (long long i = blockIdx.x * 256ll + threadIdx.x; i < n; i += 1024 * 256) {
    const long long value = static_cast<long long>(in[i]);
    if (value >= 0 && value < bins) atomicAdd(out + value, static_cast<C>(1));
  }
}
