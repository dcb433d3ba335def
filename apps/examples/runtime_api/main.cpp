// attune beside the CUDA runtime API. A dispatcher uses the context that cudaSetDevice() has chosen, takes the
// runtime's pointers and streams as they are, and gives it its own. Errors of either side are those of one context.
#include <cuda_runtime_api.h>

#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

#include "attune/attune.hpp"
#include "attune/builtin.hpp"
#include "attune/pipeline.hpp"

static void check(cudaError_t result) {
  if (result != cudaSuccess) throw std::runtime_error(cudaGetErrorString(result));
}

static bool is_sum(float sum, std::size_t n, const char* of) {
  const bool is_right = sum == static_cast<float>(n);
  std::printf("%s: %s\n", of, is_right ? "correct" : "WRONG");
  return is_right;
}

// The runtime's memory and stream in a launch of attune.
static bool serves_the_runtime(const attune::Plan& plan, std::size_t n, cudaStream_t stream) {
  float *in = nullptr, *out = nullptr;
  check(cudaMalloc(reinterpret_cast<void**>(&in), n * sizeof(float)));
  check(cudaMalloc(reinterpret_cast<void**>(&out), sizeof(float)));
  const std::vector<float> ones(n, 1.0f);
  check(cudaMemcpyAsync(in, ones.data(), n * sizeof(float), cudaMemcpyDefault, stream));
  plan.launch(stream, out, in, n);
  float sum = 0;
  check(cudaMemcpyAsync(&sum, out, sizeof(float), cudaMemcpyDefault, stream));
  check(cudaStreamSynchronize(stream));
  check(cudaFree(in));
  check(cudaFree(out));
  return is_sum(sum, n, "memory and stream of the runtime");
}

// attune's memory, events and stream in calls of the runtime; the runtime records the graph.
static bool is_served(attune::Dispatcher& gpu, const attune::Plan& plan, std::size_t n, cudaStream_t stream) {
  const attune::Buffer<float> in(gpu, std::vector<float>(n, 1.0f)), out(gpu, 1);
  const attune::HostBuffer<float> pinned(gpu, 1, attune::HostMemoryKind::pinned);
  const attune::Stream own(gpu);
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  check(cudaStreamBeginCapture(own, cudaStreamCaptureModeGlobal));
  plan.launch(own, out, in, n);
  attune::copy(gpu, pinned.data(), out.data(), sizeof(float), own);
  check(cudaStreamEndCapture(own, &graph));
  check(cudaGraphInstantiate(&executable, graph, 0));
  check(cudaGraphLaunch(executable, own));
  attune::Event done(gpu);
  done.record(own);
  done.hold(stream);
  check(cudaStreamSynchronize(stream));
  check(cudaGraphExecDestroy(executable));
  check(cudaGraphDestroy(graph));
  return is_sum(pinned.data()[0], n, "memory, stream and event of attune");
}

static int run() {
  check(cudaSetDevice(0));
  check(cudaFree(nullptr));  // makes the primary context current
  attune::Dispatcher gpu;
  gpu.add(attune::builtin::reduce);
  const std::size_t n = 1 << 20;
  const attune::Plan plan = gpu.plan("reduce", {{"n", n}, {"T", "float"}, {"OP", "Op::sum"}});
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  const bool serves = serves_the_runtime(plan, n, stream), served = is_served(gpu, plan, n, stream);
  check(cudaStreamDestroy(stream));
  return serves && served ? 0 : 1;
}

int main() {
  int devices = 0;
  if (const cudaError_t result = cudaGetDeviceCount(&devices); result != cudaSuccess || devices == 0) {
    std::printf("runtime_api: skipped: no CUDA device (%s)\n", cudaGetErrorString(result));
    return 77;
  }
  try {
    return run();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "runtime_api: %s\n", error.what());
    return 1;
  }
}
