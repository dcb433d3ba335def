/*attune
[kernel]
name = "components"
summary = "labels[p] = 1 + the first pixel of p's connected component in a width x height image; 0 where image[p] is 0"
deterministic = true                           # labels are exact, whoever joins first
[problem]
width = { size = 4096, host = 256 }
height = { size = 4096, host = 256 }
NEIGHBOURS = { choice = ["Neighbours::four", "Neighbours::eight"] }
L = ["int32", "int64"]                         # of the labels
# While tuning: what the foreground is, and how many of 100 pixels are in it at random.
IMAGE = { choice = ["Image::random", "Image::chessboard", "Image::comb", "Image::serpentine"] }
density = { integer = 59 }
[parameters]
ALGORITHM = ["Algorithm::tiles", "Algorithm::direct"]
TILE_X = [64, 32, 128, 256]                    # a block labels a tile of TILE_X x TILE_Y pixels
TILE_Y = [64, 16, 32, 128]
BLOCK = [256, 128, 512, 1024]
STRIP = [2, 1]                                 # rows that are labelled as one
SEGMENT = [16, 8, 32]                          # pixels whose links to the strip above one thread makes
REST = ["Rest::queued", "Rest::in_place"]      # links of a run but its first one
HANDOVER = ["Handover::runs", "Handover::labels"]
MERGE = [64, 128, 256, 512]                    # threads per block of the step that joins tiles
OVERLAP = [false, true]                        # a step begins while the one before ends
[restrictions]
rules = [
    "OVERLAP == false || (device.compute_capability >= 90 && ALGORITHM == 'Algorithm::tiles')",
    "density >= 0 && density <= 100",
    "L == 'int64' || width * height < 2 ** 31",          # 1 + the last pixel is a label
    "TILE_X * TILE_Y >= 1024 && TILE_X * TILE_Y <= 8192",  # 4 bytes of shared memory a pixel
    "TILE_X * TILE_Y / BLOCK in [4, 8, 16, 32]",         # pixels per thread
    # The two rows of a strip are one only where diagonal neighbours count.
    "STRIP == 1 || NEIGHBOURS == 'Neighbours::eight'",
    # Two rows of which each touches the other at every second corner would need a longer queue.
    "REST == 'Rest::in_place' || STRIP == 2 || NEIGHBOURS == 'Neighbours::four'",
    "ALGORITHM == 'Algorithm::tiles' || (STRIP == 1 && SEGMENT == 16 && MERGE == 64)",
    "ALGORITHM == 'Algorithm::tiles' || (REST == 'Rest::in_place' && HANDOVER == 'Handover::labels')",
]
[values]
tiles_x = "ceil_div(width, TILE_X)"
tiles_y = "ceil_div(height, TILE_Y)"
tiles_pixels = "tiles_x * tiles_y * TILE_X * TILE_Y"
has_runs = "HANDOVER == 'Handover::runs'"
border_blocks = "ceil_div(width, MERGE) * (tiles_y - 1) + ceil_div(height, MERGE) * (tiles_x - 1)"
[[launch]]
entry = "label_pixels<TILE_X, TILE_Y, BLOCK, L>"
when = "ALGORITHM == 'Algorithm::direct'"
grid = ["tiles_x * tiles_y"]
block = ["BLOCK"]
arguments = ["labels", "image", "width", "height"]
[[launch]]
entry = "join_pixels<NEIGHBOURS, TILE_X, TILE_Y, BLOCK, L>"
when = "ALGORITHM == 'Algorithm::direct'"
grid = ["tiles_x * tiles_y"]
block = ["BLOCK"]
arguments = ["labels", "image", "width", "height"]
[[launch]]
entry = "label_tiles<NEIGHBOURS, TILE_X, TILE_Y, BLOCK, STRIP, SEGMENT, REST, HANDOVER, L>"
when = "ALGORITHM == 'Algorithm::tiles'"
grid = ["tiles_x * tiles_y"]
block = ["BLOCK"]
arguments = ["labels", "words", "roots", "image", "width", "height"]
[[launch]]
entry = "join_tiles<NEIGHBOURS, TILE_X, TILE_Y, MERGE, STRIP, HANDOVER, L>"
when = "ALGORITHM == 'Algorithm::tiles' && border_blocks > 0"
grid = ["border_blocks"]
block = ["MERGE"]
arguments = ["labels", "words", "roots", "image", "width", "height"]
overlap = "OVERLAP"
[[launch]]
entry = "resolve<TILE_X, TILE_Y, BLOCK, STRIP, SEGMENT, HANDOVER, L>"
grid = ["tiles_x * tiles_y"]
block = ["BLOCK"]
arguments = ["labels", "words", "roots", "width", "height"]
overlap = "OVERLAP"
[arguments]
labels = { type = "L", size = "width * height", role = "out" }
image = { type = "uint8", size = "width * height", role = "in", fill = "constant(0)" }  # foreground: not 0
width = { type = "int64" }
height = { type = "int64" }
# Of each tile its bits, and of each of its words (of each strip) the places of the roots of up to 16 runs.
words = { type = "uint32", size = "has_runs ? tiles_pixels / 32 : 1", role = "scratch" }
roots = { type = "uint16", size = "has_runs ? tiles_pixels / STRIP / 2 : 1", role = "scratch" }
density = { type = "int64" }
seed = { type = "uint64", fill = "seed" }
[[prepare]]
entry = "make_image<IMAGE>"
grid = ["min(ceil_div(width * height, 256), 65536)"]
block = ["256"]
arguments = ["image", "width", "height", "density", "seed"]
[[reference]]
entry = "reference_begin<L>"
grid = ["min(ceil_div(width * height, 256), 65536)"]
block = ["256"]
arguments = ["labels", "image", "width", "height"]
[[reference]]
entry = "reference_round<NEIGHBOURS, L>"
grid = ["min(ceil_div(width * height, 256), 65536)"]
block = ["256"]
arguments = ["labels", "width", "height"]
[[reference]]
entry = "reference_round<NEIGHBOURS, L>"
grid = ["min(ceil_div(width * height, 256), 65536)"]
block = ["256"]
arguments = ["labels", "width", "height"]
[[reference]]
entry = "reference_round<NEIGHBOURS, L>"
grid = ["min(ceil_div(width * height, 256), 65536)"]
block = ["256"]
arguments = ["labels", "width", "height"]
[[reference]]
entry = "reference_end<NEIGHBOURS, L>"
grid = ["1"]
block = ["1024"]
arguments = ["labels", "width", "height"]
[check]
absolute = 0
relative = 0
[metrics]
# The image is read once. Labels are written, read and written: they are not known at the first sight.
bytes = "width * height * (1 + 3 * sizeof(L))"
items = "width * height"
unit = "pixels"
[[ladder]]
name = "union-find"
source = """the order of V. Oliveira and R. Lotufo, A Study on Connected Components Labeling algorithms using GPUs \
  (2010), and S. Allegretti, F. Bolelli and C. Grana, Optimized Block-Based Algorithms to Label Connected Components \
  on GPUs (2019)"""
problems = ["width=4096 height=4096 NEIGHBOURS=Neighbours::eight"]
steps = [
    { name = "every pixel, in global memory", configuration = """ALGORITHM=Algorithm::direct TILE_X=64 TILE_Y=16 \
      BLOCK=256 STRIP=1 SEGMENT=16 REST=Rest::in_place HANDOVER=Handover::labels MERGE=64 OVERLAP=false""" },
    { name = "tiles in shared memory", configuration = """ALGORITHM=Algorithm::tiles TILE_X=64 TILE_Y=64 BLOCK=256 \
      STRIP=1 SEGMENT=16 REST=Rest::in_place HANDOVER=Handover::labels MERGE=64 OVERLAP=false""" },
    { name = "two rows as one", configuration = """ALGORITHM=Algorithm::tiles TILE_X=64 TILE_Y=64 BLOCK=256 STRIP=2 \
      SEGMENT=16 REST=Rest::in_place HANDOVER=Handover::labels MERGE=64 OVERLAP=false""" },
    { name = "links from a queue", configuration = """ALGORITHM=Algorithm::tiles TILE_X=64 TILE_Y=64 BLOCK=256 STRIP=2 \
      SEGMENT=16 REST=Rest::queued HANDOVER=Handover::labels MERGE=64 OVERLAP=false""" },
    { name = "runs handed over", configuration = """ALGORITHM=Algorithm::tiles TILE_X=64 TILE_Y=64 BLOCK=256 STRIP=2 \
      SEGMENT=16 REST=Rest::queued HANDOVER=Handover::runs MERGE=64 OVERLAP=false""" },
]
*/
#include "attune.cuh"
#include "attune_access.cuh"
#include "attune_launch.cuh"

