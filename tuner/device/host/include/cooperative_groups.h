// Cooperative groups for the host device, under the toolkit's name of their header. Written beside each kernel that the
// host compiles; `#include <cooperative_groups.h>` finds it first. Lanes meet as at the warp intrinsics (abi.hpp).
#ifndef ATTUNE_HOST_COOPERATIVE_GROUPS_H
#define ATTUNE_HOST_COOPERATIVE_GROUPS_H

namespace attune_host {

// The values of the lanes of a group at one meeting, of any type that is copied as bytes.
template <class Value>
struct Gathered {
  static_assert(__is_trivially_copyable(Value), "lanes exchange values that are copied as bytes");
  static constexpr unsigned words = (sizeof(Value) + 7) / 8;
  unsigned long long parts[words][32];
  unsigned lanes = 0;  // that took part

  Gathered(unsigned mask, const Value& value, const char* name) {
    unsigned long long own[words] = {};
    __builtin_memcpy(own, &value, sizeof value);
    for (unsigned i = 0; i < words; ++i) lanes = runtime->exchange(mask, own[i], parts[i], name);
  }
  bool has(unsigned lane) const { return lane < 32 && (lanes >> lane & 1u) != 0; }
  Value of(unsigned lane) const {
    alignas(Value) unsigned char bytes[8 * words];
    for (unsigned i = 0; i < words; ++i) __builtin_memcpy(bytes + 8 * i, &parts[i][lane], 8);
    return *reinterpret_cast<const Value*>(bytes);
  }
};

inline unsigned threads_of(const dim3& shape) { return shape.x * shape.y * shape.z; }
inline unsigned linear(const uint3& index, const dim3& shape) {
  return (index.z * shape.y + index.y) * shape.x + index.x;
}

// Returns the lane of the member with this rank, or 32.
inline unsigned lane_of_rank(unsigned mask, unsigned rank) {
  for (; rank > 0 && mask != 0; --rank) mask &= mask - 1;
  return mask != 0 ? static_cast<unsigned>(__builtin_ctz(mask)) : 32;
}

// Returns the members among `lanes`, one bit for each rank.
inline unsigned by_rank(unsigned mask, unsigned lanes) {
  unsigned packed = 0;
  for (unsigned rank = 0; mask != 0; ++rank, mask &= mask - 1)
    if (lanes & mask & -mask) packed |= 1u << rank;
  return packed;
}

enum class GroupKind { block, grid, lanes };

}  // namespace attune_host

namespace cooperative_groups {

// Any group, whose kind is known only at run time.
class thread_group {
 public:
  inline unsigned long long num_threads() const;
  unsigned long long size() const { return num_threads(); }
  inline unsigned long long thread_rank() const;
  inline void sync() const;

 protected:
  explicit thread_group(attune_host::GroupKind kind, unsigned mask = 0, unsigned meta_rank = 0, unsigned meta_size = 1)
      : attune_kind(kind), attune_mask(mask), attune_meta_rank(meta_rank), attune_meta_size(meta_size) {}
  static thread_group attune_tile(const thread_group& parent, unsigned threads);

  attune_host::GroupKind attune_kind;
  unsigned attune_mask;  // of lanes; the lane of rank 0 is the lowest
  unsigned attune_meta_rank, attune_meta_size;

  friend thread_group tiled_partition(const thread_group& parent, unsigned threads);
};

class thread_block : public thread_group {
 public:
  struct arrival_token {};
  static void sync() { __syncthreads(); }
  arrival_token barrier_arrive() const { return {}; }
  void barrier_wait(arrival_token&&) const { __syncthreads(); }
  static unsigned num_threads() { return attune_host::threads_of(blockDim); }
  static unsigned size() { return num_threads(); }
  static unsigned thread_rank() { return attune_host::linear(threadIdx, blockDim); }
  static dim3 thread_index() { return threadIdx; }
  static dim3 group_index() { return blockIdx; }
  static dim3 group_dim() { return blockDim; }
  static dim3 dim_threads() { return blockDim; }

