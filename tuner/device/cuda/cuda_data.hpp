// CudaData: fills and checks device memory with attune's own kernels. NVRTC compiles them for each element type at its
// first use. Owned by a CudaDevice; one thread at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "device/cuda/cuda_context.hpp"
#include "device/device.hpp"

namespace attune::cuda {

// Returns the kernels that fill and compare elements of a type ("float4": the kernels of float). For "" it returns the
// byte kernels.
ImageRequest data_kernels_request(std::string_view type, std::string architecture);

class CudaData {
 public:
  CudaData(Device& device, std::shared_ptr<const CudaContext> context)
      : device_(device), context_(std::move(context)) {}
  CudaData(const CudaData&) = delete;
  CudaData& operator=(const CudaData&) = delete;
  ~CudaData();

  // As in Device. Each throws Error when one of these kernels does not compile or fails.
  void generate(void* target, std::string_view type, std::uint64_t count, const Fill& fill, std::uint64_t seed);
  Comparison compare(const void* actual, const void* expected, std::string_view type, std::uint64_t count,
                     const Tolerance& tolerance);
  std::uint64_t count_other_bytes(const void* memory, std::size_t bytes, int value, std::uint64_t& first);
  std::uint64_t count_differences(const void* a, const void* b, std::size_t bytes);
  std::uint64_t checksum(const void* memory, std::size_t bytes);

 private:
  struct Loaded {
    std::shared_ptr<Module> module;
    std::map<std::string, FunctionHandle, std::less<>> functions;  // by name: "compare"
  };
  // Returns the kernels for a type, compiled and loaded at the first call.
  const Loaded& loaded(std::string_view type);
  void launch(FunctionHandle function, std::uint64_t items, std::initializer_list<const void*> parameters);
  template <typename Outcome>
  Outcome collect(const std::function<void(void* result)>& launches, const Outcome& initial);

  Device& device_;
  const std::shared_ptr<const CudaContext> context_;
  std::map<std::string, Loaded, std::less<>> loaded_;  // by type
  void* result_ = nullptr;                             // device memory for the kernels' results
};

}  // namespace attune::cuda