// Connected components by union-find. Every node of a forest points to an earlier node of its component, or to itself:
// then it is a root. Two components are joined by an atomic minimum at the later root, after the parallel union of
// Oliveira and Lotufo (2010). In the end each pixel gets its root. As pointers only ever go to earlier pixels, the root
// is the first pixel of its component, whatever the order of the threads.
//
// What is done to be fast:
//   tiles   Each block labels a tile in shared memory. Then the tiles are joined along their borders, then each pixel
//           looks up its root.
//   runs    A tile is held as bits, and only the first pixel of a run of ones in a word of 32 is a node: finding it
//           takes a few instructions. Two runs are joined where their overlap begins, once, not at each pixel of it.
//           (After Hennequin, Lacassagne, Cabaret and Meunier, A new Direct Connected Component Labeling and Analysis
//           Algorithms for GPUs, 2018.)
//   strips  Among eight neighbours, all ones of a 2x2 block touch each other (Allegretti, Bolelli and Grana, 2019). So
//           do neighbouring columns of two rows that both hold a one: two rows have the runs of their OR.
//   hanging Each run first hangs below one that it touches above: one write, no search, no atomics. That leaves few
//           links, of which some threads have many and most have none: a queue shares them out.
// What bounds it: the image is read and the labels are written, read and written: 13 bytes a pixel with int32. With
// runs handed over, labels are written once, but chains of pointers are followed: latency takes the rest.

/// Which pixels touch: those that share an edge, or a corner too.
enum class Neighbours { four, eight };

/// How pixels are joined: all at once in global memory, or by tiles first.
enum class Algorithm { tiles, direct };

/// What a kernel is tuned on: pixels at random; every second pixel; columns that rows connect; one path of all rows.
enum class Image { random, chessboard, comb, serpentine };

/// What a tile hands over to the last step: the labels so far, or its bits and the roots of its runs, which stay in the
/// second cache. Then only the roots have labels before the last step.
enum class Handover { labels, runs };

/// Where the links of a run but its first are made: in place, by the thread that finds them, or from a queue, by all
/// threads alike.
enum class Rest { queued, in_place };

using attune::Cache;
using attune::Pack;

constexpr int MOST_RUNS = 16;  // in a word

// ---- Union-find ----

template <typename Forest, typename Node>
__device__ __forceinline__ Node find_root(Forest forest, Node node) {
  Node parent = forest.parent(node);
  while (parent != node) {
    node = parent;
    parent = forest.parent(node);
  }
  return node;
}

// The same, and hangs each second node of the way below its grandparent: chains get shorter for all. By minima, as
// another thread may have found the root by now: nothing is earlier.
template <typename Forest, typename Node>
__device__ __forceinline__ Node find_and_shorten(Forest forest, Node node) {
  Node parent = forest.parent(node);
  while (parent != node) {
    const Node above = forest.parent(parent);
    if (above == parent) return parent;
    forest.lower(node, above);
    node = above;
    parent = forest.parent(node);
  }
  return node;
}

