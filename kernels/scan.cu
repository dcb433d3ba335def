/*attune
[kernel]
name = "scan"
summary = "out[i] = in[0] + ... + in[i], or of what precedes in[i]; or their minimum or maximum"
# Sums are formed in a fixed order (below). Of a zero that look_back finds to be the minimum, the sign may vary.
deterministic = "OP == 'Op::sum' || T in ['int32', 'int64'] || ALGORITHM != 'Algorithm::look_back'"
[problem]
n = { size = 268435456, host = 262144 }
T = ["float", "double", "half", "bfloat16", "int32", "int64"]
OP = { choice = ["Op::sum", "Op::min", "Op::max"] }
KIND = { choice = ["Kind::inclusive", "Kind::exclusive"] }
[parameters]
ALGORITHM = ["Algorithm::ahead", "Algorithm::look_back", "Algorithm::two_pass"]
BLOCK = [256, 128, 192, 384, 512, 1024]        # threads that scan; `ahead` has other warps besides
ITEMS = [8, 16, 12, 10, 6, 4, 2]               # packs of a thread per tile
VECTOR = [4, 2, 1, 8]                          # elements per pack, which is one access
CACHE = ["Cache::plain", "Cache::streaming"]   # of the array's accesses
BLOCKS_PER_SM = [1, 2, 4, 8]                   # launch only; look_back has a block for each tile
# Of `ahead` alone:
STAGES = [6, 1, 2, 3, 4, 8]                    # tiles in shared memory
DISTANCE = [3, 0, 1, 2]                        # how many further tiles are added up before one is scanned
LOOKERS = [1, 2, 3]                            # warps that look back, each for every such tile
GROUPS = [8, 2, 4]                             # groups of 32 tiles that are read at once
DELAY = [0, 200]                               # nanoseconds between two looks
[values]
look_back = "ALGORITHM == 'Algorithm::look_back'"
ahead = "ALGORITHM == 'Algorithm::ahead'"
two_pass = "ALGORITHM == 'Algorithm::two_pass'"
tile = "BLOCK * ITEMS * VECTOR"
tiles = "ceil_div(n, tile)"
blocks = "look_back ? tiles : min(tiles, BLOCKS_PER_SM * device.multiprocessors)"
words = "sizeof(T) == 8 ? 2 : 1"               # of a value between blocks
[restrictions]
rules = [
    "VECTOR * sizeof(T) <= 16",                # the widest access
    "ITEMS * VECTOR * sizeof(T) >= 32",
    # A thread's part of a tile lies in registers. With `ahead` it is four packs.
    "ahead || (ITEMS * VECTOR * sizeof(T) <= 192 && ITEMS <= 12 && tile * sizeof(T) <= 98304)",
    "ahead || BLOCK * ITEMS <= 6144",
    "BLOCKS_PER_SM * BLOCK <= 2048",
    "BLOCKS_PER_SM == 1 || !look_back",
    "ahead || (STAGES == 6 && DISTANCE == 3 && LOOKERS == 1 && GROUPS == 8 && DELAY == 0)",
    "DISTANCE < STAGES && LOOKERS <= STAGES",
    "!ahead || ITEMS % 4 == 0 || ITEMS < 4",
    "!ahead || device.compute_capability >= 90 || device.kind == 'host'",
    # Blocks that would not run at once.
    """!ahead || BLOCKS_PER_SM * (STAGES * (tile * sizeof(T) + 640) + device.shared_reserved) \
      <= device.shared_per_multiprocessor""",
    "!ahead || BLOCKS_PER_SM * STAGES * tile * sizeof(T) >= 98304",  # bytes in flight
]
[[launch]]
entry = "scan_ahead<T, OP, KIND, BLOCK, ITEMS, VECTOR, CACHE, STAGES, DISTANCE, LOOKERS, GROUPS, DELAY>"
when = "ahead"
grid = ["blocks"]
block = ["BLOCK + 64 + 32 * LOOKERS"]
shared = "STAGES * tile * sizeof(T)"
arguments = ["out", "in", "n", "tickets", "sums"]
[[launch]]
entry = "scan_look_back<T, OP, KIND, BLOCK, ITEMS, VECTOR, CACHE>"
when = "look_back"
grid = ["blocks"]
block = ["BLOCK"]
arguments = ["out", "in", "n", "tickets", "sums", "prefixes"]
[[launch]]
entry = "sum_chunks<T, OP, BLOCK, ITEMS, VECTOR>"
when = "two_pass"
grid = ["blocks"]
block = ["BLOCK"]
arguments = ["in", "n", "sums"]
[[launch]]
entry = "scan_chunks<T, OP, KIND, BLOCK, ITEMS, VECTOR, CACHE>"
when = "two_pass"
grid = ["blocks"]
block = ["BLOCK"]
arguments = ["out", "in", "n", "sums"]
[arguments]
out = { type = "T", size = "n", role = "out" }
in = { type = "T", size = "n", role = "in" }   # integers over their full range: sums wrap
n = { type = "int64" }
tickets = { type = "uint64", size = "1", role = "scratch" }
# An array that begins off a pack's boundary may have a tile more.
sums = { type = "uint64", size = "words * (tiles + 1)", role = "scratch" }
prefixes = { type = "uint64", size = "words * (tiles / 32 + 2)", role = "scratch" }
reference_sums = { type = "uint64", size = "16384", role = "scratch" }
[[reference]]
entry = "scan_reference_sums<T, OP>"
grid = ["64"]
block = ["256"]
arguments = ["reference_sums", "in", "n"]
[[reference]]
entry = "scan_reference_prefixes<T, OP>"
grid = ["1"]
block = ["1"]
arguments = ["reference_sums"]
[[reference]]
entry = "scan_reference<T, OP, KIND>"
grid = ["64"]
block = ["256"]
arguments = ["out", "in", "n", "reference_sums"]
[check]
# A serial chain of k additions in a sum of n numbers out of uniform(-1, 1) ends up with a rounding error of standard
# deviation 0.12 epsilon sqrt(n k), as partial sums walk like sqrt(i / 3) and each is rounded. The chains: groups of 32
# tiles (n / 16384 for the smallest), a block's tiles in two passes (n / 4096 on eight multiprocessors). Six deviations,
# and 8 for the trees: 0.5 at n = 2^28. A lost element makes 0.5 on the average in all results after it. The reference adds
# in double, in chains of 16384 and of n / 16384: its own rounding counts where T is double.
absolute = """OP != 'Op::sum' || T in ['int32', 'int64'] ? 0 : (T == 'half' ? epsilon(T) / 8192 : \
  T == 'bfloat16' ? epsilon(T) / 65536 : epsilon(T)) * sqrt(n) * (8 + sqrt(n / 4096) \
  + (T == 'double' ? sqrt(16384 + n / 16384) : 0))"""
relative = "OP == 'Op::sum' && T in ['half', 'bfloat16'] ? epsilon(T) : 0"  # they add in float and are rounded once
allow_nonfinite = true                         # the minimum of no element is infinite
[metrics]
bytes = "2 * n * sizeof(T)"
flops = "n"
[[ladder]]
name = "passes"
source = "D. Merrill and M. Garland, Single-pass Parallel Prefix Scan with Decoupled Look-back (2016), and what came after"
problems = ["n=2**22 T=float", "n=2**28 T=float"]
steps = [
    { name = "reduce, then scan", configuration = """ALGORITHM=Algorithm::two_pass BLOCK=256 ITEMS=4 VECTOR=4 \
      BLOCKS_PER_SM=4 STAGES=6 DISTANCE=3 LOOKERS=1 GROUPS=8 DELAY=0""" },
    { name = "one pass that looks back", configuration = """ALGORITHM=Algorithm::look_back BLOCK=256 ITEMS=4 VECTOR=4 \
      BLOCKS_PER_SM=1 STAGES=6 DISTANCE=3 LOOKERS=1 GROUPS=8 DELAY=0""" },
    { name = "warps with one task each", configuration = """ALGORITHM=Algorithm::ahead BLOCK=256 ITEMS=8 VECTOR=4 \
      BLOCKS_PER_SM=1 STAGES=6 DISTANCE=0 LOOKERS=1 GROUPS=2 DELAY=0""" },
    { name = "eight groups at a look", configuration = """ALGORITHM=Algorithm::ahead BLOCK=256 ITEMS=8 VECTOR=4 \
      BLOCKS_PER_SM=1 STAGES=6 DISTANCE=0 LOOKERS=1 GROUPS=8 DELAY=0""" },
    { name = "sums three tiles ahead", configuration = """ALGORITHM=Algorithm::ahead BLOCK=256 ITEMS=8 VECTOR=4 \
      BLOCKS_PER_SM=1 STAGES=6 DISTANCE=3 LOOKERS=1 GROUPS=8 DELAY=0""" },
]
*/
#include "attune.cuh"
#include "attune_async.cuh"
#include "attune_operators.cuh"

