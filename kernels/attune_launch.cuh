// How blocks of a launch, and launches that follow each other, work together. PTX from sm_90 on; below, and on the host
// device, launches do not overlap and a cluster is one block: the functions then do what is right for that.
//
//   wait_for_previous, allow_next                       `overlap` of a step: launches that overlap
//   cluster_size, cluster_rank, sync_cluster, in_block  `cluster` of a step: blocks that share their shared memory
#pragma once

namespace attune {

// ---- Launches that overlap ----

/// Waits until the launch before has ended and what it wrote is visible. A step with `overlap` calls it before it reads
/// or writes global memory; what needs none (indices, shared memory, barriers) comes first. Every thread calls it.
__device__ __forceinline__ void wait_for_previous() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/// Allows the next launch to begin, if it overlaps, once every block has called this or ended. It promises nothing of
/// what this block writes later: the next launch waits for that by itself.
__device__ __forceinline__ void allow_next() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

// ---- Clusters ----

/// The blocks of this cluster; 1 without `cluster`.
__device__ __forceinline__ unsigned cluster_size() {
  unsigned size = 1;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(size));
#endif
  return size;
}

/// This block's place in its cluster: 0 to cluster_size() - 1.
__device__ __forceinline__ unsigned cluster_rank() {
  unsigned rank = 0;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
#endif
  return rank;
}

/// Waits for all threads of the cluster, as __syncthreads() does for those of the block. What they wrote, also into each
/// other's shared memory, is then visible. A block must not end while others use its shared memory: the last call comes
/// after that.
__device__ __forceinline__ void sync_cluster() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
#else
  __syncthreads();
#endif
}

/// Returns where the block of this rank has the variable that `shared` points to in this block's shared memory.
template <typename T>
__device__ __forceinline__ T* in_block(T* shared, unsigned rank) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  T* there;
  asm volatile("mapa.u64 %0, %1, %2;" : "=l"(there) : "l"(shared), "r"(rank));
  return there;
#else
  return shared;
#endif
}

}  // namespace attune