template <typename Forest, typename Node>
__device__ __forceinline__ void join(Forest forest, Node a, Node b) {
  while (true) {
    a = find_and_shorten(forest, a);
    b = find_and_shorten(forest, b);
    if (a == b) return;
    const Node earlier = a < b ? a : b, later = a < b ? b : a;
    const Node before = forest.lower(later, earlier);
    if (before == later) return;  // it was a root still, and now hangs below the earlier one
    a = before;                   // another thread was first: what that one hung it below is to be joined as well
    b = earlier;
  }
}

// Of a tile, in shared memory: places in the tile. Volatile, as other threads write it.
struct TileForest {
  int* parents;
  __device__ __forceinline__ int parent(int node) const { return *static_cast<volatile int*>(parents + node); }
  __device__ __forceinline__ void hang(int node, int parent) const {
    *static_cast<volatile int*>(parents + node) = parent;
  }
  // The minimum of both becomes the parent. Returns what was before.
  __device__ __forceinline__ int lower(int node, int parent) const { return atomicMin(parents + node, parent); }
};

// Of the image: the labels themselves, which are 1 + a pixel. The first cache may hold what was before: an ancestor
// too. That costs steps, never correctness. The root of a large component is read by all. In the second cache all
// wait for one line: this took half of the last step's time.
template <typename L>
struct ImageForest {
  L* labels;
  __device__ __forceinline__ L parent(L node) const { return __ldca(labels + node) - 1; }
  __device__ __forceinline__ L lower(L node, L parent) const { return atomicMin(labels + node, parent + 1) - 1; }
};

// ---- Tiles ----

// The part of the image that a block has.
struct Area {
  long long x, y;     // its first pixel
  int columns, rows;  // how many lie in the image
};

template <int TILE_X, int TILE_Y>
__device__ __forceinline__ Area area_of_block(long long width, long long height) {
  const unsigned tiles_x = static_cast<unsigned>((width + TILE_X - 1) / TILE_X);
  Area area;
  area.x = static_cast<long long>(blockIdx.x % tiles_x) * TILE_X;
  area.y = static_cast<long long>(blockIdx.x / tiles_x) * TILE_Y;
  area.columns = static_cast<int>(width - area.x < TILE_X ? width - area.x : TILE_X);
  area.rows = static_cast<int>(height - area.y < TILE_Y ? height - area.y : TILE_Y);
  return area;
}

// The pixel at a place of the tile.
template <int TILE_X, typename L>
__device__ __forceinline__ L pixel_at(Area area, long long width, int place) {
  return static_cast<L>((area.y + place / TILE_X) * width + area.x + place % TILE_X);
}

// A tile as bits: strips of STRIP rows, words of 32 pixels. What lies outside the image is background.
template <int TILE_X, int STRIP>
struct BitTile {
  static constexpr int WORDS = TILE_X / 32;  // per row
  const unsigned* bits;

  __device__ __forceinline__ unsigned row(int y, int word) const { return bits[y * WORDS + word]; }
  __device__ __forceinline__ unsigned strip(int index, int word) const {
    unsigned ones = row(index * STRIP, word);
    if constexpr (STRIP == 2) ones |= row(index * STRIP + 1, word);
    return ones;
  }
  // The number of the run that holds bit x of this word of the strip, MOST_RUNS for each word.
  __device__ __forceinline__ int run(int index, int word, int x) const {
    const unsigned ones = strip(index, word);
    return (index * WORDS + word) * MOST_RUNS + __popc(ones & ~(ones << 1) & ((2u << x) - 1u)) - 1;
  }
  // The node of the run that holds bit x of this word of the strip: the place of its first pixel, row by row.
  __device__ __forceinline__ int node(int index, int word, int x) const {
    const unsigned ones = strip(index, word);
    const int start = 32 - __clz(static_cast<int>(~ones & ((2u << x) - 1u)));
    const int place = index * STRIP * TILE_X + word * 32;
    if constexpr (STRIP == 2) {
      const unsigned run = ones & ~(ones + (1u << start));  // the carry runs through these ones
      const unsigned upper = row(index * STRIP, word) & run;
      return upper != 0 ? place + __ffs(static_cast<int>(upper)) - 1 : place + TILE_X + start;
    }
    return place + start;
  }
};

// ---- Step 1: labels of a tile ----

// Four bytes, 0 or not, become four bits.
__device__ __forceinline__ unsigned bits_of(int four) {
  unsigned bytes = static_cast<unsigned>(four);
  bytes |= bytes >> 4;
  bytes |= bytes >> 2;
  bytes |= bytes >> 1;
  return (bytes & 0x01010101u) * 0x10204080u >> 28;
}

// The 16 pixels from column x of row y of the area on, as bits.
__device__ __forceinline__ unsigned read_bits(const unsigned char* image, long long width, Area area, int x, int y) {
  if (y >= area.rows || x >= area.columns) return 0;
  const unsigned char* const from = image + (area.y + y) * width + area.x + x;
  if (area.columns - x >= 16 && attune::aligned<int4>(from)) {
    const int4 words = attune::load<Cache::plain>(reinterpret_cast<const int4*>(from));
    return bits_of(words.x) | bits_of(words.y) << 4 | bits_of(words.z) << 8 | bits_of(words.w) << 12;
  }
  unsigned bits = 0;
#pragma unroll 4
  for (int k = 0; k < 16; ++k)
    if (x + k < area.columns && from[k] != 0) bits |= 1u << k;
  return bits;
}

// Where the runs of a word of a strip touch those of the strip above, once for each touch. It is straight above, or in
// the column before where to_left is set as well, or in the column after.
struct Links {
  unsigned up, to_left, to_right;
};

