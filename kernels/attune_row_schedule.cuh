// One schedule for operations that reduce each row of a matrix and then finish its elements (softmax.cu, layernorm.cu).
//
//   Keep             where a row is between the passes
//   KeptRow          this thread's packs of a row, and its elements of head and tail
//   RowSchedule      reads rows as Keep says, lets an operation reduce them, and writes what it makes of the elements
//
// Reading and writing each element once is the limit, if a row stays on the chip between the passes. Two reductions
// over the threads of a row stand between a load and its store. Other rows of the multiprocessor have their loads under
// way meanwhile, some 48 KiB on an H200.
#pragma once

#include "attune.cuh"
#include "attune_access.cuh"
#include "attune_async.cuh"
#include "attune_packs.cuh"
#include "attune_row_pieces.cuh"
#include "attune_rows.cuh"

namespace attune {

/// Where a row is between the passes:
///   registers  in registers of its threads
///   shared     in shared memory, copied by cp.async; blocks stay, and their next rows are on their way
///   reload     in memory: each of three passes reads it, from L2 if there is room
///   online     in memory, but the reduction takes one pass
///   parts      in the L2 cache: blocks have parts of long rows, and one of two passes over them
///   columns    in registers; blocks stay, and have the same part of all rows (RowsByColumns, attune_row_columns.cuh)
enum class Keep { registers, shared, reload, online, parts, columns };

/// A row as its threads keep it: this thread's packs in `source` (attune_rows.cuh), and its elements of head and tail.
template <typename TEAM, typename ROW, typename SOURCE>
struct KeptRow {
  using Team = TEAM;
  using Element = typename ROW::Element;
  using P = typename ROW::P;
  using Sum = typename SOURCE::Sum;  // adds a value of each pack
  static constexpr int VECTOR = sizeof(P) / sizeof(Element);

  const ROW& row;
  SOURCE& source;
  RowEdges<Team, Element, VECTOR>& edges;

  /// Calls use(pack, its number, is it there?).
  template <typename Use>
  __device__ __forceinline__ void for_each_pack(const Use& use) {
    source.for_each(row, use);
  }
  /// Calls use(element, its column) for those of head and tail.
  template <typename Use>
  __device__ __forceinline__ void for_each_edge(const Use& use) {
    edges.for_each(row, use);
  }
};

/// How a launch cuts long rows (Keep::parts): into `parts` parts of `part_columns` each but for the last one. Groups of
/// `group_rows` rows are taken together; the second pass over a group comes `lag` groups behind the first.
struct RowCuts {
  long long part_columns;
  int parts, group_rows, lag;
};

/// Works on all rows of `in`, and writes to the same places of `out`. Neither needs to be aligned for packs. `arrays`
/// of run() have an element for each column, such as weights.
///
/// Operation says what is done. `kept` is a KeptRow:
///   missing(zero)          returns what stands for elements of a pack that are not there
///   passes(kept, cells)    reduces a row in more than one pass over it. Two sets of Cell take turns, as combine_row()
///                          wants
///   one_pass(kept, cells)  reduces a row, or a part of one, to a Value in one pass
///   Combine                combines two Values of parts
///   of_row(value)          takes what passes() returns, or a Value; returns what finishes the elements of this row
///   TOGETHER               rows of a team that finish_together(out, in, cells, arrays...) takes at a time, if all rows
///                          are FullRows. It has 2 * TOGETHER sets of Cell. 0: no such function
///
/// What finishes elements has a member finish<OF_PACK>(x, elements of `arrays`...), of floats. It returns the result.
/// OF_PACK is false for elements of head and tail: passes() may have changed those of packs.
template <typename TEAM, Keep KEEP, int PACK, int ITEMS, int STAGES, Cache LOAD_CACHE, Cache STORE_CACHE, typename T,
          typename Operation>
struct RowSchedule {
  static constexpr int VECTOR = PACK / static_cast<int>(sizeof(T));
  using Team = TEAM;
  using P = Pack<T, VECTOR>;
  using R = Row<T, VECTOR>;
  using Out = RowOut<STORE_CACHE, T, VECTOR>;
  using Edges = RowEdges<Team, T, VECTOR>;
  using Cell = typename Operation::Cell;
  using Value = typename Operation::Value;

  T* out;
  const T* in;
  long long rows, columns;
  const Operation& operation;

  __device__ __forceinline__ R row_at(long long r) const {
    return R(in + (r < rows ? r * columns : 0), r < rows ? columns : 0);
  }
  __device__ __forceinline__ Out out_at(long long r, const R& row) const {
    return Out(out + (r < rows ? r * columns : 0), row);
  }