 private:
  thread_block() : thread_group(attune_host::GroupKind::block) {}
  friend thread_block this_thread_block();
};
inline thread_block this_thread_block() { return {}; }

class grid_group : public thread_group {
 public:
  struct arrival_token {};
  bool is_valid() const { return attune_host::self()->cooperative != 0; }
  void sync() const {
    if (!is_valid())
      attune_host::fault("grid_group::sync() in a launch that is not cooperative; [[launch]] needs cooperative = true");
    attune_host::runtime->sync_block(attune_host::BlockVote::grid, 0, "grid_group::sync");
  }
  arrival_token barrier_arrive() const { return {}; }
  void barrier_wait(arrival_token&&) const { sync(); }
  static unsigned long long num_blocks() { return 1ull * gridDim.x * gridDim.y * gridDim.z; }
  static unsigned long long block_rank() {
    return (1ull * blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  }
  static unsigned long long num_threads() { return num_blocks() * thread_block::size(); }
  static unsigned long long size() { return num_threads(); }
  static unsigned long long thread_rank() { return block_rank() * thread_block::size() + thread_block::thread_rank(); }
  static dim3 dim_blocks() { return gridDim; }
  static dim3 group_dim() { return gridDim; }
  static dim3 block_index() { return blockIdx; }
  static dim3 dim_threads() { return {gridDim.x * blockDim.x, gridDim.y * blockDim.y, gridDim.z * blockDim.z}; }
  static dim3 thread_index() {
    return {blockIdx.x * blockDim.x + threadIdx.x, blockIdx.y * blockDim.y + threadIdx.y,
            blockIdx.z * blockDim.z + threadIdx.z};
  }

 private:
  grid_group() : thread_group(attune_host::GroupKind::grid) {}
  friend grid_group this_grid();
};
inline grid_group this_grid() { return {}; }

// Lanes of one warp: what tiles and coalesced groups share.
class attune_lanes : public thread_group {
 public:
  void sync() const { __syncwarp(attune_mask); }
  unsigned meta_group_rank() const { return attune_meta_rank; }
  unsigned meta_group_size() const { return attune_meta_size; }

  int any(int predicate) const { return attune_votes(predicate, "any of a group") != 0; }
  int all(int predicate) const { return attune_votes(predicate, "all of a group") == attune_mask; }
  unsigned ballot(int predicate) const {
    return attune_host::by_rank(attune_mask, attune_votes(predicate, "ballot of a group"));
  }
  template <class Value>
  unsigned match_any(Value value) const {
    const unsigned lanes = attune_host::match_any(attune_mask, attune_host::to_word(value), "match_any of a group");
    return attune_host::by_rank(attune_mask, lanes);
  }
  template <class Value>
  unsigned match_all(Value value, int& predicate) const {
    const unsigned lanes =
        attune_host::match_all(attune_mask, attune_host::to_word(value), &predicate, "match_all of a group");
    return attune_host::by_rank(attune_mask, lanes);
  }

  unsigned attune_rank() const {
    return static_cast<unsigned>(__builtin_popcount(attune_mask & ((1u << attune_host::lane()) - 1)));
  }
  unsigned attune_lane(unsigned rank) const { return attune_host::lane_of_rank(attune_mask, rank); }
  unsigned attune_members() const { return attune_mask; }
  unsigned attune_size() const { return static_cast<unsigned>(__builtin_popcount(attune_mask)); }

 protected:
  explicit attune_lanes(unsigned mask, unsigned meta_rank = 0, unsigned meta_size = 1)
      : thread_group(attune_host::GroupKind::lanes, mask, meta_rank, meta_size) {}
  explicit attune_lanes(const thread_group& group) : thread_group(group) {}

  unsigned attune_votes(int predicate, const char* name) const {
    return attune_host::combine_votes(attune_mask, predicate, name, [](unsigned ballot, unsigned) { return ballot; });
  }
  // Returns the value of the member of this rank; the own value if there is none.
  template <class Value>
  Value attune_value(const Value& value, unsigned rank, const char* name) const {
    const attune_host::Gathered<Value> values(attune_mask, value, name);
    const unsigned from = attune_lane(rank);
    return values.has(from) ? values.of(from) : value;
  }
  template <class Value>
  Value attune_up(const Value& value, unsigned distance) const {
    const unsigned rank = attune_rank();
    return attune_value(value, distance <= rank ? rank - distance : rank, "shfl_up of a group");
  }
  template <class Value>
  Value attune_down(const Value& value, unsigned distance) const {
    const unsigned rank = attune_rank();
    return attune_value(value, distance < 32 ? rank + distance : rank, "shfl_down of a group");
  }
};

// The default argument is another type at each call: lanes are together at one place of the source.
class coalesced_group;
template <class Place = decltype([] {})>
coalesced_group coalesced_threads();

class coalesced_group : public attune_lanes {
 public:
  unsigned num_threads() const { return attune_size(); }
  unsigned size() const { return attune_size(); }
  unsigned thread_rank() const { return attune_rank(); }
  template <class Value>
  Value shfl(const Value& value, int rank) const {
    return attune_value(value, static_cast<unsigned>(rank), "shfl of a group");
  }
  template <class Value>
  Value shfl_up(const Value& value, int distance) const {
    return attune_up(value, static_cast<unsigned>(distance));
  }
  template <class Value>
  Value shfl_down(const Value& value, unsigned distance) const {
    return attune_down(value, distance);
  }