template <Neighbours NEIGHBOURS, int STRIP, typename Bits>
__device__ __forceinline__ Links links_of(Bits tile, int strip, int word) {
  if (strip == 0) return {0, 0, 0};
  const int y = strip * STRIP;
  const unsigned ones = tile.row(y, word), up = tile.row(y - 1, word);
  const unsigned straight = ones & up & ~((ones & up) << 1);  // an overlap is joined where it begins
  if constexpr (NEIGHBOURS == Neighbours::four) return {straight, 0, 0};
  const bool first = word == 0, last = word == Bits::WORDS - 1;
  const unsigned left = ones << 1 | (first ? 0u : tile.row(y, word - 1) >> 31);
  const unsigned up_left = up << 1 | (first ? 0u : tile.row(y - 1, word - 1) >> 31);
  const unsigned right = ones >> 1 | (last ? 0u : tile.row(y, word + 1) << 31);
  const unsigned up_right = up >> 1 | (last ? 0u : tile.row(y - 1, word + 1) << 31);
  // Corners count where no edge joins the same runs.
  const unsigned to_left = ones & up_left & ~up & ~left, to_right = ones & up_right & ~up & ~right;
  return {straight | to_left, to_left, to_right};
}

// The bits of `marked` that are the first ones of theirs in a run of `ones`.
__device__ __forceinline__ unsigned first_in_run(unsigned ones, unsigned marked) {
  const unsigned starts = ones & ~(ones << 1);
  return ((ones & ~marked) + starts) & marked;  // from the start of a run the carry stops at the first marked bit
}

// Makes the nodes of the runs that start in a segment: each hangs below the first run that it touches above, if any.
// No atomics: a node has one parent. What it touches besides is left to join_rest().
template <Neighbours NEIGHBOURS, int STRIP, typename Bits>
__device__ __forceinline__ void hang_runs(TileForest forest, Bits tile, int strip, int word, unsigned segment) {
  const Links links = links_of<NEIGHBOURS, STRIP>(tile, strip, word);
  const unsigned ones = tile.strip(strip, word);
  for (unsigned starts = ones & ~(ones << 1) & segment; starts != 0; starts &= starts - 1) {
    const unsigned run = ones & ~(ones + (starts & (0u - starts)));
    const int x = __ffs(static_cast<int>(starts)) - 1;
    const int node = tile.node(strip, word, x);
    const unsigned touching = (links.up | links.to_right) & run;
    int parent = node;
    if (touching != 0) {
      const int touch = __ffs(static_cast<int>(touching)) - 1;
      const int step = links.up >> touch & 1u ? -static_cast<int>(links.to_left >> touch & 1u) : 1;
      const int up = word * 32 + touch + step;
      parent = tile.node(strip - 1, up / 32, up % 32);
    }
    forest.hang(node, parent);
  }
}

// Lets each node that begins in a segment point to its root. Calls found(node, root, number of the run).
template <typename Bits, typename Found>
__device__ __forceinline__ void flatten(TileForest forest, Bits tile, int strip, int word, unsigned segment,
                                        Found found) {
  const unsigned ones = tile.strip(strip, word);
  for (unsigned starts = ones & ~(ones << 1) & segment; starts != 0; starts &= starts - 1) {
    const int x = __ffs(static_cast<int>(starts)) - 1;
    const int node = tile.node(strip, word, x);
    const int root = find_and_shorten(forest, node);
    if (root != node) forest.hang(node, root);  // else another thread may just have hung it below an earlier one
    found(node, root, tile.run(strip, word, x));
  }
}

// What hang_runs() has left: links of a run but its first, and runs that go on in the next word.
template <typename Bits>
struct RestLinks {
  Bits tile;
  int strip, word;
  unsigned up, to_left, to_right;  // as in Links
  bool to_last_word;

  __device__ __forceinline__ int count() const { return __popc(up) + __popc(to_right) + (to_last_word ? 1 : 0); }
  // Calls link(a, b) for the nodes of each.
  template <typename Link>
  __device__ __forceinline__ void for_each(Link link) const {
    for (unsigned left = up; left != 0; left &= left - 1) {
      const int x = __ffs(static_cast<int>(left)) - 1;
      const int above = word * 32 + x - static_cast<int>(to_left >> x & 1u);
      link(tile.node(strip, word, x), tile.node(strip - 1, above / 32, above % 32));
    }
    for (unsigned left = to_right; left != 0; left &= left - 1) {
      const int x = __ffs(static_cast<int>(left)) - 1, above = word * 32 + x + 1;
      link(tile.node(strip, word, x), tile.node(strip - 1, above / 32, above % 32));
    }
    if (to_last_word) link(tile.node(strip, word, 0), tile.node(strip, word - 1, 31));
  }
};

template <Neighbours NEIGHBOURS, int STRIP, typename Bits>
__device__ __forceinline__ RestLinks<Bits> rest_of(Bits tile, int strip, int word, unsigned segment) {
  const Links links = links_of<NEIGHBOURS, STRIP>(tile, strip, word);
  const unsigned ones = tile.strip(strip, word);
  const unsigned done = first_in_run(ones, links.up | links.to_right);
  RestLinks<Bits> rest{tile, strip, word, links.up & ~done & segment, links.to_left, 0, false};
  if constexpr (NEIGHBOURS == Neighbours::eight) rest.to_right = links.to_right & ~(done & ~links.up) & segment;
  rest.to_last_word = word > 0 && (ones & segment & 1u) != 0 && tile.strip(strip, word - 1) >> 31 != 0;
  return rest;
}

// Places in a queue for `count` entries of this lane. All lanes of the warp call it.
__device__ __forceinline__ int reserve(int* length, int count) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  int end = count;  // of this lane and those before it
#pragma unroll
  for (int distance = 1; distance < 32; distance *= 2) {
    const int before = __shfl_up_sync(0xffffffffu, end, static_cast<unsigned>(distance));
    if (lane >= distance) end += before;
  }
  int begin = 0;
  if (lane == 31 && end > 0) begin = atomicAdd(length, end);
  return __shfl_sync(0xffffffffu, begin, 31) + end - count;
}

