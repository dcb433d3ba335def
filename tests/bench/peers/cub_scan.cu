// CUB's scans.
#include <cub/device/device_scan.cuh>

#include "cub.hpp"
#include "table.hpp"

namespace attune::peers {
namespace {

// Operators with the value that leaves others as they are.
struct Sum {
  using Function = ::cuda::std::plus<>;
  template <typename T>
  static T neutral() {
    return T{0};
  }
};
struct Minimum {
  using Function = ::cuda::minimum<>;
  template <typename T>
  static T neutral() {
    return std::numeric_limits<T>::has_infinity ? std::numeric_limits<T>::infinity() : std::numeric_limits<T>::max();
  }
};
struct Maximum {
  using Function = ::cuda::maximum<>;
  template <typename T>
  static T neutral() {
    return std::numeric_limits<T>::has_infinity ? -std::numeric_limits<T>::infinity()
                                                : std::numeric_limits<T>::lowest();
  }
};

template <typename Operator, bool inclusive, typename T>
std::unique_ptr<Work> work(const Call& call) {
  const long long n = call.size("n");
  const auto scan = [n](void* memory, std::size_t& bytes, const Call& now, cudaStream_t stream) {
    cudaError_t result = cudaSuccess;
    const typename Operator::Function function;
    with_count(n, [&](auto count) {
      const T* const in = now.array<const T>("in");
      T* const out = now.array<T>("out");
      if constexpr (inclusive)
        result = cub::DeviceScan::InclusiveScan(memory, bytes, in, out, function, count, stream);
      else
        result = cub::DeviceScan::ExclusiveScan(memory, bytes, in, out, function, Operator::template neutral<T>(),
                                                count, stream);
    });
    return result;
  };
  return cub_work(scan, call);
}

template <typename Operator, typename T>
std::unique_ptr<Work> of_kind(const Call& call) {
  const std::string_view kind = call.text_if_any("KIND");
  if (kind.empty() || kind == "Kind::inclusive") return work<Operator, true, T>(call);
  if (kind == "Kind::exclusive") return work<Operator, false, T>(call);
  throw Declined("there is no such kind of scan here: " + std::string(kind));
}

std::unique_ptr<Work> scan(const Call& call) {
  const std::string_view op = call.text_if_any("OP");
  return with_type(call.text("T"), [&](auto type) -> std::unique_ptr<Work> {
    using T = typename decltype(type)::type;
    if (op.empty() || op == "Op::sum") return of_kind<Sum, T>(call);
    if (op == "Op::min") return of_kind<Minimum, T>(call);
    if (op == "Op::max") return of_kind<Maximum, T>(call);
    throw Declined("there is no such operator here: " + std::string(op));
  });
}

}  // namespace

std::vector<Peer> cub_scan() { return {peer<scan>("scan", "cub")}; }

}  // namespace attune::peers
