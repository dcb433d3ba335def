// What a sample of a short kernel scatters by, and what of it belongs to the events: a transpose of 4096^2 floats
// behind a flush of the L2 cache, enqueued in several ways, a thousand times each. Prints quantiles in us, and how well
// sixty paired ratios of such samples tell two kernels apart. Plain CUDA, without attune: docs/results/measurement.md.
//   nvcc -std=c++20 -O2 -arch=native tests/bench/launch_noise.cu -o launch_noise && ./launch_noise
#include <cuda_runtime.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

namespace {

constexpr int matrix_width = 4096;
constexpr int tile_size = 32, tile_rows = 8;
constexpr unsigned long long ahead_ns = 2'000'000;
constexpr int in_one_go = 40, times_each = 26;  // the first time is not counted

void check(cudaError_t result, const char* what) {
  if (result == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(result));
  std::exit(1);
}

__device__ unsigned long long now() {
  unsigned long long nanoseconds;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(nanoseconds));
  return nanoseconds;
}

// span: the first block's begin and the last one's end, when it is given.
__global__ void transpose(const float* in, float* out, unsigned long long* span) {
  __shared__ float tile[tile_size][tile_size + 1];
  const bool tells = span != nullptr && threadIdx.x == 0 && threadIdx.y == 0;
  if (tells) atomicMin(&span[0], now());
  const int column = blockIdx.x * tile_size, row = blockIdx.y * tile_size;
  for (int i = threadIdx.y; i < tile_size; i += tile_rows) tile[i][threadIdx.x] = in[(row + i) * matrix_width + column + threadIdx.x];
  __syncthreads();
  for (int i = threadIdx.y; i < tile_size; i += tile_rows)
    out[(column + i) * matrix_width + row + threadIdx.x] = tile[threadIdx.x][i];
  if (span != nullptr) __syncthreads();
  if (tells) atomicMax(&span[1], now());
}

__global__ void idle(unsigned long long nanoseconds) {
  const unsigned long long begin = now();
  while (now() - begin < nanoseconds) {
  }
}

double quantile(const std::vector<double>& sorted, double q) {
  return sorted[static_cast<std::size_t>(q * static_cast<double>(sorted.size() - 1))];
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return quantile(values, 0.5);
}

// The standard deviation of the median of sixty log-ratios of samples drawn from these.
double precision(const std::vector<double>& samples) {
  constexpr int pairs = 60, draws = 1000;
  std::mt19937 random(1);
  double squares = 0;
  for (int draw = 0; draw < draws; ++draw) {
    std::vector<double> ratios;
    for (int i = 0; i < pairs; ++i)
      ratios.push_back(std::log(samples[random() % samples.size()] / samples[random() % samples.size()]));
    squares += std::pow(median(ratios), 2);
  }
  return std::sqrt(squares / draws);
}

void show(const std::string& name, std::vector<double> us) {
  const double apart = precision(us);
  std::sort(us.begin(), us.end());
  std::printf("| %s ", name.c_str());
  for (const double q : {0.02, 0.25, 0.5, 0.75, 0.98}) std::printf("| %.2f ", quantile(us, q));
  std::printf("| %.2f %% |\n", 100 * apart);
}

struct Way {
  std::string name;
  int records = 1;  // of the event before the kernel
  bool flushes = true, own_stream = false, spans = false;
  int launches = 1, launches_before = 0;  // between the events, and before the first
  unsigned long long idle_ns = 0;
};

// Of each sample: when it began and when it ended, in ns.
using Spans = std::array<std::array<unsigned long long, 2>, in_one_go>;

class Bench {
 public:
  Bench() {
    int l2_bytes = 0;
    check(cudaDeviceGetAttribute(&l2_bytes, cudaDevAttrL2CacheSize, 0), "asking for the L2 cache");
    flush_bytes_ = 2 * static_cast<std::size_t>(l2_bytes);
    std::vector<float> random(static_cast<std::size_t>(matrix_width) * matrix_width);
    for (float& one : random) one = static_cast<float>(std::rand());
    check(cudaMalloc(&in_, random.size() * sizeof(float)), "allocating");
    check(cudaMalloc(&out_, random.size() * sizeof(float)), "allocating");
    check(cudaMalloc(&flush_, flush_bytes_), "allocating");
    check(cudaMalloc(&spans_, sizeof(Spans)), "allocating");
    check(cudaMemcpy(in_, random.data(), random.size() * sizeof(float), cudaMemcpyHostToDevice), "copying");
    check(cudaStreamCreateWithFlags(&own_, cudaStreamNonBlocking), "making a stream");
    for (auto* events : {&starts_, &stops_})
      for (cudaEvent_t& event : *events) check(cudaEventCreate(&event), "making an event");
    for (int i = 0; i < 3000; ++i) launch(nullptr, nullptr);
    check(cudaDeviceSynchronize(), "warming up");
  }

