// Kernels in bundles, behind the digest of their section.
#include "bundle/kernel_pack.hpp"
#include "fuzz/fuzzed.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace attune;
  if (const auto pack = decode_pack(fuzz::bytes_of(data, size))) {
    fuzz::require(decode_pack(encode(*pack)).has_value(), "a pack that is read can be written and read");
    ++fuzz::taken;
  }
  return 0;
}