// The room for links that hang_runs() leaves in a tile; a link that finds none is made at once. By edges a run of n
// pixels touches at most (n + 1) / 2 others, all but one of which are left. The fewer runs a row has, the fewer the next
// row can leave: eight a word on average, and one to the word before. That always fits. With corners, two rows a strip, a
// pattern such as a chessboard leaves up to 32 a word: the two rows are one run, which touches every second pixel above.
// Random pixels leave a third of what there is room for.
template <int STRIP, int WORDS>
constexpr int QUEUE = (STRIP == 2 ? 18 : 9) * (WORDS / STRIP);

// Calls work(strip, word, segment) for every segment of the tile, by all threads, and waits for all.
template <int TILE_X, int STRIPS, int BLOCK, int SEGMENT, typename Work>
__device__ __forceinline__ void for_each_segment(Work work) {
  constexpr int PER_WORD = 32 / SEGMENT;
  constexpr unsigned FIRST = SEGMENT == 32 ? ~0u : (1u << SEGMENT % 32) - 1u;
#pragma unroll 1
  for (int i = static_cast<int>(threadIdx.x); i < STRIPS * TILE_X / SEGMENT; i += BLOCK) {
    const int word = i / PER_WORD;
    work(word / (TILE_X / 32), word % (TILE_X / 32), FIRST << i % PER_WORD * SEGMENT);
  }
  __syncthreads();
}

// Queues what is left to be joined, then joins it.
template <Neighbours NEIGHBOURS, int TILE_X, int TILE_Y, int BLOCK, int STRIP, int SEGMENT, typename Bits>
__device__ __forceinline__ void join_queued(TileForest forest, Bits tile, int* queue) {
  constexpr int PER_WORD = 32 / SEGMENT, WORDS = TILE_X / 32, SEGMENTS = TILE_Y / STRIP * WORDS * PER_WORD;
  constexpr unsigned FIRST = SEGMENT == 32 ? ~0u : (1u << SEGMENT % 32) - 1u;
  constexpr int MOST = QUEUE<STRIP, TILE_Y * WORDS>;
  __shared__ int length;  // what was wanted: it may be more than there is room for
  if (threadIdx.x == 0) length = 0;
  __syncthreads();
#pragma unroll 1
  for (int i = static_cast<int>(threadIdx.x); i < (SEGMENTS + 31) / 32 * 32; i += BLOCK) {
    const bool is_one = i < SEGMENTS;
    const int word = is_one ? i / PER_WORD : 0;
    const auto rest =
        rest_of<NEIGHBOURS, STRIP>(tile, word / WORDS, word % WORDS, is_one ? FIRST << i % PER_WORD * SEGMENT : 0u);
    int place = reserve(&length, rest.count());
    rest.for_each([&](int a, int b) {
      if (place < MOST)
        queue[place++] = a << 16 | b;
      else
        join(forest, a, b);
    });
  }
  __syncthreads();
  const int all = length < MOST ? length : MOST;
  for (int i = static_cast<int>(threadIdx.x); i < all; i += BLOCK) join(forest, queue[i] >> 16, queue[i] & 0xFFFF);
  __syncthreads();
}

// Writes the elements of the pack that lie in the image.
template <typename T, int N>
__device__ __forceinline__ void store_pixels(T* to, const Pack<T, N>& pack, int columns) {
  if (columns >= N && attune::aligned<Pack<T, N>>(to)) {
    attune::store_whole<Cache::plain>(reinterpret_cast<Pack<T, N>*>(to), pack);
  } else {
#pragma unroll
    for (int k = 0; k < N; ++k)
      if (k < columns) to[k] = pack.element[k];
  }
}

// Writes a label for each pixel of the area: label_of(strip, word, x) for a run of ones, 0 for background.
template <int TILE_X, int TILE_Y, int BLOCK, int STRIP, typename L, typename LabelOf>
__device__ __forceinline__ void write_labels(L* labels, BitTile<TILE_X, STRIP> tile, long long width, Area area,
                                             LabelOf label_of) {
  constexpr int PACK = 16 / static_cast<int>(sizeof(L));
#pragma unroll 1
  for (int i = static_cast<int>(threadIdx.x); i < TILE_X * TILE_Y / PACK; i += BLOCK) {
    const int x = i * PACK % TILE_X, y = i * PACK / TILE_X;
    if (y >= area.rows || x >= area.columns) continue;
    const unsigned ones = tile.row(y, x / 32) >> x % 32;
    Pack<L, PACK> pack;
    L label = 0;
#pragma unroll
    for (int k = 0; k < PACK; ++k) {
      const bool one = (ones >> k & 1u) != 0;
      const bool goes_on = k > 0 && (ones >> (k > 0 ? k - 1 : 0) & 1u) != 0;  // its left neighbour has the same label
      if (one && !goes_on) label = label_of(y / STRIP, x / 32, x % 32 + k);
      pack.element[k] = one ? label : L(0);
    }
    store_pixels(labels + (area.y + y) * width + area.x + x, pack, area.columns - x);
  }
}

template <Neighbours NEIGHBOURS, int TILE_X, int TILE_Y, int BLOCK, int STRIP, int SEGMENT, Rest REST,
          Handover HANDOVER, typename L>