using attune::Cache;
using attune::Op;
using attune::Operator;
using attune::Pack;
using attune::Wide;

// One pass over the array, after D. Merrill and M. Garland, Single-pass Parallel Prefix Scan with Decoupled Look-back
// (NVIDIA, 2016). A block publishes the sum of its tile, then finds what precedes it in what others have published.
//
// Results repeat, also of floating-point sums. In the paper a block adds up whatever it finds, so that the order of the
// additions depends on timing. Here 32 tiles make a group. The sum of a group is one tree of shuffles. The prefix of a
// group is the prefix of the group before, plus that group's sum. A tile's prefix is its group's prefix, plus a tree
// over the tiles before it in the group. Each is the same expression, whichever block computes it, and whenever.
//
// What is published is one 64-bit word: 32 bits of the value, and the epoch, which is the number of the launch. A word
// is read and written at once, so that value and epoch belong together. A value of 8 bytes takes two words, each with
// half of it and the epoch: it is there when both are. So nothing has to be set before a launch. Each launch writes
// every word that it reads, so a word holds the last epoch or this one, and the epoch may wrap. It starts at 1, scratch
// memory at 0.
//
// Tiles are given out by tickets, in the order in which blocks ask. A block waits for tiles of earlier tickets alone,
// which belong to blocks that run. So it never waits for one that has yet to start.
//
// On an H200, 2^28 floats: `ahead` reaches 0.97 of the copy rate, `look_back` 0.74, and `two_pass` 0.63. What limits
// them is waiting, not bytes: look_back without its look reaches 0.97 too. So sums are published three tiles early. A
// block that falls behind has more tiles to look at. With one group at a time it fell further behind, and a launch took
// 3 ms.

