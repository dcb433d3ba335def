// CUB's reductions; a dot product is one of pairs.
#include <thrust/iterator/zip_iterator.h>

#include <cub/device/device_reduce.cuh>

#include "cub.hpp"
#include "table.hpp"

namespace attune::peers {
namespace {

enum class Operator { sum, min, max };

template <Operator op, typename T>
std::unique_ptr<Work> work(const Call& call) {
  const long long n = call.size("n");
  const auto reduce = [n](void* memory, std::size_t& bytes, const Call& now, cudaStream_t stream) {
    cudaError_t result = cudaSuccess;
    with_count(n, [&](auto count) {
      const T* const in = now.array<const T>("in");
      T* const out = now.array<T>("out");
      if constexpr (op == Operator::sum)
        result = cub::DeviceReduce::Sum(memory, bytes, in, out, count, stream);
      else if constexpr (op == Operator::min)
        result = cub::DeviceReduce::Min(memory, bytes, in, out, count, stream);
      else
        result = cub::DeviceReduce::Max(memory, bytes, in, out, count, stream);
    });
    return result;
  };
  return cub_work(reduce, call);
}

std::unique_ptr<Work> reduce(const Call& call) {
  const std::string_view op = call.text_if_any("OP");
  return with_type(call.text("T"), [&](auto type) -> std::unique_ptr<Work> {
    using T = typename decltype(type)::type;
    if (op.empty() || op == "Op::sum") return work<Operator::sum, T>(call);
    if (op == "Op::min") return work<Operator::min, T>(call);
    if (op == "Op::max") return work<Operator::max, T>(call);
    throw Declined("there is no such operator here: " + std::string(op));
  });
}

template <typename T>
struct Product {
  template <typename Pair>
  __host__ __device__ T operator()(const Pair& pair) const {
    return thrust::get<0>(pair) * thrust::get<1>(pair);
  }
};

std::unique_ptr<Work> dot(const Call& call) {
  const long long n = call.size("n");
  return with_type(call.text("T"), [&](auto type) {
    using T = typename decltype(type)::type;
    const auto reduce = [n](void* memory, std::size_t& bytes, const Call& now, cudaStream_t stream) {
      cudaError_t result = cudaSuccess;
      const auto pairs = thrust::make_zip_iterator(now.array<const T>("x"), now.array<const T>("y"));
      with_count(n, [&](auto count) {
        result = cub::DeviceReduce::TransformReduce(memory, bytes, pairs, now.array<T>("out"), count,
                                                    ::cuda::std::plus<>{}, Product<T>{}, T{0}, stream);
      });
      return result;
    };
    return cub_work(reduce, call);
  });
}

}  // namespace

std::vector<Peer> cub_reduce() { return {peer<reduce>("reduce", "cub"), peer<dot>("dot", "cub")}; }

}  // namespace attune::peers