__global__ void __launch_bounds__(BLOCK) label_tiles(L* labels, unsigned* words, unsigned short* roots,
                                                     const unsigned char* image, long long width, long long height) {
  using Bits = BitTile<TILE_X, STRIP>;
  constexpr int STRIPS = TILE_Y / STRIP;
  __shared__ int parents[TILE_X * TILE_Y];
  __shared__ unsigned bits[Bits::WORDS * TILE_Y];
  // A pair of places each; then the roots of runs, two each.
  __shared__ __align__(16) int queue[QUEUE<STRIP, TILE_Y * Bits::WORDS>];
  attune::allow_next();
  const Area area = area_of_block<TILE_X, TILE_Y>(width, height);
#pragma unroll 1
  for (int i = static_cast<int>(threadIdx.x); i < TILE_X * TILE_Y / 16; i += BLOCK)
    reinterpret_cast<unsigned short*>(bits)[i] =
        static_cast<unsigned short>(read_bits(image, width, area, i * 16 % TILE_X, i * 16 / TILE_X));
  __syncthreads();

  const Bits tile{bits};
  const TileForest forest{parents};
  for_each_segment<TILE_X, STRIPS, BLOCK, SEGMENT>(
      [&](int strip, int word, unsigned segment) { hang_runs<NEIGHBOURS, STRIP>(forest, tile, strip, word, segment); });
  if constexpr (REST == Rest::in_place) {
    for_each_segment<TILE_X, STRIPS, BLOCK, SEGMENT>([&](int strip, int word, unsigned segment) {
      rest_of<NEIGHBOURS, STRIP>(tile, strip, word, segment).for_each([&](int a, int b) { join(forest, a, b); });
    });
  } else {
    join_queued<NEIGHBOURS, TILE_X, TILE_Y, BLOCK, STRIP, SEGMENT>(forest, tile, queue);
  }
  const auto keep = [&](int node, int root, int run) {
    if constexpr (HANDOVER == Handover::runs) {
      const L pixel = pixel_at<TILE_X, L>(area, width, root);
      if (root == node) labels[pixel] = pixel + 1;
      reinterpret_cast<unsigned short*>(queue)[run] = static_cast<unsigned short>(root);
    }
  };
  for_each_segment<TILE_X, STRIPS, BLOCK, SEGMENT>(
      [&](int strip, int word, unsigned segment) { flatten(forest, tile, strip, word, segment, keep); });
  if constexpr (HANDOVER == Handover::labels) {
    write_labels<TILE_X, TILE_Y, BLOCK>(labels, tile, width, area, [&](int strip, int word, int x) {
      return static_cast<L>(pixel_at<TILE_X, L>(area, width, parents[tile.node(strip, word, x)]) + 1);
    });
  } else {
    const long long tile_words = static_cast<long long>(blockIdx.x) * (Bits::WORDS * TILE_Y);
    for (int i = static_cast<int>(threadIdx.x); i < Bits::WORDS * TILE_Y; i += BLOCK) words[tile_words + i] = bits[i];
    int4* const to = reinterpret_cast<int4*>(roots + tile_words / STRIP * MOST_RUNS);
    for (int i = static_cast<int>(threadIdx.x); i < Bits::WORDS * TILE_Y / STRIP * MOST_RUNS / 8; i += BLOCK)
      to[i] = reinterpret_cast<const int4*>(queue)[i];
  }
}

// ---- Step 2: tiles are joined ----

// A node of the component of (x, y), which is foreground.
template <int TILE_X, int TILE_Y, int STRIP, Handover HANDOVER, typename L>
__device__ __forceinline__ L node_of(const L* labels, const unsigned* words, const unsigned short* roots,
                                     long long width, long long x, long long y) {
  if constexpr (HANDOVER == Handover::labels) return labels[y * width + x] - 1;
  using Bits = BitTile<TILE_X, STRIP>;
  const long long tile = y / TILE_Y * ((width + TILE_X - 1) / TILE_X) + x / TILE_X;
  const int column = static_cast<int>(x % TILE_X), row = static_cast<int>(y % TILE_Y);
  const int run = Bits{words + tile * (Bits::WORDS * TILE_Y)}.run(row / STRIP, column / 32, column % 32);
  const int place = roots[tile * (Bits::WORDS * TILE_Y / STRIP * MOST_RUNS) + run];
  return static_cast<L>((y - row + place / TILE_X) * width + x - column + place % TILE_X);
}

// A thread looks at one pixel at the upper or left border of a tile. The pixels along a border and those across it are
// as two rows: what was said of runs holds here too.
template <Neighbours NEIGHBOURS, int TILE_X, int TILE_Y, int MERGE, int STRIP, Handover HANDOVER, typename L>
__global__ void __launch_bounds__(MERGE) join_tiles(L* labels, const unsigned* words, const unsigned short* roots,
                                                    const unsigned char* image, long long width, long long height) {
  attune::allow_next();
  const unsigned row_blocks = static_cast<unsigned>((width + MERGE - 1) / MERGE);
  const unsigned column_blocks = static_cast<unsigned>((height + MERGE - 1) / MERGE);
  const unsigned in_rows = row_blocks * static_cast<unsigned>((height + TILE_Y - 1) / TILE_Y - 1);
  const bool is_row = blockIdx.x < in_rows;
  const unsigned block = is_row ? blockIdx.x : blockIdx.x - in_rows, blocks = is_row ? row_blocks : column_blocks;
  const long long i = static_cast<long long>(block % blocks) * MERGE + threadIdx.x;
  const long long j = static_cast<long long>(block / blocks + 1) * (is_row ? TILE_Y : TILE_X);
  const long long length = is_row ? width : height;
  attune::wait_for_previous();
  if (i >= length) return;
  // (i, j) -> pixel: a row border runs along x, a column border along y.
  const auto one = [&](long long along, long long across) {
    if (along < 0 || along >= length) return false;
    return image[is_row ? across * width + along : along * width + across] != 0;
  };
  const auto link = [&](long long along) {
    const auto node = [&](long long a, long long b) {
      return node_of<TILE_X, TILE_Y, STRIP, HANDOVER>(labels, words, roots, width, is_row ? a : b, is_row ? b : a);
    };
    join(ImageForest<L>{labels}, node(i, j), node(along, j - 1));
  };
  // All are read before the first is looked at.
  const bool here = one(i, j), straight = one(i, j - 1), before = one(i - 1, j), across_before = one(i - 1, j - 1);
  const bool corners = NEIGHBOURS == Neighbours::eight;
  const bool after = corners && one(i + 1, j), across_after = corners && one(i + 1, j - 1);
  // Where a column border begins a tile, no overlap goes on: the row border there relies on this link.
  const bool goes_on = before && across_before && (is_row || i % TILE_Y != 0);
  if (here && straight && !goes_on) link(i);
  if (here && !straight && corners && across_before && !before) link(i - 1);
  if (here && !straight && across_after && !after) link(i + 1);
}