  // ---- Writing ----

  struct Floats {
    float number[VECTOR];
  };
  /// The elements of `array` beside a pack of the row.
  template <bool BY_PACKS, typename ROW>
  __device__ __forceinline__ static Floats beside(const T* array, const ROW& row, long long number) {
    Floats floats;
    if constexpr (BY_PACKS) {
      floats_of(load_reused(reinterpret_cast<const P*>(array + row.head) + number), floats.number);
    } else {
      P pack;
      array += row.column_of_pack(number);
#pragma unroll
      for (int k = 0; k < VECTOR; ++k) pack.element[k] = array[k];
      floats_of(pack, floats.number);
    }
    return floats;
  }
  template <typename By, typename... Beside>
  __device__ __forceinline__ static void finish(float (&x)[VECTOR], const By& by, const Beside&... of_arrays) {
#pragma unroll
    for (int k = 0; k < VECTOR; ++k) x[k] = by.template finish<true>(x[k], of_arrays.number[k]...);
  }
  template <bool BY_PACKS, typename Kept, typename By, typename... Arrays>
  __device__ __forceinline__ static void write_packs(Kept& kept, const Out& to, const By& by, const Arrays*... arrays) {
    kept.for_each_pack([&](P& pack, long long number, bool is_there) {
      if (sizeof...(arrays) > 0 && !is_there) return;  // the arrays have no such columns
      float x[VECTOR];
      floats_of(pack, x);
      finish(x, by, beside<BY_PACKS>(arrays, kept.row, number)...);
      if (is_there) to.template put<BY_PACKS>(number, pack_of<T>(x));
    });
  }
  /// Writes the finished elements of a row whose value is known. `arrays` begin at the column of the first one.
  template <typename Kept, typename V, typename... Arrays>
  __device__ __forceinline__ void write(Kept& kept, const Out& to, const V& value, const Arrays*... arrays) const {
    const auto by = operation.of_row(value);
    kept.for_each_edge([&](T& element, long long at) {
      to.elements[at] =
          static_cast<T>(by.template finish<false>(static_cast<float>(element), static_cast<float>(arrays[at])...));
    });
    if ((to.by_packs && ... && aligned<P>(arrays + kept.row.head))) {
      write_packs<true>(kept, to, by, arrays...);
    } else {
      write_packs<false>(kept, to, by, arrays...);
    }
  }

  // ---- Whole rows ----

  template <typename ROW, typename... Arrays>
  __device__ __forceinline__ void row_in_registers(const ROW& row, const Out& to, Cell (*cells)[Team::CELLS],
                                                   const Arrays*... arrays) const {
    RowInRegisters<Team, T, VECTOR, ITEMS> source;
    Edges edges;
    source.template load<LOAD_CACHE>(row, Operation::missing(static_cast<T>(0.0f)));
    edges.load(row);
    Team::begin();
    KeptRow<Team, ROW, RowInRegisters<Team, T, VECTOR, ITEMS>> kept{row, source, edges};
    write(kept, to, operation.passes(kept, cells), arrays...);
  }
  template <typename... Arrays>
  __device__ __forceinline__ void in_registers(const Arrays*... arrays) const {
    constexpr int TOGETHER = Operation::TOGETHER > 0 ? Operation::TOGETHER : 1;
    __shared__ Cell cells[2 * TOGETHER][Team::CELLS];
    using Full = FullRow<T, VECTOR, Team::SIZE * ITEMS>;
    long long r = Team::first_row(TOGETHER);
    if (are_full<Team, Full, TOGETHER>(rows, columns, in, out, arrays...)) {
      const long long start = r * Full::columns;
      if constexpr (Operation::TOGETHER > 0) {
        operation.template finish_together<Full, Team, ITEMS, LOAD_CACHE, STORE_CACHE>(out + start, in + start, cells,
                                                                                       arrays...);
      } else {
        const Full row{in + start};
        row_in_registers(row, Out(out + start, row), cells, arrays...);
      }
    } else {
#pragma unroll 1
      for (int j = 0; j < TOGETHER; ++j, r += Team::ROWS) {
        const R row = row_at(r);
        row_in_registers(row, out_at(r, row), cells, arrays...);
      }
    }
  }

