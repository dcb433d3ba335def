// Kernel files: front matter, code, and the pack that applications get of them.
#include "spec/kernel_file.hpp"

#include "bundle/kernel_pack.hpp"
#include "fuzz/fuzzed.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace attune;
  fuzz::read_or_refuse<SpecError>([&] {
    const KernelPack pack{without_tuning(read_kernel_text(fuzz::text_of(data, size), "fuzzed.cu")), "fuzzed.cu", {}};
    fuzz::require(decode_pack(encode(pack)).has_value(), "a kernel file that is read makes a pack");
  });
  return 0;
}
