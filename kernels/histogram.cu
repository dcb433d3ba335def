/*attune
[kernel]
name = "histogram"
summary = "out[b] = how many of in[0] .. in[n - 1] are b, for b = 0 to bins - 1"
[problem]
n = { size = 268435456, host = 100000 }
bins = { size = 256 }
T = ["uint8", "uint16", "int32"]
C = ["uint32", "uint64"]                       # of a counter: 32 bits wrap where a bin has 2^32 elements
DATA = { choice = ["Data::uniform", "Data::zipf", "Data::equal", "Data::wide"] }  # what to expect: it decides the time
[parameters]
METHOD = ["Method::lane", "Method::warp", "Method::block", "Method::global", "Method::tensor"]
REPLICAS = [32, 16, 8, 4, 2, 1]                # launch only: counters of a bin, neighbours in memory, with Method::lane
BLOCK = [512, 256, 128, 1024]                  # launch only
ACCESS = [16, 8, 4]                            # bytes of a load
ITEMS = [1, 2, 4]                              # loads in flight per thread; of 32 bytes with Method::tensor
RUNS = ["Runs::each", "Runs::combined"]
CACHE = ["Cache::plain", "Cache::streaming"]
MERGE = ["Merge::last_block", "Merge::atomic", "Merge::two_pass"]
BLOCKS_PER_SM = [4, 1, 2, 3, 6, 8, 12, 16]     # launch only
[values]
rows = "T == 'uint8' ? 256 : bins + 1"         # counters of a copy: one more for all that is out of range, if anything can be
lanes = "METHOD == 'Method::lane' ? REPLICAS : 1"
per_warp = "METHOD == 'Method::warp' ? rows : 0"
shared = """METHOD == 'Method::tensor' ? 1024 + BLOCK / 32 * 2368 : METHOD == 'Method::global' ? 0 \
  : rows * lanes * (per_warp > 0 ? BLOCK / 32 : 1) * 4"""
tile = "BLOCK * ITEMS * ACCESS * (METHOD == 'Method::tensor' ? 2 : 1)"
blocks = "min(ceil_div(n * sizeof(T), tile), BLOCKS_PER_SM * device.multiprocessors)"
[restrictions]
rules = [
    "ACCESS >= sizeof(T)",
    "METHOD == 'Method::lane' ? REPLICAS > 1 : REPLICAS == 1",
    # As many blocks as a multiprocessor holds, and at least 256 threads.
    "BLOCK * BLOCKS_PER_SM >= 256 && BLOCK * BLOCKS_PER_SM <= device.max_threads_per_multiprocessor",
    "shared <= device.shared_per_block && (shared + 1024) * BLOCKS_PER_SM <= device.shared_per_multiprocessor",
    # Atomics in global memory: where shared memory holds a copy at most.
    "METHOD != 'Method::global' || (bins > 4096 && MERGE != 'Merge::two_pass')",
    # The product of bits has no counterpart on the host device. From sm_100 on, it is made of products of bytes.
    """METHOD != 'Method::tensor' || (T == 'uint8' && ACCESS == 16 && BLOCK <= 512 && RUNS == 'Runs::each' \
      && device.kind == 'cuda' && device.compute_capability >= 80 && device.compute_capability < 100)""",
    "C == 'uint32' || n / blocks < 2 ** 31",   # a block counts in 32 bits
]
[[launch]]
memset = "out"
value = 0
when = "MERGE == 'Merge::atomic'"
[[launch]]
entry = "histogram<T, C, ACCESS, ITEMS, RUNS, CACHE, MERGE>"
when = "METHOD in ['Method::lane', 'Method::warp', 'Method::block']"
grid = ["blocks"]
block = ["BLOCK"]
shared = "shared"
arguments = ["out", "in", "n", "bins", "counters", "lanes_of_bin", "rows_of_warp", "totals", "partials", "ticket"]
[[launch]]
entry = "histogram_global<T, C, ACCESS, ITEMS, RUNS, CACHE, MERGE>"
when = "METHOD == 'Method::global'"
grid = ["blocks"]
block = ["BLOCK"]
arguments = ["out", "in", "n", "bins", "totals", "partials", "ticket"]
[[launch]]
entry = "histogram_tensor<C, ITEMS, CACHE, MERGE>"
when = "METHOD == 'Method::tensor'"
grid = ["blocks"]
block = ["BLOCK"]
shared = "shared"
arguments = ["out", "in", "n", "bins", "totals", "partials", "ticket"]
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
counters = { type = "int32", value = "METHOD in ['Method::global', 'Method::tensor'] ? 0 : shared / 4" }
lanes_of_bin = { type = "int32", value = "lanes" }
rows_of_warp = { type = "int32", value = "per_warp" }
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
*/
#include "attune.cuh"

