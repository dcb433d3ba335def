// What peers from CUB share: types by name, temporary memory, and operators.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>
#include <cuda/functional>
#include <cuda/std/functional>
#include <limits>
#include <utility>

#include "peer.hpp"

namespace attune::peers {

template <typename T>
struct Type {
  using type = T;
};

// Calls `use` with the Type of this name. Throws Declined for another one.
template <typename Use>
auto with_type(std::string_view name, const Use& use) {
  if (name == "float") return use(Type<float>{});
  if (name == "double") return use(Type<double>{});
  if (name == "int32") return use(Type<std::int32_t>{});
  if (name == "int64") return use(Type<std::int64_t>{});
  throw Declined("it is not compiled for the type " + std::string(name));
}

// Offsets of 32 bits are the faster ones, where they do: CUB takes the type of the count.
template <typename Use>
void with_count(long long count, const Use& use) {
  if (count <= std::numeric_limits<std::int32_t>::max())
    use(static_cast<std::int32_t>(count));
  else
    use(static_cast<std::int64_t>(count));
}

// `Function`: cudaError_t (void* temporary, std::size_t& bytes, const Call&, cudaStream_t), as CUB's own are called:
// twice, first for the bytes.
template <typename Function>
class CubWork final : public Work {
 public:
  CubWork(Function function, const Call& call) : function_(std::move(function)), memory_(bytes_for(call)) {}
  void enqueue(const Call& call, cudaStream_t stream) override {
    std::size_t bytes = memory_.bytes();
    check(function_(memory_.data(), bytes, call, stream), "CUB");
  }

 private:
  std::size_t bytes_for(const Call& call) const {
    std::size_t bytes = 0;
    check(function_(nullptr, bytes, call, nullptr), "CUB");
    return bytes;
  }
  const Function function_;
  const TemporaryMemory memory_;
};

template <typename Function>
std::unique_ptr<Work> cub_work(Function function, const Call& call) {
  return std::make_unique<CubWork<Function>>(std::move(function), call);
}

}  // namespace attune::peers
