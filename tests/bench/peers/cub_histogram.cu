// CUB's histograms, of values 0 to bins - 1.
#include <cub/device/device_histogram.cuh>

#include "cub.hpp"
#include "table.hpp"

namespace attune::peers {
namespace {

template <typename T>
std::unique_ptr<Work> work(const Call& call) {
  const long long n = call.size("n");
  const int bins = static_cast<int>(call.size("bins"));
  const auto count_values = [n, bins](void* memory, std::size_t& bytes, const Call& now, cudaStream_t stream) {
    cudaError_t result = cudaSuccess;
    with_count(n, [&](auto count) {
      result = cub::DeviceHistogram::HistogramEven(memory, bytes, now.array<const T>("in"),
                                                   now.array<unsigned>("out"), bins + 1, 0, bins, count, stream);
    });
    return result;
  };
  return cub_work(count_values, call);
}

std::unique_ptr<Work> histogram(const Call& call) {
  const std::string_view counts = call.type("out"), values = call.type("in");
  if (counts != "uint32" && counts != "int32") throw Declined("its counters have 32 bits");
  if (values == "uint8") return work<std::uint8_t>(call);
  if (values == "int32" || values == "uint32") return work<std::int32_t>(call);
  throw Declined("it is not compiled for values of the type " + std::string(values));
}

}  // namespace

std::vector<Peer> cub_histogram() { return {peer<histogram>("histogram", "cub")}; }

}  // namespace attune::peers