// ---- Without tiles ----

template <int TILE_X, int TILE_Y, int BLOCK, typename L>
__global__ void __launch_bounds__(BLOCK)
    label_pixels(L* labels, const unsigned char* image, long long width, long long height) {
  const Area area = area_of_block<TILE_X, TILE_Y>(width, height);
#pragma unroll 4
  for (int i = static_cast<int>(threadIdx.x); i < TILE_X * TILE_Y; i += BLOCK) {
    if (i % TILE_X >= area.columns || i / TILE_X >= area.rows) continue;
    const L pixel = pixel_at<TILE_X, L>(area, width, i);
    labels[pixel] = image[pixel] != 0 ? pixel + 1 : L(0);
  }
}

template <Neighbours NEIGHBOURS, int TILE_X, int TILE_Y, int BLOCK, typename L>
__global__ void __launch_bounds__(BLOCK)
    join_pixels(L* labels, const unsigned char* image, long long width, long long height) {
  const Area area = area_of_block<TILE_X, TILE_Y>(width, height);
  const ImageForest<L> forest{labels};
#pragma unroll 1
  for (int i = static_cast<int>(threadIdx.x); i < TILE_X * TILE_Y; i += BLOCK) {
    if (i % TILE_X >= area.columns || i / TILE_X >= area.rows) continue;
    const long long x = area.x + i % TILE_X, y = area.y + i / TILE_X;
    const long long pixel = y * width + x;
    if (image[pixel] == 0) continue;
#pragma unroll 1
    for (int k = 0; k < (NEIGHBOURS == Neighbours::four ? 2 : 4); ++k) {
      const int dx = k == 0 ? -1 : k == 1 ? 0 : k == 2 ? -1 : 1, dy = k == 0 ? 0 : -1;
      if (x + dx < 0 || x + dx >= width || y + dy < 0) continue;
      const long long other = pixel + dy * width + dx;
      if (image[other] != 0) join(forest, static_cast<L>(pixel), static_cast<L>(other));
    }
  }
}

// ---- The last step: each pixel looks up its root ----

// What a pack of pixels holds; `nothing` beyond the image.
template <int N, typename T>
__device__ __forceinline__ Pack<T, N> load_pixels(const T* from, int columns, T nothing) {
  Pack<T, N> pack;
  if (columns >= N && attune::aligned<Pack<T, N>>(from)) {
    pack = attune::load<Cache::plain>(reinterpret_cast<const Pack<T, N>*>(from));
  } else {
#pragma unroll
    for (int k = 0; k < N; ++k) pack.element[k] = k < columns ? from[k] : nothing;
  }
  return pack;
}

// Labels were handed over: each is followed to its root.
template <int TILE_X, int TILE_Y, int BLOCK, typename L>
__device__ __forceinline__ void resolve_labels(L* labels, long long width, Area area) {
  constexpr int PACK = 16 / static_cast<int>(sizeof(L));
  const ImageForest<L> forest{labels};
#pragma unroll 1
  for (int i = static_cast<int>(threadIdx.x); i < TILE_X * TILE_Y / PACK; i += BLOCK) {
    const int x = i * PACK % TILE_X, y = i * PACK / TILE_X;
    if (y >= area.rows || x >= area.columns) continue;
    L* const at = labels + ((area.y + y) * width + area.x + x);
    Pack<L, PACK> pack = load_pixels<PACK>(static_cast<const L*>(at), area.columns - x, L(0));
    L last = 0, root = 0;
#pragma unroll
    for (int k = 0; k < PACK; ++k) {
      const L label = pack.element[k];
      if (label != last && label != 0) root = find_root(forest, label - 1) + 1;  // runs are many
      if (label != 0) last = label;
      pack.element[k] = label != 0 ? root : L(0);
    }
    store_pixels(at, pack, area.columns - x);
  }
}

// Runs were handed over: the labels of the tile's roots are followed, and the other runs look up theirs.
template <int TILE_X, int TILE_Y, int BLOCK, int STRIP, int SEGMENT, typename L>
__device__ __forceinline__ void resolve_runs(L* labels, const unsigned* words, const unsigned short* roots,
                                             long long width, Area area) {
  using Bits = BitTile<TILE_X, STRIP>;
  using Roots = Pack<unsigned short, 8>;
  constexpr int STRIPS = TILE_Y / STRIP, RUNS = Bits::WORDS * STRIPS * MOST_RUNS;
  __shared__ unsigned bits[Bits::WORDS * TILE_Y];
  __shared__ L label[RUNS];  // of each run; at first -1 - the place of its root
  const long long tile_words = static_cast<long long>(blockIdx.x) * (Bits::WORDS * TILE_Y);
  for (int i = static_cast<int>(threadIdx.x); i < Bits::WORDS * TILE_Y; i += BLOCK) bits[i] = words[tile_words + i];
  const Roots* const from = reinterpret_cast<const Roots*>(roots + tile_words / STRIP * MOST_RUNS);
  for (int i = static_cast<int>(threadIdx.x); i < RUNS / 8; i += BLOCK) {
    const Roots eight = attune::load<Cache::plain>(from + i);
#pragma unroll
    for (int k = 0; k < 8; ++k) label[i * 8 + k] = -1 - static_cast<L>(eight.element[k]);
  }
  __syncthreads();
  const Bits tile{bits};
  for_each_segment<TILE_X, STRIPS, BLOCK, SEGMENT>([&](int strip, int word, unsigned segment) {
    const unsigned ones = tile.strip(strip, word);
    for (unsigned starts = ones & ~(ones << 1) & segment; starts != 0; starts &= starts - 1) {
      const int x = __ffs(static_cast<int>(starts)) - 1, run = tile.run(strip, word, x);
      const int node = tile.node(strip, word, x);
      if (label[run] == -1 - static_cast<L>(node))
        label[run] = find_and_shorten(ImageForest<L>{labels}, pixel_at<TILE_X, L>(area, width, node)) + 1;
    }
  });
  for_each_segment<TILE_X, STRIPS, BLOCK, SEGMENT>([&](int strip, int word, unsigned segment) {
    const unsigned ones = tile.strip(strip, word);
    for (unsigned starts = ones & ~(ones << 1) & segment; starts != 0; starts &= starts - 1) {
      const int run = tile.run(strip, word, __ffs(static_cast<int>(starts)) - 1);
      if (label[run] > 0) continue;  // a root has its label
      const int root = static_cast<int>(-1 - label[run]);
      label[run] = label[tile.run(root / TILE_X / STRIP, root % TILE_X / 32, root % 32)];
    }
  });
  write_labels<TILE_X, TILE_Y, BLOCK>(labels, tile, width, area,
                                      [&](int strip, int word, int x) { return label[tile.run(strip, word, x)]; });
}