 private:
  using attune_lanes::attune_lanes;
  template <class Place>
  friend coalesced_group coalesced_threads();
  friend coalesced_group tiled_partition(const coalesced_group& parent, unsigned threads);
  friend coalesced_group binary_partition(const attune_lanes& parent, bool predicate);
  template <class Label>
  friend coalesced_group labeled_partition(const attune_lanes& parent, Label label);
};

template <class Place>
coalesced_group coalesced_threads() {
  static const char place = 0;
  return coalesced_group(attune_host::runtime->active_mask(&place));
}

inline coalesced_group binary_partition(const attune_lanes& parent, bool predicate) {
  const unsigned members = parent.attune_members();
  const unsigned set = attune_host::combine_votes(members, predicate, "binary_partition",
                                                  [](unsigned ballot, unsigned) { return ballot; });
  if (set == 0 || set == members) return coalesced_group(members);
  return coalesced_group(predicate ? set : members & ~set, predicate, 2);
}

template <class Label>
coalesced_group labeled_partition(const attune_lanes& parent, Label label) {
  const unsigned members = parent.attune_members();
  const unsigned same = attune_host::match_any(members, attune_host::to_word(label), "labeled_partition");
  const bool leads = (same & -same) == 1u << attune_host::lane();
  const unsigned leaders =
      attune_host::combine_votes(members, leads, "labeled_partition", [](unsigned ballot, unsigned) { return ballot; });
  const unsigned before = leaders & ((same & -same) - 1);
  return coalesced_group(same, static_cast<unsigned>(__builtin_popcount(before)),
                         static_cast<unsigned>(__builtin_popcount(leaders)));
}
inline coalesced_group labeled_partition(const attune_lanes& parent, bool label) {
  return binary_partition(parent, label);
}

template <unsigned Threads, class Parent = void>
class thread_block_tile : public attune_lanes {
  static_assert(Threads != 0 && (Threads & (Threads - 1)) == 0, "the size of a tile is a power of two");
  static_assert(Threads <= 32, "tiles of more than 32 threads are not supported on the host device");

 public:
  template <class Other>
  requires(__is_same(Parent, void)) thread_block_tile(const thread_block_tile<Threads, Other>& other)
      : attune_lanes(other) {}

  static constexpr unsigned num_threads() { return Threads; }
  static constexpr unsigned size() { return Threads; }
  static unsigned thread_rank() { return attune_host::lane() % Threads; }
  template <class Value>
  Value shfl(const Value& value, int rank) const {
    return attune_value(value, static_cast<unsigned>(rank) % Threads, "shfl of a group");
  }
  template <class Value>
  Value shfl_up(const Value& value, unsigned distance) const {
    return attune_up(value, distance);
  }
  template <class Value>
  Value shfl_down(const Value& value, unsigned distance) const {
    return attune_down(value, distance);
  }
  template <class Value>
  Value shfl_xor(const Value& value, unsigned bits) const {
    return attune_value(value, thread_rank() ^ bits, "shfl_xor of a group");
  }

