// Arrays that a grid reads once from end to end, by copies of kilobytes (sm_90; see attune_async.cuh).
#pragma once

#include "attune_async.cuh"

namespace attune {

/// Calls `use(tile, stride, count)` in all threads of the block for each of its tiles. They lie in shared memory. Array
/// k's part is the `count` packs of 16 bytes from `tile + k * stride` on. Up to `stages` tiles (1 to 8) are on their way
/// at a time. A stage is filled again when all threads have read it. `arrays` are aligned to 16 bytes and have `packs`
/// packs each. The step has `stages * ARRAYS * stage_bytes` bytes of dynamic shared memory. Blocks lie along x.
template <int ARRAYS, typename Use>
__device__ __forceinline__ void for_each_bulk_tile(const int4* const (&arrays)[ARRAYS], long long packs, int stages,
                                                   int stage_bytes, const Use& use) {
  constexpr int MOST_STAGES = 8;
  extern __shared__ int4 stage_memory[];
  __shared__ Barrier arrived[MOST_STAGES];
  const int tid = static_cast<int>(threadIdx.x), stage_packs = stage_bytes / 16;
  const long long step = static_cast<long long>(gridDim.x) * stage_packs;
  const auto count_from = [&](long long start) {
    return static_cast<int>(packs - start < stage_packs ? packs - start : stage_packs);
  };
  const auto fetch = [&](long long start, int stage) {
    if (start >= packs) return;
    const unsigned bytes = static_cast<unsigned>(count_from(start)) * 16;
    int4* const to = stage_memory + ARRAYS * stage * stage_packs;
    arrive_expecting(arrived[stage], ARRAYS * bytes);
#pragma unroll
    for (int k = 0; k < ARRAYS; ++k) load_bulk(to + k * stage_packs, arrays[k] + start, bytes, arrived[stage]);
  };
  long long start = static_cast<long long>(blockIdx.x) * stage_packs;
  if (tid == 0) {
    for (int stage = 0; stage < stages; ++stage) init(arrived[stage], 1);
    fence_barriers();
    for (int stage = 0; stage < stages; ++stage) fetch(start + stage * step, stage);
  }
  __syncthreads();
  int stage = 0;
  unsigned parity = 0;
  for (; start < packs; start += step) {
    wait(arrived[stage], parity);
    use(stage_memory + ARRAYS * stage * stage_packs, stage_packs, count_from(start));
    if (start + stages * step < packs) {
      __syncthreads();
      if (tid == 0) fetch(start + stages * step, stage);
    }
    if (++stage == stages) {
      stage = 0;
      parity ^= 1;
    }
  }
}

}  // namespace attune
