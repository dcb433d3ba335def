// The interface between a compiled kernel object and the executor. Both include it: the executor as a header, kernels
// as embedded text before their source. A change here needs a new host_abi_version.
#pragma once

namespace attune_host {

inline constexpr unsigned host_abi_version = 4;

struct Index3 {
  unsigned x, y, z;
};

// The running CUDA thread; one per fiber. The executor sets the object's `current` pointer at every switch.
struct Thread {
  Index3 thread_index;
  Index3 block_index;
  Index3 block_size;
  Index3 grid_size;
  void* dynamic_shared;      // of the block, 256-byte aligned
  unsigned lane;             // linear thread index modulo 32
  unsigned operations;       // atomic operations so far: every so many yield
  unsigned cooperative = 0;  // whether all blocks of the launch run at once
};

// A tensor map, as attune_async.cuh reads it. All zeros: there is none.
struct alignas(64) TensorMap {
  unsigned char* address;
  unsigned long long shape[5];    // elements; 1 in dimensions that there are not
  unsigned long long strides[5];  // bytes, of each dimension
  unsigned short box[5];          // elements; 1 in dimensions that there are not
  unsigned short dimensions, element_bytes, swizzle;
};
static_assert(sizeof(TensorMap) == 128, "as large as a GPU's");

// How __syncthreads() and its relatives combine the predicates of a block. `grid` combines nothing, and waits for all
// blocks of a cooperative launch.
enum class BlockVote : unsigned { none, count, all, any, grid };

// The executor's services for a kernel. Every function acts for the running thread and may switch to others.
struct Runtime {
  unsigned version;
  // Waits for every thread of the block that has not exited; returns the combined predicate. `name` is the intrinsic's.
  int (*sync_block)(BlockVote vote, int predicate, const char* name);
  // Waits for every lane of `mask` that has not exited. Sets values[lane] to the value of each lane. Returns the lanes
  // that took part. `values` has 32 elements.
  unsigned (*exchange)(unsigned mask, unsigned long long value, unsigned long long* values, const char* name);
  // Returns the lanes of this warp at the same call while all others of the block wait or have exited. `place`
  // identifies the call.
  unsigned (*active_mask)(const void* place);
  // Lets other threads of the block run.
  void (*yield)();
  // Ends the launch with a fault; does not return.
  void (*fault)(const char* what);
  // Begins or ends a static shared variable of sanitized code: nothing may touch the `fence` bytes on either side.
  void (*fence)(const char* name, void* variable, unsigned long bytes, unsigned long fence) = nullptr;
  void (*unfence)(void* variable) = nullptr;
};

}  // namespace attune_host
