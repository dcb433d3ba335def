// KernelPack: a kernel made ready for applications. It has the parts of a kernel file that launching needs, and the
// configurations that serve without wisdom. A plain value. Its bytes are a section of a bundle
// (docs/formats/bundle.md).
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
  KernelSpec spec;                       // without the parts that only tuning uses: see without_tuning()
  std::string tune_target;               // the kernel as `attune tune` names it: a built-in name or a file
  std::vector<Configuration> fallbacks;  // tried in this order; the first has the first value of each parameter
};

// Returns the spec without [[prepare]], [[reference]], checks, data, metrics and ladders. [[verify]] stays, because
// images contain its entries, so that tuning and applications share images.
KernelSpec without_tuning(KernelSpec spec);

// Adds a kernel to a bundle. Throws UsageError if the bundle has a kernel of this name.
void add_kernel(BundleWriter& bundle, const KernelPack& pack);
std::vector<std::byte> encode(const KernelPack& pack);
// Returns the pack, or nothing if the bytes are damaged or of another version. Safe on any bytes.
std::optional<KernelPack> decode_pack(std::span<const std::byte> bytes);

}  // namespace attune