/// ahead: tiles come into shared memory by bulk copies, ahead of the warps that scan. Blocks stay and take many tiles.
/// look_back: a block for each tile, which lies in registers. two_pass: the sums of chunks of tiles first. It reads
/// twice, which pays where the array stays in the L2 cache.
enum class Algorithm { ahead, look_back, two_pass };

/// Does out[i] include in[i]?
enum class Kind { inclusive, exclusive };

using Word = unsigned long long;
constexpr unsigned all_lanes = 0xffffffffu;

__device__ __forceinline__ int lane_index() { return static_cast<int>(threadIdx.x) % 32; }

// ---- Between blocks ----

template <typename V>
constexpr int words_of = sizeof(V) / 4;

template <typename V>
__device__ __forceinline__ void publish(Word* cells, long long index, V value, unsigned epoch) {
  volatile Word* const words = cells + index * words_of<V>;
  const unsigned* const bits = reinterpret_cast<const unsigned*>(&value);
#pragma unroll
  for (int i = 0; i < words_of<V>; ++i) words[i] = static_cast<Word>(epoch) << 32 | bits[i];
}

// Returns whether the value is there. Leaves any bits in it where it is not.
template <typename V>
__device__ __forceinline__ bool take(const Word* cells, long long index, unsigned epoch, V& value) {
  const volatile Word* const words = cells + index * words_of<V>;
  unsigned* const bits = reinterpret_cast<unsigned*>(&value);
  bool there = true;
#pragma unroll
  for (int i = 0; i < words_of<V>; ++i) {
    const Word word = words[i];
    bits[i] = static_cast<unsigned>(word);
    there = there && static_cast<unsigned>(word >> 32) == epoch;
  }
  return there;
}

// Returns each lane's value once all are there. A lane that wants none says that its own is.
template <typename O, int DELAY, typename V>
__device__ __forceinline__ V wait_for(const Word* sums, long long index, unsigned epoch, V value, bool there) {
  while (!__all_sync(all_lanes, there)) {
    if constexpr (DELAY > 0) __nanosleep(DELAY);
    if (!there) there = take(sums, index, epoch, value);
  }
  return value;
}

struct Ticket {
  unsigned number, epoch;
};

// Number and epoch are halves of one word. The last ticket of a launch begins the next epoch.
__device__ __forceinline__ Ticket take_ticket(Word* tickets, unsigned last) {
  const Word word = atomicAdd(tickets, Word{1});
  const unsigned number = static_cast<unsigned>(word);
  if (number == last) atomicAdd(tickets, (Word{1} << 32) - (static_cast<Word>(last) + 1));
  return {number, static_cast<unsigned>(word >> 32) + 1};
}

// ---- In a warp ----

template <typename O, typename V>
__device__ __forceinline__ V warp_inclusive(V value) {
#pragma unroll
  for (int distance = 1; distance < 32; distance *= 2) {
    const V before = __shfl_up_sync(all_lanes, value, distance);
    if (lane_index() >= distance) value = O::combine(before, value);
  }
  return value;
}

// What precedes each lane, of the inclusive scan.
template <typename O, typename V>
__device__ __forceinline__ V shift_up(V inclusive) {
  const V before = __shfl_up_sync(all_lanes, inclusive, 1);
  return lane_index() == 0 ? O::identity() : before;
}

// In every lane: the total of the warp.
template <typename O, typename V>
__device__ __forceinline__ V warp_total(V value) {
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2)
    value = O::combine(value, __shfl_xor_sync(all_lanes, value, distance));
  return value;
}

// ---- A segment: neighbours that one warp scans. Each item of its threads is a row of 32 packs. ----

// The array, counted from the last boundary of a pack that is not behind `in`: elements begin to end exist. Tiles begin
// at such boundaries, wherever an application's array begins.
template <typename T>
struct Aligned {
  const T* in;
  T* out;
  long long begin, end;
};

template <int VECTOR, typename T>
__device__ __forceinline__ Aligned<T> align(T* out, const T* in, long long n) {
  const int begin = static_cast<int>(reinterpret_cast<unsigned long long>(in) / sizeof(T) % VECTOR);
  return {in - begin, out - begin, begin, begin + n};
}

