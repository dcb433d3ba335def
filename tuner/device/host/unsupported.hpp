// What the host device refuses by name before any compiler runs: parts of CUDA that would otherwise end in pages of
// messages about headers that are not there. Pure. The list stands in docs/host_device.md.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace attune {

// The first use of something that the host device does not offer, as a compiler would report it:
// "FILE:LINE: error: `NAME` is not supported on the host device: REASON; see docs/host_device.md". Nothing if there is
// none. Comments, literals and members (`x.name`) do not count, nor does text that the preprocessor certainly leaves
// out on the host: conditions are evaluated as far as ATTUNE_HOST, __CUDA_ARCH__ and their like decide them.
std::optional<std::string> unsupported_use(std::string_view source, const std::string& file_name);

}  // namespace attune
