// CudaData: fills and checks device memory with attune's own kernels. NVRTC compiles them for each element type at its
// first use. One thread at a time.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "device/data_tools.hpp"

namespace attune::cuda {

// Returns the kernels that fill and compare elements of a type ("float4": the kernels of float). For "" it returns the
// byte kernels.
ImageRequest data_kernels_request(std::string_view type, std::string architecture);

class CudaData final : public DataTools {
 public:
  explicit CudaData(Device& device) : device_(device) {}  // which outlives it
  CudaData(const CudaData&) = delete;
  CudaData& operator=(const CudaData&) = delete;
  ~CudaData() override;

  // These throw Error when a kernel does not compile or fails.
  void generate(void* target, std::string_view type, std::uint64_t count, const FillValues& fill,
                std::uint64_t seed) override;
  std::vector<InspectionFinding> inspect(std::span<const Inspection> inspections) override;

 private:
  struct LoadedModule {
    std::shared_ptr<Module> module;
    std::map<std::string, FunctionHandle, std::less<>> functions;  // by name: "compare"
  };
  // Returns the kernels for a type, compiled and loaded at the first call.
  const LoadedModule& loaded(std::string_view type);
  void launch(FunctionHandle function, std::uint64_t items, std::initializer_list<const void*> parameters);
  // Enqueues one inspection. `result` is an InspectionResult in device memory, all zeros beforehand.
  void enqueue(const CompareElements& what, void* result);
  void enqueue(const CountDifferences& what, void* result);
  void enqueue(const CountOtherBytes& what, void* result);
  void enqueue(const Checksum& what, void* result);
  void make_room(std::size_t results);

  Device& device_;
  std::map<std::string, LoadedModule, std::less<>> loaded_;  // by type
  void* results_ = nullptr;                                  // device memory for room_ values of InspectionResult
  std::size_t room_ = 0;
};

}  // namespace attune::cuda