template <typename T>
__device__ __forceinline__ bool whole(const Aligned<T>& a, long long first, int count) {
  return first >= a.begin && first + count <= a.end;
}

template <typename O, Cache CACHE, int ITEMS, int VECTOR, typename T>
__device__ __forceinline__ void load_segment(Pack<T, VECTOR> (&values)[ITEMS], const Aligned<T>& a, long long first) {
  if (whole(a, first, 32 * ITEMS * VECTOR)) {
    const auto* packs = reinterpret_cast<const Pack<T, VECTOR>*>(a.in + first) + lane_index();
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) values[i] = attune::load<CACHE>(packs + i * 32);
  } else {
#pragma unroll
    for (int i = 0; i < ITEMS * VECTOR; ++i) {
      const long long at = first + (i / VECTOR * 32 + lane_index()) * VECTOR + i % VECTOR;
      values[i / VECTOR].element[i % VECTOR] = at >= a.begin && at < a.end ? a.in[at] : O::to_element(O::identity());
    }
  }
}

template <typename O, typename T, int VECTOR>
__device__ __forceinline__ auto pack_total(const Pack<T, VECTOR>& pack) {
  auto total = O::from(pack.element[0]);
#pragma unroll
  for (int j = 1; j < VECTOR; ++j) total = O::combine(total, O::from(pack.element[j]));
  return total;
}

// Sets what precedes each pack within the segment. Returns the segment's total.
template <typename O, typename V, typename T, int ITEMS, int VECTOR>
__device__ __forceinline__ V scan_packs(V (&before)[ITEMS], const Pack<T, VECTOR> (&values)[ITEMS]) {
  V carry = O::identity();
#pragma unroll
  for (int i = 0; i < ITEMS; ++i) {
    const V inclusive = warp_inclusive<O>(pack_total<O>(values[i]));
    before[i] = O::combine(carry, shift_up<O>(inclusive));
    carry = O::combine(carry, static_cast<V>(__shfl_sync(all_lanes, inclusive, 31)));
  }
  return carry;
}

template <typename O, Kind KIND, typename V, typename T, int VECTOR>
__device__ __forceinline__ void scan_pack(Pack<T, VECTOR>& pack, V running) {
#pragma unroll
  for (int j = 0; j < VECTOR; ++j) {
    const V next = O::combine(running, O::from(pack.element[j]));
    pack.element[j] = O::to_element(KIND == Kind::inclusive ? next : running);
    running = next;
  }
}

// Scans the packs, given what precedes the segment, and writes them. An array `out` that begins at another boundary
// than `in` is written element by element.
template <typename O, Kind KIND, Cache CACHE, typename V, typename T, int ITEMS, int VECTOR>
__device__ __forceinline__ void store_segment(const Aligned<T>& a, long long first, Pack<T, VECTOR> (&values)[ITEMS],
                                              const V (&before)[ITEMS], V offset) {
  using P = Pack<T, VECTOR>;
#pragma unroll
  for (int i = 0; i < ITEMS; ++i) scan_pack<O, KIND>(values[i], O::combine(offset, before[i]));
  if (whole(a, first, 32 * ITEMS * VECTOR) && attune::aligned<P>(a.out + first)) {
    P* const packs = reinterpret_cast<P*>(a.out + first) + lane_index();
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) attune::store<CACHE>(packs + i * 32, values[i]);
  } else {
#pragma unroll
    for (int i = 0; i < ITEMS * VECTOR; ++i) {
      const long long at = first + (i / VECTOR * 32 + lane_index()) * VECTOR + i % VECTOR;
      if (at >= a.begin && at < a.end) a.out[at] = values[i / VECTOR].element[i % VECTOR];
    }
  }
}

// ---- look_back ----

// Returns the prefix of a group of tiles: from the nearest earlier group whose prefix is there, and the sums of the
// groups between. One warp calls this.
template <typename O, typename V>
__device__ __forceinline__ V group_prefix(const Word* sums, const Word* prefixes, long long group, unsigned epoch) {
  const int lane = lane_index();
  V kept = O::identity();  // in lane i: the sum of group - 1 - i
  for (int steps = 0;;) {
    const long long next = group - steps - 1;
    const bool adds = steps < 31 && next >= 0;
    V sum = O::identity();  // read beside the prefix, which may not be there
    const bool there = !adds || take(sums, next * 32 + lane, epoch, sum);
    V known = O::identity();
    const bool is_known =
        lane == group || (lane < group && lane <= steps && take(prefixes, group - lane, epoch, known));
    const int at = __ffs(static_cast<int>(__ballot_sync(all_lanes, is_known))) - 1;
    if (at >= 0 && at <= steps) {
      V prefix = __shfl_sync(all_lanes, known, at);
      for (int i = at - 1; i >= 0; --i) prefix = O::combine(prefix, static_cast<V>(__shfl_sync(all_lanes, kept, i)));
      return prefix;
    }
    if (!adds) continue;
    const V total = warp_total<O>(wait_for<O, 0>(sums, next * 32 + lane, epoch, sum, there));
    if (lane == steps) kept = total;
    ++steps;
  }
}

