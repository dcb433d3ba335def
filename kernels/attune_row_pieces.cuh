// Rows of a matrix that blocks read in other pieces than whole rows (attune_rows.cuh has those).
//
//   RowPart, part_of_block      few long rows: each block reads a part of one
//   join_parts, combine_parts   the value of a row out of those of its parts, in a fixed order
//   pass_of_block, ...          two passes over long rows: the second reads from the L2 cache what the first has read
//   for_each_row_in_tiles       many short rows: a block reads tiles of whole rows by bulk copies (sm_90)
#pragma once

#include "attune.cuh"
#include "attune_bulk.cuh"
#include "attune_combine.cuh"
#include "attune_rows.cuh"

namespace attune {

// ---- Parts of long rows ----

/// What a block reads: `columns` elements of this row, from `column` on.
struct RowPart {
  long long row, column, columns;
};

/// The block's part, where each row has `parts` of them, of `part_columns` each but for the last one. Blocks lie along
/// x.
__device__ __forceinline__ RowPart part_of_block(long long columns, long long part_columns, int parts) {
  RowPart part;
  part.row = blockIdx.x / static_cast<unsigned>(parts);
  part.column = blockIdx.x % static_cast<unsigned>(parts) * part_columns;
  part.columns = columns - part.column < part_columns ? columns - part.column : part_columns;
  return part;
}

/// Returns, in all threads of a row, the combination of the `parts` values of a row from `values` on. `cells` are those
/// of combine_row().
template <typename Operator, typename Team, typename Value>
__device__ __forceinline__ Value combine_parts(const Value* values, int parts, Value* cells) {
  Value value = Operator::identity();
#pragma unroll 4
  for (int i = Team::rank(); i < parts; i += Team::SIZE) value = Operator::combine(value, values[i]);
  return combine_row<Operator, Team>(value, cells);
}

/// Combines the `value` of this block with those of the other parts of its row. Algorithm::last_block returns true in
/// the block that ends last of them: `value` is then that of the row. Algorithm::two_pass leaves the values to a second
/// step, which calls combine_parts(). `values`, scratch, has one for each block; `tickets`, scratch, one for each row.
/// The team is the block; `cells` are those of combine_row(), other ones than those it has used last.
template <Algorithm ALGORITHM, typename Operator, typename Team, typename Value>
__device__ __forceinline__ bool join_parts(Value& value, long long row, int parts, Value* values, unsigned* tickets,
                                           Value* cells) {
  static_assert(ALGORITHM == Algorithm::last_block || ALGORITHM == Algorithm::two_pass, "ways of a fixed order");
  static_assert(Team::SIZE == Team::BLOCK, "a block has one part");
  bool is_last = false;
  if (threadIdx.x == 0) {
    values[blockIdx.x] = value;
    if constexpr (ALGORITHM == Algorithm::last_block) {
      __threadfence();  // the value is visible before the ticket says so
      is_last = atomicAdd(tickets + row, 1u) == static_cast<unsigned>(parts - 1);
      if (is_last) tickets[row] = 0;  // for the next launch
    }
  }
  if constexpr (ALGORITHM == Algorithm::last_block) {
    if (!__syncthreads_or(is_last)) return false;
    __threadfence();
    value = combine_parts<Operator, Team>(values + row * parts, parts, cells);
    return true;
  }
  return false;
}

// ---- Two passes over parts of long rows ----
//
// Each block does one pass over one part, of the rows of a group. The first pass leaves a value for each part. The
// second, `lag` groups later, combines those of a row, and reads the part again. It is in the L2 cache, if that has room
// for the rows of so many groups. Blocks of both passes take turns, so the device reads and writes at the same time. A
// block waits for blocks of lower index only.

/// What this block does: a pass over part `part` of the rows from `first_row` to `end_row` - 1. It may be none.
struct PassOfBlock {
  bool is_second;
  int part;
  long long group, first_row, end_row;
};

/// The grid has 2 * parts * (groups + lag) blocks, along x; lag is 1 at least.
__device__ __forceinline__ PassOfBlock pass_of_block(long long rows, int parts, int group_rows, int lag) {
  PassOfBlock pass;
  const unsigned place = blockIdx.x % (2u * static_cast<unsigned>(parts));
  pass.is_second = place % 2 != 0;
  pass.part = static_cast<int>(place / 2);
  pass.group = static_cast<long long>(blockIdx.x / (2u * static_cast<unsigned>(parts))) - (pass.is_second ? lag : 0);
  pass.first_row = pass.group < 0 ? rows : pass.group * group_rows;
  pass.end_row = pass.first_row + group_rows < rows ? pass.first_row + group_rows : rows;
  return pass;
}

/// Ends the first pass: what thread 0 has written is there for the second. `passed`, scratch, is the group's number.
__device__ __forceinline__ void end_first_pass(unsigned* passed) {
  if (threadIdx.x != 0) return;
  __threadfence();
  atomicAdd(passed, 1u);
}

/// Begins the second pass: waits for the first one over all parts. All threads of the block call it.
__device__ __forceinline__ void begin_second_pass(unsigned* passed, int parts) {
  if (threadIdx.x == 0) {
    while (*static_cast<volatile unsigned*>(passed) < static_cast<unsigned>(parts)) __nanosleep(50);
    __threadfence();
    const bool is_last = atomicAdd(passed, 1u) == 2u * static_cast<unsigned>(parts) - 1;
    if (is_last) *passed = 0;  // for the next launch
  }
  __syncthreads();
}

// ---- Tiles of short rows ----

/// Calls use(row, elements, count, by_packs) for the rows of each of the block's tiles: `tile_rows` rows that the block
/// reads as one piece, whatever their length. `count` is `columns`, or 0 where this thread has no row. All threads of
/// the block call `use` equally often, and those of a row with the same row. The row lies in shared memory, but for the
/// last few rows. `by_packs`: it begins at a multiple of 16 bytes and its length is one.
///
/// `tile_rows * sizeof(T)` is a multiple of 16. The step has `stages * tile_rows * columns * sizeof(T)` bytes of
/// dynamic shared memory, and 1 to 8 stages. Where `in` is aligned for single elements only, each row is read where it
/// is.
template <typename Team, typename T, typename Use>
__device__ __forceinline__ void for_each_row_in_tiles(const T* in, long long rows, int columns, int tile_rows,
                                                      int stages, const Use& use) {
  constexpr int VECTOR = 16 / sizeof(T);
  const int place = static_cast<int>(threadIdx.x) / Team::TPR;
  long long done = 0, end = rows;
  if (aligned<int4>(in)) {
    const int4* const arrays[] = {reinterpret_cast<const int4*>(in)};
    const long long packs = rows * columns / VECTOR;
    const bool by_packs = columns % VECTOR == 0;
    long long first = static_cast<long long>(blockIdx.x) * tile_rows;  // row of the tile
    for_each_bulk_tile(arrays, packs, stages, tile_rows * columns * static_cast<int>(sizeof(T)),
                       [&](const int4* tile, int, int count) {
                         const T* const elements = reinterpret_cast<const T*>(tile);
                         const int whole = count * VECTOR / columns;  // rows that are all there
#pragma unroll 1
                         for (int start = 0; start < whole; start += Team::ROWS) {
                           const int at = start + place;
                           use(first + at, elements + at * columns, at < whole ? columns : 0, by_packs);
                         }
                         first += static_cast<long long>(gridDim.x) * tile_rows;
                       });
    done = packs * VECTOR / columns;  // less than a pack of the array is missing from the last tile
    end = blockIdx.x == 0 ? rows : 0;
  }
#pragma unroll 1
  for (long long row = done + Team::first_row(); Team::any_row(row, end); row += Team::row_step())
    use(row, in + row * columns, row < end ? columns : 0, false);
}

}  // namespace attune
