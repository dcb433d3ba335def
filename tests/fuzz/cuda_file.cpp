// CUDA files of others: what `attune new` begins a kernel file with, and which files they include.
#include "attune/error.hpp"
#include "core/include_scan.hpp"
#include "draft/draft.hpp"
#include "fuzz/fuzzed.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace attune;
  const std::string_view text = fuzz::text_of(data, size);
  for (const Include& include : find_includes(text)) fuzz::require(include.offset < size, "an include has its place");
  const draft::CudaFile file = draft::read_cuda_file(text);
  for (const draft::KernelFunction& kernel : file.kernels)
    fuzz::read_or_refuse<UsageError>([&] { draft::marks_in(draft::drafted(file, kernel, "fuzzed.cuh")); });
  return 0;
}
