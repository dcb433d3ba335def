// What a flush of the L2 cache leaves there of data that loads asked to be evicted last: a kernel reads an array,
// plainly or so, then comes a flush of one of several kinds, then the array is read again and timed, plainly or so.
// Prints medians of forty times in us, for arrays of 8, 32 and 128 MiB. Plain CUDA, without attune:
// docs/results/measurement.md.
//   nvcc -std=c++20 -O2 -arch=native tests/bench/flush_hints.cu -o flush_hints && ./flush_hints
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>

namespace {

constexpr std::size_t mebibyte = 1 << 20, other_bytes = 1024 * mebibyte, most_bytes = 128 * mebibyte;
constexpr int times_each = 40, threads = 256;

enum class Evicted { normally, last };

void check(cudaError_t result, const char* what) {
  if (result == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(result));
  std::exit(1);
}

template <Evicted EVICTED>
__global__ void read(const int4* from, std::size_t packs, int* found) {
  int bits = 0;
  for (std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x; i < packs;
       i += static_cast<std::size_t>(gridDim.x) * blockDim.x) {
    int4 pack;
    if constexpr (EVICTED == Evicted::last) {
      unsigned long long policy;
      asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
      asm volatile("ld.global.L2::cache_hint.v4.s32 {%0, %1, %2, %3}, [%4], %5;"
                   : "=r"(pack.x), "=r"(pack.y), "=r"(pack.z), "=r"(pack.w)
                   : "l"(from + i), "l"(policy));
    } else {
      asm volatile("ld.global.v4.s32 {%0, %1, %2, %3}, [%4];"
                   : "=r"(pack.x), "=r"(pack.y), "=r"(pack.z), "=r"(pack.w)
                   : "l"(from + i));
    }
    bits ^= pack.x ^ pack.y ^ pack.z ^ pack.w;
  }
  if (bits == 0x1234567) *found = bits;
}

__global__ void make_plain(const char* lines, std::size_t count) {
  for (std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x; i < count;
       i += static_cast<std::size_t>(gridDim.x) * blockDim.x)
    asm volatile("applypriority.global.L2::evict_normal [%0], 128;" ::"l"(lines + i * 128) : "memory");
}

class Bench {
 public:
  Bench() {
    cudaDeviceProp device;
    check(cudaGetDeviceProperties(&device, 0), "cudaGetDeviceProperties");
    std::printf("%s, L2 cache of %d MiB\n", device.name, device.l2CacheSize >> 20);
    blocks_ = device.multiProcessorCount * 8;
    check(cudaMalloc(&other, other_bytes), "cudaMalloc");
    check(cudaMalloc(&array, most_bytes), "cudaMalloc");
    check(cudaMalloc(&found_, sizeof(int)), "cudaMalloc");
    check(cudaMemset(other, 1, other_bytes), "cudaMemset");
    check(cudaMemset(array, 2, most_bytes), "cudaMemset");
    check(cudaEventCreate(&begin_), "cudaEventCreate");
    check(cudaEventCreate(&end_), "cudaEventCreate");
  }
  void read_all(Evicted evicted, const char* from, std::size_t bytes) const {
    const auto* packs = reinterpret_cast<const int4*>(from);
    if (evicted == Evicted::last) {
      read<Evicted::last><<<blocks_, threads>>>(packs, bytes / 16, found_);
    } else {
      read<Evicted::normally><<<blocks_, threads>>>(packs, bytes / 16, found_);
    }
  }
  void make_all_plain(const char* from, std::size_t bytes) const {
    make_plain<<<blocks_, threads>>>(from, bytes / 128);
  }
  float microseconds(const std::function<void()>& work) const {
    float milliseconds = 0;
    check(cudaEventRecord(begin_), "cudaEventRecord");
    work();
    check(cudaEventRecord(end_), "cudaEventRecord");
    check(cudaEventSynchronize(end_), "a kernel");
    check(cudaEventElapsedTime(&milliseconds, begin_, end_), "cudaEventElapsedTime");
    return milliseconds * 1000;
  }

  char *other = nullptr, *array = nullptr;

 private:
  int blocks_ = 0, *found_ = nullptr;
  cudaEvent_t begin_ = nullptr, end_ = nullptr;
};

struct Flush {
  const char* name;
  std::function<void()> run;
};

float median(std::vector<float> times) {
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

}  // namespace

int main() {
  const Bench bench;
  const auto plainly = [&](std::size_t first, std::size_t count) {
    bench.read_all(Evicted::normally, bench.other + first * mebibyte, count * mebibyte);
  };
  const auto claim = [&](std::size_t count) {
    bench.read_all(Evicted::last, bench.other, count * mebibyte);
    bench.make_all_plain(bench.other, count * mebibyte);
  };
  const std::vector<Flush> flushes = {
      {"none", [] {}},
      {"256 MiB are read", [&] { plainly(0, 256); }},
      {"1 GiB is read", [&] { plainly(0, 1024); }},
      {"256 MiB are written", [&] { check(cudaMemsetAsync(bench.other, 3, 256 * mebibyte), "cudaMemsetAsync"); }},
      {"cudaCtxResetPersistingL2Cache(), 256 MiB are read",
       [&] {
         check(cudaCtxResetPersistingL2Cache(), "cudaCtxResetPersistingL2Cache");
         plainly(0, 256);
       }},
      {"64 MiB are read to be evicted last, made plain, 192 MiB are read",
       [&] {
         claim(64);
         plainly(64, 192);
       }},
  };
  constexpr Evicted both[] = {Evicted::normally, Evicted::last};
  for (const std::size_t bytes : {8 * mebibyte, 32 * mebibyte, 128 * mebibyte}) {
    std::printf("\n| %zu MiB; flush | plain, plain | plain, last | last, plain | last, last | the flush takes |\n",
                bytes / mebibyte);
    std::printf("|---|---:|---:|---:|---:|---:|\n");
    for (const Flush& flush : flushes) {
      std::printf("| %s |", flush.name);
      float flush_time = 0;
      for (const Evicted before : both) {
        for (const Evicted timed : both) {
          check(cudaCtxResetPersistingL2Cache(), "cudaCtxResetPersistingL2Cache");
          for (int i = 0; i < 3; ++i) plainly(0, 1024);
          std::vector<float> times, flush_times;
          for (int i = 0; i < times_each; ++i) {
            bench.read_all(before, bench.array, bytes);
            flush_times.push_back(bench.microseconds(flush.run));
            plainly(1023, 1);
            times.push_back(bench.microseconds([&] { bench.read_all(timed, bench.array, bytes); }));
          }
          std::printf(" %.2f |", median(times));
          flush_time = median(flush_times);
        }
      }
      std::printf(" %.1f us |\n", flush_time);
    }
  }
  return 0;
}