// Publishes the tile's sum. Returns its prefix. The last tile of a group publishes the next group's. One warp calls
// this.
template <typename O, typename V>
__device__ __forceinline__ V look_back(Word* sums, Word* prefixes, long long tile, unsigned epoch, V own) {
  const int lane = lane_index(), position = static_cast<int>(tile % 32);
  const long long group = tile / 32;
  if (lane == 0) publish(sums, tile, own, epoch);
  V near = O::identity();
  const bool there = lane >= position || take(sums, group * 32 + lane, epoch, near);
  const V prefix = group_prefix<O, V>(sums, prefixes, group, epoch);
  near = wait_for<O, 0>(sums, group * 32 + lane, epoch, near, there);
  if (position == 31) {
    const V next = O::combine(prefix, warp_total<O>(lane == 31 ? own : near));
    if (lane == 0) publish(prefixes, group + 1, next, epoch);
  }
  return O::combine(prefix, warp_total<O>(near));
}

template <typename T, Op OP, Kind KIND, int BLOCK, int ITEMS, int VECTOR, Cache CACHE>
__global__ void __launch_bounds__(BLOCK, 1)
    scan_look_back(T* out, const T* in, long long n, Word* tickets, Word* sums, Word* prefixes) {
  using O = Operator<OP, T>;
  using V = typename O::Value;
  constexpr int WARPS = BLOCK / 32, SEGMENT = 32 * ITEMS * VECTOR, TILE = WARPS * SEGMENT;
  __shared__ Ticket ticket;
  __shared__ V offsets[32];
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = lane_index();
  if (threadIdx.x == 0) ticket = take_ticket(tickets, gridDim.x - 1);
  const Aligned<T> a = align<VECTOR>(out, in, n);
  __syncthreads();
  // The block of the last ticket takes the tile that an array off a boundary may have more.
  long long tile = ticket.number;
  do {
    const long long first = tile * TILE + warp * SEGMENT;
    Pack<T, VECTOR> values[ITEMS];
    load_segment<O, CACHE>(values, a, first);
    V before[ITEMS];
    const V total = scan_packs<O>(before, values);
    if (lane == 31) offsets[warp] = total;
    __syncthreads();
    if (warp == 0) {
      const V inclusive = warp_inclusive<O>(lane < WARPS ? offsets[lane] : O::identity());
      const V own = __shfl_sync(all_lanes, inclusive, 31);
      const V prefix = look_back<O>(sums, prefixes, tile, ticket.epoch, own);
      offsets[lane] = O::combine(prefix, shift_up<O>(inclusive));
    }
    __syncthreads();
    store_segment<O, KIND, CACHE>(a, first, values, before, offsets[warp]);
    __syncthreads();
    ++tile;
  } while (tile >= gridDim.x && tile * TILE < a.end);
}

// ---- ahead: a warp loads, one publishes sums, LOOKERS look back, and the others add up and scan ----

// What the warps of a block know of a tile in shared memory.
template <typename V>
struct Stage {
  attune::Barrier loaded, summed, known, free;
  long long tile;  // -1: there is no more
  unsigned epoch;
  V prefix;
  V totals[16], before[16];  // of the warps that scan
};

// Fills a tile. Whole packs come in bulk. What is left at the ends of the array is copied by the warp.
template <typename O, int TILE, typename T>
__device__ __forceinline__ void load_tile(T* to, attune::Barrier& loaded, const Aligned<T>& a, long long first) {
  constexpr int PACK = 16 / static_cast<int>(sizeof(T));
  const int begin = first < a.begin ? PACK : 0;
  const int end = first + TILE <= a.end ? TILE : static_cast<int>(a.end - first) / PACK * PACK;
  if (begin > 0 || end < TILE) {
    for (int i = lane_index(); i < begin + TILE - end; i += 32) {
      const int at = i < begin ? i : end - begin + i;
      const bool exists = first + at >= a.begin && first + at < a.end;
      to[at] = exists ? a.in[first + at] : O::to_element(O::identity());
    }
    attune::fence_shared_for_bulk();  // a bulk copy will overwrite it
    __syncwarp();
  }
  if (lane_index() != 0) return;
  const unsigned bytes = end > begin ? static_cast<unsigned>((end - begin) * sizeof(T)) : 0;
  attune::arrive_expecting(loaded, bytes);
  if (bytes > 0) attune::load_bulk(to + begin, a.in + first + begin, bytes, loaded);
}

template <typename T>
__device__ __forceinline__ unsigned tiles_of(const Aligned<T>& a, int tile) {
  return static_cast<unsigned>((a.end + tile - 1) / tile);
}

