// CUB's sum, timed as attune times: for comparisons with `attune bench reduce` in the same run on the same machine.
//   nvcc -std=c++20 -O2 -arch=native -o cub_peer cub_peer.cu && ./cub_peer [SAMPLES]
// Prints a table in Markdown: microseconds, medians. The regimes are those of docs/measuring.md:
//   cold    one call alone, after a kernel that reads the larger of 256 MiB and four times the L2 cache
//   stream  the mean of a call in a graph of about a millisecond; each on its own data, used again after twice the L2
//   warm    one call alone, on the same data
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cub/device/device_reduce.cuh>
#include <vector>

namespace {

void check(cudaError_t result, int line) {
  if (result == cudaSuccess) return;
  std::fprintf(stderr, "cub_peer: line %d: %s\n", line, cudaGetErrorString(result));
  std::exit(1);
}
#define CHECK(call) check(call, __LINE__)

__global__ void read_all(const uint4* memory, size_t chunks, unsigned never_found, unsigned* found) {
  unsigned bits = 0;
  for (size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < chunks; i += size_t{gridDim.x} * blockDim.x) {
    const uint4 words = __ldcg(memory + i);
    bits |= words.x | words.y | words.z | words.w;
  }
  if (bits == never_found) *found = bits;
}

__global__ void fill(float* data, size_t count) {
  const size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < count) data[i] = static_cast<float>((i * 2654435761u >> 8) & 0xFFFFF) / 0x80000 - 1;
}

// Keeps the stream busy until the host has enqueued what follows.
__global__ void hold(long long cycles) {
  const long long begin = clock64();
  while (clock64() - begin < cycles) {
  }
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

class Peer {
 public:
  explicit Peer(int samples) : samples_(samples) {
    cudaDeviceProp device{};
    CHECK(cudaGetDeviceProperties(&device, 0));
    l2_ = static_cast<size_t>(device.l2CacheSize);
    blocks_ = device.multiProcessorCount * 8;
    flush_bytes_ = std::max(size_t{256} << 20, 4 * l2_);
    CHECK(cudaMalloc(&flush_, flush_bytes_));
    CHECK(cudaMemset(flush_, 0xA5, flush_bytes_));
    CHECK(cudaMalloc(&out_, sizeof(float)));
    CHECK(cudaStreamCreate(&stream_));
    std::printf("| %s | cold | stream | warm |\n|---|---:|---:|---:|\n", device.name);
  }

  void measure(int power) {
    count_ = size_t{1} << power;
    const size_t apart = (2 * l2_ + count_ * 4 - 1) / (count_ * 4) + 1;
    temporary_bytes_ = 0;
    CHECK(cub::DeviceReduce::Sum(nullptr, temporary_bytes_, static_cast<float*>(nullptr), out_, count_, stream_));
    CHECK(cudaMalloc(&temporary_, temporary_bytes_));
    make_sets(1);
    for (int i = 0; i < 100; ++i) sum(0);
    const double warm = alone(false);
    const int wanted = std::clamp(static_cast<int>(1000 / warm), 50, 1000), most = static_cast<int>(20000 / warm);
    const int batch = std::max(2, std::min(wanted, most));
    make_sets(std::min(apart, static_cast<size_t>(batch)));
    const double stream = in_graph(batch, apart > static_cast<size_t>(batch));
    const double cold = alone(true);
    std::printf("| sum n=2^%d float | %.2f | %.2f | %.2f |\n", power, cold, stream, warm);
    std::fflush(stdout);
    for (float* set : sets_) CHECK(cudaFree(set));
    sets_.clear();
    CHECK(cudaFree(temporary_));
  }

 private:
  void make_sets(size_t wanted) {
    while (sets_.size() < wanted) {
      float* set = nullptr;
      CHECK(cudaMalloc(&set, count_ * sizeof(float)));
      fill<<<static_cast<unsigned>((count_ + 255) / 256), 256, 0, stream_>>>(set, count_);
      sets_.push_back(set);
    }
    CHECK(cudaStreamSynchronize(stream_));
  }
  void sum(size_t set) {
    CHECK(cub::DeviceReduce::Sum(temporary_, temporary_bytes_, sets_[set], out_, count_, stream_));
  }
  void flush() {
    read_all<<<blocks_, 256, 0, stream_>>>(static_cast<const uint4*>(flush_), flush_bytes_ / 16, 1,
                                           static_cast<unsigned*>(flush_));
  }

  // Microseconds of one call: the first record is now and then early, so the second one counts.
  double alone(bool cold) {
    constexpr int at_once = 20;
    std::vector<double> taken;
    std::vector<cudaEvent_t> begin(at_once), end(at_once);
    for (int i = 0; i < at_once; ++i) {
      CHECK(cudaEventCreate(&begin[i]));
      CHECK(cudaEventCreate(&end[i]));
    }
    while (static_cast<int>(taken.size()) < samples_) {
      hold<<<1, 1, 0, stream_>>>(1'000'000);
      for (int i = 0; i < at_once; ++i) {
        if (cold) flush();
        CHECK(cudaEventRecord(begin[i], stream_));
        CHECK(cudaEventRecord(begin[i], stream_));
        sum(0);
        CHECK(cudaEventRecord(end[i], stream_));
      }
      CHECK(cudaStreamSynchronize(stream_));
      for (int i = 0; i < at_once; ++i) taken.push_back(1e3 * between(begin[i], end[i]));
    }
    return median(taken);
  }

  double in_graph(int batch, bool flushes) {
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    CHECK(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
    for (int i = 0; i < batch; ++i) sum(static_cast<size_t>(i) % sets_.size());
    CHECK(cudaStreamEndCapture(stream_, &graph));
    CHECK(cudaGraphInstantiate(&executable, graph, 0));
    cudaEvent_t begin, end;
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    std::vector<double> taken;
    for (int i = 0; i < samples_ / 10; ++i) {
      hold<<<1, 1, 0, stream_>>>(200'000);
      if (flushes) flush();
      CHECK(cudaEventRecord(begin, stream_));
      CHECK(cudaEventRecord(begin, stream_));
      CHECK(cudaGraphLaunch(executable, stream_));
      CHECK(cudaEventRecord(end, stream_));
      CHECK(cudaStreamSynchronize(stream_));
      taken.push_back(1e3 * between(begin, end) / batch);
    }
    CHECK(cudaGraphExecDestroy(executable));
    CHECK(cudaGraphDestroy(graph));
    return median(taken);
  }

  static double between(cudaEvent_t begin, cudaEvent_t end) {
    float milliseconds = 0;
    CHECK(cudaEventElapsedTime(&milliseconds, begin, end));
    return milliseconds;
  }

  const int samples_;
  size_t l2_ = 0, flush_bytes_ = 0, count_ = 0, temporary_bytes_ = 0;
  int blocks_ = 0;
  void *flush_ = nullptr, *temporary_ = nullptr;
  float* out_ = nullptr;
  std::vector<float*> sets_;
  cudaStream_t stream_ = nullptr;
};

}  // namespace

int main(int count, char** values) {
  Peer peer(count > 1 ? std::max(20, std::atoi(values[1])) : 1000);
  for (const int power : {20, 22, 24, 25, 28}) peer.measure(power);
}
