// CUB's histograms, of values 0 to bins - 1; others are not counted.
#include <cub/device/device_histogram.cuh>

#include "cub.hpp"
#include "table.hpp"

namespace attune::peers {
namespace {

template <typename T, typename Counter>
std::unique_ptr<Work> work(const Call& call) {
  const long long n = call.size("n");
  const int bins = static_cast<int>(call.size("bins"));
  const auto count_values = [n, bins](void* memory, std::size_t& bytes, const Call& now, cudaStream_t stream) {
    cudaError_t result = cudaSuccess;
    with_count(n, [&](auto count) {
      result = cub::DeviceHistogram::HistogramEven(memory, bytes, now.array<const T>("in"),
                                                   now.array<Counter>("out"), bins + 1, 0, bins, count, stream);
    });
    return result;
  };
  return cub_work(count_values, call);
}

template <typename T>
std::unique_ptr<Work> of_counter(const Call& call) {
  if (call.type("out") == "uint32") return work<T, unsigned>(call);
  if (call.type("out") == "uint64") return work<T, unsigned long long>(call);
  throw Declined("it is not compiled for counters of the type " + std::string(call.type("out")));
}

std::unique_ptr<Work> histogram(const Call& call) {
  const std::string_view values = call.type("in");
  if (values == "uint8") return of_counter<std::uint8_t>(call);
  if (values == "uint16") return of_counter<std::uint16_t>(call);
  if (values == "int32") return of_counter<std::int32_t>(call);
  throw Declined("it is not compiled for values of the type " + std::string(values));
}

}  // namespace

std::vector<Peer> cub_histogram() { return {peer<histogram>("histogram", "cub")}; }

}  // namespace attune::peers