// Each warp that looks back has an end of its own. Lane 0 has the first ticket.
template <typename O, int TILE, int STAGES, int LOOKERS, typename T, typename V>
__device__ __forceinline__ void load_tiles(Stage<V>* stages, T* tiles, const Aligned<T>& a, Word* tickets,
                                           Ticket next) {
  const unsigned needed = tiles_of(a, TILE), last = needed + gridDim.x - 1;
  const int lane = lane_index();
  int ends = 0;
  for (unsigned turn = 0; ends < LOOKERS; ++turn) {
    Stage<V>& s = stages[turn % STAGES];
    const unsigned number = __shfl_sync(all_lanes, next.number, 0);
    const bool over = number >= needed;
    attune::wait(s.free, turn / STAGES % 2 ^ 1);
    if (lane == 0) {
      s.tile = over ? -1 : static_cast<long long>(number);
      s.epoch = next.epoch;
      if (over) attune::arrive(s.loaded);
    }
    if (over) {
      ++ends;
    } else {
      load_tile<O, TILE>(tiles + turn % STAGES * TILE, s.loaded, a, static_cast<long long>(number) * TILE);
      if (lane == 0) next = take_ticket(tickets, last);
    }
  }
}

template <typename O, int STAGES, int WARPS, typename V>
__device__ __forceinline__ void publish_sums(Stage<V>* stages, Word* sums) {
  const int lane = lane_index();
  for (unsigned turn = 0;; ++turn) {
    Stage<V>& s = stages[turn % STAGES];
    attune::wait(s.loaded, turn / STAGES % 2);
    if (s.tile < 0) return;
    attune::wait(s.summed, turn / STAGES % 2);
    const V inclusive = warp_inclusive<O>(lane < WARPS ? s.totals[lane] : O::identity());
    if (lane == 31) publish(sums, s.tile, inclusive, s.epoch);
    const V before = shift_up<O>(inclusive);
    if (lane < WARPS) s.before[lane] = before;
    __syncwarp();
    if (lane == 0) attune::arrive(s.known);
  }
}

// Moves `group` to the group of `tile`, and `prefix` with it. Returns the total of the tiles before it in its group.
template <typename O, int GROUPS, int DELAY, typename V>
__device__ __forceinline__ V advance(V& prefix, long long& group, long long tile, const Word* sums, unsigned epoch) {
  const int lane = lane_index();
  for (;;) {
    V sum[GROUPS];
    bool there[GROUPS];
#pragma unroll
    for (int g = 0; g < GROUPS; ++g) {
      const long long at = (group + g) * 32 + lane;
      sum[g] = O::identity();
      there[g] = at >= tile || take(sums, at, epoch, sum[g]);
    }
#pragma unroll
    for (int g = 0; g < GROUPS; ++g)
      sum[g] = warp_total<O>(wait_for<O, DELAY>(sums, (group + g) * 32 + lane, epoch, sum[g], there[g]));
#pragma unroll
    for (int g = 0; g < GROUPS; ++g) {
      if (tile < (group + 1) * 32) return sum[g];
      prefix = O::combine(prefix, sum[g]);
      ++group;
    }
  }
}

template <typename O, int STAGES, int LOOKERS, int GROUPS, int DELAY, typename V>
__device__ __forceinline__ void look_back_ahead(Stage<V>* stages, const Word* sums, int looker) {
  V prefix = O::identity();  // of `group`
  long long group = 0;
  for (unsigned turn = looker;; turn += LOOKERS) {
    Stage<V>& s = stages[turn % STAGES];
    attune::wait(s.loaded, turn / STAGES % 2);
    const long long tile = s.tile;
    if (tile < 0) return;
    const V near = advance<O, GROUPS, DELAY>(prefix, group, tile, sums, s.epoch);
    __syncwarp();  // all lanes have read the stage
    if (lane_index() == 0) {
      s.prefix = O::combine(prefix, near);
      attune::arrive(s.known);
    }
  }
}

// Adds up a warp's segment of a tile. Returns false where there is no more tile.
template <typename O, int ITEMS, typename P, typename V>
__device__ __forceinline__ bool add_up(Stage<V>& s, unsigned parity, const P* packs, int warp) {
  attune::wait(s.loaded, parity);
  if (s.tile < 0) return false;
  V total = O::identity();
#pragma unroll(ITEMS < 4 ? ITEMS : 4)
  for (int i = 0; i < ITEMS; ++i) total = O::combine(total, pack_total<O>(packs[i * 32]));
  total = warp_total<O>(total);
  if (lane_index() == 0) {
    s.totals[warp] = total;
    attune::arrive(s.summed);
  }
  return true;
}

template <typename O, Kind KIND, Cache CACHE, int ITEMS, typename T, int VECTOR, typename V>
__device__ __forceinline__ void scan_shared(const Pack<T, VECTOR>* packs, const Aligned<T>& a, long long first,
                                            V offset) {
  constexpr int STEP = ITEMS < 4 ? ITEMS : 4;  // packs in registers at a time
#pragma unroll 1
  for (int step = 0; step < ITEMS; step += STEP) {
    Pack<T, VECTOR> values[STEP];
#pragma unroll
    for (int i = 0; i < STEP; ++i) values[i] = packs[(step + i) * 32];
    V before[STEP];
    const V total = scan_packs<O>(before, values);
    store_segment<O, KIND, CACHE>(a, first + step * 32 * VECTOR, values, before, offset);
    offset = O::combine(offset, total);
  }
}