using attune::Cache;
using attune::Pack;

/// What the elements are like: uniform over the bins; by Zipf's law, so that one in six of 256 is the first; all equal;
/// uniform over twice as many values as there are bins.
enum class Data { uniform, zipf, equal, wide };

/// Who shares counters in shared memory: the lanes of one residue (REPLICAS counters of a bin, one beside the other); a
/// warp; the block. Or the device shares counters in global memory. Or tensor cores count, below.
enum class Method { lane, warp, block, global, tensor };

/// Is every element counted, or are equal neighbours of a thread counted together?
enum class Runs { each, combined };

/// Who adds the blocks' counts: each block, by atomics in scratch memory, of which the last block makes the result; each
/// block, by atomics in a result set to zero; or a second kernel.
enum class Merge { last_block, atomic, two_pass };

// ---- Elements ----

// Calls add(value, how often) for every element of the packs.
template <Runs RUNS, int PACKS, typename T, int VECTOR, typename Add>
__device__ __forceinline__ void add_packs(const Pack<T, VECTOR>* packs, Add add) {
  if constexpr (RUNS == Runs::each) {
#pragma unroll
    for (int i = 0; i < PACKS * VECTOR; ++i) add(static_cast<unsigned>(packs[i / VECTOR].element[i % VECTOR]), 1u);
  } else {
    unsigned value = static_cast<unsigned>(packs[0].element[0]), times = 1;
#pragma unroll
    for (int i = 1; i < PACKS * VECTOR; ++i) {
      const unsigned next = static_cast<unsigned>(packs[i / VECTOR].element[i % VECTOR]);
      if (next != value) {
        add(value, times);
        value = next;
        times = 0;
      }
      ++times;
    }
    add(value, times);
  }
}

// Where whole packs begin in an array that is aligned for its elements only, and what is left before and behind.
template <typename P, typename T>
struct Packs {
  const P* from;
  long long count;
  int head, rest;

  __device__ __forceinline__ Packs(const T* in, long long n) {
    constexpr int VECTOR = sizeof(P) / sizeof(T);
    const int misaligned = static_cast<int>(reinterpret_cast<unsigned long long>(in) / sizeof(T) % VECTOR);
    head = (VECTOR - misaligned) % VECTOR;
    if (head > n) head = static_cast<int>(n);
    from = reinterpret_cast<const P*>(in + head);
    count = (n - head) / VECTOR;
    rest = static_cast<int>((n - head) % VECTOR);
  }
};

// Block 0 calls add(value, 1) for the elements outside whole packs.
template <typename P, typename T, typename Add>
__device__ __forceinline__ void add_edges(const Packs<P, T>& packs, const T* in, long long n, Add add) {
  const int tid = static_cast<int>(threadIdx.x);
  if (blockIdx.x != 0) return;
  if (tid < packs.head) add(static_cast<unsigned>(in[tid]), 1u);
  if (tid < packs.rest) add(static_cast<unsigned>(in[n - packs.rest + tid]), 1u);
}

// Calls add(value, how often) for all elements that this thread takes.
template <int ACCESS, int ITEMS, Runs RUNS, Cache CACHE, typename T, typename Add>
__device__ __forceinline__ void add_all(const T* in, long long n, Add add) {
  using P = Pack<T, ACCESS / sizeof(T)>;
  const Packs<P, T> packs(in, n);
  add_edges(packs, in, n, add);
  const long long block = blockDim.x;
  for (long long first = blockIdx.x * block * ITEMS + threadIdx.x; first < packs.count;
       first += gridDim.x * block * ITEMS) {
    P values[ITEMS];  // all loads are under way before the first is waited for
    if (first + (ITEMS - 1) * block < packs.count) {
#pragma unroll
      for (int item = 0; item < ITEMS; ++item) values[item] = attune::load<CACHE>(packs.from + first + item * block);
      add_packs<RUNS, ITEMS>(values, add);
    } else {
#pragma unroll 1
      for (long long i = first; i < packs.count; i += block) {
        values[0] = packs.from[i];
        add_packs<RUNS, 1>(values, add);
      }
    }
  }
}

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

// After deliver(): the block that comes last makes the result, and leaves the scratch memory zeroed for the next launch.
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

// ---- Tensor cores ----

