// KernelPack: a kernel made ready for applications: what launching needs of a kernel file, and the configurations that
// serve where there is no wisdom. A plain value. Its bytes are a section of a bundle (docs/formats/bundle.md).
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "attune/bindings.hpp"
#include "attune/bundle.hpp"
#include "attune/kernel_spec.hpp"
#include "kernel/ladder.hpp"

namespace attune {

struct KernelPack {
  KernelSpec spec;                       // without what only tuning uses: see without_tuning()
  std::string tune_target;               // the kernel as `attune tune` names it: a built-in name or a file
  std::vector<Configuration> fallbacks;  // tried in this order; the first has the first value of each parameter
};

// Returns the spec without [[prepare]], [[reference]], checks, data, metrics and ladders. [[verify]] stays: an image
// has its entries, so that tuning and applications share images.
KernelSpec without_tuning(KernelSpec spec);

// Adds a kernel to a bundle. Throws UsageError where one of its name is there.
void add_kernel(BundleWriter& bundle, const KernelPack& pack);
std::vector<std::byte> encode(const KernelPack& pack);
// Returns nothing for bytes that are damaged or of another version. Safe on any bytes.
std::optional<KernelPack> decode_pack(std::span<const std::byte> bytes);

}  // namespace attune