template <typename O, Kind KIND, Cache CACHE, int ITEMS, int VECTOR, int TILE, int STAGES, int DISTANCE, typename T,
          typename V>
__device__ __forceinline__ void scan_tiles(Stage<V>* stages, const T* tiles, const Aligned<T>& a, int warp) {
  constexpr int SEGMENT = 32 * ITEMS * VECTOR;
  const auto packs_of = [&](unsigned turn) {
    const T* const segment = tiles + turn % STAGES * TILE + warp * SEGMENT;
    return reinterpret_cast<const Pack<T, VECTOR>*>(segment) + lane_index();
  };
  bool more = true;
  for (unsigned turn = 0, added = 0;; ++turn) {
    while (more && added <= turn + DISTANCE) {
      more = add_up<O, ITEMS>(stages[added % STAGES], added / STAGES % 2, packs_of(added), warp);
      if (more) ++added;
    }
    if (turn == added) return;
    Stage<V>& s = stages[turn % STAGES];
    attune::wait(s.known, turn / STAGES % 2);
    const V offset = O::combine(s.prefix, s.before[warp]);
    scan_shared<O, KIND, CACHE, ITEMS>(packs_of(turn), a, s.tile * TILE + warp * SEGMENT, offset);
    __syncwarp();
    if (lane_index() == 0) attune::arrive(s.free);
  }
}

template <typename T, Op OP, Kind KIND, int BLOCK, int ITEMS, int VECTOR, Cache CACHE, int STAGES, int DISTANCE,
          int LOOKERS, int GROUPS, int DELAY>
__global__ void __launch_bounds__(BLOCK + 64 + 32 * LOOKERS, 1)
    scan_ahead(T* out, const T* in, long long n, Word* tickets, Word* sums) {
  using O = Operator<OP, T>;
  using V = typename O::Value;
  constexpr int WARPS = BLOCK / 32, TILE = BLOCK * ITEMS * VECTOR;
  extern __shared__ __align__(128) unsigned char memory[];
  __shared__ Stage<V> stages[STAGES];
  const Aligned<T> a = align<16 / sizeof(T)>(out, in, n);
  Ticket ticket{};
  if (threadIdx.x == BLOCK) ticket = take_ticket(tickets, tiles_of(a, TILE) + gridDim.x - 1);
  if (threadIdx.x == 0) {
    for (int i = 0; i < STAGES; ++i) {
      attune::init(stages[i].loaded, 1);
      attune::init(stages[i].summed, WARPS);
      attune::init(stages[i].known, 2);
      attune::init(stages[i].free, WARPS);
    }
    attune::fence_barriers();
  }
  __syncthreads();
  T* const tiles = reinterpret_cast<T*>(memory);
  const int warp = static_cast<int>(threadIdx.x) / 32;
  if (warp < WARPS) {
    scan_tiles<O, KIND, CACHE, ITEMS, VECTOR, TILE, STAGES, DISTANCE>(stages, tiles, a, warp);
  } else if (warp == WARPS) {
    load_tiles<O, TILE, STAGES, LOOKERS>(stages, tiles, a, tickets, ticket);
  } else if (warp == WARPS + 1) {
    publish_sums<O, STAGES, WARPS>(stages, sums);
  } else {
    look_back_ahead<O, STAGES, LOOKERS, GROUPS, DELAY>(stages, sums, warp - WARPS - 2);
  }
}

// ---- two_pass ----

// The tiles of this block, of `tile` elements each.
struct Chunk {
  long long begin, end;
};

__device__ __forceinline__ Chunk chunk_of_block(long long elements, int tile) {
  const long long tiles = (elements + tile - 1) / tile, share = (tiles + gridDim.x - 1) / gridDim.x;
  const long long begin = blockIdx.x * share, end = begin + share;
  return {begin, end < tiles ? end : tiles};
}

template <typename O, typename V>
__device__ __forceinline__ V block_total(V value, V* cells, int warps) {
  value = warp_total<O>(value);
  if (lane_index() == 0) cells[threadIdx.x / 32] = value;
  __syncthreads();
  return warp_total<O>(lane_index() < warps ? cells[lane_index()] : O::identity());
}

