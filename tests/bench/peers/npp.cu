// NPP's connected components. It labels the background's too, so it does more than the kernel. Its labels are others:
// for the comparison each becomes 1 + the first pixel of its component, and 0 in the background.
#include <nppi_filtering_functions.h>

#include "peer.hpp"
#include "table.hpp"

namespace attune::peers {
namespace {

using peers::check;

void check(NppStatus status, const char* what) {
  if (status < NPP_SUCCESS) throw Failed(std::string(what) + ": NPP's status " + std::to_string(status));
}

// What NPP wants to know of the device and of the stream.
NppStreamContext context_of(cudaStream_t stream) {
  NppStreamContext context{};
  cudaDeviceProp device{};
  check(cudaGetDevice(&context.nCudaDeviceId), "cudaGetDevice");
  check(cudaGetDeviceProperties(&device, context.nCudaDeviceId), "cudaGetDeviceProperties");
  context.hStream = stream;
  context.nMultiProcessorCount = device.multiProcessorCount;
  context.nMaxThreadsPerMultiProcessor = device.maxThreadsPerMultiProcessor;
  context.nMaxThreadsPerBlock = device.maxThreadsPerBlock;
  context.nSharedMemPerBlock = device.sharedMemPerBlock;
  context.nCudaDevAttrComputeCapabilityMajor = device.major;
  context.nCudaDevAttrComputeCapabilityMinor = device.minor;
  return context;
}

constexpr unsigned none = ~0u;

__global__ void find_first(unsigned* first, const Npp32u* labels, unsigned pixels) {
  for (unsigned p = blockIdx.x * blockDim.x + threadIdx.x; p < pixels; p += gridDim.x * blockDim.x)
    if (labels[p] <= pixels) atomicMin(first + labels[p], p);
}

__global__ void set_labels(Npp32u* labels, const unsigned* first, const Npp8u* image, unsigned pixels) {
  for (unsigned p = blockIdx.x * blockDim.x + threadIdx.x; p < pixels; p += gridDim.x * blockDim.x)
    labels[p] = image[p] == 0 ? 0 : labels[p] <= pixels ? first[labels[p]] + 1 : none;
}

class Components final : public Work {
 public:
  Components(NppiSize image, NppiNorm neighbours)
      : image_(image),
        neighbours_(neighbours),
        memory_(bytes_for(image)),
        first_((pixels() + 1) * sizeof(unsigned)),
        context_(context_of(nullptr)) {}
  void enqueue(const Call& call, cudaStream_t stream) override {
    context_.hStream = stream;
    check(cudaStreamGetFlags(stream, &context_.nStreamFlags), "cudaStreamGetFlags");
    check(nppiLabelMarkersUF_8u32u_C1R_Ctx(call.array<Npp8u>("image"), image_.width, call.array<Npp32u>("labels"),
                                           image_.width * 4, image_, neighbours_, static_cast<Npp8u*>(memory_.data()),
                                           context_),
          "nppiLabelMarkersUF_8u32u_C1R_Ctx");
  }

  void finish(const Call& call, cudaStream_t stream) override {
    unsigned* const first = static_cast<unsigned*>(first_.data());
    Npp32u* const labels = call.array<Npp32u>("labels");
    check(cudaMemsetAsync(first, 0xff, first_.bytes(), stream), "cudaMemsetAsync");
    find_first<<<1024, 256, 0, stream>>>(first, labels, pixels());
    set_labels<<<1024, 256, 0, stream>>>(labels, first, call.array<Npp8u>("image"), pixels());
    check(cudaGetLastError(), "labels in the kernel's form");
  }

 private:
  unsigned pixels() const { return static_cast<unsigned>(image_.width) * static_cast<unsigned>(image_.height); }
  static std::size_t bytes_for(NppiSize image) {
    int bytes = 0;
    check(nppiLabelMarkersUFGetBufferSize_32u_C1R(image, &bytes), "nppiLabelMarkersUFGetBufferSize_32u_C1R");
    return static_cast<std::size_t>(bytes);
  }
  const NppiSize image_;
  const NppiNorm neighbours_;
  const TemporaryMemory memory_, first_;
  NppStreamContext context_;
};

std::unique_ptr<Work> components(const Call& call) {
  if (call.text("L") != "int32") throw Declined("its labels have 32 bits");
  const long long width = call.size("width"), height = call.size("height");
  if (width * height >= 1ll << 29) throw Declined("it counts bytes of its temporary memory in 32 bits");
  const NppiNorm neighbours = call.text("NEIGHBOURS") == "Neighbours::four" ? nppiNormL1 : nppiNormInf;
  return std::make_unique<Components>(NppiSize{static_cast<int>(width), static_cast<int>(height)}, neighbours);
}

}  // namespace

std::vector<Peer> npp() { return {peer<components>("components", "npp")}; }

}  // namespace attune::peers