template <int TILE_X, int TILE_Y, int BLOCK, int STRIP, int SEGMENT, Handover HANDOVER, typename L>
__global__ void __launch_bounds__(BLOCK)
    resolve(L* labels, const unsigned* words, const unsigned short* roots, long long width, long long height) {
  attune::wait_for_previous();
  const Area area = area_of_block<TILE_X, TILE_Y>(width, height);
  if constexpr (HANDOVER == Handover::labels) {
    resolve_labels<TILE_X, TILE_Y, BLOCK>(labels, width, area);
  } else {
    resolve_runs<TILE_X, TILE_Y, BLOCK, STRIP, SEGMENT>(labels, words, roots, width, area);
  }
}

// ---- Data and reference ----

// Foreground at random: `density` of 100 pixels. The bits of a pixel depend on the seed and its index alone.
template <Image IMAGE>
__device__ bool is_foreground(long long x, long long y, long long width) {
  if (IMAGE == Image::chessboard) return (x + y) % 2 == 0;
  if (IMAGE == Image::comb) return x % 2 == 0 || y % 61 == 0;
  return y % 2 == 0 || x == (y / 2 % 2 == 0 ? width - 1 : 0);
}

template <Image IMAGE>
__global__ void make_image(unsigned char* image, long long width, long long height, long long density,
                           unsigned long long seed) {
  const long long stride = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < width * height; i += stride) {
    if (IMAGE != Image::random) {
      image[i] = is_foreground<IMAGE>(i % width, i / width, width) ? 1 : 0;
      continue;
    }
    unsigned long long bits = (static_cast<unsigned long long>(i) + seed) * 0x9E3779B97F4A7C15ull;
    bits = (bits ^ bits >> 30) * 0xBF58476D1CE4E5B9ull;
    bits = (bits ^ bits >> 27) * 0x94D049BB133111EBull;
    bits ^= bits >> 31;
    image[i] = static_cast<long long>((bits >> 40) * 100 >> 24) < density ? 1 : 0;
  }
}

template <typename L>
__global__ void reference_begin(L* labels, const unsigned char* image, long long width, long long height) {
  const long long stride = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < width * height; i += stride)
    labels[i] = image[i] != 0 ? static_cast<L>(i + 1) : L(0);
}

// Where a neighbour has an earlier label, the pixel of one's own label gets it. Returns whether there was one.
template <Neighbours NEIGHBOURS, typename L>
__device__ bool lower_label(L* labels, long long i, long long width, long long height) {
  const L own = static_cast<volatile L*>(labels)[i];
  L least = own;
  for (int dy = -1; own != 0 && dy <= 1; ++dy) {
    for (int dx = -1; dx <= 1; ++dx) {
      const long long x = i % width + dx, y = i / width + dy;
      const bool counts = NEIGHBOURS == Neighbours::eight || dx == 0 || dy == 0;
      if (!counts || x < 0 || y < 0 || x >= width || y >= height) continue;
      const L other = static_cast<volatile L*>(labels)[y * width + x];
      if (other != 0 && other < least) least = other;
    }
  }
  if (least < own) atomicMin(labels + (own - 1), least);
  return least < own;
}

// The label of a pixel's label, and so on to the end.
template <typename L>
__device__ void follow_label(L* labels, long long i) {
  volatile L* const now = labels;
  L label = now[i];
  while (label != 0 && now[label - 1] < label) label = now[label - 1];
  now[i] = label;
}

// Brings the labels near the end by all of the device: a help, no more.
template <Neighbours NEIGHBOURS, typename L>
__global__ void reference_round(L* labels, long long width, long long height) {
  const long long first = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  const long long stride = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long i = first; i < width * height; i += stride) lower_label<NEIGHBOURS>(labels, i, width, height);
  for (long long i = first; i < width * height; i += stride) follow_label(labels, i);
}

// One block goes on until no pixel has a neighbour with an earlier label. Then a component has one label; it is 1 + one
// of its pixels; and no label ever exceeded 1 + its own pixel: so it is 1 + the first.
template <Neighbours NEIGHBOURS, typename L>
__global__ void __launch_bounds__(1024) reference_end(L* labels, long long width, long long height) {
  bool changes = true;
  while (changes) {
    bool changed = false;
    for (long long i = threadIdx.x; i < width * height; i += 1024)
      changed |= lower_label<NEIGHBOURS>(labels, i, width, height);
    changes = __syncthreads_or(changed) != 0;
    for (long long i = threadIdx.x; i < width * height; i += 1024) follow_label(labels, i);
    __syncthreads();
  }
}