template <typename T, Op OP, int BLOCK, int ITEMS, int VECTOR>
__global__ void __launch_bounds__(BLOCK, 1) sum_chunks(const T* in, long long n, Word* sums) {
  using O = Operator<OP, T>;
  using V = typename O::Value;
  constexpr int SEGMENT = 32 * ITEMS * VECTOR, TILE = BLOCK * ITEMS * VECTOR;
  __shared__ V cells[32];
  const Aligned<T> a = align<VECTOR>(static_cast<T*>(nullptr), in, n);
  const Chunk chunk = chunk_of_block(a.end, TILE);
  V total = O::identity();
#pragma unroll 1
  for (long long tile = chunk.begin; tile < chunk.end; ++tile) {
    Pack<T, VECTOR> values[ITEMS];
    load_segment<O, Cache::plain>(values, a, tile * TILE + threadIdx.x / 32 * SEGMENT);
    V sum = pack_total<O>(values[0]);
#pragma unroll
    for (int i = 1; i < ITEMS; ++i) sum = O::combine(sum, pack_total<O>(values[i]));
    total = O::combine(total, sum);
  }
  total = block_total<O>(total, cells, BLOCK / 32);
  if (threadIdx.x == 0) reinterpret_cast<V*>(sums)[blockIdx.x] = total;
}

template <typename T, Op OP, Kind KIND, int BLOCK, int ITEMS, int VECTOR, Cache CACHE>
__global__ void __launch_bounds__(BLOCK, 1) scan_chunks(T* out, const T* in, long long n, const Word* sums) {
  using O = Operator<OP, T>;
  using V = typename O::Value;
  constexpr int WARPS = BLOCK / 32, SEGMENT = 32 * ITEMS * VECTOR, TILE = WARPS * SEGMENT;
  __shared__ V cells[3][32];
  const Aligned<T> a = align<VECTOR>(out, in, n);
  const Chunk chunk = chunk_of_block(a.end, TILE);
  V prefix = O::identity();
#pragma unroll 4
  for (unsigned i = threadIdx.x; i < blockIdx.x; i += BLOCK)
    prefix = O::combine(prefix, reinterpret_cast<const V*>(sums)[i]);
  prefix = block_total<O>(prefix, cells[2], WARPS);
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = lane_index();
#pragma unroll 1
  for (long long tile = chunk.begin; tile < chunk.end; ++tile) {
    const long long first = tile * TILE + warp * SEGMENT;
    V* const totals = cells[tile % 2];  // in turns: one barrier is enough
    Pack<T, VECTOR> values[ITEMS];
    load_segment<O, CACHE>(values, a, first);
    V before[ITEMS];
    const V total = scan_packs<O>(before, values);
    if (lane == 31) totals[warp] = total;
    __syncthreads();
    const V inclusive = warp_inclusive<O>(lane < WARPS ? totals[lane] : O::identity());
    const V preceding = __shfl_sync(all_lanes, shift_up<O>(inclusive), warp);
    store_segment<O, KIND, CACHE>(a, first, values, before, O::combine(prefix, preceding));
    prefix = O::combine(prefix, static_cast<V>(__shfl_sync(all_lanes, inclusive, 31)));
  }
}

// ---- The reference: 16384 threads, each with a share of neighbours, wider than T ----

// How the reference combines: sums in Wide<T>; minimum and maximum are exact as they are.
template <Op OP, typename T>
struct ReferenceOperator : Operator<OP, T> {};
template <typename T>
struct ReferenceOperator<Op::sum, T> {
  using Value = Wide<T>;
  __device__ static Value identity() { return Value(0); }
  __device__ static Value combine(Value a, Value b) { return a + b; }
  __device__ static Value from(T element) { return static_cast<Value>(static_cast<attune::Accumulator<T>>(element)); }
  __device__ static T to_element(Value value) { return static_cast<T>(value); }
};

constexpr int reference_threads = 16384;

template <typename T, Op OP>
__global__ void scan_reference_sums(typename ReferenceOperator<OP, T>::Value* sums, const T* in, long long n) {
  using O = ReferenceOperator<OP, T>;
  const int thread = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const long long share = (n + reference_threads - 1) / reference_threads;
  typename O::Value sum = O::identity();
  for (long long i = thread * share; i < (thread + 1) * share && i < n; ++i) sum = O::combine(sum, O::from(in[i]));
  sums[thread] = sum;
}

// In place: what precedes each thread's share.
template <typename T, Op OP>
__global__ void scan_reference_prefixes(typename ReferenceOperator<OP, T>::Value* sums) {
  using O = ReferenceOperator<OP, T>;
  typename O::Value before = O::identity();
  for (int i = 0; i < reference_threads; ++i) {
    const typename O::Value sum = sums[i];
    sums[i] = before;
    before = O::combine(before, sum);
  }
}

template <typename T, Op OP, Kind KIND>
__global__ void scan_reference(T* out, const T* in, long long n, const typename ReferenceOperator<OP, T>::Value* sums) {
  using O = ReferenceOperator<OP, T>;
  const int thread = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const long long share = (n + reference_threads - 1) / reference_threads;
  typename O::Value running = sums[thread];
  for (long long i = thread * share; i < (thread + 1) * share && i < n; ++i) {
    const typename O::Value next = O::combine(running, O::from(in[i]));
    out[i] = O::to_element(KIND == Kind::inclusive ? next : running);
    running = next;
  }
}