 private:
  explicit thread_block_tile(unsigned meta_rank, unsigned meta_size)
      : attune_lanes((~0u >> (32 - Threads)) << (attune_host::lane() & ~(Threads - 1)), meta_rank, meta_size) {}
  template <unsigned Part, class Whole>
  friend thread_block_tile<Part, Whole> tiled_partition(const Whole& parent);
  friend thread_block_tile<1> this_thread();
};

// What a group may be cut into tiles of a constant size from: how many threads it has at most.
template <class Group>
inline constexpr unsigned attune_most_threads = 0;
template <>
inline constexpr unsigned attune_most_threads<thread_block> = 2048;
template <unsigned Threads, class Parent>
inline constexpr unsigned attune_most_threads<thread_block_tile<Threads, Parent>> = Threads;

template <unsigned Part, class Whole>
thread_block_tile<Part, Whole> tiled_partition(const Whole& parent) {
  static_assert(attune_most_threads<Whole> != 0, "only blocks and tiles are cut into tiles of a constant size");
  static_assert(attune_most_threads<Whole> > Part, "a tile is smaller than the group that it is cut from");
  return thread_block_tile<Part, Whole>(parent.thread_rank() / Part, (parent.size() + Part - 1) / Part);
}
inline thread_block_tile<1> this_thread() { return thread_block_tile<1>(0, 1); }
inline thread_group tiled_partition(const thread_group& parent, unsigned threads) {
  return thread_group::attune_tile(parent, threads);
}
inline coalesced_group tiled_partition(const coalesced_group& parent, unsigned threads) {
  return coalesced_group(coalesced_group::attune_tile(parent, threads));
}

inline unsigned long long thread_group::num_threads() const {
  if (attune_kind == attune_host::GroupKind::block) return thread_block::size();
  if (attune_kind == attune_host::GroupKind::grid) return grid_group::size();
  return static_cast<unsigned>(__builtin_popcount(attune_mask));
}
inline unsigned long long thread_group::thread_rank() const {
  if (attune_kind == attune_host::GroupKind::block) return thread_block::thread_rank();
  if (attune_kind == attune_host::GroupKind::grid) return grid_group::thread_rank();
  return static_cast<unsigned>(__builtin_popcount(attune_mask & ((1u << attune_host::lane()) - 1)));
}

inline grid_group this_grid();
inline void thread_group::sync() const {
  if (attune_kind == attune_host::GroupKind::block) return __syncthreads();
  if (attune_kind == attune_host::GroupKind::grid) return this_grid().sync();
  __syncwarp(attune_mask);
}

// The tile of the calling thread: so many members of the parent, in the order of their ranks.
inline thread_group thread_group::attune_tile(const thread_group& parent, unsigned threads) {
  if (threads == 0 || threads > 32 || (threads & (threads - 1)) != 0 ||
      parent.attune_kind == attune_host::GroupKind::grid)
    attune_host::fault("tiled_partition() makes tiles of 1, 2, 4, 8, 16 or 32 threads, of a block or of a part of it");
  const bool of_block = parent.attune_kind == attune_host::GroupKind::block;
  const unsigned size = static_cast<unsigned>(parent.size()), rank = static_cast<unsigned>(parent.thread_rank());
  if (!of_block && size <= threads) return parent;
  // In a block the lanes of this warp that the block has, else the parent's.
  const unsigned first = rank & ~31u, in_warp = size - first < 32 ? size - first : 32;
  const unsigned among = of_block ? ~0u >> (32 - in_warp) : parent.attune_mask;
  unsigned mask = 0, number = of_block ? first : 0;
  for (unsigned left = among; left != 0; left &= left - 1, ++number)
    if (number / threads == rank / threads) mask |= left & -left;
  return thread_group(attune_host::GroupKind::lanes, mask, rank / threads, (size + threads - 1) / threads);
}

template <class Group>
void sync(const Group& group) {
  group.sync();
}
template <class Group>
auto thread_rank(const Group& group) -> decltype(group.thread_rank()) {
  return group.thread_rank();
}
template <class Group>
auto group_size(const Group& group) -> decltype(group.num_threads()) {
  return group.num_threads();
}

template <class Group, class Function, class... Arguments>
void invoke_one(const Group& group, Function&& function, Arguments&&... arguments) {
  if (group.thread_rank() == 0) static_cast<Function&&>(function)(static_cast<Arguments&&>(arguments)...);
}
template <class Group, class Function, class... Arguments>
auto invoke_one_broadcast(const Group& group, Function&& function, Arguments&&... arguments) {
  decltype(function(static_cast<Arguments&&>(arguments)...)) result{};
  if (group.thread_rank() == 0) result = static_cast<Function&&>(function)(static_cast<Arguments&&>(arguments)...);
  return group.shfl(result, 0);
}

}  // namespace cooperative_groups

#endif  // ATTUNE_HOST_COOPERATIVE_GROUPS_H