// c += a b, where a is a 16 x 256 and b a 256 x 8 matrix of bits.
__device__ __forceinline__ void multiply_bits(int (&c)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile(
      "mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#else
  __trap();
#endif
}

// Exchanges the bits of `a` that are not in `mask` with those of `b`, SHIFT below, that are.
template <int SHIFT>
__device__ __forceinline__ void exchange_bits(unsigned& a, unsigned& b, unsigned mask) {
  const unsigned both = (a & mask) | ((b << SHIFT) & ~mask);
  b = ((a >> SHIFT) & mask) | (b & ~mask);
  a = both;
}

// 32 bytes in 8 words become 8 planes: the word k has bit k of each byte. The order of the bytes does not matter.
__device__ __forceinline__ void transpose_bits(unsigned (&word)[8]) {
#pragma unroll
  for (int i = 0; i < 4; ++i) exchange_bits<4>(word[i], word[i + 4], 0x0f0f0f0fu);
#pragma unroll
  for (int i = 0; i < 4; ++i) exchange_bits<2>(word[i / 2 * 4 + i % 2], word[i / 2 * 4 + i % 2 + 2], 0x33333333u);
#pragma unroll
  for (int i = 0; i < 8; i += 2) exchange_bits<1>(word[i], word[i + 1], 0x55555555u);
}

// In shared memory, 2368 bytes of a warp: for the lanes below 16 and those above, 18 rows of 16 words. Rows 0 to 7 and 9
// to 16 say where the low 3 bits of a nibble have each value, rows 8 and 17 are its high bit. The halves are half of all
// banks apart.
constexpr int mask_row = 16, mask_half = 18 * mask_row + 16, mask_words = 18 * 16 * 2 + 16;

__device__ __forceinline__ void store_masks(unsigned* room, int lane, const unsigned (&plane)[8]) {
  unsigned* const to = room + lane / 16 * mask_half + lane % 16;
#pragma unroll
  for (int nibble = 0; nibble < 2; ++nibble) {
    const unsigned x = plane[4 * nibble], y = plane[4 * nibble + 1], z = plane[4 * nibble + 2];
    unsigned* const row = to + nibble * 9 * mask_row;
#pragma unroll
    for (int k = 0; k < 8; ++k) row[k * mask_row] = (k & 1 ? x : ~x) & (k & 2 ? y : ~y) & (k & 4 ? z : ~z);
    row[8 * mask_row] = plane[4 * nibble + 3];
  }
}

// Adds the 1024 bytes, whose masks are in `room`, to the counts: of the high nibbles `lane / 4` and 8 more, by the low
// nibbles 2 * (lane % 4) and 1 more in `low`, 8 more in `high`. A lane takes 16 bytes of masks at a time.
__device__ __forceinline__ void multiply_masks(const unsigned* room, int lane, int (&low)[4], int (&high)[4]) {
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const unsigned* const from = room + half * mask_half + lane % 4 * 4;
    const auto masks = [&](int row) { return *reinterpret_cast<const uint4*>(from + row * mask_row); };
    const uint4 column = masks(lane / 4), column_bit = masks(8), row = masks(9 + lane / 4), row_bit = masks(17);
#pragma unroll
    for (int pair = 0; pair < 2; ++pair) {
      const unsigned r0 = pair == 0 ? row.x : row.z, r1 = pair == 0 ? row.y : row.w;
      const unsigned r0_bit = pair == 0 ? row_bit.x : row_bit.z, r1_bit = pair == 0 ? row_bit.y : row_bit.w;
      const unsigned c0 = pair == 0 ? column.x : column.z, c1 = pair == 0 ? column.y : column.w;
      const unsigned c0_bit = pair == 0 ? column_bit.x : column_bit.z, c1_bit = pair == 0 ? column_bit.y : column_bit.w;
      const unsigned rows[4] = {r0 & ~r0_bit, r0 & r0_bit, r1 & ~r1_bit, r1 & r1_bit};
      multiply_bits(low, rows, {c0 & ~c0_bit, c1 & ~c1_bit});
      multiply_bits(high, rows, {c0 & c0_bit, c1 & c1_bit});
    }
  }
}

// ---- Counters in shared memory ----

