// Packs: kernel files made ready for applications.
#pragma once

#include <string>

#include "bundle/kernel_pack.hpp"

namespace attune {

// Returns the parts of a kernel that an application needs. Finding the fall-back configurations takes milliseconds, or
// seconds if the first configuration is not legal everywhere. `tune_target`: the kernel as `attune tune` names it.
KernelPack make_pack(KernelSpec spec, std::string tune_target);

// Returns the bytes of a bundle with this kernel alone.
std::vector<std::byte> bundle_of(const KernelPack& pack);

}  // namespace attune
