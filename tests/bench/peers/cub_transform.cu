// CUB's transformations: what it makes of `copy`, `add` and `axpy`.
#include <cub/device/device_transform.cuh>

#include "cub.hpp"
#include "table.hpp"

namespace attune::peers {
namespace {

struct Same {
  template <typename T>
  __device__ T operator()(T value) const {
    return value;
  }
};

struct Add {
  template <typename T>
  __device__ T operator()(T a, T b) const {
    return a + b;
  }
};

template <typename T>
struct MultiplyAdd {
  T a;
  __device__ T operator()(T x, T y) const { return a * x + y; }
};

// `Function`: cudaError_t (const Call&, cudaStream_t). It needs no memory.
template <typename Function>
class Transform final : public Work {
 public:
  explicit Transform(Function function) : function_(std::move(function)) {}
  void enqueue(const Call& call, cudaStream_t stream) override { check(function_(call, stream), "CUB"); }

 private:
  const Function function_;
};

template <typename Function>
std::unique_ptr<Work> transform(Function function) {
  return std::make_unique<Transform<Function>>(std::move(function));
}

template <typename T>
std::unique_ptr<Work> copy_of(unsigned long long count) {
  return transform([count](const Call& now, cudaStream_t stream) {
    return cub::DeviceTransform::Transform(now.array<const T>("in"), now.array<T>("out"), count, Same{}, stream);
  });
}

// Of elements as unsigned integers of their size: a copy does not look at them.
std::unique_ptr<Work> copy(const Call& call) {
  const unsigned long long count = call.count("out");
  if (call.count("in") != count) throw Declined("it copies neither with an offset nor with a stride");
  const std::string_view type = call.text("T");
  if (type == "uint8") return copy_of<std::uint8_t>(count);
  if (type == "half" || type == "bfloat16") return copy_of<std::uint16_t>(count);
  if (type == "float" || type == "int32") return copy_of<std::uint32_t>(count);
  if (type == "double" || type == "int64") return copy_of<std::uint64_t>(count);
  throw Declined("it is not compiled for the type " + std::string(type));
}

std::unique_ptr<Work> add(const Call& call) {
  const unsigned long long count = call.count("out");
  const long long pitch = call.size("pitch");
  if (pitch != 0 && pitch != call.size("columns")) throw Declined("it adds arrays without gaps alone");
  return with_type(call.text("T"), [&](auto type) {
    using T = typename decltype(type)::type;
    return transform([count](const Call& now, cudaStream_t stream) {
      return cub::DeviceTransform::Transform(::cuda::std::make_tuple(now.array<const T>("a"), now.array<const T>("b")),
                                             now.array<T>("out"), count, Add{}, stream);
    });
  });
}

std::unique_ptr<Work> axpy(const Call& call) {
  const unsigned long long count = call.count("y");
  return with_type(call.text("T"), [&](auto type) {
    using T = typename decltype(type)::type;
    return transform([count](const Call& now, cudaStream_t stream) {
      T* const y = now.array<T>("y");
      return cub::DeviceTransform::Transform(
          ::cuda::std::make_tuple(now.array<const T>("x"), static_cast<const T*>(y)), y, count,
          MultiplyAdd<T>{now.scalar<T>("a")}, stream);
    });
  });
}

}  // namespace

std::vector<Peer> cub_transform() {
  return {peer<copy>("copy", "cub"), peer<add>("add", "cub"), peer<axpy>("axpy", "cub")};
}

}  // namespace attune::peers