  void run(const Way& way) {
    std::vector<double> us, inside;
    for (int time = 0; time < times_each; ++time) {
      Spans spans;
      for (auto& span : spans) span = {~0ull, 0};
      check(cudaMemcpy(spans_, &spans, sizeof(spans), cudaMemcpyHostToDevice), "copying");
      idle<<<1, 1, 0, way.own_stream ? own_ : nullptr>>>(ahead_ns);  // while the rest is enqueued
      for (int i = 0; i < in_one_go; ++i) enqueue(way, i);
      check(cudaGetLastError(), "launching");
      check(cudaDeviceSynchronize(), "running samples");
      check(cudaMemcpy(&spans, spans_, sizeof(spans), cudaMemcpyDeviceToHost), "copying");
      for (int i = 0; i < in_one_go && time > 0; ++i) {
        float milliseconds = 0;
        check(cudaEventElapsedTime(&milliseconds, starts_[i], stops_[i]), "reading events");
        us.push_back(1e3 * milliseconds);
        inside.push_back(1e-3 * static_cast<double>(spans[i][1] - spans[i][0]));
      }
    }
    show(way.name, us);
    if (way.spans) show(way.name + ": from its first block to its last", inside);
  }

 private:
  void launch(cudaStream_t stream, unsigned long long* span) {
    transpose<<<dim3(matrix_width / tile_size, matrix_width / tile_size), dim3(tile_size, tile_rows), 0, stream>>>(in_, out_, span);
  }

  void enqueue(const Way& way, int i) {
    const cudaStream_t stream = way.own_stream ? own_ : nullptr;
    if (way.flushes) check(cudaMemsetAsync(flush_, ++word_ & 0xFF, flush_bytes_, stream), "flushing");
    if (way.idle_ns > 0) idle<<<1, 1, 0, stream>>>(way.idle_ns);
    for (int k = 0; k < way.launches_before; ++k) launch(stream, nullptr);
    for (int k = 0; k < way.records; ++k) check(cudaEventRecord(starts_[i], stream), "recording");
    for (int k = 0; k < way.launches; ++k) launch(stream, way.spans ? spans_ + 2 * i : nullptr);
    check(cudaEventRecord(stops_[i], stream), "recording");
  }

  std::size_t flush_bytes_ = 0;
  float *in_ = nullptr, *out_ = nullptr;
  void* flush_ = nullptr;
  unsigned long long* spans_ = nullptr;
  int word_ = 0;
  cudaStream_t own_ = nullptr;
  std::vector<cudaEvent_t> starts_ = std::vector<cudaEvent_t>(in_one_go), stops_ = starts_;
};

}  // namespace

int main() {
  Bench bench;
  std::printf(
      "| us | 2 %% | 25 %% | 50 %% | 75 %% | 98 %% | sixty pairs tell apart |\n|---|---:|---:|---:|---:|---:|---:|\n");
  std::vector<Way> ways{{.name = "event recorded once"},
                        {.name = "twice", .records = 2},
                        {.name = "three times", .records = 3},
                        {.name = "twice, 200 us of idling behind the flush", .records = 2, .idle_ns = 200'000},
                        {.name = "twice, no flush", .records = 2, .flushes = false},
                        {.name = "once, another stream", .own_stream = true},
                        {.name = "twice, another stream", .records = 2, .own_stream = true},
                        {.name = "twice, two launches", .records = 2, .launches = 2},
                        {.name = "twice, the kernel tells its time", .records = 2, .spans = true},
                        {.name = "two events behind a flush", .launches = 0},
                        {.name = "two events behind a kernel", .launches = 0, .launches_before = 1}};
  for (int pass = 0; pass < 2; ++pass)
    for (const Way& way : ways) bench.run(way);
  return 0;
}