// `counters` words of shared memory: `lanes` (a power of two) for each bin, once, or for each warp if `warp_rows` is not 0.
template <typename T, typename C, int ACCESS, int ITEMS, Runs RUNS, Cache CACHE, Merge MERGE>
__global__ void __launch_bounds__(1024) histogram(C* out, const T* in, long long n, long long bins, int counters,
                                                  int lanes, int warp_rows, C* totals, unsigned* partials,
                                                  unsigned* ticket) {
  extern __shared__ uint4 shared_memory[];
  unsigned* const counter = reinterpret_cast<unsigned*>(shared_memory);
  const int tid = static_cast<int>(threadIdx.x), block = static_cast<int>(blockDim.x);
#pragma unroll 1
  for (int i = tid; i < counters / 4; i += block) shared_memory[i] = uint4{0, 0, 0, 0};
  if (tid < counters % 4) counter[counters - 1 - tid] = 0;
  __syncthreads();

  unsigned* const mine = counter + (tid & (lanes - 1)) + tid / 32 * warp_rows;
  const unsigned beyond = static_cast<unsigned>(bins);  // shared memory holds as many: fewer than 2^16
  add_all<ACCESS, ITEMS, RUNS, CACHE>(in, n, [&](unsigned value, unsigned times) {
    // A row beyond the bins takes what is out of range: a branch costs more.
    if (sizeof(T) > 1 && value > beyond) value = beyond;
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
      for (int k = 0; k < lanes; ++k) count += counter[at + ((k + tid) & (lanes - 1))];  // each lane another bank
      at += warp_rows;
    } while (warp_rows > 0 && at < counters);
    deliver<MERGE>(out, totals, partials, bins, bin, count);
  }
  // Bins that no byte can be in.
  for (long long bin = rows + tid; bin < bins; bin += block) deliver<MERGE>(out, totals, partials, bins, bin, 0);
  finish<MERGE>(out, totals, ticket, bins);
}

// ---- Counters in global memory ----

template <typename T, typename C, int ACCESS, int ITEMS, Runs RUNS, Cache CACHE, Merge MERGE>
__global__ void __launch_bounds__(1024)
    histogram_global(C* out, const T* in, long long n, long long bins, C* totals, unsigned* partials, unsigned* ticket) {
  add_all<ACCESS, ITEMS, RUNS, CACHE>(in, n, [&](unsigned value, unsigned times) {
    if (value < bins) deliver<MERGE>(out, totals, partials, bins, value, times);
  });
  finish<MERGE>(out, totals, ticket, bins);
}

// ---- Counting by tensor cores ----

// A warp's 1024 bytes at a time. Packs that are not there are zeros, which are taken off again.
template <typename C, int ITEMS, Cache CACHE, Merge MERGE>
__global__ void __launch_bounds__(512) histogram_tensor(C* out, const unsigned char* in, long long n, long long bins,
                                                        C* totals, unsigned* partials, unsigned* ticket) {
  extern __shared__ uint4 shared_memory[];
  unsigned* const counter = reinterpret_cast<unsigned*>(shared_memory);
  const int tid = static_cast<int>(threadIdx.x), block = static_cast<int>(blockDim.x), lane = tid % 32;
  unsigned* const room = counter + 256 + tid / 32 * mask_words;
  for (int i = tid; i < 256; i += block) counter[i] = 0;
  __syncthreads();
  const Packs<Pack<unsigned char, 16>, unsigned char> packs(in, n);
  add_edges(packs, in, n, [&](unsigned value, unsigned times) { atomicAdd(counter + value, times); });

  const uint4* const from = reinterpret_cast<const uint4*>(packs.from);
  int low[4] = {0, 0, 0, 0}, high[4] = {0, 0, 0, 0};
  unsigned zeros = 0;
  const long long tile = 2ll * ITEMS * block;
  for (long long first = blockIdx.x * tile; first < packs.count; first += gridDim.x * tile) {
    uint4 pack[2 * ITEMS];
#pragma unroll
    for (int i = 0; i < 2 * ITEMS; ++i) {
      const long long at = first + i * block + tid;
      const bool is_there = at < packs.count;
      pack[i] = is_there ? attune::load<CACHE>(from + at) : uint4{0, 0, 0, 0};
      zeros += is_there ? 0 : 16;
    }
#pragma unroll
    for (int i = 0; i < 2 * ITEMS; i += 2) {
      unsigned word[8] = {pack[i].x,     pack[i].y,     pack[i].z,     pack[i].w,
                          pack[i + 1].x, pack[i + 1].y, pack[i + 1].z, pack[i + 1].w};
      transpose_bits(word);
      store_masks(room, lane, word);
      __syncwarp();
      multiply_masks(room, lane, low, high);
      __syncwarp();
    }
  }

  if (zeros != 0) atomicSub(counter, zeros);
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    unsigned* const cell = counter + (lane / 4 + i / 2 * 8) * 16 + lane % 4 * 2 + i % 2;
    atomicAdd(cell, static_cast<unsigned>(low[i]));
    atomicAdd(cell + 8, static_cast<unsigned>(high[i]));
  }
  __syncthreads();
  for (long long bin = tid; bin < bins; bin += block)
    deliver<MERGE>(out, totals, partials, bins, bin, bin < 256 ? counter[bin] : 0);
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