  /// A thread has `slots` packs of each of STAGES rows in dynamic shared memory.
  template <typename... Arrays>
  __device__ __forceinline__ void in_shared(int slots, const Arrays*... arrays) const {
    extern __shared__ int4 row_memory[];
    __shared__ Cell cells[2][Team::CELLS];
    using Source = RowInShared<Team, T, VECTOR>;
    const auto source_at = [&](int place) {
      return Source{reinterpret_cast<P*>(row_memory) + place * slots * Team::BLOCK + threadIdx.x};
    };
    const auto fetch = [&](long long of, int place) {
      source_at(place).fetch(row_at(of));
      commit_copies();
    };
    long long r = Team::first_row();
#pragma unroll
    for (int place = 0; place < STAGES - 1; ++place) fetch(r + place * Team::row_step(), place);
    Team::begin();
    int place = 0;
#pragma unroll 1
    for (; Team::any_row(r, rows); r += Team::row_step()) {
      fetch(r + (STAGES - 1) * Team::row_step(), place == 0 ? STAGES - 1 : place - 1);
      const R row = row_at(r);
      Edges edges;
      edges.load(row);
      wait_for_copies<STAGES - 1>();
      Source source = source_at(place);
      KeptRow<Team, R, Source> kept{row, source, edges};
      const auto value = operation.passes(kept, cells);
      write(kept, out_at(r, row), value, arrays...);
      if (++place == STAGES) place = 0;
    }
  }

  template <typename... Arrays>
  __device__ __forceinline__ void in_memory(const Arrays*... arrays) const {
    const long long r = Team::first_row();
    const R row = row_at(r);
    RowInMemory<Team, T, VECTOR, ITEMS, LOAD_CACHE> source;
    Edges edges;
    edges.load(row);
    Team::begin();
    KeptRow<Team, R, RowInMemory<Team, T, VECTOR, ITEMS, LOAD_CACHE>> kept{row, source, edges};
    if constexpr (KEEP == Keep::reload) {
      __shared__ Cell cells[2][Team::CELLS];
      const auto value = operation.passes(kept, cells);
      write(kept, out_at(r, row), value, arrays...);
    } else {
      __shared__ Value cells[Team::CELLS];
      const auto value = operation.one_pass(kept, cells);
      write(kept, out_at(r, row), value, arrays...);
    }
  }

  // ---- Parts of long rows ----

  /// `values`, scratch, has one for each row and part; `passed`, scratch, a number for each group.
  template <typename... Arrays>
  __device__ __forceinline__ void by_parts(const RowCuts& cuts, Value* values, unsigned* passed,
                                           const Arrays*... arrays) const {
    __shared__ Value cells[2][Team::CELLS];
    const PassOfBlock pass = pass_of_block(rows, cuts.parts, cuts.group_rows, cuts.lag);
    if (pass.first_row >= rows) return;
    const long long column = pass.part * cuts.part_columns, left = columns - column;
    const long long length = left < cuts.part_columns ? left : cuts.part_columns;
    if (pass.is_second) begin_second_pass(passed + pass.group, cuts.parts);
#pragma unroll 1
    for (long long r = pass.first_row; r < pass.end_row; ++r) {
      const R part(in + r * columns + column, length);
      Value* const of_parts = values + r * cuts.parts;
      RowInRegisters<Team, T, VECTOR, ITEMS> source;
      Edges edges;
      KeptRow<Team, R, RowInRegisters<Team, T, VECTOR, ITEMS>> kept{part, source, edges};
      if (pass.is_second) {
        source.template load<LOAD_CACHE>(part, T());
        edges.load(part);
        const Value value = combine_parts<typename Operation::Combine, Team>(of_parts, cuts.parts, cells[r % 2]);
        write(kept, Out(out + r * columns + column, part), value, arrays + column...);
      } else {
        source.template load<Cache::plain>(part, Operation::missing(static_cast<T>(0.0f)));
        edges.load(part);
        const Value value = operation.one_pass(kept, cells[r % 2]);
        if (threadIdx.x == 0) of_parts[pass.part] = value;
      }
    }
    if (!pass.is_second) end_first_pass(passed + pass.group);
  }

  /// Does what KEEP says: `slots` are for Keep::shared; `cuts`, `values` and `passed` for Keep::parts.
  template <typename... Arrays>
  __device__ __forceinline__ void run(long long slots, const RowCuts& cuts, Value* values, unsigned* passed,
                                      const Arrays*... arrays) const {
    if constexpr (KEEP == Keep::registers) {
      in_registers(arrays...);
    } else if constexpr (KEEP == Keep::shared) {
      in_shared(static_cast<int>(slots), arrays...);
    } else if constexpr (KEEP == Keep::parts) {
      by_parts(cuts, values, passed, arrays...);
    } else {
      in_memory(arrays...);
    }
  }
};

}  // namespace attune
